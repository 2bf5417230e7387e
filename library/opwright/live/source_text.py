"""Functions from a text that lies in no file: what a shell or a generator has written."""

from __future__ import annotations

import hashlib
import linecache
from types import FunctionType
from typing import Any

from opwright.diagnostics.diagnostic import Diagnostic, DiagnosticError, Place
from opwright.functions import OnnxFunction, script
from opwright.lang.source import Source
from opwright.lang.syntax import parse


def compile_source(text: str, name: str) -> OnnxFunction:
    """The function `name` of a Python text, under `@script` if it is not yet.

    The text is run as importing it would run it, so it must be as trustworthy as a module. Raises DiagnosticError
    (OW301, OW322) when it is not Python, or defines no such function; whatever else it raises when it is run.
    """
    file = f"<text {hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:12]}>"
    module = parse(Source(file, text))
    if isinstance(module, Diagnostic):
        raise DiagnosticError([module])
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {"__name__": file}
    exec(compile(text, file, "exec", dont_inherit=True), names)
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
