"""The lock: what is written is read, and what was edited by hand or lost in a merge is found at its line."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from opwright.bundle.format import AttributeEntry, ImplementsEntry, InputEntry
from opwright_build.versions.lock_json import MalformedRecordError, from_json
from opwright_build.versions.promise import Accepted, Promise, Promised, Terms
from opwright_build.versions.promise_changes import compare
from opwright_build.versions.release_lock import (
    DomainLock,
    Formerly,
    Locks,
    Release,
    check_notes,
    read_lock,
    read_locks,
    read_package_locks,
    read_text,
    release_key,
    with_notes,
    write_lock,
    write_text,
)

from tests.versions.states import State, spec, state
from tests.versions.test_random_changes import draw_function

DOMAIN = "com.acme"


def lock(count: int = 4) -> DomainLock:
    draw = random.Random(1)
    entries = [draw_function(draw, f"F{index}") for index in range(count)]
    strange = AttributeEntry("limit", "FLOAT", False, float("inf"))
    more = AttributeEntry("sizes", "INTS", False, (1, 2))
    entries[1] = replace(entries[1], implements=ImplementsEntry("acme::f(Tensor x0) -> Tensor", drops=(("n", ()),)))
    entries[0] = replace(
        entries[0], attributes=(*entries[0].attributes, strange, more, AttributeEntry("whole", "FLOAT", False, 1.0))
    )
    accepted = Accepted("1.1.0", "a newer compiler", "exact", (entries[0].bodies[0].body,))
    promises = {
        entry.identity: Promise(entry, "1.0.0", (accepted,) if entry is entries[0] else ()) for entry in entries
    }
    releases = (Release("1.0.0", "ab" * 32),)
    gone, terms = (f"{DOMAIN}::Old@1",), Terms("MIT", (("opwright", ">=0.1"),))
    return DomainLock(DOMAIN, "acme-ops", "acme", DOMAIN, 3, releases, promises, gone=gone, terms=terms)


def test_what_is_written_is_read() -> None:
    data = write_lock(lock())
    found, findings = read_lock(data, DOMAIN)
    assert findings == []
    assert found == replace(lock(), lines={f"com.acme::F{index}@1": index + 2 for index in range(4)})
    assert write_lock(replace(lock(), promises=dict(reversed(lock().promises.items())))) == data
    assert all(json.loads(line) for line in data.splitlines())


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        (b'"name":"F2"', b'"name":"F9"', 4, "it was edited"),
        (b'"release":"1.0.0"', b'"release":"1.0.1"', 2, "it was edited"),
        (b'"lock":1', b'"lock":7', 1, "it was edited"),
        (b"{", b"<<<<<<< HEAD\n{", 1, "a merge has left both sides here"),
        (b"}\n{", b"}{", 1, "it is not a line of JSON"),
        (b"}\n{", b"}\n\n{", 2, "it is not a line of JSON"),
        (b"1.0.0", b"1.0.\xff", 1, "it is not a line of JSON"),
    ],
)
def test_an_edit_is_found_at_its_line(old: bytes, new: bytes, line: int, reason: str) -> None:
    data = write_lock(lock())
    assert old in data
    found, findings = read_lock(data.replace(old, new, 1), DOMAIN)
    assert found is None
    assert (findings[0].code, findings[0].place and findings[0].place.line) == ("OW610", line)
    assert reason in findings[0].reason


def test_line_ends_of_windows_are_no_edit() -> None:
    data = write_lock(lock())
    assert read_lock(data.replace(b"\n", b"\r\n"), DOMAIN) == read_lock(data, DOMAIN)
    found, findings = read_lock(data[:-1] + b"\r\n", DOMAIN)
    assert (found, [item.code for item in findings]) == (None, ["OW610"])


def test_a_line_that_is_missing_moved_or_doubled_is_found() -> None:
    lines = write_lock(lock()).splitlines(keepends=True)
    for changed in (lines[:-1], [*lines[:2], *lines[3:]], [lines[0], *lines[:0:-1]], [*lines, lines[-1]], lines[1:]):
        found, findings = read_lock(b"".join(changed), DOMAIN)
        assert found is None
        assert {item.code for item in findings} == {"OW610"}


def test_a_lock_of_another_domain_or_of_the_future_is_refused() -> None:
    assert "it is the lock of com.acme" in read_lock(write_lock(lock()), "com.other")[1][0].reason
    data = write_lock(lock())
    first, rest = data.split(b"\n", 1)
    assert read_lock(b"", DOMAIN)[1][0].reason == "it is empty"
    assert first
    assert rest


def test_no_bytes_lead_to_anything_else() -> None:
    data = write_lock(lock(2))
    draw = random.Random(5)
    for _ in range(300):
        mangled = bytearray(data)
        for _ in range(draw.randint(1, 3)):
            at = draw.randrange(len(mangled))
            mangled[at : at + draw.randint(0, 4)] = draw.choice(
                [b"", b"\x00", b"[" * 2000, b"NaN", b"\n", b"1e999", b'"']
            )
        found, findings = read_lock(bytes(mangled), DOMAIN)
        assert (found is None) == bool(findings)
        assert found is None or bytes(mangled) == data


def test_what_may_be_none_is_nothing_else() -> None:
    for field, value in (("rank", "2"), ("shape", 3)):
        with pytest.raises(MalformedRecordError, match=field):
            from_json(InputEntry, {"name": "x", "type": "T", field: value})


def test_releases_have_an_order() -> None:
    assert sorted(["1.10.0", "1.9.2", "1.9.10"], key=release_key) == ["1.9.2", "1.9.10", "1.10.0"]
    assert Locks({}).release == ""
    assert Locks({}).promised is None
    found, findings = read_locks(lambda path: write_lock(lock()) if DOMAIN in path else None, [DOMAIN, "com.other"])
    assert findings == []
    assert found.release == "1.0.0"
    assert found.promised is not None
    assert found.promised.origin == "release 1.0.0"
    assert found.place("com.acme::F1@1").line == 3


def test_other_terms_are_told_where_the_lock_has_them() -> None:
    def changes(before: Promised | None) -> list[str]:
        assert before is not None
        return [change.explain() for change in compare(before, replace(before, terms=Terms("", (("opwright", ""),))))]

    assert changes(Locks({DOMAIN: lock()}, library="acme-ops", releases=lock().releases).promised) == [
        "its license is none, and was MIT",
        "it needs opwright, and needed opwright >=0.1",
    ]
    assert changes(Locks({DOMAIN: replace(lock(), terms=None)}, library="acme-ops").promised) == []


def package_locks(package: str, owners: dict[str, str], *locks: DomainLock) -> Locks:
    """The locks of a package, where the repository has these."""
    data = {item.path: write_lock(item) for item in locks}
    found, findings = read_package_locks(data.get, package, owners, [item.domain for item in locks])
    assert findings == []
    return found


def domain_lock(
    domain: str, library: str, *releases: str, formerly: dict[str, tuple[str, ...]] | None = None
) -> DomainLock:
    def made(library: str, versions: Iterable[str]) -> tuple[Release, ...]:
        return tuple(Release(version, f"{library} {version}") for version in versions)

    before = tuple(Formerly(name, made(name, versions)) for name, versions in (formerly or {}).items())
    return DomainLock(domain, library, f"{library}_ops", domain, 1, made(library, releases), {}, formerly=before)


def test_what_a_package_was_is_told_by_all_locks() -> None:
    a, b = domain_lock("a", "one", "1.0.0"), domain_lock("b", "two", "2.0.0", formerly={"one": ("1.0.0",)})
    one = package_locks("one", {"a": "one", "b": "two"}, a, b)
    assert (one.release, list(one.left), one.elsewhere) == ("1.0.0", ["b"], {}), "its own release knows of no move"
    two = package_locks("two", {"a": "one", "b": "two"}, a, b)
    assert (two.release, list(two.left), two.elsewhere) == ("2.0.0", [], {"a": "one"})
    later = package_locks("one", {"a": "one", "b": "two"}, domain_lock("a", "one", "1.0.0", "2.0.0"), b)
    assert (later.release, list(later.left)) == ("2.0.0", [])


def test_packages_that_trade_their_domains_are_who_they_were() -> None:
    a, b = domain_lock("a", "one", "1.0.0"), domain_lock("b", "two", "2.0.0")
    for package, release, left, taken in (("one", "1.0.0", "a", {"b": "two"}), ("two", "2.0.0", "b", {"a": "one"})):
        found = package_locks(package, {"a": "two", "b": "one"}, a, b)
        assert (found.library, found.release, list(found.left), found.elsewhere) == (package, release, [left], taken)


def test_a_package_may_be_renamed_while_it_loses_a_domain() -> None:
    locks = domain_lock("a", "old", "1.0.0"), domain_lock("b", "old", "1.0.0"), domain_lock("c", "two", "3.0.0")
    owners = {"a": "new", "b": "two", "c": "two"}
    new = package_locks("new", owners, *locks)
    assert (new.library, new.release, list(new.left), new.elsewhere) == ("old", "1.0.0", ["b"], {"c": "two"})
    assert new.promised is not None
    assert (new.promised.library, new.promised.package) == ("old", "old_ops")
    assert package_locks("two", owners, *locks).library == "two"
    none = package_locks("three", {"a": "old", "b": "three", "c": "two"}, *locks)
    assert (none.library, none.release, set(none.elsewhere)) == ("", "", {"a", "b", "c"}), (
        "a new one, of what others had"
    )


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> State:
    files = spec(
        "Scale",
        "def Scale(X, alpha: float = 2.0):\n    if op.ReduceSum(X) > 0.0:\n        return X * alpha\n    return -X\n",
    )
    return state(tmp_path_factory.mktemp("lib"), files)


def test_bodies_are_kept_as_text(compiled: State) -> None:
    (entry,) = compiled.bundle.index.functions
    data = write_text(Promise(entry), compiled.bundle.bodies, {})
    bodies, findings = read_text(data, Promise(entry))
    assert findings == []
    assert bodies == compiled.bundle.bodies
    text = data.decode()
    assert text.startswith("com.acme::Scale@1\nopset 18-")
    assert "If(" in text


def test_an_edited_body_is_found_at_its_line(compiled: State) -> None:
    (entry,) = compiled.bundle.index.functions
    data = write_text(Promise(entry), compiled.bundle.bodies, {})
    at = next(number for number, line in enumerate(data.split(b"\n"), 1) if line.startswith(b"body body1:"))
    _, findings = read_text(data.replace(b" = Neg(", b" = Abs(", 1), Promise(entry))
    assert findings[0].code == "OW610"
    assert findings[0].place is not None
    assert findings[0].place.line >= at
    assert findings[0].place.file == "specs/com.acme/released/Scale-1.txt"
    _, findings = read_text(b"\n".join(data.split(b"\n")[: at - 1]), Promise(entry))
    assert "it lacks body1:" in findings[0].reason


def test_any_other_line_of_a_text_is_found(compiled: State) -> None:
    (entry,) = compiled.bundle.index.functions
    lines = write_text(Promise(entry), compiled.bundle.bodies, {}).split(b"\n")
    for number in range(len(lines)):
        for changed in ([], [lines[number] + b" "], [lines[number], b""], [b"\xff" + lines[number]]):
            text = b"\n".join([*lines[:number], *changed, *lines[number + 1 :]])
            assert [item.code for item in read_text(text, Promise(entry))[1]] == ["OW610"], (number, changed)
    (finding,) = read_text(b"\n".join([lines[0], b"opset 1-2: " + b"body1:", *lines[2:]]), Promise(entry))[1]
    assert finding.place is not None
    assert finding.place.line == 2
    assert read_text(b"\r\n".join(lines), Promise(entry))[1] == []


def test_notes_are_those_that_the_lock_knows() -> None:
    notes = {"specs/com.acme/released/1.0.0.md": b"## one\n\n* new\n"}
    kept = replace(lock(), notes=with_notes((), "1.0.0", notes["specs/com.acme/released/1.0.0.md"]))
    read, findings = read_lock(write_lock(kept), DOMAIN)
    assert findings == []
    assert read is not None
    assert read.notes == kept.notes
    assert check_notes(notes.get, read) == []
    assert check_notes({name: data.replace(b"\n", b"\r\n") for name, data in notes.items()}.get, read) == []
    for files in ({}, {name: data + b"forged" for name, data in notes.items()}):
        assert [item.code for item in check_notes(files.get, read)] == ["OW610"]
    assert check_notes({}.get, lock()) == [], "a lock from before notes were sealed"
    for version in ("../../../secret", "/etc/passwd", "1.0", ""):  # a lock may be anybody's
        forged = replace(lock(), notes=with_notes((), version, b""))
        assert read_lock(write_lock(forged), DOMAIN)[1][0].reason == "notes are of what is no release"
    assert with_notes(kept.notes, "1.0.0", b"") == with_notes((), "1.0.0", b"")


def test_the_texts_lie_beside_the_lock(compiled: State, tmp_path: Path) -> None:
    (entry,) = compiled.bundle.index.functions
    assert lock().path == "specs/com.acme/released/release.lock"
    assert read_text(b"", Promise(entry))[1][0].place is not None
