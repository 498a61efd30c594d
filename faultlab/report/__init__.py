"""What was found, for people and for programs: pure data first, then text or JSON made of it."""
