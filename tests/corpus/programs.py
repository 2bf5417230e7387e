"""The programs of the corpus, as texts. Nothing here asks the compiler: two revisions are given the same texts.

Programs that are generated come from `tests.differential`'s generator, which is plain Python on a seed; the rest are
texts of this repository. `how` says what a program is to the compiler, and which of the other fields it has (see
`tests/corpus/compiled.py`, which reads them).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from tests.diagnostics.examples import all_pairs
from tests.differential.generate.programs import generate, generate_mixed
from tests.differential.mutate import mutate
from tests.differential.program import Program
from tests.docs.pages import read_header, read_rows

ROOT = Path(__file__).resolve().parents[2]
SEED = 10
VALID, MUTANTS, MIXED, LIVE = 10_000, 8_000, 2_000, 1_000
SIZES = {"valid": VALID, "mutant": MUTANTS, "mixed": MIXED, "live": LIVE}

_ROWS = ("language.md", "from-onnxscript.md")  # pages whose examples define one function each
_PAGES = ("docs/functions.md", "docs/builder.md", "README.md")  # pages whose blocks run one after the other
_MODULES = ("tests/functions/test_samples.py", "tests/typing/samples/*.py")
_BASE = ROOT / "tests" / "diagnostics" / "base_library"
_OPSET = 18


@dataclass(frozen=True, slots=True)
class Entry:
    """One program: an id that stays the same, and what the compiler is given."""

    id: str
    how: str  # function, live, module, library, spec
    given: Mapping[str, Any]

    @property
    def source(self) -> str:
        """What tells this text from another under the same id."""
        data = json.dumps([self.how, self.given])
        return hashlib.sha256(data.encode()).hexdigest()[:8]

    def line(self) -> str:
        return json.dumps({"id": self.id, "source": self.source, "how": self.how, **self.given})


def generated(kind: str, number: int, seed: int = SEED) -> Entry:
    """One of the generated programs: `valid`, `mutant`, `mixed`, or `live`: one under `@script`, its types inferred."""
    if kind == "mixed":
        program = generate_mixed(Random(f"mixed {seed}:{number}"))
    else:
        program = generate(Random(f"{seed}:{number}"))
    if kind == "mutant":
        program = mutate(program, Random(f"mutant {seed}:{number}"))
    name = f"{kind} {seed}:{number}"
    return _live(name, program) if kind == "live" else _function(name, program)


def _function(name: str, program: Program) -> Entry:
    given = {
        "text": program.text,
        "inputs": program.inputs,
        "outputs": program.outputs,
        "types": program.types,
        "attributes": program.attributes,
        "opset": program.opset,
    }
    return Entry(name, "function", json.loads(json.dumps(given)))


def _live(name: str, program: Program) -> Entry:
    case = program.cases[0]
    types = {key: [array.dtype.name, array.ndim] for key, array in case.arrays.items()}
    given = {"text": program.text, "types": types, "attributes": case.attributes, "opset": program.opset}
    return Entry(name, "live", given)


def written() -> Iterator[Entry]:
    """The programs that people wrote: our specs, the documented samples, the examples of the diagnostics."""
    yield from _specs()
    for page in _ROWS:
        path = ROOT / "docs" / page
        header = read_header(path)
        for row in read_rows(path):
            for number, example in enumerate(row.examples):
                yield Entry(f"row {page} {row.id}/{number}", "module", {"text": header + example.text, "opset": _OPSET})
    for name in _PAGES:
        yield Entry(f"page {name}", "module", {"text": _blocks(ROOT / name), "opset": _OPSET})
    for pattern in _MODULES:
        for path in sorted(ROOT.glob(pattern)):
            text = path.read_text(encoding="utf-8")
            yield Entry(f"sample {path.stem}", "module", {"text": text, "opset": _OPSET})
    base = texts_below(_BASE)
    for pair in all_pairs():
        for kind, example in (("bad", pair.bad), ("good", pair.good)):
            if example.command == "build":
                files = {path: text for path, text in {**base, **example.files}.items() if text}
                yield Entry(f"diagnostic {pair.code} {kind}", "library", {"files": files})


def _specs() -> Iterator[Entry]:
    for path in sorted((ROOT / "specs").glob("*/*/spec.yaml")):
        folder = path.parent.relative_to(ROOT).as_posix()
        files = {name: (path.parent / name).read_text(encoding="utf-8") for name in ("spec.yaml", "function.py")}
        yield Entry(f"spec {folder.removeprefix('specs/')}", "spec", {"folder": folder, "files": files})


def texts_below(folder: Path) -> dict[str, str]:
    """The files of a library that compiling reads, by path below its root."""
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted((folder / "specs").rglob("*"))
        if path.suffix in (".py", ".yaml") and "__pycache__" not in path.parts
    }


def _blocks(page: Path) -> str:
    """The Python of a page, each line where it stands there."""
    inside = False
    lines = []
    for line in page.read_text(encoding="utf-8").splitlines():
        fence = line.startswith("```")
        inside = line == "```python" if fence else inside
        lines.append(line if inside and not fence else "")
    return "\n".join(lines) + "\n"
