"""Finding the bundle of an installed library without importing it."""

from __future__ import annotations

import sys
from importlib.metadata import Distribution
from pathlib import Path

import pytest
from opwright.bundle.installed import distribution_bundle, installed_bundle, package_bundle, package_bundles
from opwright.bundle.read import find_bundle
from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError

from tests.bundle.sample import BUNDLE, sample_index


def install(site: Path, distribution: str, package: str, bundles: tuple[str, ...] = ("x.onnxlib",)) -> None:
    folder = site / package
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("raise SystemExit('a package was imported')\n")
    for name in bundles:
        (folder / name).write_bytes(BUNDLE)
    info = site / f"{distribution.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")
    files = [f"{package}/__init__.py", *(f"{package}/{name}" for name in bundles)]
    (info / "RECORD").write_text("".join(f"{file},,\n" for file in files))


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    return tmp_path


def refusal(name: str) -> Diagnostic:
    with pytest.raises(DiagnosticError) as caught:
        installed_bundle(name)
    [found] = caught.value.diagnostics
    return found


@pytest.mark.parametrize("name", ["acme-ops", "acme_ops", "Acme.Ops", "acme"])
def test_by_distribution_package_or_short_name(site: Path, name: str) -> None:
    install(site, "acme-ops", "acme_ops")
    install(site, "acmetools", "acmetools")
    assert installed_bundle(name) == site / "acme_ops" / "x.onnxlib"
    assert find_bundle(name).index == sample_index()
    assert "acme_ops" not in sys.modules


def test_a_distribution_whose_package_has_another_name(site: Path) -> None:
    install(site, "acme-operators", "acmeops")
    assert installed_bundle("acme-operators") == installed_bundle("acmeops") == site / "acmeops" / "x.onnxlib"


def test_an_exact_name_comes_before_a_longer_one(site: Path) -> None:
    install(site, "acme-ops", "first")
    install(site, "acme-ops-extra", "second")
    assert installed_bundle("acme-ops").parent.name == "first"


def test_a_short_name_that_fits_twice(site: Path) -> None:
    install(site, "acme-ops", "acme_ops")
    install(site, "acme-nn", "acme_nn")
    found = refusal("acme")
    assert found.code == "OW518"
    assert "acme-nn, acme-ops" in found.message


@pytest.mark.parametrize("name", ["acme-ops", "acme_ops", "Acme.Ops"])
def test_the_very_distribution(site: Path, name: str) -> None:
    install(site, "acme-ops-extra", "second")
    assert distribution_bundle(name) is None
    install(site, "acme-ops", "first")
    assert distribution_bundle(name) == site / "first" / "x.onnxlib"
    assert distribution_bundle("acme") is None


def test_the_first_distribution_on_the_import_path_hides_those_behind_it(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(site / "front", "acme-ops", "acme_ops", ())
    install(site, "acme-ops", "acmeops")
    assert distribution_bundle("acme-ops") == site / "acmeops" / "x.onnxlib"
    monkeypatch.setattr(sys, "path", [str(site / "front"), *sys.path])
    assert distribution_bundle("acme-ops") is None


def test_a_distribution_with_two_bundles(site: Path) -> None:
    install(site, "acme-ops", "acme_ops", ("x.onnxlib", "y.onnxlib"))
    with pytest.raises(DiagnosticError) as caught:
        distribution_bundle("acme-ops")
    assert caught.value.diagnostics[0].code == "OW518"


def test_the_files_of_distributions_without_a_bundle_are_not_listed(
    site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There are tens of thousands of them in an environment."""
    install(site, "plain", "plain", ())
    install(site, "acme-ops", "acmeops")
    files, listed = Distribution.files, list[str]()

    def seen(distribution: Distribution) -> object:
        listed.append(distribution.metadata["Name"])
        return files.__get__(distribution)

    monkeypatch.setattr(Distribution, "files", property(seen))
    assert distribution_bundle("acme-ops") == installed_bundle("acme-ops") == site / "acmeops" / "x.onnxlib"
    assert set(listed) - {"opwright-std"} == {"acme-ops"}


def test_two_bundles_in_one_package(site: Path) -> None:
    install(site, "acme-ops", "acme_ops", ("x.onnxlib", "y.onnxlib"))
    assert refusal("acme_ops").code == "OW518"


def test_no_such_library(site: Path) -> None:
    install(site, "acme-ops", "acme_ops")
    assert refusal("nothing").code == "OW518"
    assert "did you mean acme-ops?" in refusal("acne-ops").help


def test_a_package_without_a_bundle(site: Path) -> None:
    install(site, "plain", "plain", ())
    assert "the package plain holds no bundle" in refusal("plain").reason


@pytest.mark.parametrize("name", ["", "..", "a b", "os.path\n", "-x"])
def test_what_can_be_no_name(name: str) -> None:
    assert refusal(name).code == "OW518"


def test_what_is_no_name() -> None:
    for name in (5, None):
        with pytest.raises(DiagnosticError, match=f"OW518: no installed library is called {name}"):
            find_bundle(name)  # type: ignore[arg-type]


def test_the_bundle_beside_a_packages_modules(site: Path) -> None:
    install(site, "acme-ops", "acme_ops", ("acme-ops-1.0.onnxlib",))
    assert package_bundle("acme_ops", "acme-ops-1.0.onnxlib") == site / "acme_ops" / "acme-ops-1.0.onnxlib"
    with pytest.raises(DiagnosticError) as caught:
        package_bundle("acme_ops", "acme-ops-2.0.onnxlib")
    assert caught.value.diagnostics[0].code == "OW518"


def test_in_a_librarys_repository_the_bundle_is_the_built_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "library" / "acme_ops").mkdir(parents=True)
    (tmp_path / "dist").mkdir()
    built = tmp_path / "dist" / "acme-ops-1.0.onnxlib"
    built.write_bytes(BUNDLE)
    monkeypatch.setattr(sys, "path", [str(tmp_path / "library"), *sys.path])
    with pytest.raises(DiagnosticError):  # any folder may be called dist
        package_bundle("acme_ops", built.name)
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "library.yaml").touch()
    assert package_bundle("acme_ops", built.name) == built


def test_what_is_no_package_has_no_bundles() -> None:
    assert list(package_bundles("os")) == []
    assert list(package_bundles("no_such_package")) == []
    assert list(package_bundles("not a name")) == []
