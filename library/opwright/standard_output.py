"""The standard streams while a command runs: where they take nothing, the work goes on, and its end tells.

A command is not stopped half-way because a disk is full or who reads has gone. What is lost of standard output decides
the exit status when all is done; what is lost of standard error decides nothing.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import Any, TextIO

# Those of opwright.diagnostics.exits, whose import would take longer than what many commands tell.
_INFRASTRUCTURE = 3
_BROKEN_PIPE = 141


class _Guarded(io.RawIOBase):
    """Hands on what is written, until that fails, and drops the rest. `failure` is the first error.

    `stream` is None where it was closed from the start: then writing fails at once.
    """

    def __init__(self, stream: io.RawIOBase | None) -> None:
        self.stream = stream
        self.failure: OSError | None = None

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        if self.stream is None:
            raise io.UnsupportedOperation("the stream is closed")
        return self.stream.fileno()

    def isatty(self) -> bool:
        return self.stream is not None and self.stream.isatty()

    def write(self, data: Any) -> int | None:
        if self.stream is None and self.failure is None:
            self.failure = OSError(errno.EBADF, "it is closed")
        if self.stream is not None and self.failure is None:
            try:
                return self.stream.write(data)
            except OSError as error:
                self.failure = error
        return len(data)


def guard_standard_streams() -> None:
    """From now on no write to a standard stream raises OSError; `status_of_output` says what was lost."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            _reserve_closed()
        setattr(sys, name, _guarded(getattr(sys, name)))


def status_of_output(status: int) -> int:
    """The exit status of a command that ends with `status`, now that all is written: another one where output is lost,
    but for a bug of ours. A full disk is told."""
    guarded = _of_stream(sys.stdout)
    if guarded is None:
        return status
    sys.stdout.flush()
    sys.stderr.flush()
    if guarded.failure is None or status > _INFRASTRUCTURE:
        return status
    if isinstance(guarded.failure, BrokenPipeError):
        return _BROKEN_PIPE
    print(f"opwright: standard output cannot be written: {guarded.failure.strerror}", file=sys.stderr, flush=True)
    return _INFRASTRUCTURE


def is_lost(stream: TextIO) -> bool:
    """Whether something that was written there reached nobody."""
    guarded = _of_stream(stream)
    return guarded is not None and guarded.failure is not None


def is_closed(stream: TextIO) -> bool:
    """Whether the stream was closed from the start: nobody is to read what a command tells besides its results."""
    guarded = _of_stream(stream)
    return guarded is not None and guarded.stream is None


def _guarded(stream: TextIO | None) -> TextIO:
    raw, encoding, errors, live = None, "utf-8", "backslashreplace", False
    if isinstance(stream, io.TextIOWrapper):
        encoding, errors, live = stream.encoding, stream.errors or errors, stream.line_buffering
        buffer = stream.detach()
        raw = buffer.detach() if isinstance(buffer, io.BufferedWriter) else buffer
    elif stream is not None:
        return stream  # of an environment that has its own
    return io.TextIOWrapper(io.BufferedWriter(_Guarded(raw)), encoding, errors, line_buffering=live)


def _of_stream(stream: TextIO) -> _Guarded | None:
    raw = getattr(getattr(stream, "buffer", None), "raw", None)
    return raw if isinstance(raw, _Guarded) else None


def _reserve_closed() -> None:
    """Gives the numbers of closed standard streams to the null device: else a file that the command opens would have
    one of them, and what a child process tells would be written into it."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)
