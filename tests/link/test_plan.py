"""What would be attached, and why: the plan that attach itself executes."""

from __future__ import annotations

import json
import random
from pathlib import Path

import onnx
import opwright
import pytest
from opwright.bundle.format import Bundle, InputEntry
from opwright.bundle.write import write_bundle
from opwright.commands import main
from opwright.graphs.ids import function_id
from opwright.link.apply import attach_libraries, execute

from tests.link.conftest import Body, LibraryBuilder, make_acme, parse, refused
from tests.output_lines import validate

HEAD = '<ir_version: 8, opset_import: ["": 18, "com.acme": 1]> g'
MODEL = f"""{HEAD} (float[N] x, double[N] z) => (float[N] y, double[N] w)
{{ t = com.acme.Twice(x) y = com.acme.Floor(t, t) w = com.acme.Kind(z) }}"""


def test_each_node_says_what_it_gets_and_why(acme: Bundle) -> None:
    plan = opwright.plan_attach(parse(MODEL), acme)
    assert plan.possible and not plan.conflicts
    rows = [(node.place, node.operator, node.function.name, node.since_version) for node in plan.nodes]
    assert rows == [
        ("node 0 (com.acme::Twice)", "com.acme::Twice", ("com.acme", "Twice", ""), 1),
        ("node 1 (com.acme::Floor)", "com.acme::Floor", ("com.acme", "Floor__low_present", ""), 1),
        ("node 2 (com.acme::Kind)", "com.acme::Kind", ("com.acme", "Kind__T_double", ""), 1),
    ]
    kind = plan.nodes[2]
    assert (kind.function.variant, kind.function.library, kind.function.release) == ("T=double", "acme-ops", "1.0.0")
    assert kind.why == (
        "com.acme 1 is imported, where Kind is version 1",
        "T=double: the type of x",
        "opset 18 is the model's: the body is for opsets 14 to 18",
    )
    assert [function.needed_by for function in plan.functions] == [
        ("com.acme::Twice",),
        ("node 0 (com.acme::Twice)",),
        ("node 1 (com.acme::Floor)",),
        ("node 2 (com.acme::Kind)",),
    ]


def test_reasons_of_defaults_ranks_and_replaced_operators(acme: Bundle, standard: Bundle) -> None:
    text = '<ir_version: 8, opset_import: ["": 18]> g (float[N] x) => (float[N] y) { y = Softplus(x) }'
    (node,) = opwright.plan_attach(parse(text), standard, replace=True).nodes
    assert (node.operator, node.replaces) == ("ai.onnx::Softplus", True)
    assert node.why[0] == "ai.onnx 18 is imported, where the standard's operator is version 1"
    absent = f"{HEAD} (float[N] x) => (float[N] y) {{ y = com.acme.Floor(x) }}"
    (node,) = opwright.plan_attach(parse(absent), acme).nodes
    assert "low=absent: the node leaves it out" in node.why


def test_what_is_planned_is_what_is_attached(acme: Bundle, standard: Bundle) -> None:
    for profile in ("portable", "overload"):
        plan = opwright.plan_attach(parse(MODEL), [acme, standard], replace=True, profile=profile)
        made = opwright.attach(parse(MODEL), [acme, standard], replace=True, profile=profile)
        assert {function.name for function in plan.added} == {function_id(item) for item in made.functions}
        assert [node.function.name for node in plan.nodes] == [
            (node.domain, node.op_type, node.overload) for node in made.graph.node
        ]
        assert plan.ir_version == made.ir_version
        assert execute(plan, "model").model == made


def test_the_model_is_left_alone(acme: Bundle) -> None:
    model = parse(MODEL)
    opwright.plan_attach(model, acme)
    assert model == parse(MODEL)


def test_functions_that_the_model_has_are_told(acme: Bundle) -> None:
    once = attach_libraries(parse(f"{HEAD} (float[N] x) => (float[N] y) {{ y = com.acme.Twice(x) }}"), [acme]).model
    once.graph.node.append(onnx.helper.make_node("Twice", ["y"], ["z"], domain="com.acme"))
    once.graph.node.append(onnx.helper.make_node("Pair", ["z"], ["a", "b"], domain="com.acme"))
    plan = opwright.plan_attach(once, acme)
    assert [(function.name[1], function.is_new) for function in plan.functions] == [("Pair", True)]


@pytest.mark.parametrize("form", ["bytes", "path"])
def test_other_forms_of_a_model(form: str, acme: Bundle, tmp_path: Path) -> None:
    onnx.save(parse(MODEL), tmp_path / "model.onnx")
    given = parse(MODEL).SerializeToString() if form == "bytes" else tmp_path / "model.onnx"
    assert opwright.plan_attach(given, acme) == opwright.plan_attach(parse(MODEL), acme)


def test_an_object_that_is_no_model(acme: Bundle) -> None:
    assert refused(lambda: opwright.plan_attach(3, acme))[0].code == "OW578"  # type: ignore[arg-type]


# ---------------------------------------------------------------------------------------------------- conflicts


