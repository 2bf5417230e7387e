import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

import pytest
from opwright.diagnostics import Diagnostic, DiagnosticError
from opwright_build.engine.action import Action, Done, Failed, Outcome, Read, Unsupported
from opwright_build.engine.content_digest import digest_bytes
from opwright_build.engine.hints import FileHints
from opwright_build.engine.log import ActionLog
from opwright_build.engine.mutual_actions import Result
from opwright_build.engine.reader import Reader
from opwright_build.engine.run import Engine
from opwright_build.engine.sources import FolderSources, NotYetError
from opwright_build.engine.store import LocalStore

from tests.sealed import SEAL, kept

RUNS: list[str] = []
NOISE = [0]


def shout(reader: Reader) -> Outcome:
    RUNS.append("shout")
    return Done({"text": reader.put(reader.input("text").upper())}, (Diagnostic("OW999", "loud"),))


def include(reader: Reader) -> Outcome:
    """Follows `include NAME` lines from file to file."""
    RUNS.append("include")
    name, out = str(reader.param("start")), b""
    while name:
        data = reader.read(f"file:{name}")
        if data is None:
            return Failed((Diagnostic("OW101", f"no file {name}"),))
        head, _, rest = data.partition(b"\n")
        out += rest
        name = head.removeprefix(b"include").strip().decode()
    return Done({"text": reader.put(out)})


def large(reader: Reader) -> Outcome:
    """An output that is not kept."""
    RUNS.append("large")
    return Done({"archive": reader.put(reader.input("text") * 1000)}, unkept=("archive",))


def refuse(reader: Reader) -> Outcome:
    RUNS.append("refuse")
    raise DiagnosticError([Diagnostic("OW301", "refused")])


def crash(reader: Reader) -> Outcome:
    raise ZeroDivisionError("a bug")


def give_up(reader: Reader) -> Outcome:
    return Unsupported("no kernel")


def noise(reader: Reader) -> Outcome:
    NOISE[0] += 1
    return Done({"text": reader.put(str(NOISE[0]).encode())})


def ask(reader: Reader) -> Outcome:
    """Reads a source of a kind that only an overlay has."""
    RUNS.append("ask")
    return Done({"text": reader.put(reader.read("version:b") or b"none")})


def chain(reader: Reader) -> Outcome:
    """Its own name, and what the results of the actions it names are, all of them read before it is done."""
    name = str(reader.param("name"))
    RUNS.append(name)
    parts = [reader.read(f"result:{needed}") or b"?" for needed in cast("list[str]", reader.param("needs"))]
    return Done({"text": reader.put(name.encode() + b"(" + b",".join(parts) + b")")})


_KINDS = ("shout", "include", "refuse", "crash", "give_up", "noise", "ask", "chain", "large")
REGISTRY = {name: f"{__name__}:{name}" for name in _KINDS}


@pytest.fixture(autouse=True)
def _fresh() -> None:
    RUNS.clear()
    NOISE[0] = 0


def make_engine(root: Path, *, rerun: bool = False, log: ActionLog | None = None) -> Engine:
    sources = FolderSources(root, FileHints(kept(root / ".opwright" / "hints.json")))
    log = log or ActionLog(kept(root / ".opwright" / "actions.json"), {"tool": "e1"})
    return Engine(REGISTRY, LocalStore(root / ".opwright" / "cache", SEAL), sources, log, rerun=rerun)


def action(kind: str, inputs: dict[str, str] | None = None, environment: str = "e1", **params: str) -> Action:
    return Action(kind, kind, inputs or {}, params, environment)


def test_an_action_runs_once_and_is_replayed_with_its_findings(tmp_path: Path) -> None:
    engine = make_engine(tmp_path)
    todo = action("shout", {"text": engine.put(b"hi")})
    (first,) = engine.run([todo])
    (second,) = make_engine(tmp_path).run([todo])
    assert RUNS == ["shout"]
    assert (first.cached, second.cached) == (False, True)
    assert first.outcome == second.outcome
    assert isinstance(second.outcome, Done)
    assert second.outcome.diagnostics == (Diagnostic("OW999", "loud"),)
    assert make_engine(tmp_path).fetch(second, "text") == b"HI"


