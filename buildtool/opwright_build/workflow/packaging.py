"""The action `package`: the parts of one package's versions in, its files out. Pure: bytes in, bytes out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.metadata import version as installed_version

from opwright.bundle.format import DependencyEntry, FunctionEntry, Index
from opwright.bundle.function_lookup import split_identity
from opwright.bundle.member_names import body_member, template_member
from opwright.bundle.read import read_bundle
from opwright.bundle.write import FunctionMember, assemble, bundle_name, ref_of, write_carried

from opwright_build.engine.action import Done, Outcome
from opwright_build.engine.content_digest import Json, canonical_json, digest_bytes
from opwright_build.engine.dataclass_bytes import decode_value
from opwright_build.engine.reader import Reader
from opwright_build.package.index import build_index
from opwright_build.package.typed_package import render_stubs
from opwright_build.package.wheel import build_wheel
from opwright_build.report.figures import widest
from opwright_build.spec.model import Domain, Package
from opwright_build.versions.semantic import development_version
from opwright_build.workflow.version_parts import BODIES, FIGURES, INTERFACE, MEMBER, TEMPLATES, decode_blobs

FACTS = "facts.json"


def package_action(reader: Reader) -> Outcome:
    """Inputs: `package`, its `domains`, what it carries of other libraries as `dependencies` and `closure` (their
    bodies), the parts `<part>:<identity>` of each version (see `version_parts`); and, where the package was released,
    `released`: the last release, and the digest that the library had at the version it has now.

    Outputs: every file of the build by its path relative to the library's root, and `facts.json`. The archives are not
    kept: they are in dist/, and joined quickly. Bodies and members of functions are taken as they are.
    """
    package = decode_value(Package, reader.input("package"))
    domains = decode_value(tuple[Domain, ...], reader.input("domains"))
    interfaces = [decode_value(FunctionEntry, data) for _, data in _parts(reader, INTERFACE)]
    dependencies = decode_value(tuple[DependencyEntry, ...], reader.input("dependencies"))
    index = build_index(package, domains, interfaces, installed_version("onnx"), dependencies)
    own = {digest: body for _, data in _parts(reader, BODIES) for digest, body in decode_blobs(data).items()}
    parts = _BundleParts(
        [_member(identity, data) for identity, data in _parts(reader, MEMBER)],
        {**own, **decode_value(dict[str, bytes], reader.input("closure"))},
        {digest: text for _, data in _parts(reader, TEMPLATES) for digest, text in decode_blobs(data).items()},
    )
    bundle = parts.join(index)
    wheel_version = index.version
    last = _last_release(reader, index, bundle)
    if last:  # what was released under this version is something else
        index = replace(index, version=development_version(index.version, last))
        bundle = parts.join(index)
        wheel_version = f"{index.version}+g{read_bundle(bundle, index.library).digest[:12]}"
    stubs = render_stubs(index)
    wheel_name, wheel = build_wheel(index, bundle, stubs, wheel_version)
    bundle_path = f"dist/{bundle_name(index)}"
    files = {bundle_path: bundle, f"dist/{wheel_name}": wheel}
    files |= {f"library/{path}": data for path, data in stubs.items()}
    figures = [json.loads(data) for _, data in _parts(reader, FIGURES)]
    facts: dict[str, Json] = {
        "library": package.name,
        "package": package.package,
        "version": index.version,
        "versions": len(interfaces),
        "pairs": sum(map(widest, interfaces)),
        "opset_bodies": sum(item["opset_bodies"] for item in figures),
        "stored_bodies": len(own),
        "bytes_saved": sum(item["spread"] for item in figures) - sum(map(len, own.values())),
        "bundle": digest_bytes(bundle),
        "path": bundle_path,
        "sizes": {path: len(data) for path, data in files.items()},
    }
    outputs = {path: reader.put(data) for path, data in files.items()}
    archives = tuple(path for path in files if path.startswith("dist/"))
    return Done({**outputs, FACTS: reader.put(canonical_json(facts))}, unkept=archives)


def _last_release(reader: Reader, index: Index, bundle: bytes) -> str:
    """The release that this comes after; empty where there is none, or where this is a release itself."""
    if "released" not in reader.inputs():
        return ""
    released = json.loads(reader.input("released"))
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


def _member(identity: str, data: bytes) -> FunctionMember:
    key = split_identity(identity)
    assert key is not None
    return FunctionMember(key, ref_of(data), data)


def _parts(reader: Reader, part: str) -> Iterator[tuple[str, bytes]]:
    """One part of each version, by identity."""
    for name in reader.inputs():
        if name.startswith(f"{part}:"):
            yield name.removeprefix(f"{part}:"), reader.input(name)
