"""The head of a module: its documentation, imports in the order of formatters, opsets and arrays."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from opwright.decompiler.literal_text import quoted
from opwright.decompiler.operator_forms import Forms
from opwright.decompiler.parts import Parts
from opwright.decompiler.text_of import mapping_text
from opwright.version import OPSETS


def head_lines(what: str, body: Sequence[str], parts: Parts, forms: Forms, loading: str) -> Iterator[str]:
    """What stands before the functions `body`. `what` is the module's documentation, `loading` the expression that
    loads its arrays, where it has a file of them."""
    yield f'"""{what}"""'
    yield ""
    standard = [f"import {name}" for name in ("json", "math") if name in parts.modules]
    if loading:
        standard.append("from pathlib import Path")
    yield from standard
    if standard:
        yield ""
    if "ml_dtypes" in parts.modules:
        yield "import ml_dtypes"
    if "np" in parts.modules:
        yield "import numpy as np"
    imported, made = _opsets(body, forms)
    used = {*parts.types, "script"} | ({"Opset"} if made else set[str]())
    used |= {"load_arrays"} if loading else set()
    names = sorted(used, key=_order)
    yield f"from opwright import {', '.join(names)}"
    yield from imported
    if made or parts.arrays or loading:
        yield ""
    yield from made
    if loading:
        yield f"ARRAYS = {loading}"
    yield from (f"{name} = {expression}" for name, expression in parts.arrays.items())


def _opsets(body: Sequence[str], forms: Forms) -> tuple[list[str], list[str]]:
    """The opsets that the text names: those that are imported, and those that are made."""
    imported, made = [], []
    unnamed = set(forms.names.values())
    for line in body:
        if not unnamed:
            break  # most often after a few lines
        unnamed.difference_update(_OWNERS.findall(line))
    for domain, name in forms.names.items():
        if name in unnamed:
            continue
        prefix = "opset" if not domain else f"opset_{domain.replace('.', '_')}"
        version = forms.version_of(domain)
        if version <= OPSETS.get(prefix, 0):
            imported.append(f"from opwright import {prefix}{version} as {name}")
        else:
            made.append(f"{name} = Opset({quoted(domain)}, {version}{_openness(domain, forms)})")
    return imported, made


def _openness(domain: str, forms: Forms) -> str:
    """What says that an opset has operators which nothing describes."""
    kinds = forms.open.get(domain)
    if kinds is None:
        return ""
    items = (f"{quoted(name)}: {mapping_text(found)}" for name, found in sorted(kinds.items()))
    return f", open={{{', '.join(items)}}}" if kinds else ", open=True"


_OWNERS = re.compile(r"\b(\w++)\.")  # what stands before a dot; each word is read once, however long it is
_DIGITS = re.compile(r"(\d+)")


def _order(name: str) -> tuple[int, list[tuple[int, str]]]:
    """Constants, classes, functions; numbers in names by their values."""
    kind = 0 if name.isupper() else 1 if name[0].isupper() else 2
    return kind, [(int(part), "") if part.isdigit() else (-1, part) for part in _DIGITS.split(name)]
