"""What a model is brought to: an opset, an IR version, and the kernels that it is known to lack."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from onnx import IR_VERSION, defs, helper

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError
from opwright.opsets.steps import OLDEST, OLDEST_ALONE

RUNTIMES = Path(__file__).with_name("runtimes.json")

_RUNTIME = re.compile(r"(?:ort|onnxruntime)(?:==(\d+)\.(\d+)(?:\.\S+)?)?\Z")
_COLUMNS = {"": 2, "ai.onnx.ml": 3, "ai.onnx.training": 4, "ai.onnx.preview.training": 4}  # of helper.VERSION_TABLE
_PREVIEW_SINCE = 28  # the opset with which the first operator of ai.onnx.preview was released

Missing = Mapping[tuple[str, str, int], tuple[Mapping[str, str], ...]]


@dataclass(frozen=True, slots=True)
class Target:
    """`missing` holds, by domain, operator and since_version, the types (variable to element) without a kernel.

    `name` says in messages who the consumer is. `exactly`: models shall be of that very opset, older ones too, whatever
    they import of other domains.
    """

    opset: int
    ir_version: int
    name: str
    missing: Missing = field(default_factory=dict)
    exactly: bool = False

    def version_of(self, domain: str) -> int | None:
        """The newest version of a domain of the standard that it takes, 0 for none; None for other domains."""
        if domain == "":
            return self.opset
        if self.exactly:
            return None
        if domain == "ai.onnx.preview":
            return 1 if self.opset >= _PREVIEW_SINCE else 0
        column = _COLUMNS.get(domain)
        if column is None:
            return None
        return max((row[column] for row in _rows(self.opset) if len(row) > column), default=0)

    def lacks_kernel(self, domain: str, schema: defs.OpSchema, types: Mapping[str, str]) -> bool:
        """Whether no kernel is known for an operator with these element types, by type variable of the schema."""
        rows = self.missing.get((domain, schema.name, schema.since_version), ())
        return any(all(types.get(variable) == element for variable, element in row.items()) for row in rows)


def target_of_opset(opset: int) -> Target:
    """A consumer of the time of an opset. Raises DiagnosticError (OW584) when there is no such opset, or too old."""
    _refuse_unknown(opset, OLDEST)
    return Target(opset, max(row[1] for row in _rows(opset)), f"opset {opset}")


def opset_alone(opset: int) -> Target:
    """Whoever takes an opset, and of everything else what there is. Raises DiagnosticError (OW584)."""
    _refuse_unknown(opset, OLDEST_ALONE)
    return Target(opset, IR_VERSION, f"opset {opset}", exactly=True)


def _refuse_unknown(opset: int, oldest: int) -> None:
    newest = defs.onnx_opset_version()
    if not oldest <= opset <= newest:
        reason = f"models are rewritten for the opsets {oldest} to {newest}"
        raise DiagnosticError([Diagnostic("OW584", f"opset {opset} cannot be a target", reason=reason)])


def target_of_runtime(text: str, opset: int | None = None) -> Target:
    """A release of onnxruntime, as `ort==1.17`, or the installed one, `ort`; `opset` may ask for an older one.

    Raises DiagnosticError (OW584) when it is not known what the release takes, or that it does not take `opset`.
    """
    release = _release(text)
    rows: dict[str, Any] = {row["release"]: row for row in _runtimes()["onnxruntime"]}
    if release not in rows:
        known = f"{next(iter(rows))} to {list(rows)[-1]}" if rows else "none"
        help_text = "give the opset that it takes with --opset"
        text = f"what onnxruntime {release} takes is not known"
        raise DiagnosticError([Diagnostic("OW584", text, reason=f"the releases known are {known}", help=help_text)])
    row = rows[release]
    if opset is not None and opset > row["opset"]:
        reason = f"its newest opset is {row['opset']}"
        raise DiagnosticError([Diagnostic("OW584", f"onnxruntime {release} takes no opset {opset}", reason=reason)])
    chosen = min(row["opset"] if opset is None else target_of_opset(opset).opset, defs.onnx_opset_version())
    return Target(chosen, row["ir_version"], f"onnxruntime {release}", _missing(release))


def _release(text: str) -> str:
    match = _RUNTIME.match(text)
    if match is None:
        help_text = "write ort==1.17, or ort for the one that is installed"
        raise DiagnosticError([Diagnostic("OW584", f"no runtime is called {text}", help=help_text)])
    if match.group(1) is not None:
        return f"{match.group(1)}.{match.group(2)}"
    try:
        return ".".join(version("onnxruntime").split(".")[:2])
    except PackageNotFoundError:
        help_text = "write the release, as in ort==1.17"
        raise DiagnosticError([Diagnostic("OW584", "onnxruntime is not installed", help=help_text)]) from None


def _missing(release: str) -> Missing:
    found: dict[tuple[str, str, int], list[Mapping[str, str]]] = {}
    for row in _runtimes()["missing_kernels"]:
        if release in row["releases"]:
            key = (row["domain"], row["operator"], row["since_version"])
            found.setdefault(key, []).extend(row["types"])
    return {key: tuple(types) for key, types in found.items()}


@cache
def _runtimes() -> Any:
    return json.loads(RUNTIMES.read_text(encoding="utf-8"))


def _rows(opset: int) -> list[tuple[Any, ...]]:
    """What the releases of onnx that brought an opset support."""
    return [row for row in helper.VERSION_TABLE if row[2] == opset]
