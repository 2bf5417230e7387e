"""`python -m benchmarks.workload WORK PACKAGE COUNT FILE`: does one piece of work and prints what it cost, as JSON.

In a process of its own, so that nothing is warm that would not be, and so that the peak of memory is that of the work.
FILE holds the program (see `programs.py`) or the model (see `models.py`); it is not written here, since a file that is
younger than its process is read with more care. What a package does once in a process has a row of its own, so that
each does a small work of the kind first.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import numpy as np
import onnx
import onnxruntime

from benchmarks.models import graph

OURS = "opwright"
_WARM = 5
_PEERS_DEPTH = 20_000  # the peer recurses along chains of calls, and fails at 500 of them with Python's own limit

Cost = dict[str, float]
Work = Callable[[], object]


def compile_all(module: ModuleType, code: CodeType) -> list[Any]:
    """Defines all functions and makes a FunctionProto of each."""
    exec(code, vars(module))
    found = [value for name, value in list(vars(module).items()) if name[0] == "f" and name[1:].isdigit()]
    return [value.to_function_proto() for value in found]


def assemble(module: ModuleType, code: CodeType) -> object:
    """Makes a model of the function `main`, with all that it calls."""
    exec(code, vars(module))
    return vars(module)["main"].to_model_proto()


_PROGRAMS: dict[str, Callable[[ModuleType, CodeType], object]] = {
    "functions": compile_all,
    "long": compile_all,
    "live": compile_all,
    "nested": compile_all,
    "calls": assemble,
    "chain": assemble,
    "decorate": lambda module, code: exec(code, vars(module)),
}


def prepare(work: str, package: str, path: Path, size: int) -> Work:
    """Reads the file and has the package do what it does once in a process."""
    if work in ("decompile", "layers"):
        model, decompile = onnx.load(path), _decompile(package)
        decompile(graph(0, 100))
        return lambda: decompile(model)
    if work == "digest":
        functions = [*onnx.load(path).functions]
        digest = importlib.import_module("opwright").digest
        digest(functions[0])
        return lambda: [digest(function) for function in functions]
    module, code = _program(path)
    if work in _PROGRAMS:
        warm, text = _program(path.with_name(f"eager_{package}_1.py"))
        exec(text, vars(warm))
        make = "to_model_proto" if _PROGRAMS[work] is assemble else "to_function_proto"
        getattr(vars(warm)["main"], make)()
        return lambda: _PROGRAMS[work](module, code)
    exec(code, vars(module))
    x, y = (np.linspace(0.5, 1.5, size, dtype=np.float32) for _ in range(2))
    called: Callable[[Any, Any], object] = vars(module)["op"].Add if work == "operator" else vars(module)["main"]
    if work == "kernels":
        called = _session(vars(module)["main"])
    for _ in range(_WARM):
        called(x, y)
    return lambda: called(x, y)


def _session(function: Any) -> Callable[[Any, Any], object]:
    """The function's model in a session of one thread, without anything of ours around it."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    data = function.to_model_proto().SerializeToString()
    session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    one, other = (item.name for item in session.get_inputs())
    return lambda x, y: session.run(None, {one: x, other: y})


def _program(path: Path) -> tuple[ModuleType, CodeType]:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)  # as an import makes it, so that its file is known to be its text
    sys.modules[path.stem] = module
    return module, compile(path.read_text(encoding="utf-8"), str(path), "exec")


def _decompile(package: str) -> Callable[[onnx.ModelProto], object]:
    if package == OURS:
        ours: Callable[[onnx.ModelProto], object] = importlib.import_module("opwright").decompile
        return ours
    peer: Callable[[onnx.ModelProto], object] = importlib.import_module("onnxscript.backend.onnx_export").export2python
    return peer


def measure(work: str, package: str, times: int, size: int, path: Path) -> Cost:
    """Seconds of CPU of one time, and growth of the peak of memory in MB. Python's own compilation is not in them."""
    if package != OURS:
        sys.setrecursionlimit(_PEERS_DEPTH)
    done = prepare(work, package, path, size)
    before, started = _peak(), time.process_time()
    for _ in range(times):
        done()
    return {"seconds": (time.process_time() - started) / times, "megabytes": _peak() - before}


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    _work, _package, _times, _size, _file = sys.argv[1:]
    print(json.dumps(measure(_work, _package, int(_times), int(_size), Path(_file))))
