"""The syntax tree of a live function: its file is parsed once, and the function found in it by its line."""

from __future__ import annotations
import __future__

import ast
import bisect
import io
import linecache
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from operator import itemgetter
from types import CodeType, FunctionType

from opwright.diagnostics.diagnostic import Diagnostic, Place
from opwright.functions import STARTED
from opwright.lang.text.grammar import name_of
from opwright.lang.text.source import Source
from opwright.lang.text.syntax import Module, function_of, parse


class _Parsed:
    """A file as it was parsed. linecache keeps one list of lines for a file while it is unchanged, so the list itself
    says whether the text is still the same."""

    __slots__ = ("_made", "lines", "module")

    def __init__(self, lines: Sequence[str], module: Module | Diagnostic) -> None:
        self.lines = lines
        self.module = module
        self._made: dict[tuple[int, int], frozenset[object]] = {}  # by flags and level of the compilation

    def makes(self, code: CodeType) -> bool:
        """Whether that is what Python makes of the text, at the level of optimisation that `compile` was told."""
        flags, wanted = code.co_flags & _ANNOTATIONS, _fingerprint(code)
        return any(wanted in self._made_at(flags, level) for level in _LEVELS)

    def note_made(self, code: CodeType) -> None:
        """Notes what Python made of the text when it was run."""
        self._made[code.co_flags & _ANNOTATIONS, sys.flags.optimize] = _fingerprints(code)

    def _made_at(self, flags: int, level: int) -> frozenset[object]:
        made = self._made.get((flags, level))
        if made is None:
            made = self._made[flags, level] = _made_of("".join(self.lines), flags, level)
        return made


_LEVELS = sorted(range(3), key=lambda level: level != sys.flags.optimize)  # that of the process is the likely one
_ANNOTATIONS = __future__.annotations.compiler_flag  # of what a shell or notebook has switched on for all that follows
_PARSED: dict[str, _Parsed] = {}
_KEPT = 256  # of them: each cell of a notebook is one, and each is one again when it is run again


def _keep(filename: str, parsed: _Parsed) -> None:
    _PARSED[filename] = parsed
    for oldest in list(_PARSED)[:-_KEPT]:
        _PARSED.pop(oldest, None)


def keep_text(filename: str, text: str, module: Module, code: CodeType) -> None:
    """Keeps a text that lies in no file for tracebacks and for its functions, with its tree and what Python made of it,
    until `forget_text`."""
    lines = text.splitlines(keepends=True)
    parsed = _Parsed(lines, module)
    parsed.note_made(code)
    linecache.cache[filename] = (len(text), None, lines, filename)
    _keep(filename, parsed)


def forget_text(filename: str) -> None:
    """Drops what is kept of a text, or of a file that was written for once, whose functions are not needed any more."""
    linecache.cache.pop(filename, None)
    _PARSED.pop(filename, None)


class OldFiles:
    """The files that are older than this process, as one compilation reads them: each is looked at once."""

    __slots__ = ("_found",)

    def __init__(self) -> None:
        self._found: dict[str, tuple[str, Sequence[str]]] = {}

    def read(self, function: FunctionType) -> tuple[str, Sequence[str]]:
        """The name that diagnostics show for a function's file, and its lines; none where it is not old."""
        filename = function.__code__.co_filename
        found = self._found.get(filename)
        if found is None:
            found = self._found[filename] = (shown_name(filename), _old_lines(function))
        return found


def recover(function: FunctionType, files: OldFiles | None = None) -> tuple[Module, ast.FunctionDef] | Diagnostic:
    """The file of a function and its `def` in it; the diagnostic says why there is none. `files` are those that this
    compilation has read."""
    code = function.__code__
    if code.co_name == "<lambda>":
        return Diagnostic(
            "OW351",
            "a lambda cannot be compiled",
            Place(shown_name(code.co_filename), code.co_firstlineno, 1, code.co_firstlineno, 1),
            reason="it has no name, no annotations and no statements",
            help="write a `def`",
        )
    alone = _alone(function, files or OldFiles())
    if alone is not None:
        return alone
    parsed = _parsed(function)
    if isinstance(parsed, Diagnostic):
        return parsed
    if isinstance(parsed.module, Diagnostic):
        return parsed.module
    found = find_function(parsed.module, code.co_firstlineno, code.co_name)
    if isinstance(found, Diagnostic):
        return found
    if found is None or not _same_parameters(found, function) or _is_of_another_text(function, parsed):
        return Diagnostic(
            "OW351",
            f"the source text of `{function.__qualname__}` is not what it was",
            Place(parsed.module.source.name, code.co_firstlineno, 1, code.co_firstlineno, 1),
            reason="the file has another text than the one that defined the function",
            help="save it, and import or run it again",
        )
    return parsed.module, found


