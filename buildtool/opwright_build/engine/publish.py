"""Writing outputs next to people's own files: each one whole or not at all, none of theirs touched.

Every new file is first written next to its target, then all are renamed into place. A build killed at any moment
leaves each output old or new; the next build, which compares digests and not dates, finishes the rest.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place

from opwright_build.engine.content_digest import Json, digest_bytes
from opwright_build.engine.hints import FileHints
from opwright_build.engine.state_file import StateFile
from opwright_build.engine.system_errors import InfrastructureError, cannot_be
from opwright_build.engine.tree import Tree, create, stays_inside

TEMPORARY = ".opwright-tmp"


@dataclass(frozen=True, slots=True)
class Published:
    """Paths relative to the root, sorted."""

    written: tuple[str, ...]
    unchanged: tuple[str, ...]
    removed: tuple[str, ...]


class Publisher:
    """Puts outputs below the folders `areas` of `root`: into real folders there, and nowhere else.

    `manifest` remembers which files are ours, those of a build that was killed among them, and `generated` knows ours
    by their bytes.
    """

    def __init__(
        self,
        root: Path,
        areas: Collection[str],
        manifest: StateFile,
        hints: FileHints,
        generated: Callable[[str, bytes], bool],
    ) -> None:
        self._root = root
        self._tree = Tree(root)
        self._areas = areas
        self._manifest = manifest
        self._hints = hints
        self._generated = generated

    def differing(self, outputs: Mapping[str, str]) -> list[str]:
        """The paths of outputs (path -> digest) that the disk does not hold as they should be.

        DiagnosticError (OW520 to OW522) when one of them is not to be written.
        """
        self._require(outputs)
        stamps = self._stamps()
        return [path for path in sorted(outputs) if self._digest(path, stamps) != outputs[path]]

    def _digest(self, path: str, stamps: Mapping[str, list[Any]]) -> str | None:
        """What a file holds; None where there is none, or one that cannot be read: it is not as it should be."""
        try:
            return self._stamped(path, stamps) or self._hints.digest(self._root / path)
        except OSError:
            return None

    def _stamped(self, path: str, stamps: Mapping[str, list[Any]]) -> str | None:
        """What a file holds, as far as its stamp tells."""
        *stamp, digest = stamps.get(path, (None,))
        return str(digest) if digest is not None and stamp == _stamp(os.lstat(self._root / path)) else None

    def published(self, path: str, digest: str) -> bytes | None:
        """An output's bytes, where the disk holds it as it should be."""
        try:
            data = self._tree.read(path) if self._is_output(path) else None
            if data is None or self._stamped(path, self._stamps()) == digest:  # as it is now, when it has been read
                return data
        except (DiagnosticError, OSError):  # it is not asked for to be written, so this is no time to tell
            return None
        return data if digest_bytes(data) == digest else None

    def stale(
        self,
        outputs: Mapping[str, str],
        folders: Iterable[str] = (),
        scope: Callable[[str], bool] = lambda path: True,
    ) -> list[str]:
        """Files that an earlier build wrote and this one does not, if they are unchanged since.

        In `folders` files that say themselves that they are generated count as well. Files out of `scope` are another
        build's to write. InfrastructureError (OW905) when one that a build wrote cannot be read: it would be forgotten.
        """
        stamps = self._stamps()
        found = {
            path
            for path, digests in self._remembered().items()
            if path not in outputs and scope(path) and self._is_unchanged(path, digests, stamps)
        }
        for folder in folders:
            self._tree.require_folder(folder)
            for path in sorted((self._root / folder).glob("*")):
                relative = f"{folder}/{path.name}"
                if relative not in outputs and path.is_file() and self._is_generated(relative):
                    found.add(relative)
        return sorted(found)

    def _is_unchanged(self, path: str, digests: Collection[str], stamps: Mapping[str, list[Any]]) -> bool:
        """Whether a file holds what a build wrote there, and says itself that it is generated, or is empty, so that no
        work is lost."""
        self._tree.require_file(path)
        try:
            data = self._hints.read(self._root / path)
            if data is None or (data and not self._generated(path, data)):
                return False
            return (self._stamped(path, stamps) or self._hints.digest(self._root / path)) in digests
        except FileNotFoundError:
            return False
        except OSError as error:
            raise _cannot_be("read", path, error) from error

    def _is_generated(self, path: str) -> bool:
        """Whether a file says itself that it is generated."""
        self._tree.require_file(path)
        try:
            data = self._hints.read(self._root / path)
        except OSError:
            return False
        return data is not None and self._generated(path, data)

    def _require(self, outputs: Iterable[str]) -> None:
        """DiagnosticError unless each path is below one of our areas, in real folders, and free or a regular file."""
        for path in outputs:
            if not self._is_output(path):
                raise DiagnosticError([_outside(self._areas)])
            self._tree.require_file(path)

    def _is_output(self, path: str) -> bool:
        return stays_inside(path) and "/" in path and path.split("/")[0] in self._areas

    def publish(
        self,
        outputs: Mapping[str, str],
        fetch: Callable[[str], bytes],
        folders: Iterable[str] = (),
        scope: Callable[[str], bool] = lambda path: True,
    ) -> Published:
        """Makes the disk hold `outputs`; `fetch` gives the bytes of those that it lacks. See `stale` for the others.

        DiagnosticError (OW904) when that would overwrite a file that is not ours, and when an output or its folder is
        no real one (OW520 to OW522), InfrastructureError (OW905) when the disk refuses. Nothing is renamed before
        every new file lies ready.
        """
        try:
            differing = self.differing(outputs)
            self._refuse_strangers(differing)
            stale = self.stale(outputs, folders, scope)
            self._sweep(outputs)
            for path in differing:
                self._prepare(path, fetch(path))
            files, begun = self._load()
            if differing:
                self._remember(files, {**begun, **{path: outputs[path] for path in differing}})
            written = {path: os.lstat(self._temporary(path)) for path in differing}
            for path in differing:
                self._temporary(path).replace(self._root / path)
            for path in stale:
                (self._root / path).unlink(missing_ok=True)
            now = {path: digest for path, digest in files.items() if not scope(path)} | dict(outputs)
            others = {path: digest for path, digest in begun.items() if not scope(path)}
            if differing or (files, begun) != (now, others):
                self._remember(now, others)
            if written:
                self._remember(now, others, self._settled(written, outputs))
        except OSError as error:
            raise _cannot_write(self._root, error) from error
        unchanged = sorted(outputs.keys() - set(differing))
        return Published(tuple(differing), tuple(unchanged), tuple(stale))

    def _sweep(self, outputs: Iterable[str]) -> None:
        """Removes what a killed build left next to its targets."""
        for folder in sorted({Path(path).parent for path in outputs}):
            for leftover in sorted((self._root / folder).glob(f".*{TEMPORARY}")):
                leftover.unlink(missing_ok=True)

    def _refuse_strangers(self, paths: Iterable[str]) -> None:
        ours = self._remembered()
        findings: list[Diagnostic] = []
        for path in paths:
            data = None if path in ours else self._hints.read(self._root / path)
            if data and not self._generated(path, data):
                findings.append(_not_ours(path))
        if findings:
            raise DiagnosticError(findings)

    def _temporary(self, path: str) -> Path:
        target = self._root / path
        return target.with_name(f".{target.name}{TEMPORARY}")

    def _prepare(self, path: str, data: bytes) -> None:
        temporary = self._temporary(path)
        temporary.parent.mkdir(parents=True, exist_ok=True)
        create(temporary, data, durable=True)

    @property
    def remembers(self) -> bool:
        """Whether anything is noted of what builds wrote."""
        return bool(self._remembered())

    def _remembered(self) -> dict[str, set[str]]:
        """The digests that our files may have."""
        files, begun = self._load()
        paths = files.keys() | begun.keys()
        return {path: {known[path] for known in (files, begun) if path in known} for path in paths}

    def _settled(self, written: Mapping[str, os.stat_result], outputs: Mapping[str, str]) -> dict[str, Json]:
        """The stamps, with the digests, of files that were put in place just now, so that nobody has to read them to
        tell what they hold. `written` is what the system said of each before it was put in place.

        A stamp tells a file where nobody can have written to it, or can do so later, in a tick of the filesystem's
        clock that the stamp has: it was written before the tick in which it was put in place, which has passed.
        """
        found: dict[str, Json] = {}
        latest = self._manifest.touch()
        if latest is None:
            return found
        for path, before in written.items():
            status = os.lstat(self._root / path)
            is_same = (status.st_ino, status.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
            is_settled = status.st_mtime_ns < status.st_ctime_ns < latest.st_mtime_ns
            if is_same and is_settled and status.st_dev == latest.st_dev:
                found[path] = [*_stamp(status), outputs[path]]
        return found

    def _remember(
        self, files: Mapping[str, str], begun: Mapping[str, str], stamps: Mapping[str, Json] | None = None
    ) -> None:
        """`stamps` are those of files that are put in place, where they are known; those of others stay."""
        known: dict[str, Json] = {**self._stamps(), **(stamps or {})}
        kept = {path: stamp for path, stamp in known.items() if path in files}
        self._manifest.save({"files": dict(files), "begun": dict(begun), "stamps": kept})

    def _stamps(self) -> dict[str, list[Any]]:
        """What the system said of files while they had a digest, and that digest."""
        found: dict[str, list[Any]] = {} if self._hints.rehash else self._manifest.load().get("stamps", {})
        return found

    def _load(self) -> tuple[dict[str, str], dict[str, str]]:
        """The files that builds have written, and those that builds had begun to put in place when they were killed.

        InfrastructureError (OW905) when that is there and cannot be read: what is not known any more is never removed.
        """
        try:
            saved = self._manifest.load(must_be_read=True)
        except OSError as error:
            raise _cannot_be("read", "what the last build wrote", error) from error
        files, begun = (
            {path: str(digest) for path, digest in saved.get(name, {}).items() if self._is_output(path)}
            for name in ("files", "begun")
        )
        return files, begun


def _stamp(status: os.stat_result) -> list[int]:
    return [status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_dev]


def _not_ours(path: str) -> Diagnostic:
    return Diagnostic(
        code="OW904",
        message=f"{path} is in the way: the build writes a file of that name, and this one was not written by it",
        place=Place(path),
        reason="a build overwrites only what a build wrote",
        help="move or delete the file, or choose another `package:` in specs/library.yaml",
    )


def _outside(areas: Collection[str]) -> Diagnostic:
    folders = " and ".join(f"{area}/" for area in sorted(areas))
    return Diagnostic(
        code="OW522",
        message=f"a cached result names an output that is not below {folders}",
        reason="no build makes such a result; it was written by another program, perhaps to change files elsewhere",
        help="delete .opwright (or the cache that --cache names) and build again",
    )


def _cannot_write(root: Path, error: OSError) -> InfrastructureError:
    name = error.filename if isinstance(error.filename, str) else ""
    shown = os.path.relpath(name, root).replace(os.sep, "/") if name else "an output"
    return _cannot_be("written", shown.replace(TEMPORARY, ""), error)


def _cannot_be(done: str, what: str, error: OSError) -> InfrastructureError:
    help = "make room, or make dist/ and library/ folders that can be written to" if done == "written" else ""
    return cannot_be(done, what, error, help)
