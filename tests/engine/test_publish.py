from pathlib import Path

import pytest
from opwright.diagnostics import DiagnosticError
from opwright_build.engine.digest import digest_bytes
from opwright_build.engine.hints import FileHints
from opwright_build.engine.publish import Published, Publisher
from opwright_build.engine.store import InfrastructureError

MARK = b"# generated\n"


def publisher(root: Path) -> Publisher:
    hints = FileHints(root / ".opwright" / "hints.json")
    return Publisher(root, root / ".opwright" / "outputs.json", hints, lambda path, data: data.startswith(MARK))


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
        publish(tmp_path, {"p/__init__.py": MARK, "a": b"1"})
    assert [(item.code, str(item.place)) for item in caught.value.diagnostics] == [("OW904", "p/__init__.py")]
    assert content(tmp_path) == {"p/__init__.py": b"mine"}


def test_a_generated_file_of_an_older_build_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(MARK + b"old")
    (tmp_path / "empty").write_bytes(b"")
    publish(tmp_path, {"a": MARK + b"new", "empty": b"full"})
    assert content(tmp_path) == {"a": MARK + b"new", "empty": b"full"}


class Killed(BaseException):
    pass


@pytest.mark.parametrize("at", range(9))
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
        for name in ("os.replace", "os.fsync", "pathlib.Path.unlink", "pathlib.Path.write_bytes"):
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
    (tmp_path / "dist").write_bytes(b"a file")
    with pytest.raises(InfrastructureError) as caught:
        publish(tmp_path, {"dist/a": b"1"})
    (finding,) = caught.value.diagnostics
    assert finding.code == "OW905"
    assert str(tmp_path) not in finding.message
