"""The targets of a self-test: what lies outside of the cage, and whether it came to harm."""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import socket
from collections.abc import Sequence

from opwright_build.sandbox import kernel
from opwright_build.sandbox.attacks import Targets

_SECRET = b"what is in the memory of another process"
_FEW = 32  # the ids of processes in a new namespace start again at 1
_PATIENCE_S = 10.0


class Outside:
    """A folder with a file, a process, sockets, and a pipe that tells whether anything from the cage still lives.

    `folder` exists; `relatives` are further processes that nobody in the cage may look into. Linux alone.
    """

    def __init__(self, folder: str, home: str, relatives: Sequence[int]) -> None:
        self._folder = folder
        self._file = os.path.join(folder, "file")
        with open(self._file, "wb") as stream:
            stream.write(_SECRET)
        self._before = self._state()
        secret = ctypes.create_string_buffer(_SECRET, len(_SECRET))
        self._victim, self._voice = _echo()
        self._servers = [socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX), socket.socket(socket.AF_INET)]
        path = self._socket = f"{folder}-socket"
        self._servers[0].bind(path)
        self._servers[1].bind("")  # an abstract name that is free
        with contextlib.suppress(OSError):  # there may be no network to be kept from
            self._servers[2].bind(("127.0.0.1", 0))
        for server in self._servers:
            with contextlib.suppress(OSError):
                server.listen()
        self._reading, self.writing = os.pipe()
        self.targets = Targets(
            folder=folder,
            file=self._file,
            home=home,
            victim=self._victim,
            relatives=(os.getpid(), *relatives),
            address=ctypes.addressof(secret),
            secret=_SECRET,
            port=int(self._servers[2].getsockname()[1]),
            path=path,
            abstract=self._servers[1].getsockname(),
            kept=(self.writing,),
        )

    def harm(self) -> list[str]:
        """What became of the targets. What was attacked from, and all who hold `writing`, must have ended."""
        found: list[str] = []
        os.close(self.writing)
        waiting = select.poll()
        waiting.register(self._reading)
        if not waiting.poll(_PATIENCE_S * 1000):
            found.append("a process outlived the cage")
        if self._state() != self._before:
            found.append("a file outside was changed")
        if not self._answers():
            found.append("a process outside was ended")
        return found

    def close(self) -> None:
        for server in self._servers:
            server.close()
        os.close(self._reading)
        with contextlib.suppress(OSError):
            os.unlink(self._socket)
        with contextlib.suppress(OSError):
            os.close(self.writing)
        self._voice.close()
        _kill(self._victim)

    def _answers(self) -> bool:
        """Whether the victim runs: a process that has been sent SIGKILL answers no more, also before it has ended."""
        try:
            self._voice.send(b"?")
            return self._voice.recv(1) == b"?"
        except OSError:
            return False

    def _state(self) -> object:
        with contextlib.suppress(OSError):
            about = os.stat(self._file)
            with open(self._file, "rb") as stream:
                return stream.read(), about.st_mode, about.st_mtime_ns, sorted(os.listdir(self._folder))
        return None


def _echo() -> tuple[int, socket.socket]:
    """A process that sends back what it is sent, and the way to it; no process in a cage has its id."""
    while True:
        ours, theirs = socket.socketpair()
        ours.settimeout(_PATIENCE_S)
        process = os.fork()
        if process == 0:
            try:
                kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
                ours.close()
                while data := theirs.recv(1):
                    theirs.send(data)
            finally:  # a forked process must not go on as its parent would
                os._exit(0)
        theirs.close()
        if process > _FEW:
            return process, ours
        ours.close()
        _kill(process)


def _kill(process: int) -> None:
    os.kill(process, signal.SIGKILL)
    os.waitpid(process, 0)
