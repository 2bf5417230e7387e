"""The exit statuses of every command."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    GOOD = 0
    FINDINGS = 1
    USAGE = 2
    INFRASTRUCTURE = 3
    OUR_BUG = 4
    INTERRUPTED = 130
    BROKEN_PIPE = 141
    TERMINATED = 143
