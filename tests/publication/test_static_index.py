"""What an index may say, and what of it is believed: forms, limits, digests; no address leads anywhere else."""

from __future__ import annotations

import json
import threading
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from http.client import HTTPMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from opwright.diagnostics.diagnostic import DiagnosticError
from opwright_build.publication.index_pages import simple_pages
from opwright_build.publication.index_place import IndexPlace, Limits, _RedirectError, _Redirects
from opwright_build.publication.static_index import (
    INDEX_FILE,
    MOST_INDEX_BYTES,
    ListedFile,
    ListedRelease,
    NoIndexError,
    read_index,
    write_index,
)

DATA = b"a bundle"
BUNDLE = ListedFile("acme-ops-1.2.0.onnxlib", len(DATA), sha256(DATA).hexdigest())
WHEEL = ListedFile("acme_ops-1.2.0-py3-none-any.whl", 3, "1" * 64)
RELEASE = ListedRelease(
    "acme-ops", "1.2.0", "acme_ops", "Two.", "MIT", (18, 22), ("com.acme::Foo@1", "com.acme::Foo@2"), (BUNDLE, WHEEL)
)


def document(**changes: Any) -> bytes:
    """The index of RELEASE with other values in it; `files_0` is the first file."""
    value = json.loads(write_index([RELEASE]))
    for name, new in changes.items():
        target = value["releases"][0]
        if name.startswith("file_"):
            target, name = target["files"][0], name.removeprefix("file_")
        target[name] = new
    return json.dumps(value).encode()


def test_what_is_written_is_read() -> None:
    others = [replace(RELEASE, version=version, files=(named(version),)) for version in ("1.10.0", "1.9.0")]
    written = write_index([others[0], RELEASE, others[1]])
    assert [item.version for item in read_index(written)] == ["1.2.0", "1.9.0", "1.10.0"]
    assert write_index(reversed(read_index(written))) == written
    assert read_index(document(more="later")) == [RELEASE]


def named(version: str) -> ListedFile:
    return replace(BUNDLE, name=f"acme-ops-{version}.onnxlib")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "is no JSON"),
        (b"[" * 100_000, "is no JSON"),
        (b"[]", "is not of format 1"),
        (b'{"format": true, "releases": []}', "is not of format 1"),
        (b'{"format": 2, "releases": []}', "is not of format 1"),
        (b'{"format": 1}', "has no list of releases"),
        (b'{"format": 1, "releases": [1]}', "a release that is no object"),
        (document(library="../etc"), "as the name of a library"),
        (document(library="acme-ops\n"), "no text of one line"),
        (document(library="a" * 101), "no text of one line"),
        (document(library=7), "no text of one line"),
        (document(version="1.2"), "as a release"),
        (document(version="../1.2.0"), "as a release"),
        (document(version="1.2.0.dev0"), "as a release"),
        (document(version="1.2.0000000000000"), "as a release"),
        (document(package="os.path"), "as the package"),
        (document(summary="x\x1b[31m"), "no text of one line"),
        (document(functions=["Foo"]), "what is no function"),
        (document(functions=["com.acme::Foo@0"]), "what is no function"),
        (document(functions="com.acme::Foo@1"), "what is no function"),
        (document(opsets=[18]), "what are no opsets"),
        (document(opsets=[True, 22]), "what are no opsets"),
        (document(files=[]), "has no files"),
        (document(file_name="../../.bashrc"), "as the name of a file"),
        (document(file_name="/etc/passwd"), "as the name of a file"),
        (document(file_name="..\\x.onnxlib"), "as the name of a file"),
        (document(file_name="file:x"), "as the name of a file"),
        (document(file_name="other-1.2.0.onnxlib"), "does not name the bundle"),
        (document(file_name=WHEEL.name), "twice"),
        (document(file_size=-1), "as the size"),
        (document(file_size=1 << 60), "as the size"),
        (document(file_size=1.5), "as the size"),
        (document(file_size=10**4000), "as the size"),
        (document(file_sha256="1" * 63), "no sha256"),
        (document(file_sha256="A" * 64), "no sha256"),
        (
            write_index(
                [RELEASE, replace(RELEASE, library="Acme.Ops", files=(replace(BUNDLE, name="Acme.Ops-1.2.0.onnxlib"),))]
            ),
            "lists a release twice",
        ),
    ],
)
def test_what_is_no_index_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(NoIndexError, match=reason):
        read_index(data)


def test_no_length_is_too_large() -> None:
    with pytest.raises(NoIndexError, match="larger than"):
        read_index(b" " * (MOST_INDEX_BYTES + 1))


def test_pages_for_installers() -> None:
    pages = simple_pages([RELEASE])
    assert b'<a href="acme-ops/">acme-ops</a>' in pages["simple/index.html"]
    page = pages["simple/acme-ops/index.html"].decode()
    address = f"../../files/acme-ops/1.2.0/{WHEEL.name}#sha256={WHEEL.sha256}"
    assert f'<a href="{address}" data-requires-python="&gt;=3.11">{WHEEL.name}</a>' in page
    assert ".onnxlib" not in page


# ------------------------------------------------------------------------------------------------ over the web

Answer = Callable[[BaseHTTPRequestHandler], None]