@pytest.mark.parametrize("change", ["kind", "params", "inputs", "environment"])
def test_every_part_of_an_action_is_in_its_key(change: str) -> None:
    base = Action("k", "label", {"a": "1"}, {"p": 1}, "e")
    other = {
        "kind": Action("K", "label", {"a": "1"}, {"p": 1}, "e"),
        "params": Action("k", "label", {"a": "1"}, {"p": 2}, "e"),
        "inputs": Action("k", "label", {"b": "1"}, {"p": 1}, "e"),
        "environment": Action("k", "label", {"a": "1"}, {"p": 1}, "f"),
    }[change]
    assert base.key != other.key
    assert base.key == Action("k", "another label", {"a": "1"}, {"p": 1}, "e").key


def test_failures_are_replayed_and_crashes_are_not(tmp_path: Path) -> None:
    for _ in range(2):
        (result,) = make_engine(tmp_path).run([action("refuse")])
        assert result.outcome == Failed((Diagnostic("OW301", "refused"),))
        with pytest.raises(ZeroDivisionError):
            make_engine(tmp_path).run([action("crash")])
        (result,) = make_engine(tmp_path).run([action("give_up")])
        assert result.outcome == Unsupported("no kernel")
    assert RUNS == ["refuse"]


def test_what_is_read_on_the_way_decides_whether_a_result_holds(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("include b\nA")
    (tmp_path / "b").write_text("\nB")
    (tmp_path / "unread").write_text("x")
    todo = action("include", start="a")
    (result,) = make_engine(tmp_path).run([todo])
    assert make_engine(tmp_path).fetch(result, "text") == b"AB"
    assert [read.name for read in result.reads] == ["file:a", "file:b"]

    (tmp_path / "unread").write_text("y")
    assert make_engine(tmp_path).run([todo])[0].cached
    (tmp_path / "b").write_text("\nC")
    (changed,) = make_engine(tmp_path).run([todo])
    assert not changed.cached
    assert make_engine(tmp_path).fetch(changed, "text") == b"AC"
    (tmp_path / "b").write_text("\nB")
    assert make_engine(tmp_path).run([todo])[0].cached, "the older result holds again"


def test_a_file_that_was_looked_for_in_vain_invalidates_when_it_appears(tmp_path: Path) -> None:
    todo = action("include", start="a")
    (missing,) = make_engine(tmp_path).run([todo])
    assert isinstance(missing.outcome, Failed)
    assert missing.reads == (Read("file:a", None),)
    assert make_engine(tmp_path).run([todo])[0].cached
    (tmp_path / "a").write_text("\nA")
    (found,) = make_engine(tmp_path).run([todo])
    assert isinstance(found.outcome, Done)
    (tmp_path / "a").unlink()
    assert make_engine(tmp_path).run([todo])[0].outcome == missing.outcome


def test_a_lost_blob_makes_the_action_run_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LocalStore.__init__, "__kwdefaults__", {"most_inline": 0})

    def engine() -> Engine:
        made = make_engine(tmp_path)
        assert made.put(b"hi") == todo.inputs["text"]
        return made

    todo = action("shout", {"text": digest_bytes(b"hi")})
    (result,) = engine().run([todo])
    assert isinstance(result.outcome, Done)
    digest = result.outcome.outputs["text"]
    blob = tmp_path / ".opwright" / "cache" / "blobs" / digest[:2] / digest
    blob.unlink()
    assert not engine().run([todo])[0].cached
    blob.write_bytes(b"HO")
    last = engine()
    (cached,) = last.run([todo])
    assert cached.cached, "the bytes are looked at only when they are asked for"
    assert last.fetch(cached, "text") == b"HI"
    assert len(RUNS) == 3


