"""`python -m faultlab` is the command `faultlab`."""

from faultlab.cli.main import main

if __name__ == "__main__":
    main()
