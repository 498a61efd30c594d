"""Refuses the connections of an agent to anything but the lab and the hosts that the user allowed, and the end of the
process, which is faultlab's own.

It sees what Python's own `socket` module does. Libraries that connect in C (uvloop, libpq, grpc) and
other processes tell Python nothing, so they are not seen.
"""

import os
import socket
import sys
import threading
from collections.abc import Callable, Iterable
from ipaddress import ip_address
from types import TracebackType
from typing import Any, NoReturn

from faultlab.core.errors import BadInput

REAL_IO = "faultlab.real_io"
"""Audit event of the virtual loop: an agent waits for a descriptor or a process (`matrix/loop.py`)."""

Host = tuple[str, int | None]
"""A lower-case name or address, and a port; None for every port."""


class RefusedConnection(ConnectionRefusedError):
    """An agent called a host that is neither the lab nor allowed."""


def parse_host(text: str) -> Host:
    """HOST, HOST:PORT, [V6] or [V6]:PORT. Raises ValueError for anything else, such as a URL."""
    name, port = text.strip(), ""
    if name.startswith("["):
        name, _, rest = name[1:].partition("]")
        port = rest.removeprefix(":")
    elif name.count(":") == 1:
        name, _, port = name.partition(":")
    if not name or "/" in text or (port and not port.isdecimal()):
        raise ValueError(f"{text!r} is no host: write a name or an address, or HOST:PORT, without http://")
    return name.lower().rstrip("."), int(port) if port else None


def check_hosts(hosts: Iterable[str]) -> None:
    """Raises BadInput for the first that is no host: before a run, not within its first attempt."""
    for text in hosts:
        try:
            parse_host(text)
        except ValueError as wrong:
            raise BadInput(f"--allow-host: {wrong}") from None


def _is_address(name: str) -> bool:
    try:
        ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return True


def _shown(name: str, port: object) -> str:
    if port is None:
        return name
    return f"[{name}]:{port}" if ":" in name else f"{name}:{port}"


class Report:
    """What an agent did beside the lab during one attempt. Each list keeps order and holds no doubles."""

    __slots__ = ("_allowed", "_process", "_thread", "ended", "opened", "real_io", "refused", "threads")

    def __init__(self, allowed: Iterable[str] = ()) -> None:
        self.refused: list[str] = []
        """HOST:PORT (or HOST, when it was only looked up) that were refused."""
        self.opened: list[str] = []
        """HOST:PORT of allowed connections."""
        self.threads: list[str] = []
        """Names of threads that the agent's own thread started."""
        self.real_io: list[str] = []
        """Operations that the virtual loop could not do."""
        self.ended = ""
        """How it tried to end this process; empty: it did not."""
        self._process = os.getpid()
        self._allowed = {parse_host(text) for text in allowed}
        self._thread = threading.get_ident()

    @property
    def why_real(self) -> str | None:
        """Why this agent needs the real clock; None if it does not."""
        if self.opened:
            return f"it opened a connection to {self.opened[0]}"
        if self.threads:
            return f"it started the thread {self.threads[0]}"
        if self.real_io:
            return f"it used {self.real_io[0]}"
        return None

    def _check(self, name: str, port: object, *, looked_up: bool) -> None:
        key = name.lower().rstrip(".")
        for host, allowed_port in self._allowed:
            if host == key and (looked_up or allowed_port in (None, port)):
                if not looked_up:
                    _once(self.opened, _shown(name, port))
                return
        if looked_up and _is_address(key):
            return  # nothing is asked of a name server; the connection itself is checked
        shown = _shown(name, port)
        _once(self.refused, shown)
        raise RefusedConnection(
            f"refused to connect to {shown}: during an attempt an agent may call nothing but the lab. "
            f"Call the lab's tools instead, or allow this host with --allow-host {name}"
        )

    def _learn(self, name: object, addresses: Iterable[str]) -> None:
        """An allowed name stands for the addresses it was looked up to."""
        if isinstance(name, str):
            key = name.lower().rstrip(".")
            ports = [port for host, port in self._allowed if host == key]
            self._allowed = self._allowed | {(address, port) for address in addresses for port in ports}

    def _end(self, how: str) -> None:
        """Refused in the lab's process; a child that the agent forked may end as it likes."""
        if os.getpid() == self._process:
            self.ended = self.ended or (
                f"the agent called {how}, which would have ended faultlab itself: an agent shares its process with the "
                "lab. Return a claim or raise instead, or run it as a program of its own (cmd:...)"
            )
            # As `sys.exit` does: past `except Exception`, and without a word in a thread.
            raise SystemExit(self.ended)


