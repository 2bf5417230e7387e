"""What a process holds besides its own memory: open descriptors, and the capabilities of root."""

from __future__ import annotations

import os
import struct
from collections.abc import Collection

from opwright_build.sandbox import kernel

_CAPABILITIES_VERSION = 0x20080522
_LAST = (1 << 32) - 1
_FEW = 1 << 16


def close_descriptors(kept: Collection[int]) -> None:
    """Closes all descriptors from 3 on but these."""
    start = 3
    for descriptor in sorted(item for item in kept if item >= 3):
        _close(start, descriptor - 1)
        start = descriptor + 1
    _close(start, _LAST)


def _close(first: int, last: int) -> None:
    if first > last:
        return
    try:
        kernel.call("close_range", first, last, 0)
    except OSError:  # an older kernel; how many there may be is no measure of how many there are
        os.closerange(first, min(last, _FEW) + 1)


def drop_capabilities() -> None:
    """Gives up what root may do, and what a user may do in a user namespace of its own."""
    header = struct.pack("<Ii", _CAPABILITIES_VERSION, 0)
    kernel.call("capset", header, bytes(24))
