"""The process that tries the cages, and then forks a child into the one that held, one after the other. Linux alone.

Three processes, or four: this one stays outside with the targets of the self-test; for each cage that it tries it forks
an *attempt*, which enters the namespaces; the attempt, or the first process in its pid namespace, is the *server*,
which forks the children. Only these are in the cage, and only these run foreign code. When the server ends, all that is
in its pid namespace ends with it; where it has none, the filter lets nothing in the cage start a process.

The other side is `client`. The first message on the socket goes there: which cage is claimed, and why none of those
before. Then it asks for a child, by sending the two descriptors of its pipes, and for its end, in turns.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from opwright_build.sandbox import kernel, namespaces
from opwright_build.sandbox.attack_targets import Outside
from opwright_build.sandbox.attacks import attack
from opwright_build.sandbox.cage import put_on
from opwright_build.sandbox.levels import CAGES, Cage
from opwright_build.sandbox.privileges import close_descriptors

LARGEST = 1 << 16  # bytes of a message
_ATTACKS_SECONDS = 20
_SCRATCH_BYTES = 1 << 28  # of files in the memory of the machine


@dataclass(frozen=True, slots=True)
class Rooms:
    """Three folders that exist and are empty: one whose folders cages may write to where they have no file system of
    their own, where such a one is put together, and what attacks are aimed at."""

    scratch: str
    root: str
    outside: str


@dataclass(frozen=True, slots=True)
class Work:
    """What is done in a cage: `prepare` once and outside, giving the paths that may be read; `check` raises where
    honest code does not work; `serve` is given the descriptors of its pipes, and returns when it is done."""

    prepare: Callable[[], Sequence[str]]
    check: Callable[[], None]
    serve: Callable[[int, int], None]


class _Refused(Exception):
    """The cage is not to be had here, or does not hold; says why."""


def run(control: socket.socket, cages: Sequence[str], rooms: Rooms, work: Work, told: Mapping[str, Any]) -> None:
    """Claims the first of the cages, by their names, that holds, and serves it until the other end is closed.

    `told` has the caller's `home` folder and process id, `pid`.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    declined: list[tuple[str, str]] = []
    for cage in CAGES:
        if cage.name not in cages:
            continue
        why = _attempt(control, cage, rooms, work, told, declined)
        if why is None:
            return
        declined.append((cage.name, why))
    _send(control, {"cage": None, "declined": declined})


def _attempt(
    control: socket.socket,
    cage: Cage,
    rooms: Rooms,
    work: Work,
    told: Mapping[str, Any],
    declined: Sequence[tuple[str, str]],
) -> str | None:
    """Why the cage is not claimed; None when it was, and has been served to its end."""
    try:
        outside = Outside(rooms.outside, told["home"], [told["pid"], os.getppid()]) if cage.level else None
    except OSError as error:
        return f"it cannot be tested: {error}"
    # A folder for each attempt: one that failed may have left children's folders behind.
    rooms = replace(rooms, scratch=os.path.join(rooms.scratch, str(len(declined))))
    os.mkdir(rooms.scratch)
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    attempt = os.fork()
    if attempt == 0:
        with _ending():
            ours.close()
            kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
            _Server(control, theirs, cage, rooms, work, declined, outside).run()
    theirs.close()
    try:
        why = _judged(ours, outside)
    finally:
        if outside is not None:
            outside.close()
    if why is None:
        _send(ours, {})
        control.close()
    else:
        os.kill(attempt, signal.SIGKILL)
    ours.close()
    os.waitpid(attempt, 0)
    _empty(rooms.outside)
    return why


def _judged(attempt: socket.socket, outside: Outside | None) -> str | None:
    """What speaks against an attempt: what it says itself, and what became of the targets."""
    told = _receive(attempt)
    if told is None:
        return "the process that entered it died"
    if told["why"]:
        return str(told["why"])
    harm = [] if outside is None else outside.harm()
    return "; ".join(harm) or None


