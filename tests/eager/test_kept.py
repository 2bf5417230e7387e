"""The bounded cache: who goes first, and who does not."""

from __future__ import annotations

from opwright.eager.kept import Kept


class _Item:
    def __init__(self) -> None:
        self.used = False
        self.dropped = False

    def drop(self) -> None:
        self.dropped = True


def _filled(most: int) -> tuple[Kept[_Item], list[_Item]]:
    kept: Kept[_Item] = Kept(most)
    items = [_Item() for _ in range(most)]
    for number, item in enumerate(items):
        kept.keep(number, item)
    return kept, items


def test_the_oldest_that_was_not_used_goes() -> None:
    kept, items = _filled(3)
    items[0].used = True
    kept.keep("new", _Item())
    assert [item.dropped for item in items] == [False, True, False]
    assert len(kept) == 3


def test_a_new_one_stays_where_all_others_are_used() -> None:
    """It went at once: a session that had just been made was nobody's, and its function never became a graph."""
    kept, items = _filled(3)
    for item in items:
        item.used = True
    new = _Item()
    kept.keep("new", new)
    assert kept.get("new") is new and not new.dropped
    assert [item.dropped for item in items] == [True, False, False]


def test_an_item_takes_the_place_of_that_of_its_key() -> None:
    kept, items = _filled(2)
    kept.keep(1, _Item())
    assert len(kept) == 2 and not items[0].dropped
