"""The JSON Schemas of YAML files where editors find them: in the working folder of a library.

`new` begins each file with a line that names its schema, relative to the file. `.opwright/schemas` is written by the
first `new`, `build` or `lint` of a release, so that what an editor offers is what the tool reads.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from opwright.diagnostics.diagnostic import DiagnosticError

from opwright_build.engine.content_digest import digest_fields
from opwright_build.engine.tree import Tree, read_regular, write_whole

_PACKAGE = Path(__file__).parents[2]
_FOLDERS = (_PACKAGE / "schemas", _PACKAGE.parents[1] / "docs" / "schemas")  # in a wheel, and in a checkout
FOLDER = ".opwright/schemas"
STAMP = f"{FOLDER}/digest"


def write_editor_schemas(root: Path) -> None:
    """Writes what differs. Where the folder cannot be written, editors offer less, and nothing else is worse."""
    folder = next((folder for folder in _FOLDERS if folder.is_dir()), None)
    if folder is None:
        return
    paths = sorted(path for path in folder.glob("*.schema.json") if not path.name.endswith("-output.schema.json"))
    schemas = {path.name: read_regular(path) for path in paths}
    stamp = digest_fields([f"{name} {data.decode()}" for name, data in schemas.items()]).encode()
    tree = Tree(root)
    with contextlib.suppress(OSError, DiagnosticError):
        if tree.read(STAMP) == stamp:
            return
        for name, data in schemas.items():
            tree.require_file(f"{FOLDER}/{name}")
            write_whole(root / FOLDER / name, data)
        write_whole(root / STAMP, stamp)
