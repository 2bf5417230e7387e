"""The lock of a domain: `specs/<domain>/released/release.lock`, and beside it the text of each released body.

JSON, one object a line: first the domain and its releases, then one line for each released version, sorted. Every line
carries the sha256 of the rest of it, the first one also that of all lines behind it: what was edited by hand or lost
in a merge is found, and where. `<Name>-<since_version>.txt` holds the bodies of a version as text, those that are
superseded behind the others, `<version>.md` the notes of a release, in the folder of its package's first domain; the
lock there has their sha256.
Only `opwright release` and `opwright lock --accept` write these files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import pairwise, zip_longest

from opwright.bundle.format import BodyEntry, FunctionEntry
from opwright.diagnostics.diagnostic import Diagnostic, Place

from opwright_build.versions.body_form import TextError, body_lines, read_body
from opwright_build.versions.lock_json import Json, MalformedRecordError, from_json, to_json
from opwright_build.versions.promise import Accepted, Promise, Promised, Terms, bare, by_identity
from opwright_build.versions.semantic import parse_release

FORMAT = 1
FOLDER = "released"
FILE = "release.lock"
MOST_LOCK_BYTES = 1 << 27
MOST_TEXT_BYTES = 1 << 26
_MOST_OPSET = 10_000
_DIGEST = re.compile(r"(body|template)\d+:[0-9a-f]{64}", re.ASCII)
_BODY = re.compile(r"(body|template) ((?:body|template)\d+:[0-9a-f]{64})", re.ASCII)

Read = Callable[[str], bytes | None]  # a file by its path below the library's root


@dataclass(frozen=True, slots=True)
class Release:
    """A release, and the digest that the library had (the sha256 of its index)."""

    version: str
    library: str


@dataclass(frozen=True, slots=True)
class Notes:
    """The notes of a release that lie beside the lock, and the sha256 of their bytes."""

    version: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Formerly:
    """The releases of another library, in which a domain was before it came to the one that has it now."""

    library: str
    releases: tuple[Release, ...]


@dataclass(frozen=True, slots=True)
class _Head:
    lock: int
    domain: str
    library: str
    package: str
    emitted: str
    version: int
    releases: tuple[Release, ...]
    gone: tuple[str, ...] = ()
    formerly: tuple[Formerly, ...] = ()
    terms: Terms | None = None
    notes: tuple[Notes, ...] = ()


@dataclass(frozen=True, slots=True)
class _Line:
    entry: FunctionEntry
    release: str
    accepted: tuple[Accepted, ...] = ()
    superseded: tuple[BodyEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class DomainLock:
    """The lock of one domain. `version` is that of the domain, `lines` where each version stands in the file, `gone`
    the identities that a release had and a later one left out: none of them is given again. `terms` are None where the
    lock was written before they were noted: the next release notes them. So with `notes`, which lack earlier releases.
    """

    domain: str
    library: str
    package: str
    emitted: str
    version: int
    releases: tuple[Release, ...]
    promises: Mapping[str, Promise]
    lines: Mapping[str, int] = field(default_factory=dict)
    gone: tuple[str, ...] = ()
    formerly: tuple[Formerly, ...] = ()
    terms: Terms | None = None
    notes: tuple[Notes, ...] = ()

    @property
    def path(self) -> str:
        return lock_path(self.domain)

    @property
    def release(self) -> str:
        """The newest release; empty where there is none."""
        return _newest(self.releases)

    def releases_of(self, library: str) -> tuple[Release, ...]:
        """The releases of a library that had the domain."""
        if library == self.library:
            return self.releases
        return next((item.releases for item in self.formerly if item.library == library), ())

    def formerly_but(self, library: str) -> tuple[Formerly, ...]:
        """What the lock remembers of other libraries, once that one has the domain."""
        known = {item.library: item for item in (*self.formerly, Formerly(self.library, self.releases))}
        known.pop(library, None)
        return tuple(known[name] for name in sorted(known))

    def place(self, identity: str) -> Place:
        """Where a released version stands in the lock."""
        line = self.lines.get(identity, 0)
        return Place(self.path, line, 1, line, 2) if line else Place(self.path)


def lock_path(domain: str) -> str:
    return f"specs/{domain}/{FOLDER}/{FILE}"


def text_path(entry: FunctionEntry) -> str:
    """The file of the bodies of a version."""
    return f"specs/{entry.domain}/{FOLDER}/{entry.name}-{entry.since_version}.txt"


# ------------------------------------------------------------------------------------------------ writing


def write_lock(lock: DomainLock) -> bytes:
    """The file's bytes."""
    promises = by_identity(lock.promises.values()).values()
    lines = [
        _sealed(to_json(_Line(bare(item.entry), item.release, item.accepted, item.superseded))) for item in promises
    ]
    head = _Head(
        FORMAT,
        lock.domain,
        lock.library,
        lock.package,
        lock.emitted,
        lock.version,
        lock.releases,
        lock.gone,
        lock.formerly,
        lock.terms,
        lock.notes,
    )
    body = "".join(f"{line}\n" for line in lines)
    first = _sealed({**to_json(head), "lines": sha256(body.encode()).hexdigest()})
    return f"{first}\n{body}".encode("ascii")


