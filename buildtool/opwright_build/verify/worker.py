"""The child's side of `isolation`: tasks in on standard input, a line of JSON out for each."""

from __future__ import annotations

import json
import os
import pickle
import struct
import sys
import traceback
from typing import BinaryIO

MEMORY = 4 << 30  # bytes of address space: a mutated loop that collects for ever fails instead of filling the machine


def main() -> None:
    """Serves until standard input ends. Our own errors are answers too: they are bugs to report, not to survive."""
    answers = os.fdopen(os.dup(1), "wb")
    # Native code writes to standard output as it likes; the answers have a descriptor of their own.
    os.dup2(2, 1)
    _limit_memory()
    while tasks := _read(sys.stdin.buffer):
        for task in pickle.loads(tasks):
            try:
                answer = {"result": task.run()}
            except Exception:  # sent to the parent, which raises it there
                answer = {"error": traceback.format_exc()}
            answers.write(json.dumps(answer).encode() + b"\n")
            answers.flush()


def _read(stream: BinaryIO) -> bytes:
    prefix = stream.read(8)
    if len(prefix) < 8:
        return b""
    (length,) = struct.unpack("<Q", prefix)
    return stream.read(length)


def _limit_memory() -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


if __name__ == "__main__":
    main()
