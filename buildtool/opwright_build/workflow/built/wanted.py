"""What a build is to give, and the action that makes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from opwright_build.engine.action import Action
from opwright_build.engine.content_digest import Json
from opwright_build.workflow.built.select_packages import names_asked_for
from opwright_build.workflow.opened.session import Session

if TYPE_CHECKING:
    from opwright_build.spec.model import Library, Package
    from opwright_build.workflow.selection.chosen import Chosen


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a build is to give, but for the packages, which its session names. `release` is the version that these are
    to have, where it is not the one in library.yaml; `locked`: the library is compared with what was released; the
    version of the identity `proposed` gets the body that its spec proposes; `chosen` are the versions that are
    selected, None for all."""

    release: str = ""
    locked: bool = True
    proposed: str = ""
    chosen: Chosen | None = None

    @property
    def is_compared(self) -> bool:
        """Whether it is held against what was released, as a part of it or a proposal cannot be."""
        return self.locked and self.chosen is None and not self.proposed


def library_action(session: Session, wanted: Wanted) -> Action:
    """The action that makes what is wanted."""
    params: dict[str, Json] = {"packages": list(names_asked_for(session))} if session.packages else {}
    params |= {"release": wanted.release} if wanted.release else {}
    params |= {} if wanted.locked else {"locked": False}
    params |= {"proposed": wanted.proposed} if wanted.proposed else {}
    if wanted.chosen is not None:
        params |= {"versions": list(wanted.chosen.identities), "broken": list(wanted.chosen.broken)}
    return Action("library", part_label("library", wanted.chosen), {}, params, session.environment)


def part_label(label: str, chosen: Chosen | None) -> str:
    """The label of an action of the whole library, or of a part, which is no news of the whole."""
    return label if chosen is None else f"{label} (selected)"


def package_label(library: Library, package: Package) -> str:
    """The label of the action that makes a package's files."""
    return "package" if len(library.packages) == 1 else f"package {package.name}"
