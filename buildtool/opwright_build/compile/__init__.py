"""Compiling: spec versions to bodies. Reads through the function it is given, runs nothing, writes nothing."""

from opwright_build.compile.model import CompiledVersion, Unreachable
from opwright_build.compile.versions import CompileSession, compile_version

__all__ = ["CompileSession", "CompiledVersion", "Unreachable", "compile_version"]
