"""A whole library as one action, which every command starts from: what it gives, and how that is read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from opwright.diagnostics.diagnostic import Diagnostic, has_errors

from opwright_build.engine.action import Done, Failed, Outcome, Unsupported
from opwright_build.engine.mutual_actions import Result
from opwright_build.engine.reader import Reader
from opwright_build.engine.run import Engine
from opwright_build.workflow.built.select_packages import names_asked_for
from opwright_build.workflow.built.wanted import Wanted, library_action
from opwright_build.workflow.compiled.version_parts import FACTS, TABLE, expand_rows, is_file
from opwright_build.workflow.opened.session import Session

if TYPE_CHECKING:
    from opwright.bundle.format import Bundle

    from opwright_build.versions.numeric import NumericVerdict
    from opwright_build.workflow.selection.chosen import Chosen


@dataclass(frozen=True, slots=True)
class BuiltLibrary:
    """What a library action gave. `files` maps each path to write, relative to the root, to its digest.

    `packages` are the figures of each package that was asked for, in the order of library.yaml. `verdicts` say what the
    bodies compute that are not those released. `chosen` are the identities of the versions that were selected, None
    where all are: then the bundles hold more, what those call.
    """

    result: Result
    diagnostics: tuple[Diagnostic, ...]
    good: bool
    files: Mapping[str, str]
    facts: Mapping[str, Any]
    verdicts: Mapping[str, NumericVerdict] = field(default_factory=dict)
    chosen: frozenset[str] | None = None

    @property
    def packages(self) -> Sequence[Mapping[str, Any]]:
        packages: Sequence[Mapping[str, Any]] = self.facts.get("packages", ())
        return packages

    def is_chosen(self, identity: str) -> bool:
        """Whether the version is one of those that are selected."""
        return self.chosen is None or identity in self.chosen

    @property
    def is_empty(self) -> bool:
        """Whether nothing is selected, as where nothing has changed."""
        return self.good and self.chosen is not None and not self.chosen

    def total(self, figure: str) -> int:
        """The sum of a figure over the packages."""
        return sum(int(package[figure]) for package in self.packages)


def build_library(session: Session, release: str = "", *, locked: bool = True, proposed: str = "") -> BuiltLibrary:
    """Everything that the packages asked for yield, as far as it is not known already. Writes nothing but the cache.

    `release` is the version that those are to have, where it is not the one in library.yaml. Bodies that are not those
    released are run beside them; without `locked` nothing is compared with what was released, nor where some functions
    are selected. The version of the identity `proposed` gets the body that its spec proposes. UsageError when the
    library has no package of a name that is asked for, or no function that is selected.
    """
    wanted = Wanted(release, locked, proposed, chosen_versions(session))
    action = library_action(session, wanted)

    def function(reader: Reader, engine: Engine) -> Outcome:
        # What is known imports nothing of this.
        from opwright_build.workflow.built.edited_sources import build_edited

        is_usual = wanted.is_compared and not (release or session.packages or engine.runs_all)
        done = build_edited(session, engine, reader, action) if is_usual else None
        if done is not None:
            return done
        from opwright_build.workflow.built.whole_library import build_whole

        return build_whole(reader, engine, session, wanted, action if is_usual else None)

    only = None if wanted.chosen is None else frozenset(wanted.chosen.identities)
    result = session.engine.run_composite(action, function)
    match result.outcome:
        case Done(outputs, diagnostics, _):
            files = {path: digest for path, digest in outputs.items() if is_file(path)}
            facts = json.loads(session.engine.fetch(result, FACTS))
            return _compared(session, BuiltLibrary(result, diagnostics, True, files, facts, chosen=only))
        case Failed(diagnostics):
            return BuiltLibrary(result, diagnostics, False, {}, {}, chosen=only)
        case Unsupported(reason):
            raise AssertionError(f"a library is never unsupported: {reason}")


def chosen_versions(session: Session) -> Chosen | None:
    """The versions that are selected, of the packages that are asked for; None where no function is asked for."""
    if not session.asked:
        return None
    from opwright_build.spec.load import load_library
    from opwright_build.workflow.selection.chosen import choose
    from opwright_build.workflow.selection.knowledge import LibraryKnowledge

    loaded = load_library(session.root, only=names_asked_for(session) if session.packages else None)
    return choose(session.asked, loaded, LibraryKnowledge(session, loaded))


def _compared(session: Session, library: BuiltLibrary) -> BuiltLibrary:
    """With what became of bodies that are not those released."""
    differing = library.facts["differing"]
    if not differing:
        return library
    from opwright_build.spec.load import load_versions
    from opwright_build.workflow.built.released_bodies import judge_differing

    loaded = load_versions(session.root, differing)
    judged = judge_differing(session, loaded, read_built(session, library), differing, session.tree.read)
    good = not has_errors(judged.findings)
    return replace(library, diagnostics=(*library.diagnostics, *judged.findings), good=good, verdicts=judged.verdicts)


def read_packages(session: Session, library: BuiltLibrary) -> list[Bundle]:
    """The bundles of the packages that were asked for, built well."""
    from opwright.bundle.read import read_bundle

    bundles: list[Bundle] = []
    for package in library.packages:
        path = package["path"]
        data = session.publisher.published(path, library.files[path])
        bundles.append(read_bundle(session.engine.fetch(library.result, path) if data is None else data, path))
    return bundles


def read_built(session: Session, library: BuiltLibrary) -> Bundle:
    """The bundles of the packages that were asked for, as one."""
    from opwright.bundle.join import join_bundles

    return join_bundles(read_packages(session, library))


def read_rows(session: Session, library: BuiltLibrary) -> list[dict[str, Any]]:
    """What became of each opset of each version: its bodies by variant, or what prevents them."""
    outputs = library.result.outcome.outputs if isinstance(library.result.outcome, Done) else ()
    parts = sorted(name for name in outputs if name.startswith(TABLE))
    return [row for part in parts for row in expand_rows(session.engine.fetch(library.result, part))]