def recover_helper(function: FunctionType) -> tuple[Module, ast.FunctionDef] | Diagnostic:
    """As `recover`, of a function that may be a lambda."""
    return _recover_lambda(function) if function.__code__.co_name == "<lambda>" else recover(function)


def _recover_lambda(function: FunctionType) -> tuple[Module, ast.FunctionDef] | Diagnostic:
    """The file of a lambda and the `def` that it is short for; the diagnostic says why there is none."""
    code = function.__code__
    parsed = _parsed(function)
    if isinstance(parsed, Diagnostic):
        return parsed
    if isinstance(parsed.module, Diagnostic):
        return parsed.module
    places = {place for place in code.co_positions() if None not in place and place[2] != place[3]}
    found = [
        made
        for node in ast.walk(parsed.module.tree)
        if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno
        if all(_holds(node.body, place) for place in places)
        if _same_parameters(made := function_of(node), function)
    ]
    if not found or not places or _is_of_another_text(function, parsed):
        return Diagnostic(
            "OW351",
            "the source text of a lambda is not what it was",
            Place(parsed.module.source.name, code.co_firstlineno, 1, code.co_firstlineno, 1),
            reason="it is looked for in its line, and the file may have changed since",
            help="write a `def`",
        )
    return parsed.module, found[-1]  # those around it are met first


def _holds(node: ast.expr, place: tuple[int | None, ...]) -> bool:
    line, end_line, column, end_column = place
    begins = (node.lineno, node.col_offset)
    ends = (node.end_lineno or 0, node.end_col_offset or 0)
    return begins <= (line or 0, column or 0) and (end_line or 0, end_column or 0) <= ends


def shown_name(filename: str) -> str:
    """A file's name as diagnostics show it: relative to the current folder where it lies in it."""
    try:
        folder = os.getcwd() + os.sep
    except FileNotFoundError:  # it has been removed
        folder = ""
    return filename.removeprefix(folder).replace(os.sep, "/")


def _alone(function: FunctionType, files: OldFiles) -> tuple[Module, ast.FunctionDef] | None:
    """The function's own lines, parsed without the rest of its file; None where that takes the whole file.

    A tree of a whole file costs twice as much for each of its functions, since it stays while they are compiled.
    """
    code = function.__code__
    around = function.__qualname__.rpartition(".")[0]
    if (around and not around.endswith("<locals>")) or not _is_imported(function):
        return None
    shown, lines = files.read(function)
    first = code.co_firstlineno - 1
    if first >= len(lines):
        return None
    margin = _margin(lines[first])
    first = _below_decorators(lines, first, margin)
    reached = max(filter(None, map(_LINE, code.co_lines())))
    for last in _possible_ends(lines, reached, margin):
        text = "".join(lines[first:last])
        # An indented function stands in a block; its columns stay what they are.
        text = f"if 1:\n{text}" if margin else text
        source = Source(shown, text, first if margin else first + 1)
        module = parse(source, warned=True)
        if isinstance(module, Module):
            node = getattr(module.tree.body[0], "body", [None])[0] if margin else module.tree.body[0]
            module.shared = False
            good = isinstance(node, ast.FunctionDef) and node.name == code.co_name and _same_parameters(node, function)
            return (module, node) if good and isinstance(node, ast.FunctionDef) else None
    return None


_LINE = itemgetter(2)  # of what `co_lines` gives


def _below_decorators(lines: Sequence[str], first: int, margin: int) -> int:
    """The line of the `def` below decorators of one line each, which need not be parsed: Python has run them. The first
    line where they are not as plain as that."""
    for number in range(first, len(lines)):
        text = lines[number]
        if text.startswith("def ", margin):
            return number
        if not text.startswith("@", margin) or any(part in text for part in _GOES_ON):
            break
    return first


