"""What became of the vectors of one version, as bytes that can be kept, and what it rests on besides files.

A verdict rests on the bodies of the version and of all that they call, on what its spec says, on the files of vectors
and references that were read, on the cases of the standard's suite, and on the machine: releases and builds of the
runtimes and of numpy, and what the processor can do. Where one of them differs it is another verdict.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

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
from opwright_build.verify.case_model import CaseName, CollectedVersion, Outcome, Status
from opwright_build.verify.runtimes import Runtime

_PACKAGES = ("ml_dtypes", "numpy", "onnx", "onnxruntime")


@dataclass(frozen=True, slots=True)
class Verdict:
    """`cases` and `skipped` are numbers of vectors; `reference` and `suite` as in CollectedVersion."""

    identity: str
    outcomes: tuple[Outcome, ...]
    diagnostics: tuple[Diagnostic, ...]
    cases: int
    skipped: int
    reference: str
    suite: tuple[str, ...]

    @property
    def is_lasting(self) -> bool:
        """Whether it may be kept. What fails is run again: it may be the runtime or the machine that failed."""
        return not has_errors(self.diagnostics) and all(item.status is not Status.FAIL for item in self.outcomes)


def verdict_of(collected: CollectedVersion, outcomes: Sequence[Outcome]) -> Verdict:
    return Verdict(
        collected.identity,
        tuple(outcomes),
        collected.diagnostics,
        len(collected.cases),
        len(collected.skipped),
        collected.reference,
        tuple(collected.suite),
    )


# ------------------------------------------------------------------------------------------------------- as bytes


def encode_verdict(verdict: Verdict) -> bytes:
    """Cells refer to their case, body, runtime and message by number: there are a hundred thousand of them."""
    names: dict[int, int] = {}
    cases: list[object] = []
    texts: dict[str, int] = {}
    cells: list[int] = []
    statuses = list(Status)
    for outcome in verdict.outcomes:
        case = outcome.case
        if id(case) not in names:
            names[id(case)] = len(names)
            cases.append([case.name, list(case.bindings.items()), _place(case.place)])
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
        "cells": cells,
        "texts": list(texts),
        "diagnostics": [to_json(item) for item in verdict.diagnostics],
        "counts": [verdict.cases, verdict.skipped],
        "reference": verdict.reference,
        "suite": list(verdict.suite),
    }
    return canonical_json(value)


def decode_verdict(identity: str, data: bytes) -> Verdict:
    """The verdict that `encode_verdict` wrote."""
    value = json.loads(data)
    names = [CaseName(identity, name, dict(bindings), Place(*place)) for name, bindings, place in value["cases"]]
    texts, statuses = value["texts"], list(Status)
    cells = iter(value["cells"])
    outcomes = tuple(
        Outcome(names[case], opset, texts[body], texts[runtime], statuses[status], texts[message])
        for case, opset, body, runtime, status, message in zip(*[cells] * 6, strict=True)
    )
    diagnostics = tuple(from_json(item) for item in value["diagnostics"])
    cases, skipped = value["counts"]
    return Verdict(identity, outcomes, diagnostics, cases, skipped, value["reference"], tuple(value["suite"]))


def _place(place: Place) -> list[str | int]:
    return [place.file, place.line, place.column, place.end_line, place.end_column]


# --------------------------------------------------------------------------------------------- what it rests on


def machine_digest(runtimes: Sequence[Runtime]) -> str:
    """The digest of what decides about a verdict outside of the library: packages, runtimes, the processor."""
    fields = [platform.system(), platform.machine(), np.__version__, onnx.__version__, *_processor()]
    fields += [f"{name} {build}" for name, build in _builds().items()]
    fields += [f"{runtime.name} {runtime.release}" for runtime in runtimes]
    return digest_fields(fields)


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
        attribute_docs={},
        inputs=tuple(replace(item, doc="") for item in version.inputs),
        outputs=tuple(replace(item, doc="") for item in version.outputs),
    )
    types = {name: sorted(kinds) for name, kinds in sorted(declared.items())}
    return digest_bytes(encode_value(bare) + canonical_json(types))
