"""A mailbox: what was sent is sent. There is no tool that takes a mail back.

World: `mails` {id: {to, subject, text, reference}}, `contacts` {name: {address, note}}.

What tells of an effect: `list_sent` shows each mail with its reference.
"""

from typing import Any

from faultlab.core.tools import Refused, Toolset, tool
from faultlab.core.world import World


@tool(route="GET /v1/contacts/{name}")
def get_contact(world: World, name: str) -> dict[str, Any]:
    """Look up a contact's address and the note kept about it."""
    row = world.get("contacts", name)
    if row is None:
        raise Refused(404, "not_found", f"there is no contact {name}")
    return {"name": name, **row}


@tool(reveals={"send": lambda body: [mail["reference"] for mail in body["mails"]]}, route="GET /v1/sent")
def list_sent(world: World, to: str, subject: str) -> dict[str, Any]:
    """List the mails of one subject to one address, each with the reference given with it."""
    return {"mails": world.rows("mails", to=to, subject=subject), "complete": True}


@tool(writes=True, identity=["to", "subject"], route="POST /v1/mails")
def send(world: World, to: str, subject: str, text: str) -> dict[str, Any]:
    """Send a mail. Every executed call sends one more, and none can be unsent."""
    if "@" not in to:
        raise Refused(422, "address", f"{to!r} is not an address")
    mail_id = world.new_id("m")
    mail = {"id": mail_id, "to": to, "subject": subject, "text": text, "reference": world.reference}
    world.put("mails", mail_id, mail)
    return mail


INBOX = Toolset.of("inbox", get_contact, list_sent, send)
