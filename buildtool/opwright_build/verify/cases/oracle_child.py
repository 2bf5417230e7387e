"""The script of the oracle's process: makes our own package importable in an isolated interpreter, and nothing else."""

import importlib.util
import os
import sys


def main() -> None:
    folder = os.path.abspath(__file__)
    for _ in range(3):  # the room, `verify` and the package
        folder = os.path.dirname(folder)
    location = os.path.join(folder, "__init__.py")
    spec = importlib.util.spec_from_file_location("opwright_build", location, submodule_search_locations=[folder])
    assert spec is not None
    assert spec.loader is not None
    sys.modules["opwright_build"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules["opwright_build"])
    importlib.import_module("opwright_build.verify.cases.oracle_server").main(sys.argv[1])


if __name__ == "__main__":
    main()