def other_release() -> Bundle:
    library = LibraryBuilder(version="1.1.0", domain_version=2)
    library.add("Swish", [Body("(x) => (y) { y = Exp(x) }", (15, 22))])
    library.add("Twice", [Body("(x) => (y) { t = com.acme.Swish(x) y = Add(t, t) }", (15, 22))])
    return library.bundle()


def test_a_body_that_the_model_has_of_another_release(acme: Bundle) -> None:
    """Each side says who needs what: the node, through which function, and the one that the model has."""
    once = attach_libraries(parse(f"{HEAD} (float[N] x) => (float[N] y) {{ y = com.acme.Swish(x) }}"), [acme]).model
    once.graph.node.append(onnx.helper.make_node("Twice", ["y"], ["z"], domain="com.acme", name="last"))
    plan = opwright.plan_attach(once, other_release())
    assert not plan.possible
    ((needing, having),) = [conflict.sides for conflict in plan.conflicts]
    assert needing.where == "node 1 'last' (com.acme::Twice), through com.acme::Twice@1,"
    assert needing.needs.startswith("needs com.acme::Swish@1 of acme-ops 1.1.0, body1:")
    assert having.where == "the model's function com.acme::Swish (calls in its graph: 1)"
    assert having.needs.startswith("has body1:") and having.needs.endswith(", of acme-ops 1.0.0")
    assert having.needs.split()[1].rstrip(",") != needing.needs.split()[-1]
    (found,) = plan.diagnostics
    assert found == plan.conflicts[0].finding
    assert [item.note for item in found.related] == [f"{side.where} {side.needs}" for side in (needing, having)]
    assert refused(lambda: opwright.attach(once, other_release())) == [found]


def test_a_function_that_only_the_import_makes_one_of_the_librarys(acme: Bundle) -> None:
    own = '<domain: "com.acme", opset_import: ["": 18]> Swish (x) => (y) { y = Exp(x) }'
    plan = opwright.plan_attach(
        parse(f"{HEAD} (float[N] x) => (float[N] y) {{ t = com.acme.Swish(x) y = com.acme.Floor(t) }} {own}"), acme
    )
    assert plan.conflicts[0].sides[0].where == "the import of version 1 of com.acme"


def test_two_libraries_that_define_one_function(acme: Bundle) -> None:
    plan = opwright.plan_attach(parse(MODEL), [acme, other_release()])
    assert {conflict.finding.code for conflict in plan.conflicts} == {"OW563"}
    first, second = plan.conflicts[0].sides
    assert (first.where, second.where) == ("acme-ops 1.0.0", "acme-ops 1.1.0")
    assert first.needs == "has the attributes alpha: FLOAT = 1.5" and second.needs == "has the attributes none"
    first, second = plan.conflicts[1].sides
    assert first.needs.startswith("has body1:") and first.needs.endswith(" for opsets 15 to 18")


def test_a_node_that_two_calls_want_differently(acme: Bundle) -> None:
    text = """<ir_version: 8, opset_import: ["": 18, "com.acme": 1, "my": 1]>
    g (float[N] x, double[N] z) => (float[N] y, double[N] w) { y = my.Mine(x) w = my.Mine(z) }
    <domain: "my", opset_import: ["": 18, "com.acme": 1]> Mine (x) => (y) { y = com.acme.Kind(x) }"""
    (conflict,) = opwright.plan_attach(parse(text), acme).conflicts
    assert [side.where for side in conflict.sides] == ["node 0 (my::Mine)", "node 1 (my::Mine)"]
    assert ["T=float" in conflict.sides[0].needs, "T=double" in conflict.sides[1].needs] == [True, True]


def test_a_variant_and_a_function_of_one_name() -> None:
    library = LibraryBuilder()
    bodies = [
        Body("(x) => (y) { y = Identity(x) }", variant=(("low", "absent"),)),
        Body("(x, low) => (y) { y = Max(x, low) }", variant=(("low", "present"),)),
    ]
    library.add("Floor", bodies, inputs=["x", InputEntry("low", "T", optional=True)])
    library.add("Floor__low_absent", "(x) => (y) { y = Neg(x) }")
    text = f"{HEAD} (float[N] x) => (float[N] y) {{ y = com.acme.Floor(x) }}"
    (conflict,) = opwright.plan_attach(parse(text), library.bundle()).conflicts
    assert conflict.finding.code == "OW530"
    assert conflict.sides[0].where == "node 0 (com.acme::Floor)"
    assert conflict.sides[1].needs == "has a function com.acme::Floor__low_absent@1"


def test_all_that_is_wrong_is_told_at_once(acme: Bundle) -> None:
    text = f"""{HEAD} (float[N] x) => (float[N] y)
    {{ t = com.acme.Thrice(x) s = com.acme.Swish(t, t) y = com.acme.Floor(s) }}"""
    plan = opwright.plan_attach(parse(text), acme)
    assert [item.code for item in plan.diagnostics] == ["OW553", "OW557"]
    assert [node.operator for node in plan.nodes] == ["com.acme::Floor"]


