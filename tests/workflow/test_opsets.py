"""What `opwright opsets` prints."""

from typing import Any

from opwright_build.workflow.opsets import opsets_text


def row(
    name: str, opset: int, body: str | None, variant: dict[str, str] | None = None, why: str = ""
) -> dict[str, Any]:
    found = {"domain": "a.b", "name": name, "since_version": 1, "opset": opset, "variant": variant or {}}
    found["body"] = None if body is None else "body1:" + body * 64
    place = "f.py:3:5" if body is None else None
    return {**found, "operator": "Gelu" if body is None else None, "reason": why or None, "place": place}


def test_a_line_for_each_variant_and_a_dash_where_there_is_no_body() -> None:
    rows = [
        row("F", 13, None, why="it exists from opset 20 on"),
        row("F", 14, None, why="it exists from opset 20 on"),
        row("F", 15, "a", {"T": "float"}),
        row("F", 15, "b", {"T": "double"}),
        row("F", 16, None, why="something else"),
        row("G", 13, "c"),
    ]
    assert opsets_text(rows).splitlines() == [
        "function  variant   13        14  15        16",
        "--------  --------  --------  --  --------  --",
        "a.b::F@1  T=float   -         -   aaaaaaaa  -",
        "a.b::F@1  T=double  -         -   bbbbbbbb  -",
        "a.b::G@1            cccccccc",
        "",
        "a.b::F@1 at 13-14: Gelu at f.py:3:5: it exists from opset 20 on",
        "a.b::F@1 at 16: Gelu at f.py:3:5: something else",
    ]


def test_a_function_without_any_body_still_says_why() -> None:
    assert opsets_text([row("F", 13, None, why="no")]).splitlines()[-1] == "a.b::F@1 at 13: Gelu at f.py:3:5: no"


def test_a_line_for_each_version_counts_its_variants() -> None:
    rows = [row("F", opset, body, {"T": body}) for opset in (13, 14) for body in "ab"]
    rows += [row("F", 15, "d", {"T": "a"}), row("G", 13, "c"), row("G", 14, "c"), row("G", 15, "c")]
    assert opsets_text(rows, each_variant=False).splitlines() == [
        "function  13-14        15",
        "--------  -----------  --------",
        "a.b::F@1  aaaaaaaa +1  dddddddd",
        "a.b::G@1  cccccccc     cccccccc",
        "",
        "+N: as many more variants; `opwright opsets -s NAME` shows each",
    ]


def test_opsets_share_a_column_only_where_all_bodies_are_the_same() -> None:
    rows = [row("F", 13, "a", {"T": "x"}), row("F", 13, "b", {"T": "y"})]
    rows += [row("F", 14, "a", {"T": "x"}), row("F", 14, "c", {"T": "y"})]
    assert opsets_text(rows, each_variant=False).splitlines()[0].split() == ["function", "13", "14"]
    rows = [row("F", 13, "a"), row("F", 15, "a")]
    assert opsets_text(rows).splitlines()[0].split() == ["function", "variant", "13", "15"]


def test_variants_and_types_that_one_thing_prevents_are_told_together() -> None:
    missing = [({"T": "int4"}, "no int4"), ({"T": "int2"}, "no int2"), ({"U": "int4"}, "no int4")]
    rows = [row("F", 13, "a", {"T": "float"}), *(row("F", 13, None, variant, why) for variant, why in missing)]
    assert opsets_text(rows).splitlines()[-1] == "a.b::F@1 at 13 without T=int4|int2, U=int4: Gelu at f.py:3:5: no int4"
    rows = [row("G", 13, None, {"T": "int4", "mode": mode}, "no int4") for mode in ("x", "y", "z")]
    assert "without T=int4 (3 variants): " in opsets_text(rows)
    rows = [row("G", 13, None, {"T": kind, "mode": kind}, "no") for kind in ("x", "y")]
    assert "without T=x,mode=x and 1 more: " in opsets_text(rows)
    rows = [row("G", 13, None, {"T": "x", "mode": "y"}, "no")]
    assert "without T=x,mode=y: " in opsets_text(rows)
