"""The texts that a wheel brings from the library's folder: a description and licenses, looked at first."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from opwright.diagnostics.diagnostic import Diagnostic, Place

from opwright_build.spec.model import Package

MAX_BYTES = 1 << 20
# The type of a description by the end of its name; others are plain text.
TYPES: Mapping[str, str] = {".md": "text/markdown", ".rst": "text/x-rst"}
_UNSEEN = frozenset(map(chr, (*range(0x09), 0x0B, 0x0C, *range(0x0E, 0x20), 0x7F)))


def read_texts(
    package: Package, read: Callable[[str], bytes | None]
) -> tuple[dict[str, bytes], tuple[Diagnostic, ...]]:
    """The package's texts by path, with line feeds as ends of lines; and what is wrong with others.

    `read` gives the bytes of a file of the library, None where there is none.
    """
    texts: dict[str, bytes] = {}
    found: list[Diagnostic] = []
    for path in package.about.files:
        data = read(path)
        problem = "there is no such file" if data is None else _problem(data)
        if data is None or problem:
            message = f"{path} cannot be put into the wheel of {package.name}: {problem}"
            found.append(Diagnostic("OW115", message, _place(package, path)))
        else:
            texts[path] = data.decode("utf-8").replace("\r\n", "\n").encode()
    return texts, tuple(found)


def _problem(data: bytes) -> str:
    if len(data) > MAX_BYTES:
        return f"it has {len(data):,} bytes; at most {MAX_BYTES:,} are read"
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return "it is not UTF-8"
    return "it holds a control character" if _UNSEEN & set(text) else ""


def _place(package: Package, path: str) -> Place | None:
    if path == package.about.readme:
        return package.places.get("readme")
    return package.places.get(f"license_files.{package.about.license_files.index(path)}")
