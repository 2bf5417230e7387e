"""Netron shows a model in headless Chromium: what stands on its page."""

from __future__ import annotations

import os
import queue
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import onnx
from onnx import ModelProto

_PATIENCE = 60  # seconds
# Netron's page has this class when a graph is drawn.
_LOOK = """
const look = () => document.body.classList.contains("default")
    ? fetch("/opwright-page", {method: "POST", body: document.documentElement.outerHTML})
    : setTimeout(look, 100);
look();
"""
_OPTIONS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-port=0",
    # Netron asks for the country that it is in, and reports how it is used: nothing but this machine has an address.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]


def netron_shows(model: ModelProto, folder: Path) -> str:
    """What it shows of the nodes, as the table says it. AssertionError where it does not draw one, or without Chromium.

    A name of more than twenty letters is shortened in the graph, and stands whole in the note that it is pointed at.
    """
    page = netron_page(model, folder)
    drawn = set(re.findall(r"<text[^>]*>([^<]+)</text>", page))
    for node in model.graph.node:
        name = node.op_type
        short = name if len(name) <= 20 else f"{name[:10]}\N{HORIZONTAL ELLIPSIS}{name[-10:]}"
        assert {name, short} & drawn, f"{name} is not shown"
    opened = page.count("Show Function Definition")
    assert opened == sum(node.domain == "com.acme" for node in model.graph.node)
    return "shows each call, and opens it" if opened else "shows each node"


def netron_page(model: ModelProto, folder: Path) -> str:
    """The page when Netron has drawn the model. AssertionError where it does not in a minute."""
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert chromium, "Chromium is not installed"
    path = folder / "model.onnx"
    onnx.save(model, path)
    port = _free_port()
    code = f"import netron; netron.start({str(path)!r}, ('127.0.0.1', {port}), browse=False); netron.wait()"
    with _running([sys.executable, "-c", code]):
        _wait_for(port)
        with (
            _before_netron(port) as (address, pages),
            tempfile.TemporaryDirectory() as profile,
            _running([chromium, *_OPTIONS, f"--user-data-dir={profile}", address], HOME=profile),
        ):
            try:
                return pages.get(timeout=_PATIENCE)
            except queue.Empty:
                raise AssertionError("Netron has not drawn the model") from None


@contextmanager
def _running(command: list[str], **environment: str) -> Iterator[None]:
    """A process for as long as it is needed."""
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, env={**os.environ, **environment}, **quiet)
    try:
        yield
    finally:
        process.terminate()
        process.wait(10)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def _before_netron(port: int) -> Iterator[tuple[str, queue.Queue[str]]]:
    """The address of a server before Netron's, which says by a cookie that the question about cookies is answered, and
    the pages that the script which it adds sends when a model is drawn."""
    pages: queue.Queue[str] = queue.Queue()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/opwright-look.js":
                self.answer(_LOOK.encode(), "text/javascript")
                return
            with urlopen(f"http://127.0.0.1:{port}{self.path}") as answer:
                content, kind = answer.read(), answer.headers.get("Content-Type", "")
            if self.path == "/":
                content = content.replace(b"</body>", b'<script src="/opwright-look.js"></script></body>')
            self.answer(content, kind)

        def do_POST(self) -> None:
            pages.put(self.rfile.read(int(self.headers["Content-Length"])).decode("utf-8", "replace"))
            self.answer(b"", "text/plain")

        def answer(self, content: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Set-Cookie", "consent=1; Path=/")
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/", pages
    finally:
        server.shutdown()
        thread.join()


def _wait_for(port: int) -> None:
    end = time.monotonic() + _PATIENCE
    while True:
        try:
            with urlopen(f"http://127.0.0.1:{port}/"):
                return
        except OSError:
            assert time.monotonic() < end, "Netron does not answer"
            time.sleep(0.1)
