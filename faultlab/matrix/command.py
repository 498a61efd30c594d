"""An agent that is a program in any language: one process for each life of an attempt, over a real socket."""

import json
import os
import shlex
import shutil
import signal
import subprocess
from dataclasses import dataclass
from threading import Thread
from typing import IO, Any

from faultlab.core.agent import Task
from faultlab.core.clock import RealClock
from faultlab.core.errors import BadInput
from faultlab.core.records import Claim, Note
from faultlab.matrix.claims import claim_from
from faultlab.matrix.door import AgentDoor, task_as_json
from faultlab.matrix.env import LabEnv, session_of

COMMAND = "cmd:"
LOOK_S = 0.02
"""How often the process is looked at."""
ENDING_S = 1.0
"""How long a process has to end after SIGTERM before it is killed."""
KEPT = 64 << 10
"""So many bytes at the end of what it prints are kept."""


class ProgramFailed(Exception):
    """The program ended with an exit code other than 0, or its claim cannot be read."""


@dataclass(frozen=True, slots=True)
class Command:
    """`cmd:node my_agent.mjs`. It finds FAULTLAB_URL, FAULTLAB_TASK and the others of docs/agents.md in its
    environment; its claim is what it posts to /claim, else the last line of JSON that it prints."""

    argv: tuple[str, ...]

    @staticmethod
    def of(text: str) -> "Command":
        """Raises BadInput for a command that cannot be split, or a program that is not there."""
        try:
            argv = tuple(shlex.split(text))
        except ValueError as error:
            raise BadInput(f"cmd:{text} cannot be read as a command: {error}") from None
        if not argv:
            raise BadInput("cmd: names no program; write cmd:node my_agent.mjs")
        if shutil.which(argv[0]) is None:
            raise BadInput(f"cmd:{text}: there is no program {argv[0]!r} here; check the name, or give its path")
        return Command(argv)

    def __call__(self, task: Task, env: LabEnv) -> Claim:
        """One life. Raises ProgramFailed, and Crash where the plan lets the process die."""
        from faultlab.transports.wire.listener import InThread
        from faultlab.transports.wire.own_port import OwnPort

        session = session_of(env)
        session.latency_ns = 0
        door = AgentDoor(session, task, env.ask_user)
        folder = env.folder()
        try:
            with InThread(OwnPort.of(door)) as port:
                said = _Process(self.argv, _environment(task, env, port.url, folder.name))
                try:
                    code = said.wait(session)
                finally:
                    said.end()
        finally:
            if session.crash is None:
                folder.cleanup()
        if said.stderr:
            session.events.append(Note(session.clock.now(), "notes", "stderr", said.stderr))
        session.alive()
        return _claim(door.claim, said, code, env)


def _environment(task: Task, env: LabEnv, url: str, folder: str) -> dict[str, str]:
    clock = session_of(env).clock
    scale = 1 / clock.speed if isinstance(clock, RealClock) else 1.0
    return {
        **os.environ,
        "FAULTLAB_URL": url,
        "FAULTLAB_TASK": json.dumps(task_as_json(task)),
        "FAULTLAB_RESUMED": "1" if env.resumed else "",
        "FAULTLAB_STORE": folder,
        "FAULTLAB_TIME_SCALE": f"{scale:g}",
        "FAULTLAB_DEADLINE_S": f"{task.budget.seconds * scale:g}",
    }


def _claim(posted: Claim | None, said: "_Process", code: int, env: LabEnv) -> Claim:
    if posted is not None:
        return _filled(posted, env)
    if code != 0:
        last = said.stderr.strip().splitlines()[-1:] or ["it printed nothing on standard error"]
        raise ProgramFailed(f"{said.name} ended with exit code {code}: {last[0]}")
    for line in reversed(said.stdout.splitlines()):
        try:
            data = json.loads(line)
        except ValueError:
            continue
        if isinstance(data, dict) and "status" in data:
            try:
                return _filled(claim_from(data), env)
            except BadInput as error:
                raise ProgramFailed(f"{said.name}: {error}") from None
    return Claim.done()


def _filled(claim: Claim, env: LabEnv) -> Claim:
    """A hand-over without records gets those that the wire shows, as `env.hand_over` does."""
    if not claim.hands_over or claim.hand_over:
        return claim
    made = env.hand_over(claim.text)
    return claim._replace(hand_over=made.hand_over, evidence=claim.evidence or made.evidence)


class _Process:
    """The running program and what it says. It leads a process group of its own, so that its children end with it."""

    def __init__(self, argv: tuple[str, ...], environment: dict[str, str]) -> None:
        self.name = argv[0]
        self._texts = {"stdout": b"", "stderr": b""}
        self._process = subprocess.Popen(  # noqa: S603 - the user named this program
            argv,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self._readers = [
            Thread(target=self._read, args=(name, stream), daemon=True)
            for name, stream in (("stdout", self._process.stdout), ("stderr", self._process.stderr))
            if stream is not None
        ]
        for reader in self._readers:
            reader.start()

    def _read(self, name: str, stream: IO[bytes]) -> None:
        """Keeps the end of it: a program that prints for ever must not fill the memory."""
        while chunk := stream.read1(8192) if hasattr(stream, "read1") else stream.read(8192):
            self._texts[name] = (self._texts[name] + chunk)[-KEPT:]

    @property
    def stdout(self) -> str:
        return self._texts["stdout"].decode(errors="replace")

    @property
    def stderr(self) -> str:
        return self._texts["stderr"].decode(errors="replace")

    def wait(self, session: Any) -> int:
        """Its exit code, once it has ended; sooner where the plan lets it die."""
        while True:
            try:
                return self._process.wait(LOOK_S)
            except subprocess.TimeoutExpired:
                if session.crash is not None:
                    return -signal.SIGKILL

    def end(self) -> None:
        """The process and all its children are gone afterwards."""
        self._signal(signal.SIGTERM if self._process.poll() is None else signal.SIGKILL)
        try:
            self._process.wait(ENDING_S)
        except subprocess.TimeoutExpired:
            self._signal(signal.SIGKILL)
            self._process.wait()
        self._signal(signal.SIGKILL)
        for reader in self._readers:
            reader.join()
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()

    def _signal(self, number: signal.Signals) -> None:
        try:
            os.killpg(self._process.pid, number)
        except ProcessLookupError:
            return
