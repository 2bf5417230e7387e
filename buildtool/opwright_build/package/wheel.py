"""The generated package with the bundle inside as a wheel, written so that equal inputs give equal bytes."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from hashlib import sha256
from io import BytesIO
from zipfile import ZIP_STORED, ZipFile, ZipInfo

from opwright.bundle.format import Index

EPOCH = (1980, 1, 1, 0, 0, 0)


def build_wheel(index: Index, bundle: bytes, stubs: Mapping[str, bytes]) -> tuple[str, bytes]:
    """(file name, bytes). `stubs` are the package's files by their path below `library/`.

    The wheel is pure Python, holds the bundle beside the package's modules, and requires opwright alone.
    """
    distribution = index.library.replace("-", "_").replace(".", "_").lower()
    information = f"{distribution}-{index.version}.dist-info"
    members = dict(stubs)
    members[f"{index.package}/{index.library}-{index.version}.onnxlib"] = bundle
    members[f"{information}/METADATA"] = _metadata(index)
    members[f"{information}/WHEEL"] = _wheel()
    ordered = dict(sorted(members.items(), key=lambda item: (item[0].startswith(information), item[0])))
    ordered[f"{information}/RECORD"] = _record(ordered, f"{information}/RECORD")
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_STORED) as archive:
        for path, data in ordered.items():
            member = ZipInfo(path, EPOCH)
            member.create_system = 3  # Unix, wherever this runs
            member.external_attr = 0o100644 << 16
            archive.writestr(member, data)
    return f"{distribution}-{index.version}-py3-none-any.whl", buffer.getvalue()


def _metadata(index: Index) -> bytes:
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {index.library}",
        f"Version: {index.version}",
    ]
    if index.summary:
        lines.append(f"Summary: {index.summary}")
    if index.license:
        lines.append(f"License-Expression: {index.license}")
    lines += ["Requires-Python: >=3.11", "Requires-Dist: opwright"]
    return ("\n".join(lines) + "\n").encode()


def _wheel() -> bytes:
    return b"Wheel-Version: 1.0\nGenerator: opwright\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def _record(members: Mapping[str, bytes], record: str) -> bytes:
    lines = []
    for path, data in members.items():
        digest = base64.urlsafe_b64encode(sha256(data).digest()).rstrip(b"=").decode("ascii")
        lines.append(f"{path},sha256={digest},{len(data)}")
    return ("\n".join([*lines, f"{record},,"]) + "\n").encode()
