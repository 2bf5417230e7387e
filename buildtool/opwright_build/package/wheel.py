"""The generated package with the bundle inside as a wheel, written so that equal inputs give equal bytes."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from hashlib import sha256

from opwright.bundle.archive import pack
from opwright.bundle.format import Index
from opwright.bundle.write import bundle_name

from opwright_build.package.distribution import distribution_name


def build_wheel(index: Index, bundle: bytes, stubs: Mapping[str, bytes], version: str = "") -> tuple[str, bytes]:
    """(file name, bytes). `stubs` are the package's files by their path below `library/`; `version` is the wheel's,
    where it is not that of the library.

    The wheel is pure Python, holds the bundle next to the package's modules, and requires what the index says.
    """
    distribution = distribution_name(index.library)
    version = version or index.version
    information = f"{distribution}-{version}.dist-info"
    package = {**stubs, f"{index.package}/{bundle_name(index)}": bundle}
    metadata = {f"{information}/METADATA": _metadata(index, version), f"{information}/WHEEL": _WHEEL}
    members = dict(sorted(package.items())) | metadata  # what describes the wheel comes last, as its format asks
    record = f"{information}/RECORD"
    return f"{distribution}-{version}-py3-none-any.whl", pack([*members.items(), (record, _record(members, record))])


_WHEEL = b"Wheel-Version: 1.0\nGenerator: opwright\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def _metadata(index: Index, version: str) -> bytes:
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {index.library}",
        f"Version: {version}",
    ]
    if index.summary:
        lines.append(f"Summary: {' '.join(index.summary.split())}")
    if index.license:
        lines.append(f"License-Expression: {' '.join(index.license.split())}")
    lines.append("Requires-Python: >=3.11")
    lines += [f"Requires-Dist: {name}{specifier}" for name, specifier in index.requires]
    return ("\n".join(lines) + "\n").encode()


def _record(members: Mapping[str, bytes], record: str) -> bytes:
    lines = []
    for path, data in members.items():
        digest = base64.urlsafe_b64encode(sha256(data).digest()).rstrip(b"=").decode("ascii")
        lines.append(f"{path},sha256={digest},{len(data)}")
    return ("\n".join([*lines, f"{record},,"]) + "\n").encode()
