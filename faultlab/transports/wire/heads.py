"""The heads of requests that are not plain: what becomes of their fields and targets."""

from faultlab.transports.keys import RawHeaders


def without_upgrade(method: bytes, target: bytes, version: str, headers: RawHeaders) -> bytes:
    """The head of a request as it would be if it did not ask for another protocol."""
    lines = [b"%s %s HTTP/%s" % (method, target, version.encode())]
    lines += [name + b": " + value for name, value in headers if name.lower() != b"upgrade"]
    return b"\r\n".join(lines) + b"\r\n\r\n"
