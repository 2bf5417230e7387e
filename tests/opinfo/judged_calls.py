"""The calls of a library of operators, by how they ended: on each runtime, and as eager Python."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
from opwright import DiagnosticError, script
from opwright.aten.binding import Binding, bind_operator
from opwright.bundle.format import Bundle, FunctionEntry
from opwright.bundle.read import find_bundle
from opwright.diagnostics.diagnostic import Place
from opwright.eager import at_opset
from opwright.packaged import LibraryFunction, LibraryOpset
from opwright_build.spec.confine import LibraryFiles
from opwright_build.spec.model import SpecVersion, VectorKind, VectorSource
from opwright_build.verify.cases.bindings import Unbound
from opwright_build.verify.cases.operator_calls import under_operator
from opwright_build.verify.cases.stored.fitting import stored_case
from opwright_build.verify.cases.stored.numpy_archive import read_archive
from opwright_build.verify.cases.stored.stored_rows import StoredVector

from tests.opinfo.archive import read_vectors
from tests.opinfo.runtime_faults import ALL, Fault, read_faults

DOMAIN = "opwright.aten"
_SPECS = "specs_of_aten"  # a package of their folders
_EAGER = ("float", "int64", "bool")
_EAGER_OPSET = 26  # where bodies run: the newest that onnxruntime loads
_DIGITS = 24  # units in the last place of the largest element
_RAN = {"pass", "fail", "unverified"}
_SOURCE = VectorSource(VectorKind.ARRAYS, Place("vectors.npz"), path="vectors.npz")


@dataclass(slots=True)
class Judged:
    """One call. `runtimes` is by runtime the worst of what it came to at the opsets and in the types that it ran in."""

    name: str
    refused: str = ""
    runtimes: dict[str, str] = field(default_factory=dict)
    messages: dict[str, str] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)  # by runtime what it computes wrongly by itself
    eager: str = ""  # what is wrong of it as Python
    bodies: set[str] = field(default_factory=set)  # on which it passes

    @property
    def element_types(self) -> str:
        return self.name.rpartition("-")[0]

    @property
    def outcome(self) -> str:
        """`pass`, `fail`, or `skip` where no runtime gave a value."""
        wrong = [name for name, status in self.runtimes.items() if status == "fail" and name not in self.faults]
        if wrong or self.eager:
            return "fail"
        return "pass" if "pass" in self.runtimes.values() else "skip"


@dataclass(slots=True)
class Tally:
    """One operator: its calls by name, and by element type the largest distance in units of the last place."""

    operator: str
    function: str
    core: bool
    calls: dict[str, Judged] = field(default_factory=dict)
    ulps: dict[str, float] = field(default_factory=dict)

    def ended(self) -> Counter[str]:
        return Counter(call.outcome for call in self.calls.values())

    def failing(self) -> Iterator[str]:
        for call in self.calls.values():
            for runtime, message in call.messages.items():
                if runtime not in call.faults:
                    yield f"{call.name} on {runtime}: {message}"
            if call.eager:
                yield f"{call.name} {call.eager}"


def operator_of(version: SpecVersion) -> str:
    assert version.implements is not None
    return version.implements.schema.partition("(")[0]


def bundle_of(library: Path) -> Bundle:
    return find_bundle(library / "dist" / "opwright-aten-0.1.0.onnxlib")


def judge(
    library: Path, chosen: Mapping[str, SpecVersion], core: frozenset[str], *, spread: bool = False
) -> dict[str, Tally]:
    """What `opwright test` finds, by function; with `spread` at one or two opsets of each variant. `core` are names of
    operators."""
    command = [sys.executable, "-m", "opwright_build"]
    subprocess.run([*command, "build", "--quiet"], cwd=library, check=True)
    bundle = bundle_of(library)
    tallies: dict[str, Tally] = {}
    for name, version in chosen.items():
        tally = tallies[name] = Tally(operator_of(version), name, operator_of(version) in core)
        entry = bundle.index.table.find(DOMAIN, name, 1)
        assert entry is not None, f"{name} is not in the bundle"
        for vector in _vectors(library, name):
            tally.calls[vector.name] = Judged(vector.name, _refusal(vector, version, entry))
    test = [*command, "test", "--json", "--no-oracle", *(["--spread"] if spread else [])]
    ran = subprocess.run(test, cwd=library, stdout=subprocess.PIPE, text=True, check=False)
    for event in map(json.loads, ran.stdout.splitlines()):
        if event["event"] == "outcome":
            name = event["function"].partition("::")[2].partition("@")[0]
            call = tallies[name].calls.get(event["vector"])
            if call is not None:  # a row of vectors.yaml is no call of the harvest
                _add(call, event)
    for name, tally in tallies.items():
        _explain(tally, library / "specs" / DOMAIN / name / "vectors.npz")
    return tallies


def _vectors(library: Path, name: str) -> Sequence[StoredVector]:
    return read_archive(LibraryFiles(library), f"specs/{DOMAIN}/{name}", _SOURCE).vectors


def _refusal(vector: StoredVector, version: SpecVersion, entry: FunctionEntry) -> str:
    """Why the function does not serve the call, or not with the types that its results have."""
    try:
        stored_case(vector, version, entry)
    except Unbound as error:
        return str(error)
    return ""


def _add(call: Judged, event: Mapping[str, Any]) -> None:
    runtime, status = event["runtime"], event["status"]
    before = call.runtimes.get(runtime, "")
    if before != "fail" and (status == "fail" or before not in _RAN):
        call.runtimes[runtime] = status
    if status == "pass":
        call.bodies.add(event["body"])
    elif status == "fail":
        call.messages.setdefault(runtime, event["message"][:200])


def _explain(tally: Tally, path: Path) -> None:
    """Notes which failures are the runtime's own; the same body must be right elsewhere, but for what is open."""
    failing = [call for call in tally.calls.values() if call.messages]
    if not failing:
        return
    by_name = {vector.name: vector for vector in read_vectors(path)}
    for call in failing:
        elsewhere = "pass" in call.runtimes.values()
        for runtime, message in call.messages.items():
            gives_no_value = not any(text in message for text in (" differs in ", " has shape ", " has element type "))
            for fault in known_faults():
                holds = elsewhere or gives_no_value or fault.runtime == ALL
                if holds and fault.covers(tally.function, runtime, by_name[call.name], message):
                    call.faults[runtime] = fault.reason
                    _needed.add(fault)
                    break


