"""Where `faultlab serve` is told to listen."""

import pytest
from cli.conftest import Cli


@pytest.mark.parametrize(
    ("host", "said"),
    [
        ("192.0.2.1", "192.0.2.1 is not an address of this machine; name one of its own: 127.0.0.1"),
        ("2001:db8::1", "2001:db8::1 is not an address of this machine"),
        ("no host", "'no host' has no address"),
    ],
)
def test_a_host_that_is_not_this_machine_is_said_to_be_none(cli: Cli, host: str, said: str) -> None:
    """Another port, which used to be asked for, would not help."""
    done = cli("serve", "--port", "0", "--admin-port", "0", "--token", "x", "--host", host, env={"COLUMNS": "200"})
    assert done.returncode == 2 and not done.stdout
    assert said in " ".join(done.stderr.split()) and "port" not in done.stderr
