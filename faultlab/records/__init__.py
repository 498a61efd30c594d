"""Runs and their attempts, kept: rows, one door, a store in a file and its twin in memory."""
