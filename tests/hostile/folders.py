"""Libraries as folders that came from others: their sources changed, and files that are none in the place of some.

An input is a JSON object from paths to what is there: text, or one of the words of `PLACES`.
"""

from __future__ import annotations

import base64
import json
import os
import random
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path

from tests.hostile.texts import changed_file, words_of
from tests.own_specs import SPECS

Files = dict[str, str | dict[str, str]]

BASE = Path(__file__).parents[1] / "diagnostics" / "base_library"
_ALONE = (
    *("Softplus", "Gelu", "Clip", "Elu", "Range", "Shrink", "Swish", "CastLike", "HannWindow", "PRelu", "Softmax"),
    *(
        "Bernoulli",
        "LeakyRelu",
        "SequenceMap",
        "ReduceL1",
        "MeanVarianceNormalization",
        "CenterCropPad",
        "GroupNormalization",
    ),
)
_FACTS = ("runtime-gaps.yaml", "numerics.yaml", "mutants-survivors.yaml")
_STATE = ("hints.json", "versions.table", "actions.json", "outputs.json", "lock", "cache")
_OUTPUTS = (".opwright", ".opwright/cache", "dist", "library", "docs", "docs/reference")
_NAMES = (
    "é",
    "A",
    "-x",
    "_x",
    ".x",
    "x y",
    "a" * 200,
    "con",
    "Softplus",
    "x\ny",
    "{{x}}",
    "com.acme",
    "ai.onnx",
    "x.y.z",
)


