"""The operator's entries of the two generated documents, as a preview: the standard's tool writes the final ones."""

from __future__ import annotations

from collections.abc import Sequence

from opwright.bundle.format import AttributeEntry, FunctionEntry
from opwright.elements import BY_NAME

from opwright_build.propose.node_cases import NodeCase
from opwright_build.propose.python_text import value_text
from opwright_build.propose.schema import PACKAGE, constraint_doc
from opwright_build.propose.subject import Proposal, values_of
from opwright_build.templates import render

_KINDS = {
    "INT": "int",
    "FLOAT": "float",
    "STRING": "string",
    "INTS": "list of ints",
    "FLOATS": "list of floats",
    "STRINGS": "list of strings",
    "GRAPH": "graph",
}


def operators_entry(proposal: Proposal, cases: Sequence[NodeCase]) -> str:
    """The section of the operator among all operators."""
    others = [] if proposal.previous is None else [proposal.previous.since_version]
    return _render(proposal, "operators.md.jinja2", others=others, examples=[case.name for case in cases])


def changelog_entry(proposal: Proposal) -> str:
    """The section of the version among those of its operator set."""
    return _render(proposal, "changelog.md.jinja2")


def _render(proposal: Proposal, template: str, **more: object) -> str:
    entry = proposal.entry
    return render(
        PACKAGE,
        template,
        entry=entry,
        domain=proposal.home.domain,
        title=f"{proposal.home.domain}.{entry.name}" if proposal.home.domain else entry.name,
        doc=(entry.doc or entry.summary).strip(),
        attributes=[(item.name, _attribute(item), item.doc) for item in entry.attributes],
        inputs=[(item.name, _notes(item.optional, item.variadic), _type(item.type), item.doc) for item in entry.inputs],
        outputs=[(item.name, "", _type(item.type), item.doc) for item in entry.outputs],
        constraints=[_constraint(entry, name, admitted) for name, admitted in entry.types],
        **more,
    )


def _attribute(item: AttributeEntry) -> str:
    kind = _KINDS.get(item.type, item.type.lower())
    if item.default is not None:
        return f"{kind} (default is {item.default if isinstance(item.default, str) else value_text(item.default)})"
    return f"{kind} (required)" if item.required else f"{kind} (optional)"


def _notes(optional: bool, variadic: bool) -> str:
    return " (variadic)" if variadic else " (optional)" if optional else ""


def _type(declared: str) -> str:
    return f"tensor({declared})" if declared in BY_NAME else declared


def _constraint(entry: FunctionEntry, name: str, admitted: Sequence[str]) -> tuple[str, str, str]:
    where = [item.name for item in values_of(entry) if item.type == name]
    return name, ", ".join(f"tensor({kind})" for kind in admitted), constraint_doc(where)
