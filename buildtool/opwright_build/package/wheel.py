"""The generated package with the bundle inside as a wheel, written so that equal inputs give equal bytes."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from hashlib import sha256
from pathlib import PurePosixPath
from types import MappingProxyType

from opwright.bundle.archive import pack
from opwright.bundle.format import Index
from opwright.bundle.write import bundle_name

from opwright_build.package.distribution import distribution_name
from opwright_build.package.wheel_texts import TYPES
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

    The wheel is pure Python, holds the bundle next to the package's modules, and requires what the index says.
    """
    distribution = distribution_name(index.library)
    version = version or index.version
    information = f"{distribution}-{version}.dist-info"
    bundle_path = f"{index.package}/{bundle_name(index)}"
    package = {**stubs, bundle_path: bundle}
    licenses = {f"{information}/licenses/{path}": texts[path] for path in sorted(about.license_files)}
    described = _metadata(index, version, about, texts)
    metadata = {**licenses, f"{information}/METADATA": described, f"{information}/WHEEL": _WHEEL}
    members = dict(sorted(package.items())) | metadata  # what describes the wheel comes last, as its format asks
    record = f"{information}/RECORD"
    known = {bundle_path: bytes.fromhex(bundle_sha256)} if bundle_sha256 else {}
    members[record] = _record(members, known, record)
    return f"{distribution}-{version}-py3-none-any.whl", pack(members.items())


_WHEEL = b"Wheel-Version: 1.0\nGenerator: opwright\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def _metadata(index: Index, version: str, about: About, texts: Mapping[str, bytes]) -> bytes:
    """Core metadata 2.4: headers of a line each, whose values have been looked at, and the description below them."""
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {index.library}",
        f"Version: {version}",
    ]
    if index.summary:
        lines.append(f"Summary: {' '.join(index.summary.split())}")
    names = [author for author in about.authors if "<" not in author]
    addresses = [author for author in about.authors if "<" in author]
    lines += [f"Author: {', '.join(names)}"] * bool(names)
    lines += [f"Author-email: {', '.join(addresses)}"] * bool(addresses)
    if index.license:
        lines.append(f"License-Expression: {' '.join(index.license.split())}")
    lines += [f"License-File: {path}" for path in sorted(about.license_files)]
    lines += [f"Project-URL: {name}, {url}" for name, url in about.urls.items()]
    lines.append("Requires-Python: >=3.11")
    lines += [f"Requires-Dist: {name}{specifier}" for name, specifier in index.requires]
    if not about.readme:
        return ("\n".join(lines) + "\n").encode()
    kind = TYPES.get(PurePosixPath(about.readme).suffix.lower(), "text/plain")
    lines.append(f"Description-Content-Type: {kind}; charset=UTF-8")
    return ("\n".join(lines) + "\n\n").encode() + texts[about.readme]


def _record(members: Mapping[str, bytes], known: Mapping[str, bytes], record: str) -> bytes:
    """`known` are the digests of those members that need not be looked at."""
    lines = []
    for path, data in members.items():
        digest = base64.urlsafe_b64encode(known.get(path) or sha256(data).digest()).rstrip(b"=").decode("ascii")
        lines.append(f"{path},sha256={digest},{len(data)}")
    return ("\n".join([*lines, f"{record},,"]) + "\n").encode()
