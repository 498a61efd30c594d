"""Agents that the lab knows the answer for: nine reference agents, probes, the oracle, mutants, and correct ones."""
