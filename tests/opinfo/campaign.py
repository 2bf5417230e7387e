"""`python -m tests.opinfo.campaign FOLDER`: every harvested call, verified through the adapter of its operator.

The calls of FOLDER (written by `python -m tests.opinfo.harvest`) take the place of the sample that each spec of
opwright.aten keeps, in a copy of the library, which `opwright test` then verifies: on onnxruntime at both levels and on
the reference evaluator. Of float, int64 and bool each call also runs as eager Python, beside the compiled body.
Writes docs/aten-operators.md, and fails where something is wrong, or less was run than is wanted.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from opwright import DiagnosticError, script
from opwright.aten.binding import Binding, bind_operator
from opwright.bundle.format import Bundle, FunctionEntry
from opwright.bundle.read import find_bundle
from opwright.diagnostics.diagnostic import Place
from opwright.packaged import LibraryFunction, LibraryOpset
from opwright_build.spec.confine import LibraryFiles
from opwright_build.spec.load import load_library
from opwright_build.spec.model import SpecVersion, VectorKind, VectorSource
from opwright_build.verify.cases.bindings import Unbound
from opwright_build.verify.cases.operator_calls import under_operator
from opwright_build.verify.cases.stored.numpy_archive import read_archive
from opwright_build.verify.cases.stored.stored_rows import StoredVector

ROOT = Path(__file__).resolve().parents[2]
DOMAIN = "opwright.aten"
TABLE = ROOT / "docs" / "aten-operators.md"
LEAST_VECTORS, LEAST_CORE, MOST_SKIPPED, LEAST_RUN = 12_000, 170, 0.05, 0.90
_EAGER = ("float", "int64", "bool")
_DONE = {"pass", "fail", "unverified"}
PLACE = Place("vectors.npz")


@dataclass(slots=True)
class Tally:
    """Of one operator: its calls by how they ended, and the worst error of a type in units of the last place."""

    operator: str
    function: str
    core: bool
    ended: Counter[str] = field(default_factory=Counter)
    types: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    runtimes: Counter[str] = field(default_factory=Counter)
    ulps: dict[str, float] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    failed: set[str] = field(default_factory=set)  # the names of calls
    passed: dict[str, set[str]] = field(
        default_factory=lambda: defaultdict(set)
    )  # bodies and types that it shows right, by name


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.opinfo.campaign", description=__doc__)
    parser.add_argument("vectors", type=Path, help="the folder of the harvest")
    parser.add_argument("functions", nargs="*", help="only these")
    parser.add_argument("--keep", type=Path, help="where the copy of the library is made and kept")
    parser.add_argument("--no-eager", action="store_true", help="do not run calls as Python")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        library = (options.keep or Path(folder)).resolve()
        chosen = copy_library(library, options.vectors, options.functions)
        tallies = judge(library, chosen)
        if not options.no_eager:
            run_eagerly(library, tallies)
    lines = [*summary(tallies.values())]
    print("\n".join(lines))
    if not options.functions:
        TABLE.write_text(page(tallies.values()), encoding="utf-8")
    return 1 if any(line.startswith("FAILED") for line in lines) else 0


def copy_library(target: Path, vectors: Path, names: Sequence[str]) -> dict[str, SpecVersion]:
    """A library of the domain alone, each spec with the harvest in the place of its sample; the versions by name."""
    loaded = load_library(ROOT)
    chosen: dict[str, SpecVersion] = {}
    shutil.rmtree(target / "specs", ignore_errors=True)
    (target / "specs" / DOMAIN).mkdir(parents=True)
    shutil.copy(ROOT / "specs" / DOMAIN / "domain.yaml", target / "specs" / DOMAIN)
    (target / "specs" / "library.yaml").write_text(_LIBRARY, encoding="utf-8")
    for version in loaded.versions:
        if version.domain.name != DOMAIN or version.implements is None or (names and version.name not in names):
            continue
        harvest = vectors / f"{operator_of(version).replace('::', '__').replace('.', '_')}.npz"
        folder = target / "specs" / DOMAIN / version.name
        shutil.copytree(version.folder, folder)
        if harvest.exists():
            shutil.copy(harvest, folder / "vectors.npz")
        chosen[version.name] = version
    return chosen


_LIBRARY = """\
schema: 1
library: opwright-aten
version: 0.1.0
package: opwright_aten
summary: Every harvested call.
license: Apache-2.0
opsets: ">=18,<=28"
requires: {opwright: ">=0.1"}
"""


def operator_of(version: SpecVersion) -> str:
    assert version.implements is not None
    return version.implements.schema.partition("(")[0]


def judge(library: Path, chosen: Mapping[str, SpecVersion]) -> dict[str, Tally]:
    """What `opwright test` finds."""
    core = {row["name"] for row in _schemas() if row.get("core")}
    tallies = {
        name: Tally(operator_of(version), name, operator_of(version) in core) for name, version in chosen.items()
    }
    command = [sys.executable, "-m", "opwright_build"]
    environment = dict(os.environ)
    subprocess.run([*command, "build", "--quiet"], cwd=library, env=environment, check=True)
    test = [*command, "test", "--json", "--no-oracle"]
    ran = subprocess.run(test, cwd=library, stdout=subprocess.PIPE, text=True, env=environment, check=False)
    cases: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    types: dict[tuple[str, str], str] = {}
    for line in ran.stdout.splitlines():
        event = json.loads(line)
        if event["event"] == "outcome":
            name = event["function"].partition("::")[2].partition("@")[0]
            key = (name, event["vector"])
            ended = cases[key]
            before = ended.get(event["runtime"], "")
            if before != "fail":  # at one opset it may pass, where at another it fails
                ended[event["runtime"]] = (
                    event["status"] if before not in _DONE or event["status"] == "fail" else before
                )
            types[key] = event["vector"].partition("-")[0]
            if event["status"] == "fail":
                tallies[name].wrong.append(f"{event['vector']} on {event['runtime']}: {event['message'][:200]}")
                tallies[name].failed.add(event["vector"])
            elif event["status"] == "pass":
                shown = (f"{variable}={kind}" for variable, kind in event["types"].items())
                tallies[name].passed[event["vector"]].update((event["body"], *shown))
        elif event["event"] == "finding" and event["finding"]["code"] in ("OW154", "OW450", "OW152"):
            print(event["finding"]["message"], event["finding"]["reason"])
    for (name, _), ended in ((key, cases[key]) for key in cases):
        key = (name, _)
        tally = tallies[name]
        outcome = "fail" if "fail" in ended.values() else "pass" if "pass" in ended.values() else "skip"
        tally.ended[outcome] += 1
        tally.types[types[key]][outcome] += 1
        tally.runtimes.update(runtime for runtime, status in ended.items() if status in _DONE)
    return tallies


def _schemas() -> list[dict[str, Any]]:
    table = ROOT / "buildtool" / "opwright_build" / "spec" / "torch_schemas.jsonl"
    return [json.loads(line) for line in table.read_text("utf-8").splitlines()]


def run_eagerly(library: Path, tallies: Mapping[str, Tally]) -> None:
    """The compiled body and the Python of each function on its calls: what differs, and how far both are from torch."""
    bundle = find_bundle(library / "dist" / "opwright-aten-0.1.0.onnxlib")
    files = LibraryFiles(library)
    for name, tally in tallies.items():
        entry = bundle.index.table.find(DOMAIN, name, 1)
        if entry is None or entry.implements is None:
            tally.wrong.append("it is not in the bundle")
            continue
        bound = bind_operator(entry.implements, entry)
        assert isinstance(bound, Binding)
        compiled, python = _compiled(bundle, entry), script()(_python(library, name))
        source = VectorSource(VectorKind.ARRAYS, PLACE, path="vectors.npz")
        for vector in read_archive(files, f"specs/{DOMAIN}/{name}", source).vectors:
            kind = vector.name.partition("-")[0]
            if vector.call is not None and kind in _EAGER and not vector.random:
                _compare(tally, vector, entry, compiled, python, kind)


def _compare(tally: Tally, vector: StoredVector, entry: FunctionEntry, compiled: Any, python: Any, kind: str) -> None:
    try:
        call = under_operator(vector, entry)
    except Unbound:
        tally.ended["unbound"] += 1
        return
    assert isinstance(call.inputs, tuple)
    try:
        first = _results(compiled(*call.inputs, **call.attributes))
    except DiagnosticError:
        return  # no kernel, which `opwright test` has found
    try:
        second = _results(python(*_positional(entry, call.inputs), **_named(entry, call.inputs), **call.attributes))
    except DiagnosticError as error:
        tally.wrong.append(f"{vector.name} as Python: {error.diagnostics[0].message[:160]}")
        return
    if len(first) != len(second) or not all(map(_equal, first, second)):
        tally.wrong.append(f"{vector.name}: Python and the compiled body differ")
    for found, wanted in zip(first, call.outputs, strict=False):
        if isinstance(wanted, np.ndarray) and wanted.dtype.kind == "f" and found.shape == wanted.shape:
            tally.ulps[kind] = max(tally.ulps.get(kind, 0.0), _ulps(found, wanted))


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
    path = library / "specs" / DOMAIN / name / "function.py"
    spec = importlib.util.spec_from_file_location(f"aten_{name}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def _results(value: Any) -> list[np.ndarray[Any, Any]]:
    return [np.asarray(item) for item in (value if isinstance(value, tuple | list) else (value,))]


def _equal(first: np.ndarray[Any, Any], second: np.ndarray[Any, Any]) -> bool:
    return first.dtype == second.dtype and np.array_equal(first, second, equal_nan=first.dtype.kind == "f")


def _ulps(found: np.ndarray[Any, Any], wanted: np.ndarray[Any, Any]) -> float:
    """The largest distance in units of the last place, of finite values."""
    with np.errstate(all="ignore"):
        finite = np.isfinite(found) & np.isfinite(wanted)
        far = np.abs(found - wanted)[finite] / np.spacing(np.abs(wanted[finite]))
    return float(far.max(initial=0.0))


def summary(tallies: Sequence[Tally] | Any) -> Iterator[str]:
    """What all come to, and what is too little."""
    all_ = list(tallies)
    ended = sum((item.ended for item in all_), Counter[str]())
    types: dict[str, Counter[str]] = defaultdict(Counter)
    for item in all_:
        for kind, counts in item.types.items():
            types[kind].update(counts)
    vectors = ended["pass"] + ended["fail"] + ended["skip"]
    core = sum(item.core and bool(item.ended["pass"]) for item in all_)
    yield f"{vectors:,} calls of {len(all_)} operators ({core} core): {dict(ended)}"
    for kind, counts in sorted(types.items()):
        run = (counts["pass"] + counts["fail"]) / max(1, sum(counts.values()))
        yield f"  {kind}: {dict(counts)}, {run:.1%} run"
        if run < LEAST_RUN:
            yield f"FAILED: less than {LEAST_RUN:.0%} of {kind} are run"
    for item in all_:
        for text in dict.fromkeys(item.wrong):
            yield f"FAILED: {item.function}: {text}"
    if vectors < LEAST_VECTORS or core < LEAST_CORE:
        yield f"FAILED: fewer than {LEAST_VECTORS:,} calls or {LEAST_CORE} core operators"
    if ended["skip"] > MOST_SKIPPED * vectors:
        yield f"FAILED: more than {MOST_SKIPPED:.0%} are skipped"


def page(tallies: Any) -> str:
    """docs/aten-operators.md."""
    rows = []
    for item in sorted(tallies, key=lambda item: item.operator):
        total = sum(item.ended[key] for key in ("pass", "fail", "skip"))
        ulps = ", ".join(f"{kind} {value:.3g}" for kind, value in sorted(item.ulps.items())) or "-"
        runtimes = ", ".join(f"{name} {count}" for name, count in sorted(item.runtimes.items()))
        rows.append(f"| `{item.operator}` | {total} | {', '.join(sorted(item.types))} | {runtimes} | {ulps} |")
    return "\n".join([_HEAD, *rows, ""])


_HEAD = """\
<!-- Generated by `nox -s opinfo`. -->
# The operators of opwright-aten

Each operator with the calls by PyTorch's own samples that it was verified with, through the adapter of its call: how
many, of which element types, on which runtimes these gave a value, and the largest distance from what PyTorch gives, in
units of the last place.

| operator | calls | element types | runtimes | distance |
|---|---|---|---|---|"""


if __name__ == "__main__":
    sys.exit(main())
