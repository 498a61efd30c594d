"""Faults: one phase per file, symptoms beside them, a literal catalog of both."""
