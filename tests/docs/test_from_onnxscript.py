"""docs/from-onnxscript.md, our side of it; `nox -s peer` holds the other side against the package."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.docs.checks import check_refused, check_results
from tests.docs.pages import DOCS, ClaimKind, Row, read_header, read_rows

PAGE = DOCS / "from-onnxscript.md"
ROWS = read_rows(PAGE)
HEADER = read_header(PAGE)

each_row = pytest.mark.parametrize("row", ROWS, ids=[row.id for row in ROWS])


@each_row
def test_our_side_of_a_row(row: Row) -> None:
    for example in row.examples:
        name = f"<{row.id}:{example.line}>"
        if example.code:
            check_refused(HEADER, example, name)
        else:
            assert example.expectations
            check_results(HEADER, example, name)


@each_row
def test_a_row_says_what_its_section_shows(row: Row) -> None:
    claims = [claim for example in row.examples for claim in example.claims]
    assert claims, "nothing is said of the other package"
    assert row.refused == tuple(dict.fromkeys(example.code for example in row.examples if example.code))
    for claim in claims:
        match claim.kind:
            case ClaimKind.REFUSES | ClaimKind.REFUSES_BARE:
                assert row.becomes == f"refused: `{claim.error}`"
            case ClaimKind.FAILS:
                assert row.becomes == "no runtime runs it"
            case ClaimKind.GIVES:
                assert claim.call is not None
                assert row.becomes == f"`{claim.call.result}`"
                ours = [item for example in row.examples for item in example.expectations]
                assert all(claim.call.result != item.result for item in ours if item.arguments == claim.call.arguments)
            case ClaimKind.OTHER_BYTES:
                assert row.becomes == "other bytes in each process"


def test_the_design_s_differences_are_there() -> None:
    """`and`, `or`, `not`, `&` on integers, `%` on floats, several tensors, numbers, skipped inputs, constants."""
    wanted = {
        "and_or",
        "not_number",
        "bitand",
        "mod_float",
        "several_tensors",
        "number_division",
        "skipped_input",
        "constant_does_not_fit",
    }
    assert wanted <= {row.id for row in ROWS}
    assert len(ROWS) >= 50


@pytest.mark.long
def test_every_process_writes_the_same_bytes() -> None:
    [row] = [row for row in ROWS if row.id == "bytes"]
    program = (
        "import hashlib, sys\n"
        "from tests.docs.running import define\n"
        "function = define(sys.argv[1], sys.argv[2], '<bytes>')\n"
        "print(hashlib.sha256(function.to_function_proto(18).SerializeToString()).hexdigest())\n"
    )
    digests = set()
    for seed in ("1", "2", "3"):
        command = [sys.executable, "-c", program, HEADER, row.examples[0].text]
        environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(item for item in sys.path if item)}
        ran = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        digests.add(ran.stdout)
    assert len(digests) == 1
    assert re.fullmatch(r"[0-9a-f]{64}\n", digests.pop())
