"""YAML bytes -> a tree of nodes that know where they stand.

What is read is the plain part of YAML 1.2: mappings with text keys, sequences, scalars. Anchors, aliases, merge
keys, tags, directives and several documents are refused, duplicate keys too. Any bytes give a tree or located
diagnostics, in bounded time and without recursion. libyaml does the scanning where it is installed; PyYAML's own
scanner gives the same result, more slowly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

import yaml
from opwright.diagnostics.diagnostic import Diagnostic, Place, Related
from yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    DocumentStartEvent,
    Event,
    MappingStartEvent,
    ScalarEvent,
    SequenceStartEvent,
)

from opwright_build.spec.yaml_nodes import Entry, MappingNode, Node, Scalar, Sequence, kind_of, rewritten
from opwright_build.spec.yaml_scalars import NumberTooLongError, Resolved, resolve

MAX_BYTES = 512 * 1024
MAX_SCALAR = 64 * 1024
MAX_DEPTH = 40
MAX_NODES = 50_000
MAX_FINDINGS = 50
_SMALLER = "Look whether it is the file that is meant: what is written by hand is far smaller."

# Characters on which editors, libyaml and PyYAML disagree about what they are or where a line ends.
_REFUSED_CHARACTER = re.compile("[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]|\r(?!\n)")
_COLON_WITHOUT_SPACE = re.compile(r":[,\[\]{}]")
_HEADER_WITHOUT_SPACE = re.compile(r"[|>][-+0-9]*#")


@dataclass(frozen=True, slots=True)
class YamlFile:
    """What became of a file. `root` is None when the text has no tree; findings may come with a tree too."""

    root: Node | None
    diagnostics: tuple[Diagnostic, ...]


def read_yaml(data: bytes, file: str, *, smaller: str = _SMALLER, loader: type[Any] | None = None) -> YamlFile:
    """Reads one YAML document. `file` is the name that places carry; `smaller` is the help where it is too large, and
    may have been read in part; `loader` chooses PyYAML's scanner (for tests)."""
    text, refusal = _decode(data, file, smaller)
    if refusal is not None:
        return YamlFile(None, (refusal,))
    reader = _Reader(text, file)
    try:
        reader.read(yaml.parse(text, Loader=loader or scanner()))
    except yaml.MarkedYAMLError as error:
        reader.refuse_syntax(error)
    except _StopError:
        pass
    return YamlFile(None if reader.broken else reader.root, tuple(reader.diagnostics))


def scanner() -> type[Any]:
    """libyaml's scanner where PyYAML was built with it, else PyYAML's own."""
    return yaml.CBaseLoader if yaml.__with_libyaml__ else yaml.BaseLoader


def _decode(data: bytes, file: str, smaller: str) -> tuple[str, Diagnostic | None]:
    if len(data) > MAX_BYTES:
        return "", Diagnostic("OW105", f"the file has more than {MAX_BYTES:,} bytes", Place(file), help=smaller)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        head = data[: error.start].decode("utf-8")
        message = f"byte 0x{data[error.start]:02x} is not UTF-8"
        return "", Diagnostic("OW102", message, _place_after(head, file), help="Save the file as UTF-8 text.")
    refused = _REFUSED_CHARACTER.search(text)
    if refused is None:
        return text, None
    name = {"\t": "a tab", "\ufeff": "a byte order mark", "\r": "a lone carriage return"}.get(
        refused[0], f"the character U+{ord(refused[0]):04X}"
    )
    way_out = {
        "\t": "Indent with spaces; inside double quotes write \\t.",
        "\ufeff": "Save the file as UTF-8 without a byte order mark.",
        "\r": "End lines with a line feed.",
    }.get(refused[0], f"Remove it, or write \\u{ord(refused[0]):04X} inside double quotes.")
    message = f"{name} is not allowed in YAML here"
    return "", Diagnostic("OW102", message, _place_after(text[: refused.start()], file), help=way_out)


def _place_after(head: str, file: str) -> Place:
    line = head.count("\n") + 1
    column = len(head) - (head.rfind("\n") + 1) + 1
    return Place(file, line, column, line, column + 1)


class _StopError(Exception):
    """Reading cannot go on; what is wrong has been reported."""


