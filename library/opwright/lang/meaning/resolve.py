"""Names to what they mean, without running anything: module constants, imports, functions, builtins.

A module-level name is static when it is bound exactly once, unconditionally, at top level. Everything else that a
function reads must be its own.
"""

from __future__ import annotations

import ast
import builtins
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Protocol

from opwright.diagnostics.diagnostic import Diagnostic, Related
from opwright.elements import BY_NAME
from opwright.lang.meaning.annotations import Alias, Annotation, last_name
from opwright.lang.meaning.numpy_values import FUNCTIONS as NUMPY_FUNCTIONS
from opwright.lang.meaning.numpy_values import on_tensors
from opwright.lang.meaning.objects import (
    MISSING,
    BuiltinObject,
    FileObject,
    FunctionObject,
    Missing,
    ModuleObject,
    OpsetObject,
    RecordObject,
    TypeObject,
    TypingObject,
)
from opwright.lang.meaning.operands import Operand
from opwright.lang.meaning.static import BUILTINS, MATH_CONSTANTS, MATH_FUNCTIONS, RecordType
from opwright.lang.text.source import Misspelt, Source, Span, span_of
from opwright.lang.text.syntax import Binding, Module, parse
from opwright.opsets import find_opset, split_name
from opwright.suggest import sure_name

if TYPE_CHECKING:
    from opwright.bundle.format import FunctionEntry


class NotDeclaredError(Exception):
    """A function may not be called, since its library is none of those that the caller's depends on. The finding lacks
    its place."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        super().__init__(diagnostic.message)


class Libraries(Protocol):
    """The functions of one's own library and of those it depends on."""

    def domain_of(self, package: str, prefix: str = "") -> str | None:
        """The domain that the package's names `opset<N>` stand for, or with a prefix `<prefix>_opset<N>`: those of its
        further domains. None when no such package, or no such domain of it, is known."""

    def other_versions(self, package: str, prefix: str, version: int) -> tuple[int, ...] | None:
        """The versions of that domain which the package has names for, where this is none of them. None where it is
        one, or where that is not known."""

    def function(self, domain: str, name: str, version: int) -> FunctionEntry | None:
        """The function that its domain has at that version, compiled; None when there is none.

        NotDeclaredError when its library may not be used here.
        """

    def emitted_domain(self, domain: str) -> str | None:
        """The domain that the functions' protos carry; None when the domain is not one of a library."""

    def names(self, domain: str) -> tuple[str, ...]:
        """All function names of a domain, for hints."""
        ...


class Files(Protocol):
    """The source files that a relative import may reach."""

    def module(self, name: str, level: int, origin: str) -> Module | Diagnostic | None:
        """The parsed module, the diagnostic that ended it, or None when there is no such file inside the library."""


_NUMPY_SCALARS = {
    "float16": "float16",
    "float32": "float",
    "float64": "double",
    "int8": "int8",
    "int16": "int16",
    "int32": "int32",
    "int64": "int64",
    "uint8": "uint8",
    "uint16": "uint16",
    "uint32": "uint32",
    "uint64": "uint64",
    "bool_": "bool",
    "half": "float16",
    "single": "float",
    "double": "double",
    "byte": "int8",  # from here on the types of C that are of one size everywhere, as `long` is not
    "short": "int16",
    "intc": "int32",
    "longlong": "int64",
    "ubyte": "uint8",
    "ushort": "uint16",
    "uintc": "uint32",
    "ulonglong": "uint64",
}
_NUMPY_CONSTANTS = {
    "pi": MATH_CONSTANTS["pi"],
    "e": MATH_CONSTANTS["e"],
    "inf": MATH_CONSTANTS["inf"],
    "nan": MATH_CONSTANTS["nan"],
}
ONNX_FUNCTIONS = {"from_array": "onnx.numpy_helper", "make_tensor": "onnx.helper", "tensor": "onnx_ir"}
_ONNX_MODULES = {  # that a source file may import, and the function that each offers
    "onnx": "",
    "onnx.TensorProto": "",
    **{module: name for name, module in ONNX_FUNCTIONS.items() if module != "onnx_ir"},
}
_TYPE_NAMES = {name.upper(): BY_NAME[name] for name in BY_NAME}
_SINGLE_FUNCTIONS = {"collections": "namedtuple", "functools": "partial"}  # modules of one function that is known
TYPING_MODULES = ("typing", "typing_extensions", "collections.abc", "__future__")
BUILTIN_NAMES = frozenset(  # of Python's builtins, those of the language
    (*BUILTINS, "all", "any", "enumerate", "isinstance", "list", "print", "range", "reversed", "slice", "zip")
)
_LISTED = 8  # of the versions of a domain
_TYPES_NAMES = ("Graph", "Tensor", "Optional", "Sequence")
_OPWRIGHT_MODULES = {  # and what they offer besides element types and opsets
    "opwright": ("script", "graph", "Opset", "OnnxFunction", *_TYPES_NAMES),
    "opwright.types": _TYPES_NAMES,
    "opwright.opsets": ("Opset",),
}


