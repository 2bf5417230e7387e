"""The action `package`: the parts of one package's versions in, its files out. Pure: bytes in, bytes out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version as installed_version

from opwright.bundle.format import DependencyEntry, FunctionEntry, Index
from opwright.bundle.member_names import body_member, template_member
from opwright.bundle.read import read_bundle
from opwright.bundle.write import FunctionMember, assemble, ref_of, write_carried

from opwright_build.engine.action import Outcome
from opwright_build.engine.content_digest import Json
from opwright_build.engine.dataclass_bytes import decode_value
from opwright_build.engine.reader import Reader
from opwright_build.package.index import build_index
from opwright_build.package.typed_package import render_stubs
from opwright_build.spec.model import Domain, Package
from opwright_build.workflow.built.package_files import after_release, files_of, member_of, wheel_version
from opwright_build.workflow.built.redeclared_functions import pairs_of
from opwright_build.workflow.compiled.version_parts import (
    BODIES,
    FIGURES,
    INTERFACE,
    MEMBER,
    RELEASED,
    TEMPLATES,
    VERSION,
    decode_blobs,
)


def package_action(reader: Reader) -> Outcome:
    """Inputs: `package`, its `domains`, what it carries of other libraries as `dependencies` and `closure` (their
    bodies), `version:<identity>` with the parts of each version (see `encode_packaged`); where its wheel brings files,
    those by path as `texts`; and, where the package was released, `released`: the last release, and the digest that the
    library had at the version it has now.

    Outputs: every file of the build by its path relative to the library's root, and `facts.json`. The archives are not
    kept: they are in dist/, and joined quickly. Bodies and members of functions are taken as they are.
    """
    package = decode_value(Package, reader.input("package"))
    domains = decode_value(tuple[Domain, ...], reader.input("domains"))
    versions = dict(_versions(reader))
    interfaces = [decode_value(FunctionEntry, parts[INTERFACE]) for parts in versions.values()]
    dependencies = decode_value(tuple[DependencyEntry, ...], reader.input("dependencies"))
    index = build_index(package, domains, interfaces, installed_version("onnx"), dependencies)
    own = {digest: body for parts in versions.values() for digest, body in decode_blobs(parts[BODIES]).items()}
    joined = _BundleParts(
        [member_of(identity, parts[MEMBER]) for identity, parts in versions.items()],
        {**own, **decode_value(dict[str, bytes], reader.input("closure"))},
        {digest: text for parts in versions.values() for digest, text in decode_blobs(parts[TEMPLATES]).items()},
    )
    bundle = joined.join(index)
    version = index.version
    last = _last_release(reader, index, bundle)
    if last:  # what was released under this version is something else
        index = after_release(index, last)
        bundle = joined.join(index)
        version = wheel_version(index, bundle)
    stubs = render_stubs(index)
    figures = [json.loads(parts[FIGURES]) for parts in versions.values()]
    facts: dict[str, Json] = {
        "versions": len(interfaces),
        "pairs": sum(map(pairs_of, interfaces)),
        "opset_bodies": sum(item["opset_bodies"] for item in figures),
        "stored_bodies": len(own),
        "bytes_saved": sum(item["spread"] for item in figures) - sum(map(len, own.values())),
    }
    return files_of(reader, index, bundle, stubs, facts, version, package.about)


def _last_release(reader: Reader, index: Index, bundle: bytes) -> str:
    """The release that this comes after; empty where there is none, or where this is a release itself."""
    if RELEASED not in reader.inputs():
        return ""
    released = json.loads(reader.input(RELEASED))
    return "" if released["library"] == read_bundle(bundle, index.library).digest else str(released["last"])


@dataclass(frozen=True, slots=True)
class _BundleParts:
    """What a bundle is joined of: the functions as their members have them, bodies and templates by digest."""

    functions: list[FunctionMember]
    bodies: dict[str, bytes]
    templates: dict[str, bytes]

    def join(self, index: Index) -> bytes:
        """The bundle; the entries of the index's own functions are not looked at."""
        members = {body_member(digest): data for digest, data in self.bodies.items()}
        members |= {template_member(digest): data for digest, data in self.templates.items()}
        carried = [item.functions for item in index.dependencies]
        given = {**self.bodies, **self.templates} if carried else {}
        stored = {digest: ref_of(data) for digest, data in given.items()}
        dependencies = [[write_carried(entry, stored) for entry in functions] for functions in carried]
        return assemble(index, self.functions, members.items(), {}, dependencies)


def _versions(reader: Reader) -> Iterator[tuple[str, dict[str, bytes]]]:
    """The parts of each version, by identity."""
    for name in reader.inputs():
        if name.startswith(VERSION):
            yield name.removeprefix(VERSION), decode_blobs(reader.input(name))
