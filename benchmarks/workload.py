"""`python -m benchmarks.workload WORK PACKAGE COUNT FILE`: does one piece of work and prints what it cost, as JSON.

In a process of its own, so that nothing is warm that would not be, and so that the peak of memory is that of the work.
FILE holds the program (see `programs.py`); it is not written here, since a file that is younger than its process is
read with more care.
"""

from __future__ import annotations

import importlib
import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

Cost = dict[str, float]

# What each package imports on first use is the import's cost, which has a row of its own.
_PARTS = {"onnxscript": ["onnxscript.onnx_opset", "onnx"], "opwright": ["opwright.live.models", "onnx"]}


def compile_all(code: CodeType, module: ModuleType, count: int) -> int:
    """Defines all functions and makes a FunctionProto of each; the number of nodes."""
    exec(code, vars(module))
    found = [value for name, value in list(vars(module).items()) if name[0] == "f" and name[1:].isdigit()]
    protos: list[Any] = [value.to_function_proto() for value in found]
    return sum(len(proto.node) for proto in protos)


def assemble(code: CodeType, module: ModuleType, count: int) -> int:
    """Makes a model of the last function, with all that it calls, and has it checked."""
    import onnx

    exec(code, vars(module))
    model = vars(module)[f"f{count - 1}"].to_model_proto()
    onnx.checker.check_model(model)
    return len(model.graph.node) + sum(len(function.node) for function in model.functions)


def decorate(code: CodeType, module: ModuleType, count: int) -> int:
    """Defines the functions alone."""
    exec(code, vars(module))
    return 0


WORK = {"functions": compile_all, "live": compile_all, "chain": assemble, "decorate": decorate}


def measure(work: Callable[[CodeType, ModuleType, int], int], package: str, count: int, path: Path) -> Cost:
    """Seconds of CPU and growth of the peak of memory in MB. Python's own compilation of the text is not in them."""
    for part in _PARTS[package]:
        importlib.import_module(part)
    has = importlib.import_module("onnx.defs").has
    has("Add", 18)  # onnx registers all schemas when it is first asked for one: the peer's import has done so
    module = ModuleType("program")
    module.__file__ = str(path)
    sys.modules["program"] = module
    code = compile(path.read_text(encoding="utf-8"), str(path), "exec")
    before, started = _peak(), time.process_time()
    nodes = work(code, module, count)
    return {"seconds": time.process_time() - started, "megabytes": _peak() - before, "nodes": nodes}


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    _work, _package, _count, _file = sys.argv[1:]
    print(json.dumps(measure(WORK[_work], _package, int(_count), Path(_file))))