_GOES_ON = ('"""', "'''", "\\")  # a text may go on in the next line, and look like a `def` there


def _old_lines(function: FunctionType) -> Sequence[str]:
    """The lines of the function's file; none where it has been written since this process began."""
    filename = function.__code__.co_filename
    try:
        status = os.stat(filename)
    except OSError:  # no file: a cell of a notebook, whose text does not change
        return file_lines(filename, function.__globals__)
    if _is_new(status):
        return ()
    known = linecache.cache.get(filename)
    if known is not None and len(known) == 4 and known[:2] == (status.st_size, status.st_mtime):
        return known[2]
    linecache.checkcache(filename)
    return file_lines(filename, function.__globals__)


_ENDS = 3  # how many lines are tried as the last one: lists and strings of several lines may look like an end


def _possible_ends(lines: Sequence[str], last: int, margin: int) -> Iterator[int]:
    """Where a function may end whose code reaches to line `last`: before a line that is indented no further."""
    tried = 0
    for number in range(last, len(lines)):
        text = lines[number]
        written = text.lstrip()
        if written and written[0] != "#" and len(text) - len(written) <= margin:
            if tried == _ENDS:
                return
            tried += 1
            yield number
    yield len(lines)


def _margin(text: str) -> int:
    return len(text) - len(text.lstrip())


def _parsed(function: FunctionType) -> _Parsed | Diagnostic:
    filename = function.__code__.co_filename
    linecache.checkcache(filename)
    lines = file_lines(filename, function.__globals__)
    known = _PARSED.get(filename)
    if known is not None and known.lines is lines:
        return known
    if not lines and (typed := _typed(function.__code__)) is not None:
        return _Parsed(typed.splitlines(keepends=True), parse(Source(filename, typed)))
    if not lines:
        has_file = not filename.startswith("<")
        return Diagnostic(
            "OW351",
            f"the source text of `{function.__qualname__}` cannot be had",
            Place(shown_name(filename)),
            reason=_NO_FILE if has_file else _NO_TEXT,
            help="ship the source file as well, beside the compiled one"
            if has_file
            else "write the function in a file or in a cell without a magic, or give the text itself: "
            "`opwright.compile_source(text, name)`",
        )
    found = _Parsed(lines, parse(Source(shown_name(filename), "".join(lines))))
    _keep(filename, found)
    return found


_NO_TEXT = "it was defined by `exec`, under a magic of IPython (`%%time`), or in a shell that keeps no text"
_NO_FILE = "the file that defined it is not there, or cannot be read; a compiled module (.pyc) holds no text"


def _typed(code: CodeType) -> str | None:
    from opwright.live.shell import typed_text

    wanted, flags = _fingerprint(code), code.co_flags & _ANNOTATIONS
    return typed_text(code, lambda text: wanted in _made_of(text, flags))


def _is_of_another_text(function: FunctionType, parsed: _Parsed) -> bool:
    """Whether the file has another text than the one that defined the function. Python is asked what it makes of the
    file where that is in doubt alone: it takes as long as parsing it."""
    doubtful = not _is_imported(function) or _is_young(function.__code__.co_filename)
    return doubtful and not parsed.makes(function.__code__)


def _is_imported(function: FunctionType) -> bool:
    """Whether a loader has read the function's module from its file, or Python runs the file as its program. Other code
    may have the name of a file whose text it is not: what an editor runs of a buffer that is not saved."""
    names = function.__globals__
    return names.get("__file__") == function.__code__.co_filename and names.get("__loader__") is not None


def _is_young(filename: str) -> bool:
    """Whether the file has been written since this process began: a function may then be of an older text."""
    try:
        return _is_new(os.stat(filename))
    except OSError:  # no file: a cell of a notebook, whose text does not change
        return False


def _is_new(status: os.stat_result) -> bool:
    """Whether a file has been written, or put in the place of another, since this process began. One that was moved or
    copied may keep the time at which it was written."""
    return max(status.st_mtime, status.st_ctime) >= STARTED


