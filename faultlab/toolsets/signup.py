"""Signing people up for an event: a natural key, a list in one call, and a promise that is kept later.

World: `events` {event: {seats}}, `people` {id: {event, email, reference}}, `badges` {id: {event, email, reference}}.

`register` refuses a second registration of one address with 409, whoever made the first. `register_all` answers for
each person by itself. `print_badge` promises (202). What tells of an effect: `list_people` and `list_badges` show each
with its reference.
"""

from typing import Any

from faultlab.core.tools import Refused, Toolset, tool
from faultlab.core.world import World


def references(body: Any) -> list[str | None]:
    """Of the people that a body lists."""
    return [person["reference"] for person in body["people"]]


@tool(reveals={"register": references, "register_all": references}, route="GET /v1/events/{event}/people")
def list_people(world: World, event: str, email: str) -> dict[str, Any]:
    """List the registrations of one address for one event, each with the reference given with it."""
    return {"people": world.rows("people", event=event, email=email), "complete": True}


@tool(
    reveals={"print_badge": lambda body: [badge["reference"] for badge in body["badges"]]},
    route="GET /v1/events/{event}/badges",
)
def list_badges(world: World, event: str, email: str) -> dict[str, Any]:
    """List the badges that are printed for one address, each with the reference given with it."""
    return {"badges": world.rows("badges", event=event, email=email), "complete": True}


@tool(writes=True, identity=["event", "email"], route="POST /v1/events/{event}/people")
def register(world: World, event: str, email: str) -> dict[str, Any]:
    """Register an address for an event. There is one registration an address: a second is refused (409)."""
    return signed_up(world, event, email)


@tool(writes=True, identity=["event", "email"], items="people", route="POST /v1/events/{event}/people/list")
def register_all(world: World, event: str, people: list[dict[str, Any]]) -> dict[str, Any]:
    """Register several people for an event: a list of {"email": ...}. Each is registered or refused by itself."""
    answers: list[dict[str, Any]] = []
    for person in people:
        try:
            answers.append({"status": 201, "body": signed_up(world, event, str(person.get("email")))})
        except Refused as refusal:
            said = {"code": refusal.code, "detail": refusal.detail}
            answers.append({"status": refusal.status, "body": said})
    return {"items": answers}


@tool(
    writes=True,
    identity=["event", "email"],
    provisional=True,
    retryable=True,
    poll_s=10,
    route="POST /v1/events/{event}/badges",
)
def print_badge(world: World, event: str, email: str) -> dict[str, Any]:
    """Have a badge printed for a registered address. Every executed call prints one more."""
    if not world.rows("people", event=event, email=email):
        raise Refused(404, "not_found", f"{email} is not registered for {event}")
    badge_id = world.new_id("b")
    world.put("badges", badge_id, {"id": badge_id, "event": event, "email": email, "reference": world.reference})
    return {"state": "accepted"}


def signed_up(world: World, event: str, email: str) -> dict[str, Any]:
    """One more registration, or a refusal."""
    row = world.get("events", event)
    if row is None:
        raise Refused(404, "not_found", f"there is no event {event}")
    if "@" not in email:
        raise Refused(422, "address", f"{email!r} is not an address")
    if world.rows("people", event=event, email=email):
        raise Refused(409, "registered", f"{email} is registered for {event}")
    if len(world.rows("people", event=event)) >= row["seats"]:
        raise Refused(422, "full", f"{event} has no seat left")
    person_id = world.new_id("p")
    person = {"id": person_id, "event": event, "email": email, "reference": world.reference}
    world.put("people", person_id, person)
    return person


SIGNUP = Toolset.of("signup", list_people, list_badges, register, register_all, print_badge)
