"""Proposals under a C++ compiler: `python -m tests.propose.cpp_check [LIBRARY] [FUNCTION...]`.

By default every function of the standard's domains in this repository; LIBRARY is another library's folder.

Needs g++, protoc and protobuf's headers (Debian: g++, protobuf-compiler, libprotobuf-dev). Each schema must pass the
compiler against the headers of the installed onnx. Then onnx's own sources, which its wheel brings along, are compiled
as far as schemas need them, the proposed schemas are registered in there by their registration lines, and every node
test is put to them: the body that the schema builds must be the variant's, and what it infers must fit the outputs.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import onnx
from onnx import FunctionProto, numpy_helper
from opwright_build.cli.entry import main as command_line

ROOT = Path(__file__).parents[2]
INCLUDE = Path(onnx.__file__).parents[1]
FLAGS = ("-std=c++17", "-DONNX_ML=1", "-DONNX_NAMESPACE=onnx")
DRIVER = Path(__file__).with_name("driver.cc")
# What registering schemas, building bodies and inferring types needs of onnx, and no more.
SOURCES = (
    "checker.cc",
    "common/assertions.cc",
    "common/interned_strings.cc",
    "common/model_helpers.cc",
    "common/status.cc",
    "defs/attr_proto_util.cc",
    "defs/data_type_utils.cc",
    "defs/function.cc",
    "defs/parser.cc",
    "defs/printer.cc",
    "defs/schema.cc",
    "defs/shape_inference.cc",
    "defs/tensor_proto_util.cc",
    "defs/tensor_util.cc",
    "shape_inference/implementation.cc",
)
PROTOS = ("onnx-ml", "onnx-operators-ml", "onnx-data")


@dataclass(frozen=True, slots=True)
class Made:
    """A proposal that was written."""

    name: str
    folder: Path

    @property
    def schema(self) -> Path:
        return self.folder / "insert" / "schema.cc"

    @property
    def tests(self) -> list[Path]:
        """The folders of the node tests, less the expansions."""
        return sorted(path for path in (self.folder / "onnx/backend/test/data/node").iterdir() if not _expanded(path))


def run(library: Path, functions: Sequence[str]) -> int:
    """The number of findings, each printed in a line."""
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        headers = make_headers(work)
        shutil.copytree(library / "specs", work / "specs")  # a build of its own disturbs nobody else's
        made = [propose(name, work) for name in functions or all_functions(work)]
        findings = [line for item in made for line in check_syntax(item, headers)]
        print(f"{len(made)} schemas compiled, {len(findings)} findings", flush=True)
        if not findings:
            findings = check_bodies(made, headers, work)
    for line in findings:
        print(line)
    return len(findings)


def all_functions(library: Path) -> list[str]:
    folders = sorted(path.parent for path in (library / "specs").glob("ai.onnx*/*/spec.yaml"))
    return [f"{folder.parent.name}/{folder.name}" for folder in folders]


def propose(name: str, library: Path) -> Made:
    folder = library / "proposals" / name
    status = command_line(["propose", name, str(library), "-o", str(folder)])
    assert status == 0, f"opwright propose {name}: exit {status}"
    return Made(name, folder)


def make_headers(work: Path) -> Path:
    """The folder of the protobuf headers, generated from the wheel's own `.proto` files."""
    sources, headers = work / "protos", work / "headers"
    (sources / "onnx").mkdir(parents=True)
    headers.mkdir()
    for name in PROTOS:
        shutil.copy(INCLUDE / "onnx" / f"{name}.proto", sources / "onnx")
    files = [f"{sources}/onnx/{name}.proto" for name in PROTOS]
    subprocess.run(["protoc", f"-I{sources}", f"--cpp_out={headers}", *files], check=True)
    return headers


def compiler(headers: Path, *more: str) -> list[str]:
    return ["g++", *FLAGS, f"-I{headers}", f"-I{INCLUDE}", *more]


def check_syntax(made: Made, headers: Path) -> list[str]:
    """What the compiler says, warnings included."""
    command = compiler(headers, "-Wall", "-Wextra", "-fsyntax-only", str(made.schema))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return [f"{made.name}: {done.stderr}"] if done.returncode or done.stderr else []


# -------------------------------------------------------------------------------------------------- bodies