def _once(found: list[str], text: str) -> None:
    if text not in found:
        found.append(text)


def _text(name: object) -> str:
    return name.decode("ascii", "replace") if isinstance(name, bytes | bytearray) else str(name)


def _on_connect(report: Report, args: tuple[Any, ...]) -> None:
    sock, address = args
    if sock.family in (socket.AF_INET, socket.AF_INET6) and isinstance(address, tuple):
        report._check(_text(address[0]), address[1], looked_up=False)


def _on_lookup(report: Report, args: tuple[Any, ...]) -> None:
    if args[0] is not None:
        report._check(_text(args[0]), args[1] if len(args) > 1 else None, looked_up=True)


def _on_thread(report: Report, args: tuple[Any, ...]) -> None:
    if threading.get_ident() == report._thread:
        owner = getattr(args[0], "__self__", None)
        _once(report.threads, owner.name if isinstance(owner, threading.Thread) else str(args[0]))


def _on_real_io(report: Report, args: tuple[Any, ...]) -> None:
    _once(report.real_io, args[0])


def _on_exec(report: Report, args: tuple[Any, ...]) -> None:
    report._end(f"os.exec...({_text(args[0])!r})")


_HANDLERS: dict[str, Callable[[Report, tuple[Any, ...]], None]] = {
    "socket.connect": _on_connect,
    "socket.sendto": _on_connect,
    "socket.sendmsg": _on_connect,
    "socket.getaddrinfo": _on_lookup,
    "socket.gethostbyname": _on_lookup,
    "_thread.start_new_thread": _on_thread,
    "_thread.start_joinable_thread": _on_thread,  # threading.Thread from Python 3.13 on
    "os.exec": _on_exec,
    REAL_IO: _on_real_io,
}
_thread_start = threading.Thread.start


def _start_with_event(self: threading.Thread) -> None:
    """`Thread.start` of Python 3.11, which has no audit event of its own."""
    sys.audit("_thread.start_new_thread", self.run, (), {})
    _thread_start(self)


_active: Report | None = None
_installed = False


def _hook(event: str, args: tuple[Any, ...]) -> None:
    report = _active
    if report is None:
        return
    handler = _HANDLERS.get(event)
    if handler is not None:
        handler(report, args)


class attempt:
    """Guard the whole process while the body runs, threads included; gives the Report.

    `allow_hosts` are HOST or HOST:PORT; a wrong one is a ValueError. The lab's own threads must open
    no connection meanwhile. The audit hook is installed once per process and cannot be removed, so
    outside an attempt it does one comparison per audit event.
    """

    __slots__ = ("_exit", "_lookups", "_outer", "_report")

    def __init__(self, allow_hosts: Iterable[str] = ()) -> None:
        self._report = Report(allow_hosts)
        self._lookups: tuple[Any, Any] | None = None

    def __enter__(self) -> Report:
        global _active, _installed
        if not _installed:
            sys.addaudithook(_hook)
            _installed = True
        if self._report._allowed:
            self._follow_lookups()
        if sys.version_info < (3, 12):
            threading.Thread.start = _start_with_event  # type: ignore[method-assign]
        self._refuse_exit()
        self._outer = _active
        _active = self._report
        return self._report

    def _refuse_exit(self) -> None:
        """`os._exit` has no audit event."""
        real, report = os._exit, self._report
        self._exit = real

        def refused_exit(status: int) -> NoReturn:
            report._end(f"os._exit({status!r})")
            real(status)

        os._exit = refused_exit

    def _follow_lookups(self) -> None:
        """Wrap the two public look-ups: an audit event has the name asked for, not the addresses found."""
        getaddrinfo, gethostbyname = self._lookups = (socket.getaddrinfo, socket.gethostbyname)
        report = self._report

        def followed_getaddrinfo(host: Any, *args: Any, **kwargs: Any) -> Any:
            found = getaddrinfo(host, *args, **kwargs)
            report._learn(host, [str(entry[4][0]) for entry in found])
            return found

        def followed_gethostbyname(hostname: str) -> str:
            found = gethostbyname(hostname)
            report._learn(hostname, [found])
            return found

        socket.getaddrinfo, socket.gethostbyname = followed_getaddrinfo, followed_gethostbyname

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        global _active
        _active = self._outer
        os._exit = self._exit
        if sys.version_info < (3, 12) and _active is None:
            threading.Thread.start = _thread_start  # type: ignore[method-assign]
        if self._lookups is not None:
            socket.getaddrinfo, socket.gethostbyname = self._lookups