def _fingerprint(code: CodeType) -> object:
    """Equal for what Python makes of the same text at the same place, whatever the flags of the compilation."""
    consts = tuple(
        _fingerprint(item) if isinstance(item, CodeType) else (type(item), repr(item)) for item in code.co_consts
    )
    names = (code.co_name, code.co_names, code.co_varnames, code.co_freevars)
    return (*names, code.co_firstlineno, code.co_linetable, code.co_code, consts)


def _made_of(text: str, flags: int, level: int = -1) -> frozenset[object]:
    """The fingerprints of what Python makes of a text, at the level of optimisation of the process unless another is
    given; none where it is not Python."""
    flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT  # cells of notebooks may await
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python has said it when the text was run
            made = compile(text, "<text>", "exec", flags, dont_inherit=True, optimize=level)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return frozenset()
    return _fingerprints(made)


def _fingerprints(made: CodeType) -> frozenset[object]:
    """Those of a code and of all within it."""
    found = [made]
    for code in found:
        found.extend(item for item in code.co_consts if isinstance(item, CodeType))
    return frozenset(map(_fingerprint, found))


def file_lines(filename: str, names: dict[str, object]) -> Sequence[str]:
    """The lines of a file, by the globals of its code, as Python's parser counts them; none where it cannot be read.

    linecache ends those of what a loader gives, from an archive for instance, at form feeds and other separators, too.
    """
    lines = linecache.getlines(filename, names)
    entry, get_source = linecache.cache.get(filename), getattr(names.get("__loader__"), "get_source", None)
    is_given = entry is not None and len(entry) == 4 and entry[1] is None and names.get("__file__") == filename
    if not is_given or get_source is None:
        return lines
    try:
        return _given_lines(get_source, str(names["__name__"]))
    except (ImportError, OSError):
        return lines


@cache
def _given_lines(get_source: Callable[[str], str | None], name: str) -> Sequence[str]:
    return io.StringIO(get_source(name), newline=None).readlines()


def find_function(module: Module, line: int, name: str) -> ast.FunctionDef | Diagnostic | None:
    """The function whose `def`, or first decorator, stands in that line. Goes down from the module by bisection."""
    block: Sequence[ast.stmt] = module.tree.body
    owner: ast.stmt | None = None
    while block:
        index = bisect.bisect_right(block, line, key=first_line) - 1
        if index < 0:
            return None
        statement = block[index]
        if first_line(statement) == line and getattr(statement, "name", "") == name:
            return _checked(module, statement, owner)
        owner, block = statement, _inner(statement, line)
    return None


def first_line(statement: ast.stmt) -> int:
    """The line in which a statement begins, decorators included."""
    decorators = getattr(statement, "decorator_list", None)
    return int(decorators[0].lineno) if decorators else statement.lineno


def _inner(statement: ast.stmt, line: int) -> Sequence[ast.stmt]:
    """The block of a statement that holds the line."""
    blocks = [getattr(statement, field, []) for field in ("body", "orelse", "finalbody")]
    blocks.extend(handler.body for handler in getattr(statement, "handlers", []))
    blocks.extend(case.body for case in getattr(statement, "cases", []))
    begun = [block for block in blocks if block and first_line(block[0]) <= line]
    return max(begun, key=lambda block: first_line(block[0]), default=[])


def _checked(module: Module, statement: ast.stmt, owner: ast.stmt | None) -> ast.FunctionDef | Diagnostic:
    decorators = statement.decorator_list if isinstance(statement, ast.FunctionDef) else ()
    if isinstance(owner, ast.ClassDef) and "staticmethod" not in map(name_of, decorators):
        return _refused(module, statement, "a method cannot be compiled", "its first parameter is not a tensor")
    if isinstance(statement, ast.FunctionDef):
        return statement
    return _refused(module, statement, "an `async def` cannot be compiled", "there is nothing to wait for in a graph")


def _refused(module: Module, statement: ast.stmt, message: str, reason: str) -> Diagnostic:
    line, column = statement.lineno, statement.col_offset
    place = module.source.place((line, column, line, column + len("def")))
    return Diagnostic("OW351", message, place, reason=reason, help="write a function at module level")


def _same_parameters(node: ast.FunctionDef, function: FunctionType) -> bool:
    code, arguments = function.__code__, node.args
    names = [item.arg for item in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return list(code.co_varnames[: len(names)]) == names
