"""The baseline of the wire: reads the body, answers 201 with JSON of the usual size, keeps nothing."""

from typing import Any

BODY = b'{"id":"or_3f1d2c9a8b7e","customer":"C5","item":"mug","quantity":1,"reference":null}'
START = {
    "type": "http.response.start",
    "status": 201,
    "headers": [(b"content-type", b"application/json"), (b"content-length", str(len(BODY)).encode())],
}
END = {"type": "http.response.body", "body": BODY}


async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
    more = True
    while more:
        more = (await receive()).get("more_body", False)
    await send(START)
    await send(END)
