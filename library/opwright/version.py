"""The release of this tool, for `requires: {opwright: ...}` and for reports; the package's metadata take it from here."""

VERSION = "0.1.0"