class NoFiles:
    """For functions whose names are no imports of files: those are what Python imported, or what a table says."""

    def module(self, name: str, level: int, origin: str) -> Module | Diagnostic | None:
        return None


class NoLibraries:
    """For what refers to no functions of libraries."""

    def domain_of(self, package: str, prefix: str = "") -> str | None:
        return None

    def other_versions(self, package: str, prefix: str, version: int) -> tuple[int, ...] | None:
        return None

    def function(self, domain: str, name: str, version: int) -> FunctionEntry | None:
        return None

    def emitted_domain(self, domain: str) -> str | None:
        return None

    def names(self, domain: str) -> tuple[str, ...]:
        return ()


class ModuleScope(ABC):
    """What the names mean that a function does not bind itself, each resolved on first use.

    Where they are looked up is said below: in the text of a file (`FileScope`), in what Python has bound
    (`live.live_scope.LiveScope`), in the table of a template (`lang.template`). What is wrong with them goes to
    `report`.
    """

    def __init__(
        self,
        module: Module,
        libraries: Libraries,
        evaluate: Callable[[ModuleScope, ast.expr], Operand],
        report: Callable[[Diagnostic], None],
    ) -> None:
        self.module = module
        self.libraries = libraries
        self.report = report
        self._evaluate = evaluate
        self._known: dict[str, Operand] = {}
        self._evaluating: set[ast.expr] = set()
        self.aliases: dict[tuple[ast.expr, tuple[str, ...]], Annotation | None] = {}

    @abstractmethod
    def lookup(self, name: str, span: Span, local: Iterable[str] = ()) -> Operand:
        """What a name means; MISSING after its diagnostic has been reported. It may be one of the `local` names of the
        function, misspelt."""

    def newer_opset(self, domain: str, version: int) -> str:
        """How to take an opset of the domain from that version on."""
        return f'narrow `opset:` to ">={version}"'

    def stands_for(self, node: ast.expr) -> str | Alias | Annotation | None:
        """What a name in an annotation stands for, as `annotations.Names` has it."""
        return last_name(node)

    def why_unknown(self, node: ast.expr) -> str:
        """Why it stands for nothing that is known, as `annotations.Names` has it."""
        return ""

    def known(self, name: str) -> Operand:
        """What a name means that has been looked up before; None for any other."""
        return self._known.get(name)

    def constant(self, node: ast.expr) -> Operand:
        """The value of a module-level expression, such as a default; MISSING after its diagnostic has been reported."""
        if node in self._evaluating:
            self._fail(
                "OW323", "a default depends on itself", span_of(node), "it calls the function whose default it is", ""
            )
            return MISSING
        self._evaluating.add(node)
        try:
            return self._evaluate(self, node)
        finally:
            self._evaluating.discard(node)

    def decorators_of(self, node: ast.FunctionDef) -> tuple[str, ...] | None:
        """`script` and `graph`, as they stand above a function; None, reported, where something else does."""
        names = []
        for decorator in node.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            found = self._evaluate(self, called)
            if found is MISSING:
                return None
            if not isinstance(found, TypingObject) or found.name not in ("script", "graph"):
                self._fail(
                    "OW303",
                    f"`{node.name}` has a decorator that the language does not know",
                    span_of(decorator),
                    "it may replace the function, and building runs no code",
                    "leave it out; `@script()` and `@graph()` are known",
                )
                return None
            names.append(found.name)
        return tuple(names)

    def _builtin(self, name: str, span: Span, local: Iterable[str]) -> Operand:
        if name in BUILTIN_NAMES:
            return BuiltinObject("", name)
        if name in ("True", "False", "None"):
            return {"True": True, "False": False, "None": None}[name]
        reason = (
            "the language does not support this builtin of Python"
            if hasattr(builtins, name)
            else ("it is not a parameter, a local name, a module-level name or a builtin of the language")
        )
        self._misspelt(name, span, reason, () if hasattr(builtins, name) else (*local, *BUILTIN_NAMES))
        return MISSING

    # ---------------------------------------------------------------------------------------- attributes

    def attribute(self, owner: Operand, name: str, span: Span) -> Operand:
        """`owner.name` for the objects above; MISSING (reported) where there is none."""
        if isinstance(owner, OpsetObject):
            return owner.version if name == "version" else owner.operator(name)
        if isinstance(owner, ModuleObject):
            if (owner.name, name) == ("numpy", "newaxis"):
                return None
            found = self._module_attribute(owner.name, name)
            if found is not None:
                return found
            self._fail(
                "OW302",
                f"`{owner.name}.{name}` is not known to the language",
                span,
                _MODULE_REASONS[owner.name],
                f"for tensors {help}" if owner.name == "numpy" and (help := on_tensors(name)) else "",
            )
            return MISSING
        if isinstance(owner, TypeObject) and name == "dtype":
            return TypeObject(owner.element, True)
        self._fail(
            "OW304",
            f"the attribute `.{name}` has no meaning here",
            span,
            "objects of this kind have no attributes in the language",
            "",
        )
        return MISSING

    def _module_attribute(self, module: str, name: str) -> Operand:
        if module == "math":
            return MATH_CONSTANTS.get(name) or (BuiltinObject("math", name) if name in MATH_FUNCTIONS else None)
        if module == "numpy":
            if name in _NUMPY_SCALARS:
                return TypeObject(BY_NAME[_NUMPY_SCALARS[name]], of_numpy=True)
            return BuiltinObject("numpy", name) if name in NUMPY_FUNCTIONS else _NUMPY_CONSTANTS.get(name)
        if module in _SINGLE_FUNCTIONS:
            return BuiltinObject(module, name) if name == _SINGLE_FUNCTIONS[module] else None
        if module in _ONNX_MODULES:
            return _onnx_attribute(module, name)
        if module in _OPWRIGHT_MODULES:
            return _opwright_attribute(module, name)
        return TypingObject(name)

    def _fail(self, code: str, message: str, span: Span, reason: str, help_: str) -> None:
        self.report(Diagnostic(code, message, self.module.source.place(span), reason=reason, help=help_))

    def _misspelt(self, name: str, span: Span, reason: str, also: Iterable[str] = ()) -> None:
        """A name that is nowhere, but perhaps with other capitals, or much like one of the file or of `also`: which
        of these an author means, nobody else can say."""
        source = self.module.source
        close = [known for known in self.module.bindings if known.lower() == name.lower()]
        fix = source.replacement(span, Misspelt(name, close[0])) if len(close) == 1 else None
        meant = close[0] if close else sure_name(name, (*also, *self.module.bindings)) if also else ""
        help_ = f"did you mean `{meant}`?" if meant else ""
        message = f"`{name}` is not defined"
        self.report(Diagnostic("OW302", message, source.place(span), reason=reason, help=help_, replacement=fix))


