"""A small client of the Language Server Protocol: JSON-RPC over the standard streams of a server's process."""

from __future__ import annotations

import json
import queue
import subprocess
import threading
from pathlib import Path
from types import TracebackType
from typing import Any

Message = dict[str, Any]


class LanguageServer:
    """A running server with one open folder. A request that takes `patience` s raises TimeoutError."""

    def __init__(self, command: list[str], root: Path, settings: Message, patience: float = 120) -> None:
        self.root = root
        self._settings = settings
        self._patience = patience
        self._number = 0
        self._answers: queue.Queue[Message] = queue.Queue()
        self._process = subprocess.Popen(
            command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        threading.Thread(target=self._read, daemon=True).start()

    def __enter__(self) -> LanguageServer:
        uri = self.root.as_uri()
        capabilities = {
            "workspace": {"configuration": True, "workspaceFolders": True},
            "textDocument": {"hover": {"contentFormat": ["markdown"]}},
        }
        folders = [{"uri": uri, "name": self.root.name}]
        started = {"processId": None, "rootUri": uri, "workspaceFolders": folders, "capabilities": capabilities}
        self.request("initialize", started)
        self._send({"method": "initialized", "params": {}})
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self.request("shutdown", None)
                self._send({"method": "exit", "params": None})
                self._process.wait(self._patience)
        finally:
            self._process.kill()
            self._process.wait()

    def open(self, path: Path) -> None:
        """Shows the server a file, as an editor does that opens it."""
        document = {"uri": path.as_uri(), "languageId": "python", "version": 1, "text": path.read_text()}
        self._send({"method": "textDocument/didOpen", "params": {"textDocument": document}})

    def at(self, method: str, path: Path, line: int, character: int) -> Any:
        """What the server says of a place; lines and characters count from 0."""
        place = {"line": line, "character": character}
        return self.request(f"textDocument/{method}", {"textDocument": {"uri": path.as_uri()}, "position": place})

    def request(self, method: str, params: Any) -> Any:
        """The result; RuntimeError with what the server says when it refuses."""
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        while True:
            try:
                message = self._answers.get(timeout=self._patience)
            except queue.Empty:
                raise TimeoutError(f"{method}: no answer in {self._patience} s") from None
            if message.get("id") == self._number and "method" not in message:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message.get("result")
            if "id" in message and "method" in message:
                self._send({"id": message["id"], "result": self._reply(message)})

    def _reply(self, message: Message) -> Any:
        """What a server may ask of an editor: its settings; everything else is only acknowledged."""
        if message["method"] != "workspace/configuration":
            return None
        return [self._settings.get(item.get("section", ""), {}) for item in message["params"]["items"]]

    def _send(self, message: Message) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self._process.stdin is not None
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._process.stdin.flush()

    def _read(self) -> None:
        stream = self._process.stdout
        assert stream is not None
        while True:
            length = 0
            while (line := stream.readline().strip()) != b"":
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if not length:
                return  # the stream has ended
            self._answers.put(json.loads(stream.read(length)))
