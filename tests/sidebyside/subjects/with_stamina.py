"""stamina: the decorator of its README."""

import httpx
import stamina
from sidebyside.work import Call, Desk, subject


def layer(desk: Desk) -> Call:
    return stamina.retry(on=httpx.HTTPError, attempts=3)(desk.send)


agent = subject(layer)
