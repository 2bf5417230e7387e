"""A library's whole way, from empty folders to a runtime that knows nothing of it. `nox -s whole-way`.

Three environments: the author's makes acme-ops, releases it twice and publishes it to an index of static files; the
consumer's, which knows that index alone, finds and installs it, and uses it from typed programs and in models that five
packages make; the runtime's has onnxruntime and numpy, and runs every model. What is printed, each file that is made
again, and all results are checked.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.docs.tutorial_steps import Command
from tests.environment import build_own_wheel, free_port, new_users_variables, served, type_in

HERE = Path(__file__).resolve().parent
FUNCTIONS = ("Swish", "Softplus", "Mish")
TOOLS = ("helper", "onnxscript", "sklearn", "torch", "spox")
CONSUMERS = "mypy 'pyright[nodejs]' spox onnxscript skl2onnx scikit-learn torch==2.13.0"


class Person:
    """Who types commands in a folder, with the programs of an environment."""

    def __init__(self, folder: Path, variables: dict[str, str]) -> None:
        folder.mkdir()
        venv = folder / ".venv"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
        self.place = folder
        self.variables = {**variables, "PATH": f"{venv / 'bin'}:{variables['PATH']}", "VIRTUAL_ENV": str(venv)}
        self.pip = f"{sys.executable} -m pip --python {venv / 'bin' / 'python'} install --quiet"

    def types(self, line: str, *says: str, status: int = 0) -> str:
        """What is printed. It has the lines `says` in their order, and the exit code is `status`; else all ends."""
        return type_in(Command(line, says, status), self.place, self.variables)


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="opwright-whole-way-") as made:
        folder = Path(made)
        variables = new_users_variables(folder, build_own_wheel(folder / "wheel"))
        author, consumer = Person(folder / "author", variables), Person(folder / "consumer", variables)
        runtime = Person(folder / "runtime", variables)
        author.types(f"{author.pip} 'opwright[build,run]'")
        runtime.types(f"{runtime.pip} onnxruntime numpy")
        site = folder / "site"
        make_library(author)
        publish(author, "1.0.0", site)
        with served_folder(site, folder / "web.log") as url:
            find_and_install(consumer, url)
            use_in_programs(consumer)
            make_models(consumer)
            run_models(runtime, consumer.place / "models", "linked", "attached", "inlined")
            build_on_it(consumer, url)
            second_release(author)
            publish(author, "1.1.0", site)
            upgrade_models(consumer, url)
            run_models(runtime, consumer.place / "models", "upgraded")
            use_second_version(consumer)
    print("the whole way is right")
    return 0


# ------------------------------------------------------------------------------------------------------ the author


def make_library(author: Person) -> None:
    author.types("opwright new library acme-ops --license Apache-2.0", "next: opwright new function com.acme/Name")
    author.place /= "acme-ops"
    for name in FUNCTIONS:
        author.types(f"opwright new function com.acme/{name}", "next: opwright build")
    shutil.copytree(HERE / "first", author.place / "specs", dirs_exist_ok=True)
    author.types("opwright build", "wrote dist/acme-ops-0.1.0.onnxlib")
    test(author, "3 versions, 7 (version, type) pairs, 17 cases")
    author.types("opwright release 1.0.0", *(f"* `com.acme::{name}@1`: it is new" for name in sorted(FUNCTIONS)))


def test(author: Person, *says: str) -> None:
    """With what the installed onnxruntime does not load taken down, as its author does who has looked at it."""
    author.types("opwright test --update-gaps", *says)
    author.types("opwright test", *says)


def publish(author: Person, version: str, site: Path) -> None:
    author.types("opwright publish --verify", "built again elsewhere: the same bytes")
    release = f"dist/acme-ops-{version}"
    author.types(f"cd {release} && sha256sum --check --quiet SHA256SUMS")
    author.types(f"opwright index {site} {release}", f"acme-ops {version}: 21 files")


def second_release(author: Person) -> None:
    """Another body for Swish, which gives the same values and so has to be accepted, and a second Softplus."""
    author.types("opwright new version com.acme/Softplus", "wrote specs/com.acme/Softplus/version2.py")
    shutil.copytree(HERE / "second", author.place / "specs", dirs_exist_ok=True)
    says = "reason: all values are equal (162 results compared)"
    author.types("opwright release 1.1.0", says, status=1)
    author.types("opwright lock --accept com.acme::Swish@1 --reason 'the factor comes last'")
    test(author, "4 versions, 9 (version, type) pairs, 23 cases")
    author.types(
        "opwright release 1.1.0",
        "* `com.acme::Softplus@2`: it is new, beside Softplus@1",
        "* `com.acme::Swish@1`: its body differs, exact: the factor comes last",
    )


@contextmanager
def served_folder(folder: Path, log: Path) -> Iterator[str]:
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "http.server", "--bind", "127.0.0.1", "--directory", str(folder), str(port)]
    server = served(command, url, log)
    try:
        yield url
    finally:
        server.terminate()
        server.wait()


# ---------------------------------------------------------------------------------------------------- the consumer


def find_and_install(consumer: Person, url: str) -> None:
    consumer.types(f"{consumer.pip} 'opwright[build,run]' {CONSUMERS}")
    found = (f"com.acme::{name}@1  acme-ops  1.0.0  {url}" for name in sorted(FUNCTIONS))
    consumer.types(f"opwright search 'com.acme::*' --index {url}", *found)
    consumer.types(f"{consumer.pip} --extra-index-url {url}/simple/ acme-ops")


def use_in_programs(consumer: Person) -> None:
    for name in ("use.py", "wrong.py"):
        shutil.copy(HERE / name, consumer.place)
    consumer.types("python use.py", "softened (3,)")
    consumer.types("mypy --strict use.py", "Success: no issues found in 1 source file")
    consumer.types("pyright use.py", "0 errors, 0 warnings, 0 informations")
    line = (HERE / "wrong.py").read_text(encoding="utf-8").splitlines().index("# The next line is wrong.") + 2
    require(f"wrong.py:{line}: error: " in consumer.types("mypy --strict wrong.py", status=1))
    told = consumer.types("pyright wrong.py", status=1)
    require(f"wrong.py:{line}:" in told and '"Literal[\'steep\']" is not assignable to "float"' in told)


def make_models(consumer: Person) -> None:
    """models/bare, models/attached and models/inlined, with a model of each tool."""
    shutil.copy(HERE / "models.py", consumer.place)
    consumer.types("python models.py models", *TOOLS)
    served_nodes = ("com.acme::Swish@1: 1 node", "com.acme::Mish@1: 1 node")
    attach = "opwright attach --library acme-ops models/bare"
    consumer.types(f"{attach} --inline --out-dir models/inlined", *served_nodes * len(TOOLS))
    consumer.types(f"{attach} --out-dir models/attached", *served_nodes * len(TOOLS))
    # `link` for a package writes the types of casts, and onnx_ir the nodes of torch in another order.
    for tool in TOOLS:
        pair = f"models/linked/{tool}.onnx models/attached/{tool}.onnx"
        consumer.types(f"python {HERE / 'equal.py'} models/x.npy {pair}", "the same bits")


def build_on_it(consumer: Person, url: str) -> None:
    """A library of the consumer's that depends on the one of the index."""
    consumer.types("opwright new library acme-nn --domain com.acme.nn")
    consumer.types("opwright new function com.acme.nn/Block --path acme-nn")
    consumer.types(f"opwright add acme-ops --path acme-nn --index {url}")
    vendored = consumer.place / "acme-nn/specs/vendor/acme-ops-1.0.0.onnxlib"
    published = consumer.place.parent / "author/acme-ops/dist/acme-ops-1.0.0/acme-ops-1.0.0.onnxlib"
    require(vendored.read_bytes() == published.read_bytes())
    consumer.types("cd acme-nn && opwright build", "wrote dist/acme-nn-0.1.0.onnxlib")


