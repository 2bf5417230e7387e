"""Small values as Python text."""

from __future__ import annotations

from collections.abc import Mapping

from opwright.decompiler.literals import quoted


def docstring(text: str) -> list[str]:
    """The statement that documents a function; nothing where there is nothing to say."""
    if not text:
        return []
    plain = text.isprintable() and '"' not in text and "\\" not in text
    return [f'    """{text}"""' if plain else f"    {quoted(text)}"]


def comment(indent: str, text: str) -> list[str]:
    """What is said of a node, in comments before its statement."""
    return [f"{indent}# {line}".rstrip() for line in text.replace("\0", "").splitlines()]


def plain(value: str | int) -> str:
    """A text or an int."""
    return quoted(value) if isinstance(value, str) else repr(value)


def mapping_text(mapping: Mapping[str, str] | Mapping[str, int]) -> str:
    """A dict of texts to texts or ints."""
    return f"{{{', '.join(f'{quoted(key)}: {plain(value)}' for key, value in mapping.items())}}}"
