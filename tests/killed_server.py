"""A server that kills itself at a named step: `python killed_server.py STORE PORT STEP COUNT`."""

import json
import os
import signal
import sys

from faultlab.rules.judge import judge
from faultlab.serve.order import order_of
from faultlab.serve.server import Ports, Server, Serving, serve_until_stopped

store, port, at, count = sys.argv[1], int(sys.argv[2]), sys.argv[3], int(sys.argv[4])
passed: list[str] = []


def step(name: str) -> None:
    passed.append(name)
    if name == at and passed.count(at) == count:
        os.kill(os.getpid(), signal.SIGKILL)


def ready(serving: Serving) -> None:
    print(json.dumps([serving.data_url, serving.admin_url, serving.session]), flush=True)


order = order_of({"scenario": "lost-receipt", "contract": "strict", "twin": "clean"})
serve_until_stopped(Server(judge, Ports(port=port), store, step), order, ready)
