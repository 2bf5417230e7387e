"""Files of folders and users are opened in a few places, which look at what a file is and how large before.

Whoever opens one elsewhere, or one more in these, finds this test red: use `opwright.regular_file`, `spec.confine` or
`engine.tree`, or say here why the file cannot be anybody's.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = (ROOT / "library" / "opwright", ROOT / "buildtool" / "opwright_build")
READERS = frozenset(
    {"open", "read_text", "read_bytes", "memmap", "fromfile", "load_model", "load_external_data_for_model"}
    | {"load_external_data_for_tensor", "genfromtxt", "loadtxt", "safe_load", "ZipFile", "TarFile", "mmap", "copyfile"}
)
METHODS = frozenset({"read_text", "read_bytes"})
OF_MODULES = frozenset(
    {("onnx", "load"), ("np", "load"), ("numpy", "load"), ("pickle", "load"), ("json", "load"), ("tomllib", "load")}
    | {("yaml", "load"), ("shutil", "copy"), ("shutil", "copytree"), ("os", "sendfile"), ("codecs", "open")}
)

# Each module that may: in how many places, and why.
ALLOWED = {
    "library/opwright/regular_file.py": (2, "the home: regular files of a size that is looked at before"),
    "buildtool/opwright_build/engine/tree.py": (
        3,
        "the home for folders that are not trusted; makes files that are new",
    ),
    "buildtool/opwright_build/spec/confine.py": (1, "the home for sources: what `open_regular` gives, up to a limit"),
    "buildtool/opwright_build/engine/piece_file.py": (
        4,
        "what `open_regular` gives, as far as sealed records say; appends to a regular file",
    ),
    "library/opwright/standard_output.py": (1, "the null device"),
    "library/opwright/bundle/installed.py": (1, "what an installed distribution says of its own files"),
    "buildtool/opwright_build/engine/hints.py": (1, "what `open_regular` gives"),
    "library/opwright/graphs/external_tensors.py": (2, "the home for tensors in other files: looked at before"),
    "library/opwright/graphs/whole_files.py": (1, "writes files that are new"),
    "library/opwright/graphs/data_files.py": (1, "what `open_regular` gives"),
    "library/opwright/graphs/inline_weights.py": (2, "what `open_regular` gives, a piece at a time"),
    "library/opwright/link/kernels.py": (
        2,
        "a file of this package; what onnxruntime has just written in a folder of ours",
    ),
    "buildtool/opwright_build/workflow/library_site.py": (1, "what Sphinx has just written in a folder of ours"),
    "library/opwright/decompiler/modules.py": (1, "the file that the user names to be written, looked at before"),
    "library/opwright/decompiler/side_file.py": (7, "members of an archive"),
    "library/opwright/downlevel/target.py": (1, "a file of this package"),
    "buildtool/opwright_build/publication/index_place.py": (1, "an answer from the web, with limits"),
    "buildtool/opwright_build/package/sdist.py": (1, "in memory, an archive that is written"),
    "buildtool/opwright_build/spec/scaffold.py": (1, "files of this package"),
    "buildtool/opwright_build/spec/torch_schemas.py": (1, "a file of this package"),
    "buildtool/opwright_build/verify/cases/stored/numpy_archive.py": (2, "members of an archive"),
    "buildtool/opwright_build/verify/cases/stored/sampled.py": (1, "in memory, an archive that is written"),
    "buildtool/opwright_build/workflow/explain.py": (1, "a file of this package"),
    "buildtool/opwright_build/workflow/opened/transaction.py": (
        1,
        "files that a release has written, to wait for the disk",
    ),
    "buildtool/opwright_build/workflow/opened/foreign_module.py": (
        1,
        "a file of an installed package, on the import path",
    ),
    "buildtool/opwright_build/verify/cases/suite.py": (1, "files of the installed onnx"),
    "buildtool/opwright_build/verify/run/task_messages.py": (1, "in memory, what our own process sends to its workers"),
    "buildtool/opwright_build/verify/run/worker.py": (
        1,
        "files of installed packages, in a process that tries its cage",
    ),
    "buildtool/opwright_build/verify/cases/oracle_server.py": (2, "a scratch folder of ours"),
    "buildtool/opwright_build/engine/environment.py": (1, "our own sources"),
    "buildtool/opwright_build/engine/machine.py": (1, "the system's own file, of which a few bytes are read"),
    "buildtool/opwright_build/engine/user_secret.py": (1, "looks at the file itself: owner, mode, kind; reads 4 kB"),
    "buildtool/opwright_build/engine/folder_lock.py": (1, "a lock file, of which nothing is read"),
    "buildtool/opwright_build/sandbox/attack_targets.py": (2, "files of a self-test"),
    "buildtool/opwright_build/sandbox/attacks.py": (5, "files of a self-test, from inside of a cage"),
    "buildtool/opwright_build/sandbox/landlock.py": (1, "paths as such, nothing of which is read"),
    "buildtool/opwright_build/sandbox/namespaces.py": (2, "the system's own files, and new ones in a scratch folder"),
}


@pytest.mark.long
def test_files_are_opened_in_their_homes() -> None:
    found = {path.relative_to(ROOT).as_posix(): list(_openings(path)) for room in ROOMS for path in _sources(room)}
    opening = {path: lines for path, lines in found.items() if lines}
    strangers = {path: lines for path, lines in opening.items() if path not in ALLOWED}
    assert not strangers, "read with `opwright.regular_file`, or add a reason to ALLOWED"
    assert not set(ALLOWED) - set(opening), "these open nothing any more"
    for path, lines in opening.items():
        wanted, _ = ALLOWED[path]
        assert len(lines) == wanted, (
            f"{path} opens files in {lines}: look at each, and say how many there are in ALLOWED"
        )


def _sources(room: Path) -> Iterator[Path]:
    return (path for path in sorted(room.rglob("*.py")) if "generated" not in path.parts)


def _openings(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_bytes())
    names = {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        match node.func:
            case ast.Name(id=name) if name in READERS - METHODS or names.get(name) in ("onnx.load", "numpy.load"):
                yield f"{node.lineno}: {name}"
            case ast.Attribute(value=ast.Name(id=module), attr=name) if (module, name) in OF_MODULES:
                yield f"{node.lineno}: {module}.{name}"
            case ast.Attribute(value=owner, attr=name) if name in READERS and not _is_ours(owner, name):
                yield f"{node.lineno}: {ast.unparse(node.func)}"


def _is_ours(owner: ast.expr, name: str) -> bool:
    """`open` of seals, keys and the compiler's files are methods of other things than files."""
    return name == "open" and ast.unparse(owner) in ("seal", "self._seal", "self._keys", "files", "self")
