"""The lines that make the standard's operator sets know the schema."""

from __future__ import annotations

from dataclasses import dataclass

from opwright_build.propose.subject import Proposal


@dataclass(frozen=True, slots=True)
class Registration:
    """`declaration` stands among the forward declarations, `entry` in `ForEachSchema` of the class `operator_set`."""

    header: str
    operator_set: str
    declaration: str
    entry: str


def make_registration(proposal: Proposal) -> Registration:
    """The lines for the domain's header; for a domain that is not the standard's those of a set of its own."""
    home, version = proposal.home, proposal.entry.since_version
    class_name = f"ONNX_OPERATOR_SET_SCHEMA_CLASS_NAME({home.class_domain}, {version}, {proposal.entry.name})"
    return Registration(
        home.registry,
        f"OpSet_{home.class_domain}_ver{version}",
        f"class {class_name};",
        f"fn(GetOpSchema<{class_name}>());",
    )


def registration_text(registration: Registration, adapters: list[str]) -> str:
    """The insertions, each under the place it belongs to."""
    where = registration.header or "the header of your own operator set"
    lines = [
        f"// {where}, among the forward declarations:",
        registration.declaration,
        "",
        f"// {where}, in {registration.operator_set}::ForEachSchema:",
        registration.entry,
    ]
    if adapters:
        lines += ["", "// onnx/version_converter/convert.h, among the adapters of that step:", *adapters]
    return "\n".join([*lines, ""])
