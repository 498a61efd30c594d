"""The ways in which a caller reaches the engine: as functions, through httpx and through httpx2."""
