"""What calls cost: one operator, and a function of eight; ours whole, since that is what one asks for to be fast.

`python -m benchmarks.calls WORK PACKAGE COUNT FILE` measures one of them, in a process of its own.
"""

from __future__ import annotations

import importlib
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks import programs
from benchmarks.rows import OURS, PEER, REPETITIONS, ROOT, Row, cost, written

_WARM = 5
_FEWER = 20  # times fewer calls of the peer, which takes that much longer
_FIRST = "import numpy as np\nfrom {package} import opset18 as op\nx = np.ones((2, 2), np.float32)\nop.Add(x, x)"


def calls(folder: Path) -> list[Row]:
    """One operator on tiny arrays, a function on small and on large ones, and the first call of a process."""
    rows: list[Row] = []
    for title, work, size, times, budget in (
        ("op.Add on arrays of 4 elements", "operator", 4, 20_000, 0.012),
        ("a function of 8 operators, 1 k elements", "function", 1_000, 10_000, 0.002),
        ("a function of 8 operators, 1 M elements", "function", 1_000_000, 100, 0.06),
    ):
        runs = [{p: _measured(work, p, size, times, folder) for p in (OURS, PEER)} for _ in range(REPETITIONS)]
        ours, peer = (tuple(1e6 * run[package] for run in runs) for package in (OURS, PEER))
        rows.append(Row(title, "us", ours, peer, budget, statistics.median))
    return [*rows, *first_calls()]


def first_calls() -> list[Row]:
    """`op.Add` in a new process, the import of the package included, less what is not the package's: the imports of
    numpy, onnx and onnxruntime and onnx's table of schemas, which both need; then less the import of numpy alone."""
    needed = "import numpy, onnx, onnxruntime\nonnx.defs.has('Add', 18, '')"
    texts = ("import numpy", needed, *(_FIRST.format(package=item) for item in (OURS, PEER)))
    for text in texts:
        cost((sys.executable, "-c", text))  # bytecode is written
    runs = [[cost((sys.executable, "-c", text)) for text in texts] for _ in range(3 * REPETITIONS)]
    numpy, shared = (min(run[index] for run in runs) for index in (0, 1))
    rows: list[Row] = []
    for title, others, budget in (
        ("the first op.Add, less what both import", shared, 0.1),
        ("import and the first op.Add, less that of numpy", numpy, 0.4),
    ):
        ours, peer = (tuple(run[index] - others for run in runs) for index in (2, 3))
        rows.append(Row(title, "ms", ours, peer, budget))
    return rows


def _measured(work: str, package: str, size: int, times: int, folder: Path) -> float:
    """Seconds of CPU for each call."""
    file = written(folder, programs.eager, package, size)
    count = times if package == OURS else max(times // _FEWER, 20)
    command = (sys.executable, "-m", "benchmarks.calls", work, package, str(count), str(size), str(file))
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return float(json.loads(done.stdout))


# ----------------------------------------------------------------------------------------------- in the process


def _operator(module: ModuleType, x: Any, y: Any) -> Callable[[], object]:
    add = vars(module)["op"].Add
    return lambda: add(x, y)


def _function(module: ModuleType, x: Any, y: Any) -> Callable[[], object]:
    function = vars(module)["f"]
    return lambda: function(x, y)


def measure(work: str, package: str, count: int, size: int, path: Path) -> float:
    module = ModuleType("program")
    module.__file__ = str(path)
    sys.modules["program"] = module
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), vars(module))
    x, y = (np.linspace(0.5, 1.5, size, dtype=np.float32) for _ in range(2))
    call = {"operator": _operator, "function": _function}[work](module, x, y)
    whole = importlib.import_module("opwright.eager").whole_functions if package == OURS else nullcontext
    with whole():
        for _ in range(_WARM):
            call()
        started = time.process_time()
        for _ in range(count):
            call()
        return (time.process_time() - started) / count


if __name__ == "__main__":
    _work, _package, _count, _size, _file = sys.argv[1:]
    print(json.dumps(measure(_work, _package, int(_count), int(_size), Path(_file))))
