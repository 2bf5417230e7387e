"""All files of a proposal, by path below its folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from opwright_build.propose.checklist import Findings, inference_text, remaining, render_checklist
from opwright_build.propose.conversions import adapters, downgrade_test, upgrade_test
from opwright_build.propose.differentiation import differentiation
from opwright_build.propose.documentation import changelog_entry, operators_entry
from opwright_build.propose.expansions import Checked, check_models
from opwright_build.propose.inference import InferenceRules, infer_rules
from opwright_build.propose.name_lint import NamingFinding, lint_names
from opwright_build.propose.node_cases import ChosenCases, NodeCase, choose_cases
from opwright_build.propose.node_tests import render_node_tests
from opwright_build.propose.readable import snake
from opwright_build.propose.reference_class import render_reference
from opwright_build.propose.registration import make_registration, registration_text
from opwright_build.propose.rfc import FILE as RFC
from opwright_build.propose.rfc import Background, render_rfc
from opwright_build.propose.schema import make_bodies, render_schema
from opwright_build.propose.shape_tests import make_shape_tests, render_shape_tests
from opwright_build.propose.shipped_body import Comparison, ShippedBody, compare_bodies
from opwright_build.propose.subject import Proposal
from opwright_build.propose.test_models import TestModel, make_models
from opwright_build.verify.case_model import Case
from opwright_build.verify.run.runtimes import Runtime

CHECKLIST = "CHECKLIST.md"
NO_BACKGROUND = Background()


@dataclass(frozen=True, slots=True)
class Reference:
    """The text of a spec's reference, and the name of the function in it."""

    source: str
    function: str


@dataclass(frozen=True, slots=True)
class Package:
    """`files` by path; `checked` are the outcomes of the node tests, `open_points` how many a person has left.
    `comparison` is with the body that is shipped, where that is another one."""

    files: Mapping[str, bytes]
    checked: Sequence[Checked]
    naming: Sequence[NamingFinding]
    tests: int
    open_points: int
    comparison: Comparison | None


def assemble(
    proposal: Proposal,
    cases: Iterable[Case],
    reference: Reference | None,
    runtimes: Sequence[Runtime],
    workers: int,
    background: Background = NO_BACKGROUND,
    shipped: ShippedBody | None = None,
) -> Package:
    """Makes every file and runs the node tests' expansions in that many processes, or here; writes nothing.

    `shipped` is what the library ships where another body is proposed: what this one fails, and may, are no node tests.
    """
    cases = tuple(cases)
    comparison = None if shipped is None else compare_bodies(proposal, shipped, cases, runtimes, workers)
    if comparison is not None:
        cases = [case for case in cases if case.name not in comparison.failed]
    tests = _node_tests(proposal, choose_cases(proposal, cases, background.existing), runtimes, workers)
    rules = infer_rules(proposal, tests.cases)
    bodies = make_bodies(proposal)
    converters = adapters(proposal)
    text = None if reference is None else render_reference(proposal, rules, reference.source, reference.function)
    findings = Findings(
        bodies,
        rules,
        tests.chosen,
        tests.checked,
        lint_names(proposal.entry),
        text is not None,
        differentiation(proposal),
        bool(background.words.strip()),
        any(line.startswith("//") for line in converters),
        comparison,
    )
    layout = _Layout(proposal)
    layout.add("C++ schema", layout.insert("schema.cc"), render_schema(proposal, bodies, rules, findings.derivatives))
    if proposal.home.standard:
        lines = registration_text(make_registration(proposal), converters)
        layout.add("Registration lines", layout.insert("registration.h"), lines)
    if text is not None:
        file = f"{proposal.home.operators}/op_{snake(proposal.entry.name)}.py"
        layout.add("Class of the reference evaluator", file, text)
    if tests.cases:
        _add_tests(layout, proposal, rules, tests)
    layout.add("Operator's documentation", layout.insert("Operators.md"), operators_entry(proposal, tests.cases))
    if proposal.home.standard:
        layout.add("Change log's entry", layout.insert("Changelog.md"), changelog_entry(proposal))
    left = list(remaining(proposal, findings))
    inference = inference_text(proposal, rules)
    text = render_rfc(proposal, background, tests.cases, findings.derivatives, inference, left, comparison)
    layout.add("Document for readers", RFC, text)
    layout.files[CHECKLIST] = render_checklist(proposal, findings, layout.made).encode()
    return Package(
        dict(sorted(layout.files.items())),
        findings.checked,
        findings.naming,
        len(tests.cases),
        len(left),
        comparison,
    )


@dataclass(frozen=True, slots=True)
class _NodeTests:
    """The node tests: the cases that were chosen, their models, and what became of these on runtimes."""

    chosen: ChosenCases
    models: Sequence[TestModel]
    checked: Sequence[Checked]

    @property
    def cases(self) -> Sequence[NodeCase]:
        return self.chosen.cases


def _node_tests(proposal: Proposal, chosen: ChosenCases, runtimes: Sequence[Runtime], workers: int) -> _NodeTests:
    """Without those that are too coarse to tell right from wrong."""
    models = [model for case in chosen.cases for model in make_models(proposal, case)]
    checked = check_models(models, runtimes, workers)
    coarse = {item.test for item in checked if item.is_coarse}
    if coarse:
        chosen = chosen.without({model.case.name for model in models if model.name in coarse})
        kept = {case.name for case in chosen.cases}
        models = [model for model in models if model.case.name in kept]
        names = {model.name for model in models}
        checked = [item for item in checked if item.test in names]
    return _NodeTests(chosen, models, checked)


def _add_tests(layout: _Layout, proposal: Proposal, rules: InferenceRules, tests: _NodeTests) -> None:
    """The tests of what there are cases for."""
    if proposal.home.standard:
        layout.add(
            f"Node tests ({len(tests.cases)})",
            f"onnx/backend/test/case/node/{proposal.home.prefix}{proposal.entry.name.lower()}.py",
            render_node_tests(proposal, tests.cases),
        )
    layout.add_models([(model.name, model.files()) for model in tests.models])
    if proposal.home.standard:
        shape_tests = make_shape_tests(proposal, rules, tests.cases)
        layout.add(
            f"Shape inference tests ({len(shape_tests)})",
            layout.insert("shape_inference_test.py"),
            render_shape_tests(proposal, shape_tests),
        )
    if proposal.home.counts_opsets:
        up, down = upgrade_test(proposal, rules, tests.cases), downgrade_test(proposal, rules, tests.cases)
        layout.add("Upgrade test", layout.insert("automatic_upgrade_test.py"), up)
        layout.add("Downgrade test", layout.insert("automatic_downgrade_test.py"), down)


class _Layout:
    """Whole files stand where the standard has them; `insert/` holds what belongs into existing files."""

    def __init__(self, proposal: Proposal) -> None:
        self._standard = proposal.home.standard
        self.files: dict[str, bytes] = {}
        self.made: dict[str, str] = {}

    def insert(self, name: str) -> str:
        return f"insert/{name}" if self._standard else name

    def add(self, artefact: str, path: str, text: str) -> None:
        self.files[path] = text.encode()
        self.made[artefact] = path

    def add_models(self, models: Sequence[tuple[str, Mapping[str, bytes]]]) -> None:
        folder = "onnx/backend/test/data/node" if self._standard else "node"
        for name, files in models:
            self.files.update({f"{folder}/{name}/{path}": data for path, data in files.items()})
        self.made[f"Test models and data ({len(models)} folders)"] = folder
