"""A PostgreSQL server of the tests' own, on a socket in a temporary folder; None where none can be started."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

BINARIES = ("initdb", "postgres", "pg_isready", "createdb", "setpriv")


def why_not() -> str | None:
    """The reason why no server can be started here."""
    if missing := [name for name in BINARIES if shutil.which(name) is None]:
        return f"{missing[0]} is not installed"
    try:
        import psycopg  # noqa: F401 - whether it loads is the question
    except ImportError as error:
        return f"psycopg cannot be loaded: {error}"
    return None


def folder() -> Path:
    """A short path, which a socket's name must have, that the server's user may reach."""
    made = Path(tempfile.mkdtemp(prefix="faultlab-pg-"))
    made.chmod(0o777)
    return made


@contextmanager
def server(folder: Path) -> Iterator[str]:
    """A running server, as a URL with `NAME` in place of the database's name; see `new_database`. It ends with this
    process, however that ends."""
    data = folder / "data"
    command = _as_its_user("initdb", "--pgdata", str(data), "--username", "tests", "--auth", "trust", "--no-sync")
    subprocess.run(command, check=True, capture_output=True, cwd="/", stdin=subprocess.DEVNULL)
    options = ("-k", str(folder), "-c", "listen_addresses=", "-c", "fsync=off")
    with (folder / "log").open("wb") as log:
        running = subprocess.Popen(
            _as_its_user("postgres", "-D", str(data), *options),
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        ready = ["pg_isready", "--quiet", "--host", str(folder)]
        while running.poll() is None and subprocess.run(ready, check=False).returncode != 0:
            time.sleep(0.05)
        yield f"postgresql://tests@/NAME?host={folder}"
    finally:
        running.send_signal(signal.SIGQUIT)
        running.wait()
        shutil.rmtree(folder, ignore_errors=True)


def new_database(url: str, name: str) -> str:
    """An empty database on the server, as a URL."""
    folder = url.rpartition("host=")[2]
    subprocess.run(["createdb", "--host", folder, "--username", "tests", name], check=True, capture_output=True)
    return url.replace("NAME", name)


def _as_its_user(*command: str) -> tuple[str, ...]:
    """PostgreSQL refuses root; and the server gets SIGQUIT when the thread that started it is gone."""
    user = ("--reuid=65534", "--regid=65534", "--clear-groups") if os.geteuid() == 0 else ()
    return ("setpriv", *user, "--pdeathsig", "QUIT", *command)
