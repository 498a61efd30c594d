"""Every random choice derives from one printed seed. Only this module touches `random`."""

import random
from hashlib import blake2b

Part = str | int


def derive(seed: int, *parts: Part) -> int:
    """A 63-bit number that depends on the seed and on each part, and on nothing else."""
    digest = blake2b(repr((seed, parts)).encode(), digest_size=8)
    return int.from_bytes(digest.digest()) >> 1


def token(seed: int, *parts: Part) -> str:
    """A short opaque id, derived like `derive`."""
    return blake2b(repr((seed, parts)).encode(), digest_size=6).hexdigest()


def generator(seed: int, *parts: Part) -> random.Random:
    """A generator of its own for one purpose: two purposes never share a stream."""
    return random.Random(derive(seed, *parts))
