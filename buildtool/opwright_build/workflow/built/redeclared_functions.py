"""Functions that declare something else than they did, and what that is to their package: its stubs and figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from opwright.bundle.format import FunctionEntry, Index
from opwright.bundle.read import read_bundle

from opwright_build.engine.dataclass_bytes import decode_value
from opwright_build.package.typed_package import EditedInterface, edit_stubs, render_stubs
from opwright_build.workflow.built.noted_packages import EditedVersion
from opwright_build.workflow.compiled.version_parts import INTERFACE, VERSION


def redeclared_functions(inputs: Iterable[str], edited: Sequence[EditedVersion]) -> list[EditedInterface]:
    """Those among the versions that were edited. `inputs` are the names of packaging's, one for each version."""
    names = [name for name in inputs if name.startswith(VERSION)]
    found: list[EditedInterface] = []
    for version in edited:
        if version.interface is not None:
            prefix = f"{VERSION}{version.identity.rpartition('@')[0]}@"
            versions = sorted(int(name.removeprefix(prefix)) for name in names if name.startswith(prefix))
            now = decode_value(FunctionEntry, version.parts[INTERFACE])
            found.append(EditedInterface(decode_value(FunctionEntry, version.interface), now, versions))
    return found


def stubs_now(
    index: Index, before: Mapping[str, bytes], functions: Sequence[EditedInterface], bundle: bytes
) -> Mapping[str, bytes]:
    """The stubs of a package, which were `before` and whose bundle is this one now."""
    stubs = edit_stubs(index, before, functions)
    return render_stubs(read_bundle(bundle, index.library).index) if stubs is None else stubs


def pairs_gained(functions: Sequence[EditedInterface]) -> int:
    """How many more (version, type) pairs there are."""
    return sum(pairs_of(item.now) - pairs_of(item.before) for item in functions)


def pairs_of(function: FunctionEntry) -> int:
    """How many element types its widest type variable admits: what is verified apart."""
    return max((len(admitted) for _, admitted in function.types), default=0)
