"""What the modules of a generated package are made of: names that stand for the functions of a library.

Programs import this with `from acme_ops import opset1 as acme`, so nothing here is read or imported before a function
is used: the bundle next to the package's modules when a function is asked what it is, onnx and onnxruntime when
it is called.
"""

from __future__ import annotations

import sys

from opwright.first_use import find

TYPE_CHECKING = False  # importing `typing` costs more than everything here
if TYPE_CHECKING:
    import inspect
    from collections.abc import Mapping
    from types import ModuleType
    from typing import Any

    from onnx import FunctionProto

    from opwright.bundle.format import BodyEntry, Bundle, FunctionEntry


class LibraryOpset:
    """One domain of a package at one version, as the module `opset<version>` shows it.

    `bundle` is the name of the package's bundle; `names` are the functions that are new or changed at this version, the
    others are those of the module `base`.
    """

    __slots__ = ("_base", "_functions", "bundle", "domain", "names", "package", "version")

    def __init__(
        self, package: str, bundle: str, domain: str, version: int, names: tuple[str, ...], base: str | None
    ) -> None:
        self.package = package
        self.bundle = bundle
        self.domain = domain
        self.version = version
        self.names = names
        self._base = base
        self._functions: dict[str, LibraryFunction] = {}

    def find(self, name: str) -> LibraryFunction:
        """A function of the domain. AttributeError when it has none of that name at this version."""
        opset: LibraryOpset | None = self
        while opset is not None:
            if name in opset.names:
                return opset.function(name)
            opset = opset.base
        # The name of the object is left out, or Python would guess a second time.
        raise AttributeError(self._missing(name), name=name, obj=None)

    def _missing(self, name: str) -> str:
        from opwright.suggest import close_in_any_case

        text = f"{self.package}: {self.domain} has no function {name!r} at version {self.version}"
        close = [] if name.startswith("_") else close_in_any_case(name, self.list_names())
        return f"{text}; did you mean {' or '.join(map(repr, close))}?" if close else text

    def function(self, name: str) -> LibraryFunction:
        """A function that is new or changed at this version."""
        found = self._functions.get(name)
        if found is None:
            found = self._functions[name] = LibraryFunction(self, name)
        return found

    @property
    def base(self) -> LibraryOpset | None:
        """The same domain at the version before; None at the first."""
        if self._base is None:
            return None
        from importlib import import_module

        opset: LibraryOpset = import_module(f"{self.package}.{self._base}")._OPSET
        return opset

    def list_names(self) -> list[str]:
        """Every function of the domain at this version."""
        names = set(self.names)
        opset = self.base
        while opset is not None:
            names.update(opset.names)
            opset = opset.base
        return sorted(names)


class LibraryFunction:
    # A function of an installed library: what it is, its protos, and a call on arrays. (No docstring: that of a
    # function is its own.)

    __slots__ = ("_opset", "name")

    def __init__(self, opset: LibraryOpset, name: str) -> None:
        self._opset = opset
        self.name = name

    def __repr__(self) -> str:
        return f"<{self.identity} of {self.package}>"

    if not TYPE_CHECKING:

        @property
        def __doc__(self):
            from opwright.bundle.function_words import call_text, describe

            entry = self.entry
            versions = self.bundle.index.table.versions(self.domain, self.name)
            return "\n".join([call_text(entry), "", *describe(entry, versions)])

    @property
    def __name__(self) -> str:
        return self.name

    @property
    def __signature__(self) -> inspect.Signature:
        from opwright.bundle.function_words import python_signature

        return python_signature(self.entry)

    @property
    def opset(self) -> LibraryOpset:
        """The opset that it was new or changed in."""
        return self._opset

    @property
    def package(self) -> str:
        return self._opset.package

    @property
    def domain(self) -> str:
        return self._opset.domain

    @property
    def since_version(self) -> int:
        return self._opset.version

    @property
    def identity(self) -> str:
        """`domain::Name@since_version`."""
        return f"{self.domain}::{self.name}@{self.since_version}"

    @property
    def entry(self) -> FunctionEntry:
        """Its interface and bodies, from the bundle. LookupError when the bundle does not have it."""
        entry = self.bundle.index.table.find(self.domain, self.name, self.since_version)
        if entry is not None:
            return entry
        raise LookupError(f"the bundle of {self.package} does not hold {self.identity}: it is of another release")

    @property
    def bundle(self) -> Bundle:
        """The library that the package holds, opened once. DiagnosticError (OW510 to OW518) when it cannot be read."""
        module = sys.modules.get(self.package)
        known, found = _BUNDLES.get(self.package, (None, None))
        if found is None or known is not module:  # one that was imported anew may be another release
            from opwright.bundle.installed import package_bundle
            from opwright.bundle.read import read_bundle_file

            path = package_bundle(self.package, self._opset.bundle)
            found = read_bundle_file(path)
            _BUNDLES[self.package] = (module, found)
        return found

    def __call__(self, /, *args: Any, **kwargs: Any) -> Any:
        """Runs the function on arrays or tensors: inputs by position or name, attributes by name.

        The active evaluators run it, by default onnxruntime where it is installed. One array or tensor per
        output, in a tuple where there are several. TypeError for wrong arguments, DiagnosticError when the function
        does not take these types, when it fails, and when no evaluator runs it.
        """
        return find("call_library_function")(self, args, kwargs)

    def to_function_protos(
        self, *, opset: int | None = None, variant: Mapping[str, str] | None = None
    ) -> list[FunctionProto]:
        """The function and those that it calls, callees first, for a model at that default opset (default: the newest).

        `variant` says which of several bodies is meant, by axis: a type variable (`{"T": "float"}`), an optional input
        (`present`, `absent`) or an attribute's value. ValueError when none fits, or several different ones do.
        """
        from opwright.link.extract import function_protos

        return function_protos(self.bundle, self.entry, opset, variant or {})

    def instantiate(self, body: BodyEntry, opset: int, domain: str, version: int | None = None) -> list[FunctionProto]:
        """One of the function's bodies under that domain, for a model at that default opset, behind those it calls. The
        model imports the domain at `version`, by default the function's own."""
        index = self.bundle.index
        made: list[FunctionProto] = find("instantiate")(
            index, self.bundle.bodies, self.entry, body, opset=opset, domain=domain, version=version
        )
        return made


_BUNDLES: dict[str, tuple[ModuleType | None, Bundle]] = {}
