"""The release of this tool, for `requires: {opwright: ...}` and for reports; the package's metadata are made from it."""

VERSION = "0.1.0"