class _Server:
    """Forks children into one cage, and ends them."""

    def __init__(
        self,
        control: socket.socket,
        judge: socket.socket,
        cage: Cage,
        rooms: Rooms,
        work: Work,
        declined: Sequence[tuple[str, str]],
        outside: Outside | None,
    ) -> None:
        self._control = control
        self._judge = judge
        self._cage = cage
        self._rooms = rooms
        self._work = work
        self._declined = declined
        self._outside = outside
        self._readable: Sequence[str] = ()
        self._scratch = rooms.scratch
        self._count = 0

    def run(self) -> None:
        """Runs in the attempt: enters the namespaces, and serves there, in a process of its own."""
        try:
            if self._cage.namespaces:
                namespaces.enter()
                first = os.fork()
                if first:
                    self._control.close()
                    self._judge.close()
                    if self._outside is not None:
                        os.close(self._outside.writing)
                    os.waitpid(first, 0)
                    return
                kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
            self._readable = [path for path in self._work.prepare() if os.path.exists(path)]
            if self._cage.namespaces:
                namespaces.confine(self._readable, self._rooms.root, _SCRATCH_BYTES)
                self._scratch = namespaces.SCRATCH
            self._test()
        except (OSError, _Refused) as error:
            _send(self._judge, {"why": str(error)})
            return
        _send(self._judge, {"why": ""})
        if _receive(self._judge) is None:
            return
        self._judge.close()
        _send(self._control, {"cage": self._cage.name, "declined": self._declined})
        self._serve()

    def _test(self) -> None:
        """Attacks from inside. Raises _Refused for what got through, and where honest code does not work."""
        if self._outside is None:
            return
        reading, writing = os.pipe()
        targets = self._outside.targets
        child = self._fork(partial(self._attack, writing), [writing, targets.kept[0]], writing)
        os.close(writing)
        os.close(targets.kept[0])
        try:
            answer = _read_all(reading)
        finally:
            os.close(reading)
            code = self._end(child, 0.0)
        if not answer:
            raise _Refused(f"the self-test ended with {code}")
        told = json.loads(answer)
        through = [f"{name}: {', '.join(got)}" for name, got in told["attacks"].items() if got]
        if through or told["honest"]:
            raise _Refused("; ".join([*through, *([told["honest"]] if told["honest"] else [])]))

    def _attack(self, answers: int) -> None:
        assert self._outside is not None
        honest = ""
        try:
            self._work.check()
        except Exception as error:  # whatever keeps numpy from working keeps this cage from being used
            honest = f"in it {type(error).__name__}: {error}"
        targets = self._outside.targets
        seen = attack(replace(targets, kept=(*targets.kept, answers)))
        _write_all(answers, json.dumps({"attacks": seen, "honest": honest}).encode() + b"\n")

    def _serve(self) -> None:
        child = 0
        while True:
            message, descriptors, _, _ = socket.recv_fds(self._control, LARGEST, 2)
            if child:
                code = self._end(child, json.loads(message)["grace"] if message else 0.0)
                child = 0
                if message:
                    _send(self._control, {"code": code})
            elif message:
                child = self._fork(partial(self._work.serve, *descriptors), descriptors)
                for descriptor in descriptors:
                    os.close(descriptor)
            if not message:
                return

    def _fork(self, act: Callable[[], None], kept: Sequence[int], tell: int | None = None) -> int:
        """The id of a new child that acts in the cage, in a folder of its own, with these descriptors alone.

        What keeps it from entering is written to the descriptor `tell`; it ends then.
        """
        self._count += 1
        scratch = os.path.join(self._scratch, str(self._count))
        os.mkdir(scratch)
        child = os.fork()
        if child == 0:
            with _ending():
                kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)
                os.setpgid(0, 0)
                os.chdir(scratch)
                close_descriptors(kept)
                try:
                    put_on(self._cage, self._readable, scratch)
                except OSError as error:
                    if tell is not None:
                        _write_all(tell, json.dumps({"attacks": {}, "honest": str(error)}).encode() + b"\n")
                    raise
                act()
                os._exit(0)
        with contextlib.suppress(OSError):
            os.setpgid(child, child)
        return child

    def _end(self, child: int, grace: float) -> int:
        """How the child ended, as Popen tells it: of itself within the seconds of grace, or now."""
        until = time.monotonic() + grace
        ended, status = os.waitpid(child, os.WNOHANG)
        while not ended and time.monotonic() < until:
            time.sleep(0.01)
            ended, status = os.waitpid(child, os.WNOHANG)
        for end in (os.killpg, os.kill):
            with contextlib.suppress(OSError):
                end(child, signal.SIGKILL)
        if not ended:
            _, status = os.waitpid(child, 0)
        if self._cage.namespaces:
            with contextlib.suppress(OSError):
                os.kill(-1, signal.SIGKILL)  # all that is in the pid namespace, but for this process, its first one
            with contextlib.suppress(ChildProcessError):
                while True:
                    os.waitpid(-1, 0)
        return os.waitstatus_to_exitcode(status)


@contextmanager
def _ending() -> Iterator[None]:
    """A forked process ends here, whatever happens: it must not go on as its parent would."""
    try:
        yield
    except BaseException:
        os._exit(1)
    os._exit(0)


def _send(connected: socket.socket, message: Mapping[str, Any]) -> None:
    with contextlib.suppress(OSError):
        connected.send(json.dumps(message).encode()[:LARGEST])


def _receive(connected: socket.socket) -> Any:
    """A message; None when the other end is closed."""
    try:
        data = connected.recv(LARGEST)
    except OSError:
        return None
    return json.loads(data) if data else None


def _read_all(descriptor: int) -> bytes:
    """A line, or what comes of it until the pipe is closed; nothing where the time for attacks is over before."""
    until = time.monotonic() + _ATTACKS_SECONDS
    data = b""
    while (left := until - time.monotonic()) > 0:
        if not select.select([descriptor], [], [], left)[0]:
            return b""
        part = os.read(descriptor, 1 << 16)
        data += part
        if not part or data.endswith(b"\n"):
            return data
    return b""


def _write_all(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def _empty(folder: str) -> None:
    """Removes what attacks have left in the folder of the targets."""
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        with contextlib.suppress(OSError):
            (os.rmdir if os.path.isdir(path) and not os.path.islink(path) else os.unlink)(path)
