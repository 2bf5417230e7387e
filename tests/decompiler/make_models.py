"""Makes the models that decompiled modules say, in a process that has never seen the originals.

`python -m tests.decompiler.make_models FOLDER` imports each `NAME.py` there and writes `NAME.onnx`, or `NAME.txt` with
what the compiler has against it.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import onnx
from opwright import DiagnosticError


def make(path: Path) -> onnx.ModelProto | onnx.FunctionProto:
    """What the module's `model()` or `function()` gives."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made: onnx.ModelProto | onnx.FunctionProto = module.model() if hasattr(module, "model") else module.function()
    return made


def main(folder: Path) -> None:
    for path in sorted(folder.glob("*.py")):
        try:
            path.with_suffix(".onnx").write_bytes(make(path).SerializeToString())
        except DiagnosticError as error:
            path.with_suffix(".txt").write_text(str(error), encoding="utf-8")
        except Exception as error:  # whatever it is, it is this module's alone, and the judge reports it
            path.with_suffix(".txt").write_text(f"{type(error).__name__}: {error}", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
