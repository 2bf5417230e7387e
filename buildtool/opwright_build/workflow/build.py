"""`opwright build`: compile what changed, write what differs, say what there is now."""

from __future__ import annotations

import glob
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from opwright_build.engine.publish import Published
from opwright_build.package.distribution import distribution_name
from opwright_build.report.course import Stage
from opwright_build.report.reporter import Reporter
from opwright_build.report.tables import counted
from opwright_build.workflow.built.library import BuiltLibrary, build_library
from opwright_build.workflow.built.select_packages import names_asked_for
from opwright_build.workflow.opened.editor_schemas import write_editor_schemas
from opwright_build.workflow.opened.session import Options, Session
from opwright_build.workflow.opened.task import NOTHING, finish, keep_build_record, on_library
from opwright_build.workflow.selection.last_runs import note_build

_OF_ONE = ("version", "bundle")
_SUMS = ("versions", "pairs", "opset_bodies", "stored_bodies", "bytes_saved")
MANY = 4  # more files of one folder than these are told as a number


def build(path: Path, reporter: Reporter, options: Options, started: float, keep_going: bool = False) -> int:
    """Builds the library around `path`. Nothing is written unless all of it is right, nor where some functions alone
    are selected: those are compiled. With `keep_going` the packages are written that are right by themselves."""

    def task(session: Session) -> int:
        session.reporter.plan([Stage.COMPILE])
        status = _build(session, started, keep_going)
        keep_build_record(session, started)
        return status

    return on_library(path, reporter, options, task)


def _build(session: Session, started: float, keep_going: bool) -> int:
    library = build_library(session)
    if keep_going and not library.good and library.chosen is None:
        return _build_what_is_right(session, started, library)
    counts = action_counts(session, library)
    if not library.good:
        return finish(session, started, library.diagnostics, "", counts)
    if library.chosen is not None:
        text = f"no errors in {counted(len(library.chosen), 'version')}; {actions_line(counts)}"
        rest = "a bundle holds whole packages: without a selection `opwright build` writes them"
        text = f"{text}\nnothing is written; {rest}" if library.chosen else NOTHING
        return finish(session, started, library.diagnostics, text, {**figures(library), **counts, "outputs": []})
    published = publish(session, library)
    write_editor_schemas(session.root)
    if not session.packages:
        note_build(session, library.result, library.facts["templates"])
    outputs = _outputs(library, published)
    for output in outputs:
        session.reporter.event("output", output)
    text = "\n".join([*headline(library), actions_line(counts), *_file_lines(published), "next: opwright test"])
    return finish(session, started, library.diagnostics, text, {**figures(library), **counts, "outputs": outputs})


def _build_what_is_right(session: Session, started: float, failed: BuiltLibrary) -> int:
    """Each package by itself: with errors in another one, it is written nevertheless."""
    names = names_asked_for(session)
    parts = [replace(session, packages=(name,)) for name in names] if len(names) > 1 else []
    libraries = [(part, build_library(part)) for part in parts]
    built = [(part, library) for part, library in libraries if library.good]
    found = dict.fromkeys([*failed.diagnostics, *(item for _, library in libraries for item in library.diagnostics)])
    outputs: list[dict[str, Any]] = []
    lines: list[str] = []
    for part, library in built:
        published = publish(part, library)
        outputs += _outputs(library, published)
        lines += [*headline(library), *_file_lines(published)]
    for output in outputs:
        session.reporter.event("output", output)
    written = {package["library"] for _, library in built for package in library.packages}
    lines.append(f"not built: {', '.join(name for name in names if name not in written)}")
    counts = action_counts(session, failed)
    fields: dict[str, Any] = {
        **counts,
        "packages": [one for _, library in built for one in figures(library)["packages"]],
        "outputs": outputs,
    }
    return finish(session, started, tuple(found), "\n".join(lines), fields, failed=True)


def publish(session: Session, library: BuiltLibrary) -> Published:
    """Writes what a library that was built well yields."""
    folders = sorted({str(PurePosixPath(path).parent) for path in library.files if path.startswith("library/")})
    return session.publisher.publish(
        library.files, lambda file: session.engine.fetch(library.result, file), folders, scope_of(session, library)
    )