def write_text(promise: Promise, bodies: Mapping[str, bytes], templates: Mapping[str, bytes]) -> bytes:
    """The bodies of a version as text: which serves what, then each of them once."""
    entry = promise.entry
    lines = [f"{entry.identity}"]
    for item in entry.templates:
        lines.append(f"opset {item.first_opset}-{item.last_opset}, made for each call: {item.template}")
    for prefix, listed in (("", entry.bodies), ("superseded, ", promise.superseded)):
        for body in listed:
            variant = "".join(f", {axis}={value}" for axis, value in body.variant)
            lines.append(f"{prefix}opset {body.first_opset}-{body.last_opset}{variant}: {body.body}")
    for digest in dict.fromkeys(item.template for item in entry.templates):
        shown = templates[digest].decode("utf-8").split("\n")
        lines += ["", f"template {digest}", *(f"  {line}" for line in shown)]
    for digest in dict.fromkeys(body.body for body in (*entry.bodies, *promise.superseded)):
        lines += ["", f"body {digest}", *(f"  {line}" for line in body_lines(bodies[digest]))]
    return ("\n".join(lines) + "\n").encode()


def with_notes(known: Iterable[Notes], version: str, data: bytes) -> tuple[Notes, ...]:
    """The notes that lie beside a lock, once these are written there."""
    others = (item for item in known if item.version != version)
    return (*others, Notes(version, sha256(data).hexdigest()))


def _sealed(value: dict[str, Json]) -> str:
    return _dumps({**value, "sha256": sha256(_dumps(value).encode()).hexdigest()})


def _dumps(value: Json) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


# ------------------------------------------------------------------------------------------------ reading


def read_lock(
    data: bytes, domain: str, names: Collection[str] | None = None
) -> tuple[DomainLock | None, list[Diagnostic]]:
    """The lock of a domain, and what is wrong with it: with findings there is none. `names`: of those functions alone;
    no other line is decoded, though the first one answers for all of them."""
    path = lock_path(domain)
    if len(data) > MOST_LOCK_BYTES:
        return None, [_damaged(path, 0, f"it has {len(data):,} bytes; {MOST_LOCK_BYTES:,} are read at most")]
    lines = _with_own_line_ends(data).split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    values, found = _read_values(path, lines, names)
    if found:
        return None, found
    try:
        head = from_json(_Head, values[1])
        if head.lock > FORMAT:
            return None, [_newer(path, head.lock)]
        if any(parse_release(item.version) is None for item in head.notes):
            raise MalformedRecordError("notes are of what is no release")
    except MalformedRecordError as error:
        return None, [_damaged(path, 1, str(error))]
    if values.pop(1).get("lines") != sha256(b"".join(line + b"\n" for line in lines[1:])).hexdigest():
        found.append(
            _damaged(path, 1, "the lines below are not those that were written: some are missing, or in another order")
        )
    if head.domain != domain:
        found.append(_damaged(path, 1, f"it is the lock of {head.domain}"))
    promises, places, damaged = _read_promises(path, domain, values)
    found += damaged
    if found:
        return None, found
    made = DomainLock(
        head.domain,
        head.library,
        head.package,
        head.emitted,
        head.version,
        head.releases,
        promises,
        places,
        head.gone,
        head.formerly,
        head.terms,
        head.notes,
    )
    return made, []


