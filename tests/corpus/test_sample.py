"""The frozen sample of the corpus: what the compiler makes of a thousand programs is what it made of them before."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.corpus import running, sample
from tests.corpus.compiled import compile_entry
from tests.corpus.programs import ROOT, generated
from tests.corpus.results import Kind, Result, compare, parse, read, read_rows, review
from tests.corpus.running import Corpus, compile_all, revision
from tests.differential.planted import BUGS, planted
from tests.shares import one_in


def _results(programs: list[str]) -> dict[str, Result]:
    found = (parse(json.dumps(compile_entry(json.loads(line), ""))) for line in programs)
    return {result.id: result for result in found}


@pytest.mark.parametrize("part", one_in(3, range(3)))
def test_the_sample_gives_what_is_frozen(part: int, tmp_path: Path) -> None:
    corpus = Corpus(tmp_path)
    programs = sample.programs()[part::3]
    corpus.put_lines(programs)
    names = {json.loads(line)["id"] for line in programs}
    frozen = {name: result for name, result in read(sample.RESULTS).items() if name in names}
    found = review(compare(frozen, compile_all(corpus, ROOT, 1)), read_rows())
    lines = "\n".join(found.lines(5))
    assert not found.left, f"{lines}\nwanted? `nox -s corpus -- --freeze`, and read the diff before you commit it"


def test_the_sample_has_every_kind_of_program_and_of_result() -> None:
    frozen = read(sample.RESULTS)
    assert list(frozen) == [json.loads(line)["id"] for line in sample.programs()]
    assert {name.partition(" ")[0] for name in frozen} == {
        *("valid", "mutant", "mixed", "live", "row", "page", "sample", "diagnostic")
    }
    refused = [result for result in frozen.values() if not result.bodies]
    assert len(refused) > 250
    assert len({item[0] for result in refused for item in result.findings}) > 40
    assert not [result.id for result in frozen.values() if result.error]


@pytest.mark.long
def test_a_wrong_compiler_shows() -> None:
    programs = [generated("valid", number).line() for number in range(60)]
    sound = _results(programs)
    with planted(next(bug for bug in BUGS if bug.name == "an augmented assignment turns its operands around")):
        found = compare(sound, _results(programs))
    assert found
    assert {difference.kind for difference in found} == {Kind.BODY}


def test_a_program_has_the_same_text_each_time() -> None:
    for kind in ("valid", "mutant", "mixed", "live"):
        assert generated(kind, 3) == generated(kind, 3)
        assert generated(kind, 3).source != generated(kind, 4).source


def test_generating_does_not_ask_the_compiler() -> None:
    code = (
        "import sys, tests.differential.generate.programs, tests.differential.mutate\n"
        "assert not [name for name in sys.modules if name.startswith('opwright')]"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


_ADAPTER = """\
import json, sys
from pathlib import Path
for line in sys.stdin:
    given, target = line.rstrip("\\n").split("\\t")
    found = [json.loads(item) for item in Path(given).read_text().splitlines()]
    results = [{"id": item["id"], "source": item["source"], "bodies": {"": "%s"}} for item in found]
    Path(target).write_text("".join(json.dumps(item) + "\\n" for item in results))
    print(target, flush=True)
"""


def test_a_revision_is_given_the_same_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository, scratch = tmp_path / "repository", tmp_path / "scratch"
    adapter = repository / "tests" / "corpus" / "compiled.py"
    adapter.parent.mkdir(parents=True)
    scratch.mkdir()
    git = ("git", "-c", "user.name=t", "-c", "user.email=t@example.com", "-C", str(repository))
    subprocess.run(["git", "init", "--quiet", str(repository)], check=True)
    for digest in ("one", "two"):
        adapter.write_text(_ADAPTER % digest, encoding="utf-8")
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "--quiet", "--message", digest], check=True)
    monkeypatch.setattr(running, "ROOT", repository)
    corpus = Corpus(scratch)
    corpus.put((generated("valid", number) for number in range(7)), size=2)
    with revision("HEAD~1") as root:
        before = compile_all(corpus, root, 2)
    assert not root.exists()
    assert [result.bodies for result in before.values()] == [{"": "one"}] * 7
    found = compare(before, compile_all(corpus, repository, 2))
    assert [difference.kind for difference in found] == [Kind.BODY] * 7


def test_a_compiler_that_ends_early_is_an_error(tmp_path: Path) -> None:
    adapter = tmp_path / "tree" / "tests" / "corpus" / "compiled.py"
    adapter.parent.mkdir(parents=True)
    adapter.write_text("raise SystemExit(1)\n", encoding="utf-8")
    corpus = Corpus(tmp_path)
    corpus.put([generated("valid", 0)])
    with pytest.raises(RuntimeError, match="ends in"):
        compile_all(corpus, tmp_path / "tree", 1)
