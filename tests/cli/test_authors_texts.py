"""Texts of a library's author in METADATA, Python, C++ and Markdown: they say what they say, and nothing else."""

from __future__ import annotations

import ast
import email
import re
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from opwright_build.propose.cpp_text import string
from opwright_build.prose import prose

Opwright = Callable[..., Any]
SPEC = Path("specs/com.acme/Swish/spec.yaml")

REFUSED = ("a\0b", "a\x1b[2Jb", "a\rb", "a\u202eb", "a\u2066b", "a\u200fb", "a\u2028b", "a\x85b", "a\x0cb")
HOSTILE = (
    'a\n"""\nimport os\n"""',
    "a\n'''\nimport os",
    'a"; system("x"); //',
    "a */ int evil; /*",
    ')DOC" int evil; R"DOC(',
    ')ONNX" int evil;',
    "a\\",
    "a\\\n#define evil",
    "??/\n#define evil",
    "// a\nint evil;",
    "a\nLicense: evil\n\nbody",
    "a\n\nRequires-Dist: evil",
    "<script>evil()</script>",
    "`a\n\n<script>evil()</script>`",
    "> ```\n<script>evil()</script>\n```",
    "- x\n  ```\n<script>evil()</script>\n```",
    "<img src=x onerror=evil()>",
    "[x](javascript:evil())",
    "[x](JaVaScRiPt :evil())",
    "a | b | c\n\n# d\n\n---",
    "{{ 7 * 7 }}{% raw %}",
    "%s %(a)s {0} ${x} $(x)",
    "é 🦀",
)


def change(library: Path, text: str) -> None:
    """Puts the text wherever an author may write one."""
    for file in ("specs/library.yaml", "specs/com.acme/domain.yaml"):
        data = yaml.safe_load((library / file).read_text())
        (library / file).write_text(yaml.safe_dump({**data, "summary": text}, allow_unicode=False))
    data = yaml.safe_load((library / SPEC).read_text())
    data |= {"summary": text[:300], "doc": text}
    for what in ("inputs", "outputs", "attributes"):
        for name, value in data.get(what, {}).items():
            data[what][name] = {**(value if isinstance(value, dict) else {"type": value}), "doc": text}
            if what == "attributes":
                data[what][name] = {"doc": text}
    (library / SPEC).write_text(yaml.safe_dump(data, allow_unicode=False, sort_keys=False))


def made(library: Path, opwright: Opwright, folder: str) -> dict[str, str]:
    """All texts that the commands write, by path."""
    for words in (["build"], ["docs"], ["propose", "Swish", "-o", folder]):
        ran = opwright(*words)
        assert ran.status == 0, (words, ran.out, ran.err)
    (wheel,) = (library / "dist").glob("*.whl")
    found = {}
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if not name.endswith(".onnxlib"):
                found[f"wheel/{name}"] = archive.read(name).decode()
    for root in ("library", "docs", folder):
        for path in sorted((library / root).rglob("*")):
            if path.is_file() and path.suffix in (".py", ".pyi", ".cc", ".h", ".md"):
                found[f"{root.replace(folder, 'proposal')}/{path.relative_to(library / root).as_posix()}"] = (
                    path.read_text()
                )
    return found


def shape(path: str, text: str) -> object:
    """What a file is but for the texts in it."""
    match Path(path).suffix:
        case ".py" | ".pyi":
            tree = ast.parse(text)
            for node in ast.walk(tree):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    node.value = ""
            return ast.dump(tree)
        case ".cc" | ".h":
            literals = r'R"(?P<mark>\w*)\((?:.|\n)*?\)(?P=mark)"|"(?:[^"\\\n]|\\.)*"|//[^\n]*'
            return re.sub(r"\s+", " ", re.sub(r'(""\s*)+', '""', re.sub(literals, '""', text)))
        case _ if path.endswith("/METADATA"):
            return [key for key, _ in email.message_from_string(text).items()], email.message_from_string(
                text
            ).get_payload()
    return None


@pytest.fixture(scope="session")
def honest() -> dict[str, object]:
    """Shapes of what is made with harmless texts; made once."""
    return {}


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_stays_a_text(library: Path, opwright: Opwright, text: str, honest: dict[str, object]) -> None:
    if not honest:
        change(library, "harmless")
        honest.update({path: shape(path, content) for path, content in made(library, opwright, "first").items()})
        assert sum(value is not None for value in honest.values()) > 5
    change(library, text)
    files = made(library, opwright, "second")
    assert files.keys() == honest.keys()
    for path, content in files.items():
        assert shape(path, content) == honest[path], path
        assert not {char for char in content if not char.isprintable()} - {"\n", "\t"}, path
        if path.endswith(".md"):
            assert_no_html(content, path)


def assert_no_html(content: str, path: str) -> None:
    for tag in ("<script", "<img", "javascript:", "javascript :"):
        assert tag not in content.lower(), (path, tag)


@pytest.mark.parametrize("text", REFUSED)
def test_characters_that_are_not_shown_are_refused(library: Path, opwright: Opwright, text: str) -> None:
    change(library, text)
    ran = opwright("build", "--json")
    assert ran.status == 1
    found = [line["finding"] for line in ran.lines if line["event"] == "finding"]
    assert {item["code"] for item in found} == {"OW109"}
    assert f"U+{ord(text[1]):04X}" in found[0]["message"]


@pytest.mark.parametrize(
    "license_", ["MIT\nName: evil", "MIT\n\nbody", "<script>", "MIT */", '"""', "a\0", "\u202eMIT", "`x`"]
)
def test_a_license_is_an_expression(library: Path, opwright: Opwright, license_: str) -> None:
    path = library / "specs/library.yaml"
    path.write_text(yaml.safe_dump({**yaml.safe_load(path.read_text()), "license": license_}))
    assert opwright("build").status == 1


CODE: Mapping[str, str] = {
    "a < b and `<b>`": "a < b and `<b>`",
    "``a`<b>``": "``a`<b>``",
    "```\n<b>\n```": "```\n<b>\n```",
    "<b> `x` <b>": "&lt;b> `x` &lt;b>",
    "`<b>": "`&lt;b>",
    "```\n<b>\n``": "```\n&lt;b>\n``",
    "`a\n<b>`": "`a\n&lt;b>`",
    "metadata: x": "metadata: x",
}


@pytest.mark.parametrize("text", CODE)
def test_code_stays_as_it_is(text: str) -> None:
    assert prose(text) == CODE[text]


def test_characters_in_cpp() -> None:
    assert string("a\0" + '1\x1b\u202e"\\') == r'"a\0001\033\342\200\256\"\\"'
