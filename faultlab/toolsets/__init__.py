"""Tool servers to test against; `shop` is also the example of how to write one."""
