"""Lets `python -m forgetest` be the same program as `forgetest`."""

from forgetest.cli.main import main

if __name__ == "__main__":
    main()
