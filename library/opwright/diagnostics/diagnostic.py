"""What a finding is: plain data from the moment it is found. Renderings live elsewhere."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum, Flag, auto

from opwright.first_use import find


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where in a file: lines and columns count from 1, columns in characters; the end is exclusive.

    `file` is a POSIX path relative to the library's root (or the name under which source text was given).
    `line == 0` means the file as a whole.
    """

    file: str
    line: int = 0
    column: int = 0
    end_line: int = 0
    end_column: int = 0

    def __str__(self) -> str:
        if self.line == 0:
            return self.file
        return f"{self.file}:{self.line}:{self.column}"


class Role(Enum):
    """What a second place is to a finding. It is told in the note; the role is for those who compare findings."""

    EXPLAINS = "explains"
    MOVED_FROM = "moved from"  # the finding stood there, in a function that is inlined, and is told at the call


@dataclass(frozen=True, slots=True)
class Related:
    """A second place that explains the first, and what to see there."""

    place: Place
    note: str
    role: Role = field(default=Role.EXPLAINS, compare=False)


@dataclass(frozen=True, slots=True)
class Replacement:
    """A fix that a program can make: the text `old`, which is all that stands at `place`, becomes `new`."""

    place: Place
    old: str
    new: str


class Choice(Flag):
    """What the compiler, or the author, has chosen where something is refused, and could choose otherwise.

    Whoever refuses says which of these the refusal depends on: with another choice it need not arise. What depends on
    none is an error whatever is tried.
    """

    NONE = 0
    OPSET = auto()  # the opset that is compiled for
    WRITTEN_FOR = auto()  # the opset that the source is written for
    ELEMENT_TYPE = auto()  # the element type that an operator gets or gives
    INFERRED_TYPE = auto()  # the types of values where the author has declared none
    RANK = auto()  # the rank of a parameter
    LOOP_FORM = auto()  # that a loop is a `Loop`, and not a copy of its body for each item


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding: what (`code`, `message`), where (`place`), why (`reason`), and how to fix it (`help`).

    `subject` names the operator that a finding of the schema stage (OW2xx) is about, or the version that is not proved;
    `replacement` is what `help` says, where one word is sure to be meant. `depends_on`: what the compiler may choose
    otherwise.
    """

    code: str
    message: str
    place: Place | None = None
    reason: str = ""
    help: str = ""
    related: tuple[Related, ...] = ()
    severity: Severity = Severity.ERROR
    subject: str = ""
    replacement: Replacement | None = None
    depends_on: Choice = field(default=Choice.NONE, compare=False)


class DiagnosticError(Exception):
    """Raised where no value can be returned; carries the findings."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__(self.diagnostics)

    def __str__(self) -> str:
        """All findings as text, with the lines of those files that Python can show."""
        return str(find("render")(self.diagnostics, _text_of)).rstrip("\n")


class DiagnosticWarning(UserWarning):
    """A finding that hinders nothing, as Python's `warnings` shows it."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        super().__init__(diagnostic)

    def __str__(self) -> str:
        """What, why and how to fix it; the place is that of the warning."""
        found = self.diagnostic
        lines = [f"{found.code}: {found.message}"]
        lines += [f"  {name}: {text}" for name, text in (("reason", found.reason), ("help", found.help)) if text]
        return str(find("printable")("\n".join(lines)))


def _text_of(file: str) -> str | None:
    from linecache import getlines

    try:
        return "".join(getlines(file)) or None
    except ValueError:  # no file can have that name
        return None


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    return any(item.severity is Severity.ERROR for item in diagnostics)
