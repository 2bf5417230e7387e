"""The pages: one for each function, all of its versions on it, and an index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from opwright.bundle.format import FunctionEntry

from opwright_build.prose import prose
from opwright_build.reference import exactness, interface_tables, opset_matrix, runtime_matrix
from opwright_build.reference.documented_library import MARK, Documented
from opwright_build.reference.history import history
from opwright_build.reference.markdown import cell, code, codes, fenced
from opwright_build.report.tables import counted
from opwright_build.spec.vectors_file import VectorRow
from opwright_build.templates import render

INDEX = "README.md"
_RUN = "Each class of opsets is run at the newest opset that the runtime accepts, on all vectors:"
_PROMISE = "Results on vectors are within, of the exact value:"
_MEASURED = "Measured on many points, this body / the standard's own:"


@dataclass(frozen=True, slots=True)
class Part:
    """A heading and what stands below it, lines of Markdown."""

    title: str
    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class Section:
    """One version of a function; parts of which there is nothing to tell are left out."""

    since_version: int
    doc: str
    python: Sequence[str]
    onnx: str
    parts: Sequence[Part]


@dataclass(frozen=True, slots=True)
class Source:
    path: str
    versions: str
    text: Sequence[str]


def reference_pages(library: Documented) -> dict[str, bytes]:
    """The files by path below the folder of the reference: the same library, the same bytes."""
    histories = library.histories()
    files = {INDEX: _index(library, histories)}
    for entries in histories:
        files[page_path(entries[0])] = _page(library, entries)
    return {path: text.encode("utf-8") for path, text in sorted(files.items())}


def page_path(entry: FunctionEntry) -> str:
    return f"{entry.domain}/{entry.name}.md"


def _index(library: Documented, histories: Sequence[Sequence[FunctionEntry]]) -> str:
    domains: dict[str, list[dict[str, str]]] = {}
    for entries in histories:
        newest = entries[0]
        row = {
            "link": f"[{newest.name}]({page_path(newest)})",
            "versions": ", ".join(str(entry.since_version) for entry in entries),
            "opsets": opset_matrix.opsets_text(newest),
            "summary": cell(prose(newest.summary)),
        }
        domains.setdefault(newest.domain, []).append(row)
    packages = library.packages or [library.bundle.index]
    name = ", ".join(package.library for package in packages)
    summary = packages[0].summary if len(packages) == 1 else ""
    return _render("index.md.jinja2", mark=MARK, name=name, summary=summary, domains=domains)


def _page(library: Documented, entries: Sequence[FunctionEntry]) -> str:
    index, newest = library.bundle.index, entries[0]
    emitted = next((item.mirror for item in index.domains if item.name == newest.domain), newest.domain)
    sections = [_section(library, entry, emitted) for entry in entries]
    return _render(
        "function.md.jinja2",
        mark=MARK,
        up="../" * page_path(newest).count("/"),
        newest=newest,
        emitted=emitted,
        sections=sections,
        history=history(entries),
        sources=_sources(library, entries),
        rows=row_lines(library, entries),
    )


def _render(template: str, **values: object) -> str:
    return render("opwright_build.reference", template, **values)


def _section(library: Documented, entry: FunctionEntry, emitted: str) -> Section:
    parts = (
        Part("Inputs", interface_tables.inputs_table(entry.inputs)),
        Part("Attributes", interface_tables.attributes_table(entry.attributes)),
        Part("Outputs", interface_tables.outputs_table(entry.outputs)),
        Part("Types", interface_tables.types_table(entry)),
        Part("Variants", opset_matrix.variant_axes(entry)),
        Part("Opsets", _opsets(library, entry)),
        Part("Runtimes", _runtimes(library, entry)),
        Part("Numerics", _numerics(library, entry)),
        Part("Vectors", suite_and_rows(library, entry)),
    )
    return Section(
        entry.since_version,
        entry.doc.strip(),
        interface_tables.python_form(library.package_of(entry), entry),
        interface_tables.onnx_form(emitted, entry),
        tuple(part for part in parts if part.lines),
    )


def _opsets(library: Documented, entry: FunctionEntry) -> list[str]:
    return _paragraphs(
        opset_matrix.bodies_table(library.bundle, entry),
        opset_matrix.templates_table(entry),
        *([line] for line in opset_matrix.prevented(entry, library.prevented)),
    )


def _runtimes(library: Documented, entry: FunctionEntry) -> list[str]:
    told = runtime_matrix.runtime_table(entry, library.gaps)
    return _paragraphs([_RUN], told) if told else []


def _numerics(library: Documented, entry: FunctionEntry) -> list[str]:
    found = exactness.measured(library.numerics, entry.identity)
    return _paragraphs(
        [_PROMISE],
        exactness.tolerances(library.versions[entry.identity]),
        *([[_MEASURED], found] if found else []),
        *([note] for note in exactness.notes(library.numerics, entry.identity)),
    )


def _paragraphs(*blocks: Sequence[str]) -> list[str]:
    """The lines of blocks that have any, an empty line between two."""
    lines: list[str] = []
    for block in blocks:
        if block:
            lines += ["", *block] if lines else block
    return lines


def suite_and_rows(library: Documented, entry: FunctionEntry) -> list[str]:
    found = library.vectors[entry.identity]
    lines = []
    if found.suite:
        lines.append(f"- {counted(len(found.suite), 'case')} of the standard's suite: {codes(found.suite)}")
    if found.rows:
        lines.append(f"- {counted(len(found.rows), 'row')} of its own, [listed below](#rows)")
    return lines


def row_lines(library: Documented, entries: Sequence[FunctionEntry]) -> list[str]:
    """The rows of vector files, each once: its name, and what it is there for."""
    rows: dict[str, VectorRow] = {}
    for entry in entries:
        for row in library.vectors[entry.identity].rows:
            rows.setdefault(f"{row.place}", row)
    return [_row_text(row) for row in rows.values()]


def _row_text(row: VectorRow) -> str:
    told = []
    if row.attributes:
        told.append(", ".join(f"{name}={value}" for name, value in row.attributes.items()))
    told += [f"expects the error `{row.error}`"] if row.error else []
    text = f"- {code(row.name)}" + (f" ({'; '.join(told)})" if told else "")
    return f"{text}: {cell(prose(row.doc))}" if row.doc else text


def _sources(library: Documented, entries: Sequence[FunctionEntry]) -> list[Source]:
    versions: dict[str, list[int]] = {}
    for entry in entries:
        versions.setdefault(library.sources[entry.identity], []).append(entry.since_version)
    return [
        Source(path, ", ".join(map(str, numbers)), fenced("python", library.texts[path]))
        for path, numbers in versions.items()
    ]
