"""How many calls one fsync of a durable server serves, by connections, counted by strace, which slows it down.

python tests/benchmarks/wire_fsync.py
"""

import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import wire

SECONDS = 3


def fsyncs(report: str) -> int:
    """The sum of the column `calls` of `strace -c`."""
    return sum(int(line.split()[3]) for line in report.splitlines() if line.rstrip().endswith("sync"))


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report"
        subject = wire.faultlab("faultlab-store", "--store", f"{folder}/served.db")
        try:
            for connections in (1, 16, 64):
                wire.CONNECTIONS = connections
                command = ["strace", "-c", "-f", "-e", "trace=fsync,fdatasync", "-o", str(report)]
                tracer = subprocess.Popen([*command, "-p", str(subject.process.pid)], stderr=subprocess.DEVNULL)
                time.sleep(0.7)
                told = wire.load(subject, SECONDS, f"c{connections}")
                tracer.send_signal(signal.SIGINT)
                tracer.wait(20)
                count, calls = fsyncs(report.read_text(encoding="utf-8")), told.rate * SECONDS
                print(
                    f"{connections:3} connections: {calls:7.0f} calls, {count:5} fsyncs, {calls / count:5.1f} a fsync"
                )
        finally:
            subject.process.terminate()
            subject.process.wait(60)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
