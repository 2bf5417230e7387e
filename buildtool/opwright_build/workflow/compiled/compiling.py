"""The action `compile`: one version of one function over its opset range. What it reads, it reads through its reader.

The functions it calls are results of other actions, asked for by identity; see `Engine.run_mutual`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from opwright.bundle.format import Bundle, DomainEntry, FunctionEntry
from opwright.bundle.module_names import domain_prefix
from opwright.bundle.normal_name import normal_name
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, has_errors
from opwright.diagnostics.ignores import settle_ignores
from opwright.lang.meaning.resolve import NotDeclaredError

from opwright_build.engine.action import Action, Done, Failed, Outcome
from opwright_build.engine.content_digest import Json, canonical_json
from opwright_build.engine.dataclass_bytes import decode_value, encode_value
from opwright_build.engine.mutual_actions import Result
from opwright_build.engine.reader import Reader
from opwright_build.engine.run import Engine, Planned
from opwright_build.engine.sources import FILE, NotYetError
from opwright_build.workflow.compiled.version_parts import ENTRY, NO_TEMPLATES, ROWS, TEMPLATES

if TYPE_CHECKING:
    from pathlib import Path

    from opwright.bundle.function_lookup import Functions

    from opwright_build.dependencies.resolution import Resolved
    from opwright_build.spec.model import Domain, Library, LoadedLibrary, Package, SpecVersion

LIBRARY = "library"  # the kind of source that answers questions about the library that is being built
FAILED = b"failed"
IGNORE = "OW330"
_NOT_COMPILED = frozenset({"tags", "proposal"})  # keys of a spec
_LARGE = 1 << 20  # bytes of a body: near the most that the compiler makes, which lines of a function may add to


def compile_versions(
    engine: Engine,
    loaded: LoadedLibrary,
    environment: str,
    others: Resolved | None = None,
    only: Collection[str] | None = None,
) -> dict[str, Result]:
    """The results for every sound version, by identity; with `only` for those of these identities and all that they
    call. `others` are the libraries that may be called."""
    actions = _actions(engine, loaded, environment)
    questions = questions_about(engine, loaded, others)
    sources = {
        version.identity: [f"file:{version.folder.relative_to(loaded.library.root).as_posix()}/{version.function_file}"]
        for version in loaded.versions
    }

    def cycle(circle: Sequence[str]) -> Outcome:
        return _circle(loaded, circle)

    return engine.run_mutual(actions, LIBRARY, questions.answer, cycle, only, sources.__getitem__)


def plan_versions(
    engine: Engine,
    loaded: LoadedLibrary,
    environment: str,
    others: Resolved | None = None,
    only: Collection[str] | None = None,
) -> Planned:
    """What `compile_versions` would compile."""
    questions = questions_about(engine, loaded, others)
    return engine.plan_mutual(_actions(engine, loaded, environment), LIBRARY, questions.answer, only)


def _actions(engine: Engine, loaded: LoadedLibrary, environment: str) -> dict[str, Action]:
    """For each version, by identity, the action that compiles it."""
    facts = {package.name: engine.put(canonical_json(_package_facts(loaded, package))) for package in loaded.packages}
    actions: dict[str, Action] = {}
    for version in loaded.versions:
        owner = loaded.library.package_of(version.domain.name)
        inputs = {"version": engine.put(version_input(version, loaded.library.root)), "library": facts[owner.name]}
        actions[version.identity] = Action("compile", f"compile {version.identity}", inputs, {}, environment)
    return actions


def version_input(version: SpecVersion, root: Path) -> bytes:
    """What compiling a version of the library at `root` takes of its spec: all but the tags, and another body for a
    proposal."""
    places = version.places
    if not _NOT_COMPILED.isdisjoint(places):
        places = {path: place for path, place in places.items() if path.partition(".")[0] not in _NOT_COMPILED}
    folder = version.folder.relative_to(root)
    return encode_value(replace(version, folder=folder, tags=(), proposal=None, places=places))


def compile_action(reader: Reader) -> Outcome:
    """Inputs: `version`, and `library`: the package that it belongs to, with its domains. Outputs: `rows`, and those
    of `version_parts`."""
    from opwright_build.compile import SpecFiles, compile_version
    from opwright_build.spec.model import SpecVersion
    from opwright_build.workflow.compiled.placed_rows import can_be_moved
    from opwright_build.workflow.compiled.same_code import MARK
    from opwright_build.workflow.compiled.write_parts import encode_rows, version_parts

    version = decode_value(SpecVersion, reader.input("version"))
    facts = json.loads(reader.input("library"))
    sources: dict[str, bytes | None] = {}

    def read(path: str) -> bytes | None:
        data = sources[path] = reader.read(f"{FILE}:{path}")
        return data

    files = SpecFiles(read)
    compiled = compile_version(version, files, ReaderLibraries(reader, facts, version.identity))
    if has_errors(compiled.diagnostics):
        return Failed(compiled.diagnostics)
    parts = version_parts(compiled.entry, compiled.bodies, compiled.templates)
    parts[ROWS] = encode_rows(compiled.entry, compiled.unreachable)
    outputs = {name: reader.put(data) for name, data in parts.items()}
    if not compiled.diagnostics and max(map(len, compiled.bodies.values()), default=0) < _LARGE:
        # (Findings tell places.)
        for path, data in sources.items():
            if data is not None and MARK not in data and can_be_moved(parts[ROWS], path, data):
                outputs[reader.heed_code_alone(path)] = reader.put(data)
    texts = {path: data.decode("utf-8", "replace") for path, data in sources.items() if data is not None}
    return Done(outputs, tuple(settle_ignores(compiled.diagnostics, texts)))


def has_templates(result: Result) -> bool:
    """Whether a version that was compiled well is made for each call, at some opset."""
    return isinstance(result.outcome, Done) and result.outcome.outputs[TEMPLATES] != NO_TEMPLATES


def findings_of(results: Iterable[Result]) -> list[Diagnostic]:
    """What compiling found. A comment that silences nothing for one version may do so for another of its file."""
    found: list[Diagnostic] = []
    readers: Counter[str] = Counter()
    idle: Counter[Diagnostic] = Counter()
    for result in results:
        if isinstance(result.outcome, Done | Failed):
            found += result.outcome.diagnostics
            idle.update(item for item in result.outcome.diagnostics if item.code == IGNORE)
        if isinstance(result.outcome, Done):
            readers.update(read.name for read in result.reads)
    return [
        item
        for item in found
        if item.code != IGNORE or item.place is None or idle[item] == readers[f"file:{item.place.file}"]
    ]


@dataclass(frozen=True, slots=True)
class ReaderLibraries:
    """The package that is being built and those beside it, as the compiler asks about them.

    What the package itself has is an input; each question about others is a recorded read.
    """

    reader: Reader
    facts: Mapping[str, Any]
    asking: str

    def domain_of(self, package: str, prefix: str = "") -> str | None:
        """The mirror where there is one: `ai.onnx` means the primitives."""
        name = package.partition(".")[0]
        if name == self.facts["package"]:
            own = (str(item["emitted"]) for item in self.facts["domains"] if item["prefix"] == prefix)
            return next(own, None)
        found = self._ask(f"package/{name}/{prefix}" if prefix else f"package/{name}")
        return None if found is None else str(json.loads(found))

    def other_versions(self, package: str, prefix: str, version: int) -> tuple[int, ...] | None:
        found = self._ask(f"no module/{package.partition('.')[0]}/{version}/{prefix}")
        return None if found is None else tuple(json.loads(found))

    def emitted_domain(self, domain: str) -> str | None:
        found = self._own_domain(domain) or self._other_domain(domain)
        return None if found is None else str(found["emitted"])

    def function(self, domain: str, name: str, version: int) -> FunctionEntry | None:
        if self._own_domain(domain) is None:
            other = self._other_domain(domain)
            if other is not None and not other["declared"]:
                raise NotDeclaredError(_undeclared(str(self.facts["library"]), other))
        domain = self._own_name(domain)
        known = self._ask(f"versions/{domain}/{name}")
        if known is None:
            return None
        if known == FAILED:
            raise DiagnosticError([_unsound_callee(self.asking, f"{domain}::{name}")])
        fitting = [since for since in json.loads(known) if since <= version]
        if not fitting:
            return None
        identity = f"{domain}::{name}@{max(fitting)}"
        entry = self._ask(f"entry/{identity}")
        if entry is None or entry == FAILED:
            raise DiagnosticError([_unsound_callee(self.asking, identity)])
        return _decoded(entry)

    def names(self, domain: str) -> tuple[str, ...]:
        return tuple(json.loads(self._ask(f"names/{self._own_name(domain)}") or b"[]"))

    def _own_domain(self, domain: str) -> Mapping[str, Any] | None:
        """A domain of the package, by its own name or the one that it is emitted under."""
        return next((item for item in self.facts["domains"] if domain in (item["name"], item["emitted"])), None)

    def _other_domain(self, domain: str) -> Mapping[str, Any] | None:
        """The same of the other packages, with the `library` that it belongs to and whether that is `declared`."""
        found = self._ask(f"domain/{self.facts['library']}/{domain}")
        value: Mapping[str, Any] | None = None if found is None else json.loads(found)
        return value

    def _own_name(self, domain: str) -> str:
        """The domain that is emitted under that name."""
        found = self._own_domain(domain) or self._other_domain(domain)
        return domain if found is None else str(found["name"])

    def _ask(self, question: str) -> bytes | None:
        return self.reader.read(f"{LIBRARY}:{question}")


def _prefixes(domains: Iterable[str]) -> dict[str, str]:
    """What stands before `opset<N>` in the names of a package's modules, by domain: nothing for the first one."""
    return {name: domain_prefix(name) if index else "" for index, name in enumerate(sorted(domains))}