def upgrade_models(consumer: Person, url: str) -> None:
    consumer.types(f"{consumer.pip} --upgrade --extra-index-url {url}/simple/ acme-ops==1.1.0")
    releases = "acme-ops 1.0.0 -> 1.1.0"
    says = [
        f"models/attached/{tool}.onnx: com.acme::{line}, 1 node"
        for tool in sorted(TOOLS)
        for line in (f"Swish@1, {releases}: equal", f"Mish@1 [T=float], {releases}: same")
    ]
    consumer.types("opwright upgrade models/attached --library acme-ops --out-dir models/upgraded", *says)
    consumer.types("opwright attach models/bare --library acme-ops --out-dir models/attached-newer")
    for kept in ("linked", "attached", "upgraded"):
        consumer.types(f"opwright detach models/{kept} --out-dir models/detached-{kept}")
        for tool in TOOLS:
            same(consumer, f"bare/{tool}.onnx", f"detached-{kept}/{tool}.onnx")
    for tool in TOOLS:
        same(consumer, f"attached-newer/{tool}.onnx", f"upgraded/{tool}.onnx")
        require(not is_same(consumer, f"attached/{tool}.onnx", f"upgraded/{tool}.onnx"))


def use_second_version(consumer: Person) -> None:
    """Both versions of Softplus, side by side in one program."""
    both = "from acme_ops import opset1 as one, opset2 as two; import numpy as np; x = np.ones(2, np.float32)"
    line = f"{both}; print(np.round([one.Softplus(x)[0], two.Softplus(x, beta=2.0)[0]], 4))"
    consumer.types(f"python -c '{line}'", "[1.3133 1.0635]")


def run_models(runtime: Person, models: Path, *folders: str) -> None:
    for folder in folders:
        says = (f"right {tool}.onnx" for tool in sorted(TOOLS))
        runtime.types(f"python {HERE / 'runtime.py'} {models / 'x.npy'} {models / folder}", *says)


def is_same(consumer: Person, first: str, second: str) -> bool:
    models = consumer.place / "models"
    return (models / first).read_bytes() == (models / second).read_bytes()


def same(consumer: Person, first: str, second: str) -> None:
    if not is_same(consumer, first, second):
        sys.exit(f"models/{first} and models/{second} differ")


def require(holds: bool) -> None:
    if not holds:
        raise AssertionError("what was checked last does not hold")


if __name__ == "__main__":
    sys.exit(main())
