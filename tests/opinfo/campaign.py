"""`python -m tests.opinfo.campaign FOLDER`: every harvested call, verified through the adapter of its operator.

The calls of FOLDER (written by `python -m tests.opinfo.harvest`) take the place of the sample that each spec of
opwright.aten keeps, in a copy of the library, which `opwright test` then verifies: on onnxruntime at both levels and on
the reference evaluator, each variant at one or two opsets. Calls of float, int64 and bool also run as eager Python,
beside the compiled body.
Writes docs/aten-operators.md, and fails where something is wrong, or less was run than is wanted.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from opwright_build.spec.load import load_library
from opwright_build.spec.model import SpecVersion

from tests.opinfo.archive import file_name
from tests.opinfo.judged_calls import (
    DOMAIN,
    Tally,
    bundle_of,
    judge,
    operator_of,
    run_eagerly,
    types_of,
    unneeded_faults,
)
from tests.opinfo.operators_page import PAGE, operators_page
from tests.opinfo.schemas import read_table

ROOT = Path(__file__).resolve().parents[2]
LEAST_VECTORS, LEAST_CORE, MOST_SKIPPED, LEAST_RUN = 12_000, 170, 0.05, 0.90


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.opinfo.campaign", description=__doc__)
    parser.add_argument("vectors", type=Path, help="the folder of the harvest")
    parser.add_argument("functions", nargs="*", help="only these")
    parser.add_argument("--keep", type=Path, help="where the copy of the library is made and kept")
    parser.add_argument("--no-eager", action="store_true", help="do not run calls as Python")
    parser.add_argument("--no-nodes", action="store_true", help="do not count the nodes of calls, which takes a while")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        library = (options.keep or Path(folder)).resolve()
        chosen = copy_library(library, options.vectors, options.functions)
        tallies = judge(library, chosen, core_operators(), spread=True)
        if not options.no_eager:
            run_eagerly(library, tallies)
        lines = [*summary([*tallies.values()], complete=not options.functions)]
        print("\n".join(lines))
        if not options.functions:
            counts: Mapping[str, tuple[int, int | None]] = {}
            if not options.no_nodes:
                from tests.opinfo.node_counts import count_nodes  # which needs torch's exporter

                counts = count_nodes(bundle_of(library), options.vectors)
            PAGE.write_text(operators_page([*tallies.values()], counts), encoding="utf-8")
    return 1 if any(line.startswith("FAILED") for line in lines) else 0


def core_operators() -> frozenset[str]:
    return frozenset(name for name, row in read_table().items() if row.core)


def copy_library(target: Path, vectors: Path | None, names: Sequence[str]) -> dict[str, SpecVersion]:
    """A library of the domain alone, each spec with the harvest in the place of its sample where there is one; the
    versions by name. With `names` these, and those whose sources they import."""
    loaded = load_library(ROOT)
    names = _with_imported(names)
    chosen: dict[str, SpecVersion] = {}
    shutil.rmtree(target / "specs", ignore_errors=True)
    (target / "specs" / DOMAIN).mkdir(parents=True)
    shutil.copy(ROOT / "specs" / DOMAIN / "domain.yaml", target / "specs" / DOMAIN)
    (target / "specs" / "library.yaml").write_text(_LIBRARY, encoding="utf-8")
    for version in loaded.versions:
        if version.domain.name != DOMAIN or version.implements is None or (names and version.name not in names):
            continue
        folder = target / "specs" / DOMAIN / version.name
        shutil.copytree(version.folder, folder)
        harvest = None if vectors is None else vectors / file_name(operator_of(version))
        if harvest is not None and harvest.exists():
            shutil.copy(harvest, folder / "vectors.npz")
        chosen[version.name] = version
    return chosen


def _with_imported(names: Sequence[str]) -> list[str]:
    """The functions, and those of whose files theirs import something."""
    found = [*names]
    for name in found:
        text = (ROOT / "specs" / DOMAIN / name / "function.py").read_text(encoding="utf-8")
        found += [
            item for item in re.findall(r"^from \.\.(\w+)\.function import", text, re.MULTILINE) if item not in found
        ]
    return found


_LIBRARY = """\
schema: 1
library: opwright-aten
version: 0.1.0
package: opwright_aten
summary: Every harvested call.
license: Apache-2.0
opsets: ">=18,<=28"
requires: {opwright: ">=0.1"}
"""


def summary(tallies: Sequence[Tally], *, complete: bool) -> Iterator[str]:
    """What all come to, and what is too little, which counts where all operators were judged."""
    ended = sum((item.ended() for item in tallies), Counter[str]())
    vectors = ended.total()
    core = sum(item.core and bool(item.ended()["pass"]) for item in tallies)
    yield f"{vectors:,} calls of {len(tallies)} operators ({core} core): {dict(ended)}"
    for item in tallies:
        for reason, names in _refused(item).items():
            yield f"  {item.function} refuses {len(names)} calls, as {names[0]}: {reason}"
    for item in tallies:
        for text in item.failing():
            yield f"FAILED: {item.function}: {text}"
    for kind, counts in sorted(types_of(tallies).items()):
        run = 1 - counts["skip"] / counts.total()
        yield f"  {kind}: {dict(counts)}, {run:.1%} run"
        if complete and run < LEAST_RUN:
            yield f"FAILED: less than {LEAST_RUN:.0%} of {kind} are run"
    if complete:
        for fault in unneeded_faults():
            yield f"FAILED: no call needs the row of runtime_faults.txt: {fault.reason}"
    if complete and (vectors < LEAST_VECTORS or core < LEAST_CORE):
        yield f"FAILED: fewer than {LEAST_VECTORS:,} calls or {LEAST_CORE} core operators"
    if complete and ended["skip"] > MOST_SKIPPED * vectors:
        yield f"FAILED: more than {MOST_SKIPPED:.0%} are skipped"


def _refused(tally: Tally) -> dict[str, list[str]]:
    """The names of refused calls by the reason."""
    found: dict[str, list[str]] = {}
    for call in tally.calls.values():
        if call.refused:
            found.setdefault(call.refused, []).append(call.name)
    return found


if __name__ == "__main__":
    sys.exit(main())
