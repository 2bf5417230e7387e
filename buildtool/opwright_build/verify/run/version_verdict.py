"""What became of the vectors of one version, as bytes that can be kept, and what it rests on besides files.

A verdict rests on the bodies of the version and of all that they call, on what its spec says, on the files of vectors
and references that were read, on the cases of the standard's suite, and on the machine: releases and builds of the
runtimes and of numpy, and what the processor can do. Where one of them differs it is another verdict.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, overload

import numpy as np
import onnx
from opwright.bundle.format import FunctionEntry, Index
from opwright.bundle.json_form import canonical_json
from opwright.diagnostics.diagnostic import Diagnostic, Place, has_errors
from opwright.diagnostics.findings_json import from_json, to_json

from opwright_build.engine.content_digest import digest_bytes, digest_fields
from opwright_build.engine.dataclass_bytes import encode_value
from opwright_build.engine.environment import installed_build
from opwright_build.spec.model import SpecVersion
from opwright_build.verify.case_model import CaseName, CollectedVersion, Kind, Outcome, Status, kinds_of
from opwright_build.verify.run.runtimes import Runtime

_PACKAGES = ("ml_dtypes", "numpy", "onnx", "onnxruntime")


@dataclass(frozen=True, slots=True)
class Verdict:
    """`kinds` are those of the outcomes; `cases` and `skipped` numbers of vectors; `reference` and `suite` as in
    CollectedVersion."""

    identity: str
    outcomes: Sequence[Outcome]
    kinds: Sequence[Kind]
    diagnostics: tuple[Diagnostic, ...]
    cases: int
    skipped: int
    reference: str
    suite: tuple[str, ...]

    @property
    def is_lasting(self) -> bool:
        """Whether it may be kept. What fails is run again: it may be the runtime or the machine that failed. So is what
        the machine lacks: it may have been installed."""
        return not self.has_failed and all(kind.outcome.status is not Status.LACKING for kind in self.kinds)

    @property
    def has_failed(self) -> bool:
        return has_errors(self.diagnostics) or any(kind.outcome.status is Status.FAIL for kind in self.kinds)


def verdict_of(collected: CollectedVersion, outcomes: Sequence[Outcome]) -> Verdict:
    return Verdict(
        collected.identity,
        tuple(outcomes),
        kinds_of(outcomes),
        collected.diagnostics,
        len(collected.cases),
        len(collected.skipped),
        collected.reference,
        tuple(collected.suite),
    )


# ------------------------------------------------------------------------------------------------------- as bytes


def encode_verdict(verdict: Verdict) -> bytes:
    """Cells refer to their case, body, runtime and message by number: there are a hundred thousand of them. They are
    text within the text, read where every outcome is asked for; most often the kinds are."""
    firsts = {id(kind.outcome): kind.count for kind in verdict.kinds}
    kinds: list[int] = []
    names: dict[int, int] = {}
    cases: list[object] = []
    texts: dict[str, int] = {}
    cells: list[int] = []
    statuses = list(Status)
    for position, outcome in enumerate(verdict.outcomes):
        if id(outcome) in firsts:
            kinds += (position, firsts[id(outcome)])
        case = outcome.case
        if id(case) not in names:
            names[id(case)] = len(names)
            cases.append([case.name, list(case.bindings.items()), _place(case.place), case.refuses])
        cells += (
            names[id(case)],
            outcome.opset,
            texts.setdefault(outcome.body, len(texts)),
            texts.setdefault(outcome.runtime, len(texts)),
            statuses.index(outcome.status),
            texts.setdefault(outcome.message, len(texts)),
        )
    value = {
        "cases": cases,
        "cells": ",".join(map(str, cells)),
        "kinds": kinds,
        "firsts": [number for position in kinds[::2] for number in cells[6 * position : 6 * position + 6]],
        "texts": list(texts),
        "diagnostics": [to_json(item) for item in verdict.diagnostics],
        "count": len(verdict.outcomes),
        "counts": [verdict.cases, verdict.skipped],
        "reference": verdict.reference,
        "suite": list(verdict.suite),
    }
    return canonical_json(value)


def decode_verdict(identity: str, data: bytes) -> Verdict:
    """The verdict that `encode_verdict` wrote."""
    value = json.loads(data)
    cells = _Cells(identity, value["cases"], value["texts"], value["cells"], value["count"])
    firsts = cells.read(value["firsts"])
    kinds = [Kind(outcome, count) for outcome, count in zip(firsts, value["kinds"][1::2], strict=True)]
    diagnostics = tuple(from_json(item) for item in value["diagnostics"])
    cases, skipped = value["counts"]
    return Verdict(identity, cells, kinds, diagnostics, cases, skipped, value["reference"], tuple(value["suite"]))


class _Cells(Sequence[Outcome]):
    """Outcomes that are read when one is asked for."""

    def __init__(self, identity: str, cases: Sequence[Any], texts: Sequence[str], cells: str, count: int) -> None:
        self._identity = identity
        self._cases = cases
        self._texts = texts
        self._cells = cells
        self._count = count

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Outcome: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Outcome]: ...

    def __getitem__(self, index: int | slice) -> Outcome | Sequence[Outcome]:
        return list(self)[index]

    def __iter__(self) -> Iterator[Outcome]:
        return iter(self.read(json.loads(f"[{self._cells}]")))

    def read(self, numbers: Iterable[int]) -> list[Outcome]:
        """The outcomes that the numbers stand for, six for each."""
        names: dict[int, CaseName] = {}
        texts, statuses = dict(enumerate(self._texts)), list(Status)
        found: list[Outcome] = []
        for case, opset, body, runtime, status, message in zip(*[iter(numbers)] * 6, strict=True):
            if case not in names:
                name, bindings, place, refuses = self._cases[case]
                names[case] = CaseName(self._identity, name, dict(bindings), Place(*place), refuses)
            found.append(Outcome(names[case], opset, texts[body], texts[runtime], statuses[status], texts[message]))
        return found


def _place(place: Place) -> list[str | int]:
    return [place.file, place.line, place.column, place.end_line, place.end_column]


# --------------------------------------------------------------------------------------------- what it rests on


def machine_digest(runtimes: Sequence[Runtime], machine: str = "") -> str:
    """The digest of what decides about a verdict outside of the library: packages, runtimes, the processor. `machine`
    is where it is made, when that is not this machine."""
    return digest_fields([machine or this_machine(), *(f"{runtime.name} {runtime.release}" for runtime in runtimes)])


def this_machine() -> str:
    """The digest of the system, of the builds of packages and of the processor."""
    fields = [platform.system(), platform.machine(), np.__version__, onnx.__version__, *_processor()]
    return digest_fields([*fields, *(f"{name} {build}" for name, build in _builds().items())])


def _builds() -> dict[str, str]:
    """The builds of the packages that are installed: two of one release may give different results."""
    found = {name: find_spec(name) for name in _PACKAGES}
    places = {name: spec.origin for name, spec in found.items() if spec is not None and spec.origin is not None}
    return {name: installed_build(name, Path(place).parent) for name, place in places.items()}


def _processor() -> list[str]:
    """What numpy found that the processor can do: results differ in their last bits with it."""
    try:
        features = import_module("numpy._core._multiarray_umath").__cpu_features__
    except (ImportError, AttributeError):
        return [platform.processor()]
    return sorted(name for name, has in features.items() if has)


def entry_digest(index: Index, entry: FunctionEntry) -> str:
    """The digest of a version's interface and bodies. The digest of a body covers those of the bodies that it calls."""
    bare = replace(
        entry,
        summary="",
        doc="",
        inputs=tuple(replace(item, doc="") for item in entry.inputs),
        outputs=tuple(replace(item, doc="") for item in entry.outputs),
        attributes=tuple(replace(item, doc="") for item in entry.attributes),
    )
    domains = [[item.name, item.version, item.mirror] for item in index.domains if item.name == entry.domain]
    return digest_bytes(encode_value(bare) + canonical_json(domains))


def spec_digest(version: SpecVersion, declared: Mapping[str, frozenset[str]], root: Path) -> str:
    """What a spec says that decides about its vectors; `declared` are the types of all versions of the function."""
    bare = replace(
        version,
        folder=version.folder.relative_to(root),
        domain=replace(version.domain, summary="", places={}),
        summary="",
        doc="",
        tags=(),
        proposal=None,
        attribute_docs={},
        inputs=tuple(replace(item, doc="") for item in version.inputs),
        outputs=tuple(replace(item, doc="") for item in version.outputs),
    )
    types = {name: sorted(kinds) for name, kinds in sorted(declared.items())}
    return digest_bytes(encode_value(bare) + canonical_json(types))
