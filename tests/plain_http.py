"""httpx for sockets without TLS, a client of its own for each request, as httpx's own functions make it.

None of them loads the certificates that it would trust over TLS: those cost more than all else in such a request.
"""

import ssl
from functools import partial

import httpx

NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)

Client = partial(httpx.Client, verify=NO_TLS)
delete = partial(httpx.delete, verify=NO_TLS)
get = partial(httpx.get, verify=NO_TLS)
post = partial(httpx.post, verify=NO_TLS)
request = partial(httpx.request, verify=NO_TLS)
