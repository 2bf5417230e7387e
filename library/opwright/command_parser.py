"""The parser of command lines: an option with one value is given once."""

from __future__ import annotations

import argparse
from typing import Any


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


class OnceParser(argparse.ArgumentParser):
    """A parser whose options with one value, and those of its commands, are given once."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.register("action", None, _Once)
        self.register("action", "store", _Once)
