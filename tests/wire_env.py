"""An agent's surroundings over a real socket: its tools are HTTP requests, whichever agent calls them."""

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

import httpx
import plain_http

from faultlab.core.agent import Crash, ToolError
from faultlab.core.clock import NS, RealClock
from faultlab.core.contract import CONDITION_FIELD, KEY_FIELD, REFERENCE_FIELD
from faultlab.core.history import History
from faultlab.core.records import Receipt
from faultlab.engine.session import Session
from faultlab.matrix.attempt import Conditions, _guarded, close_attempt, surroundings
from faultlab.matrix.env import LabEnv, session_of
from faultlab.matrix.life import live
from faultlab.matrix.scenario import Group
from faultlab.transports.direct import result_of
from faultlab.transports.wire.listener import InThread, OneSession
from faultlab.transports.wire.own_port import OwnPort


class WireEnv(LabEnv):
    """As `LabEnv`, but what leaves the agent crosses a socket. What came back must be what the lab wrote down."""

    client: httpx.Client

    @staticmethod
    def over(env: LabEnv, client: httpx.Client) -> "WireEnv":
        made = WireEnv.__new__(WireEnv)
        made.__dict__.update(env.__dict__)
        made.client = client
        return made

    def again(self) -> "WireEnv":
        return WireEnv.over(super().again(), self.client)

    @property
    def tools(self) -> Mapping[str, Callable[..., Any]]:
        session = session_of(self)
        return {name: self._tool(name, session) for name in session.engine.toolset.tools}

    def _tool(self, name: str, session: Session) -> Callable[..., Any]:
        kind = session.engine.toolset.tools[name].kind

        def call(**kwargs: Any) -> Any:
            session.alive()
            headers = {}
            if kind == "write":
                rules = session.brief.contract.key
                if (key := kwargs.pop(KEY_FIELD, None)) is not None:
                    headers["idempotency-key"] = f'"{key}"' if rules and rules.quoted == "required" else key
                if (condition := kwargs.pop(CONDITION_FIELD, None)) is not None:
                    headers["if-match"] = condition
                if kwargs.get(REFERENCE_FIELD, "") is None:
                    del kwargs[REFERENCE_FIELD]
            number = session.count + 1
            seen = self._send(name, kwargs, headers)
            receipt = self._receipt(session, number)
            assert seen == (receipt.error or receipt.status), (seen, receipt)
            return result_of(session.engine.toolset.tools[name], receipt)

        return call

    def _send(self, name: str, body: dict[str, Any], headers: dict[str, str]) -> str | int:
        """What the client saw: a status, or an exception's name."""
        try:
            answer = self.client.post(f"/tools/{name}", json=body, headers=headers)
        except httpx.TransportError as error:
            return type(error).__name__
        if answer.status_code < 300:
            try:
                json.loads(answer.text)
            except ValueError:
                return answer.status_code
        return answer.status_code

    def _receipt(self, session: Session, number: int) -> Receipt:
        """What the lab wrote down for the call; for one that was given up, once it has noticed."""
        until = time.monotonic() + 5
        while time.monotonic() < until:
            if session.crash is not None:
                raise Crash(f"the process died at call {session.crash.call}")
            for event in reversed(session.events):
                if type(event) is Receipt and event.call == number:
                    return event
            time.sleep(0.001)
        raise AssertionError(f"no receipt of call {number}")


def over_a_socket(agent: Callable[..., Any], group: Group, twin: str, conditions: Conditions) -> History:
    """One attempt of an agent, every call over a socket of the attempt's own, `time_scale` times as slow as real."""
    session, task, env = surroundings(group, twin, 1, conditions)
    session.latency_ns = 0
    patience_s = session.patience_ns / NS * conditions.time_scale
    with (
        InThread(OwnPort.of(OneSession(session))) as port,
        plain_http.Client(base_url=port.url, timeout=patience_s) as client,
    ):
        session.clock = RealClock(1 / conditions.time_scale)  # the attempt begins when all stands
        ended = _guarded(lambda: live(agent, task, WireEnv.over(env, client), session), conditions)
    return close_attempt(session, ended, ())


__all__ = ["ToolError", "WireEnv", "over_a_socket"]
