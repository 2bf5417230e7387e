"""The child's side of `isolation`: tasks in on standard input, a line of JSON out for each.

Run by its path in an isolated interpreter without `site`, never imported. The first message says where to import from.
"""

from __future__ import annotations

import importlib.util
import json
import os
import pickle
import struct
import sys
import traceback
from collections.abc import Mapping
from typing import Any, BinaryIO

MEMORY = 4 << 30  # bytes of address space: a mutated loop that collects for ever fails instead of filling the machine


def main() -> None:
    """Serves until standard input ends. Our own errors are answers too: they are bugs to report, not to survive."""
    answers = os.fdopen(os.dup(1), "wb")
    # Native code writes to standard output as it likes; the answers have a descriptor of their own.
    os.dup2(2, 1)
    _limit_memory()
    try:
        _set_up(json.loads(_read(sys.stdin.buffer)))
        while message := _read(sys.stdin.buffer):
            for task in pickle.loads(message):
                _answer(answers, {"result": task.run()})
    except Exception:  # sent to the parent, which raises it there and ends this process
        _answer(answers, {"error": traceback.format_exc()})


def _answer(answers: BinaryIO, answer: Mapping[str, Any]) -> None:
    answers.write(json.dumps(answer).encode() + b"\n")
    answers.flush()


def _set_up(told: Mapping[str, Any]) -> None:
    """Imports come from where they came from in the parent; our own packages from their folders."""
    sys.path[:] = told["path"]
    for name, folder in told["packages"].items():
        location = os.path.join(folder, "__init__.py")
        spec = importlib.util.spec_from_file_location(name, location, submodule_search_locations=[folder])
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])


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