def _with_own_line_ends(data: bytes) -> bytes:
    """The bytes as they were written, where a tool has given all lines the ends of Windows, as git may."""
    ends = data.count(b"\r\n")
    return data.replace(b"\r\n", b"\n") if ends and ends == data.count(b"\n") else data


def _read_values(
    path: str, lines: Sequence[bytes], names: Collection[str] | None
) -> tuple[dict[int, dict[str, Json]], list[Diagnostic]]:
    """What the lines hold that are wanted, by number, and which of them are damaged."""
    found: list[Diagnostic] = []
    values: dict[int, dict[str, Json]] = {}
    for number, line in _wanted(lines, names):
        try:
            values[number] = _unsealed(line)
        except MalformedRecordError as error:
            found.append(_damaged(path, number, str(error)))
    if not lines:
        found.append(_damaged(path, 0, "it is empty"))
    return values, found


def _read_promises(
    path: str, domain: str, values: Mapping[int, Mapping[str, Json]]
) -> tuple[dict[str, Promise], dict[str, int], list[Diagnostic]]:
    """The versions by identity, the lines that they stand in, and which lines are of no version."""
    promises: dict[str, Promise] = {}
    places: dict[str, int] = {}
    found: list[Diagnostic] = []
    for number, value in values.items():
        try:
            line_read = from_json(_Line, value)
            _check(line_read, domain)
        except MalformedRecordError as error:
            found.append(_damaged(path, number, str(error)))
            continue
        identity = line_read.entry.identity
        if identity in promises:
            found.append(_damaged(path, number, f"{identity} stands twice"))
        promises[identity] = Promise(line_read.entry, line_read.release, line_read.accepted, line_read.superseded)
        places[identity] = number
    return promises, places, found


def _wanted(lines: Sequence[bytes], names: Collection[str] | None) -> Iterator[tuple[int, bytes]]:
    """The first line, and those that may be about these functions, as the others have none of the names; by number."""
    marks = [f'"name":{_dumps(name)}'.encode("ascii") for name in names or ()]
    for number, line in enumerate(lines, 1):
        if number == 1 or names is None or any(mark in line for mark in marks):
            yield number, line


def _unsealed(line: bytes) -> dict[str, Json]:
    if line.startswith((b"<<<<<<<", b"=======", b">>>>>>>")):
        raise MalformedRecordError("a merge has left both sides here")
    try:
        value = json.loads(line.decode("ascii"))
    except (ValueError, RecursionError):
        raise MalformedRecordError("it is not a line of JSON") from None
    if not isinstance(value, dict):
        raise MalformedRecordError("it is not an object")
    seal = value.pop("sha256", None)
    if _dumps_or_none(value) is None or seal != sha256(_dumps(value).encode()).hexdigest():
        raise MalformedRecordError("it was edited: it has another sha256 than it says")
    return value


def _dumps_or_none(value: Json) -> str | None:
    try:
        return _dumps(value)
    except (ValueError, RecursionError):  # NaN and Infinity, which Python reads and JSON does not have
        return None


def _check(line: _Line, domain: str) -> None:
    """What the types of the fields do not say."""
    entry, bodies = line.entry, (*line.entry.bodies, *line.superseded)
    if entry.domain != domain or not entry.name.isidentifier() or entry.since_version < 1:
        raise MalformedRecordError("it is no version of this domain")
    ranges = [(item.first_opset, item.last_opset) for item in bodies]
    ranges += [(item.first_opset, item.last_opset) for item in entry.templates]
    if not all(1 <= first <= last <= _MOST_OPSET for first, last in ranges):
        raise MalformedRecordError("a range of opsets is none")
    digests = (*(item.body for item in bodies), *(item.template for item in entry.templates))
    if not all(_DIGEST.fullmatch(digest) for digest in digests):
        raise MalformedRecordError("a digest is none")


