"""Pages of functions: a golden page, `--check`, and that those of this repository are up to date."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.own_specs import STANDARD
from tests.sealed import as_this_user

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).with_name("golden")

Docs = Callable[..., tuple[int, str]]
Golden = Callable[[Path, str], None]


def test_a_page_and_the_index(library: Path, docs: Docs, golden: Golden) -> None:
    status, told = docs()
    assert (status, told) == (0, "3 of 3 pages written\n")
    for page in ("README.md", "com.acme/Bound.md"):
        golden(GOLDEN / page, (library / "docs/reference" / page).read_text(encoding="utf-8"))


def test_the_same_library_gives_the_same_bytes_elsewhere(library: Path, docs: Docs, tmp_path: Path) -> None:
    assert docs()[0] == docs("-o", str(tmp_path / "other"), "--cache", str(tmp_path / "cache"))[0] == 0
    pages = sorted((tmp_path / "other").rglob("*.md"))
    assert len(pages) == 3
    for page in pages:
        assert page.read_bytes() == (library / "docs/reference" / page.relative_to(tmp_path / "other")).read_bytes()


def test_what_is_out_of_date_is_told_and_made_anew(library: Path, docs: Docs) -> None:
    assert docs("--check")[0] == 1
    assert docs()[0] == 0
    assert docs("--check") == (0, "3 pages up to date\n")
    folder = library / "docs/reference"
    stale = folder / "com.acme" / "Gone.md"
    stale.write_bytes((folder / "README.md").read_bytes())
    (folder / "mine.md").write_text("# Written by hand\n", encoding="utf-8")
    (folder / "com.acme" / "Bound.md").unlink()
    status, told = docs("--check")
    assert status == 1
    assert "docs/reference/com.acme/Bound.md differs from what the library gives" in told
    assert "docs/reference/com.acme/Gone.md is no longer part of" in told
    assert "run `opwright docs` and commit the result" in told
    assert docs() == (0, "1 of 3 pages written\n")
    assert not stale.exists()
    assert (folder / "mine.md").exists()


def test_a_damaged_file_of_facts_is_a_finding(library: Path, docs: Docs) -> None:
    (library / "specs/numerics.yaml").write_text("schema: 1\nrows: 3\n", encoding="utf-8")
    status, told = docs()
    assert status == 1
    assert "specs/numerics.yaml:2:7: error" in told
    assert not (library / "docs").exists()


def test_the_pages_of_this_repository_are_up_to_date(docs: Docs, tmp_path: Path) -> None:
    with as_this_user():  # `opwright test` has compiled its functions
        status, told = docs(str(ROOT), "-p", STANDARD, "--check")
    assert status == 0, (
        f"run `opwright docs -p opwright-std` in the root of the repository and commit the result\n{told}"
    )
