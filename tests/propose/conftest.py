"""A library of small functions, built once, and what is proposed of it."""

from __future__ import annotations

import io
import shutil
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import pytest
from opwright.bundle.format import Bundle
from opwright.bundle.read import read_bundle
from opwright_build.cli.entry import main
from opwright_build.propose.assemble import Package, Reference, assemble
from opwright_build.propose.node_cases import ChosenCases, choose_cases
from opwright_build.propose.subject import Proposal, make_proposal
from opwright_build.spec.load import load_library
from opwright_build.verify.case_model import Case
from opwright_build.verify.cases.collect import collect_cases
from opwright_build.verify.run.runtimes import available

SOURCE = Path(__file__).parent / "library"


@dataclass(frozen=True)
class Made:
    """A proposal with the vectors it is made from."""

    proposal: Proposal
    cases: tuple[Case, ...]
    reference: Reference | None

    @property
    def chosen(self) -> ChosenCases:
        return choose_cases(self.proposal, self.cases)

    @cached_property
    def _package(self) -> Package:
        return assemble(self.proposal, self.cases, self.reference, available(), workers=0)

    def package(self) -> Package:
        """Made once."""
        return self._package


Propose = Callable[[str], Made]


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library's folder, with its bundle in dist/."""
    root = tmp_path_factory.mktemp("proposals") / "library"
    shutil.copytree(SOURCE, root)
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        assert main(["build", str(root)]) == 0, out.getvalue()
    return root


@pytest.fixture(scope="session")
def bundle(built: Path) -> Bundle:
    (path,) = (built / "dist").glob("*.onnxlib")
    return read_bundle(path.read_bytes(), path.name)


@pytest.fixture(scope="session")
def propose(built: Path, bundle: Bundle) -> Propose:
    """The proposal of a version, by `Name@since_version`."""
    loaded = load_library(built)
    interfaces = {entry.identity: entry for entry in bundle.index.functions}

    @cache
    def make(name: str) -> Made:
        (entry,) = (entry for entry in interfaces.values() if entry.identity.endswith(f"::{name}"))
        (version,) = (version for version in loaded.versions if version.identity == entry.identity)
        collected = collect_cases(loaded.versions, interfaces, built, True, only={entry.identity})
        assert collected.diagnostics == ()
        reference = None
        if version.reference_file is not None:
            reference = Reference((version.folder / version.reference_file).read_text(), version.reference_name)
        return Made(make_proposal(bundle, entry), collected.cases, reference)

    return make
