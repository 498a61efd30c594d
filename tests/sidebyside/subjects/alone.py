"""httpx and nothing around it: the request is sent once."""

from sidebyside.work import Call, Desk, subject


def layer(desk: Desk) -> Call:
    return desk.send


agent = subject(layer)
