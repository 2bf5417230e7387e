"""The generated package with the bundle inside as a wheel, written so that equal inputs give equal bytes."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from hashlib import sha256
from types import MappingProxyType

from opwright.bundle.archive import pack
from opwright.bundle.format import Index
from opwright.bundle.write import bundle_name

from opwright_build.package.core_metadata import ENTRY_POINTS, core_metadata
from opwright_build.package.distribution import distribution_name
from opwright_build.package.sbom import bill_of_materials
from opwright_build.spec.model import About

NOTHING = About()
NO_TEXTS: Mapping[str, bytes] = MappingProxyType({})


def build_wheel(
    index: Index,
    bundle: bytes,
    stubs: Mapping[str, bytes],
    version: str = "",
    about: About = NOTHING,
    texts: Mapping[str, bytes] = NO_TEXTS,
    bundle_sha256: str = "",
) -> tuple[str, bytes]:
    """(file name, bytes). `stubs` are the package's files by their path below `library/`; `version` is the wheel's,
    where it is not that of the library; `texts` holds the files that `about` names; `bundle_sha256` is the bundle's,
    where it is known.

    The wheel is pure Python, holds the bundle next to the package's modules, requires what the index says, and lists
    what it is made of in `sboms/`.
    """
    distribution = distribution_name(index.library)
    version = version or index.version
    information = f"{distribution}-{version}.dist-info"
    bundle_path = f"{index.package}/{bundle_name(index)}"
    package = {**stubs, bundle_path: bundle}
    licenses = {f"{information}/licenses/{path}": texts[path] for path in sorted(about.license_files)}
    bundle_sha256 = bundle_sha256 or sha256(bundle).hexdigest()
    metadata = {
        **licenses,
        f"{information}/sboms/{index.library}.cdx.json": bill_of_materials(
            index, version, about, bundle_path, bundle_sha256
        ),
        f"{information}/METADATA": core_metadata(index, version, about, texts),
        f"{information}/WHEEL": _WHEEL,
        f"{information}/entry_points.txt": f"[{ENTRY_POINTS}]\n{index.library} = {index.package}\n".encode(),
    }
    members = dict(sorted(package.items())) | metadata  # what describes the wheel comes last, as its format asks
    record = f"{information}/RECORD"
    members[record] = _record(members, {bundle_path: bytes.fromhex(bundle_sha256)}, record)
    return f"{distribution}-{version}-py3-none-any.whl", pack(members.items())


_WHEEL = b"Wheel-Version: 1.0\nGenerator: opwright\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def _record(members: Mapping[str, bytes], known: Mapping[str, bytes], record: str) -> bytes:
    """`known` are the digests of those members that need not be looked at."""
    lines = []
    for path, data in members.items():
        digest = base64.urlsafe_b64encode(known.get(path) or sha256(data).digest()).rstrip(b"=").decode("ascii")
        lines.append(f"{path},sha256={digest},{len(data)}")
    return ("\n".join([*lines, f"{record},,"]) + "\n").encode()
