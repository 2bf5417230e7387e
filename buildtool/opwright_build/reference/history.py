"""What changed from one version of a function to the next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from opwright.bundle.format import FunctionEntry

from opwright_build.reference.markdown import code, codes


def history(entries: Sequence[FunctionEntry]) -> list[tuple[int, str]]:
    """Each version with what is new in it, newest first; the first one is `first version`."""
    found: list[tuple[int, str]] = []
    for entry, before in zip(entries, [*entries[1:], None], strict=True):
        changes = ["first version here"] if before is None else list(_changes(before, entry))
        if entry.deprecated:
            changes.append("deprecated")
        found.append((entry.since_version, "; ".join(changes) or "the same interface, other bodies"))
    return found


def _changes(before: FunctionEntry, after: FunctionEntry) -> Iterator[str]:
    for what, old, new in (
        ("input", [item.name for item in before.inputs], [item.name for item in after.inputs]),
        ("output", [item.name for item in before.outputs], [item.name for item in after.outputs]),
        ("attribute", [item.name for item in before.attributes], [item.name for item in after.attributes]),
    ):
        yield from _difference(what, old, new)
    optional = {item.name: item.optional for item in before.inputs}
    for item in after.inputs:
        if optional.get(item.name, item.optional) != item.optional:
            yield f"{code(item.name)} is {'optional' if item.optional else 'required'}"
    defaults = {item.name: item.default for item in before.attributes}
    moved = [item.name for item in after.attributes if item.name in defaults and defaults[item.name] != item.default]
    if moved:
        yield f"another default of {codes(moved)}"
    old_types, new_types = dict(before.types), dict(after.types)
    for variable, admitted in new_types.items():
        if variable in old_types:
            yield from _difference(f"type of `{variable}`", old_types[variable], admitted)
        else:
            yield f"a type variable `{variable}` of its own"


def _difference(what: str, old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    added = [name for name in new if name not in old]
    removed = [name for name in old if name not in new]
    if added:
        yield f"new {_plural(what, added)} {codes(added)}"
    if removed:
        yield f"without the {_plural(what, removed)} {codes(removed)}"


def _plural(what: str, names: Sequence[str]) -> str:
    noun, _, rest = what.partition(" ")
    return f"{noun}{'' if len(names) == 1 else 's'}{' ' + rest if rest else ''}"
