"""The fixture that starts servers."""

from served import serve

__all__ = ["serve"]
