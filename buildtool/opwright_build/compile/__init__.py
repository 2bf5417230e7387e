"""Compiling: spec versions to bodies. Reads through what it is given, runs nothing, writes nothing."""

from opwright_build.compile.compiled_version import CompiledVersion, Unreachable
from opwright_build.compile.files import SpecFiles
from opwright_build.compile.versions import compile_version

__all__ = ["CompiledVersion", "SpecFiles", "Unreachable", "compile_version"]
