"""What a model is brought to: an opset, an IR version, and the kernels that it is known to lack."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from onnx import IR_VERSION, defs, helper

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Severity
from opwright.downlevel.installed_runtime import takes, without_kernel
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
    they import of other domains. `findings` are what is to be said of what is known of the consumer.
    """

    opset: int
    ir_version: int
    name: str
    missing: Missing = field(default_factory=dict)
    exactly: bool = False
    findings: tuple[Diagnostic, ...] = ()

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
    known = _known(release)
    if opset is not None and opset > known.opset:
        reason = f"its newest opset is {known.opset}"
        raise DiagnosticError([Diagnostic("OW584", f"onnxruntime {release} takes no opset {opset}", reason=reason)])
    chosen = min(known.opset if opset is None else target_of_opset(opset).opset, defs.onnx_opset_version())
    return replace(known, opset=chosen)


def _known(release: str) -> Target:
    """What a release takes: as it is on record; one that came out later as it is found where it is installed, and
    elsewhere as the newest on record, with a warning. DiagnosticError (OW584) for others."""
    rows: dict[str, Any] = {row["release"]: row for row in _runtimes()["onnxruntime"]}
    name = f"onnxruntime {release}"
    if release in rows:
        return Target(rows[release]["opset"], rows[release]["ir_version"], name, _missing(release))
    last = max(rows, key=_numbers)
    if _numbers(release) < _numbers(last):
        known = f"the releases known are {min(rows, key=_numbers)} to {last}, and newer ones"
        help_text = "give the opset that it takes with --opset"
        message = f"what {name} takes is not known"
        raise DiagnosticError([Diagnostic("OW584", message, reason=known, help=help_text)])
    if release == _installed():
        return Target(*takes(), name, _still_missing(last))
    return Target(rows[last]["opset"], rows[last]["ir_version"], name, _missing(last), findings=(_newer(name, last),))


def _newer(name: str, last: str) -> Diagnostic:
    return Diagnostic(
        "OW677",
        f"{name} is newer than all releases on record, and is taken for {last}",
        reason="it may take a newer opset, and have kernels that are made up for here",
        help=f"run the command where {name} is installed, or give its opset with --opset",
        severity=Severity.WARNING,
    )


def _still_missing(last: str) -> Missing:
    """Of what the newest release on record lacks, what the installed one lacks too."""
    found = {key: tuple(without_kernel(*key, types)) for key, types in _missing(last).items()}
    return {key: types for key, types in found.items() if types}


def _numbers(release: str) -> tuple[int, ...]:
    return tuple(int(number) for number in release.split("."))


def _release(text: str) -> str:
    match = _RUNTIME.match(text)
    if match is None:
        help_text = "write ort==1.17, or ort for the one that is installed"
        raise DiagnosticError([Diagnostic("OW584", f"no runtime is called {text}", help=help_text)])
    if match.group(1) is not None:
        return f"{match.group(1)}.{match.group(2)}"
    installed = _installed()
    if not installed:
        help_text = "write the release, as in ort==1.17"
        raise DiagnosticError([Diagnostic("OW584", "onnxruntime is not installed", help=help_text)])
    return installed


def _installed() -> str:
    """The release of the installed onnxruntime, by its first two numbers; empty where there is none."""
    try:
        return ".".join(version("onnxruntime").split(".")[:2])
    except PackageNotFoundError:
        return ""


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
