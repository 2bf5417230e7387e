"""What is said of a library that differs from what was released: each change as a finding, at its line of the spec."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from opwright.diagnostics.diagnostic import Diagnostic, Place, Severity

from opwright_build.spec.model import LoadedLibrary, SpecVersion
from opwright_build.versions.change import Change, Kind
from opwright_build.versions.numeric import NumericVerdict, Within
from opwright_build.versions.promise import Promised
from opwright_build.versions.release_lock import DomainLock, Locks

Read = Callable[[str], bytes | None]  # a file by its path below the library's root

_INPUTS = (
    Kind.INPUT_ADDED,
    Kind.INPUT_ADDED_OPTIONAL,
    Kind.INPUT_GONE,
    Kind.INPUT_MOVED,
    Kind.INPUT_NAME,
    Kind.INPUT_OPTIONAL,
    Kind.INPUT_REQUIRED,
    Kind.INPUT_SINGLE,
    Kind.INPUT_TYPE,
    Kind.INPUT_VARIADIC,
    Kind.TYPES_TIED,
    Kind.TYPES_UNTIED,
)
_OUTPUTS = (
    Kind.OUTPUT_ADDED,
    Kind.OUTPUT_COUNT,
    Kind.OUTPUT_GONE,
    Kind.OUTPUT_MOVED,
    Kind.OUTPUT_NAME,
    Kind.OUTPUT_TYPE,
)
_ATTRIBUTES = (
    Kind.ATTRIBUTE_ADDED,
    Kind.ATTRIBUTE_ADDED_OPTIONAL,
    Kind.ATTRIBUTE_BOOL,
    Kind.ATTRIBUTE_GONE,
    Kind.ATTRIBUTE_MOVED,
    Kind.ATTRIBUTE_OPTIONAL,
    Kind.ATTRIBUTE_REQUIRED,
    Kind.ATTRIBUTE_TYPE,
    Kind.CHOICE_ADDED,
    Kind.CHOICE_GONE,
    Kind.DEFAULT,
)
_SHAPES = (Kind.RANK, Kind.RANK_FREE, Kind.SHAPE, Kind.SHAPE_FREE)
_OUTPUT_SHAPES = (Kind.OUTPUT_SHAPE, Kind.OUTPUT_SHAPE_SAID)
_TYPES = (
    Kind.OPSET_TYPES,
    Kind.OPSET_TYPES_WIDENED,
    Kind.TYPES_NARROWED,
    Kind.TYPES_WIDENED,
    Kind.VARIABLE_NAME,
)
_OPERATORS = (
    Kind.OPERATOR,
    Kind.OPERATOR_ADDED,
    Kind.OPERATOR_CALLS_ADDED,
    Kind.OPERATOR_GONE,
    Kind.OPERATOR_KEY,
    Kind.OPERATOR_SCHEMA,
    Kind.OPERATOR_SCHEMA_WIDENED,
)
_OF_PACKAGES = (Kind.DOMAIN_MOVED, Kind.DOMAIN_TAKEN, Kind.FIRST_DOMAIN)
_ADDED = (Kind.FUNCTION_ADDED, Kind.VERSION_ADDED, Kind.VERSION_BELOW)


class SpecPlaces:
    """Where each version says what changed."""

    def __init__(self, loaded: LoadedLibrary, read: Read, lock: Callable[[str], Place] | None = None) -> None:
        self._versions = {version.identity: version for version in loaded.versions}
        self._domains = {domain.name: domain.places.get("version") for domain in loaded.domains}
        self._lists = {
            domain: package.places.get("domains") for package in loaded.library.packages for domain in package.domains
        }
        self._root = loaded.library.root
        self._read = read
        self._lock = lock

    def of(self, change: Change) -> Place | None:
        """The line of the spec; where there is none any more, that of the lock. None for the whole library."""
        if change.kind in _OF_PACKAGES and self._lists.get(change.what) is not None:
            return self._lists[change.what]
        if not change.identity:
            return self._domains.get(change.what)
        version = self._versions.get(change.identity)
        if version is None:
            return self._of_missing(change.identity)
        places, kind = version.places, change.kind
        if kind in _INPUTS:
            return self._key(version, f"inputs.{change.what}", "inputs")
        if kind in _OUTPUTS:
            return self._key(version, f"outputs.{change.what}", "outputs")
        if kind in _SHAPES:
            return self._shape(version, "inputs", change.what, rf"\b{re.escape(change.what)}\b\s*:")
        if kind in _OUTPUT_SHAPES:
            return self._shape(version, "outputs", change.what, r"->")
        if kind in _TYPES:
            inner = re.sub(r"^the input |`", "", change.what)
            return self._key(version, f"types.{inner}", f"inputs.{inner}", "types", "inputs")
        if kind in (Kind.OPSETS_NARROWED, Kind.OPSETS_WIDENED, Kind.VARIANT_GONE):
            return self._key(version, "opset")
        if kind in _ADDED:
            return self._key(version, "since_version")
        if kind in _OPERATORS:
            parts = change.what.split(".")
            keys = (".".join(("implements", *parts[:count])) for count in range(len(parts), -1, -1))
            return self._key(version, *keys)
        if kind in (Kind.DEPRECATED, Kind.NOT_DEPRECATED):
            return self._key(version, "deprecated", "name")
        return self.in_python(version, change.what if kind in _ATTRIBUTES else "") or places.get("name")

    def _key(self, version: SpecVersion, *keys: str) -> Place | None:
        places = version.places
        return next((places[key] for key in (*keys, "name") if key in places), None)

    def _shape(self, version: SpecVersion, group: str, name: str, annotation: str) -> Place | None:
        """In YAML, unless an annotation says it."""
        said = any(f"{group}.{name}.{key}" in version.places for key in ("rank", "shape"))
        annotated = None if said else self._in_def(version, re.compile(annotation))
        return annotated or self._key(
            version, f"{group}.{name}.shape", f"{group}.{name}.rank", f"{group}.{name}", group
        )

    def _of_missing(self, identity: str) -> Place | None:
        """Beside the versions that are left, or in the lock."""
        family = identity.rpartition("@")[0]
        for other, version in self._versions.items():
            if other.rpartition("@")[0] == family:
                return self._key(version, "since_version")
        return self._lock(identity) if self._lock is not None else None

    def in_python(self, version: SpecVersion, parameter: str) -> Place | None:
        """Where the function, or a parameter of it, is defined."""
        word = re.compile(rf"\b{re.escape(parameter)}\b(?=\s*[:=,)])") if parameter else None
        return (self._in_def(version, word) if word is not None else None) or self._in_def(version, None)

    def _in_def(self, version: SpecVersion, word: re.Pattern[str] | None) -> Place | None:
        """Where a word first stands in the line of the function's `def` or those below; the `def` without one."""
        file = f"{version.folder.relative_to(self._root).as_posix()}/{version.function_file}"
        lines = (self._read(file) or b"").decode("utf-8", "replace").split("\n")
        head = f"def {version.function_name}("
        start = next((number for number, line in enumerate(lines) if line.startswith(head)), None)
        if start is None:
            return None
        if word is None:
            return Place(file, start + 1, 1, start + 1, len(head))
        for number in range(start, min(start + 60, len(lines))):
            match = word.search(lines[number], len(head) if number == start else 0)
            if match is not None:
                return Place(file, number + 1, match.start() + 1, number + 1, match.end() + 1)
            if number > start and lines[number].startswith(("    return", "def ")):
                break
        return None