@lru_cache(maxsize=16)
def _decoded(entry: bytes) -> FunctionEntry:
    """An entry, which a function that calls it asks for at each call, variant and opset."""
    return decode_value(FunctionEntry, entry)


class Questions:
    """The answers to what `ReaderLibraries` asks."""

    def __init__(
        self,
        engine: Engine,
        library: Library,
        domains: Sequence[Domain],
        identities: Sequence[str],
        broken: Iterable[str] = (),
        others: Resolved | None = None,
    ) -> None:
        """`identities` are the sound versions, in their order; `broken` names others, as `domain::Name`."""
        self._engine = engine
        self._identities = frozenset(identities)
        self._versions: dict[str, list[int]] = {}
        self._names: dict[str, list[str]] = {}
        for identity in identities:
            key, _, since = identity.rpartition("@")
            domain, _, name = key.partition("::")
            self._versions.setdefault(f"{domain}/{name}", []).append(int(since))
            names = self._names.setdefault(domain, [])
            if name not in names[-1:]:
                names.append(name)
        self._broken = {name.replace("::", "/") for name in broken}
        self._library = library
        emitted = {domain.name: domain.emitted for domain in domains}
        self._packages = {
            package.package: {
                prefix: emitted[name] for name, prefix in _prefixes(package.domains).items() if name in emitted
            }
            for package in library.packages
        }
        self._modules = {  # the domains that they hold, by package and prefix
            package.package: {prefix: name for name, prefix in _prefixes(package.domains).items()}
            for package in library.packages
        }
        self._domains: dict[str, tuple[Domain, Package]] = {}
        for package in library.packages:
            for item in domains:
                if item.name in package.domains:
                    self._domains.setdefault(item.emitted, (item, package))
                    self._domains[item.name] = (item, package)
        self._others: list[Functions] = []
        self._foreign: dict[str, tuple[DomainEntry, str]] = {}
        for key, other in others.libraries.items() if others is not None else ():
            self._add_library(key, other.bundle)

    def _add_library(self, key: str, bundle: Bundle) -> None:
        """Another library, of the name `key` as package indexes compare it."""
        domains = bundle.index.domains
        prefixes = _prefixes(domain.name for domain in domains)
        self._packages[bundle.index.package] = {prefixes[domain.name]: domain.mirror for domain in domains}
        self._modules[bundle.index.package] = {prefixes[domain.name]: domain.name for domain in domains}
        for domain in domains:
            self._foreign[domain.mirror] = self._foreign[domain.name] = (domain, key)
        table = bundle.index.table
        for name, function in table.names():
            self._versions[f"{name}/{function}"] = list(table.versions(name, function))
            self._names.setdefault(name, []).append(function)
        self._others.append(table)

    @cached_property
    def _since(self) -> dict[str, set[int]]:
        """The versions at which functions are new, by domain."""
        found: dict[str, set[int]] = {}
        for key, versions in self._versions.items():
            found.setdefault(key.partition("/")[0], set()).update(versions)
        return found

    def answer(self, question: str, results: Mapping[str, Result]) -> bytes | None:
        subject, _, rest = question.partition("/")
        match subject:
            case "versions":
                if rest in self._broken:
                    return FAILED
                return canonical_json(self._versions[rest]) if rest in self._versions else None
            case "names":
                return canonical_json(self._names.get(rest, []))
            case "package":
                name, _, prefix = rest.partition("/")
                emitted_as = self._packages.get(name, {}).get(prefix)
                return None if emitted_as is None else canonical_json(emitted_as)
            case "no module":
                return self._other_versions(*rest.split("/", 2))
            case "domain":
                return self._domain(*rest.split("/", 1))
            case "entry" if rest in self._identities:
                if rest not in results:
                    raise NotYetError(rest)
                result = results[rest]
                return self._engine.fetch(result, ENTRY) if isinstance(result.outcome, Done) else FAILED
            case "entry":
                found = (table.find_identity(rest) for table in self._others)
                return next((encode_value(entry) for entry in found if entry is not None), None)
        return None

    def _other_versions(self, package: str, version: str, prefix: str) -> bytes | None:
        """The versions at which a domain has modules, where this is none of them. Nothing where that one has them, and
        where a function of the domain could not be read: it may be of that version."""
        domain = self._modules.get(package, {}).get(prefix, "")
        if any(name.partition("/")[0] == domain for name in self._broken):
            return None
        known = self._since.get(domain, set())
        return None if int(version) in known else canonical_json(sorted(known))

    def _domain(self, asking: str, name: str) -> bytes | None:
        """A domain as the package `asking` may use it."""
        if name in self._foreign:
            foreign, library = self._foreign[name]
            wanted = map(normal_name, self._library.package(asking).dependencies)
            told: dict[str, Json] = {"name": foreign.name, "emitted": foreign.mirror, "library": library}
            return canonical_json({**told, "declared": library in wanted})
        if name not in self._domains:
            return None
        domain, owner = self._domains[name]
        declared = owner.name == asking or owner.name in self._library.package(asking).siblings
        facts: dict[str, Json] = {"name": domain.name, "emitted": domain.emitted, "library": owner.name}
        return canonical_json({**facts, "declared": declared})


