"""A PostgreSQL server of the tests' own, on a socket in a temporary folder; None where none can be started."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

BINARIES = ("initdb", "pg_ctl", "createdb")


def why_not() -> str | None:
    """The reason why no server can be started here."""
    if missing := [name for name in BINARIES if shutil.which(name) is None]:
        return f"{missing[0]} is not installed"
    try:
        import psycopg  # noqa: F401 - whether it loads is the question
    except ImportError as error:
        return f"psycopg cannot be loaded: {error}"
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        return "PostgreSQL does not run as root, and setpriv is not installed"
    return None


def folder() -> Path:
    """A short path, which a socket's name must have, that the server's user may reach."""
    made = Path(tempfile.mkdtemp(prefix="faultlab-pg-"))
    made.chmod(0o777)
    return made


@contextmanager
def server(folder: Path) -> Iterator[str]:
    """A running server, as a URL with `NAME` in place of the database's name; see `new_database`."""
    data, log = folder / "data", folder / "log"
    _run("initdb", "--pgdata", str(data), "--username", "tests", "--auth", "trust", "--no-sync")
    options = f"-k {folder} -c listen_addresses='' -c fsync=off"
    _run("pg_ctl", "--pgdata", str(data), "--log", str(log), "--wait", "-o", options, "start")
    try:
        yield f"postgresql://tests@/NAME?host={folder}"
    finally:
        _run("pg_ctl", "--pgdata", str(data), "--mode", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)


def new_database(url: str, name: str) -> str:
    """An empty database on the server, as a URL."""
    folder = url.rpartition("host=")[2]
    subprocess.run(["createdb", "--host", folder, "--username", "tests", name], check=True, capture_output=True)
    return url.replace("NAME", name)


def _run(*command: str) -> None:
    """Under another user where the tests are root: PostgreSQL refuses root."""
    if os.geteuid() == 0:
        command = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *command)
    subprocess.run(command, check=True, capture_output=True, cwd="/", stdin=subprocess.DEVNULL)
