"""Which rows of `specs/runtime-gaps.yaml` a run is compared with, by the releases of the runtimes.

A row holds for the releases that it names, or for all that the file lists for its family. A release that the file does
not list is compared with the one before it: what differs is counted, and is no failure.
"""

from __future__ import annotations

from collections.abc import Mapping

from opwright_build.spec.runtime_names import family_of
from opwright_build.verify.facts.gaps import Gap, GapsFile, release_order


def compared_with(file: GapsFile, releases: Mapping[str, str]) -> dict[str, str]:
    """The listed release whose rows count, by family: the running one, or the one before it, or the oldest.

    Families of which the file lists no release are left out: all of their rows count.
    """
    found: dict[str, str] = {}
    for family, running in releases.items():
        listed = sorted(file.releases.get(family, ()), key=release_order)
        earlier = [item for item in listed if release_order(item) <= release_order(running)]
        if listed:
            found[family] = running if running in listed else (earlier[-1] if earlier else listed[0])
    return found


def unlisted(file: GapsFile, releases: Mapping[str, str]) -> dict[str, str]:
    """The running releases that the file does not list, by family."""
    against = compared_with(file, releases)
    return {family: release for family, release in releases.items() if against.get(family, release) != release}


def rows_in_force(file: GapsFile, releases: Mapping[str, str]) -> tuple[Gap, ...]:
    """The rows that hold for what the running releases are compared with; those of other runtimes stay."""
    against = compared_with(file, releases)
    return tuple(
        gap for gap in file.gaps if not gap.releases or against.get(family_of(gap.runtime), "") in ("", *gap.releases)
    )
