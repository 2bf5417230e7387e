"""What the compiler of this tree makes of programs: the digest of each body, or each finding.

`python -m tests.corpus.compiled LIBRARY` reads lines `IN<TAB>OUT` from its input: names of files of programs (one JSON
object a line, as `tests.corpus.programs` writes them) and of their results (one a line, in the same order); it answers
each with a line. LIBRARY is the root of the library of the programs that are `spec`s. This module is the one place
that knows the compiler's inside: whoever moves that adapts this, and a revision is run with the module that it has.
"""

from __future__ import annotations

import hashlib
import json
import linecache
import os
import sys
import sysconfig
import tempfile
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import onnx
import onnx.printer
import opwright
from opwright.bundle.format import FunctionEntry
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, DiagnosticWarning, Severity
from opwright.lang.emit import emit_function
from opwright.lang.families.family import Family
from opwright.variants import Key
from opwright_build.compile import CompiledVersion, SpecFiles, compile_version
from opwright_build.spec.load import load_library
from opwright_build.spec.model import LoadedLibrary, SpecVersion

from tests.corpus.structure import structure
from tests.differential.compiling import HEADER, compile_program
from tests.differential.program import Program

ROOT = Path(__file__).resolve().parents[2]
Given = Mapping[str, Any]
_ELEMENTS = {"float32": "FLOAT", "float64": "DOUBLE"}  # numpy's names of what we call otherwise


