"""The action `package`: the compiled versions of one package in, its files out. Pure: bytes in, bytes out."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.metadata import version as installed_version

from opwright.bundle.format import DependencyEntry, FunctionEntry, Index
from opwright.bundle.read import read_bundle
from opwright.bundle.write import bundle_name, write_bundle

from opwright_build.compile.compiled_version import CompiledVersion
from opwright_build.engine.action import Done, Outcome
from opwright_build.engine.content_digest import Json, canonical_json, digest_bytes
from opwright_build.engine.dataclass_bytes import decode_value
from opwright_build.engine.reader import Reader
from opwright_build.package.index import build_index
from opwright_build.package.typed_package import render_stubs
from opwright_build.package.wheel import build_wheel
from opwright_build.report.figures import count_figures
from opwright_build.spec.model import Domain, Package
from opwright_build.versions.semantic import development_version

FACTS = "facts.json"
ENTRY = "entry:"
BODIES = "bodies:"
TEMPLATES = "templates:"


def package_action(reader: Reader) -> Outcome:
    """Inputs: `package`, its `domains`, what it carries of other libraries as `dependencies` and `closure` (their
    bodies), and for each version `entry:<identity>`, `bodies:<identity>`, `templates:<identity>`; and,
    where the package was released, `released`: the last release, and the digest that the library had at the version it
    has now.

    Outputs: every file of the build by its path relative to the library's root, and `facts.json`. The archives are not
    kept: they are in dist/, and joined quickly.
    """
    package = decode_value(Package, reader.input("package"))
    domains = decode_value(tuple[Domain, ...], reader.input("domains"))
    compiled = [_version(reader, name) for name in reader.inputs() if name.startswith(ENTRY)]
    dependencies = decode_value(tuple[DependencyEntry, ...], reader.input("dependencies"))
    index = build_index(package, domains, compiled, installed_version("onnx"), dependencies)
    own = {digest: body for version in compiled for digest, body in version.bodies.items()}
    bodies = {**own, **decode_value(dict[str, bytes], reader.input("closure"))}
    templates = {digest: text for version in compiled for digest, text in version.templates.items()}
    bundle = write_bundle(index, bodies, templates=templates)
    wheel_version = index.version
    last = _last_release(reader, index, bundle)
    if last:  # what was released under this version is something else
        index = replace(index, version=development_version(index.version, last))
        bundle = write_bundle(index, bodies, templates=templates)
        wheel_version = f"{index.version}+g{read_bundle(bundle, index.library).digest[:12]}"
    stubs = render_stubs(index)
    wheel_name, wheel = build_wheel(index, bundle, stubs, wheel_version)
    bundle_path = f"dist/{bundle_name(index)}"
    files = {bundle_path: bundle, f"dist/{wheel_name}": wheel}
    files |= {f"library/{path}": data for path, data in stubs.items()}
    figures = count_figures(index, {digest: len(body) for digest, body in own.items()})
    facts: dict[str, Json] = {
        "library": package.name,
        "package": package.package,
        "version": index.version,
        "versions": figures.versions,
        "pairs": figures.pairs,
        "opset_bodies": figures.opset_bodies,
        "stored_bodies": figures.stored_bodies,
        "bytes_saved": figures.bytes_saved,
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


def _version(reader: Reader, entry: str) -> CompiledVersion:
    identity = entry.removeprefix(ENTRY)
    bodies = decode_value(dict[str, bytes], reader.input(f"{BODIES}{identity}"))
    templates = decode_value(dict[str, bytes], reader.input(f"{TEMPLATES}{identity}"))
    return CompiledVersion(decode_value(FunctionEntry, reader.input(entry)), bodies, (), (), templates)
