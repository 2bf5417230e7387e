"""What the options of a command say about the functions to work on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Asked:
    """What the options say. The values of one add up, and each option narrows what the others leave.

    `selectors` are texts in the language of `language`; `since` revisions of git; `failed` those versions alone that
    failed when they were last tested.
    """

    selectors: tuple[str, ...] = ()
    since: tuple[str, ...] = ()
    failed: bool = False

    def __bool__(self) -> bool:
        return bool(self.selectors or self.since or self.failed)