def action_counts(session: Session, library: BuiltLibrary) -> dict[str, int]:
    """How many actions the library consists of, and how many of them had to run."""
    total = library.facts.get("actions", session.count.seen)
    return {"actions": total, "actions_run": session.count.run, "actions_cached": total - session.count.run}


def scope_of(session: Session, library: BuiltLibrary) -> Callable[[str], bool]:
    """Which files of earlier builds are this one's to remove: none of a release, and with some packages asked for,
    theirs alone."""
    released = re.compile("|".join(_released(session, library)) or "(?!)")
    owned = re.compile("|".join(_owned(library)) if session.packages else ".*", re.DOTALL)
    return lambda path: owned.fullmatch(path) is not None and released.fullmatch(path) is None


def _owned(library: BuiltLibrary) -> Iterator[str]:
    """Patterns of what the packages of a build write."""
    for package in library.packages:
        wheel = distribution_name(package["library"])
        yield f"library/{re.escape(package['package'])}/.*"
        yield rf"dist/{re.escape(wheel)}-\d[^-]*-[^/]*\.whl"
        yield rf"dist/{re.escape(package['library'])}-\d[^-]*\.onnxlib"


def _released(session: Session, library: BuiltLibrary) -> Iterator[str]:
    """Patterns of the artefacts of releases: their notes lie beside them."""
    for package in library.packages:
        name, wheel = package["library"], distribution_name(package["library"])
        for notes in (session.root / "dist").glob(f"{glob.escape(name)}-*.md"):
            version = notes.name.removeprefix(f"{name}-").removesuffix(".md")
            if re.fullmatch(r"\d+\.\d+\.\d+", version):
                yield rf"dist/{re.escape(name)}-{re.escape(version)}\.onnxlib"
                yield rf"dist/{re.escape(wheel)}-{re.escape(version)}-[^/]*\.whl"


def figures(library: BuiltLibrary) -> dict[str, Any]:
    """The figures of a build, as in its JSON summary: of each package, and their sums."""
    packages = [
        {name: package[name] for name in ("library", "package", *_OF_ONE, *_SUMS)} for package in library.packages
    ]
    sums = {name: library.total(name) for name in _SUMS}
    one = {name: packages[0][name] for name in ("library", *_OF_ONE)} if len(packages) == 1 else {}
    return {**one, **sums, "packages": packages}


def headline(library: BuiltLibrary) -> list[str]:
    lines = []
    for facts in library.packages:
        pairs = counted(facts["pairs"], "(version, type) pair")
        lines.append(f"{facts['library']} {facts['version']}: {counted(facts['versions'], 'version')}, {pairs}")
    opset_bodies = counted(library.total("opset_bodies"), "opset body", "opset bodies")
    stored = counted(library.total("stored_bodies"), "stored body", "stored bodies")
    return [*lines, f"{opset_bodies} -> {stored}, {counted(library.total('bytes_saved'), 'byte')} saved"]


def actions_line(counts: Mapping[str, int]) -> str:
    done = f"{counts['actions_run']} run, {counts['actions_cached']} cached"
    return f"{counted(counts['actions'], 'action')}: {done}; {{seconds}}"


def _outputs(library: BuiltLibrary, published: Published) -> list[dict[str, Any]]:
    states = dict.fromkeys(published.written, "written") | dict.fromkeys(published.unchanged, "unchanged")
    sizes = {path: size for package in library.packages for path, size in package["sizes"].items()}
    listed: list[dict[str, Any]] = [
        {"path": path, "status": states[path], "sha256": library.files[path], "size": sizes[path]}
        for path in sorted(library.files)
    ]
    return listed + [{"path": path, "status": "removed", "sha256": None, "size": None} for path in published.removed]


def _file_lines(published: Published) -> list[str]:
    lines: list[str] = []
    for verb, paths in (("wrote", published.written), ("removed", published.removed)):
        folders: dict[str, list[str]] = {}
        for path in paths:
            folders.setdefault(str(PurePosixPath(path).parent), []).append(path)
        for folder, members in folders.items():
            if len(members) > MANY:
                lines.append(f"{verb} {folder}/ ({len(members)} files)")
            else:
                lines += (f"{verb} {member}" for member in members)
    if published.unchanged:
        lines.append(f"{counted(len(published.unchanged), 'file')} unchanged")
    return lines
