"""The checklist of a proposal: what is made, what was checked, and what is left for a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import onnx

from opwright_build.propose.differentiation import Differentiation
from opwright_build.propose.expansions import CHECKER, Checked
from opwright_build.propose.inference import InferenceRules, ShapeKind, ShapeRule, TypeKind
from opwright_build.propose.name_lint import NamingFinding
from opwright_build.propose.node_cases import ChosenCases
from opwright_build.propose.readable import snake
from opwright_build.propose.schema import PACKAGE, Bodies
from opwright_build.propose.shipped_body import Comparison
from opwright_build.propose.subject import Proposal, values_of
from opwright_build.templates import render
from opwright_build.verify.case_model import Status


@dataclass(frozen=True, slots=True)
class Findings:
    """What the other modules found out on the way."""

    bodies: Bodies
    rules: InferenceRules
    chosen: ChosenCases
    checked: Sequence[Checked]
    naming: Sequence[NamingFinding]
    reference: bool
    derivatives: Mapping[str, Differentiation]
    has_words: bool
    hand_written_adapters: bool
    comparison: Comparison | None = None


def render_checklist(proposal: Proposal, findings: Findings, made: Mapping[str, str]) -> str:
    """`made` maps each artefact to the file that holds it, in the order of the list."""
    return render(
        PACKAGE,
        "checklist.md.jinja2",
        entry=proposal.entry,
        domain=proposal.home.domain or proposal.home.name,
        standard=proposal.home.standard,
        made=list(made.items()),
        body=_body(proposal, findings.bodies),
        inference=inference_text(proposal, findings.rules),
        table=_table(findings.checked),
        comparison=findings.comparison,
        failures=[item for item in findings.checked if item.status is Status.FAIL],
        refusals=_refusals(findings.checked),
        naming=findings.naming,
        remaining=list(remaining(proposal, findings)),
    )


def remaining(proposal: Proposal, findings: Findings) -> Iterator[str]:
    """What no tool can do, or not for this function."""
    if not proposal.home.standard:
        yield from _unfinished(proposal, findings)
        yield f"Decide whether {proposal.entry.name} belongs into the standard: a proposal names one of its domains."
        return
    if not findings.has_words:
        yield (
            "Say why, in a file `proposal.md` of the spec: a public model that needs the operator, at least one "
            "framework that has it, what numpy does if numpy has it, and why attributes and inputs are divided as they "
            "are."
        )
    yield "Link the issue."
    yield from _unfinished(proposal, findings)
    yield from _versions(proposal, findings)
    yield "Choose the area of `onnx/defs` and put the schema into its `defs.cc`; format it with the repository's tools."
    yield "Add the project's copyright line to each new file."
    if findings.reference:
        op, module = proposal.entry.name, f"{proposal.home.operators.replace('/', '.')}.op_{snake(proposal.entry.name)}"
        yield f"Add `{op}` of `{module}` to the `_op_list.py` next to it."
    yield "Build onnx, let it write its documents again and compare them with the previews here."
    yield "Get the sign-offs of the operators' special interest group."


def _unfinished(proposal: Proposal, findings: Findings) -> Iterator[str]:
    entry, rules = proposal.entry, findings.rules
    if findings.bodies.obstacle:
        yield f"Write the function body by hand: {findings.bodies.obstacle}."
    undocumented = [item.name for item in values_of(entry) if not item.doc]
    undocumented += [item.name for item in entry.attributes if not item.doc]
    if undocumented:
        yield f"Document {', '.join(f'`{name}`' for name in undocumented)}: the spec says nothing of them."
    open_ = [name for name, item in findings.derivatives.items() if item is Differentiation.UNKNOWN]
    if open_:
        names = ", ".join(f"`{name.removeprefix('-> ')}`" for name in open_)
        yield f"Say which of {names} are differentiable: `OpSchema::Unknown` now."
    for output, kind, shape in zip(entry.outputs, rules.types, rules.shapes, strict=True):
        if kind.kind is TypeKind.UNKNOWN and not rules.through_body:
            yield f"Write the type inference of `{output.name}`: nothing in the interface says its element type."
        if kind.may_be_absent(entry) and kind.absent is None and not rules.through_body:
            source = kind.attribute or entry.inputs[kind.input].name
            yield f"Write the type inference of `{output.name}` for calls without `{source}`: no rule is known here."
        if shape.kind is ShapeKind.UNKNOWN:
            yield f"Write the shape inference of `{output.name}`: its shape follows from no rule that is known here."
        if shape.kind is ShapeKind.RANK and shape.rank:
            yield f"See whether the sizes of `{output.name}` can be inferred: the schema says its rank alone."
    if not findings.reference:
        yield "Write the reference evaluator's class: the spec has no `reference.py` that it could be made of."
    if not findings.chosen.cases:
        yield "Write node tests: the spec has no vectors that could be made into some."
    if findings.chosen.left_out:
        yield f"Vectors too large for a source file are no node tests: {', '.join(findings.chosen.left_out)}."
    if findings.chosen.too_coarse:
        names = ", ".join(findings.chosen.too_coarse)
        yield f"Vectors that bodies pass by the spec's tolerance alone, not by the standard's, are no tests: {names}."
    if findings.chosen.not_tensors:
        yield f"Vectors with sequences or graphs are no node tests: {', '.join(findings.chosen.not_tensors)}."
    if findings.naming:
        yield "Follow the naming conventions, or say why not (in CHECKLIST.md)."
    if findings.comparison is not None and (findings.comparison.wrong or findings.comparison.idle):
        yield "Fix the body that is proposed, or what the spec says of it (in CHECKLIST.md)."
    if any(item.status is Status.FAIL for item in findings.checked):
        yield "Fix the tests that fail (in CHECKLIST.md)."


def _versions(proposal: Proposal, findings: Findings) -> Iterator[str]:
    entry, home = proposal.entry, proposal.home
    newest = _released(home.domain)
    if newest is not None and entry.since_version > newest:
        yield (
            f"Raise the operator set's version from {newest} to {entry.since_version}: `DomainToVersionRange` in "
            "`onnx/defs/schema.h` and the version table of `onnx/helper.py`."
        )
    if proposal.previous is not None:
        yield f"Move the schema of version {proposal.previous.since_version} to the area's `old.cc`."
    if findings.hand_written_adapters:
        yield "Write the version converter's adapters: the signatures of the two versions differ."


def _released(domain: str) -> int | None:
    """The newest version that the installed onnx has of one of the standard's domains; None where it tells none."""
    columns = {"": 2, "ai.onnx.ml": 3}
    return int(onnx.helper.VERSION_TABLE[-1][columns[domain]]) if domain in columns else None


