"""OW690 to OW692: backends that are held against vectors, and corpora."""

from __future__ import annotations

import hashlib
import json

from tests.diagnostics.examples import Example, Pair
from tests.diagnostics.examples.proposal import ROWS, SPEC

_REFERENCE = "opwright_build.verify.conformance.reference_backend:ReferenceBackend"


def _list(*cases: object) -> dict[str, str]:
    digest = hashlib.sha256(json.dumps(cases, sort_keys=True).encode()).hexdigest()
    told = {"schema": "opwright.conformance/1", "digest": digest, "cases": cases}
    return {"corpus/conformance.json": f"{json.dumps(told)}\n"}


_LISTED = {"folder": "swish", "tolerance": {}, "files": {"model.onnx": "0"}}


def _files(rows: str) -> dict[str, str]:
    return {"specs/com.acme/Swish/spec.yaml": SPEC, "specs/com.acme/Swish/vectors.yaml": rows}


PAIRS = (
    Pair(
        "OW690",
        bad=Example(f"conform . --opset 20 --backend {_REFERENCE}", _files(ROWS.replace("[0.0, 0.0]", "[0.0, 1.0]"))),
        good=Example(f"conform . --opset 20 --backend {_REFERENCE}", _files(ROWS)),
    ),
    Pair(
        "OW691",
        bad=Example(f"conform corpus --min-count 0 --backend {_REFERENCE}", _list(_LISTED)),
        good=Example(f"conform corpus --min-count 0 --backend {_REFERENCE}", _list()),
    ),
    Pair(
        "OW692",
        bad=Example("vectors export -o corpus --opset 20 --min-count 100", _files(ROWS)),
        good=Example("vectors export -o corpus --opset 20 --min-count 2", _files(ROWS)),
    ),
)
