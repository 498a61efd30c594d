"""Refusals in XML, for callers that speak a query protocol: a form goes in, XML comes out, as with Amazon EC2."""

from xml.sax.saxutils import escape

from faultlab.core.actions import Reply
from faultlab.transports.codec import Encoded, framing
from faultlab.transports.forms import FORM
from faultlab.transports.keys import RawHeaders, header


def wants_xml(headers: RawHeaders, reply: Reply) -> bool:
    """Whether a refusal has EC2's form, and its caller sent a form.

    Source: Amazon EC2 API Reference, "Error codes for the Amazon EC2 API".
    """
    if reply.status < 400 or type(reply.body) is not dict or "Errors" not in reply.body:
        return False
    return (header(headers, "content-type") or "").partition(";")[0].strip().lower() == FORM


def as_xml(reply: Reply) -> Encoded:
    """`{"Errors": [{"Code", "Message"}]}` as the `Response` element of that API."""
    told = "".join(
        f"<Error><Code>{escape(item['Code'])}</Code><Message>{escape(item['Message'])}</Message></Error>"
        for item in reply.body["Errors"]
    )
    body = f'<?xml version="1.0" encoding="UTF-8"?>\n<Response><Errors>{told}</Errors></Response>'.encode()
    return Encoded(reply.status, framing(b"text/xml;charset=UTF-8", len(body)), body)
