"""A sandbox as its user has it: starts the fork server's process, asks it for children, and ends it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

from opwright_build.sandbox.child_processes import forget_child, register_child
from opwright_build.sandbox.levels import Cage, Claim

LARGEST = 1 << 16  # bytes of a message
_START_SECONDS = 120.0  # for all cages and their self-tests, on a busy machine


class NoSandbox(Exception):
    """The process that is to make one does not start."""


class Sandbox:
    """One cage with at most one child in it at a time. Linux alone.

    `script` is run by an isolated interpreter without `site`, in an empty environment and a folder of its own; its only
    argument is JSON: `told`, and what `fork_server.run` needs.
    """

    def __init__(self, script: str, cages: Sequence[Cage], told: Mapping[str, Any]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="opwright-sandbox-", ignore_cleanup_errors=True)
        rooms = {name: os.path.join(self._folder.name, name) for name in ("scratch", "root", "outside")}
        for room in rooms.values():
            os.mkdir(room, 0o700)
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        home = os.path.expanduser("~")
        settings = {**told, "control": theirs.fileno(), "cages": [cage.name for cage in cages], "rooms": rooms}
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-B", script, json.dumps({**settings, "home": home, "pid": os.getpid()})],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=self._folder.name,
                env={},
                pass_fds=[theirs.fileno()],
                start_new_session=True,  # so that Ctrl-C ends it by us alone, and all of it together
            )
        register_child(self._process.pid, self._folder.name, group=True)
        self._is_lost = False
        self._control.settimeout(_START_SECONDS)
        claimed = self._receive()
        if claimed is None or claimed["cage"] is None:
            self.close()
            raise NoSandbox("" if claimed is None else str(claimed["declined"]))
        self._control.settimeout(None)
        declined = tuple((str(name), str(why)) for name, why in claimed["declined"])
        cage = next(cage for cage in cages if cage.name == claimed["cage"])
        self.claim = Claim(cage, declined)

    @property
    def is_alive(self) -> bool:
        """Whether the fork server answers still."""
        return not self._is_lost and self._process.poll() is None

    def start(self) -> tuple[int, int]:
        """Descriptors: where to write what a new child reads, and to read what it writes."""
        reading, requests = os.pipe()
        replies, writing = os.pipe()
        try:
            socket.send_fds(self._control, [b"{}"], [reading, writing])
        finally:
            os.close(reading)
            os.close(writing)
        return requests, replies

    def end(self, grace: float = 0.0) -> int | None:
        """How the child ended, as Popen tells it: of itself within the seconds of `grace`, or now. None where the fork
        server itself is gone."""
        try:
            self._control.send(json.dumps({"grace": grace}).encode())
        except OSError:
            self._is_lost = True
            return None
        told = self._receive()
        self._is_lost = told is None
        return None if told is None else int(told["code"])

    def close(self) -> None:
        """Ends all of it, whatever it is doing, and removes its folder."""
        with contextlib.suppress(OSError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        forget_child(self._process.pid)
        self._control.close()
        self._folder.cleanup()

    def _receive(self) -> Any:
        try:
            data = self._control.recv(LARGEST)
        except OSError:
            return None
        return json.loads(data) if data else None
