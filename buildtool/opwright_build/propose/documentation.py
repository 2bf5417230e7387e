"""The operator's entries of the two generated documents, as a preview: the standard's tool writes the final ones."""

from __future__ import annotations

from collections.abc import Sequence

from opwright.bundle.format import AttributeEntry

from opwright_build.propose.constraints import schema_types
from opwright_build.propose.node_cases import NodeCase
from opwright_build.propose.python_text import value_text
from opwright_build.propose.schema import PACKAGE
from opwright_build.propose.subject import Proposal
from opwright_build.prose import prose
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


def sections(proposal: Proposal) -> str:
    """Attributes, inputs, outputs and types, below the operator's own text."""
    return _render(proposal, "sections.md.jinja2").rstrip()


def _render(proposal: Proposal, template: str, **more: object) -> str:
    entry = proposal.entry
    types = schema_types(entry)
    return render(
        PACKAGE,
        template,
        entry=entry,
        domain=proposal.home.domain,
        title=f"{proposal.home.domain}.{entry.name}" if proposal.home.domain else entry.name,
        doc=prose((entry.doc or entry.summary).strip()),
        attributes=[(item.name, _attribute(item), prose(item.doc)) for item in entry.attributes],
        inputs=[
            (item.name, _notes(item.optional, item.variadic), types.names[item.type], prose(item.doc))
            for item in entry.inputs
        ],
        outputs=[
            (item.name, _notes(False, item.variadic), types.names[item.type], prose(item.doc)) for item in entry.outputs
        ],
        constraints=[(item.name, ", ".join(item.types), prose(item.doc)) for item in types.constraints],
        **more,
    )


def _attribute(item: AttributeEntry) -> str:
    kind = _KINDS.get(item.type, item.type.lower())
    if item.default is not None:
        return f"{kind} (default is {item.default if isinstance(item.default, str) else value_text(item.default)})"
    return f"{kind} (required)" if item.required else f"{kind} (optional)"


def _notes(optional: bool, variadic: bool) -> str:
    return " (variadic)" if variadic else " (optional)" if optional else ""