def _read(root: Path, folders: Sequence[str]) -> Files:
    chosen = [path for path in sorted(root.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    return {
        f"specs/{path.relative_to(root).as_posix()}": path.read_text(encoding="utf-8")
        for path in chosen
        if path.suffix in (".yaml", ".py") and (len(path.parts) - len(root.parts) < 3 or path.parts[-2] in folders)
    }


@cache
def folder_seeds() -> Sequence[Files]:
    """Small libraries: each of some of our own specs, one with calls between them, and one of the tests."""
    found = [_read(SPECS, (name,)) for name in _ALONE]
    for files in found:
        for name in _FACTS:
            files[f"specs/{name}"] = (
                "schema: 1\n" + files[f"specs/{name}"].partition("schema: 1\n")[2][:2_000].rpartition("\n")[0]
            )
        files.pop("specs/ai.onnx.preview/domain.yaml", None)
    return [*found, _read(BASE / "specs", ("Swish",)), _read(SPECS, ("Softplus", "Mish", "Swish", "Gelu"))]


@cache
def _words() -> Sequence[str]:
    return words_of(
        [str(text).encode() for files in folder_seeds() for path, text in files.items() if path.endswith(".yaml")]
    )


def _zero(path: Path, home: Path) -> None:
    path.symlink_to("/dev/zero")


def _fifo(path: Path, home: Path) -> None:
    os.mkfifo(path)


def _folder(path: Path, home: Path) -> None:
    path.mkdir()


def _out(path: Path, home: Path) -> None:
    path.symlink_to(home / "mine")


def _folder_out(path: Path, home: Path) -> None:
    path.symlink_to(home)


def _loop(path: Path, home: Path) -> None:
    path.symlink_to(path.name)


def _parent(path: Path, home: Path) -> None:
    path.symlink_to("..")


def _nowhere(path: Path, home: Path) -> None:
    path.symlink_to(home / "new")


def _large(path: Path, home: Path) -> None:
    with open(path, "wb") as file:
        file.truncate(3 << 40)  # it takes no space


def _closed(path: Path, home: Path) -> None:
    path.write_bytes(b"x")
    path.chmod(0)


PLACES: Mapping[str, Callable[[Path, Path], None]] = {
    "a pipe": _fifo,
    "a link to a device": _zero,
    "a folder": _folder,
    "a link to a file outside": _out,
    "a link to a folder outside": _folder_out,
    "a link to itself": _loop,
    "a link to its folder": _parent,
    "a link to nothing": _nowhere,
    "terabytes": _large,
    "closed": _closed,
}


_FOLDER_LINKS = ("a link to a folder outside", "a link to its folder")


def make_folder(data: bytes, root: Path, home: Path) -> bool:
    """Writes what an input describes; False where a file system cannot hold it."""
    files: Mapping[str, str | Mapping[str, str]] = json.loads(data)
    for name, content in files.items():
        path = root / name.lstrip("/")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if os.path.commonpath([os.path.realpath(path.parent), os.path.realpath(root)]) != os.path.realpath(root):
                continue  # a link leads out of the folder, and nothing is written there
            if isinstance(content, str):
                path.write_bytes(content.encode("utf-8", "surrogatepass"))
            elif "base64" in content:
                path.write_bytes(base64.b64decode(content["base64"]))
            else:
                PLACES[content["place"]](path, home)
        except (OSError, ValueError):
            continue
    return (root / "specs").exists()


def _text(content: str | Mapping[str, str]) -> bytes | None:
    if isinstance(content, str):
        return content.encode("utf-8", "surrogatepass")
    return base64.b64decode(content["base64"]) if "base64" in content else None


def _kept(data: bytes) -> str | dict[str, str]:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def packed(files: Files) -> bytes:
    return json.dumps(files).encode()


def changed_folder(files: Files, numbers: random.Random) -> bytes:
    """A library with a few of its files changed, or with something else in the place of one."""
    changed: Files = dict(files)
    for _ in range(numbers.choice((1, 1, 1, 2, 3))):
        if numbers.random() < 0.85:
            _change_file(changed, numbers)
        else:
            _change_places(changed, numbers)
    return packed(changed)


def _change_file(files: Files, numbers: random.Random) -> None:
    paths = [path for path in files if isinstance(files[path], str) and not path.endswith("reference.py")]
    if not paths:
        return
    near = [path for path in paths if path.count("/") > 2] or paths
    path = numbers.choice(near if numbers.random() < 0.75 else paths)
    data = _text(files[path])
    if data is not None:
        files[path] = _kept(changed_file(path, data, numbers, _words()))


def _change_places(files: Files, numbers: random.Random) -> None:
    if not files:
        return
    path = numbers.choice(list(files))
    place = {"place": numbers.choice(list(PLACES))}
    match numbers.randrange(11):
        case 0:
            files[path] = place
        case 1:
            files[numbers.choice(_OUTPUTS)] = place
        case 9 | 10:  # where a build writes, which is what a link can do most with
            files[numbers.choice(_OUTPUTS)] = {"place": numbers.choice(_FOLDER_LINKS)}
        case 2:  # a folder of the library
            parent = path.rpartition("/")[0]
            for item in [item for item in files if item.startswith(parent + "/")]:
                del files[item]
            files[parent] = place
        case 3:
            files[
                f"{numbers.choice(('.opwright/', '.opwright/cache/', 'dist/', 'library/', ''))}{numbers.choice(_STATE)}"
            ] = place
        case 4:
            files[f".opwright/{numbers.choice(_STATE)}"] = numbers.choice(
                ("", "{}", "[" * 50_000, '{"a": 1e999}', "\0", "null")
            )
        case 5:  # another name of the function or its domain
            parts = path.split("/")
            at = numbers.randrange(len(parts))
            parts[at] = numbers.choice(_NAMES)
            files["/".join(parts)] = files.pop(path)
        case 6:
            del files[path]
        case _:
            files[path.rpartition("/")[0] + "/" + numbers.choice(_NAMES)] = place


@cache
def built_bundles() -> Sequence[bytes]:
    """What the compiler makes of two libraries: with variants, templates, calls and texts."""
    from opwright_build.cli.entry import main

    found = []
    with tempfile.TemporaryDirectory() as scratch, redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        for number, names in enumerate((("Clip", "SequenceMap"), ("Softplus", "Mish", "Swish"))):
            root = Path(scratch, str(number))
            for path, text in _read(SPECS, names).items():
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_text(str(text), encoding="utf-8")
            shutil.rmtree(root / "specs" / "ai.onnx.preview", ignore_errors=True)
            (root / "specs" / "runtime-gaps.yaml").unlink()
            if main(["build", str(root)]) == 0:
                found += [path.read_bytes() for path in (root / "dist").glob("*.onnxlib")]
    return found
