"""`opwright lint`: every finding of a build and of the form of vectors, and nothing written but the cache."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from opwright.diagnostics.diagnostic import Diagnostic, has_errors
from opwright.diagnostics.exits import Exit
from opwright.diagnostics.findings_json import from_json, to_json

from opwright_build.engine.action import Action
from opwright_build.engine.content_digest import canonical_json
from opwright_build.engine.sources import digest_now
from opwright_build.report.quiet import QuietReporter
from opwright_build.report.reporter import Reporter
from opwright_build.report.tables import counted
from opwright_build.spec.confine import LibraryFiles
from opwright_build.spec.yaml_source import MAX_BYTES
from opwright_build.workflow.build import action_counts
from opwright_build.workflow.built.library import BuiltLibrary, build_library
from opwright_build.workflow.built.select_packages import domains_asked_for
from opwright_build.workflow.fixing import fields_of, fixes_of, write_fixes
from opwright_build.workflow.opened.session import Options, Session
from opwright_build.workflow.opened.task import NOTHING, finish, on_library

FORMS = "vectors-form"  # what was found in files of vectors, by their bytes
_FOUND = "findings"
_NAMED = re.compile(rb"[A-Za-z0-9_][A-Za-z0-9_./-]*\.yaml")
_ROUNDS = 8  # of fixes: a finding may hide others


def lint(path: Path, reporter: Reporter, options: Options, started: float) -> int:
    """Finds the mistakes of the library around `path`."""
    return _lint(path, reporter, replace(options, reads_only=True), started)


def _lint(path: Path, reporter: Reporter, options: Options, started: float) -> int:
    def task(session: Session) -> int:
        library = build_library(session)
        versions = library.total("versions") if library.chosen is None else len(library.chosen)
        found = (*library.diagnostics, *form_findings(session, library))
        good = library.good and not has_errors(found)
        text = f"no errors in {counted(versions, 'version')}; {{seconds}}" if good else ""
        text = NOTHING if library.is_empty else text
        return finish(session, started, found, text, action_counts(session, library))

    return on_library(path, reporter, options, task)


def lint_and_fix(path: Path, reporter: Reporter, options: Options, started: float, dry: bool) -> int:
    """Makes the fixes that findings are sure of, until there are none, and tells what is left. With `dry` it shows what
    the first ones would change, and writes nothing."""
    options = replace(options, reads_only=dry)
    made = 0
    for _ in range(_ROUNDS):
        count = _fix_once(path, reporter, options, dry)
        made += count
        if dry or not count:
            break
    if made:
        reporter.step(f"{counted(made, 'fix', 'fixes')} {'to be made' if dry else 'made'}")
    return _lint(path, reporter, options, started)


def _fix_once(path: Path, reporter: Reporter, options: Options, dry: bool) -> int:
    """How many fixes were made, or with `dry` would be. What keeps the library from being read is told by `lint`."""
    count = 0

    def task(session: Session) -> int:
        nonlocal count
        library = build_library(session)
        fixes = fixes_of(session.tree, (*library.diagnostics, *form_findings(session, library)))
        for item in fixes:
            for place in item.refused:
                reporter.step(f"{place}: fixes differ here, and none is made")
        if not dry:
            write_fixes(session.tree, fixes)
        elif any(item.made for item in fixes):
            reporter.table("".join(item.diff() for item in fixes).rstrip("\n"))
        for item in fixes:
            for replacement in item.made:
                reporter.event("fix", {**fields_of(replacement), "made": not dry})
        count = sum(len(item.made) for item in fixes)
        return Exit.GOOD

    on_library(path, QuietReporter(), options, task)
    return count


def form_findings(session: Session, library: BuiltLibrary) -> list[Diagnostic]:
    """What is wrong with the form of files of vectors that specs name, of what is selected; known ones are not read."""
    files = LibraryFiles(session.root)
    action = Action(FORMS, FORMS, {}, {}, session.environment)
    known: dict[str, list[dict[str, Any]]] = {}
    for data in session.engine.recall(action, _FOUND):
        known |= json.loads(data)
    now: dict[str, list[dict[str, Any]]] = {}
    found: list[Diagnostic] = []
    for folder, name in _vector_files(files, session, library):
        path = f"{folder}/{name}"
        digest = digest_now(session.sources, f"file:{path}")
        key = f"{path} {digest}"
        if digest is None or key not in known:
            told = _read(files, folder, name)
            found += told
            now[key] = [to_json(item) for item in told]
        else:
            found += (from_json(item) for item in known[key])
    if now:
        session.engine.note(action, _FOUND, canonical_json(known | now))
    return found


def _read(files: LibraryFiles, folder: str, name: str) -> tuple[Diagnostic, ...]:
    from opwright_build.spec.vectors_file import read_vectors_file

    data = files.read(folder, name, MAX_BYTES)
    return (data,) if isinstance(data, Diagnostic) else read_vectors_file(data, f"{folder}/{name}").diagnostics


def _vector_files(files: LibraryFiles, session: Session, library: BuiltLibrary) -> Iterator[tuple[str, str]]:
    """(folder, name) of each YAML file that is named in the spec beside it."""
    chosen = None if library.chosen is None else {identity.partition("@")[0] for identity in library.chosen}
    asked = domains_asked_for(session) if session.packages else None
    for domain in files.folders("specs"):
        if asked is not None and domain not in asked:
            continue
        for function in files.folders(f"specs/{domain}"):
            folder = f"specs/{domain}/{function}"
            if chosen is not None and f"{domain}::{function}" not in chosen:
                continue
            spec = files.read(folder, "spec.yaml", MAX_BYTES)
            named = () if isinstance(spec, Diagnostic) else _NAMED.findall(spec)
            for name in dict.fromkeys(text.decode("ascii") for text in named):
                if files.missing(folder, name) is None:
                    yield folder, name
