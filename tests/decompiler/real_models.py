"""Models that people use, there and back in both modes: interface, imports and results on onnxruntime stay the same.

`python -m tests.decompiler.real_models FOLDER`, where the folder holds the packages with the models; `nox -s models`
fetches them. One line for each model and mode; exit status 1 when one differs.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import onnx
from opwright import DiagnosticError, decompile

from tests.decompiler.roundtrip import compile_folder, equal, imports_of, interface_of, run_ort
from tests.downlevel.real_models import feeds


def main(packages: Path) -> int:
    good = True
    paths = sorted(packages.rglob("*.onnx"))
    for faithful in (False, True):
        mode = "faithful" if faithful else "readable"
        with tempfile.TemporaryDirectory() as name:
            for path in paths:
                found = trip(path, Path(name, path.stem), faithful)
                good &= not found
                print(f"{path.name}, {mode}: {found or 'comes back'}")
    print(f"{len(paths)} models")
    return 0 if good and paths else 1


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
    same = all(map(equal, run_ort(model, given), run_ort(made, given)))
    return "" if same else "the results differ"


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
