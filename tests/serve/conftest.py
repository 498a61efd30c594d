"""The fixtures that start servers."""

from served import serve, shared

__all__ = ["serve", "shared"]