class FileScope(ModuleScope):
    """The module-level names of one file, as its text says."""

    def __init__(
        self,
        module: Module,
        files: Files,
        libraries: Libraries,
        evaluate: Callable[[ModuleScope, ast.expr], Operand],
        report: Callable[[Diagnostic], None],
        main: FileScope | None = None,
    ) -> None:
        """`main` is the scope of the file from which this one is imported, directly or by way of others. What is wrong
        with names of this one is then told by it."""
        super().__init__(module, libraries, evaluate, report)
        self.files = files
        self._wrong: dict[str, tuple[Diagnostic, ...]] = {}  # what was reported of those that are MISSING
        self._open: set[str] = set()
        self._followed: set[str] = set()
        self._main = main
        # One scope per file, so that imports in a circle are seen. The main one is not in it: it would keep all that is
        # compiled with it until a garbage collection.
        self._imported: dict[str, FileScope] = {} if main is None else main._imported
        if main is not None:
            self._imported[module.source.name] = self

    def lookup(self, name: str, span: Span, local: Iterable[str] = ()) -> Operand:
        """What a module-level name means; MISSING after its diagnostic has been reported.

        It is reported at every look-up, since a caller may try again after discarding what was found.
        """
        if name in self._known:
            for diagnostic in self._wrong.get(name, ()):
                self.report(diagnostic)
            return self._known[name]
        bindings = self.module.bindings.get(name)
        if bindings is None:
            return self._builtin(name, span, local)
        if name in self._open:
            self._fail("OW302", f"`{name}` is defined in terms of itself", span, "its value depends on itself", "")
            return MISSING
        self._open.add(name)
        main = self if self._main is None else self._main
        report, found = main.report, dict[Diagnostic, None]()
        main.report = lambda diagnostic: found.update({diagnostic: None})
        try:
            value = self._known[name] = self._resolve(name, bindings, span)
        finally:
            main.report = report
            self._open.discard(name)
        for diagnostic in found:
            report(diagnostic)
        if value is MISSING:
            self._wrong[name] = tuple(found)
        return value

    def _resolve(self, name: str, bindings: list[Binding], span: Span) -> Operand:
        if len(bindings) > 1 or bindings[0].conditional:
            places = [Related(self.module.source.place(span_of(item.node)), "bound here") for item in bindings[:2]]
            self.report(
                Diagnostic(
                    "OW309",
                    f"`{name}` has no single value when the function is built",
                    self.module.source.place(span),
                    reason="a module-level name is static when it is bound exactly once, unconditionally, at top level",
                    help="bind it once, or pass it to the function",
                    related=tuple(places),
                )
            )
            return MISSING
        node = bindings[0].node
        if isinstance(node, ast.FunctionDef):
            decorators = self.decorators_of(node)
            return MISSING if decorators is None else FunctionObject(self, node, "script" in decorators)
        if isinstance(node, ast.ClassDef):
            found = self._record(node)
            if found is not None:
                return found
        if isinstance(node, ast.alias):
            return self._import(node)
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            return self._evaluate(self, node.value)
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            return self._evaluate(self, node.value)
        self._fail(
            "OW309",
            f"`{name}` has no single value when the function is built",
            span,
            "module-level names of a function are constants, imports and functions",
            "write it as one plain assignment `NAME = value`",
        )
        return MISSING

    def _record(self, node: ast.ClassDef) -> RecordObject | None:
        """What `class P(NamedTuple)` makes: fields and defaults; None of any other class."""
        base = self._evaluate(self, node.bases[0]) if len(node.bases) == 1 else None
        if not isinstance(base, TypingObject) or base.name != "NamedTuple" or node.keywords or node.decorator_list:
            return None
        fields: dict[str, ast.expr | None] = {}
        for statement in node.body:
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                fields[statement.target.id] = statement.value
            elif not isinstance(statement, ast.Pass) and not _is_text(statement):
                return None
        values = {name: self._evaluate(self, value) for name, value in fields.items() if value is not None}
        return RecordObject(RecordType(node.name, tuple(fields)), values)

    # --------------------------------------------------------------------------------------- annotations

    def stands_for(self, node: ast.expr) -> str | Alias | Annotation | None:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            file = self._file_of(node.value.id)
            return node.attr if file is None else file.type_bound(node.attr)
        is_bound = isinstance(node, ast.Name) and node.id in self.module.bindings
        return self.type_bound(last_name(node)) if is_bound else last_name(node)

    def type_bound(self, name: str) -> str | Alias | None:
        """What a name of this module stands for in an annotation."""
        bindings = self.module.bindings.get(name)
        if bindings is None or name in self._followed:  # files may import it from each other
            return None
        self._followed.add(name)
        try:
            found = [self._type_of(item, name) for item in bindings]
        finally:
            self._followed.discard(name)
        return found[0] if all(item == found[0] for item in found) else None

    def _type_of(self, binding: Binding, name: str) -> str | Alias | None:
        node = binding.node
        if isinstance(node, ast.alias):
            statement = self.module.owners[id(node)]
            if not isinstance(statement, ast.ImportFrom):
                return name
            if not statement.level:
                return node.name  # `if TYPE_CHECKING:` changes nothing
            found = self.files.module(statement.module or "", statement.level, self.module.source.name)
            return self._scope_of(found).type_bound(node.name) if isinstance(found, Module) else None
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            return name
        if binding.conditional:
            return None
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            return Alias(node.value, self)
        return Alias(node.value, self) if isinstance(node, ast.AnnAssign) and node.value is not None else None

    def why_unknown(self, node: ast.expr) -> str:
        if isinstance(node, ast.Name):
            return self._why_unbound(node.id)
        owner = node.value if isinstance(node, ast.Attribute) else None
        file = self._file_of(owner.id) if isinstance(owner, ast.Name) else None
        return "" if file is None else file._why_unbound(last_name(node))

    def _why_unbound(self, name: str) -> str:
        bindings = self.module.bindings.get(name, ())
        if len(bindings) > 1:
            return f"`{name}` is bound more than once"
        if not bindings or name in self._followed:
            return ""
        node = bindings[0].node
        statement = self.module.owners[id(node)] if isinstance(node, ast.alias) else None
        if isinstance(node, ast.alias) and isinstance(statement, ast.ImportFrom) and statement.level:
            found = self.files.module(statement.module or "", statement.level, self.module.source.name)
            self._followed.add(name)
            try:
                return self._scope_of(found)._why_unbound(node.name) if isinstance(found, Module) else ""
            finally:
                self._followed.discard(name)
        return f"`{name}` is bound under a condition or in a loop" if bindings[0].conditional else ""

    def _file_of(self, name: str) -> FileScope | None:
        """The file of the library that a name is, after `from . import types`."""
        bindings = self.module.bindings.get(name, ())
        node = bindings[0].node if len(bindings) == 1 else None
        statement = self.module.owners[id(node)] if isinstance(node, ast.alias) else None
        if not isinstance(statement, ast.ImportFrom) or not statement.level or not isinstance(node, ast.alias):
            return None
        inner = f"{statement.module}.{node.name}" if statement.module else node.name
        found = self.files.module(inner, statement.level, self.module.source.name)
        return self._scope_of(found) if isinstance(found, Module) else None

    # ------------------------------------------------------------------------------------------- imports

    def _import(self, alias: ast.alias) -> Operand:
        statement = self.module.owners[id(alias)]
        if isinstance(statement, ast.ImportFrom):
            return self._import_from(statement, alias)
        if alias.name in _OPWRIGHT_MODULES:
            return ModuleObject(alias.name if alias.asname else "opwright")
        if alias.name in ("math", "numpy", "typing", *_SINGLE_FUNCTIONS):
            return ModuleObject(alias.name)
        if alias.name in _ONNX_MODULES:
            return ModuleObject(alias.name if alias.asname else "onnx")
        if alias.name in TYPING_MODULES:
            return TypingObject(alias.name)
        return self._not_importable(alias.name, span_of(alias))

    def attribute(self, owner: Operand, name: str, span: Span) -> Operand:
        if not isinstance(owner, FileObject):
            return super().attribute(owner, name, span)
        if name in owner.scope.module.bindings:
            return owner.scope.lookup(name, span)
        self._fail("OW302", f"{owner.described} has no `{name}`", span, "the file binds no such name", "")
        return MISSING

    def _import_from(self, statement: ast.ImportFrom, alias: ast.alias) -> Operand:
        module, span = statement.module or "", span_of(alias)
        if statement.level:
            return self._from_file(module, statement.level, alias)
        if module in TYPING_MODULES:
            return TypingObject(alias.name)
        if module in ("math", "numpy", *_SINGLE_FUNCTIONS, *_ONNX_MODULES, *_OPWRIGHT_MODULES):
            return self.attribute(ModuleObject(module), alias.name, span)
        domain = self.libraries.domain_of(module)
        if domain is None:
            return self._not_importable(module, span)
        name, version = split_name(alias.name) or ("", 0)
        prefix = ""
        if name != "opset":
            prefix = name.removesuffix("_opset") if name.endswith("_opset") else ""
            domain = self.libraries.domain_of(module, prefix) if prefix else None
        if domain is None:
            self._fail(
                "OW310",
                f"`{module}` has no `{alias.name}`",
                span,
                "a library's package offers one name per domain version",
                "import `opset<N>`, for instance `opset1`; the name of a further domain stands before it, as in "
                "`com_acme_opset1`",
            )
            return MISSING
        others = self.libraries.other_versions(module, prefix, version)
        if others is not None:
            self._no_version(module, alias, others, version)
            return MISSING
        return OpsetObject(domain, version)

    def _no_version(self, module: str, alias: ast.alias, others: tuple[int, ...], version: int) -> None:
        """`from acme import opset9` of a domain of which nothing is of version 9."""
        start = alias.name.removesuffix(str(version))
        nearest = max((number for number in others if number < version), default=min(others, default=0))
        self._fail(
            "OW310",
            f"`{module}` has no `{alias.name}`",
            span_of(alias),
            "a library's package offers one name for each version at which a function is new; "
            f"here {', '.join(f'`{start}{number}`' for number in others[-_LISTED:]) or 'there is none'}",
            f"import `{start}{nearest}`" if others else "",
        )

    def _from_file(self, name: str, level: int, alias: ast.alias) -> Operand:
        found = self.files.module(name, level, self.module.source.name)
        if isinstance(found, Module) and alias.name in found.bindings:
            return self._scope_of(found).lookup(alias.name, span_of(alias))
        if found is None or (isinstance(found, Module) and not name):  # a folder: the name is a file of it
            inner = self.files.module(f"{name}.{alias.name}" if name else alias.name, level, self.module.source.name)
            if isinstance(inner, Module):
                return FileObject(self._scope_of(inner))
            found = inner or found
        if isinstance(found, Diagnostic):
            self.report(found)
            return MISSING
        if found is None:
            self._fail(
                "OW310",
                f"`{'.' * level}{name}` is not a file of this library",
                span_of(alias),
                "a relative import reaches Python files inside the library's root only",
                "check the name and the dots",
            )
            return MISSING
        return self._not_in(name or "." * level, alias)

    def _scope_of(self, module: Module) -> FileScope:
        main = self if self._main is None else self._main
        if module.source.name == main.module.source.name:
            return main
        known = self._imported.get(module.source.name)
        # Whoever main reports to by then: a name may be wrong that is looked up long after the import.
        return known or FileScope(
            module, self.files, self.libraries, self._evaluate, lambda found: main.report(found), main
        )

    def _not_in(self, name: str, alias: ast.alias) -> Missing:
        self._fail("OW310", f"`{name}` defines no `{alias.name}`", span_of(alias), "the file binds no such name", "")
        return MISSING

    def _not_importable(self, name: str, span: Span) -> Missing:
        self._fail(
            "OW310",
            f"`{name}` cannot be imported here",
            span,
            "building runs no code: only opwright, math, numpy, onnx.helper, typing, files of this library "
            "(`from .x import f`) and the packages of libraries are resolved",
            _instead_of_import(name.partition(".")[0]),
        )
        return MISSING


