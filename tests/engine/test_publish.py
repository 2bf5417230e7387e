import errno
import os
import time
from pathlib import Path
from typing import Any

import pytest
from opwright.diagnostics import DiagnosticError
from opwright_build.engine.content_digest import Json, digest_bytes
from opwright_build.engine.hints import FileHints
from opwright_build.engine.publish import Published, Publisher
from opwright_build.engine.system_errors import InfrastructureError

from tests.sealed import kept

MARK = b"# generated\n"
AREAS = ("d", "p")


def publisher(root: Path) -> Publisher:
    hints = FileHints(kept(root / ".opwright" / "hints.json"))
    return Publisher(root, AREAS, kept(root / ".opwright" / "outputs.json"), hints, generated)


def generated(path: str, data: bytes) -> bool:
    return path.startswith("d/") or data.startswith(MARK)


def publish(root: Path, files: dict[str, bytes], folders: tuple[str, ...] = ()) -> Published:
    outputs = {path: digest_bytes(data) for path, data in files.items()}
    return publisher(root).publish(outputs, files.__getitem__, folders)


def content(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".opwright" not in path.parts
    }


def test_only_what_differs_is_written(tmp_path: Path) -> None:
    assert publish(tmp_path, {"d/a": b"1", "d/b": b"2"}).written == ("d/a", "d/b")
    assert publish(tmp_path, {"d/a": b"1", "d/b": b"2"}) == Published((), ("d/a", "d/b"), ())
    again = publish(tmp_path, {"d/a": b"1", "d/b": b"3"})
    assert (again.written, again.unchanged) == (("d/b",), ("d/a",))
    assert content(tmp_path) == {"d/a": b"1", "d/b": b"3"}


def test_what_was_deleted_or_changed_on_disk_comes_back(tmp_path: Path) -> None:
    publish(tmp_path, {"d/a": b"1", "d/b": b"2"})
    (tmp_path / "d" / "a").unlink()
    (tmp_path / "d" / "b").write_bytes(b"by hand")
    assert publish(tmp_path, {"d/a": b"1", "d/b": b"2"}).written == ("d/a", "d/b")


def test_stale_outputs_go_and_strangers_stay(tmp_path: Path) -> None:
    publish(tmp_path, {"d/old": b"1", "d/edited": b"2", "d/kept": b"3"})
    (tmp_path / "d" / "edited").write_bytes(b"by hand")
    (tmp_path / "d" / "mine").write_bytes(b"mine")
    assert publish(tmp_path, {"d/kept": b"3"}).removed == ("d/old",)
    assert set(content(tmp_path)) == {"d/edited", "d/kept", "d/mine"}


