"""The base library in an empty folder, and the command line in process."""

from tests.cli.conftest import library, opwright

__all__ = ["library", "opwright"]
