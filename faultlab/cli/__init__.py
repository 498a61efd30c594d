"""The command `faultlab`: one file a command, each thin over `faultlab.app`, which is loaded inside commands."""
