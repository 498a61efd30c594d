"""What each action of a fault does to the server."""

from typing import Any

from faultlab.core.actions import Abort, Action, Admit, AsOf, Commit, Fail, Forget, ForgetKeys, Hide, Meddle, Preview
from faultlab.core.errors import HarnessFault
from faultlab.engine.past import Past
from faultlab.engine.server import Server


def perform(server: Server, past: Past | None, action: Action, now_ns: int) -> Any:
    """Do it now; gives what the action gives. `past` is there if a fault of the plan looks back."""
    if past is not None:
        past.mark(now_ns)
    match action:
        case Admit(call):
            return server.admit(call, now_ns)
        case Commit(call, cause, done):
            commit = server.commit if past is None else past.commit
            return commit(call, now_ns, cause, done)
        case Fail(call, applied):
            return (past or server).fail(call, now_ns, applied=applied)
        case Preview(call):
            return server.preview(call, now_ns)
        case Meddle():
            return (past or server).meddle(action, now_ns)
        case Abort(call):
            server.abort(call)
        case Forget(call):
            server.forget(call)
        case ForgetKeys():
            server.forget_keys()
        case AsOf(call, at_ns) if past is not None:
            return past.as_of(call, at_ns, now_ns)
        case Hide(call, until_ns) if past is not None:
            past.hide(call, until_ns)
        case _:
            raise HarnessFault(f"a fault that asks for {type(action).__name__} must declare looks_back")
    return None
