"""`nox -s numerics [-- NAME ...]`: the bodies of opwright-std beside the standard's own, against a float64 oracle.

Writes specs/numerics.yaml and docs/numerics.md, for all functions or those named; fails where one of ours is worse than
`BUDGET` times the standard's.
"""

from __future__ import annotations

import importlib.metadata
import sys
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from opwright.bundle.format import Bundle, FunctionEntry
from opwright_build.report.console import Console
from opwright_build.report.reporter import TextReporter
from opwright_build.spec.load import load_library
from opwright_build.spec.model import LoadedLibrary, SpecVersion
from opwright_build.verify.case_model import Case
from opwright_build.verify.cases.oracle import Oracle
from opwright_build.verify.facts.numerics import FILE, Note, Numerics, Row, joined, read_numerics, write_numerics
from opwright_build.workflow.built.library import build_library, read_built
from opwright_build.workflow.judged.judged_library import Subject, collect
from opwright_build.workflow.opened.session import Options, Session
from opwright_build.workflow.opened.task import on_library

from benchmarks.numerics.calls import Caller
from benchmarks.numerics.compare import LIMITS, Comparison, edges_of
from benchmarks.numerics.page import numerics_page
from benchmarks.numerics.standard import schema_of
from benchmarks.numerics.undetermined import NOTES

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "opwright-std"  # what the standard has bodies of its own for
PACKAGES = ("numpy", "onnx", "onnxruntime")


def main() -> int:
    return measure(ROOT, ROOT / "docs" / "numerics.md", sys.argv[1:])


def measure(root: Path, page: Path, named: Sequence[str]) -> int:
    """Measures the library at `root`, or its functions of these names. Gives 1 where a budget is broken."""
    reporter = TextReporter(Console(sys.stdout, sys.stderr))
    return on_library(root, reporter, Options(packages=(PACKAGE,)), lambda session: _measure(session, page, named))


def _measure(session: Session, page: Path, named: Sequence[str]) -> int:
    library = build_library(session)
    if not library.good:
        session.reporter.findings(library.diagnostics, session.source_text)
        return 1
    loaded, bundle = load_library(session.root, only=[PACKAGE]), read_built(session, library)
    entries = [entry for entry in newest(bundle) if not named or entry.name in named]
    subject = Subject(session, loaded, bundle, {entry.identity for entry in entries})
    measured = list(_rows(bundle, loaded, entries, collect(subject, run_oracle=True).cases))
    caller = Caller(bundle)
    notes = [Note(entry.identity, NOTES[entry.name](caller, entry)) for entry in entries if entry.name in NOTES]
    path = session.root / FILE
    old = read_numerics(path.read_bytes()).numerics if path.is_file() else Numerics({}, (), ())
    known = {entry.identity for entry in newest(bundle)}
    whole = joined(old, measured, notes, [entry.identity for entry in entries])
    numerics = Numerics(
        {name: importlib.metadata.version(name) for name in PACKAGES},
        tuple(row for row in whole.rows if row.function in known),
        tuple(note for note in whole.notes if note.function in known),
    )
    path.write_text(write_numerics(numerics), encoding="utf-8")
    page.write_text(numerics_page(read_numerics(path.read_bytes()).numerics), encoding="utf-8")
    broken = [row for row in measured if row.over_budget]
    for row in broken:
        print(f"over budget: {row.function} {row.type}: {', '.join(row.over_budget)}: {row.ours} beside {row.standard}")
    print(f"{len(measured)} rows, {len(broken)} over budget; wrote {FILE} and docs/{page.name}")
    return 1 if broken else 0


def newest(bundle: Bundle) -> Iterable[FunctionEntry]:
    """The newest version of each function that the standard gives a body, in order."""
    found: dict[tuple[str, str], FunctionEntry] = {}
    for entry in bundle.index.functions:
        if schema_of(entry) is not None:
            known = found.get((entry.domain, entry.name))
            if known is None or known.since_version < entry.since_version:
                found[entry.domain, entry.name] = entry
    return found.values()


def _rows(
    bundle: Bundle, loaded: LoadedLibrary, entries: Collection[FunctionEntry], cases: Sequence[Case]
) -> Iterator[Row]:
    versions: dict[str, SpecVersion] = {version.identity: version for version in loaded.versions}
    with Oracle(LIMITS) as oracle:
        comparison = Comparison(loaded.library.root, bundle, oracle)
        for entry in entries:
            started = time.perf_counter()
            if entry.name not in NOTES:
                yield from comparison.rows(versions[entry.identity], entry, edges_of(cases, entry.identity))
            print(f"{entry.identity}: {time.perf_counter() - started:.1f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