def test_what_is_not_kept_is_made_again_by_the_part_that_makes_it(tmp_path: Path) -> None:
    def whole(reader: Reader, engine: Engine) -> Outcome:
        RUNS.append("whole")
        (part,) = engine.run([action("large", {"text": engine.put(b"text")})])
        assert isinstance(part.outcome, Done)
        return Done({"archive": part.outcome.outputs["archive"], "small": reader.put(b"s")}, unkept=("archive",))

    first = make_engine(tmp_path)
    assert first.fetch(first.run_composite(action("whole"), whole), "archive") == b"text" * 1000
    kept = [path.read_bytes() for path in (tmp_path / ".opwright" / "cache").rglob("*") if path.is_file()]
    assert not any(b"texttext" in data for data in kept)
    assert RUNS == ["whole", "large"]
    second = make_engine(tmp_path)
    result = second.run_composite(action("whole"), whole)
    assert result.cached
    assert second.fetch(result, "small") == b"s"
    assert RUNS == ["whole", "large"]
    assert second.fetch(result, "archive") == b"text" * 1000
    assert second.fetch(result, "archive") == b"text" * 1000
    assert RUNS == ["whole", "large", "whole", "large"]
    assert second.warnings == []


def test_what_is_something_else_by_now_is_not_taken_for_it(tmp_path: Path) -> None:
    """The bytes of a known result are asked for, and meanwhile it is made of another file."""
    engine, text = make_engine(tmp_path), b"text"

    def whole(reader: Reader, engine: Engine) -> Outcome:
        (part,) = engine.run([action("large", {"text": engine.put(text)})])
        assert isinstance(part.outcome, Done)
        return Done({text.decode(): part.outcome.outputs["archive"]}, unkept=(text.decode(),))

    result = engine.run_composite(action("whole"), whole)
    later = make_engine(tmp_path)
    known = later.run_composite(action("whole"), whole)
    assert known.cached
    text = b"something else"
    with pytest.raises(DiagnosticError) as refused:
        later.fetch(known, "text")
    assert [item.code for item in refused.value.diagnostics] == ["OW932"]
    assert result.outcome == known.outcome


def test_what_cannot_be_made_again_says_why(tmp_path: Path) -> None:
    """The bytes of a known result are asked for, and meanwhile a file that it comes from is gone."""
    (tmp_path / "a").write_bytes(b"include\ntext")
    todo = action("include", start="a")
    engine = make_engine(tmp_path)
    (known,) = engine.run([todo])
    (tmp_path / "a").unlink()
    shutil.rmtree(tmp_path / ".opwright" / "cache")
    with pytest.raises(DiagnosticError) as refused:
        make_engine(tmp_path).fetch(known, "text")
    assert [item.code for item in refused.value.diagnostics] == ["OW101"]


def test_rerun_runs_everything_and_tells_of_another_result(tmp_path: Path) -> None:
    make_engine(tmp_path).run([action("noise"), action("refuse")])
    engine = make_engine(tmp_path, rerun=True)
    results = engine.run([action("noise"), action("refuse")])
    assert [result.cached for result in results] == [False, False]
    assert [(item.code, item.message.split(":")[0]) for item in engine.warnings] == [("OW903", "noise")]


def test_a_composite_rests_on_what_its_parts_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("\nA")

    def both(reader: Reader, engine: Engine) -> Outcome:
        RUNS.append("both")
        (part,) = engine.run([action("include", start="a")])
        reader.depends(part.reads)
        return Done({"text": reader.put(engine.fetch(part, "text") * 2)})

    todo = action("both")
    assert not make_engine(tmp_path).run_composite(todo, both).cached
    assert make_engine(tmp_path).run_composite(todo, both).cached
    assert RUNS == ["both", "include"]
    (tmp_path / "a").write_text("\nB")
    engine = make_engine(tmp_path)
    result = engine.run_composite(todo, both)
    assert engine.fetch(result, "text") == b"BB"
    for blob in (tmp_path / ".opwright" / "cache" / "blobs").rglob("*"):
        if blob.is_file():
            blob.write_bytes(b"damaged")
    engine = make_engine(tmp_path)
    result = engine.run_composite(todo, both)
    assert result.cached
    assert engine.fetch(result, "text") == b"BB", "what was lost is made again, part by part"


def test_values_laid_over_the_sources_are_dependencies_too(tmp_path: Path) -> None:
    todo = action("ask")

    def run(values: dict[str, bytes]) -> Result:
        return make_engine(tmp_path).over("version", values.get).run([todo])[0]

    assert not run({"b": b"1"}).cached
    assert run({"b": b"1", "c": b"9"}).cached
    assert not run({"b": b"2"}).cached
    assert not run({}).cached
    assert run({}).reads == (Read("version:b", None),)


