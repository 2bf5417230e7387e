"""Functions from a text that lies in no file: what a shell or a generator has written."""

from __future__ import annotations

import hashlib
from types import CodeType, FunctionType
from typing import Any
from weakref import WeakValueDictionary, finalize

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place
from opwright.forks import lock_across_forks
from opwright.functions import OnnxFunction, script
from opwright.lang.text.source import Source
from opwright.lang.text.syntax import Module, parse
from opwright.live.function_source import forget_text, keep_text


def compile_source(text: str, name: str) -> OnnxFunction:
    """The function `name` of a Python text, under `@script` if it is not yet.

    The text is run as importing it would run it, so it must be as trustworthy as a module. Raises DiagnosticError
    (OW301, OW322) when it is not Python, or defines no such function; whatever else it raises when it is run.
    """
    file = f"<text {hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}>"
    module = parse(Source(file, text))
    if isinstance(module, Diagnostic):
        raise DiagnosticError([module])
    code = compile(text, file, "exec", dont_inherit=True)
    names: dict[str, Any] = {"__name__": file, "__opwright_text__": _held(file, text, module, code)}
    exec(code, names)
    found = names.get(name)
    if isinstance(found, OnnxFunction):
        return found
    if isinstance(found, FunctionType):
        return script()(found)
    listed = ", ".join(f"`{node.name}`" for node in module.functions()) or "none"
    raise DiagnosticError(
        [
            Diagnostic(
                "OW322",
                f"the text defines no function `{name}`",
                Place(file),
                reason=f"its functions are: {listed}",
                help="give the name of one of them",
            )
        ]
    )


class _Held:
    """Lives as long as the names of a text that was run, which all of its functions have: the text is kept for them."""

    __slots__ = ("__weakref__",)


_HELD: WeakValueDictionary[str, _Held] = WeakValueDictionary()
_LOCK = lock_across_forks()  # taken again where garbage is collected while it is held


def _held(file: str, text: str, module: Module, code: CodeType) -> _Held:
    """Has the text kept; one text that is run again and again is kept once."""
    with _LOCK:
        found = _HELD.get(file)
        if found is None:
            found = _HELD[file] = _Held()
            keep_text(file, text, module, code)
            finalize(found, _release, file).atexit = False
        return found


def _release(file: str) -> None:
    with _LOCK:
        if file not in _HELD:
            forget_text(file)
