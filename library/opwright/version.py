"""The release of this tool, for `requires: {opwright: ...}` and for reports; the one in pyproject.toml equals it (test)."""

VERSION = "0.1.0"
