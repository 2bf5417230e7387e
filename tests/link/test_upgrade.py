"""What a newer release of a library does to a model, and which of it is refused."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path

import onnx
import opwright
import pytest
from opwright.bundle.format import AttributeEntry, Bundle, InputEntry, OutputEntry
from opwright.bundle.write import write_bundle
from opwright.commands import main
from opwright.diagnostics.diagnostic import Severity
from opwright.link.upgrade import Change

from tests.link.conftest import SWISH, Body, LibraryBuilder, make_standard, parse, refused
from tests.output_lines import validate

MODEL = """<ir_version: {}, opset_import: ["": 18, "com.acme": 1]> g (float[N] x) => (float[N] y)
{{ t = com.acme.Twice(x) s = com.acme.Swish(t) y = com.acme.Kind(s) }}"""
KIND = "(x) => (y) {{ c = Constant<value_float: float = {}>() d = Cast<to={}>(c) y = Add(x, d) }}"


def release(
    version: str = "1.0.0",
    *,
    swish: str = SWISH,
    alpha: float | None = 1.5,
    inputs: tuple[InputEntry | str, ...] = ("x",),
    added: float = 1.0,
    opsets: tuple[int, int] = (15, 22),
    without: str = "",
    newer: bool = False,
) -> Bundle:
    library = LibraryBuilder(version=version)
    required = alpha is None
    attributes = [AttributeEntry("alpha", "FLOAT", required, alpha)]
    library.add("Swish", [Body(swish, opsets)], attributes=attributes, inputs=inputs)
    call = "com.acme.Swish<alpha: float = 1.5>" if required else "com.acme.Swish"
    if without != "Twice":
        library.add("Twice", [Body(f"(x) => (y) {{ t = {call}(x) y = Add(t, t) }}", opsets)])
    kinds = [
        Body(KIND.format(number, code), variant=(("T", name),), admits=(name,))
        for name, code, number in (("float", 1, added), ("double", 11, 2.0))
    ]
    library.add("Kind", kinds, types=("float", "double"))
    if newer:
        library.add("Swish", "(x) => (y) { y = Neg(x) }", since_version=2)
    return library.bundle()


REORDERED = SWISH.replace("Mul(b, x)", "Mul(x, b)")
ROUNDED = SWISH.replace("y = Mul(x, s)", "m = Neg(t) e = Exp(m) w = Div(b, b) f = Add(w, e) y = Div(x, f)")


def changes(new: Bundle, **options: object) -> dict[str, tuple[Change, bool]]:
    model = opwright.attach(parse(MODEL.format(10)), release())
    plan = opwright.plan_upgrade(model, new, **options)  # type: ignore[arg-type]
    return {item.identity.partition("::")[2]: (item.change, item.accepted) for item in plan.functions}


SAME = {"Twice@1": (Change.SAME, False), "Swish@1": (Change.SAME, False), "Kind@1": (Change.SAME, False)}


def both(change: Change, accepted: bool = False) -> dict[str, tuple[Change, bool]]:
    return SAME | dict.fromkeys(("Twice@1", "Swish@1"), (change, accepted))


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (lambda: release("1.1.0"), SAME),
        (lambda: release("1.1.0", swish=REORDERED), both(Change.EQUAL)),
        (lambda: release("1.1.0", swish=ROUNDED), both(Change.CLOSE)),
        (lambda: release("1.1.0", swish=SWISH.replace("Mul(x, s)", "Add(x, s)")), both(Change.DIFFERENT)),
        (lambda: release("1.1.0", alpha=2.0), both(Change.DIFFERENT)),  # a default, of a body that is the same
        (lambda: release("1.1.0", added=1.25), SAME | {"Kind@1": (Change.DIFFERENT, False)}),
        (lambda: release("1.1.0", alpha=None), SAME | {"Swish@1": (Change.REFUSED, False)}),
        (lambda: release("1.1.0", opsets=(19, 22)), both(Change.REFUSED)),
        (
            lambda: release("1.1.0", without="Twice"),
            SAME | {"Twice@1": (Change.GONE, False), "Kind@1": (Change.REFUSED, False)},
        ),
        (lambda: release("2.0.0", newer=True), SAME),  # Swish stays what the model's import says
    ],
    ids=[
        "same",
        "equal",
        "close",
        "different",
        "default",
        "one-variant",
        "required",
        "opsets",
        "gone",
        "newer-version",
    ],
)
def test_what_becomes_of_functions(new: Callable[[], Bundle], expected: dict[str, tuple[Change, bool]]) -> None:
    assert changes(new()) == expected


def test_attributes_that_change_places_are_another_function() -> None:
    """The bodies have one digest: it says nothing of names."""
    text = """<{}>(x) => (y) {{ a = Constant<value_float: float = @left>() b = Constant<value_float: float = @right>()
    c = Sub(a, b) y = Mul(c, x) }}"""
    releases = []
    for version, places in (("1.0.0", "left, right"), ("1.1.0", "left, right"), ("1.2.0", "right, left")):
        library = LibraryBuilder(version=version)
        attributes = [AttributeEntry(name, "FLOAT", False, 1.0) for name in ("left", "right")]
        body = text.format(places)
        if places != "left, right":
            body = body.replace("@left", "@tmp").replace("@right", "@left").replace("@tmp", "@right")
        library.add("Between", body, attributes=attributes)
        releases.append(library.bundle())
    model = parse(
        """<ir_version: 10, opset_import: ["": 18, "com.acme": 1]> g (float[2] x) => (float[2] y)
        { y = com.acme.Between<left = 5.0>(x) }"""
    )
    attached = opwright.attach(model, releases[0])
    found = [opwright.plan_upgrade(attached, library).functions[0] for library in releases[1:]]
    assert len({row.new_body for row in found}) == 1
    assert [row.change for row in found] == [Change.SAME, Change.DIFFERENT]


@pytest.mark.parametrize("name", ["Swish", "com.acme::Swish", "com.acme::Swish@1"])
def test_what_is_accepted(name: str) -> None:
    other = release("1.1.0", swish=SWISH.replace("Mul(x, s)", "Add(x, s)"))
    assert changes(other, accept=name) == both(Change.DIFFERENT) | {"Swish@1": (Change.DIFFERENT, True)}
    assert changes(other, accept=["all"]) == both(Change.DIFFERENT, True)
    model = opwright.attach(parse(MODEL.format(10)), release())
    assert {item.code for item in refused(lambda: opwright.upgrade(model, other, accept=name))} == {"OW542"}
    upgraded = opwright.upgrade(model, other, accept="all")
    assert upgraded == opwright.attach(parse(MODEL.format(10)), other)


def test_a_name_to_accept_that_fits_nothing() -> None:
    model = opwright.attach(parse(MODEL.format(10)), release())
    plan = opwright.plan_upgrade(model, release("1.1.0"), accept=["Swihs", "Twice", "all", "com.other::Swish"])
    assert [(item.code, item.severity, item.message) for item in plan.diagnostics] == [
        ("OW548", Severity.WARNING, "the model calls no attached function Swihs"),
        ("OW548", Severity.WARNING, "the model calls no attached function com.other::Swish"),
    ]
    assert plan.diagnostics[0].help == "did you mean Swish?"
    assert plan.possible


def test_random_values_are_not_compared() -> None:
    drawn = [
        "(x) => (y) { r = RandomNormalLike(x) y = Add(x, r) }",
        "(x) => (y) { r = RandomNormalLike(x) y = Add(r, x) }",
    ]
    bundles = []
    for version, body in zip(("1.0.0", "1.1.0"), drawn, strict=True):
        library = LibraryBuilder(version=version)
        library.add("Noisy", body)
        bundles.append(library.bundle())
    text = """<ir_version: 8, opset_import: ["": 18, "com.acme": 1]>
    g (float[N] x) => (float[N] y) { y = com.acme.Noisy(x) }"""
    plan = opwright.plan_upgrade(opwright.attach(parse(text), bundles[0]), bundles[1])
    ((change, why),) = [(item.change, item.text) for item in plan.functions]
    assert (change, why, plan.possible) == (Change.UNKNOWN, "its values are random", False)


@pytest.mark.parametrize("ir_version", [8, 10])
def test_an_upgraded_model_is_one_that_was_attached_so(ir_version: int) -> None:
    """Functions, imports and records; and detaching gives the original."""
    plain, new = parse(MODEL.format(ir_version)), release("1.1.0", swish=REORDERED)
    upgraded = opwright.upgrade(opwright.attach(plain, release()), new)
    assert upgraded == opwright.attach(plain, new)
    assert opwright.detach(upgraded) == plain


def test_a_domain_that_attach_imported_stays_at_its_version() -> None:
    plain = parse(MODEL.format(10).replace("Twice(x)", "Swish(x)"))
    del plain.opset_import[1]
    upgraded = opwright.upgrade(opwright.attach(plain, release()), release("2.0.0", newer=True))
    assert {item.domain: item.version for item in upgraded.opset_import} == {"": 18, "com.acme": 1}
    assert opwright.detach(upgraded) == plain


def test_operators_of_the_standard_that_were_replaced_and_no_others() -> None:
    text = """<ir_version: 10, opset_import: ["": 18]>
    g (float[N] x) => (float[N] y) { t = Softplus(x) y = Softplus(t) }"""
    model = opwright.attach(parse(text), make_standard(), replace=True)
    model.graph.node.append(onnx.helper.make_node("Softplus", ["y"], ["z"]))
    upgraded = opwright.upgrade(model, make_standard())
    assert [node.domain for node in upgraded.graph.node] == ["opwright.ai.onnx"] * 2 + [""]


def test_overloads_stay_overloads() -> None:
    model = opwright.attach(parse(MODEL.format(10)), release(), profile="overload")
    upgraded = opwright.upgrade(model, release("1.1.0"))
    assert [node.overload for node in upgraded.graph.node] == ["", "", "T=float"]


def test_calls_in_functions_and_graphs_of_the_model() -> None:
    text = """<ir_version: 10, opset_import: ["": 18, "com.acme": 1, "my": 1]> g (float[N] x) => (float[N] y) {
        c = Constant<value = bool {1}>() t = my.Mine<alpha = 0.5>(x)
        y = If(c) <then_branch = a () => (float[N] p) { p = com.acme.Kind(t) },
                   else_branch = b () => (float[N] q) { q = Neg(t) }> }
    <domain: "my", opset_import: ["": 18, "com.acme": 1]>
    Mine <alpha> (x) => (y) { y = com.acme.Swish<alpha: float = @alpha>(x) }"""
    model = opwright.attach(parse(text), release())
    plan = opwright.plan_upgrade(model, release("1.1.0", swish=REORDERED, added=3.0), accept="Kind")
    assert {(item.identity, item.change, item.accepted) for item in plan.functions} == {
        ("com.acme::Swish@1", Change.EQUAL, False),
        ("com.acme::Kind@1", Change.DIFFERENT, True),
    }
    assert plan.possible


def test_what_cannot_be_upgraded() -> None:
    model = opwright.attach(parse(MODEL.format(10)), release())
    (found,) = refused(lambda: opwright.upgrade(model, make_standard()))
    assert (found.code, "acme-ops 1.0.0" in found.message) == ("OW543", True)
    for change, opset in ((opwright.polyfill, 17), (opwright.convert, 20)):
        other = change(opwright.attach(parse(MODEL.format(10)), release()), opset=opset, libraries=release())
        (found,) = refused(functools.partial(opwright.upgrade, other, release()))
        assert (found.code, found.message) == ("OW543", "a model that was brought to another opset is not upgraded")
        assert change.__name__ in found.help
    altered = opwright.attach(parse(MODEL.format(10)), release())
    altered.functions[0].node[0].doc_string = "only words"
    assert opwright.upgrade(altered, release())
    altered.functions[-1].node[-1].op_type = "Sub"
    assert refused(lambda: opwright.upgrade(altered, release()))[0].code == "OW576"


def test_a_model_without_such_functions_stays_as_it_is() -> None:
    plain = parse(MODEL.format(10))
    plan = opwright.plan_upgrade(plain, release())
    assert ([item.code for item in plan.diagnostics], plan.model) == (["OW544"], plain)


def test_a_path_and_bytes(tmp_path: Path) -> None:
    model = opwright.attach(parse(MODEL.format(10)), release())
    onnx.save(model, tmp_path / "model.onnx")
    new = release("1.1.0", swish=REORDERED)
    expected = opwright.upgrade(model, new)
    assert opwright.upgrade(tmp_path / "model.onnx", new) == expected
    assert onnx.ModelProto.FromString(opwright.upgrade(model.SerializeToString(), new)) == expected


OWN = """<ir_version: 10, opset_import: ["": 18, {} "l": 1]> g (float[N] x) => (float[N] y) {{ y = l.F(x) }}
<domain: "l", opset_import: ["": 18, "com.acme": {}]> F (a) => (b) {{ b = com.acme.Swish(a) }}"""


@pytest.mark.parametrize("of_graph", ['"com.acme": 1,', ""])
def test_a_function_that_imports_a_domain_at_a_later_version_than_the_graph(of_graph: str) -> None:
    library = release("2.0.0", newer=True)
    plain = parse(OWN.format(of_graph, 2))
    attached = opwright.attach(plain, library)
    plan = opwright.plan_upgrade(attached, library)
    assert [(item.identity, item.change) for item in plan.functions] == [("com.acme::Swish@2", Change.SAME)]
    assert plan.model == attached
    older = opwright.plan_upgrade(attached, release("1.0.0"))
    assert [item.change for item in older.functions] == [Change.GONE]
    assert "imports version 2 of com.acme, acme-ops 1.0.0 knows it up to 1" in older.functions[0].text


UNCALLED = """<ir_version: 10, opset_import: ["": 18, "l": 1]> g (float[N] x) => (float[N] y) {{ y = Neg(x) }}
<domain: "l", opset_import: ["": 18, "com.acme": 1]> F {} (a, b) => (y) {{ t = Neg(b) {} y = com.acme.Cut{}(t) }}"""


def cuts(nodes: str) -> Bundle:
    library = LibraryBuilder(version="1.0.0" if nodes == "y = Mul(x, d)" else "1.1.0")
    body = f"<alpha: float>(x) => (y) {{ c = Constant<value_float: float = @alpha>() d = CastLike(c, x) {nodes} }}"
    attributes = [AttributeEntry("alpha", "FLOAT", True, None)]
    library.add("Cut", [Body(body, (15, 22))], types=("float", "double"), attributes=attributes)
    return library.bundle()


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        ("y = Mul(d, x)", (Change.EQUAL, "")),
        ("e = Exp(x) y = Mul(d, e)", (Change.DIFFERENT, "where T is ")),
        (
            "f = Cast<to = 1>(x) h = CastLike(f, x) y = Mul(d, h)",
            (Change.UNKNOWN, "the types of its inputs are not known; where T is double, output 1 is "),
        ),
    ],
    ids=["equal", "different", "of-one-type"],
)
def test_inputs_of_unknown_types_may_be_of_all_that_are_admitted(new: str, expected: tuple[Change, str]) -> None:
    model = parse(UNCALLED.format("", "", "<alpha = 2.0>"))
    attached = opwright.attach(model, cuts("y = Mul(x, d)"))
    ((change, text),) = [(item.change, item.text) for item in opwright.plan_upgrade(attached, cuts(new)).functions]
    assert (change, text[: len(expected[1])]) == expected
    assert "known results" not in text


def test_a_type_that_the_library_leaves_open() -> None:
    libraries = []
    for version, body in (
        ("1.0.0", "(x) => (y) { y = Shape(x) }"),
        ("1.1.0", "(x) => (y) { s = Shape(x) y = Abs(s) }"),
    ):
        library = LibraryBuilder(version=version)
        library.add(
            "Sizes", [Body(body, (15, 22))], inputs=[InputEntry("x", "any")], outputs=[OutputEntry("y", "int64")]
        )
        libraries.append(library.bundle())
    model = parse(UNCALLED.format("", "", "").replace("Cut", "Sizes"))
    plan = opwright.plan_upgrade(opwright.attach(model, libraries[0]), libraries[1])
    assert [(item.change, item.text) for item in plan.functions] == [
        (Change.UNKNOWN, "the types of its inputs are not known")
    ]


def test_an_attribute_that_callers_decide() -> None:
    model = parse(UNCALLED.format("<alpha>", "", "<alpha: float = @alpha>"))
    attached = opwright.attach(model, cuts("y = Mul(x, d)"))
    plan = opwright.plan_upgrade(attached, cuts("y = Mul(d, x)"))
    assert [(item.change, item.text) for item in plan.functions] == [
        (Change.UNKNOWN, "the value of its attribute alpha is not known")
    ]


def test_a_function_that_is_called_in_several_ways_is_compared_in_each() -> None:
    """The newer release computes something else for an `alpha` that is greater than 3."""
    text = """<ir_version: 10, opset_import: ["": 18, "com.acme": 1, "l": 1]> g (float[N] x) => (float[N] y)
    {{ t = l.F<alpha = 2.0>(x) y = l.F<alpha = {}>(t) }}
    <domain: "l", opset_import: ["": 18, "com.acme": 1]> F <alpha> (a) => (y)
    {{ y = com.acme.Cut<alpha: float = @alpha>(a) }}"""
    new = "m = Constant<value_float = 3.0>() n = CastLike(m, x) k = Min(d, n) y = Mul(k, x)"
    found = []
    for number in (2.5, 4.0):
        attached = opwright.attach(parse(text.format(number)), cuts("y = Mul(x, d)"))
        found += [item.change for item in opwright.plan_upgrade(attached, cuts(new)).functions]
    assert found == [Change.EQUAL, Change.DIFFERENT]


@pytest.mark.parametrize(
    "one",
    ["value = float {2.0}", "value_float = 2.0", "value_floats = [2.0]", "value_int = 2", "value_ints = [2, 2]"],
)
def test_constants_are_those_of_the_model(one: str) -> None:
    """The newer release computes something else for negative numbers in the second place."""
    libraries = []
    for version, body in (("1.0.0", "y = Add(x, l)"), ("1.1.0", "k = Abs(l) y = Add(x, k)")):
        library = LibraryBuilder(version=version)
        text = f"(x, low) => (y) {{ l = CastLike(low, x) {body} }}"
        library.add(
            "Low", [Body(text, (15, 22))], inputs=("x", InputEntry("low", "int64" if "int" in one else "float"))
        )
        libraries.append(library.bundle())
    text = """<ir_version: 10, opset_import: ["": 18, "com.acme": 1]> g (float[2] x) => (float[2] y)
    {{ c = Constant<{}>() y = com.acme.Low(x, c) }}"""
    for number, change in (("2", Change.EQUAL), ("-2", Change.DIFFERENT)):
        name, _, value = one.partition("=")
        attached = opwright.attach(parse(text.format(f"{name}={value.replace('2', number)}")), libraries[0])
        assert [item.change for item in opwright.plan_upgrade(attached, libraries[1]).functions] == [change]


# ------------------------------------------------------------------------------------------------- the command


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    onnx.save(opwright.attach(parse(MODEL.format(10)), release()), "model.onnx")
    for name, bundle in (("good", release("1.1.0", swish=REORDERED)), ("bad", release("1.2.0", added=3.0))):
        Path(f"{name}.onnxlib").write_bytes(write_bundle(bundle.index, bundle.bodies))
    return tmp_path


def test_the_command_tells_and_writes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["upgrade", "model.onnx", "--library", "good.onnxlib", "-o", "out.onnx"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "com.acme::Twice@1, acme-ops 1.0.0 -> 1.1.0: equal, 1 node",
        "com.acme::Swish@1, acme-ops 1.0.0 -> 1.1.0: equal, 1 node",
        "com.acme::Kind@1 [T=float], acme-ops 1.0.0 -> 1.1.0: same, 1 node",
        "wrote out.onnx: 3 nodes attached again",
    ]
    assert {
        item.value for item in onnx.load("out.onnx").functions[0].metadata_props if item.key == "opwright.release"
    } == {"1.1.0"}


def test_breaks_are_refused_and_accepted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["upgrade", "model.onnx", "--library", "bad.onnxlib"]
    assert main([*words, "-o", "out.onnx"]) == 1
    printed = capsys.readouterr()
    assert "error OW542: com.acme::Kind@1 of acme-ops 1.0.0 computes something else in acme-ops 1.2.0" in printed.err
    assert "help: where that is right, accept it: `--accept Kind`" in printed.err
    assert not Path("out.onnx").exists()
    assert main([*words, "--accept", "Kimd", "-o", "out.onnx"]) == 1
    assert "warning OW548: the model calls no attached function Kimd" in capsys.readouterr().err
    assert main([*words, "--accept", "Kind", "--dry-run"]) == 0
    printed = capsys.readouterr()
    assert ("different, accepted" in printed.out, "nothing is written" in printed.out) == (True, True)
    assert "warning OW542" in printed.err
    assert main([*words, "--accept", "all", "--in-place"]) == 0
    with pytest.raises(SystemExit, match="2"):
        main(words)


@pytest.mark.parametrize(("library", "status"), [("good", 0), ("bad", 1)])
def test_events(library: str, status: int, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("upgrade", "model.onnx", "--library", f"{library}.onnxlib", "--dry-run", "--format", "json")
    assert main(words) == status
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    for line in lines:
        validate(line, "upgrade")
    assert [line["event"] for line in lines] == [*["function"] * 3, "finding" if status else "model", "summary"]
    assert lines[-1]["exit"] == status