_faults: list[Fault] = []
_needed: set[Fault] = set()


def known_faults() -> list[Fault]:
    if not _faults:
        _faults.extend(read_faults())
    return _faults


def unneeded_faults() -> list[Fault]:
    """Rows that no call has needed so far."""
    return [fault for fault in known_faults() if fault not in _needed]


def run_eagerly(library: Path, tallies: Mapping[str, Tally]) -> None:
    """The compiled body and the Python of each function on its calls: what differs, and how far both are from torch."""
    bundle = bundle_of(library)
    for name, tally in tallies.items():
        entry = bundle.index.table.find(DOMAIN, name, 1)
        assert entry is not None and entry.implements is not None
        assert isinstance(bind_operator(entry.implements, entry), Binding)
        compiled, python = _compiled(bundle, entry), script()(_python(library, name))
        for vector in _vectors(library, name):
            call = tally.calls[vector.name]
            if call.element_types.partition("-")[0] in _EAGER and not call.refused and not vector.random:
                found = _compare(tally, vector, entry, compiled, python)
                # A kernel that is wrong by itself is wrong in another way where it stands alone.
                call.eager = "" if any(name.startswith("onnxruntime") for name in call.faults) else found


def _compare(tally: Tally, vector: StoredVector, entry: FunctionEntry, compiled: Any, python: Any) -> str:
    """What is wrong, if anything."""
    call = under_operator(vector, entry)
    assert isinstance(call.inputs, tuple)
    try:
        first = _results(compiled(*call.inputs, **call.attributes))
    except DiagnosticError:
        return ""  # no kernel, which `opwright test` has found
    try:
        with at_opset(_EAGER_OPSET):
            second = _results(python(*_positional(entry, call.inputs), **_named(entry, call.inputs), **call.attributes))
    except DiagnosticError as error:
        if error.diagnostics[0].code == "OW315":
            return ""  # `*xs` of a script has one element type, and inputs of a spec may have any
        return f"as Python: {error.diagnostics[0].message[:160]}"
    kind = vector.name.partition("-")[0]
    for found, wanted in zip(first, call.outputs, strict=False):
        if isinstance(wanted, np.ndarray) and wanted.dtype.kind == "f" and found.shape == wanted.shape:
            tally.ulps[kind] = max(tally.ulps.get(kind, 0.0), _ulps(found, wanted))
    same = len(first) == len(second) and all(map(_equal, first, second))
    return "" if same else "as Python gives something else than the compiled body"


