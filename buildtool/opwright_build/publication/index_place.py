"""Where an index is: a folder, or an address of http, https or file. Reading asks for one file at a time, with limits.

The server is not trusted. It cannot lead to another kind of address, nor from https to http, nor send more than was
asked for or for ever; whether the bytes are the right ones their digests tell.
"""

from __future__ import annotations

import http.client
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import IO
from urllib.parse import quote, urlsplit

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.regular_file import NotRegularError, read_regular

from opwright_build.engine.system_errors import InfrastructureError, reason_of
from opwright_build.publication.static_index import (
    INDEX_FILE,
    MOST_INDEX_BYTES,
    ListedFile,
    ListedRelease,
    NoIndexError,
    read_index,
)

_WEB = ("http", "https")
_REDIRECTS = 5
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """In seconds: how long a server may be silent, and how long a file may take."""

    silence: float = 30.0
    whole: float = 900.0


LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class IndexPlace:
    """An index. `name` is how it was given."""

    name: str
    limits: Limits = LIMITS

    def releases(self) -> list[ListedRelease]:
        """What it lists. DiagnosticError (OW671) where that is no index, InfrastructureError (OW670) without answer."""
        try:
            return read_index(self._read(INDEX_FILE, MOST_INDEX_BYTES))
        except NoIndexError as error:
            raise DiagnosticError([_refused(self.name, f"{INDEX_FILE} {error}")]) from None

    def file(self, release: ListedRelease, file: ListedFile) -> bytes:
        """The bytes of a file that it lists. DiagnosticError (OW672) where they are others."""
        data = self._read(release.path_of(file), file.size)
        if len(data) != file.size or sha256(data).hexdigest() != file.sha256:
            message = f"{file.name} from {self.name} has other bytes than the index lists"
            reason = f"it has {len(data):,} bytes of sha256 {sha256(data).hexdigest()}; {file.sha256} are listed"
            help_ = "nothing was written; tell those who keep the index"
            raise DiagnosticError([Diagnostic("OW672", message, reason=reason, help=help_)])
        return data

    def _read(self, path: str, most: int) -> bytes:
        """A file of the index, of at most so many bytes."""
        parts = urlsplit(self.name) if "://" in self.name or self.name.startswith("file:") else None
        if parts is None:
            return self._from_folder(Path(self.name), path, most)
        if parts.scheme == "file" and parts.netloc in ("", "localhost"):
            return self._from_folder(Path(urllib.request.url2pathname(parts.path)), path, most)
        if parts.scheme not in _WEB or "@" in parts.netloc or not parts.hostname or parts.query or parts.fragment:
            reason = "an index is a folder, or an address of http, https or file without a password, query or fragment"
            raise DiagnosticError([_refused(_shown(self.name), reason)])
        return self._from_web(f"{self.name.rstrip('/')}/{quote(path)}", most)

    def _from_folder(self, folder: Path, path: str, most: int) -> bytes:
        try:
            return read_regular(folder / path, most)
        except NotRegularError as error:
            raise DiagnosticError([_refused(self.name, f"{path}: {error.strerror}")]) from None
        except OSError as error:
            raise _unreachable(self.name, f"{path}: {reason_of(error)}") from None

    def _from_web(self, address: str, most: int) -> bytes:
        opener = _opener()
        end = time.monotonic() + self.limits.whole
        chunks: list[bytes] = []
        size = 0
        try:
            with opener.open(address, timeout=self.limits.silence) as answer:
                while size <= most and (chunk := answer.read1(min(_CHUNK, most + 1 - size))):
                    chunks.append(chunk)
                    size += len(chunk)
                    if time.monotonic() > end:
                        raise _unreachable(self.name, f"{address} took longer than {self.limits.whole:g} s")
        except _RedirectError as error:
            raise DiagnosticError([_refused(self.name, str(error))]) from None
        except urllib.error.HTTPError as error:
            raise _unreachable(self.name, f"{address} answers {error.code}") from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise _unreachable(self.name, f"{address}: {_told(error)}") from None
        if size > most:
            reason = f"{address} sends more than {most:,} bytes"
            raise DiagnosticError([_refused(self.name, reason)])
        return b"".join(chunks)


class _RedirectError(Exception):
    """A server leads where none may; the message says so."""


class _Redirects(urllib.request.HTTPRedirectHandler):
    max_redirections = _REDIRECTS

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        before, after = urlsplit(req.full_url).scheme, urlsplit(newurl).scheme
        if after not in _WEB or (before, after) == ("https", "http"):
            raise _RedirectError(f"it leads from {before} to an address of {after[:20]!r}")
        return super().redirect_request(req, fp, code, msg, headers, newurl)

    def http_error_302(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: http.client.HTTPMessage
    ) -> IO[bytes] | None:
        # The one above would refuse other kinds too late, with an error that says less.
        target = headers.get("location", "")
        scheme = urlsplit(target).scheme
        if scheme and scheme not in _WEB:
            raise _RedirectError(f"it leads to an address of {scheme[:20]!r}")
        return super().http_error_302(req, fp, code, msg, headers)

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


def _opener() -> urllib.request.OpenerDirector:
    """One that knows no files, no FTP and no data: whatever a server says, nothing but the web is asked."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        _Redirects(),
    ):
        opener.add_handler(handler)
    return opener


def _shown(address: str) -> str:
    """The address without what may be a password."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _told(error: Exception) -> str:
    """One line of an error, whoever raised it."""
    text = " ".join("".join(letter if letter.isprintable() else " " for letter in str(error)).split())
    return text[:200] or type(error).__name__


def _refused(name: str, reason: str) -> Diagnostic:
    help_ = "nothing was taken from it; check the address, and tell those who keep the index"
    return Diagnostic("OW671", f"{name} is no index of libraries that is read", reason=reason, help=help_)


def _unreachable(name: str, reason: str) -> InfrastructureError:
    help_ = "check its name and the network; an index out of reach is not taken for an empty one"
    return InfrastructureError([Diagnostic("OW670", f"the index {name} cannot be read", reason=reason, help=help_)])
