"""Files in which the tool keeps what it knows of a folder from run to run.

What they say decides what is read again, what is removed and what is told. So a file counts only with the seal of this
user on this machine, and without a seal nothing is kept.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from opwright.regular_file import NotRegularError

from opwright_build.engine.content_digest import Json, canonical_json
from opwright_build.engine.seal import Seal, Unsealed
from opwright_build.engine.tree import MOST_STATE_BYTES, read_regular, touch, write_whole

FORMAT = 1


class StateFile:
    """One such file: a JSON object, or bytes of another form. Losing it costs time only."""

    def __init__(self, path: Path, seal: Seal | None) -> None:
        self._path = path
        self._seal = seal

    def exists(self) -> bool:
        """Whether there is something that `load` might find."""
        return self._seal is not None and self._path.exists()

    def load(self, *, must_be_read: bool = False) -> dict[str, Any]:
        """What was saved last; nothing when it is missing, damaged, of another format or not sealed by us. OSError of a
        file that `must_be_read` and that the disk refuses to give."""
        try:
            value = json.loads(self.load_body(must_be_read=must_be_read) or b"{}")
        except (ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) and value.get("format") == FORMAT else {}

    def load_body(self, *, must_be_read: bool = False) -> bytes:
        """The bytes that were saved last; none where `load` finds nothing. OSError as there."""
        if self._seal is None:
            return b""
        try:
            body = self._seal.open(self._path.name, read_regular(self._path, MOST_STATE_BYTES))
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError, NotRegularError):
            return b""
        except OSError:
            if must_be_read:
                raise
            return b""
        return b"" if isinstance(body, Unsealed) else body

    def touch(self) -> os.stat_result | None:
        """What the system says of the file once it has the time of now by the clock of its filesystem; None where
        there is none. OSError when the disk refuses."""
        if not self.exists():
            return None
        touch(self._path)
        return os.lstat(self._path)

    def save(self, value: Mapping[str, Json]) -> None:
        """OSError when the disk refuses."""
        self.save_body(canonical_json({**value, "format": FORMAT}))

    def save_body(self, body: bytes) -> None:
        """OSError when the disk refuses."""
        if self._seal is not None:
            write_whole(self._path, self._seal.close(self._path.name, body))
