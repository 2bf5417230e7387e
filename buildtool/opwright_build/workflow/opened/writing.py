"""Files that a person asked for, by name or by a command: written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from opwright_build.engine.system_errors import cannot_be
from opwright_build.engine.tree import Tree, read_regular, write_whole


def write_file(path: Path, data: bytes) -> bool:
    """Writes the file unless it has these bytes already; says whether it did. InfrastructureError where it cannot."""
    try:
        if path.is_file() and read_regular(path) == data:
            return False
        write_whole(path, data)
    except OSError as error:
        raise cannot_be("written", os.path.relpath(path), error) from error
    return True


def write_below(tree: Tree, path: str, data: bytes) -> bool:
    """The same for a file of a folder that is not trusted. DiagnosticError (OW520, OW521) where that holds a link."""
    tree.require_file(path)
    return write_file(tree.root / path, data)
