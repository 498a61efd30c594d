"""Runs attempts: time, network and limits of one attempt, cells, and the matrix of them."""
