"""The child's side of `worker_process`: messages in on standard input, lines of JSON out.

Without another server the messages are tasks of `isolation`, with a line for each, and one before all others that says
that the process has started. When standard input ends, so does the process, whatever it is doing: its user is gone.

Run by its path in an isolated interpreter without `site`, never imported. The first message says where to import from,
and which cage to enter before. With an argument it is no worker: it tries whether that cage holds, as a fork server.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import queue
import signal
import struct
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any, BinaryIO

MEMORY = 4 << 30  # bytes of address space: a mutated loop that collects for ever fails instead of filling the machine


def main() -> None:
    """Serves until the process is ended. Our own errors are answers too: they are bugs to report, not to survive."""
    answers = os.fdopen(os.dup(1), "wb")
    # Native code writes to standard output as it likes; the answers have a descriptor of their own.
    os.dup2(2, 1)
    _limit_memory()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes of a terminal; our user ends us
    try:
        told = json.loads(_read(sys.stdin.buffer))
        _set_up(told)
        if told["cage"]:
            _enter(told["cage"], told["readable"])
        messages: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        threading.Thread(target=_listen, args=(messages,), daemon=True).start()
        _server(told["serve"])(messages.get, answers)
    except Exception:  # sent to the parent, which raises it there and ends this process
        _answer(answers, {"error": traceback.format_exc()})


def _listen(messages: queue.SimpleQueue[bytes]) -> None:
    while message := _read(sys.stdin.buffer):
        messages.put(message)
    os._exit(0)


def _server(name: str) -> Callable[[Callable[[], bytes], BinaryIO], None]:
    """What answers messages: a function of the name `module:function`."""
    if not name:
        return _run_tasks
    module, _, function = name.partition(":")
    found: Callable[[Callable[[], bytes], BinaryIO], None] = getattr(importlib.import_module(module), function)
    return found


def _run_tasks(receive: Callable[[], bytes], answers: BinaryIO) -> None:
    from opwright_build.verify.run.task_messages import Receiver

    receiver = Receiver()
    tasks = receiver.tasks(receive())  # which imports what they are of
    _answer(answers, {"ready": True})
    while True:
        for task in tasks:
            begun = time.perf_counter()
            result = task.run()
            _answer(answers, {"result": result, "seconds": time.perf_counter() - begun})
        tasks = receiver.tasks(receive())


def _answer(answers: BinaryIO, answer: Mapping[str, Any]) -> None:
    answers.write(json.dumps(answer).encode() + b"\n")
    answers.flush()


def _set_up(told: Mapping[str, Any]) -> None:
    """Imports come from where they came from in the parent; our own packages from their folders."""
    sys.path[:] = told["path"]
    _import_packages(told["packages"])


def _import_packages(packages: Mapping[str, str]) -> None:
    for name, folder in packages.items():
        location = os.path.join(folder, "__init__.py")
        spec = importlib.util.spec_from_file_location(name, location, submodule_search_locations=[folder])
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])


def _enter(cage: str, readable: Sequence[str]) -> None:
    """From here on, and in all threads to come, nothing but these paths and the current folder. Numpy and the runtimes
    are not imported yet: they start threads."""
    from opwright_build.sandbox.cage import put_on
    from opwright_build.sandbox.levels import CAGES

    put_on(next(item for item in CAGES if item.name == cage), readable, os.getcwd())


def _try(told: Mapping[str, Any]) -> None:
    """Serves nobody: all that is asked is which cage holds, for a process that reads what a worker reads."""
    import socket

    _import_packages(told["packages"])
    from opwright_build.sandbox import fork_server

    def check() -> None:
        for path in told["needed"]:
            with open(path, "rb"):
                pass

    work = fork_server.Work(lambda: told["readable"], check, lambda requests, replies: None)
    rooms = fork_server.Rooms(**told["rooms"])
    fork_server.run(socket.socket(fileno=told["control"]), told["cages"], rooms, work, told)


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
    if len(sys.argv) > 1:
        _try(json.loads(sys.argv[1]))
    else:
        main()