def _body(proposal: Proposal, bodies: Bodies) -> str:
    if bodies.obstacle:
        return ""
    opsets = [str(item.opset) for item in proposal.sets]
    listed = f"opset {opsets[0]}" if len(opsets) == 1 else f"opsets {', '.join(opsets)}"
    if bodies.plain:
        return f"The body is a text of the schema, for {listed}."
    counts = [str(len(builder.branches)) for builder in bodies.builders]
    return f"The body depends on the call: a builder with {', '.join(counts)} bodies, for {listed}."


def inference_text(proposal: Proposal, rules: InferenceRules) -> str:
    """How types and shapes are inferred, in a sentence."""
    if rules.through_body:
        return "Types and shapes are inferred through the body, so the schema has no inference function of its own."
    pairs = zip(proposal.entry.outputs, rules.shapes, strict=True)
    known = [(output.name, rule) for output, rule in pairs if rule.kind is not ShapeKind.UNKNOWN]
    if not known:
        return "Types are inferred by the interface, shapes by no rule that is known here."
    shapes = "; ".join(f"`{name}`: {_shape(proposal, rule)}" for name, rule in known)
    return f"Shapes ({shapes}) agree with inference through the body in {rules.confirmed} node tests."


def _shape(proposal: Proposal, rule: ShapeRule) -> str:
    match rule.kind:
        case ShapeKind.SAME:
            return f"as `{proposal.entry.inputs[rule.input].name}`"
        case ShapeKind.BROADCAST:
            return "the inputs, broadcast"
    return f"rank {rule.rank}"


def _table(checked: Sequence[Checked]) -> list[tuple[str, int, int, int]]:
    """Passed, failed and refused, for each runtime and the checker."""
    counts: dict[str, Counter[Status]] = {}
    for item in checked:
        counts.setdefault(item.runtime, Counter())[item.status] += 1
    names = sorted(counts, key=lambda name: (name != CHECKER, name))
    return [
        (
            name,
            counts[name][Status.PASS],
            counts[name][Status.FAIL],
            counts[name].total() - counts[name][Status.PASS] - counts[name][Status.FAIL],
        )
        for name in names
    ]


def _refusals(checked: Sequence[Checked]) -> list[tuple[str, str, int]]:
    found = Counter((item.runtime, item.message) for item in checked if item.status not in (Status.PASS, Status.FAIL))
    return sorted((runtime, message, count) for (runtime, message), count in found.items())
