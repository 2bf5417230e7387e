"""Where the tool imports from: never from a library's folder.

A library is a checkout that is not trusted. A `json.py` in it, or in a folder of it that an editable install has put on
the import path, must not become a part of the tool. So the first thing that a process of ours does is to take such
folders off the path. Two kinds of folders inside a library stay in use: the installation that runs us (a virtual
environment is often kept inside the project), and, in our own repository, the packages `opwright` and `opwright_build`
themselves.

Everything here runs before the path is clean, so nothing is imported but what Python has loaded when it starts.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Protocol

    class Finder(Protocol):
        def find_spec(
            self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = ..., /
        ) -> ModuleSpec | None: ...


OWN = ("opwright", "opwright_build")
_MARK = ("specs", "library.yaml")
_STANDARD_FINDERS = ("BuiltinImporter", "FrozenImporter", "PathFinder")


def confine_imports() -> list[str]:
    """Takes every folder that lies in a library off `sys.path` and gives those folders.

    Finders that an installation has added (editable installs do) no longer find anything in a library either.
    """
    removed = [entry for entry in sys.path if not _is_clean(entry)]
    sys.path[:] = [entry for entry in sys.path if _is_clean(entry)]
    sys.meta_path[:] = [
        finder if getattr(finder, "__name__", "") in _STANDARD_FINDERS else _ConfinedFinder(finder)
        for finder in sys.meta_path
    ]
    _import_own(removed)
    return removed


def clean_path() -> list[str]:
    """`sys.path` for a process with another current folder: absolute, without folders that lie in a library."""
    return [os.path.abspath(entry) for entry in sys.path if _is_clean(entry)]


def package_folders() -> dict[str, str]:
    """The folder of each of our own packages, which may lie where `clean_path` does not lead."""
    return {name: os.path.dirname(os.path.abspath(sys.modules[name].__file__ or "")) for name in OWN}


def library_around(path: str) -> str | None:
    """The nearest folder, from `path` upward, that is a library's root."""
    folder = path
    while True:
        if os.path.isfile(os.path.join(folder, *_MARK)):
            return folder
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above


def _is_clean(entry: str) -> bool:
    """Whether neither an entry of the import path nor what it links to lies in a library's folder."""
    path = os.path.abspath(entry)  # an empty entry is the current folder
    if _is_of_interpreter(path):
        return True
    return library_around(path) is None and library_around(os.path.realpath(path)) is None


def _is_of_interpreter(path: str) -> bool:
    """Whether the folder belongs to the installation that runs us."""
    site = sys.modules.get("site")
    if site is not None and site.ENABLE_USER_SITE and path == os.path.abspath(site.USER_SITE or ""):
        return True
    for prefix in {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}:
        home = os.path.join(os.path.abspath(prefix), "")
        parts = path[len(home) :].split(os.sep) if path.startswith(home) else []
        if os.name == "nt" and parts and parts[0].lower() in ("lib", "dlls"):
            return True
        if len(parts) > 1 and parts[0] in ("lib", "lib64") and parts[1].startswith("python"):
            return True
    return False


def _import_own(removed: "Sequence[str]") -> None:
    """Imports our own packages: those of an installation, else, where this one is developed, those next to it."""
    home = library_around(os.path.dirname(os.path.abspath(__file__)))
    ours = [entry for entry in removed if home is not None and library_around(os.path.abspath(entry)) == home]
    before = sys.path[:]
    sys.path[:] = [*before, *ours]
    try:
        for name in OWN:
            __import__(name)
    finally:
        sys.path[:] = before


class _ConfinedFinder:
    """A finder that an installation has added, but for what it finds in a library's folder."""

    def __init__(self, finder: "Finder") -> None:
        self._finder = finder

    def find_spec(
        self, fullname: str, path: "Sequence[str] | None", target: "ModuleType | None" = None
    ) -> "ModuleSpec | None":
        # Not every finder that is still in use has this method.
        search = getattr(self._finder, "find_spec", None)
        spec: ModuleSpec | None = None if search is None else search(fullname, path, target)
        if spec is None or fullname.partition(".")[0] in OWN:
            return spec
        places = [
            *(spec.submodule_search_locations or ()),
            *([spec.origin] if spec.has_location and spec.origin else []),
        ]
        return spec if all(_is_clean(place) for place in places) else None