def _positional(entry: FunctionEntry, inputs: Sequence[Any]) -> list[Any]:
    """The values of `*xs`, where there is one; Python then takes the others by position too."""
    return list(inputs) if entry.inputs and entry.inputs[-1].variadic else []


def _named(entry: FunctionEntry, inputs: Sequence[Any]) -> dict[str, Any]:
    if entry.inputs and entry.inputs[-1].variadic:
        return {}
    return {item.name: value for item, value in zip(entry.inputs, inputs, strict=False) if value is not None}


def _compiled(bundle: Bundle, entry: FunctionEntry) -> LibraryFunction:
    class Opened(LibraryFunction):
        """A function of this very bundle, whatever is installed."""

        @property
        def bundle(self) -> Bundle:
            return bundle

    opset = LibraryOpset("opwright_aten", "", entry.domain, entry.since_version, (entry.name,), None)
    return Opened(opset, entry.name)


def _python(library: Path, name: str) -> Any:
    """The function of a spec, which may import those of others: their folders stand below one package."""
    folder = str(library / "specs" / DOMAIN)
    package = sys.modules.get(_SPECS)
    if package is None or [*package.__path__] != [folder]:
        for loaded in [item for item in sys.modules if item.partition(".")[0] == _SPECS]:
            del sys.modules[loaded]
        package = sys.modules[_SPECS] = ModuleType(_SPECS)
        package.__path__ = [folder]
    return getattr(importlib.import_module(f"{_SPECS}.{name}.function"), name)


def _results(value: Any) -> list[np.ndarray[Any, Any]]:
    return [np.asarray(item) for item in (value if isinstance(value, tuple | list) else (value,))]


def _equal(first: np.ndarray[Any, Any], second: np.ndarray[Any, Any]) -> bool:
    """Equal, but for the last digits of floats: a whole body is optimised, which takes other kernels of onnxruntime."""
    if first.dtype != second.dtype or first.shape != second.shape:
        return False
    if first.dtype.kind in "biuOSU":
        return np.array_equal(first, second)
    if first.dtype.name == "bfloat16":  # what numpy's functions know of floats does not hold of it
        first, second = first.astype(np.float32), second.astype(np.float32)
    finite = np.isfinite(first)
    largest = float(np.abs(first[finite]).max(initial=0.0))
    near = np.abs(first[finite] - second[finite]) <= _DIGITS * _unit(largest, first.dtype)
    return np.array_equal(first[~finite], second[~finite], equal_nan=True) and bool(near.all())


def _ulps(found: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any]) -> float:
    """The largest distance of finite elements, in units of the last place of the largest element of the result, of 1
    where all are 0: beside an exact 0, as transforms and differences have it, a unit of that element's own says
    nothing."""
    finite = np.isfinite(found) & np.isfinite(wanted)
    far = np.abs(found[finite].astype(np.float64) - wanted[finite]).max(initial=0.0)
    return float(far / _unit(float(np.abs(wanted[finite]).max(initial=0.0)) or 1.0, wanted.dtype))


def _unit(value: float, dtype: np.dtype[Any]) -> float:
    """That of the last place of a number of the type; of numbers near its largest one numpy gives infinity."""
    return float(np.spacing(dtype.type(min(value, float(np.finfo(dtype).max) / 2))))


def types_of(tallies: Sequence[Tally]) -> dict[str, Counter[str]]:
    """How calls ended, by the element type of their first tensor."""
    types: dict[str, Counter[str]] = defaultdict(Counter)
    for tally in tallies:
        for call in tally.calls.values():
            types[call.element_types.partition("-")[0]][call.outcome] += 1
    return types