def _instead_of_import(package: str) -> str:
    """What to do without a module: only a library of Opwright can be depended on."""
    if package in sys.stdlib_module_names:
        return "write what is needed of it into this file; a value that it computes is written as a constant"
    return (
        "write what is needed of it into this file; only where it is a library that `opwright build` wrote, install it "
        "and name its distribution under `dependencies:` in library.yaml"
    )


def scope_without_text(title: str, libraries: Libraries) -> ModuleScope:
    """For what has no source text: a graph that is built, an operation that runs, a proto. `title` stands in places."""
    module = parse(Source(f"<{title}>", ""))
    assert isinstance(module, Module)
    return _PythonScope(module, NoFiles(), libraries, lambda scope, node: None, lambda found: None)


class _PythonScope(FileScope):
    """That of what Python runs, which imports its opsets."""

    def newer_opset(self, domain: str, version: int) -> str:
        return import_of_opset(domain, version)


def import_of_opset(domain: str, version: int) -> str:
    """How a Python module takes an opset."""
    prefix = f"opset_{domain.replace('.', '_')}" if domain else "opset"
    return f"write `from opwright import {prefix}{version} as op`"


_MODULE_REASONS = {
    **{module: f"of {module}, {name} is known" for module, name in _SINGLE_FUNCTIONS.items()},
    "math": "of math, its constants are known and most of its functions of numbers",
    "numpy": "of numpy, scalar types, constants and a list of functions are known, which docs/language.md names",
    **dict.fromkeys(_ONNX_MODULES, "of onnx, TensorProto's types, make_tensor and from_array are known"),
    **dict.fromkeys(_OPWRIGHT_MODULES, "the package has no such public name"),
    "typing": "the module has no such name",
}


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _onnx_attribute(module: str, name: str) -> Operand:
    if f"{module}.{name}" in _ONNX_MODULES:
        return ModuleObject(f"{module}.{name}")
    if module == "onnx.TensorProto":
        return _TYPE_NAMES[name].code if name in _TYPE_NAMES else None
    return BuiltinObject("onnx", name) if _ONNX_MODULES[module] == name else None


def _opwright_attribute(module: str, name: str) -> Operand:
    if module == "opwright" and f"opwright.{name}" in _OPWRIGHT_MODULES:
        return ModuleObject(f"opwright.{name}")
    if module != "opwright.opsets" and name in _TYPE_NAMES:
        return TypeObject(_TYPE_NAMES[name])
    opset = find_opset(name) if module != "opwright.types" else None
    if opset is not None:
        return OpsetObject(opset.domain, opset.named)
    return TypingObject(name) if name in _OPWRIGHT_MODULES[module] else None
