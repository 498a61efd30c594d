"""Idempotent tool execution: the policy table, its moves, and the two drivers that carry them out."""
