"""A package's source distribution: its specs and texts, and the generated package that wheels are made of.

A tool that gets it (`pip wheel`, `uv build`) makes a wheel with the bundle that was released; `opwright build` in it
makes the bundle anew. Equal inputs give equal bytes, whatever zlib is installed: nothing is compressed.
"""

from __future__ import annotations

import io
import json
import struct
import tarfile
from collections.abc import Iterable, Mapping, Sequence
from zlib import crc32

from opwright.bundle.format import Index

from opwright_build.package.core_metadata import ENTRY_POINTS, PYTHON, authors_of, core_metadata, one_line, readme_type
from opwright_build.package.distribution import distribution_name
from opwright_build.spec.model import About

_DATE = 315_532_800  # 1980-01-01, that of the members of wheels and bundles
_BLOCK = 0xFFFF  # the most bytes of a block of gzip that is stored
_GZIP = bytes((0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF))  # no name, no date, no system


def build_sdist(
    index: Index,
    version: str,
    about: About,
    texts: Mapping[str, bytes],
    package: Mapping[str, bytes],
    bill: bytes,
    specs: Mapping[str, bytes],
) -> tuple[str, bytes]:
    """(file name, bytes). `package` holds the files of the import package with its bundle, by their paths below it;
    `bill` is the wheel's bill of materials, `specs` the files below `specs/` by their paths."""
    top = f"{distribution_name(index.library)}-{version}"
    bill_path = f"sboms/{index.library}.cdx.json"
    files = {f"src/{index.package}/{path}": data for path, data in package.items()}
    files |= {**texts, **specs, bill_path: bill}
    files["pyproject.toml"] = _project(index, version, about, sorted(package), bill_path)
    files["PKG-INFO"] = core_metadata(index, version, about, texts)
    return f"{top}.tar.gz", _stored_gzip(_archive((f"{top}/{path}", data) for path, data in sorted(files.items())))


def _project(index: Index, version: str, about: About, package: Sequence[str], bill_path: str) -> bytes:
    """`pyproject.toml` by which hatchling makes the wheel. It names each file: where one is missing there is none."""
    names, addresses = authors_of(about)
    people = [{"name": name} for name in names]
    for author in addresses:
        name, _, address = author.rstrip(">").rpartition(" <")
        people.append({"name": name, "email": address} if name else {"email": address})
    lines = [
        "# Written by `opwright publish`. `pip wheel .` makes a wheel of the package in src/, with its bundle;",
        "# `opwright build` in this folder compiles specs/ anew.",
        "[build-system]",
        'requires = ["hatchling>=1.28"]',
        'build-backend = "hatchling.build"',
        "",
        "[project]",
        f"name = {_toml(index.library)}",
        f"version = {_toml(version)}",
        f"description = {_toml(one_line(index.summary))}",
        f"requires-python = {_toml(PYTHON)}",
        f"dependencies = {_toml([f'{name}{specifier}' for name, specifier in index.requires])}",
    ]
    if about.readme:
        readme = f"file = {_toml(about.readme)}, content-type = {_toml(readme_type(about))}"
        lines.append(f"readme = {{{readme}}}")
    if index.license:
        lines.append(f"license = {_toml(one_line(index.license))}")
    lines.append(f"license-files = {_toml(sorted(about.license_files))}")
    if people:
        rows = (", ".join(f"{key} = {_toml(text)}" for key, text in item.items()) for item in people)
        lines.append(f"authors = [{', '.join(f'{{{row}}}' for row in rows)}]")
    lines += ["", "[project.urls]", *(f"{_toml(name)} = {_toml(url)}" for name, url in about.urls.items())]
    lines += ["", f'[project.entry-points."{ENTRY_POINTS}"]', f"{_toml(index.library)} = {_toml(index.package)}"]
    lines += ["", "[tool.hatch.build.targets.wheel]", "bypass-selection = true"]
    lines.append(f"sbom-files = {_toml([bill_path])}")
    lines += ["", "[tool.hatch.build.targets.wheel.force-include]"]
    lines += [f"{_toml(f'src/{index.package}/{path}')} = {_toml(f'{index.package}/{path}')}" for path in package]
    return ("\n".join(lines) + "\n").encode()


def _toml(value: str | list[str]) -> str:
    """A string or a list of them: TOML takes the strings of JSON, as long as they have no surrogates and no DEL."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _archive(files: Iterable[tuple[str, bytes]]) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, data in files:
            member = tarfile.TarInfo(path)
            member.size, member.mtime, member.mode = len(data), _DATE, 0o644
            archive.addfile(member, io.BytesIO(data))
    return stream.getvalue()


def _stored_gzip(data: bytes) -> bytes:
    """The bytes as a member of gzip whose blocks are stored."""
    parts = [_GZIP]
    for start in range(0, max(len(data), 1), _BLOCK):
        block = data[start : start + _BLOCK]
        parts.append(struct.pack("<BHH", start + _BLOCK >= len(data), len(block), len(block) ^ 0xFFFF))
        parts.append(block)
    parts.append(struct.pack("<II", crc32(data), len(data) & 0xFFFFFFFF))
    return b"".join(parts)
