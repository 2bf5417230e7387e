"""A client of the debug adapter protocol: as much of it as an editor needs to stop, look and go on."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections import deque
from pathlib import Path
from types import TracebackType
from typing import Any

Message = dict[str, Any]
PATIENCE = 120.0  # seconds


class Debuggee:
    """A program that waits for a debugger, and the debugger's end of the line; at last what the program printed."""

    printed = ""

    def __init__(self, program: Path, environment: dict[str, str]) -> None:
        port = _free_port()
        listen = (sys.executable, "-m", "debugpy", "--listen", f"127.0.0.1:{port}", "--wait-for-client", str(program))
        self.process = subprocess.Popen(
            listen, env={**os.environ, **environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self._socket = _connect(port, self.process)
        self._stream = self._socket.makefile("rb")
        self._events: deque[Message] = deque()
        self._answers: dict[int, Message] = {}
        self._sent = 0

    def __enter__(self) -> Debuggee:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stream.close()
        self._socket.close()
        if kind is not None:
            self.process.kill()
        self.printed, _ = self.process.communicate(timeout=PATIENCE)

    def send(self, command: str, **arguments: Any) -> int:
        self._sent += 1
        body = json.dumps({"seq": self._sent, "type": "request", "command": command, "arguments": arguments}).encode()
        self._socket.sendall(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        return self._sent

    def ask(self, command: str, **arguments: Any) -> Message:
        """The body of the answer."""
        return self.answer(self.send(command, **arguments))

    def answer(self, number: int) -> Message:
        while number not in self._answers:
            self._receive()
        message = self._answers.pop(number)
        assert message["success"], message
        return message.get("body") or {}

    def event(self, name: str) -> Message:
        """The body of the next event of that name; those before it are passed over."""
        while True:
            while not self._events:
                self._receive()
            message = self._events.popleft()
            if message["event"] == name:
                return message.get("body") or {}

    def _receive(self) -> None:
        length = 0
        while line := self._stream.readline().strip():
            name, _, value = line.decode("ascii").partition(":")
            if name.lower() == "content-length":
                length = int(value)
        assert length, "the debugger has hung up"
        message: Message = json.loads(self._stream.read(length))
        if message["type"] == "event":
            self._events.append(message)
        elif message["type"] == "response":
            self._answers[message["request_seq"]] = message


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _connect(port: int, process: subprocess.Popen[str]) -> socket.socket:
    until = time.monotonic() + PATIENCE
    while True:
        try:
            found = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        except OSError:
            assert process.poll() is None, process.communicate()[0]
            assert time.monotonic() < until, "nobody listens"
            time.sleep(0.05)
        else:
            return found
