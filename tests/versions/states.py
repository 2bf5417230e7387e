"""States of a small library, compiled in memory, for comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from opwright.bundle.format import Bundle, FunctionEntry
from opwright.diagnostics.diagnostic import has_errors
from opwright_build.compile import CompiledVersion, SpecFiles, compile_version
from opwright_build.package.index import build_index
from opwright_build.spec.load import load_library
from opwright_build.spec.model import LoadedLibrary
from opwright_build.verify.case_model import Case
from opwright_build.verify.cases.collect import collect_cases
from opwright_build.versions.change import Change
from opwright_build.versions.numeric import Compared, judge_versions_numerically, with_values
from opwright_build.versions.promise import Promised, promised_by
from opwright_build.versions.promise_changes import compare

Files = dict[str, str]
HEAD = "from opwright import opset18 as op\nfrom typing import Literal\nfrom acme import opset1 as acme\n\n\n"


def spec(name: str, body: str, *, since: int = 1, rows: str = "", **keys: str) -> Files:
    """The files of a function: its YAML with these keys, its Python, its vectors."""
    known = {
        "summary": "A function.",
        "since_version": str(since),
        "opset": '">=18"',
        "inputs": "{X: T}",
        "outputs": "{Y: T}",
        "types": "{T: [float, double]}",
        "vectors": "[vectors.yaml]",
        "reference": "reference.py",  # never run: what a body gives is compared with what the other gives
        **keys,
    }
    folder = f"specs/com.acme/{name}"
    lines = [
        f"schema: 1\ndomain: com.acme\nname: {name}\n",
        *(f"{key}: {text}\n" for key, text in known.items() if text),
    ]
    return {
        f"{folder}/spec.yaml": "".join(lines),
        f"{folder}/function.py": HEAD + body,
        f"{folder}/reference.py": f"def {name}(*args, **kwargs): ...\n",
        f"{folder}/vectors.yaml": "schema: 1\nrows:\n" + (rows or "  - {name: some, inputs: {X: [0.5, -1.25, 3.0]}}\n"),
    }


LIBRARY = {
    "specs/library.yaml": 'schema: 1\nlibrary: acme-ops\nversion: 1.0.0\npackage: acme\nopsets: ">=13,<=22"\n',
    "specs/com.acme/domain.yaml": "schema: 1\nversion: 3\n",
}


@dataclass(frozen=True)
class State:
    """A compiled library."""

    loaded: LoadedLibrary
    bundle: Bundle

    @property
    def promised(self) -> Promised:
        return promised_by(self.bundle.index)

    def cases(self) -> tuple[Case, ...]:
        interfaces = {entry.identity: entry for entry in self.bundle.index.functions}
        root = self.loaded.library.root
        return collect_cases(self.loaded.versions, interfaces, root, run_oracle=False).cases


class Libraries:
    """The functions of the library, compiled when they are called."""

    def __init__(self, root: Path, loaded: LoadedLibrary) -> None:
        self._root, self._loaded = root, loaded
        self.made: dict[str, CompiledVersion] = {}

    def domain_of(self, package: str, prefix: str = "") -> str | None:
        return "com.acme" if package == "acme" else None

    def other_versions(self, package: str, prefix: str, version: int) -> tuple[int, ...] | None:
        return None

    def emitted_domain(self, domain: str) -> str | None:
        return next((item.emitted for item in self._loaded.domains if item.name == domain), None)

    def function(self, domain: str, name: str, version: int) -> FunctionEntry | None:
        fitting = [item for item in self._loaded.versions if item.name == name and item.since_version <= version]
        return self.compile(fitting[-1].identity).entry if fitting else None

    def names(self, domain: str) -> tuple[str, ...]:
        return tuple(item.name for item in self._loaded.versions)

    def compile(self, identity: str) -> CompiledVersion:
        if identity not in self.made:
            version = next(item for item in self._loaded.versions if item.identity == identity)
            self.made[identity] = compile_version(version, SpecFiles(self._read), self)
            assert not has_errors(self.made[identity].diagnostics), self.made[identity].diagnostics
        return self.made[identity]

    def _read(self, path: str) -> bytes | None:
        file = self._root / path
        return file.read_bytes() if file.is_file() else None


def state(root: Path, files: Mapping[str, str]) -> State:
    """The library of these files, laid down at `root`."""
    for path, text in {**LIBRARY, **files}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    loaded = load_library(root)
    assert not loaded.diagnostics, loaded.diagnostics
    libraries = Libraries(root, loaded)
    compiled = [libraries.compile(version.identity) for version in loaded.versions]
    index = build_index(loaded.packages[0], loaded.domains, [item.entry for item in compiled], "1.0")
    bodies = {digest: body for item in compiled for digest, body in item.bodies.items()}
    templates = {digest: text for item in compiled for digest, text in item.templates.items()}
    return State(loaded, Bundle(index, bodies, "", templates=templates))


def changes_between(old: State, new: State) -> list[Change]:
    """All changes, values compared on the runtimes at hand, in this process."""
    changes = compare(old.promised, new.promised)
    cases = new.cases()
    subjects = [
        Compared(
            old.promised.promises[change.identity],
            new.promised.promises[change.identity],
            old.bundle,
            new.bundle,
            tuple(case for case in cases if case.identity == change.identity),
        )
        for change in changes
        if change.kind.word == "body"
    ]
    return with_values(changes, judge_versions_numerically(subjects, workers=0))


def edited(files: Mapping[str, str], edits: Sequence[tuple[str, str, str]]) -> Files:
    """The files with edits (part of a path, old text, new text); an empty new path text removes nothing."""
    result = dict(files)
    for part, old, new in edits:
        (path,) = [path for path in result if part in path]
        assert old in result[path], (path, old)
        result[path] = result[path].replace(old, new)
    return result
