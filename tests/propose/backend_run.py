"""Runs the node tests of proposals as a backend's author would: `python backend_run.py KIND FOLDER...`.

KIND `folders`: the test folders under each FOLDER become tests of `onnx.backend.test`, on the reference evaluator's
backend and onnxruntime's. KIND `modules`: each FOLDER's Python of node tests is run by onnx's own collector, and what
it collects is compared with the folders. A process of its own, since the collector's lists are global. Prints `OK` and
the number of tests, or what fails.
"""

from __future__ import annotations

import importlib.util
import sys
import unittest
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime.backend
from onnx import numpy_helper
from onnx.backend.base import Backend, BackendRep
from onnx.backend.test.case.node import _NodeTestCases
from onnx.backend.test.case.test_case import TestCase
from onnx.backend.test.runner import Runner
from onnx.reference import ReferenceEvaluator

DATA = "onnx/backend/test/data/node"


class ReferenceRep(BackendRep):
    def __init__(self, model: onnx.ModelProto) -> None:
        self.evaluator = ReferenceEvaluator(model)

    def run(self, inputs: Any, **kwargs: Any) -> Any:
        with np.errstate(all="ignore"):
            return self.evaluator.run(None, dict(zip(self.evaluator.input_names, inputs, strict=True)))


class ReferenceBackend(Backend):
    @classmethod
    def prepare(cls, model: onnx.ModelProto, device: str = "CPU", **kwargs: Any) -> BackendRep:
        return ReferenceRep(model)

    @classmethod
    def supports_device(cls, device: str) -> bool:
        return device == "CPU"


class FolderRunner(Runner):
    """The standard's runner over folders of our own instead of the whole suite."""

    def __init__(self, backend: Any, folders: list[Path]) -> None:
        self.backend = backend
        self._parent_module = None
        self._include_patterns, self._exclude_patterns, self._xfail_patterns = set(), set(), set()
        self._test_kwargs: dict[str, Any] = {}
        self._test_items: Any = {"NodeModel": {}}
        for folder in folders:
            case = TestCase(folder.name, folder.name, None, str(folder), None, None, "node", 1e-3, 1e-7)
            self._add_model_test(case, "Node")


def run_folders(roots: list[Path]) -> int:
    folders = sorted(folder for root in roots for folder in (root / DATA).iterdir())
    count = 0
    for backend in (ReferenceBackend, onnxruntime.backend):
        runner = FolderRunner(backend, folders)
        if backend is onnxruntime.backend:
            runner.exclude("bfloat16|(gelu|softplus)_.*_double_cpu$")  # it has no kernels
        result = unittest.TextTestRunner(stream=sys.stderr).run(runner.test_suite)
        if not result.wasSuccessful():
            print("\n".join(text for _, text in (*result.failures, *result.errors)))
            return 1
        count += result.testsRun - len(result.skipped)
    print("OK", count)
    return 0


def run_modules(roots: list[Path]) -> int:
    wrong = []
    count = 0
    for root in roots:
        for path in sorted((root / "onnx/backend/test/case/node").glob("*.py")):
            start = len(_NodeTestCases)
            spec = importlib.util.spec_from_file_location(f"proposed_{path.stem}", path)
            assert spec is not None and spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            sys.modules[spec.name] = module
            spec.loader.exec_module(module)
            collected = {case.name: case for case in _NodeTestCases[start:] if "_expanded" not in case.name}
            folders = {folder.name: folder for folder in (root / DATA).iterdir() if "_expanded" not in folder.name}
            wrong += sorted(collected.keys() ^ folders.keys())
            wrong += [name for name in collected if name in folders and not same(collected[name], folders[name])]
            count += len(collected)
    print("\n".join(wrong) if wrong else f"OK {count}")
    return 1 if wrong else 0


def same(case: Any, folder: Path) -> bool:
    """Whether the test that the module makes is the one in the folder, bit by bit."""
    if case.model.SerializeToString(deterministic=True) != (folder / "model.onnx").read_bytes():
        return False
    inputs, outputs = case.data_sets[0]
    for kind, arrays in (("input", inputs), ("output", outputs)):
        files = sorted((folder / "test_data_set_0").glob(f"{kind}_*.pb"))
        if len(files) != len(arrays):
            return False
        for index, array in enumerate(arrays):
            stored = onnx.TensorProto.FromString((folder / f"test_data_set_0/{kind}_{index}.pb").read_bytes())
            made = numpy_helper.from_array(np.asarray(array), stored.name)
            if made.SerializeToString(deterministic=True) != stored.SerializeToString(deterministic=True):
                return False
    return True


if __name__ == "__main__":
    kind, *folders = sys.argv[1:]
    sys.exit({"folders": run_folders, "modules": run_modules}[kind]([Path(item) for item in folders]))
