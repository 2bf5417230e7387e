"""`python -m tests.decompiler.sizes`: long chains and large tensors through builder, decompiler and compiler.

One line for each, every one in a process of its own: seconds of each step, and the most memory that the process had.
Exit status 1 where a model does not come back, or tensors stand in memory more often than they must.
"""

from __future__ import annotations

import importlib.util
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from opwright import FLOAT, GraphBuilder, decompile
from opwright import opset18 as op

CHAINS = (10_000, 50_000, 100_000)
MEGABYTES = (125, 500)
# How often a tensor stands in memory at most: on its way from and to files (in pages of a file that is mapped, and as
# an array), and into protos (as an array, as bytes, in the proto). What the libraries take comes on top.
FILES, PROTOS = 2, 3
LIBRARIES = 400  # megabytes, with what the allocator keeps of what has been given back


def chain(nodes: int, folder: Path) -> str:
    """What a chain of so many nodes takes."""
    took = Steps()
    b = GraphBuilder(opset=18, name="chain")
    value: Any = b.input("x", FLOAT[2])
    for index in range(nodes):
        value = (op.Relu(value), value + 1, value * [index % 7, 0.5], value - 1)[index % 4] if index else op.Neg(value)
    b.output("y", value)
    model = took("build", lambda: b.to_model_proto(debug=False))
    for faithful in (False, True):
        mode = "faithful" if faithful else "readable"
        path = folder / f"{mode}.py"
        made = took(f"decompile, {mode}", partial(decompile, model, side_file="m.npz", faithful=faithful))
        made.write(path)
        again = took("compile", load(path).model)
        kept = sum(node.op_type != "Constant" for node in model.graph.node)
        assert sum(node.op_type != "Constant" for node in again.graph.node) == kept
    return f"a chain of {nodes:,} nodes: {took}"


def tensor(megabytes: int, folder: Path, kept_in: str) -> str:
    """What a tensor of so many megabytes takes, from a file or a proto to a text and a file or a proto."""
    took = Steps()
    external = kept_in == "files"
    path = folder / f"{kept_in}.onnx"
    subprocess.run([sys.executable, "-m", __spec__.name, "write", str(megabytes), str(path)], check=True)
    model = took("read", partial(onnx.load, path, load_external_data=False))
    made = took("decompile", partial(decompile, model, side_file="m.npz", folder=folder))
    took("write", partial(made.write, folder / "m.py"))
    del made, model
    again = took("compile", partial(load(folder / "m.py").model, folder / "again.bin" if external else None))
    assert (again.ByteSize() < 1000) is external
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    assert peak <= (FILES if external else PROTOS) * megabytes + LIBRARIES, f"{peak} MB"
    return f"{megabytes} MB in {kept_in}: {took}, at most {peak} MB"


def write(megabytes: int, path: Path) -> str:
    """Writes a model with such a tensor."""
    weights = np.arange(megabytes << 18, dtype=np.float32).reshape(-1, 1024)
    b = GraphBuilder(opset=18)
    x = b.input("x", FLOAT["N", len(weights)])
    b.output("y", op.MatMul(x, b.initializer("w", weights)))
    if path.stem == "files":
        b.save(path)
    else:
        onnx.save(b.to_model_proto(), path)
    return ""


class Steps:
    """The seconds that steps take, as text."""

    def __init__(self) -> None:
        self.seconds: list[str] = []

    def __call__(self, name: str, step: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        found = step()
        self.seconds.append(f"{name} {time.perf_counter() - start:.2f} s")
        return found

    def __str__(self) -> str:
        return ", ".join(self.seconds)


def load(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> int:
    tasks = [["chain", str(count)] for count in CHAINS]
    tasks += [["tensor", str(size), kept_in] for size in MEGABYTES for kept_in in ("files", "protos")]
    return max(subprocess.run([sys.executable, "-m", __spec__.name, *task], check=False).returncode for task in tasks)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["write", size, path]:
            write(int(size), Path(path))
        case [what, size, *rest]:
            with tempfile.TemporaryDirectory() as name:
                found = chain(int(size), Path(name)) if what == "chain" else tensor(int(size), Path(name), *rest)
            print(found, flush=True)
        case _:
            sys.exit(main())