@dataclass(slots=True)
class _Open:
    """A collection whose end has not been read. `key` is the key that waits for its value."""

    mapping: bool
    flow: bool
    start: Any  # PyYAML's mark
    items: list[Node] = field(default_factory=list)
    entries: dict[str, Entry] = field(default_factory=dict)
    key: tuple[str, Place] | None = None
    unnamed: bool = False  # the key was refused; its value is read and dropped


class _Reader:
    """Builds the tree from the scanner's events, with an explicit stack."""

    def __init__(self, text: str, file: str) -> None:
        self.file = file
        self.lines = text.split("\n")
        self.root: Node | None = None
        self.broken = False
        self.diagnostics: list[Diagnostic] = []
        self.open: list[_Open] = []
        self.nodes = 0

    def read(self, events: Iterator[Event]) -> None:
        documents = 0
        for event in events:
            match event:
                case ScalarEvent():
                    self._features(event)
                    self._scalar(event)
                case MappingStartEvent() | SequenceStartEvent():
                    self._features(event)
                    self._start(event)
                case CollectionEndEvent():
                    self._end(event)
                case AliasEvent():
                    self._refuse(event, "an alias (`*name`) is not read", "Write the value out.")
                    self.broken = True
                    self._add(Scalar(None, "", True, self._place(event)))
                case DocumentStartEvent():
                    documents += 1
                    self._document(event, documents)
                case _:
                    pass
        if self.root is None and not self.broken:
            self._stop(Diagnostic("OW101", "the file is empty", Place(self.file)))

    def refuse_syntax(self, error: yaml.MarkedYAMLError) -> None:
        place = self._mark(error.problem_mark or error.context_mark)
        way_out = "Quote text that holds `: `, ` #`, or begins with one of `@ ` % & * ! | > [ ] { } , ? -`."
        related: tuple[Related, ...] = ()
        if error.context is not None and error.context_mark is not None:
            related = (Related(self._mark(error.context_mark), error.context),)
            if "flow" in error.context:
                way_out = "Close the bracket, or quote text that holds `,` or a bracket."
        message = error.problem or "the YAML cannot be read"
        self.diagnostics.append(Diagnostic("OW101", message, place, help=way_out, related=related))
        self.broken = True

    def _mark(self, mark: Any) -> Place:
        """One character, inside the text (a scanner that meets the end stands behind it)."""
        if mark is None:
            return Place(self.file)
        line = min(mark.line, len(self.lines) - 1)
        column = min(mark.column, len(self.lines[line]))
        return Place(self.file, line + 1, column + 1, line + 1, column + 2)

    def _document(self, event: DocumentStartEvent, count: int) -> None:
        if count > 1:
            self._refuse(event, "a second YAML document is not read", "Keep one document in a file.")
            self.broken = True  # keys of the first may stand in the second
            raise _StopError
        if event.version is not None or event.tags:
            self._refuse(event, "YAML directives are not read", "Remove the lines that begin with `%`.")

    def _features(self, event: ScalarEvent | MappingStartEvent | SequenceStartEvent) -> None:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            self._stop(Diagnostic("OW105", f"the file has more than {MAX_NODES:,} values", self._place(event)))
        if event.anchor is not None:
            self._refuse(event, f"the anchor &{event.anchor[:80]} is not read", "Write the value out where it is used.")
        if event.tag is not None:
            self._refuse(event, f"the tag {event.tag[:80]} is not read", "Remove the tag; quotes make a value text.")

    def _scalar(self, event: ScalarEvent) -> None:
        place = self._place(event)
        text: str = event.value
        plain = not event.style
        if len(text) > MAX_SCALAR:
            self._stop(Diagnostic("OW105", f"a value has {len(text):,} characters; at most {MAX_SCALAR:,}", place))
        self._disputed(event, text, plain, place)
        try:
            value = resolve(text) if plain else text
        except NumberTooLongError:
            self._stop(Diagnostic("OW105", f"a number of {len(text):,} characters", place))
        top = self.open[-1] if self.open else None
        if text == "" and plain:
            place = self._empty(top, place)
        if top is not None and top.mapping and top.key is None and not top.unnamed:
            self._key(top, value, text, plain, place)
        else:
            self._add(Scalar(value, text, plain, place))

    def _empty(self, top: _Open | None, place: Place) -> Place:
        """Where nothing stands: its key, or the start of what holds it. The scanners' own marks differ."""
        if top is None:
            return Place(self.file, 1, 1, 1, 2)
        if top.key is not None:
            return top.key[1]
        return self._span(top.start, top.start) if top.mapping else place

    def _disputed(self, event: ScalarEvent, text: str, plain: bool, place: Place) -> None:
        """Refuses, with both scanners, the three things that only one of them accepts."""
        message = ""
        if plain and self.open and self.open[-1].flow:
            end: Any = event.end_mark
            if "?" in text:
                message = f"`{text[:80]}` holds a `?` and stands inside brackets without quotes"
            elif _COLON_WITHOUT_SPACE.match(self._line(end.line), end.column):
                message = "a colon inside brackets needs a space after it"
        elif event.style in ("|", ">"):
            start: Any = event.start_mark
            if _HEADER_WITHOUT_SPACE.match(self._line(start.line), start.column):
                message = "a comment needs a space before it"
        if message:
            self._report(Diagnostic("OW101", message, place))
            self.broken = True

    def _key(self, top: _Open, value: Resolved, text: str, plain: bool, place: Place) -> None:
        if plain and text == "<<":
            self._report(Diagnostic("OW103", "merge keys (`<<`) are not read", place, help="Write the keys out."))
            top.unnamed = True
            self.broken = True  # keys that seem to be missing may stand there
        elif not isinstance(value, str):
            message = f"a key must be text, but `{text[:80]}` is {kind_of(value)}"
            fix = rewritten(place, text, text, quoted=True) if plain else None
            self._report(Diagnostic("OW108", message, place, help="Put quotes around it.", replacement=fix))
            top.unnamed = True
        elif not value.isprintable():
            self._report(Diagnostic("OW102", "a key holds a character that cannot be printed", place))
            top.unnamed = True
        elif value in top.entries:
            related = Related(top.entries[value].key, "the first one stands here")
            self._report(Diagnostic("OW104", f"the key `{value[:80]}` stands twice", place, related=(related,)))
            top.unnamed = True
        else:
            top.key = (value, place)

    def _start(self, event: MappingStartEvent | SequenceStartEvent) -> None:
        if len(self.open) >= MAX_DEPTH:
            message = f"values are nested deeper than {MAX_DEPTH} levels"
            self._stop(Diagnostic("OW105", message, self._place(event)))
        top = self.open[-1] if self.open else None
        if top is not None and top.mapping and top.key is None and not top.unnamed:
            self._refuse(event, "a mapping or sequence as a key is not read", "Keys are words.")
            self.broken = True
            raise _StopError
        mapping = isinstance(event, MappingStartEvent)
        self.open.append(_Open(mapping, bool(event.flow_style), event.start_mark))

    def _end(self, event: CollectionEndEvent) -> None:
        closed = self.open.pop()
        place = self._span(closed.start, event.end_mark) if closed.flow else self._span(closed.start, closed.start)
        if closed.mapping:
            self._add(MappingNode(closed.entries, place))
        else:
            self._add(Sequence(tuple(closed.items), place))

    def _add(self, node: Node) -> None:
        if not self.open:
            self.root = node
            return
        top = self.open[-1]
        if not top.mapping:
            top.items.append(node)
        elif top.key is not None:
            name, place = top.key
            top.entries[name] = Entry(place, node)
            top.key = None
        else:
            top.unnamed = False  # the refused key takes this value with it

    def _place(self, event: Event) -> Place:
        return self._span(event.start_mark, event.end_mark)

    def _span(self, start: Any, end: Any) -> Place:
        """From mark to mark, at least one character; what goes on over lines ends with its first line."""
        first, column = start.line + 1, start.column + 1
        if end.line == start.line:
            return Place(self.file, first, column, first, max(end.column, column) + 1)
        length = len(self._line(start.line).rstrip())
        return Place(self.file, first, column, first, max(length, column) + 1)

    def _line(self, number: int) -> str:
        """libyaml's last marks may stand behind the last line."""
        return self.lines[number] if number < len(self.lines) else ""

    def _refuse(self, event: Event, message: str, way_out: str) -> None:
        self._report(Diagnostic("OW103", message, self._place(event), help=way_out))

    def _report(self, diagnostic: Diagnostic) -> None:
        self.diagnostics.append(diagnostic)
        if len(self.diagnostics) >= MAX_FINDINGS:
            self.broken = True
            raise _StopError

    def _stop(self, diagnostic: Diagnostic) -> NoReturn:
        self.diagnostics.append(diagnostic)
        self.broken = True
        raise _StopError
