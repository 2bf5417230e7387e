"""The parser of command lines: an option with one value is given once, and mistakes are told in a line."""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Sequence
from typing import Any, NoReturn

from opwright.suggest import nearest

_USAGE = 2  # the exit status


class _Once(argparse.Action):
    """Stores the value of an option, and refuses a second one, where argparse would forget the first."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        given: set[str] = vars(namespace).setdefault("given", set())
        if option_string is not None and self.dest in given:
            parser.error(f"{option_string} takes one value and is given several")
        given.add(self.dest)
        setattr(namespace, self.dest, values)


class CommandParser(argparse.ArgumentParser):
    """The parser of one command: it tells a mistake in a line, and where the options stand, and ends with
    SystemExit(2)."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.register("action", None, _Once)
        self.register("action", "store", _Once)

    def parse_words(self, words: Sequence[str]) -> argparse.Namespace:
        """What the words of a command line come to; options and others stand in any order."""
        options = itertools.takewhile(lambda word: word != "--", words)
        unknown = [word for word in options if self._is_unknown_option(word)]
        if unknown:  # before what is missing: that may be what it was meant to be
            meant = nearest(unknown[0].partition("=")[0], self._option_string_actions)
            self._refuse(f"unrecognized arguments: {' '.join(unknown)}", meant)
        return self.parse_intermixed_args(words)

    def error(self, message: str) -> NoReturn:
        self._refuse(message)

    def _refuse(self, message: str, meant: str = "") -> NoReturn:
        way_out = f"did you mean `{meant}`? " if meant else ""
        name = self.prog.partition(" ")[2]
        where = f"`opwright help {name}` shows what it takes" if name else "`opwright help` lists the commands"
        self.exit(_USAGE, f"{self.prog}: {message}\n  help: {way_out}{where}\n")

    def _is_unknown_option(self, word: str) -> bool:
        """As argparse takes it: words with a space are none."""
        option, _, _ = word.partition("=")
        return len(word) > 2 and word.startswith("--") and " " not in word and option not in self._option_string_actions
