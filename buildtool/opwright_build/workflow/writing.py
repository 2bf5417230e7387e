"""Files that a person asked for by name: written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from opwright.diagnostics.model import Diagnostic

from opwright_build.engine.store import InfrastructureError


def write_file(path: Path, data: bytes) -> bool:
    """Writes the file unless it has these bytes already; says whether it did. InfrastructureError where it cannot."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        if path.is_file() and path.read_bytes() == data:
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(data)
        temporary.replace(path)
    except OSError as error:
        message = f"{os.path.relpath(path)} cannot be written: {error.strerror or type(error).__name__}"
        raise InfrastructureError([Diagnostic("OW905", message)]) from error
    return True