class Compiled:
    """What became of one program. `texts`: bodies are kept as ONNX text too, to be shown."""

    def __init__(self, texts: bool = False) -> None:
        self.bodies: dict[str, str] = {}
        self.texts: dict[str, str] | None = {} if texts else None
        self.findings: list[list[str]] = []
        self.error = ""

    def body(self, key: str, data: bytes | onnx.FunctionProto | onnx.ModelProto, facts: str = "") -> None:
        """Its digest, and that of its structure; `facts` are what a bundle says beside it."""
        proto = data if isinstance(data, bytes) else data.SerializeToString(deterministic=True)
        self.bodies[key] = hashlib.sha256(facts.encode() + proto).hexdigest()[:12]
        if not isinstance(data, bytes):
            self.bodies[key] += f" {hashlib.sha256(facts.encode()).hexdigest()[:4]}{structure(data)}"
        if self.texts is not None and isinstance(data, (onnx.FunctionProto, onnx.ModelProto)):
            self.texts[key] = onnx.printer.to_text(data)

    def find(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.findings += [_finding(item) for item in diagnostics]

    def result(self) -> dict[str, Any]:
        found = {"bodies": self.bodies, "findings": self.findings, "error": self.error, "texts": self.texts}
        return {key: value for key, value in found.items() if value}


def compile_entry(given: Given, library: str, texts: bool = False) -> dict[str, Any]:
    """The result of one program, as it stands in a file of results."""
    made = Compiled(texts)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            _COMPILE[given["how"]](given, library, made)
        except DiagnosticError as error:
            made.find(error.diagnostics)
        except Exception as error:
            made.error = _without_paths(f"{type(error).__name__}: {error}")
    made.find(item.message.diagnostic for item in warned if isinstance(item.message, DiagnosticWarning))
    return {"id": given["id"], "source": given["source"], **made.result()}


# ------------------------------------------------------------------------------------------------ kinds of programs


def _function(given: Given, library: str, made: Compiled) -> None:
    types = {name: tuple(elements) for name, elements in given["types"].items()}
    attributes = tuple(given["attributes"])
    program = Program(given["text"], given["inputs"], given["outputs"], types, attributes, given["opset"], ())
    family = compile_program(program)
    if not isinstance(family, Family):
        made.find(family)
        return
    made.find(family.diagnostics)
    for variant in family.variants:
        assert variant.lowered.function is not None
        made.body(_named(variant.key), emit_function(variant.lowered.function, "test.domain"))


def _live(given: Given, library: str, made: Compiled) -> None:
    types = {}
    for name, (element, rank) in given["types"].items():
        type_ = getattr(opwright, _ELEMENTS.get(element, element.upper()))
        types[name] = type_[(None,) * rank] if rank else type_
    names = _run(HEADER.format(opset=given["opset"]) + given["text"], "f.py")
    function = opwright.script()(names["F"])
    made.body("model", function.to_model_proto(input_types=types, opset=given["opset"], **given["attributes"]))


def _module(given: Given, library: str, made: Compiled) -> None:
    """Each function under `@script`, and each model that stands under a name of its own."""
    for name, value in list(_run(given["text"], "module.py").items()):
        if isinstance(value, onnx.ModelProto | onnx.FunctionProto):
            made.body(name, value)
        if not isinstance(value, opwright.OnnxFunction):
            continue
        try:
            for index, proto in enumerate(value.to_function_protos(given["opset"])):
                made.body(f"{name} {index} {proto.domain} {proto.name} {proto.overload}", proto)
            made.body(f"{name} model", value.to_model_proto(opset=given["opset"]))
        except DiagnosticError as error:
            made.find(error.diagnostics)


def _library(given: Given, library: str, made: Compiled) -> None:
    """A library of its own, given as texts."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in given["files"].items():
            target = Path(folder, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        found = _Versions(Path(folder))
        made.find(found.loaded.diagnostics)
        for version in found.loaded.versions:
            _version(found, version, made)


def _spec(given: Given, library: str, made: Compiled) -> None:
    """All versions of one folder of the library that stands below LIBRARY."""
    found = _opened(library)
    for version in found.loaded.versions:
        if version.folder.relative_to(found.root).as_posix() == given["folder"]:
            _version(found, version, made)


def _version(library: _Versions, version: SpecVersion, made: Compiled) -> None:
    compiled = library.compiled(version)
    made.find(compiled.diagnostics)
    entry = compiled.entry
    for body in entry.bodies:
        key = f"{version.since_version} at {body.first_opset}..{body.last_opset} {_named(body.variant)}"
        facts = (body.inputs, body.attributes, body.admits, body.outputs)
        made.body(key, onnx.FunctionProto.FromString(compiled.bodies[body.body]), repr(facts))
    for template in entry.templates:
        key = f"{version.since_version} at {template.first_opset}..{template.last_opset}"
        made.body(key, compiled.templates[template.template], repr(template.axes))
    for gap in compiled.unreachable:
        made.findings.append(["gap", str(gap.place), f"{gap.first}..{gap.last} {_named(gap.variant)}: {gap.reason}"])


_COMPILE = {"function": _function, "live": _live, "module": _module, "library": _library, "spec": _spec}


# ----------------------------------------------------------------------------------------------------------- helpers


class _Versions:
    """A library's versions, each compiled when it is asked for, and what the compiler asks of the functions called."""

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self.loaded: LoadedLibrary = load_library(self.root)
        self.files = SpecFiles(self._read)
        self._compiled: dict[str, CompiledVersion] = {}

    def _read(self, path: str) -> bytes | None:
        found = self.root / path
        return found.read_bytes() if found.is_file() else None

    def compiled(self, version: SpecVersion) -> CompiledVersion:
        if version.identity not in self._compiled:
            relative = replace(version, folder=version.folder.relative_to(self.root))
            self._compiled[version.identity] = compile_version(relative, self.files, self)
        return self._compiled[version.identity]

    def domain_of(self, package: str, prefix: str = "") -> str | None:
        own = package.partition(".")[0] == self.loaded.library.packages[0].package
        return self.loaded.domains[0].emitted if own and self.loaded.domains else None

    def other_versions(self, package: str, prefix: str, version: int) -> tuple[int, ...] | None:
        return None

    def function(self, domain: str, name: str, version: int) -> FunctionEntry | None:
        domain = self._own_name(domain)
        found = [
            item
            for item in self.loaded.versions
            if (item.domain.name, item.name) == (domain, name) and item.since_version <= version
        ]
        return self.compiled(max(found, key=lambda item: item.since_version)).entry if found else None

    def emitted_domain(self, domain: str) -> str | None:
        return next((item.emitted for item in self.loaded.domains if domain in (item.name, item.emitted)), None)

    def names(self, domain: str) -> tuple[str, ...]:
        domain = self._own_name(domain)
        return tuple(dict.fromkeys(item.name for item in self.loaded.versions if item.domain.name == domain))

    def _own_name(self, domain: str) -> str:
        return next((item.name for item in self.loaded.domains if item.emitted == domain), domain)


@cache
def _opened(root: str) -> _Versions:
    return _Versions(Path(root))


def _named(key: Key) -> str:
    return ", ".join(f"{axis}={value}" for axis, value in key)


def _run(text: str, name: str) -> dict[str, Any]:
    """The names of a module of that text, which the compiler finds under `name`."""
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names: dict[str, Any] = {"__name__": "corpus"}
    exec(compile(text, name, "exec", dont_inherit=True), names)
    return names


def _finding(item: Diagnostic) -> list[str]:
    """Code, place and text."""
    parts = [item.message, item.reason, item.help, *(f"{other.place}: {other.note}" for other in item.related)]
    severity = "" if item.severity is Severity.ERROR else f"{item.severity.value}: "
    return [item.code, _without_paths(str(item.place)), _without_paths(severity + " | ".join(filter(None, parts)))]


def _without_paths(text: str) -> str:
    """Where things are installed is no result of the compiler's."""
    for folder, name in _FOLDERS:
        text = text.replace(folder, name)
    return text


_FOLDERS = (
    (str(ROOT), "<root>"),
    (str(Path(onnx.__file__).parents[1]), "<packages>"),
    (sysconfig.get_path("stdlib"), "<python>"),
)


def _serve(library: str) -> None:
    assert Path(opwright.__file__).is_relative_to(ROOT), f"{opwright.__file__} is not of {ROOT}"
    texts = "CORPUS_TEXTS" in os.environ
    for line in sys.stdin:
        given, target = line.rstrip("\n").split("\t")
        programs = map(json.loads, Path(given).read_text(encoding="utf-8").splitlines())
        results = (json.dumps(compile_entry(item, library, texts)) for item in programs)
        Path(target).write_text("".join(f"{result}\n" for result in results), encoding="utf-8")
        print(target, flush=True)


if __name__ == "__main__":
    _serve(sys.argv[1])
