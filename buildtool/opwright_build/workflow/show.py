"""`opwright show`: all that is known of a function, what its YAML says and what its Python says together."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opwright.bundle.call_interface import shape_text

from opwright_build.report.console import Console
from opwright_build.report.reporter import Reporter
from opwright_build.report.tables import text_table
from opwright_build.workflow.built.library import build_library, read_packages
from opwright_build.workflow.opened.session import Options, Session
from opwright_build.workflow.opened.task import on_library, only_findings

if TYPE_CHECKING:
    from opwright.bundle.format import AttributeEntry, FunctionEntry, InputEntry, OutputEntry

SCHEMA = "opwright.show/1"


def show(path: Path, console: Console, reporter: Reporter, options: Options, as_json: bool) -> int:
    """Prints each version that is selected of the library around `path`."""

    def task(session: Session) -> int:
        library = build_library(session)
        if not library.good:
            return only_findings(session, library.diagnostics)
        bundles = read_packages(session, library)
        found = {entry.identity: (entry, bundle.index) for bundle in bundles for entry in bundle.index.functions}
        chosen = [entry for identity, entry in found.items() if library.is_chosen(identity)]
        if as_json:
            for entry, index in chosen:
                console.result(json.dumps(function_json(entry, index.library)))
        else:
            several = library.facts["several"]
            texts = (function_text(entry, index.library if several else "") for entry, index in chosen)
            console.result("\n\n".join(texts))
        return only_findings(session, library.diagnostics)

    return on_library(path, reporter, replace(options, reads_only=True), task)


def function_json(entry: FunctionEntry, library: str) -> dict[str, Any]:
    """One line of `show --json`: the package's name and the entry of its bundle's index, mappings as objects."""
    bodies = [
        {
            **asdict(body),
            "variant": dict(body.variant),
            "admits": dict(body.admits),
            "calls": [{**asdict(call), "variant": dict(call.variant)} for call in body.calls],
        }
        for body in entry.bodies
    ]
    return {"schema": SCHEMA, "library": library, **asdict(entry), "types": dict(entry.types), "bodies": bodies}


def function_text(entry: FunctionEntry, library: str = "") -> str:
    """The page of a version; `library` is named where there is more than one."""
    marks = f"{' (deprecated)' if entry.deprecated else ''}{' (template)' if entry.templates else ''}"
    marks += f" of {library}" if library else ""
    lines = [entry.identity + marks, f"  {entry.summary}"]
    if entry.doc:
        lines += ["", *(f"  {line}".rstrip() for line in entry.doc.strip().splitlines())]
    lines += _section("inputs", ((item.name, _input(item), item.doc) for item in entry.inputs))
    lines += _section("outputs", ((item.name, _output(item), item.doc) for item in entry.outputs))
    lines += _section("attributes", ((item.name, _attribute(item), item.doc) for item in entry.attributes))
    lines += _section("types", ((name, " ".join(admitted), "") for name, admitted in entry.types))
    bodies = [
        [
            f"{item.first_opset}-{item.last_opset}",
            f"made for each call, which is asked first for {', '.join(item.axes)}; verified are:",
            item.template,
        ]
        for item in entry.templates
    ]
    bodies += [
        [
            f"{body.first_opset}-{body.last_opset}",
            ", ".join(f"{axis}={value}" for axis, value in body.variant),
            body.body,
        ]
        for body in entry.bodies
    ]
    return "\n".join([*lines, "", text_table(["opsets", "variant", "body"], bodies)])


def _section(title: str, rows: Iterable[Sequence[str]]) -> list[str]:
    listed = list(rows)
    if not listed:
        return []
    names = max(len(name) for name, _, _ in listed)
    kinds = max(len(kind) for _, kind, _ in listed)
    return ["", f"{title}:", *(f"  {name:<{names}}  {kind:<{kinds}}  {doc}".rstrip() for name, kind, doc in listed)]


def _input(item: InputEntry) -> str:
    kind = f"{item.type}, optional" if item.optional else f"{item.type}..." if item.variadic else item.type
    return kind if item.declared_shape is None else f"{kind}, {shape_text(item.declared_shape)}"


def _output(item: OutputEntry) -> str:
    kind = f"{item.type}..." if item.variadic else item.type
    return kind if item.declared_shape is None else f"{kind}, {shape_text(item.declared_shape)}"


def _attribute(item: AttributeEntry) -> str:
    if item.default is not None:
        default = list(item.default) if isinstance(item.default, tuple) else item.default
        return f"{item.type} = {default!r}"
    return f"{item.type}, required" if item.required else f"{item.type}, optional"
