"""From compiled versions to the index of a bundle."""

from __future__ import annotations

from opwright.bundle.format import DomainEntry
from opwright.diagnostics.diagnostic import Place
from opwright_build.package.index import build_index
from opwright_build.spec.model import Dependency, Domain, OpsetRange, Package

from tests.package.sample import sample_library


def test_everything_is_sorted_and_nothing_is_lost() -> None:
    entries = sample_library().index.functions
    package = Package(
        name="acme-ops",
        version="1.0.0",
        package="acme_ops",
        summary="Ops.",
        license="MIT",
        opsets=OpsetRange(13, 24),
        requires={"opwright": ">=0.1"},
        domains=("com.acme", "com.z"),
        siblings={"sibling-ops": ">=1"},
        dependencies={"other-ops": Dependency(">=1", "", Place("specs/library.yaml"))},
        places={},
    )
    domains = [Domain("com.z", 4, None, "", {}), Domain("com.acme", 3, "acme.mirror", "", {})]
    index = build_index(package, domains, list(reversed(entries)), "1.23.2")
    assert index.functions == entries
    assert index.domains == (DomainEntry("com.acme", 3, "acme.mirror"), DomainEntry("com.z", 4, "com.z"))
    assert index.requires == (("opwright", ">=0.1"),)
    assert (index.library, index.version, index.package) == ("acme-ops", "1.0.0", "acme_ops")
    assert (index.opsets, index.onnx) == ((13, 24), "1.23.2")
