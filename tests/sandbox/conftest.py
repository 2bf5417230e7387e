"""A fork server with changes made to it, and the cages one by one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import opwright_build
import pytest
from opwright_build.sandbox.client import Sandbox
from opwright_build.sandbox.levels import CAGES, Cage

SCRIPT = """
import json, os, socket, sys
from functools import partial
sys.path.insert(0, {packages!r})
from opwright_build.sandbox import attacks, cage, fork_server, kernel, landlock, namespaces, privileges, seccomp
told = json.loads(sys.argv[1])

def refuse(**calls):
    # System calls, by name and number, fail from now on; by the functions they go through where no filter may be.
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    code = [(0x20, 0, 0, 0)]
    for number in calls.values():
        code += [(0x15, 0, 1, number), (0x06, 0, 0, 0x00050001)]
    try:
        seccomp.load([*code, (0x06, 0, 0, 0x7FFF0000)])
    except OSError:
        kernel.call = partial(checked, kernel.call, calls)
        kernel.libc = partial(checked, kernel.libc, calls)

def checked(function, refused, name, *arguments):
    if name in refused:
        raise OSError(1, name + ": Operation not permitted")
    return function(name, *arguments)

def nothing(*arguments):
    pass

def serve(requests, replies):
    while data := os.read(requests, 100):
        os.write(replies, data[::-1])

def check():
    pass

{change}
work = fork_server.Work(lambda: [entry for entry in sys.path if "python" in entry], check, serve)
rooms = fork_server.Rooms(**told["rooms"])
fork_server.run(socket.socket(fileno=told["control"]), told["cages"], rooms, work, told)
"""
Start = Callable[..., Sandbox]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Starts a sandbox with these cages, after a change to its process."""
    assert sys.platform == "linux"
    with ExitStack() as stack:

        def started(change: str = "", cages: tuple[Cage, ...] = CAGES) -> Sandbox:
            script = tmp_path / "script.py"
            packages = str(Path(opwright_build.__path__[0]).parent)
            script.write_text(SCRIPT.format(packages=packages, change=change))
            sandbox = Sandbox(str(script), cages, {})
            stack.callback(sandbox.close)
            return sandbox

        yield started
