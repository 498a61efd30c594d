"""Ctrl-C before a command has begun."""

import subprocess
import sys

import pytest
from cli.conftest import environment

EARLY = """
import signal, sys
import faultlab.cli.main as start

def at(name):
    def trace(frame, event, argument):
        if event == "call" and name in frame.f_code.co_filename.replace(chr(92), "/") + ":" + frame.f_code.co_name:
            sys.settrace(None)
            signal.raise_signal(signal.SIGINT)
    return trace

sys.settrace(at(sys.argv.pop(1)))
start.main()
"""


@pytest.mark.parametrize("place", ["faultlab/cli/run.py:<module>", "typer/core.py:parse_args", "serve.py:_found"])
def test_it_is_one_message_whenever_it_comes(place: str) -> None:
    """While modules are loaded, while the words are read, while a host is looked up."""
    words = ["serve", "--host", "localhost", "--port", "0"]
    done = subprocess.run(
        [sys.executable, "-c", EARLY, place, *words],
        env=environment(), capture_output=True, encoding="utf-8", timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr, done.stdout) == (130, "faultlab: interrupted\n", "")