def test_each_of_many_calls_gets_what_it_gets_alone(acme: Bundle) -> None:
    """Calls that say the same share an answer, and what is wrong is said of each."""
    inputs = "float[N] f, double[N] d, float[2] s, int64[N] i, float[N, N] m"
    draw = random.Random(7)
    calls = []
    for number in range(120):
        name = draw.choice(("Twice", "Floor", "Kind", "Pair", "Swish"))
        outputs = ", ".join(f"v{number}_{index}" for index in range(draw.choice((1, 1, 2))))
        attribute = draw.choice(("", "", "<alpha = 1.0>", "<alpha = 2.0>", "<alpha = 2>")) if name == "Swish" else ""
        given = ", ".join(draw.choices("fdsim", k=draw.choice((1, 1, 2))))
        calls.append(f"{outputs} = com.acme.{name} {attribute} ({given})")

    def planned(*nodes: str) -> tuple[list[tuple[object, ...]], list[tuple[str, str]]]:
        text = f"{HEAD} ({inputs}) => (float[N] y) {{ {' '.join(nodes)} y = Relu(f) }}"
        plan = opwright.plan_attach(parse(text), acme)
        served = [(node.function.name, node.why) for node in plan.nodes]
        return served, [(item.code, item.message.partition(": ")[2]) for item in plan.diagnostics]

    alone = [planned(call) for call in calls]
    served, problems = planned(*calls)
    assert served == [row for rows, _ in alone for row in rows] and len(served) > 20
    assert problems == [row for _, rows in alone for row in rows] and len({code for code, _ in problems}) > 2


# ------------------------------------------------------------------------------------------------- the command


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    onnx.save(parse(MODEL), "model.onnx")
    for name, bundle in (("acme", make_acme()), ("new", other_release())):
        Path(f"{name}.onnxlib").write_bytes(write_bundle(bundle.index, bundle.bodies))
    return tmp_path


ATTACH = ("attach", "model.onnx", "--library", "acme.onnxlib")


def test_a_dry_run_shows_a_table_and_writes_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(folder.iterdir())
    assert main([*ATTACH, "--dry-run"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].split() == ["node", "calls", "version", "variant", "body", "library"]
    assert printed[2].split()[:6] == [
        "node",
        "1",
        "(com.acme::Floor)",
        "com.acme::Floor__low_present",
        "1",
        "low=present",
    ]
    assert printed[-2:] == ["opset 18, IR version 8", "nothing is written: 3 nodes served, 4 functions added"]
    assert sorted(folder.iterdir()) == before
    assert main([*ATTACH, "--dry-run", "--explain"]) == 0
    assert "    T=double: the type of x" in capsys.readouterr().out.splitlines()


def test_few_of_many_that_need_a_function_are_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nodes = " ".join(f"v{index + 1} = com.acme.Late(v{index})" for index in range(9))
    head = HEAD.replace('"com.acme": 1', '"com.acme": 2')
    onnx.save(parse(f"{head} (float[N] v0) => (float[N] v9) {{ {nodes} }}"), "model.onnx")
    assert main([*ATTACH, "--dry-run", "--explain"]) == 0
    assert "node 4 (com.acme::Late) and 4 others" in capsys.readouterr().out


def test_explaining_writes_too(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ATTACH, "--explain", "-o", "out.onnx"]) == 0
    printed = capsys.readouterr().out
    assert "    low=present: the node gives it" in printed and "wrote out.onnx: 3 nodes served" in printed
    assert len(onnx.load("out.onnx").functions) == 4


@pytest.mark.parametrize("output", [(), ("-o", "out.onnx")])
def test_events(output: tuple[str, ...], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*ATTACH, "--format", "json", *(output or ("--dry-run",))]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    for line in lines:
        validate(line, "attach")
    assert [line["event"] for line in lines] == [*["node"] * 3, *["function"] * 4, "model", "summary"]
    assert lines[-2]["output"] == (output[1] if output else None)
    assert (folder / "out.onnx").exists() == bool(output)


def test_a_conflict_in_a_dry_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = (*ATTACH, "--library", "new.onnxlib", "--dry-run")
    assert main(words) == 1
    assert "note: acme-ops 1.1.0 has the attributes none" in capsys.readouterr().err
    assert main([*words, "--format", "json"]) == 1
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    for line in lines:
        validate(line, "attach")
    assert [line["event"] for line in lines] == ["conflict", "conflict", "finding", "finding", "summary"]
    assert lines[0]["sides"][1] == {"where": "acme-ops 1.1.0", "needs": "has the attributes none"}
    assert lines[-1]["exit"] == 1


def test_an_output_is_needed_where_something_is_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main([*ATTACH, "--explain"])
    assert "--in-place is required" in capsys.readouterr().err


def test_several_models(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    onnx.save(parse(MODEL.replace("Twice", "Thrice")), "wrong.onnx")
    assert main(["attach", "model.onnx", "wrong.onnx", *ATTACH[2:], "--dry-run"]) == 1
    printed = capsys.readouterr()
    assert "model.onnx:\n" in printed.out and "OW553" in printed.err
