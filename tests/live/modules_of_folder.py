"""`python modules_of_folder.py FOLDER old|young`: what becomes of the function `F` of each module of a folder, as JSON.

A process reads a file that is older than itself function by function, and one that was written since as a whole: with
`young` each is written again just before it is imported.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import sys
import warnings
from pathlib import Path

import opwright
from opwright.diagnostics.diagnostic import DiagnosticError


def made_of(path: Path, opset: int) -> object:
    """The names and digests of the functions that are made of `F`, or the codes and lines of what is wrong."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
        function = vars(module)["F"]
        if not hasattr(function, "to_function_protos"):
            function = opwright.script(default_opset=opwright.Opset("", opset))(function)
        protos = function.to_function_protos()
    except DiagnosticError as error:
        return [[found.code, found.place.line if found.place else 0] for found in error.diagnostics]
    except (NameError, TypeError, SyntaxError, AttributeError, ValueError) as error:  # Python itself refuses the text
        return type(error).__name__
    return [[proto.name, hashlib.sha256(proto.SerializeToString(deterministic=True)).hexdigest()] for proto in protos]


def main(folder: Path, age: str) -> None:
    warnings.simplefilter("ignore")
    found = {}
    for path in sorted(folder.glob("*.py")):
        if age == "young":
            path.write_bytes(path.read_bytes())
        found[path.stem] = made_of(path, int(path.stem.rpartition("_")[2]))
    print(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
