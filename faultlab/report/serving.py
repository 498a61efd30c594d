"""What a server says once it listens: its addresses, and what to do with them."""

import json
import shlex
from collections.abc import Mapping
from typing import Any, NamedTuple


class Started(NamedTuple):
    """A server, and the session that was opened with it."""

    data_url: str
    admin_url: str
    token: str | None
    session: str
    """Its id."""
    url: str
    """Of that session."""
    scenario: str
    contract: str
    twin: str
    call: tuple[str, Mapping[str, Any]]
    """A tool and arguments: the call that the plan strikes."""
    keyed: bool
    """The contract honours idempotency keys."""


def serving_lines(started: Started) -> list[str]:
    """Five lines to copy: the call that loses its receipt, the claim, the verdict."""
    url, admin = started.url, f"{started.admin_url}/sessions/{started.session}"
    bearer = f" -H 'Authorization: Bearer {started.token}'" if started.token else ""
    tool, args = started.call
    body = shlex.quote(json.dumps(dict(args)))
    key = " -H 'Idempotency-Key: k-1'" if started.keyed else ""
    claim = shlex.quote(json.dumps({"status": "done", "text": "..."}))
    lines = [
        f"faultlab serves {started.scenario} / {started.contract} / {started.twin}",
        f"  tools  {url}",
        f"  admin  {started.admin_url}   (not for the agent)",
    ]
    if started.token:
        lines.append(f"  token  {started.token}   (for the admin port)")
    return [
        *lines,
        "",
        "A call of the task; the plan decides what becomes of its receipt:",
        f"  curl -m 5 {url}/tools/{tool}{key} -H 'Content-Type: application/json' -d {body}",
        "Say how it ended, then see how that was judged:",
        f"  curl {url}/claim -d {claim}",
        f"  curl{bearer} {admin}/verdict",
        "Ctrl-C stops the server.",
    ]


def serving_json(started: Started) -> dict[str, Any]:
    """The same for a program: one object on one line."""
    return {
        "data_url": started.data_url,
        "admin_url": started.admin_url,
        "token": started.token,
        "session": started.session,
        "url": started.url,
    }
