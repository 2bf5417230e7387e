"""A package that is made of what it was before some of its functions were edited."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version as installed_version
from typing import Any

from opwright.bundle.archive import Archive
from opwright.bundle.byte_source import HeldBytes
from opwright.bundle.format import DependencyEntry
from opwright.bundle.member_names import NAME_LENGTH, body_member
from opwright.bundle.write import replace_functions

from opwright_build.engine.action import Done
from opwright_build.engine.content_digest import Json
from opwright_build.engine.dataclass_bytes import decode_value
from opwright_build.engine.reader import Reader
from opwright_build.package.index import build_index
from opwright_build.spec.model import Domain, Package
from opwright_build.workflow.built.noted_packages import EditedVersion
from opwright_build.workflow.built.package_files import after_release, files_of, member_of, wheel_version
from opwright_build.workflow.compiled.version_parts import BODIES, FIGURES, MEMBER, RELEASED, decode_blobs


@dataclass(frozen=True, slots=True)
class PackagedBefore:
    """What a package was before some versions were edited: its files, and its `facts`. `shared` says how many versions
    have a body, where more than one has."""

    bundle: bytes
    stubs: Mapping[str, bytes]
    facts: Mapping[str, Any]
    shared: Mapping[str, int]


def package_edited(reader: Reader, before: PackagedBefore, edited: Sequence[EditedVersion]) -> Done:
    """What `package_action` gives, made of what it gave before some versions were edited. Of the inputs those of
    versions are not read. No edited version is a template, and none has a body that the package carries of another one;
    what it carries is what it was; and where it was released some body is not the released one, before and now."""
    package = decode_value(Package, reader.input("package"))
    domains = decode_value(tuple[Domain, ...], reader.input("domains"))
    dependencies = decode_value(tuple[DependencyEntry, ...], reader.input("dependencies"))
    index = build_index(package, domains, (), installed_version("onnx"), dependencies)
    if RELEASED in reader.inputs():
        index = after_release(index, json.loads(reader.input(RELEASED))["last"])
    sizes = {digest: size for version in edited for digest, size in version.bodies.items()}
    bodies = {digest: body for version in edited for digest, body in decode_blobs(version.parts[BODIES]).items()}
    had = _owners(before, edited)
    have = _owners_now(had, edited)
    gone = [digest for digest in sizes if not have[digest]]
    come = {digest: body for digest, body in bodies.items() if not had[digest]}
    bundle = replace_functions(
        before.bundle,
        [member_of(version.identity, version.parts[MEMBER]) for version in edited],
        [body_member(digest) for digest in gone],
        {body_member(digest): body for digest, body in come.items()},
        dependencies,
    )
    figures = [(version.figures, json.loads(version.parts[FIGURES])) for version in edited]
    more = {name: sum(now[name] - was[name] for was, now in figures) for name in ("opset_bodies", "spread")}
    bytes_more = sum(map(len, come.values())) - sum(sizes[digest] for digest in gone)
    stubs, more_pairs = before.stubs, 0
    if any(version.interface is not None for version in edited):
        # An edit of bodies imports nothing of this.
        from opwright_build.workflow.built.redeclared_functions import pairs_gained, redeclared_functions, stubs_now

        declared = redeclared_functions(reader.inputs(), edited)
        stubs, more_pairs = stubs_now(index, before.stubs, declared, bundle), pairs_gained(declared)
    facts: dict[str, Json] = {
        "versions": before.facts["versions"],
        "pairs": before.facts["pairs"] + more_pairs,
        "opset_bodies": before.facts["opset_bodies"] + more["opset_bodies"],
        "stored_bodies": before.facts["stored_bodies"] + len(come) - len(gone),
        "bytes_saved": before.facts["bytes_saved"] + more["spread"] - bytes_more,
    }
    version = wheel_version(index, bundle) if RELEASED in reader.inputs() else index.version
    return files_of(reader, index, bundle, stubs, facts, version, package.about)


def shared_bodies(versions: Iterable[Iterable[str]]) -> dict[str, int]:
    """How many of these have a body, where more than one has; each is given by its bodies."""
    owners = Counter(digest for bodies in versions for digest in bodies)
    return {digest: count for digest, count in owners.items() if count > 1}


def shared_now(before: PackagedBefore, edited: Sequence[EditedVersion]) -> dict[str, int]:
    """The same once the versions are edited."""
    found = {**before.shared, **_owners_now(_owners(before, edited), edited)}
    return {digest: count for digest, count in found.items() if count > 1}


def _owners(before: PackagedBefore, edited: Sequence[EditedVersion]) -> dict[str, int]:
    """How many versions had each of the bodies that the edited ones have or had."""
    archive = Archive(HeldBytes(before.bundle))
    archive.expect_names(archive.count - len(archive.first_entries(2)), NAME_LENGTH)
    concerned = dict.fromkeys(digest for version in edited for digest in (*version.bodies, *version.now()))
    return {
        digest: before.shared.get(digest) or int(archive.find(body_member(digest)) is not None) for digest in concerned
    }


def _owners_now(before: Mapping[str, int], edited: Sequence[EditedVersion]) -> dict[str, int]:
    """How many have them once these are edited, where so many had them before."""
    found = dict(before)
    for version in edited:
        for digest in version.bodies:
            found[digest] -= 1
        for digest in version.now():
            found[digest] += 1
    return found
