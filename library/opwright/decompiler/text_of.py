"""Small values as Python text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from onnx import StringStringEntryProto

from opwright.decompiler.literal_text import quoted
from opwright.decompiler.parts import MOST_IN_TEXT, Parts


def docstring(text: str) -> list[str]:
    """The statement that documents a function; nothing where Python would read another text, as it may of several
    lines and of spaces at the ends."""
    plain = text.isprintable() and text == text.strip(' "') and "\\" not in text and '"""' not in text
    plain = plain and len(text) <= MOST_IN_TEXT
    return [f'    """{text}"""'] if text and plain else []


def block(text: str, parts: Parts) -> str:
    """A text of several lines as it is, where it can stand so, else as an expression of one line."""
    plain = "\n" in text and text.replace("\n", "").isprintable() and text[-1] != '"'
    if plain and len(text) <= MOST_IN_TEXT and "\\" not in text and '"""' not in text:
        return f'"""{text}"""'
    return parts.text(text, "doc_string")


def metadata(entries: Iterable[StringStringEntryProto], parts: Parts) -> Iterator[str]:
    """Calls that add entries to the metadata of what stands before their dot."""
    for item in entries:
        key, value = parts.text(item.key, "metadata_key"), parts.text(item.value, item.key or "metadata")
        yield f"metadata_props.add(key={key}, value={value})"


def comment(indent: str, text: str) -> list[str]:
    """What is said of a node, in comments before its statement."""
    return [f"{indent}# {line}".rstrip() for line in text.replace("\0", "").splitlines()]


def plain(value: str | int) -> str:
    """A text or an int."""
    return quoted(value) if isinstance(value, str) else repr(value)


def mapping_text(mapping: Mapping[str, str] | Mapping[str, int]) -> str:
    """A dict of texts to texts or ints."""
    return f"{{{', '.join(f'{quoted(key)}: {plain(value)}' for key, value in mapping.items())}}}"
