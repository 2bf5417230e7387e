"""`opwright index`, `search` and `add`: from the folder of a release to a dependency that is locked."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from opwright.bundle.read import read_bundle_file
from opwright_build.publication.static_index import INDEX_FILE
from opwright_build.workflow.searching import INDEXES

from tests.cli.test_dependencies import DOUBLE, HALVE, make_library
from tests.output_lines import validate

Opwright = Callable[..., Any]
LIBRARY = Path("specs/library.yaml")
LOCK = Path("specs/dependencies.lock")
CALL = "from acme_nn import opset1 as nn\n\n\ndef Four(X):\n    return nn.Double(nn.Double(X))\n"
DIST = "dist/acme-nn-{}"


def codes(ran: Any) -> list[str]:
    return [line["finding"]["code"] for line in ran.lines if line["event"] == "finding"]


def tree(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class Registry:
    """A library acme-nn with two releases in the index `site`, and a library acme-own that has no dependency yet."""

    def __init__(self, home: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch) -> None:
        self.home, self.opwright, self.monkeypatch = home, opwright, monkeypatch
        self.site = home / "site"
        self.nn = make_library(home / "nn", "nn", {"Double": DOUBLE})
        self.release("1.0.0")
        make_library(self.nn, "nn", {"Double": DOUBLE, "Halve@2": HALVE}, version="1.0.0")
        self.release("1.1.0")
        make_library(home / "own", "own", {"Four": CALL})
        path = home / "own" / LIBRARY
        path.write_text(path.read_text().replace("dependencies: {}\n", ""))
        monkeypatch.chdir(home / "own")

    def release(self, version: str) -> None:
        self.monkeypatch.chdir(self.nn)
        assert self.opwright("release", version).status == 0
        assert self.opwright("publish").status == 0
        ran = self.opwright("index", str(self.site), DIST.format(version))
        assert ran.status == 0, ran.out


@pytest.fixture
def registry(tmp_path: Path, opwright: Opwright, monkeypatch: pytest.MonkeyPatch) -> Registry:
    monkeypatch.delenv(INDEXES, raising=False)
    return Registry(tmp_path, opwright, monkeypatch)


def test_an_index_keeps_every_release(registry: Registry) -> None:
    rows = json.loads((registry.site / INDEX_FILE).read_text())["releases"]
    assert [(row["library"], row["version"], row["functions"]) for row in rows] == [
        ("acme-nn", "1.0.0", ["com.acme.nn::Double@1"]),
        ("acme-nn", "1.1.0", ["com.acme.nn::Double@1", "com.acme.nn::Halve@2"]),
    ]
    for row in rows:
        folder = registry.nn / DIST.format(row["version"])
        assert tree(registry.site / "files" / "acme-nn" / row["version"]) == tree(folder)
        assert {file["name"]: file["sha256"] for file in row["files"]} == {
            path.name: sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()
        }
    before = tree(registry.site)
    assert registry.opwright("index", str(registry.site), str(registry.nn / DIST.format("1.0.0"))).status == 0
    assert registry.opwright("index", str(registry.site)).status == 0
    assert tree(registry.site) == before


def test_a_release_never_changes_in_an_index(registry: Registry) -> None:
    before = tree(registry.site)
    folder = registry.nn / DIST.format("1.1.0")
    (folder / "notes.txt").write_text("more")
    digest = sha256(b"more").hexdigest()
    (folder / "SHA256SUMS").write_text((folder / "SHA256SUMS").read_text() + f"{digest}  notes.txt\n")
    ran = registry.opwright("index", str(registry.site), str(folder))
    assert ran.status == 1 and "OW675" in ran.out and "notes.txt" in ran.out
    assert tree(registry.site) == before


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: (folder / "SHA256SUMS").unlink(),
        lambda folder: (folder / "SHA256SUMS").write_bytes(b""),
        lambda folder: (folder / "SHA256SUMS").write_text(f"{'0' * 64}  ../../secret\n"),
        lambda folder: (folder / "SHA256SUMS").write_text(f"{'0' * 64}  /etc/passwd\n"),
        lambda folder: (folder / "acme-nn-1.1.0.md").write_text("other"),
        lambda folder: (folder / "acme-nn-1.1.0.md").unlink(),
        lambda folder: (folder / "SHA256SUMS.sig").write_bytes(b"s" * 63),
        lambda folder: (folder / "SHA256SUMS.sig").write_bytes(b""),
        lambda folder: (folder / "SHA256SUMS").write_text(f"{sha256(b'').hexdigest()}  empty.md\n"),
    ],
)
def test_a_damaged_folder_is_no_release(registry: Registry, damage: Callable[[Path], object]) -> None:
    folder = registry.nn / DIST.format("1.1.0")
    (folder / "empty.md").write_bytes(b"")
    before = tree(registry.site)
    damage(folder)
    ran = registry.opwright("index", str(registry.site), str(folder))
    assert ran.status == 1 and "OW674" in ran.out
    assert tree(registry.site) == before


def test_search_finds_what_is_listed_and_what_is_installed(registry: Registry) -> None:
    place = tree_of_wheel(registry)
    ran = registry.opwright("search", "com.acme.nn::double", "--index", str(registry.site), "--json")
    assert ran.status == 0
    for line in ran.lines:
        validate(line, "search")
    found = [(line["function"], line["version"], line["place"]) for line in ran.lines if line["event"] == "function"]
    assert found == [
        ("com.acme.nn::Double@1", "1.0.0", "installed"),
        ("com.acme.nn::Double@1", "1.1.0", str(registry.site)),
    ]
    registry.monkeypatch.setenv(INDEXES, f"{registry.site} {registry.site}")
    text = registry.opwright("search", "H*").out
    assert text.count("com.acme.nn::Halve@2") == 2 and "Double" not in text
    assert place.is_dir()
    ran = registry.opwright("search", "Dubble", "--json")
    assert (ran.status, codes(ran)) == (1, ["OW673"])
    assert "Double" in ran.out
    ran = registry.opwright("search", "Double", "--index", str(registry.home / "none"), "--json")
    assert (ran.status, codes(ran)) == (3, ["OW670"])


def tree_of_wheel(registry: Registry) -> Path:
    """The wheel of 1.0.0, installed."""
    place = registry.home / "packages"
    with zipfile.ZipFile(registry.nn / "dist/acme-nn-1.0.0/acme_nn-1.0.0-py3-none-any.whl") as wheel:
        wheel.extractall(place)
    registry.monkeypatch.syspath_prepend(str(place))
    return place


def test_add_takes_the_newest_release_that_fits_and_locks_it(registry: Registry) -> None:
    ran = registry.opwright("add", "acme_nn", "--index", str(registry.site), "--json")
    assert ran.status == 0, ran.out
    for line in ran.lines:
        validate(line, "add")
    bundle = Path("specs/vendor/acme-nn-1.1.0.onnxlib")
    digest = sha256(bundle.read_bytes()).hexdigest()
    assert (ran.summary["version"], ran.summary["sha256"], ran.summary["written"]) == ("1.1.0", digest, True)
    assert 'dependencies: {acme-nn: {bundle: vendor/acme-nn-1.1.0.onnxlib, version: ">=1.1,<2"}}' in (
        LIBRARY.read_text()
    )
    assert json.loads(LOCK.read_text())["sha256"] == digest
    assert registry.opwright("build").status == 0
    (built,) = Path("dist").glob("*.onnxlib")
    assert [item.sha256 for item in read_bundle_file(built).index.dependencies] == [digest]
    assert registry.opwright("add", "acme-nn", "--index", str(registry.site)).status == 2


def test_a_range_and_a_digest_are_held(registry: Registry) -> None:
    before = tree(Path("specs"))
    site = ("--index", str(registry.site), "--json")
    assert codes(registry.opwright("add", "acme-nn>=2", *site)) == ["OW673"]
    assert codes(registry.opwright("add", "acme-other", *site)) == ["OW673"]
    assert codes(registry.opwright("add", "acme-nn", "--sha256", "0" * 64, *site)) == ["OW672"]
    for words in (("acme-nn ~> 1",), ("../nn",), ("acme-nn", "--sha256", "0")):
        assert registry.opwright("add", *words, *site[:2]).status == 2
    assert tree(Path("specs")) == before
    digest = sha256((registry.nn / "dist/acme-nn-1.0.0/acme-nn-1.0.0.onnxlib").read_bytes()).hexdigest()
    ran = registry.opwright("add", "acme-nn>=1,<1.1", "--sha256", digest, *site)
    assert (ran.status, ran.summary["version"]) == (0, "1.0.0")
    assert 'version: ">=1,<1.1"' in LIBRARY.read_text()


def test_what_an_index_gives_is_checked(registry: Registry) -> None:
    before = tree(Path("specs"))
    file = registry.site / "files/acme-nn/1.1.0/acme-nn-1.1.0.onnxlib"
    words = ("add", "acme-nn", "--index", str(registry.site), "--json")
    data = bytearray(file.read_bytes())
    data[100] ^= 1
    file.write_bytes(bytes(data))
    assert codes(registry.opwright(*words)) == ["OW672"]
    older = (registry.site / "files/acme-nn/1.0.0/acme-nn-1.0.0.onnxlib").read_bytes()
    file.write_bytes(older)  # another release under this number, listed with its own digest
    value = json.loads((registry.site / INDEX_FILE).read_text())
    for row in value["releases"][1]["files"]:
        if row["name"].endswith(".onnxlib"):
            row |= {"sha256": sha256(older).hexdigest(), "size": len(older)}
    (registry.site / INDEX_FILE).write_text(json.dumps(value))
    assert codes(registry.opwright(*words)) == ["OW672"]
    value["releases"][1]["files"][0]["name"] = "../../../own/specs/library.yaml"
    (registry.site / INDEX_FILE).write_text(json.dumps(value))
    assert codes(registry.opwright(*words)) == ["OW671"]
    assert tree(Path("specs")) == before


def test_update_takes_a_newer_release_of_an_index(registry: Registry) -> None:
    site = ("--index", str(registry.site))
    assert registry.opwright("add", "acme-nn>=1,<1.1", *site).status == 0
    before = tree(Path("specs"))
    assert registry.opwright("update", *site, "--json").summary["written"] is False, "no newer one fits"
    assert tree(Path("specs")) == before
    LIBRARY.write_text(LIBRARY.read_text().replace(">=1,<1.1", ">=1,<2") + "# mine\n")
    text = LIBRARY.read_text()
    assert registry.opwright("build").status == 0, "what is locked fits as well"
    ran = registry.opwright("update", "acme_nn", *site, "--json")
    assert ran.status == 0, ran.out
    for line in ran.lines:
        validate(line, "update")
    (told,) = [line for line in ran.lines if line["event"] == "dependency"]
    assert (told["before"], told["version"], told["status"]) == ("1.0.0", "1.1.0", "changed")
    assert LIBRARY.read_text() == text.replace("acme-nn-1.0.0", "acme-nn-1.1.0")
    assert [path.name for path in Path("specs/vendor").iterdir()] == ["acme-nn-1.1.0.onnxlib"]
    assert json.loads(LOCK.read_text())["sha256"] == told["sha256"]
    assert registry.opwright("build").status == 0
    registry.monkeypatch.setenv(INDEXES, str(registry.site))
    assert registry.opwright("update").out == "specs/dependencies.lock unchanged\n"


def test_paths_of_bundles_are_replaced_where_they_stand(registry: Registry) -> None:
    """Two packages, written on one line."""
    assert registry.opwright("add", "acme-nn>=1,<1.1", "--index", str(registry.site)).status == 0
    shutil.copytree("specs/com.acme.own", "specs/com.acme.too")
    for path in Path("specs/com.acme.too").rglob("*.*"):
        path.write_text(path.read_text().replace("com.acme.own", "com.acme.too"))
    packages = ", ".join(
        f"{{library: {name}, package: {name}_ops, domains: [com.acme.{name}],"
        ' dependencies: {acme-nn: {"bundle": "vendor/acme-nn-1.0.0.onnxlib", version: ">=1"}}}'
        for name in ("own", "too")
    )
    text = f"schema: 1\nversion: 1.0.0\nopsets: '>=18,<=20'\npackages: [{packages}]\n"
    LIBRARY.write_text(text)
    make_library(registry.nn, "nn", {"Double": DOUBLE, "Halve@2": HALVE}, version="1.1.0")
    registry.release("1.10.0")
    registry.monkeypatch.chdir(registry.home / "own")
    assert registry.opwright("update", "--index", str(registry.site)).status == 0
    assert LIBRARY.read_text() == text.replace("nn-1.0.0", "nn-1.10.0")
    assert registry.opwright("build").status == 0


def test_update_leaves_what_no_index_has_a_newer_release_of(registry: Registry) -> None:
    assert registry.opwright("add", "acme-nn>=1,<1.1", "--index", str(registry.site)).status == 0
    empty = registry.home / "empty"
    assert registry.opwright("index", str(empty)).status == 0
    before = tree(Path("specs"))
    assert registry.opwright("update", "--index", str(empty)).status == 0
    assert codes(registry.opwright("update", "acme-nn", "--index", str(empty), "--json")) == ["OW673"]
    LIBRARY.write_text(LIBRARY.read_text().replace(">=1,<1.1", ">=1,<2"))
    file = registry.site / "files/acme-nn/1.1.0/acme-nn-1.1.0.onnxlib"
    file.write_bytes(file.read_bytes()[:-1] + b"x")
    assert codes(registry.opwright("update", "--index", str(registry.site), "--json")) == ["OW672"]
    LIBRARY.write_bytes(before["library.yaml"])
    assert tree(Path("specs")) == before


def test_update_takes_what_is_installed_from_no_index(registry: Registry) -> None:
    tree_of_wheel(registry)
    assert registry.opwright("add", "acme-nn").status == 0
    before = tree(Path("specs"))
    refused = registry.opwright("update", "acme-nn", "--index", str(registry.site))
    assert refused.status == 2 and "acme-nn is not from an index: it is what is installed" in refused.out
    assert registry.opwright("update", "--index", str(registry.site)).status == 0
    assert tree(Path("specs")) == before


def test_what_is_installed_is_added_without_an_index(registry: Registry) -> None:
    assert codes(registry.opwright("add", "acme-nn", "--json")) == ["OW673"]
    tree_of_wheel(registry)
    assert registry.opwright("add", "acme-nn").status == 0
    assert 'dependencies: {acme-nn: ">=1,<2"}' in LIBRARY.read_text()
    assert json.loads(LOCK.read_text())["source"] == "installed"
    assert registry.opwright("build").status == 0


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("dependencies: {}  # none\n", "dependencies: {{{}}}  # none\n"),
        (
            "dependencies:\n  # ours\n  acme-low: {bundle: low.onnxlib}\n",
            "dependencies:\n  {}\n  # ours\n  acme-low: {{bundle: low.onnxlib}}\n",
        ),
        (
            "dependencies: {acme-low: {bundle: low.onnxlib}}\n",
            "dependencies: {{acme-low: {{bundle: low.onnxlib}}, {}}}\n",
        ),
    ],
)
def test_the_text_around_stays(registry: Registry, before: str, after: str) -> None:
    low = make_library(registry.home / "low", "low", {"Double": DOUBLE})
    registry.monkeypatch.chdir(low)
    assert registry.opwright("build").status == 0
    registry.monkeypatch.chdir(registry.home / "own")
    shutil.copy(low / "dist/acme-low-1.0.0.onnxlib", "specs/low.onnxlib")
    text = LIBRARY.read_text()
    LIBRARY.write_text(f"# the library\n{text}{before}")
    ran = registry.opwright("add", "acme-nn", "--index", str(registry.site))
    assert ran.status == 0, ran.out
    entry = 'acme-nn: {bundle: vendor/acme-nn-1.1.0.onnxlib, version: ">=1.1,<2"}'
    assert LIBRARY.read_text() == f"# the library\n{text}{after.format(entry)}"


def test_a_form_that_is_not_known_stays_as_it_is(registry: Registry) -> None:
    LIBRARY.write_text(LIBRARY.read_text() + "dependencies: [acme-low,\n  acme-high]\n")
    before = tree(Path("specs"))
    ran = registry.opwright("add", "acme-nn", "--index", str(registry.site), "--json")
    assert (ran.status, codes(ran)) == (1, ["OW676"])
    assert tree(Path("specs")) == before


def test_of_several_packages_one_gets_it(registry: Registry) -> None:
    LIBRARY.write_text(
        "schema: 1\nversion: 1.0.0\nopsets: '>=18,<=20'\npackages:\n"
        "  - library: acme-own\n    package: acme_own\n    domains: [com.acme.own]\n"
    )
    words = ("add", "acme-nn", "--index", str(registry.site))
    assert registry.opwright(*words, "-p", "other").status == 2
    assert registry.opwright(*words, "-p", "acme-own").status == 0
    assert "  - library: acme-own\n    dependencies: {acme-nn: " in LIBRARY.read_text()


@pytest.mark.parametrize("name", ["acme-own", "Acme_Own>=1"])
def test_a_library_is_not_added_to_itself(registry: Registry, name: str) -> None:
    """Nothing is looked for: an index that lists it is not even asked."""
    before = tree(Path("specs"))
    for index in ((), ("--index", str(registry.site)), ("--index", "nowhere")):
        ran = registry.opwright("add", name, *index, "--json")
        assert (ran.status, codes(ran)) == (1, ["OW138"])
    assert "from acme_own import opset1" in registry.opwright("add", name).out
    assert tree(Path("specs")) == before


def test_a_package_beside_it_is_written_not_added(registry: Registry) -> None:
    head = "schema: 1\nversion: 1.0.0\nopsets: '>=18,<=20'\npackages:\n"
    own = "  - {library: acme-own, package: acme_own, domains: [com.acme.own]}\n"
    LIBRARY.write_text(f"{head}{own}  - {{library: acme-more, package: acme_more, domains: [com.acme.more]}}\n")
    shutil.copytree("specs/com.acme.own", "specs/com.acme.more")
    ran = registry.opwright("add", "acme-more", "-p", "acme-own")
    assert ran.status == 2
    assert "acme-more is a package of this library" in ran.out
    assert "write `acme-more` below `dependencies:` of acme-own" in ran.out


def test_what_does_not_fit_is_not_added(registry: Registry) -> None:
    """A library whose domain is the own one."""
    path = Path("specs/com.acme.own")
    path.rename("specs/com.acme.nn")
    text = Path("specs/com.acme.nn/Four/spec.yaml").read_text()
    Path("specs/com.acme.nn/Four/spec.yaml").write_text(text.replace("com.acme.own", "com.acme.nn"))
    before = tree(Path("specs"))
    ran = registry.opwright("add", "acme-nn", "--index", str(registry.site), "--json")
    assert (ran.status, set(codes(ran))) == (1, {"OW634"})
    assert tree(Path("specs")) == before
