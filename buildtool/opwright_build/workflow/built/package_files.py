"""The files of a package once its bundle is there, and how it is called between releases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from opwright.bundle.format import Index
from opwright.bundle.function_lookup import split_identity
from opwright.bundle.read import read_bundle
from opwright.bundle.write import FunctionMember, bundle_name, ref_of

from opwright_build.engine.action import Done
from opwright_build.engine.content_digest import Json, canonical_json
from opwright_build.engine.dataclass_bytes import decode_value
from opwright_build.engine.reader import Reader
from opwright_build.package.wheel import build_wheel
from opwright_build.spec.model import About
from opwright_build.versions.semantic import development_version
from opwright_build.workflow.compiled.version_parts import FACTS, TEXTS


def after_release(index: Index, last: str) -> Index:
    """The index of what is not a release, but comes after the last one."""
    return replace(index, version=development_version(index.version, last))


def wheel_version(index: Index, bundle: bytes) -> str:
    """The version of a wheel between releases: no two with other contents have the same one."""
    return f"{index.version}+g{read_bundle(bundle, index.library).digest[:12]}"


def files_of(
    reader: Reader,
    index: Index,
    bundle: bytes,
    stubs: Mapping[str, bytes],
    figures: Mapping[str, Json],
    version: str,
    about: About,
) -> Done:
    """The files of a package and its facts; `version` is the wheel's, and `about` what that says to people."""
    texts = decode_value(dict[str, bytes], reader.input(TEXTS)) if TEXTS in reader.inputs() else {}
    bundle_path, bundle_sha256 = f"dist/{bundle_name(index)}", reader.put(bundle)
    wheel_name, wheel = build_wheel(index, bundle, stubs, version, about, texts, bundle_sha256)
    files = {bundle_path: bundle, f"dist/{wheel_name}": wheel}
    files |= {f"library/{path}": data for path, data in stubs.items()}
    outputs = {path: bundle_sha256 if data is bundle else reader.put(data) for path, data in files.items()}
    facts: dict[str, Json] = {
        "library": index.library,
        "package": index.package,
        "version": index.version,
        **figures,
        "bundle": outputs[bundle_path],
        "path": bundle_path,
        "sizes": {path: len(data) for path, data in files.items()},
    }
    archives = tuple(path for path in files if path.startswith("dist/"))
    return Done({**outputs, FACTS: reader.put(canonical_json(facts))}, unkept=archives)


def member_of(identity: str, data: bytes) -> FunctionMember:
    key = split_identity(identity)
    assert key is not None
    return FunctionMember(key, ref_of(data), data)
