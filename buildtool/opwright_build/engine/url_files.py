"""Files of a shared store in any place that fsspec reaches: `s3://bucket/prefix`, `gs://`, `sftp://`, `memory://`.

A place may be slow, refuse, or fail once and answer the next time. So every request has a limit of time and is tried a
few times; what then remains is a finding (OW918, OW921, OW922), never a miss. The place is opened on the first
request: a build that finds everything on its own machine asks nothing and imports nothing.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import BoundedSemaphore, Lock, Thread
from typing import Protocol, TypeVar
from urllib.parse import urlsplit

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError

from opwright_build.engine.fetch_ahead import AT_ONCE
from opwright_build.engine.shared_store import Listed
from opwright_build.engine.signing import NOT_INSTALLED, refused
from opwright_build.engine.store import SHARED
from opwright_build.engine.system_errors import InfrastructureError
from opwright_build.engine.tree import StoredFile

# Places without folders: what lies below a prefix that nothing has been written to yet is an empty store there.
_FLAT = frozenset(("abfs", "abfss", "az", "gcs", "gs", "memory", "oci", "oss", "s3", "s3a"))
# By name, since the packages that raise them are not ours to import.
_REFUSALS = frozenset(
    ("NoCredentialsError", "PartialCredentialsError", "CredentialRetrievalError", "TokenRetrievalError")
)
_TIMES = ("LastModified", "last_modified", "mtime", "updated", "modified", "created")
_MISSING = (FileNotFoundError, NotADirectoryError, IsADirectoryError)

T = TypeVar("T")


class FileSystem(Protocol):
    """What is used of a filesystem of fsspec. Its methods raise whatever the packages behind it raise."""

    def ls(self, path: str, detail: bool) -> Sequence[Mapping[str, object]]: ...

    def find(self, path: str, *, detail: bool) -> Mapping[str, Mapping[str, object]]: ...

    def info(self, path: str) -> Mapping[str, object]: ...

    def cat_file(self, path: str) -> bytes: ...

    def pipe_file(self, path: str, value: bytes) -> None: ...

    def makedirs(self, path: str, exist_ok: bool) -> None: ...

    def rm_file(self, path: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Patience:
    """How often a request is tried, how many seconds each may take, and the pause after the first failure; each further
    pause is three times as long."""

    attempts: int = 4
    seconds: float = 60.0
    pause: float = 0.2


PATIENCE = Patience()


class UrlFiles:
    """The files below a URL."""

    def __init__(self, url: str, patience: Patience | None = None) -> None:
        self._url = url
        self._patience = patience or PATIENCE
        self._opened: tuple[FileSystem, str] | None = None
        self._opening = Lock()
        self._turn = BoundedSemaphore(1)

    def read(self, path: str, most: int, size: int | None = None) -> bytes | None:
        filesystem, root = self._place
        full = f"{root}/{path}"

        def get() -> bytes | None:
            # The size is known first: what servers give for a range of bytes is not the same everywhere.
            if (_size(filesystem.info(full)) if size is None else size) > most:
                return None
            data = filesystem.cat_file(full)
            return data if len(data) <= most else None

        try:
            return self._ask(get)
        except _MISSING:
            return None

    def write(self, path: str, data: bytes) -> None:
        filesystem, root = self._place
        full = f"{root}/{path}"

        def put() -> None:
            try:
                filesystem.pipe_file(full, data)
            except FileNotFoundError:  # the place has folders
                filesystem.makedirs(full.rpartition("/")[0], True)
                filesystem.pipe_file(full, data)

        try:
            self._ask(put)
        except _MISSING as error:
            raise self._unreachable(error) from error

    def listed(self, folder: str, most: int) -> Sequence[Listed]:
        filesystem, root = self._place
        try:
            found = self._ask(lambda: filesystem.ls(f"{root}/{folder}", True))
        except _MISSING:
            return ()
        files = [(-_time(info), _name(info), info.get("size")) for info in found if info.get("type") == "file"]
        files.sort(key=lambda item: item[:2])
        return [Listed(name, size if isinstance(size, int) else None) for _, name, size in files[:most]]

    def walk(self, folder: str) -> Iterable[StoredFile]:
        filesystem, root = self._place
        try:
            found = self._ask(lambda: filesystem.find(f"{root}/{folder}", detail=True))
        except _MISSING:
            return
        for path, info in sorted(found.items()):
            if path.startswith(f"{root}/"):
                yield StoredFile(path.removeprefix(f"{root}/"), _size(info), _time(info))

    def remove(self, path: str) -> None:
        filesystem, root = self._place
        try:
            self._ask(lambda: filesystem.rm_file(f"{root}/{path}"))
        except _MISSING:
            return

    @property
    def _place(self) -> tuple[FileSystem, str]:
        """The filesystem and the path of the root in it, which is there."""
        with self._opening:
            if self._opened is None:
                self._opened = self._open()
                if getattr(self._opened[0], "async_impl", False) is True:  # it is made for several requests at a time
                    self._turn = BoundedSemaphore(AT_ONCE)
            return self._opened

    def _open(self) -> tuple[FileSystem, str]:
        filesystem, root = self._ask(lambda: open_place(self._url))
        try:
            self._ask(lambda: filesystem.ls(root or "/", True))
        except _MISSING as error:
            container = root.lstrip("/").partition("/")[0] if not root.startswith("/") else "/"
            if urlsplit(self._url).scheme not in _FLAT or container == root:
                raise self._unreachable(error) from error
            try:  # nothing was written yet, or there is no such bucket
                self._ask(lambda: filesystem.ls(container, True))
            except _MISSING as gone:
                raise self._unreachable(gone) from gone
        return filesystem, root

    def _ask(self, request: Callable[[], T]) -> T:
        """What the request gives. Errors that say what there is, or that it is not ours to have, are no failures to try
        again: FileNotFoundError and its like pass through, and so do findings."""
        pause = self._patience.pause
        for attempt in range(self._patience.attempts):
            try:
                with self._turn:
                    return _within(self._patience.seconds, request)
            except (*_MISSING, DiagnosticError):
                raise
            except _SlowError as error:
                raise self._error("OW922", f"did not answer within {self._patience.seconds:g} s", _SLOW) from error
            except ImportError as error:
                raise _not_installed(self._url, error) from error
            except Exception as error:
                if isinstance(error, PermissionError) or type(error).__name__ in _REFUSALS:
                    raise self._error("OW921", f"refused: {_told(error)}", _REFUSED) from error
                if attempt + 1 == self._patience.attempts:
                    raise self._unreachable(error) from error
            time.sleep(pause * random.uniform(0.5, 1.0))  # so that the machines of a CI do not come back as one
            pause *= 3
        raise AssertionError("at least one attempt is made")

    def _unreachable(self, error: Exception) -> InfrastructureError:
        help_ = f"check its name and the network, or unset {SHARED}"
        return self._error("OW918", f"cannot be used: {_told(error)}", help_)

    def _error(self, code: str, what: str, help_: str) -> InfrastructureError:
        message = f"the shared cache {shown_url(self._url)} {what}"
        return InfrastructureError([Diagnostic(code, message, reason=_NO_MISS, help=help_)])


_NO_MISS = "a cache out of reach is not taken for an empty one"
_REFUSED = "give this user the right to list, read and, with a signing key, write there, in the way of its provider"
_SLOW = f"try again, or unset {SHARED} to build without it"


def open_place(url: str) -> tuple[FileSystem, str]:
    """The filesystem of a URL, and the path in it. DiagnosticError (OW917) for a scheme that fsspec does not know."""
    from fsspec.core import url_to_fs  # an extra: who has no such cache has no fsspec

    try:
        # What others have written meanwhile counts, so listings are not kept.
        filesystem, root = url_to_fs(url, skip_instance_cache=True, use_listings_cache=False)
    except ValueError as error:
        raise refused(f"the shared cache {shown_url(url)} is of no kind that fsspec knows", str(error)) from error
    return filesystem, root.rstrip("/")


def shown_url(url: str) -> str:
    """The URL as it may be told: without a user, a password and options."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def _not_installed(url: str, error: ImportError) -> InfrastructureError:
    message = f"the shared cache {shown_url(url)} needs a package that is not installed"
    help_ = "pip install 'opwright[shared-cache]', and the package of its scheme: s3fs for s3, gcsfs for gs"
    return InfrastructureError([Diagnostic(NOT_INSTALLED, message, reason=_told(error), help=help_)])


