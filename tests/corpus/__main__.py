"""`python -m tests.corpus`: what the compiler makes of all programs of the corpus, and what is another than before.

Every stored body of specs/, the documented samples, 10,000 programs that are meant to be valid, 10,000 that are mostly
refused, and 1,000 under `@script`: of each the digest of every body, or code, place and text of every finding. They
are compared with a file (`--against`), with what another revision's compiler makes of the same programs
(`--against-rev`), or with the frozen sample. Differences that no row of tests/corpus/reviewed.toml excuses give exit 1.
"""

from __future__ import annotations

import argparse
import difflib
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.corpus import sample
from tests.corpus.programs import ROOT, SIZES
from tests.corpus.results import Difference, Kind, Result, compare, read, read_rows, review
from tests.corpus.running import Corpus, compile_all, revision


def main() -> int:
    parser = argparse.ArgumentParser(prog="nox -s corpus --", description=__doc__)
    parser.add_argument("--write", type=Path, metavar="FILE", help="write the results, a line for each program")
    parser.add_argument("--against", type=Path, metavar="FILE", help="compare with results that were written")
    parser.add_argument("--against-rev", metavar="REV", help="compare with the compiler of another git revision")
    parser.add_argument("--sample", action="store_true", help="the programs of the sample alone")
    parser.add_argument("--freeze", action="store_true", help="write the results of the sample; read their diff")
    parser.add_argument("--draw", action="store_true", help="with --freeze: draw the programs of the sample anew")
    parser.add_argument("--only", default="", metavar="TEXT", help="programs whose id contains it; prints their texts")
    parser.add_argument("--share", type=int, default=1, metavar="N", help="one Nth of the generated programs")
    parser.add_argument("--show", type=int, default=5, metavar="N", help="so many examples of each kind of difference")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="corpus-") as scratch:
        return _run(options, Corpus(Path(scratch)))


def _run(options: argparse.Namespace, corpus: Corpus) -> int:
    if options.draw:
        sample.draw()
    if options.sample or options.freeze:
        corpus.put_lines(sample.programs())
    else:
        corpus.put_everything({kind: size // options.share for kind, size in SIZES.items()}, options.processes)
    if options.only:
        corpus.keep(options.only)
        for line in corpus.described():
            print(line)
    after = compile_all(corpus, ROOT, options.processes, bool(options.only))
    print(_summary(after))
    if options.write:
        sample.write(options.write, after)
    if options.freeze:
        sample.write(sample.RESULTS, after)
        return 0
    before = _before(options, corpus, after)
    if before is None:
        return 0
    found = review(compare(before, after), read_rows())
    for line in found.lines(options.show):
        print(line)
    if options.only:
        for difference in found.left:
            print(*_diff(difference), sep="\n")
    print(f"{len(found.left):,} differences are left, {sum(found.excused.values()):,} are reviewed")
    return int(bool(found.left))


def _before(options: argparse.Namespace, corpus: Corpus, after: dict[str, Result]) -> dict[str, Result] | None:
    if options.against_rev:
        with revision(options.against_rev) as root:
            return compile_all(corpus, root, options.processes, bool(options.only))
    if options.against:
        written = read(options.against)
        return {name: result for name, result in written.items() if name in after} if options.only else written
    if options.sample:
        return read(sample.RESULTS)
    return None


def _summary(results: dict[str, Result]) -> str:
    bodies = sum(len(item.bodies) for item in results.values())
    refused = sum(not item.bodies for item in results.values())
    stumbled = [item.id for item in results.values() if item.error]
    return f"{len(results):,} programs: {bodies:,} bodies; {refused:,} without any; {len(stumbled)} errors {stumbled}"


def _diff(difference: Difference) -> Iterator[str]:
    """How the bodies of a program changed, as ONNX text."""
    before, after = (item.texts if item is not None else {} for item in (difference.before, difference.after))
    if difference.kind is not Kind.BODY:
        return
    for key in dict.fromkeys((*before, *after)):
        pair = [side.get(key, "").splitlines() for side in (before, after)]
        yield from difflib.unified_diff(*pair, f"before {key}", f"after {key}", lineterm="", n=2)


if __name__ == "__main__":
    sys.exit(main())