def test_why_an_action_ran(tmp_path: Path) -> None:
    def run(todo: Action, environment: str = "e1") -> tuple[str, ...]:
        log = ActionLog(kept(tmp_path / ".opwright" / "actions.json"), {"tool": environment})
        (result,) = make_engine(tmp_path, log=log).run([todo])
        log.save()
        return result.why

    (tmp_path / "a").write_text("include b\nA")
    (tmp_path / "b").write_text("\nB")
    todo = action("include", start="a")
    assert run(todo) == ("it has not run here before",)
    assert run(todo) == ()
    (tmp_path / "b").write_text("\nC")
    assert run(todo) == ("file:b changed",)
    (tmp_path / "b").unlink()
    assert run(todo) == ("file:b is gone",)
    assert run(action("include", environment="e2", start="a"), "e2") == ("tool changed",)
    (tmp_path / "c").write_text("\nC")
    assert run(action("include", environment="e2", start="c"), "e2") == ("parameter start changed",)


def run_chain(root: Path, needs: Mapping[str, Sequence[str]]) -> dict[str, bytes | Outcome]:
    log = ActionLog(kept(root / ".opwright" / "actions.json"), {"tool": "e1"})
    engine = make_engine(root, log=log)
    actions = {name: Action("chain", name, {}, {"name": name, "needs": needs[name]}, "e1") for name in needs}

    def lookup(question: str, results: Mapping[str, Result]) -> bytes | None:
        if question not in actions:
            return None
        if question not in results:
            raise NotYetError(question)
        result = results[question]
        return engine.fetch(result, "text") if isinstance(result.outcome, Done) else b"!"

    results = engine.run_mutual(actions, "result", lookup, lambda names: Unsupported(" ".join(names)))
    assert list(results) == list(needs)
    log.save()
    return {
        name: engine.fetch(result, "text") if isinstance(result.outcome, Done) else result.outcome
        for name, result in results.items()
    }


def test_actions_that_read_one_another_run_in_the_order_that_they_need(tmp_path: Path) -> None:
    needs = {"a": ["c", "b"], "b": ["c"], "c": [], "d": ["nowhere"]}
    expected = {"a": b"a(c(),b(c()))", "b": b"b(c())", "c": b"c()", "d": b"d(?)"}
    assert run_chain(tmp_path, needs) == expected
    RUNS.clear()
    assert run_chain(tmp_path, needs) == expected
    assert RUNS == []


def test_only_those_whose_callee_changed_run_again(tmp_path: Path) -> None:
    run_chain(tmp_path, {"a": ["b"], "b": [], "c": []})
    RUNS.clear()
    assert run_chain(tmp_path, {"a": ["b"], "b": ["c"], "c": []})["a"] == b"a(b(c()))"
    assert set(RUNS) == {"a", "b"}


def test_what_was_asked_for_before_and_is_not_made_yet_is_no_reason(tmp_path: Path) -> None:
    """The first action no longer asks for the second, which has to run anew, as the log is told of the first."""
    run_chain(tmp_path, {"a": ["b"], "b": []})
    assert run_chain(tmp_path, {"a": [], "b": ["c"], "c": []}) == {"a": b"a()", "b": b"b(c())", "c": b"c()"}


def test_a_circle_is_told_once_for_all_its_members_and_not_kept(tmp_path: Path) -> None:
    circle = Unsupported("b c")
    needs = {"a": ["b"], "b": ["c"], "c": ["b"], "self": ["self"]}
    expected = {"a": b"a(!)", "b": circle, "c": circle, "self": Unsupported("self")}
    assert run_chain(tmp_path, needs) == expected
    assert run_chain(tmp_path, needs) == expected
    assert run_chain(tmp_path, {**needs, "c": []})["a"] == b"a(b(c()))"


def test_a_chain_far_longer_than_the_stack_is_deep(tmp_path: Path) -> None:
    count = 1_500
    needs = {str(index): [str(index + 1)] if index + 1 < count else [] for index in range(count)}
    assert len(run_chain(tmp_path, needs)) == count
