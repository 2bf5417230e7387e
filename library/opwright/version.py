"""The release of this tool, for `requires: {opwright: ...}`, for reports and for the metadata of its package."""

VERSION = "0.1.0"