def check_bodies(made: Sequence[Made], headers: Path, work: Path) -> list[str]:
    """Runs every node test through the schemas."""
    driver = build_driver(made, headers, work)
    findings: list[str] = []
    tests = 0
    for item in made:
        if "FunctionBody" not in item.schema.read_text():
            print(f"{item.name}: no body to build")
            continue
        folders = item.tests
        tests += len(folders)
        done = subprocess.run([str(driver), *map(str, folders)], capture_output=True, text=True, check=False)
        findings += (f"{item.name}: {line}" for line in done.stdout.splitlines() + done.stderr.splitlines())
        findings += (f"{item.name}: {folder.name}: {text}" for folder in folders for text in wrong(folder))
    print(f"{tests} node tests put to {len(made)} schemas, {len(findings)} findings")
    return findings


def build_driver(made: Sequence[Made], headers: Path, work: Path) -> Path:
    """One program of onnx's sources and of all schemas, registered by the lines that the proposals give."""
    declarations, entries = [], []
    for item in made:
        lines = (item.folder / "insert" / "registration.h").read_text().splitlines()
        declarations += [line for line in lines if line.startswith("class ")]
        entries += [line for line in lines if line.startswith("fn(")]
    text = DRIVER.read_text().replace("DECLARATIONS", "\n".join(declarations)).replace("ENTRIES", "\n  ".join(entries))
    main = work / "driver.cc"
    main.write_text(text)
    sources = [INCLUDE / "onnx" / name for name in SOURCES]
    sources += [headers / "onnx" / f"{name}.pb.cc" for name in PROTOS]
    sources += [main, *(item.schema for item in made)]
    objects = [work / f"{number}.o" for number in range(len(sources))]
    flags = ("-O0", "-w", "-ffunction-sections", "-D__ONNX_DISABLE_STATIC_REGISTRATION", "-c")

    def build(source: Path, target: Path) -> None:
        subprocess.run(compiler(headers, *flags, str(source), "-o", str(target)), check=True)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(build, sources, objects))
    program = work / "driver"
    # What nobody calls needs sources that are not here, and is left out.
    link = ["g++", *map(str, objects), "-Wl,--gc-sections", "-lprotobuf", "-o", str(program)]
    subprocess.run(link, check=True)
    return program


def wrong(folder: Path) -> list[str]:
    """What is wrong with the body that a test got, and with what was inferred for it."""
    if not (folder / "body.pb").exists():
        return []  # told already
    body = FunctionProto.FromString((folder / "body.pb").read_bytes())
    findings = []
    expanded = sorted(folder.parent.glob(f"{folder.name}_expanded*"))[:1]
    for path in expanded:
        if node_kinds(onnx.load(path / "model.onnx").graph.node) != node_kinds(body.node):
            findings.append("the schema builds another body than the expansion has")
    if not expanded:
        findings.append("it has no expansion")
    findings += wrong_inference(folder)
    return findings


def node_kinds(nodes: Sequence[onnx.NodeProto]) -> list[tuple[str, str, int, int]]:
    return [(node.domain, node.op_type, len(node.input), len(node.output)) for node in nodes]


def wrong_inference(folder: Path) -> list[str]:
    """Where types or dimensions that were inferred are not those of the stored outputs."""
    if not (folder / "inferred.onnx").exists():
        return []  # through the body: that is onnx's own
    findings = []
    outputs = onnx.load(folder / "inferred.onnx").graph.output
    for index, output in enumerate(outputs):
        stored = onnx.TensorProto.FromString((folder / f"test_data_set_0/output_{index}.pb").read_bytes())
        inferred = output.type.tensor_type
        if inferred.elem_type and inferred.elem_type != stored.data_type:
            findings.append(f"{output.name} is inferred to be of type {inferred.elem_type}, not {stored.data_type}")
        shape = numpy_helper.to_array(stored).shape
        if inferred.HasField("shape"):
            dims = [dim.dim_value if dim.HasField("dim_value") else None for dim in inferred.shape.dim]
            fits = len(dims) == len(shape) and all(dim in (None, size) for dim, size in zip(dims, shape, strict=True))
            if not fits:
                findings.append(f"{output.name} is inferred to have the shape {dims}, not {list(shape)}")
    return findings


def _expanded(path: Path) -> bool:
    return re.search(r"_expanded(_ver\d+)?$", path.name) is not None


if __name__ == "__main__":
    named = [Path(word) for word in sys.argv[1:2] if Path(word, "specs").is_dir()]
    sys.exit(1 if run(*(named or [ROOT]), sys.argv[1 + len(named) :]) else 0)
