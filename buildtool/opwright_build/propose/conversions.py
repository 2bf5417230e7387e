"""Lines for the version converter and its tests: a model of the operator at one opset becomes one at another."""

from __future__ import annotations

from collections.abc import Sequence

from opwright.bundle.format import FunctionEntry

from opwright_build.propose.inference import Dims, InferenceRules, ShapeKind, infer_at
from opwright_build.propose.node_cases import NodeCase
from opwright_build.propose.python_text import value_text
from opwright_build.propose.subject import Proposal, element_types, values_of
from opwright_build.verify.dtypes import element_of


def upgrade_test(proposal: Proposal, rules: InferenceRules, cases: Sequence[NodeCase]) -> str:
    """A method of the standard's `TestAutomaticUpgrade`."""
    return _test(proposal, rules, cases, "upgrade", proposal.entry.since_version)


def downgrade_test(proposal: Proposal, rules: InferenceRules, cases: Sequence[NodeCase]) -> str:
    """A method of `TestAutomaticDowngrade`: to the version before where that one has the same signature."""
    previous = proposal.previous
    target = proposal.entry if previous is None or not _same_signature(proposal.entry, previous) else previous
    return _test(proposal, rules, cases, "downgrade", target.since_version)


def adapters(proposal: Proposal) -> list[str]:
    """Registrations for `convert.h` between the version before and this one; none for a new operator."""
    entry, previous = proposal.entry, proposal.previous
    if previous is None or not proposal.home.counts_opsets:
        return []
    now, before = entry.since_version, entry.since_version - 1
    if not _same_signature(entry, previous):
        return [f"// {entry.name} from {before} to {now} and back: the signatures differ, write both adapters by hand"]
    added, removed = _added_types(entry, previous), _added_types(previous, entry)
    return [_adapter(entry.name, before, now, removed), _adapter(entry.name, now, before, added)]


def _adapter(name: str, first: int, second: int, refused: Sequence[str]) -> str:
    """A registration for one step; `refused` are the element types that the second version lacks."""
    step = f'"{name}", OpSetID({first}), OpSetID({second})'
    if not refused:
        return f"registerAdapter(std::make_unique<CompatibleAdapter>({step}));"
    types = ", ".join(f"TensorProto_DataType_{kind.upper()}" for kind in refused)
    return f"registerAdapter(std::make_unique<TypeRestriction>({step}, std::vector<TensorProto_DataType>{{{types}}}));"


def _same_signature(one: FunctionEntry, two: FunctionEntry) -> bool:
    """Names, order, presence, attributes and defaults; the element types apart."""
    return _signature(one) == _signature(two)


def _signature(entry: FunctionEntry) -> object:
    return (
        [(item.name, item.optional, item.variadic) for item in entry.inputs],
        [item.name for item in entry.outputs],
        [(item.name, item.type, item.required, item.default) for item in entry.attributes],
    )


def _added_types(new: FunctionEntry, old: FunctionEntry) -> list[str]:
    values = zip(values_of(new), values_of(old), strict=True)
    return list(
        dict.fromkeys(
            kind
            for now, before in values
            for kind in element_types(new, now.type)
            if kind not in element_types(old, before.type)
        )
    )


def _test(proposal: Proposal, rules: InferenceRules, cases: Sequence[NodeCase], direction: str, opset: int) -> str:
    previous = proposal.previous
    fitting = [case for case in cases if previous is None or _in_types_of(previous, case)] or list(cases)
    case = max(fitting, key=_size)
    inputs = ['""' if item is None else str(list(item[1].shape)) for item in case.inputs]
    kinds = [element_of(item[1]).name.upper() if item is not None else "UNDEFINED" for item in case.inputs]
    lines = [
        f"    def test_{proposal.entry.name}(self) -> None:",
        f"        self._test_op_{direction}(",
        f'            "{proposal.entry.name}",',
        f"            {opset},",
        f"            [{', '.join(inputs)}],",
        f"            [{', '.join(_output_shapes(proposal, rules, case))}],",
        f"            [{', '.join(f'TensorProto.{kind}' for kind in kinds)}],",
        f"            [{', '.join(f'TensorProto.{element_of(array).name.upper()}' for _, array in case.outputs)}],",
    ]
    if case.attributes:
        pairs = ", ".join(f"{value_text(name)}: {value_text(value)}" for name, value in sorted(case.attributes.items()))
        lines.append(f"            attrs={{{pairs}}},")
    return "\n".join([*lines, "        )", ""])


def _size(case: NodeCase) -> tuple[int, int]:
    """Ranks first: a test of shapes should have some."""
    arrays = [array for _, array in case.outputs]
    return min((array.ndim for array in arrays), default=0), sum(array.size for array in arrays)


def _output_shapes(proposal: Proposal, rules: InferenceRules, case: NodeCase) -> list[str]:
    """As far as inference knows them: the converter's tests compare both."""
    inferred = infer_at(proposal, case) if rules.through_body else None
    shapes: list[Dims] = []
    for position, (_, array) in enumerate(case.outputs):
        known = rules.shapes[position].kind in (ShapeKind.SAME, ShapeKind.BROADCAST)
        found = array.shape if known else inferred[position] if inferred is not None else None
        shapes.append(found if found is not None else (None,) * array.ndim)
    return [f"[{', '.join('None' if not isinstance(dim, int) else str(dim) for dim in shape)}]" for shape in shapes]


def _in_types_of(entry: FunctionEntry, case: NodeCase) -> bool:
    declared = dict(entry.types)
    return all(kind in declared.get(name, (kind,)) for name, kind in case.case.bindings.items())
