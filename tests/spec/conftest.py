"""A tiny library on disk, and small ways to change it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from opwright.diagnostics.diagnostic import Diagnostic
from opwright_build.spec.load import load_library

LIBRARY = """\
schema: 1
library: acme-ops
version: 1.2.0
package: acme_ops
opsets: ">=13,<=22"
"""

DOMAIN = """\
schema: 1
version: 3
"""

SPEC = """\
schema: 1
domain: com.acme
name: Swish
summary: X * sigmoid(alpha * X).
since_version: 1
opset: ">=18"
inputs: {X: T}
outputs: {Y: T}
types: {T: [float, double]}
"""

Files = Mapping[str, str]


class TinyLibrary:
    """A library of one function, `com.acme::Swish`. Files are given relative to its root."""

    library_file = "specs/library.yaml"
    domain_file = "specs/com.acme/domain.yaml"
    spec_file = "specs/com.acme/Swish/spec.yaml"

    def __init__(self, root: Path) -> None:
        self.root = root
        self.write(self.library_file, LIBRARY)
        self.write(self.domain_file, DOMAIN)
        self.write(self.spec_file, SPEC)
        self.write("specs/com.acme/Swish/function.py", "def Swish(X): ...\n")

    def write(self, path: str, text: str | bytes) -> Path:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode() if isinstance(text, str) else text)
        return target

    def edit(self, path: str, old: str, new: str) -> None:
        """Replaces text that must be there, once."""
        text = (self.root / path).read_text("utf-8")
        assert text.count(old) == 1, (path, old)
        self.write(path, text.replace(old, new))

    def spec(self, old: str, new: str) -> None:
        self.edit(self.spec_file, old, new)

    def findings(self) -> list[str]:
        """Each finding of a load as `place code`; places in the function's folder are relative to it."""
        return [shown(item) for item in load_library(self.root).diagnostics]


def shown(item: Diagnostic) -> str:
    place = str(item.place).removeprefix("specs/com.acme/Swish/")
    return f"{place} {item.code}"


@pytest.fixture
def tiny(tmp_path: Path) -> TinyLibrary:
    return TinyLibrary(tmp_path / "acme")


@pytest.fixture
def show() -> Callable[[Diagnostic], str]:
    return shown