def read_text(data: bytes, promise: Promise) -> tuple[dict[str, bytes], list[Diagnostic]]:
    """The bodies of a released version by digest, from its text, and what is wrong with that."""
    path = text_path(promise.entry)
    if len(data) > MOST_TEXT_BYTES:
        return {}, [_damaged(path, 0, f"it has {len(data):,} bytes; {MOST_TEXT_BYTES:,} are read at most")]
    lines = _with_own_line_ends(data).decode("utf-8", "replace").split("\n")
    found: list[Diagnostic] = []
    bodies: dict[str, bytes] = {}
    templates: dict[str, bytes] = {}
    starts = [at for at, line in enumerate(lines) if _BODY.fullmatch(line)]
    for start, stop in pairwise([*starts, len(lines)]):
        kind, digest = lines[start].split(" ")
        inner = lines[start + 1 : stop]
        while inner and inner[-1] == "":
            inner.pop()
        texts = [line.removeprefix("  ") for line in inner]
        if kind == "template":
            templates[digest] = "\n".join(texts).encode("utf-8", "replace")
            if sha256(templates[digest]).hexdigest() != digest.partition(":")[2]:
                found.append(_damaged(path, start + 1, "the template was edited: it has another digest than it says"))
            continue
        try:
            bodies[digest] = read_body(texts, digest)
        except TextError as error:
            found.append(_damaged(path, start + 2 + error.line, f"the body was edited: {error}"))
    if found:
        return bodies, found
    missing = sorted({*promise.bodies, *(item.body for item in promise.superseded)} - {*bodies, *templates})
    if missing:
        found.append(_damaged(path, 0, f"it lacks {missing[0][:22]}..., which the lock names"))
    else:
        found += _other_lines(path, lines, write_text(promise, bodies, templates).decode("utf-8").split("\n"))
    return bodies, found


def _other_lines(path: str, lines: Sequence[str], written: Sequence[str]) -> list[Diagnostic]:
    """The first line that is not the one that was written. The bodies may be right and the lines above them, which
    say what they serve, or the way that they are written, another."""
    pairs = enumerate(zip_longest(lines, written), 1)
    number = next((number for number, (line, right) in pairs if line != right), 0)
    return [_damaged(path, number, "the line is not the one that was written")] if number else []


def check_notes(read: Read, lock: DomainLock) -> list[Diagnostic]:
    """What is wrong with the notes that lie beside a lock, as far as the lock has their sha256."""
    found: list[Diagnostic] = []
    for item in lock.notes:
        path = notes_path([lock.domain], item.version)
        data = read(path)
        if data is None:
            found.append(_missing(path, lock.path))
        elif sha256(_with_own_line_ends(data)).hexdigest() != item.sha256:
            found.append(_damaged(path, 0, "it has another sha256 than the lock says"))
    return found


def _missing(path: str, lock: str) -> Diagnostic:
    help_ = "take it from version control again"
    return Diagnostic("OW610", f"{path} is missing", Place(lock, 1, 1, 1, 2), help=help_)


def _damaged(path: str, line: int, reason: str) -> Diagnostic:
    return Diagnostic(
        "OW610",
        f"{path.rpartition('/')[2]} is not as it was written",
        Place(path, line, 1, line, 2) if line else Place(path),
        reason=reason,
        help="only `opwright release` and `opwright lock --accept` write it: take it from version control again",
    )


def _newer(path: str, number: int) -> Diagnostic:
    return Diagnostic(
        "OW610",
        f"{path} was written by a newer opwright",
        Place(path, 1, 1, 1, 2),
        reason=f"it has format {number}; this opwright knows format {FORMAT}",
        help="upgrade opwright",
    )


# --------------------------------------------------------------------------------------------- whole locks


