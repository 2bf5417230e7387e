"""The record of a site from all that is known of a library; nothing here reads a file.

What belongs to a function is found in tables by its identity: the work is linear in the library.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from onnx import FunctionProto
from opwright.bundle.format import BodyEntry, FunctionEntry, Index
from opwright.bundle.write import bundle_name

from opwright_build.propose.readable import make_readable
from opwright_build.reference import exactness, interface_tables, opset_matrix, runtime_matrix
from opwright_build.reference.documented_library import Documented
from opwright_build.reference.history import history
from opwright_build.reference.markdown import span
from opwright_build.reference.pages import row_lines, suite_and_rows
from opwright_build.report.obstacles import identity_of
from opwright_build.site.body_graph import MOST_NODES, body_graph, names_of, node_count
from opwright_build.site.formulas import formulas
from opwright_build.site.site_record import (
    BodyRecord,
    Callee,
    Example,
    FunctionRecord,
    GuideGroup,
    Part,
    SiteRecord,
    SourceRecord,
    VersionRecord,
)
from opwright_build.site.support_matrix import support_matrix
from opwright_build.verify.facts.gaps import Gap, GapsFile
from opwright_build.verify.facts.numerics import Note, Numerics, Row

_FLOATS = {"float", "double", "float16", "bfloat16"}
_SHORT_BODY = 40  # nodes up to which other variants are drawn too
_MOST_BODIES = 4  # of one version that are drawn


def site_record(library: Documented, examples: Mapping[str, Example], guide: Sequence[GuideGroup]) -> SiteRecord:
    """`examples` are by identity."""
    return _Recorded(library, examples).record(guide)


class _Recorded:
    def __init__(self, library: Documented, examples: Mapping[str, Example]) -> None:
        self.library = library
        self.examples = examples
        self.histories = library.histories()
        self.gaps: dict[str, list[Gap]] = defaultdict(list)
        for gap in library.gaps.gaps:
            self.gaps[gap.operator].append(gap)
        self.rows: dict[str, list[Row]] = defaultdict(list)
        for row in library.numerics.rows:
            self.rows[row.function].append(row)
        self.notes: dict[str, list[Note]] = defaultdict(list)
        for note in library.numerics.notes:
            self.notes[note.function].append(note)
        self.prevented: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
        for item in library.prevented:
            self.prevented[identity_of(item)].append(item)
        self.pages = {entry.identity: page_of(entry) for entries in self.histories for entry in entries}
        self.callees: dict[str, dict[str, Callee]] = defaultdict(dict)
        self.callers: dict[str, dict[str, Callee]] = defaultdict(dict)
        self._read_calls()

    def record(self, guide: Sequence[GuideGroup]) -> SiteRecord:
        library = self.library
        packages = library.packages or [library.bundle.index]
        functions = tuple(self._function(entries) for entries in self.histories)
        calls = {function.page: [callee.page for callee in function.callees if callee.page] for function in functions}
        name = ", ".join(package.library for package in packages)
        summary = packages[0].summary if len(packages) == 1 else ""
        return SiteRecord(name, summary, tuple(self._facts(packages)), functions, calls, tuple(guide))

    def _facts(self, packages: Sequence[Index]) -> list[tuple[str, str]]:
        versions = sum(map(len, self.histories))
        bodies = len(self.library.bundle.bodies)
        found = [("Functions", f"{len(self.histories):,}"), ("Versions", f"{versions:,}"), ("Bodies", f"{bodies:,}")]
        for package in packages:
            title = "Package" if len(packages) == 1 else package.library
            found.append((title, f"{package.package} {package.version}"))
            found.append(("Bundle", bundle_name(package)))
        found.append(("Opsets", span(*packages[0].opsets)))
        found += [("License", text) for text in dict.fromkeys(package.license for package in packages) if text]
        return found

    def _read_calls(self) -> None:
        for entries in self.histories:
            for entry in entries:
                for call in dict.fromkeys(
                    (c.domain, c.name, c.since_version) for body in entry.bodies for c in body.calls
                ):
                    identity = f"{call[0]}::{call[1]}@{call[2]}"
                    page = page_of(entry)
                    self.callees[page][identity] = Callee(identity, self.pages.get(identity, ""))
                    if identity in self.pages:
                        self.callers[self.pages[identity]][entry.identity] = Callee(entry.identity, page)

    def _function(self, entries: Sequence[FunctionEntry]) -> FunctionRecord:
        newest = entries[0]
        index = self.library.bundle.index
        emitted = next((item.mirror for item in index.domains if item.name == newest.domain), newest.domain)
        page = page_of(newest)
        return FunctionRecord(
            domain=newest.domain,
            name=newest.name,
            emitted=emitted,
            page=page,
            package=self.library.package_of(newest).package,
            summary=newest.summary,
            versions=tuple(self._version(entry, emitted) for entry in entries),
            history=tuple(history(entries)),
            callers=tuple(self.callers[page].values()),
            callees=tuple(self.callees[page].values()),
            rows=tuple(row_lines(self.library, entries)),
            sources=tuple(self._sources(entries)),
        )

    def _version(self, entry: FunctionEntry, emitted: str) -> VersionRecord:
        library = self.library
        identity = entry.identity
        gaps = GapsFile(tuple(self.gaps[identity]), (), library.gaps.releases)
        own = Numerics(library.numerics.measured_with, tuple(self.rows[identity]), tuple(self.notes[identity]))
        interface = (
            ("Inputs", interface_tables.inputs_table(entry.inputs)),
            ("Attributes", interface_tables.attributes_table(entry.attributes)),
            ("Outputs", interface_tables.outputs_table(entry.outputs)),
            ("Types", interface_tables.types_table(entry)),
            ("Variants", opset_matrix.variant_axes(entry)),
        )
        promised = (
            ("Promised", exactness.tolerances(library.versions[identity])),
            ("Measured", exactness.measured(own, identity)),
            ("Notes", exactness.notes(own, identity)),
        )
        bodies = [
            *opset_matrix.bodies_table(library.bundle, entry),
            "",
            *opset_matrix.templates_table(entry),
            *(line for told in opset_matrix.prevented(entry, self.prevented[identity]) for line in ("", told)),
        ]
        return VersionRecord(
            since_version=entry.since_version,
            doc=entry.doc.strip(),
            python=tuple(interface_tables.python_form(library.package_of(entry), entry)),
            onnx=interface_tables.onnx_form(emitted, entry),
            deprecated=entry.deprecated,
            opsets=opset_matrix.opsets_text(entry),
            interface=_parts(interface),
            bodies_by_opset=_part("Bodies by opset", bodies),
            promised=_parts(promised),
            support=support_matrix(entry, gaps.gaps, gaps),
            runtimes=_part("Runtimes", runtime_matrix.runtime_table(entry, gaps)),
            measured=own.rows,
            bodies=tuple(self._bodies(entry)),
            example=self.examples.get(identity),
            vectors=_part("Vectors", suite_and_rows(library, entry)),
        )

    def _bodies(self, entry: FunctionEntry) -> list[BodyRecord]:
        """Those at the newest opset, the most usual variant first; others where they differ and are short."""
        newest = max((body.last_opset for body in entry.bodies), default=0)
        here = sorted((body for body in entry.bodies if body.last_opset == newest), key=unusual(entry))
        found: dict[str, _Loaded] = {}
        for body in here:
            if body.body not in found and (not found or len(found) < _MOST_BODIES):
                loaded = _Loaded(body, FunctionProto.FromString(self.library.bundle.bodies[body.body]))
                if not found or loaded.count <= _SHORT_BODY:
                    found[body.body] = loaded
        return [self._body(entry, loaded) for loaded in found.values()]

    def _body(self, entry: FunctionEntry, loaded: _Loaded) -> BodyRecord:
        body, function = loaded.body, make_readable(loaded.function)
        names = names_of(entry, body, self.pages)
        of_floats = all(set(admitted) <= _FLOATS for _, admitted in entry.types)
        return BodyRecord(
            variant=", ".join(f"{axis}={value}" for axis, value in body.variant),
            opsets=span(body.first_opset, body.last_opset),
            digest=body.body.partition(":")[2][: opset_matrix.DIGITS],
            count=loaded.count,
            graph=body_graph(function, names) if loaded.count <= MOST_NODES else None,
            formulas=formulas(function, names, of_floats=of_floats),
        )

    def _sources(self, entries: Sequence[FunctionEntry]) -> list[SourceRecord]:
        versions: dict[str, list[int]] = {}
        for entry in entries:
            versions.setdefault(self.library.sources[entry.identity], []).append(entry.since_version)
        return [
            SourceRecord(path, ", ".join(map(str, numbers)), self.library.texts[path])
            for path, numbers in versions.items()
        ]


@dataclass(frozen=True, slots=True)
class _Loaded:
    body: BodyEntry
    function: FunctionProto

    @property
    def count(self) -> int:
        return node_count(self.function)


def page_of(entry: FunctionEntry) -> str:
    """The page of a function, below the folder of pages."""
    return f"functions/{entry.domain}/{entry.name}"


def _parts(found: Sequence[tuple[str, Sequence[str]]]) -> tuple[Part, ...]:
    return tuple(Part(title, tuple(lines)) for title, lines in found if lines)


def _part(title: str, lines: Sequence[str]) -> Part | None:
    return Part(title, tuple(lines)) if any(lines) else None


_UNUSUAL_RANKS = {"2": 0, "4": 0, "1": 2, "0": 3}  # others lie between


def unusual(entry: FunctionEntry) -> Callable[[BodyEntry], tuple[int, ...]]:
    """How far the variant of a body is from what people call: float, inputs that are absent, attributes at their
    defaults, matrices and images sooner than vectors and scalars."""
    types = dict(entry.types)
    defaults = {item.name: str(item.default) for item in entry.attributes}

    def strangeness(axis: str, value: str) -> int:
        if axis in types:
            return 0 if value == "float" or "float" not in types[axis] else 1
        if axis.endswith(".rank"):
            return _UNUSUAL_RANKS.get(value, 1)
        usual = defaults.get(axis, "absent")
        return 0 if value == usual else 1

    return lambda body: tuple(strangeness(axis, value) for axis, value in body.variant)
