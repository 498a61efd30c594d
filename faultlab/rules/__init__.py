"""The judge: one rule per file, a literal catalog, and the merge. Rules read a history and its Brief, nothing else."""
