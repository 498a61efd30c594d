"""tenacity: its decorator with a stop and a wait, and its default of any exception."""

from sidebyside.work import Call, Desk, again, subject


def layer(desk: Desk) -> Call:
    return again(desk.send)


agent = subject(layer)
