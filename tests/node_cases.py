"""The standard's own tests of single operators, made once.

onnx computes them with numpy each time that they are asked for, which takes seconds; they are the same each time.
"""

from __future__ import annotations

import os
import pickle
import tempfile
import warnings
from importlib.metadata import version
from pathlib import Path

from onnx.backend.test.case.test_case import TestCase
from onnx.backend.test.loader import load_model_tests

FOLDER = Path(__file__).resolve().parents[1] / ".opwright" / "tests"
PACKAGES = ("onnx", "numpy", "ml_dtypes", "protobuf")  # what the cases and their bytes come from


def node_cases() -> list[TestCase]:
    """All cases, as objects of the caller's own, from the file that the first call in this checkout has written."""
    file = FOLDER / f"node-cases-{'-'.join(version(name) for name in PACKAGES)}.pickle"
    if file.exists():
        found: list[TestCase] = pickle.loads(file.read_bytes())
        return found
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # numpy's, while the suite makes its own expectations
        made = load_model_tests(kind="node")
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=FOLDER, delete=False) as written:
        written.write(pickle.dumps(made))
    os.replace(written.name, file)
    return made
