"""The lab on real sockets: HTTP/1.1 by our own protocol, so that a fault may decide every byte."""