def broken_promises(
    changes: Iterable[Change], released: Promised, current: Promised, places: SpecPlaces, locks: Locks
) -> Iterator[Diagnostic]:
    """A finding for each change that a released version of a function, or of a domain, may not have."""
    for change in changes:
        if change.kind in _ADDED:
            yield from _added(change, released, current, places, locks)
            continue
        if change.kind is Kind.DOMAIN_LOWERED:
            yield _lowered(change, places, locks)
            continue
        if not change.kind.promised:
            continue
        since = locks.domains[change.identity.partition("::")[0]].promises[change.identity]
        if change.kind in (Kind.FUNCTION_GONE, Kind.VERSION_GONE):
            yield _gone(change, since.entry.deprecated, since.release, places)
            continue
        yield Diagnostic(
            "OW611",
            f"{change.identity} is not what release {since.release} promised",
            places.of(change),
            reason=change.explain(),
            help=_way_out(change.identity, released, current),
        )


def _added(
    change: Change, released: Promised, current: Promised, places: SpecPlaces, locks: Locks
) -> Iterator[Diagnostic]:
    """A finding where a version of the domain that was released would gain what is new. The versions of a mirrored
    domain are those of the standard, which says where a function begins: it gains functions, and no model of it gets
    another one than before."""
    entry = current.promises[change.identity].entry
    lock = locks.domains.get(entry.domain)
    if lock is None:
        return
    if change.identity in lock.gone:
        reason = "an earlier release had it and a later one left it out: models hold that name with what it meant then"
    elif change.kind is Kind.VERSION_BELOW:
        reason = change.explain()
    elif entry.since_version <= lock.version and lock.emitted == lock.domain:
        reason = f"release {lock.release} has version {lock.version} of {lock.domain} without it"
    else:
        return
    number = _next_version(change.identity, released, current)
    yield Diagnostic(
        "OW624",
        f"{change.identity} would be part of a version of {lock.domain} that was released",
        places.of(change),
        reason=reason,
        help=f"write it as {number}" if lock.emitted == lock.domain else "leave it out",
    )


def _lowered(change: Change, places: SpecPlaces, locks: Locks) -> Diagnostic:
    return Diagnostic(
        "OW624",
        f"version {change.before} of {change.what} was released, and {change.after} is lower",
        places.of(change),
        reason=f"models import the version that release {locks.domains[change.what].release} has",
        help=f"write `version: {change.before}`, or a larger one",
    )


