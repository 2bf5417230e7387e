"""Models that people use, there and back in both modes: interface, imports and results on onnxruntime stay the same.

`python -m tests.decompiler.real_models FOLDER`, where the folder holds the packages with the models; `nox -s models`
fetches them. So do the models with operators of its own that onnxruntime makes of them when it optimises them. One
line for each model and mode; exit status 1 when one differs.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import onnx
import onnxruntime
from opwright import DiagnosticError, decompile
from opwright.graphs.walk import all_nodes

from tests.decompiler.roundtrip import compile_folder, equal, imports_of, interface_of, run_ort
from tests.downlevel.real_models import feeds


def main(packages: Path) -> int:
    good = True
    paths = sorted(packages.rglob("*.onnx"))
    with tempfile.TemporaryDirectory() as name:
        fused = [made for path in paths if (made := optimised(path, Path(name))) is not None]
        for faithful in (False, True):
            mode = "faithful" if faithful else "readable"
            for path in (*paths, *fused):
                found = trip(path, Path(name, f"{path.stem}_{mode}"), faithful)
                good &= not found
                print(f"{path.name}, {mode}: {found or 'comes back'}")
    print(f"{len(paths)} models, {len(fused)} optimised ones")
    return 0 if good and paths and fused else 1


def optimised(path: Path, folder: Path) -> Path | None:
    """The model that onnxruntime makes of a file; None where that has none of its operators, or is no ONNX any more."""
    made = folder / f"optimised_{path.name}"
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.optimized_model_filepath = str(made)
    onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    model = onnx.load(made)
    if all(node.domain != "com.microsoft" for node in all_nodes(model.graph.node)):
        return None
    try:
        onnx.checker.check_model(model)
    except onnx.checker.ValidationError as error:
        print(f"{made.name}: {str(error).splitlines()[0]}")
        return None
    return made


def trip(path: Path, folder: Path, faithful: bool) -> str:
    """What is wrong with the round trip of a file; empty where nothing is."""
    folder.mkdir()
    model = onnx.load(path)
    try:
        decompile(model, side_file="module.npz", faithful=faithful).write(folder / "module.py")
    except DiagnosticError as error:
        return str(error)
    compile_folder(folder)
    refused = folder / "module.txt"
    if refused.exists():
        return refused.read_text(encoding="utf-8")
    made = onnx.load(folder / "module.onnx")
    if interface_of(made) != interface_of(model) or imports_of(made) != imports_of(model):
        return "the interface or the imports differ"
    given = list(feeds(model).values())
    # Weights of a branch stand around it in the readable form, where onnxruntime does not pack them.
    same = all(map(equal, run_ort(model, given, packs=False), run_ort(made, given, packs=False)))
    return "" if same else "the results differ"


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