class _SlowError(Exception):
    """A request took longer than it may."""


def _within(seconds: float, request: Callable[[], T]) -> T:
    """What a request gives, if it does so in time. One that does not is left behind in a thread of its own, which does
    not keep the process alive."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(request())
        except BaseException as error:
            future.set_exception(error)

    Thread(target=run, daemon=True).start()
    try:
        return future.result(seconds)
    except TimeoutError as error:
        if future.done():  # the request's own
            raise
        raise _SlowError from error


def _told(error: Exception) -> str:
    """One line of an error, whoever raised it."""
    text = "".join(letter if letter.isprintable() else " " for letter in str(error))
    text = re.sub(r"//[^/@\s]*@", "//", " ".join(text.split()))  # no password that a URL has
    return (text if len(text) <= 200 else f"{text[:200]}...") or type(error).__name__


def _name(info: Mapping[str, object]) -> str:
    return str(info.get("name", "")).rpartition("/")[2]


def _size(info: Mapping[str, object]) -> int:
    size = info.get("size")
    return size if isinstance(size, int) else 0


def _time(info: Mapping[str, object]) -> float:
    """When a file was written: each filesystem has its own word for it."""
    for word in _TIMES:
        match info.get(word):
            case datetime() as when:
                return (when if when.tzinfo else when.replace(tzinfo=UTC)).timestamp()
            case int() | float() as seconds:
                return float(seconds)
            case str() as text:
                try:
                    return datetime.fromisoformat(text).timestamp()
                except ValueError:
                    continue
    return 0.0
