"""What a distribution says of itself: core metadata 2.4, the same text in a wheel and in a source distribution."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from opwright.bundle.format import Index

from opwright_build.package.wheel_texts import TYPES
from opwright_build.spec.model import About

ENTRY_POINTS = "opwright.libraries"  # the group by which other programs find installed libraries
PYTHON = ">=3.11"


def core_metadata(index: Index, version: str, about: About, texts: Mapping[str, bytes]) -> bytes:
    """Headers of a line each, whose values have been looked at, and the description below them."""
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {index.library}",
        f"Version: {version}",
    ]
    if index.summary:
        lines.append(f"Summary: {one_line(index.summary)}")
    names, addresses = authors_of(about)
    lines += [f"Author: {', '.join(names)}"] * bool(names)
    lines += [f"Author-email: {', '.join(addresses)}"] * bool(addresses)
    if index.license:
        lines.append(f"License-Expression: {one_line(index.license)}")
    lines += [f"License-File: {path}" for path in sorted(about.license_files)]
    lines += [f"Project-URL: {name}, {url}" for name, url in about.urls.items()]
    lines.append(f"Requires-Python: {PYTHON}")
    lines += [f"Requires-Dist: {name}{specifier}" for name, specifier in index.requires]
    if not about.readme:
        return ("\n".join(lines) + "\n").encode()
    lines.append(f"Description-Content-Type: {readme_type(about)}; charset=UTF-8")
    return ("\n".join(lines) + "\n\n").encode() + texts[about.readme]


def authors_of(about: About) -> tuple[list[str], list[str]]:
    """Authors without an address, and those with one."""
    return (
        [author for author in about.authors if "<" not in author],
        [author for author in about.authors if "<" in author],
    )


def readme_type(about: About) -> str:
    """The media type of the description."""
    return TYPES.get(PurePosixPath(about.readme).suffix.lower(), "text/plain")


def one_line(text: str) -> str:
    return " ".join(text.split())
