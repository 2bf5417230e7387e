"""What the processes of `python -m tests.eager` do: all rows of a version."""

from __future__ import annotations

import warnings
from pathlib import Path

from opwright.bundle import installed
from opwright.bundle.format import Bundle
from opwright.bundle.read import find_bundle
from opwright_build.spec.model import LoadedLibrary
from opwright_build.spec.runtime_names import ONNXRUNTIME_OFF, REFERENCE
from opwright_build.verify.case_model import Case

from tests.eager.spec_agreement import Row, compare, newest_bodies
from tests.own_specs import load_standard

_LOADED: list[tuple[LoadedLibrary, Bundle]] = []


def open_worker(path: Path) -> None:
    """What a worker reads once. The package of the library, which specs call each other through, is of that bundle."""
    warnings.simplefilter("ignore")  # numpy's, of what the reference evaluator does on the way
    installed.package_bundle = lambda package, name: path
    _LOADED.append((load_standard(), find_bundle(path)))


def rows_of_version(cases: list[Case]) -> list[Row]:
    """Those of a version. The reference evaluator, which sees no types, runs the bodies of the newest opsets alone."""
    loaded, bundle = _LOADED[0]
    return [
        *compare(loaded, bundle, cases, [ONNXRUNTIME_OFF]),
        *compare(loaded, newest_bodies(bundle), cases, [REFERENCE]),
    ]