def ownerless(domain: str, lock: DomainLock) -> Diagnostic:
    """The lock of a domain that is no longer one of the library."""
    return Diagnostic(
        "OW612",
        f"the domain {domain} is gone",
        Place(lock.path),
        reason=f"its lock has {next(iter(lock.promises))}, and models that name it would not load any more",
        help=f"keep specs/{domain} with its domain.yaml until a release has left its functions out",
    )


def _gone(change: Change, deprecated: bool, release: str, places: SpecPlaces) -> Diagnostic:
    if change.kind is Kind.VERSION_GONE:
        return Diagnostic(
            "OW612",
            f"{change.identity} is gone, and an older version of it is not",
            places.of(change),
            reason=f"release {release} had it, and models that name it would get {change.after} in its place",
            help="keep it; versions that were released with `deprecated: true` are left out with all older ones",
        )
    if deprecated:
        return Diagnostic(
            "OW612",
            f"{change.identity} is gone, which only a major release may bring",
            places.of(change),
            reason=f"release {release} had it, and it was released as deprecated",
            help="keep it until then",
            severity=Severity.WARNING,
        )
    return Diagnostic(
        "OW612",
        f"{change.identity} is gone",
        places.of(change),
        reason=f"release {release} had it, and models that name it would not load any more",
        help="keep it; mark it with `deprecated: true`, and once that is released a major release may leave it out",
    )


def _way_out(identity: str, released: Promised, current: Promised) -> str:
    """What to do in the place of another promise."""
    number = _next_version(identity, released, current)
    return f"leave {identity} as it was released, and write the new one as {number}"


def _next_version(identity: str, released: Promised, current: Promised) -> str:
    """The since_version to write."""
    domain, _, rest = identity.partition("::")
    name = rest.partition("@")[0]
    version = current.versions.get(domain, 1)
    taken = {item.entry.since_version for item in current.promises.values() if item.key[:2] == (domain, name)}
    taken |= {item.entry.since_version for item in released.promises.values() if item.key[:2] == (domain, name)}
    number = max(released.versions.get(domain, 1) + 1, max(taken, default=0) + 1)
    raised = "" if number <= version else f" (with `version: {number}` in domain.yaml)"
    return f"`since_version: {number}`{raised}"


def of_bodies(
    verdicts: Mapping[str, NumericVerdict],
    released: Promised,
    current: Promised,
    places: SpecPlaces,
) -> list[Diagnostic]:
    """A finding for each version whose bodies are not those that were released."""
    found: list[Diagnostic] = []
    for identity, verdict in verdicts.items():
        release = released.promises[identity].release
        place = places.of(Change(identity, Kind.BODY))
        accept = f'`opwright lock --accept {identity} --reason "..."` accepts it, and the next release takes it'
        if verdict.within is Within.BEYOND:
            found.append(
                Diagnostic(
                    "OW614",
                    f"{identity} computes something else than release {release}",
                    place,
                    reason=verdict.explain(),
                    help=_way_out(identity, released, current),
                    subject=identity,
                )
            )
        elif verdict.within is Within.UNKNOWN:
            found.append(
                Diagnostic(
                    "OW615",
                    f"{identity} differs from release {release}, and how far is not known",
                    place,
                    reason=verdict.explain(),
                    help=_way_to_know(verdict),
                    severity=Severity.WARNING,
                    subject=identity,
                )
            )
        else:
            found.append(
                Diagnostic(
                    "OW613",
                    f"{identity} differs from {release}",
                    place,
                    reason=f"its body is another one; {verdict.explain()}",
                    help=accept,
                    severity=Severity.WARNING,
                    subject=identity,
                )
            )
    return found


def _way_to_know(verdict: NumericVerdict) -> str:
    """What to do where nothing tells how far a body differs."""
    if not verdict.obstacle:
        return "add vectors that run these bodies"
    accept = f'`opwright lock --accept {verdict.identity} --reason "..." --unjudged`'
    return f"{verdict.obstacle}: compare the sources, then {accept} accepts it"


def finding_of(
    change: Change, origin: str, places: SpecPlaces, refused: Diagnostic | None, verdict: NumericVerdict | None
) -> Diagnostic | None:
    """What `diff` reports of a change: that it breaks what worked, that nothing tells whether it does, or that the lock
    does not allow it, which is `refused`. None of a compatible one. `verdict` is that on a body which is another one.
    """
    if change.breaks:
        return Diagnostic(
            "OW620",
            f"{change.level.value}: {change.identity or 'the library'} is not what {origin} has",
            places.of(change),
            reason=change.explain(),
            help=refused.help if refused is not None else "",
        )
    if change.undecided:
        return Diagnostic(
            "OW625",
            f"whether {change.identity} computes what {origin} does is not known",
            places.of(change),
            reason=change.explain(),
            help="add vectors that run these bodies, or compare with a bundle that has all that the earlier ones call"
            if verdict is None or verdict.missing or not verdict.obstacle
            else f"{verdict.obstacle}: compare the sources",
        )
    return refused