@pytest.mark.parametrize("unread", [".opwright/outputs.json", "d/old"])
def test_what_cannot_be_read_for_a_moment_is_not_forgotten(
    unread: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A build that goes on without it would leave the file for ever."""
    publish(tmp_path, {"d/old": b"1", "d/kept": b"2"})
    opened = os.open

    def refuse(path: Any, *rest: Any, **named: Any) -> int:
        if os.fspath(path) == str(tmp_path / unread):
            raise OSError(errno.EIO, "Input/output error", os.fspath(path))
        return opened(path, *rest, **named)

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", refuse)
        with pytest.raises(InfrastructureError) as caught:
            publish(tmp_path, {"d/kept": b"3"})
    (found,) = caught.value.diagnostics
    assert found.code == "OW905"
    assert found.message.endswith("cannot be read: Input/output error")
    assert publish(tmp_path, {"d/kept": b"3"}).removed == ("d/old",)


def test_files_that_say_they_are_generated_go_even_from_a_fresh_clone(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "opset9.py").write_bytes(MARK + b"old")
    (tmp_path / "p" / "own.py").write_bytes(b"own")
    assert publish(tmp_path, {"p/opset8.py": MARK}, ("p",)).removed == ("p/opset9.py",)
    assert set(content(tmp_path)) == {"p/opset8.py", "p/own.py"}


def test_a_strangers_file_is_never_overwritten_and_then_nothing_is(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "__init__.py").write_bytes(b"mine")
    with pytest.raises(DiagnosticError) as caught:
        publish(tmp_path, {"p/__init__.py": MARK, "d/a": b"1"})
    assert [(item.code, str(item.place)) for item in caught.value.diagnostics] == [("OW904", "p/__init__.py")]
    assert content(tmp_path) == {"p/__init__.py": b"mine"}


def test_a_generated_file_of_an_older_build_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "a").write_bytes(MARK + b"old")
    (tmp_path / "p" / "empty").write_bytes(b"")
    publish(tmp_path, {"p/a": MARK + b"new", "p/empty": b"full"})
    assert content(tmp_path) == {"p/a": MARK + b"new", "p/empty": b"full"}


class Killed(BaseException):
    pass


@pytest.mark.parametrize("at", range(8))
def test_killed_at_any_step_each_file_is_old_or_new_and_the_next_build_finishes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    old, new = {"d/a": b"old a", "d/b": b"old b", "d/gone": b"x"}, {"d/a": b"new a", "d/b": b"new b", "d/more": b"y"}
    publish(tmp_path, old)
    steps = 0

    def mortal(function):
        def call(*args, **kwargs):
            nonlocal steps
            steps += 1
            if steps > at:
                raise Killed
            return function(*args, **kwargs)

        return call

    with monkeypatch.context() as patch:
        for name in ("os.replace", "os.fsync", "pathlib.Path.unlink"):
            module, _, attribute = name.rpartition(".")
            owner = __import__("os") if module == "os" else Path
            patch.setattr(owner, attribute, mortal(getattr(owner, attribute)))
        with pytest.raises(Killed):
            publish(tmp_path, new)
    for path, data in content(tmp_path).items():
        if not path.endswith(".opwright-tmp"):
            assert data in (old.get(path), new.get(path))
    publish(tmp_path, new)
    assert content(tmp_path) == new


def test_a_disk_that_refuses_is_reported_with_the_path(tmp_path: Path) -> None:
    (tmp_path / "d").write_bytes(b"a file")
    with pytest.raises(InfrastructureError) as caught:
        publish(tmp_path, {"d/a": b"1"})
    (finding,) = caught.value.diagnostics
    assert finding.code == "OW905"
    assert str(tmp_path) not in finding.message


@pytest.mark.parametrize(
    "path", ["{outside}", "../mine", "d/../../mine", "d//../../mine", "./mine", "mine", "d", "d\\..\\mine"]
)
def test_a_planted_list_of_outputs_removes_nothing_elsewhere(tmp_path: Path, path: str) -> None:
    root = tmp_path / "root"
    for file in (tmp_path / "mine", root / "mine", root / "d" / "mine"):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"known")
    planted = {path.format(outside=tmp_path / "mine"): digest_bytes(b"known"), "p/kept": digest_bytes(b"known")}
    (root / "p").mkdir()
    (root / "p" / "kept").write_bytes(b"known")  # below an area, but it does not say that it is generated
    kept(root / ".opwright" / "outputs.json").save({"files": planted})
    assert publish(root, {"d/a": b"1"}).removed == ()
    assert (tmp_path / "mine").read_bytes() == b"known"
    assert set(content(root)) == {"mine", "d/a", "d/mine", "p/kept"}


@pytest.mark.parametrize(
    "text",
    ["[]", "3", '{"format": 1}', '{"format": 1, "files": []}', '{"format": 1, "files": {"d/x": 3}}', "[" * 99_999],
)
def test_a_list_of_outputs_of_another_form_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / ".opwright").mkdir()
    (tmp_path / ".opwright" / "outputs.json").write_text(text)
    assert publish(tmp_path, {"d/a": b"1"}) == Published(("d/a",), (), ())


@pytest.mark.parametrize("path", ["../mine", "/mine", "d/../../mine", "mine", "e/mine", "d/", ""])
def test_an_output_elsewhere_is_refused(tmp_path: Path, path: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    with pytest.raises(DiagnosticError) as caught:
        publish(root, {"d/a": b"1", path: b"2"})
    assert [item.code for item in caught.value.diagnostics] == ["OW522"]
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("link", ["d", "d/sub", "d/sub/a"])
def test_nothing_is_written_or_removed_behind_a_link(tmp_path: Path, link: str) -> None:
    root, home = tmp_path / "root", tmp_path / "home"
    (home / "sub").mkdir(parents=True)
    for name in ("a", "old", "sub/a", "sub/old"):
        (home / name).write_bytes(b"mine")
    (root / link).parent.mkdir(parents=True)
    (root / link).symlink_to(home / "a" if link.endswith("/a") else home)
    planted = {name: digest_bytes(b"mine") for name in ("d/old", "d/sub/old")}
    kept(root / ".opwright" / "outputs.json").save({"files": planted})
    with pytest.raises(DiagnosticError) as caught:
        publish(root, {"d/sub/a": b"1"})
    assert [item.code for item in caught.value.diagnostics] == ["OW521" if link.endswith("/a") else "OW520"]
    assert {path.name: path.read_bytes() for path in home.rglob("*") if path.is_file()} == {
        "a": b"mine",
        "old": b"mine",
    }


def test_a_link_in_the_place_of_a_temporary_file_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "mine").write_bytes(b"mine")
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / ".a.opwright-tmp").symlink_to(tmp_path / "mine")
    publish(tmp_path, {"d/a": b"1"})
    assert content(tmp_path) == {"d/a": b"1", "mine": b"mine"}


@pytest.mark.parametrize("renames", range(4))
def test_what_a_killed_build_put_in_place_goes_when_no_build_makes_it_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, renames: int
) -> None:
    first, second = {"d/a-1": b"1", "d/b": b"1"}, {"d/a-2": b"2", "d/b": b"2", "d/c": b"2"}
    publish(tmp_path, first)
    replace, done = Path.replace, []

    def dying(self: Path, target: Path) -> Path:
        if self.name.endswith(".opwright-tmp"):
            if len(done) == renames:
                raise KeyboardInterrupt
            done.append(target)
        return replace(self, target)

    def dying_too(self: Path, missing_ok: bool = False) -> None:
        dying(self.with_suffix(".opwright-tmp"), self)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", dying)
        if renames == len(second):  # it is killed before it removes what is stale
            patch.setattr(Path, "unlink", dying_too)
        with pytest.raises(KeyboardInterrupt):
            publish(tmp_path, second)
    (tmp_path / "d" / "mine").write_bytes(b"mine")
    publish(tmp_path, first)
    assert content(tmp_path) == {**first, "d/mine": b"mine"}
    assert publish(tmp_path, first).written == ()


def _watched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Grows with the names of files that are read."""
    found: list[str] = []
    real = FileHints.read

    def read(self: FileHints, path: Path | str) -> bytes | None:
        found.append(Path(path).name)
        return real(self, path)

    monkeypatch.setattr(FileHints, "read", read)
    return found


def test_what_was_written_a_while_before_it_was_put_in_place_is_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Publisher._settled

    def later(self: Publisher, *given: Any) -> dict[str, Json]:
        time.sleep(0.05)  # longer than a tick
        return real(self, *given)

    monkeypatch.setattr(Publisher, "_settled", later)
    original = Publisher._prepare

    def slowly(self: Publisher, path: str, data: bytes) -> None:
        original(self, path, data)
        time.sleep(0.05)

    monkeypatch.setattr(Publisher, "_prepare", slowly)
    publish(tmp_path, {"d/a": b"1", "d/b": b"2"})
    reads = _watched(monkeypatch)
    assert publish(tmp_path, {"d/a": b"1", "d/b": b"2"}).written == ()
    assert reads == []
    one, three = digest_bytes(b"1"), digest_bytes(b"3")
    assert publisher(tmp_path).published("d/a", one) == b"1" and publisher(tmp_path).published("d/a", three) is None
    (tmp_path / "d" / "a").write_bytes(b"3")
    assert publisher(tmp_path).published("d/a", one) is None and publisher(tmp_path).published("d/a", three) == b"3"
    assert publish(tmp_path, {"d/a": b"1", "d/b": b"2"}).written == ("d/a",)
    assert publish(tmp_path, {"d/a": b"1"}).removed == ("d/b",)


def test_what_may_have_changed_within_a_tick_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = kept(tmp_path / ".opwright" / "outputs.json")
    monkeypatch.setattr(type(state), "touch", lambda self: os.lstat(tmp_path / "d" / "a"))  # no tick has passed
    publish(tmp_path, {"d/a": b"1"})
    reads = _watched(monkeypatch)
    assert publish(tmp_path, {"d/a": b"1"}).written == ()
    assert reads == ["a"]
