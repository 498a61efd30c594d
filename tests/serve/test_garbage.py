"""The collector of a server: new garbage goes, what is kept is looked at once, the rest is found in idle times."""

import subprocess
import sys

SCRIPT = """
import asyncio, gc, weakref
from faultlab.serve.garbage import THRESHOLD, sweep, tune

class Node: ...

def ring():
    one = Node()
    one.itself = one
    return one

looked_at = []
tune()
gc.callbacks.insert(0, lambda phase, info: looked_at.append(info["generation"]))
new = weakref.ref(ring())
old = ring()
kept = [[number] for number in range(10 * THRESHOLD)]
print("new garbage is collected:", new() is None)
print("what is kept is frozen:", gc.get_freeze_count() > 9 * THRESHOLD)
print("only the youngest were looked through:", set(looked_at) == {0})
late = weakref.ref(old)
del old
happened = 0

async def idle():
    global happened
    sweeping = asyncio.create_task(sweep(lambda: happened, 0.05))
    await asyncio.sleep(0.3)
    print("it stays while nothing has happened at all:", late() is not None)
    happened = 1
    await asyncio.sleep(0.3)
    print("it goes when nothing happens any more:", late() is None)
    looked_at.clear()
    await asyncio.sleep(0.3)
    print("one look is enough:", not looked_at)
    sweeping.cancel()

asyncio.run(idle())
print("and all is frozen again:", gc.get_freeze_count() > 9 * THRESHOLD)
"""


def test_each_object_is_looked_at_once_and_dead_rings_are_found() -> None:
    ended = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    told = dict(line.split(": ") for line in ended.stdout.splitlines())
    assert len(told) == 7 and set(told.values()) == {"True"}, told
