"""Where the command line begins. It loads the rest late, so that Ctrl-C is answered from the first moment on."""

import sys

INTERRUPTED = 130


def main() -> None:
    """Entry point of the script `faultlab`."""
    # Output in a pipe must not break on the glyphs of the matrix where the locale says ASCII.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        from faultlab.cli.commands import app

        app(prog_name="faultlab")
    except KeyboardInterrupt:
        _interrupted()
    except SystemExit as end:  # Ctrl-C before a command begins: typer ends without a word
        if isinstance(getattr(end.__context__, "__cause__", None), KeyboardInterrupt):
            _interrupted()
        raise


def _interrupted() -> None:
    sys.stderr.write("faultlab: interrupted\n")
    sys.exit(INTERRUPTED)
