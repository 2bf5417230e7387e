"""`opwright site`: a folder of HTML about a library, to be looked at from the disk or put on any server."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from opwright.diagnostics.diagnostic import Diagnostic, has_errors

from opwright_build.engine.system_errors import cannot_be
from opwright_build.engine.tree import Tree, stays_inside
from opwright_build.report.reporter import Reporter
from opwright_build.report.tables import counted
from opwright_build.workflow.build import action_counts
from opwright_build.workflow.built.library import build_library
from opwright_build.workflow.opened.session import Options, Session
from opwright_build.workflow.opened.status import UsageError
from opwright_build.workflow.opened.task import finish, on_library
from opwright_build.workflow.opened.writing import write_below, write_file
from opwright_build.workflow.reference import documented_library

if TYPE_CHECKING:
    from opwright_build.reference.documented_library import Documented
    from opwright_build.site.site_record import Example, GuideGroup, SiteRecord

FOLDER = "dist/site"
WRITTEN = ".opwright-site.json"  # in the folder: the files that were written there
_NEEDED = ("sphinx", "furo", "markdown_it")


def site(path: Path, reporter: Reporter, options: Options, output: Path | None, started: float) -> int:
    """Writes the site of the library around `path`, by default to dist/site; files of an earlier one are removed."""
    wanted = replace(options, reads_only=output is not None)
    return on_library(path, reporter, wanted, lambda session: _site(session, output, started))


def _site(session: Session, output: Path | None, started: float) -> int:
    folder = output or session.root / FOLDER
    if output is None:
        session.tree.require_folder(FOLDER)
    earlier = _written_before(folder)
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise UsageError([_not_installed(missing)])
    library = build_library(session)
    counts = action_counts(session, library)
    if not library.good:
        return finish(session, started, library.diagnostics, "", counts)
    documented, found = documented_library(session, library)
    diagnostics = [*library.diagnostics, *found]
    if has_errors(diagnostics):
        return finish(session, started, diagnostics, "", counts)
    record = recorded(session, documented)
    files = _made(session, record)
    tree = Tree(folder)
    written = sum([write_below(tree, name, data) for name, data in files.items()])
    for name in earlier:
        if name not in files:
            _remove(tree, name)
    write_file(folder / WRITTEN, (json.dumps(sorted(files), indent=0) + "\n").encode())
    text = f"{counted(len(record.functions), 'function')}; {written} of {counted(len(files), 'file')} written\n"
    text += f"look at it: {_shown(folder / 'index.html')}"
    return finish(session, started, diagnostics, text, counts)


def recorded(session: Session, documented: Documented) -> SiteRecord:
    """What the pages are to say: examples are run for it, and the guide is read."""
    from opwright_build.site.recorded_library import site_record

    session.reporter.step("running examples")
    examples = _examples(session, documented)
    return site_record(documented, examples, _guide(session))


def _examples(session: Session, documented: Documented) -> Mapping[str, Example]:
    from opwright_build.site.example_calls import example_call, run_examples

    calls = []
    for newest, *_ in documented.histories():
        call = example_call(newest, documented.vectors[newest.identity].rows)
        if call is not None:
            calls.append(call)
    packages = {call.entry.domain: documented.package_of(call.entry) for call in calls}
    return run_examples(calls, documented.bundle, packages, session.workers)


def _guide(session: Session) -> list[GuideGroup]:
    """The pages that the library's docs/README.md lists; none where there is no such file."""
    from opwright_build.site.guide_index import GUIDE, listed_pages
    from opwright_build.site.site_record import GuideGroup, GuidePage

    index = session.tree.read(GUIDE)
    groups = []
    for title, paths in listed_pages(index.decode("utf-8", "replace")) if index is not None else ():
        found = [(path, session.tree.read(f"docs/{path}")) for path in paths]
        pages = [
            GuidePage(path.removesuffix(".md"), data.decode("utf-8", "replace"))
            for path, data in found
            if data is not None
        ]
        groups.append(GuideGroup(title, tuple(pages)))
    return [group for group in groups if group.pages]


def _made(session: Session, record: SiteRecord) -> dict[str, bytes]:
    """The files of the site. What the generator warns of is told as it is: our own pages give it no reason to."""
    from opwright_build.site.site_pages import site_pages
    from opwright_build.site.sphinx_run import run_sphinx

    session.reporter.step("drawing")
    pages = site_pages(record)
    session.reporter.step("writing pages")
    with tempfile.TemporaryDirectory(prefix="opwright-site-") as made:
        sources, output, kept = (Path(made) / name for name in ("sources", "html", "kept"))
        for name, text in pages.items():
            path = sources / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        warned = run_sphinx(record.name, sources, output, kept)
        files = {
            path.relative_to(output).as_posix(): path.read_bytes()
            for path in sorted(output.rglob("*"))
            if path.is_file() and path.name not in (".buildinfo", "objects.inv")
        }
    for line in filter(str.strip, warned.splitlines()):
        session.reporter.step(f"sphinx: {line}")
    return files


def _written_before(folder: Path) -> list[str]:
    """The files of an earlier site. UsageError where the folder holds something else (OW971)."""
    tree = Tree(folder)
    if not folder.is_dir() or not any(folder.iterdir()):
        return []
    data = tree.read(WRITTEN)
    if data is None:
        message = f"{_shown(folder)} holds files that are no site of opwright"
        help_ = "name a folder that is empty or not there: --output FOLDER"
        raise UsageError([Diagnostic("OW971", message, help=help_)])
    try:
        names = json.loads(data)
    except ValueError:
        return []
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []


def _remove(tree: Tree, name: str) -> None:
    if not stays_inside(name) or tree.plain_file(name) is None:
        return
    path = tree.root / name
    try:
        path.unlink()
    except OSError as error:
        raise cannot_be("removed", _shown(path), error) from error


def _shown(path: Path) -> str:
    return os.path.relpath(path).replace(os.sep, "/")


def _not_installed(missing: list[str]) -> Diagnostic:
    message = "a site needs packages that are not installed"
    return Diagnostic("OW970", message, reason=f"missing: {', '.join(missing)}", help="pip install 'opwright[site]'")
