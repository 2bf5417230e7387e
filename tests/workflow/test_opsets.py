from typing import Any

from opwright_build.workflow.opsets import opsets_text


def row(
    name: str, opset: int, body: str | None, variant: dict[str, str] | None = None, why: str = ""
) -> dict[str, Any]:
    found = {"domain": "a.b", "name": name, "since_version": 1, "opset": opset, "variant": variant or {}, "body": body}
    place = "f.py:3:5" if body is None else None
    return {**found, "operator": "Gelu" if body is None else None, "reason": why or None, "place": place}


def test_a_line_for_each_variant_and_a_dash_where_there_is_no_body() -> None:
    rows = [
        row("F", 13, None, why="it exists from opset 20 on"),
        row("F", 14, None, why="it exists from opset 20 on"),
        row("F", 15, "body1:" + "a" * 64, {"T": "float"}),
        row("F", 15, "body1:" + "b" * 64, {"T": "double"}),
        row("F", 16, None, why="something else"),
        row("G", 13, "body1:" + "c" * 64),
    ]
    assert opsets_text(rows).splitlines() == [
        "function  variant   13        14  15        16",
        "--------  --------  --------  --  --------  --",
        "a.b::F@1  T=float   -         -   aaaaaaaa  -",
        "a.b::F@1  T=double  -         -   bbbbbbbb  -",
        "a.b::G@1            cccccccc  -   -         -",
        "",
        "a.b::F@1 at 13-14: Gelu at f.py:3:5: it exists from opset 20 on",
        "a.b::F@1 at 16: Gelu at f.py:3:5: something else",
    ]


def test_a_function_without_any_body_still_says_why() -> None:
    assert opsets_text([row("F", 13, None, why="no")]).splitlines()[-1] == "a.b::F@1 at 13: Gelu at f.py:3:5: no"