@dataclass(frozen=True, slots=True)
class Locks:
    """The locks of a package's domains, those alone that have one.

    `left` are those of domains that the package had in its last release and has no more. `elsewhere` names, for each
    domain that was none of it in that release, the library that had it.
    """

    domains: Mapping[str, DomainLock]
    left: Mapping[str, DomainLock] = field(default_factory=dict)
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    library: str = ""  # what the package was called in its last release, where that is known
    releases: tuple[Release, ...] = ()

    @property
    def release(self) -> str:
        """The newest release; empty where there is none."""
        return _newest(self.releases)

    @property
    def promised(self) -> Promised | None:
        """What has been released, of functions that are still of the package; None where nothing has."""
        if not (self.domains or self.left):
            return None
        locks = (*self.domains.values(), *self.left.values())
        own = [lock for lock in locks if lock.library == self.library]
        package = next((lock.package for lock in own), "")
        terms = next((lock.terms for lock in own if lock.release == self.release), None)
        promises = by_identity(item for lock in self.domains.values() for item in lock.promises.values())
        return Promised(
            self.library,
            package,
            self.release,
            {lock.domain: lock.emitted for lock in locks},
            {lock.domain: lock.version for lock in locks},
            promises,
            f"release {self.release}",
            self.elsewhere,
            terms,
        )

    def place(self, identity: str) -> Place:
        return self.domains[identity.partition("::")[0]].place(identity)


def read_locks(
    read: Read, domains: Iterable[str], names: Collection[str] | None = None
) -> tuple[Locks, list[Diagnostic]]:
    """The locks of those domains, as far as they have one, whatever packages have them. `names`: what they say of those
    functions, and perhaps of others."""
    locks: dict[str, DomainLock] = {}
    found: list[Diagnostic] = []
    for domain in domains:
        data = read(lock_path(domain))
        if data is not None:
            lock, findings = read_lock(data, domain, names)
            found += findings
            if lock is not None:
                locks[domain] = lock
    releases = {item.version: item for lock in locks.values() for item in lock.releases}
    return Locks(locks, releases=tuple(releases[version] for version in sorted(releases, key=release_key))), found


def read_package_locks(
    read: Read, package: str, owners: Mapping[str, str], folders: Iterable[str]
) -> tuple[Locks, list[Diagnostic]]:
    """The locks of a package: those of its domains, and of domains that it had. `owners` names the package that each
    domain has now, `folders` are those of specs/: a domain that is none any more may have a lock as well."""
    own = [domain for domain, owner in owners.items() if owner == package]
    locks, found = read_locks(read, own)
    others, findings = read_locks(read, sorted({*owners, *folders}.difference(own)), ())
    every = {**locks.domains, **others.domains}
    library = _released_as(package, locks.domains.values(), every.values(), set(owners.values()))
    releases = max((lock.releases_of(library) for lock in every.values()), key=_order, default=())
    had = {domain for domain, lock in every.items() if releases and releases[-1] in lock.releases_of(library)}
    left = {domain: others.domains[domain] for domain in had & others.domains.keys()}
    elsewhere = {domain: lock.library for domain, lock in every.items() if domain not in had}
    return Locks(locks.domains, left, elsewhere, library, releases), [*found, *findings]


def _released_as(
    package: str, own: Iterable[DomainLock], every: Iterable[DomainLock], packages: Collection[str]
) -> str:
    """What a package was called in its last release: as now, or as a package that is none any more, where that had its
    domains. Empty where it was never released."""
    if any(lock.releases_of(package) for lock in every):
        return package
    renamed = [lock for lock in own if lock.library not in packages]
    return max(renamed, key=lambda lock: _order(lock.releases)).library if renamed else ""


def _order(releases: Sequence[Release]) -> list[tuple[int, ...]]:
    return [release_key(item.version) for item in releases]


def _newest(releases: Iterable[Release]) -> str:
    return max((item.version for item in releases), key=release_key, default="")


def notes_path(domains: Iterable[str], version: str) -> str:
    """Where the notes of a release of a package with these domains lie."""
    return f"specs/{min(domains)}/{FOLDER}/{version}.md"


def lost_locks(names: Iterable[str], locks: Locks) -> list[Diagnostic]:
    """A finding for each domain that has texts of released bodies and no lock. `names` are the files below specs/."""
    lost: dict[str, str] = {}
    for name in names:
        domain, _, rest = name.partition(f"/{FOLDER}/")
        if rest and "/" not in domain and "/" not in rest and domain not in locks.domains:
            lost.setdefault(domain, f"specs/{name}")
    return [
        _damaged(lock_path(domain), 0, f"it is missing, and {text} is there") for domain, text in sorted(lost.items())
    ]


def release_key(version: str) -> tuple[int, ...]:
    """Releases in their order, by their numbers."""
    return tuple(int(number) for number in re.findall(r"\d+", version)[:6])