class Site:
    """A web server of which every path can be given an answer. `asked` are the paths that were."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {}
        self.asked: list[str] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.asked.append(self.path)
                answer = site.answers.get(self.path)
                if answer is None:
                    self.send_error(404)
                else:
                    answer(self)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def place(self, **limits: float) -> IndexPlace:
        return IndexPlace(f"{self.address}/site", Limits(**limits))


@pytest.fixture
def site() -> Iterator[Site]:
    found = Site()
    found.answers[f"/site/{INDEX_FILE}"] = gives(write_index([RELEASE]))
    found.answers[f"/site/{RELEASE.path_of(BUNDLE)}"] = gives(DATA)
    yield found
    found.server.shutdown()
    found.server.server_close()


def gives(data: bytes, length: int | None = None) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(data) if length is None else length))
        handler.end_headers()
        handler.wfile.write(data)

    return answer


def leads(target: str, code: int = 302) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(code)
        handler.send_header("Location", target)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return answer


def endless(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.end_headers()
    try:
        while True:
            handler.wfile.write(b" " * (1 << 16))
    except OSError:
        pass


def refusal(run: Callable[[], object]) -> tuple[str, str]:
    """The code and the reason of the one finding."""
    with pytest.raises(DiagnosticError) as caught:
        run()
    (found,) = caught.value.diagnostics
    return found.code, found.reason


def test_an_index_on_the_web(site: Site) -> None:
    place = site.place()
    (release,) = place.releases()
    assert place.file(release, release.bundle) == DATA
    assert site.asked == ["/site/opwright-index.json", "/site/files/acme-ops/1.2.0/acme-ops-1.2.0.onnxlib"]


@pytest.mark.parametrize("other", [b"a bundlE", b"a bund", b""])
def test_other_bytes_are_refused(site: Site, other: bytes) -> None:
    site.answers[f"/site/{RELEASE.path_of(BUNDLE)}"] = gives(other)
    assert refusal(lambda: site.place().file(RELEASE, BUNDLE))[0] == "OW672"


def test_no_more_is_taken_than_is_listed(site: Site) -> None:
    for answer in (endless, gives(DATA + b"!")):
        site.answers[f"/site/{RELEASE.path_of(BUNDLE)}"] = answer
        code, reason = refusal(lambda: site.place().file(RELEASE, BUNDLE))
        assert code == "OW671" and "sends more than 8 bytes" in reason
    site.answers[f"/site/{INDEX_FILE}"] = endless
    assert refusal(site.place().releases)[0] == "OW671"


@pytest.mark.parametrize(
    "target", ["file:///etc/passwd", "FILE:/etc/passwd", "ftp://127.0.0.1/x", "data:,x", "gopher:x"]
)
@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_no_other_kind_of_address_is_followed(site: Site, target: str, code: int) -> None:
    site.answers[f"/site/{INDEX_FILE}"] = leads(target, code)
    found, reason = refusal(site.place().releases)
    assert found == "OW671" and "leads" in reason


def test_addresses_of_the_web_are_followed_a_few_times(site: Site) -> None:
    site.answers["/elsewhere"] = site.answers[f"/site/{INDEX_FILE}"]
    site.answers[f"/site/{INDEX_FILE}"] = leads(f"{site.address}/elsewhere")
    assert site.place().releases() == [RELEASE]
    site.answers["/elsewhere"] = leads("/elsewhere")
    assert refusal(site.place().releases)[0] == "OW670"
    assert site.asked.count("/elsewhere") < 10


def test_no_way_leads_from_https_to_http() -> None:
    request = urllib.request.Request("https://example.com/a")
    handler = _Redirects()
    with pytest.raises(_RedirectError, match="from https"):
        handler.redirect_request(request, None, 302, "", HTTPMessage(), "http://example.com/a")  # type: ignore[arg-type]


def test_what_does_not_answer_is_no_empty_index(site: Site) -> None:
    del site.answers[f"/site/{INDEX_FILE}"]
    assert refusal(site.place().releases) == ("OW670", f"{site.address}/site/{INDEX_FILE} answers 404")
    site.answers[f"/site/{INDEX_FILE}"] = lambda handler: handler.connection.close()
    assert refusal(site.place().releases)[0] == "OW670"
    site.answers[f"/site/{INDEX_FILE}"] = gives(b"{", 100)
    assert refusal(site.place(silence=1.0).releases)[0] in ("OW670", "OW671")
    assert refusal(IndexPlace("http://127.0.0.1:9/site", Limits(2.0)).releases)[0] == "OW670"
    site.answers[f"/site/{INDEX_FILE}"] = endless
    assert refusal(site.place(whole=0.0).releases)[0] == "OW670"


@pytest.mark.parametrize(
    "name",
    [
        "ftp://127.0.0.1/site",
        "http://user:secret@127.0.0.1/site",
        "https://127.0.0.1/site?token=secret",
        "http:///site",
        "data://x",
        "file://elsewhere/site",
    ],
)
def test_an_address_of_another_form_is_refused(name: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        IndexPlace(name).releases()
    (found,) = caught.value.diagnostics
    assert found.code == "OW671"
    assert "secret" not in f"{found.message} {found.reason}"


def test_an_index_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / INDEX_FILE).write_bytes(write_index([RELEASE]))
    file = tmp_path / RELEASE.path_of(BUNDLE)
    file.parent.mkdir(parents=True)
    file.write_bytes(DATA)
    for name in (str(tmp_path), tmp_path.as_uri()):
        assert IndexPlace(name).releases() == [RELEASE]
        assert IndexPlace(name).file(RELEASE, BUNDLE) == DATA
    file.write_bytes(DATA + b"!")
    assert refusal(lambda: IndexPlace(str(tmp_path)).file(RELEASE, BUNDLE))[0] == "OW671"
    file.unlink()
    assert refusal(lambda: IndexPlace(str(tmp_path)).file(RELEASE, BUNDLE))[0] == "OW670"
    assert refusal(IndexPlace(str(tmp_path / "none")).releases)[0] == "OW670"