def questions_about(engine: Engine, loaded: LoadedLibrary, others: Resolved | None) -> Questions:
    """The answers for a library that is loaded, and the libraries that it may call."""
    identities = [version.identity for version in loaded.versions]
    return Questions(engine, loaded.library, loaded.domains, identities, loaded.broken, others)


def _package_facts(loaded: LoadedLibrary, package: Package) -> dict[str, Any]:
    own = [domain for domain in loaded.domains if domain.name in package.domains]
    prefixes = _prefixes(package.domains)
    domains = [{"name": item.name, "emitted": item.emitted, "prefix": prefixes[item.name]} for item in own]
    return {"library": package.name, "package": package.package, "domains": domains}


def _circle(loaded: LoadedLibrary, circle: Sequence[str]) -> Outcome:
    first = next(version for version in loaded.versions if version.identity in circle)
    start = circle.index(first.identity)
    chain = [*circle[start:], *circle[:start], first.identity]
    return Failed((_recursive(first, chain),))


def _recursive(version: SpecVersion, chain: Sequence[str]) -> Diagnostic:
    return Diagnostic(
        code="OW323",
        message=f"{version.identity} calls itself",
        place=version.places.get("name"),
        reason=" calls ".join(chain),
        help="ONNX has no recursive functions: write a loop",
    )


def _undeclared(asking: str, other: Mapping[str, Any]) -> Diagnostic:
    library = other["library"]
    return Diagnostic(
        code="OW141",
        message=f"the package `{asking}` does not depend on `{library}`, which has the domain `{other['name']}`",
        reason="what a package calls is part of what it needs, and is built before it",
        help=f"write `dependencies: [{library}]` in the package `{asking}` in specs/library.yaml",
    )


def _unsound_callee(caller: str, callee: str) -> Diagnostic:
    return Diagnostic(
        code="OW908",
        message=f"{caller} is not compiled: it calls {callee}, which has errors",
    )
