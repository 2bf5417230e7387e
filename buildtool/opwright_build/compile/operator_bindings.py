"""Whether a function can stand for the operator of PyTorch that its spec names."""

from __future__ import annotations

from opwright.aten.binding import Binding, bind_operator
from opwright.bundle.format import FunctionEntry
from opwright.diagnostics.diagnostic import Diagnostic

from opwright_build.spec.model import SpecVersion


def binding_findings(version: SpecVersion, entry: FunctionEntry) -> list[Diagnostic]:
    """What stands against it, each at its key of `implements:`."""
    if entry.implements is None:
        return []
    bound = bind_operator(entry.implements, entry)
    if isinstance(bound, Binding):
        return []
    found: list[Diagnostic] = []
    for misfit in bound:
        paths = [".".join(("implements", *misfit.key[:count])) for count in range(len(misfit.key), -1, -1)]
        place = next((version.places[path] for path in paths if path in version.places), None)
        argument = f"the argument `{misfit.key[1]}`: " if misfit.key[:1] == ("arguments",) else ""
        found.append(
            Diagnostic(
                "OW145",
                f"{version.name} cannot stand for {entry.implements.schema.partition('(')[0]}: {argument}{misfit.text}",
                place,
                reason=f"the operator is {entry.implements.schema}",
                help="a parameter has the name of its argument; what differs stands under `implements: arguments:`",
            )
        )
    return found
