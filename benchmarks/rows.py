"""What is measured, against which budgets. Every ratio is of two processes that ran one after the other."""

from __future__ import annotations

import json
import math
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from benchmarks.generated_specs import LARGE, write_library
from benchmarks.models import MODELS
from benchmarks.programs import OPERATORS, PROGRAMS

ROOT = Path(__file__).resolve().parents[1]
REPETITIONS = 5
OURS, PEER = "opwright", "onnxscript"
OPWRIGHT = (sys.executable, "-c", "import sys; from opwright_build.cli.entry import main; sys.exit(main())")
STEEPEST = 1.15  # exponent of the time in the size
SHORTEST = 50.0  # milliseconds of the smallest size


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: the same measure of us and of the peer, once for each repetition.

    `budget` is the largest accepted ratio of the medians, or of a row without a peer the largest measure. `exponent`
    is that of our time between the last two of `sizes`; at most STEEPEST is accepted. `curve` has our median for each
    size.
    """

    work: str
    unit: str
    ours: tuple[float, ...]
    peer: tuple[float, ...] = ()
    budget: float | None = None
    sizes: tuple[int, ...] = ()
    curve: tuple[float, ...] = ()
    ratios: tuple[float, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "ratios", tuple(one / other for one, other in zip(self.ours, self.peer, strict=False)))

    @property
    def stated(self) -> float:
        """The ratio, or our own measure where there is no peer."""
        ours = statistics.median(self.ours)
        return ours / statistics.median(self.peer) if self.peer else ours

    @property
    def exponent(self) -> float | None:
        if len(self.sizes) < 2:
            return None
        (small, large), (less, more) = self.sizes[-2:], self.curve[-2:]
        return math.log(more / less) / math.log(large / small)

    @property
    def excesses(self) -> tuple[str, ...]:
        """What is over budget."""
        over = ["cost"] if self.budget is not None and self.stated > self.budget else []
        if self.exponent is not None and self.exponent > STEEPEST:
            over.append("exponent")
        return tuple(over)

    @property
    def is_short(self) -> bool:
        """Whether the smallest size takes too little time to be measured well."""
        return bool(self.curve) and self.unit == "ms" and self.curve[0] < SHORTEST


@dataclass(frozen=True, slots=True)
class Scaled:
    """Work that is measured at three sizes, and the peer at one of them, `beside`; `memory` is the budget of the peak's
    growth."""

    work: str
    title: str
    sizes: tuple[int, int, int]
    beside: int
    budget: float | None
    memory: float | None = None
    has_peer: bool = True


SCALED = (
    Scaled("functions", f"different functions of {OPERATORS} operators", (250, 1_000, 4_000), 1_000, 0.18),
    Scaled("long", "one function of n operators", (2_000, 8_000, 32_000), 2_000, 0.12),
    Scaled("live", "one function of n operators, all values live", (3_000, 12_000, 48_000), 3_000, 0.08, memory=0.05),
    Scaled("nested", "functions of nested loops and ifs", (16, 64, 256), 64, 0.3),
    Scaled("calls", "a model of n calls of different functions", (125, 500, 2_000), 500, 0.12),
    Scaled("chain", "a model of functions that call one another", (125, 500, 2_000), 500, 0.12),
    Scaled("decompile", "ONNX to Python, nodes", (12_500, 50_000, 200_000), 12_500, 0.2),
    Scaled("layers", "ONNX to Python, nodes of layers with weights", (2_500, 10_000, 40_000), 2_500, None),
    Scaled(
        "digest",
        f"canonical digests of functions of {OPERATORS} nodes",
        (2_500, 10_000, 40_000),
        10_000,
        250,
        has_peer=False,
    ),
)


# ------------------------------------------------------------------------------------------------------ measures


def cost(command: Sequence[str], folder: Path = ROOT, environment: Mapping[str, str] | None = None) -> float:
    """CPU milliseconds, user and system, of one run of a command and all its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    quiet = subprocess.DEVNULL
    subprocess.run(command, cwd=folder, env=environment, check=True, stdout=quiet, stderr=quiet)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e3 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def workload(work: str, package: str, file: Path, times: int = 1, size: int = 0) -> dict[str, float]:
    command = (
        sys.executable,
        "-W",
        "ignore",
        "-m",
        "benchmarks.workload",
        work,
        package,
        str(times),
        str(size),
        str(file),
    )
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


@dataclass(frozen=True, slots=True)
class Programs:
    """The programs and models of one seed, as files of one folder."""

    folder: Path
    seed: int

    def file(self, work: str, package: str, count: int) -> Path:
        if work in MODELS:
            path = self.folder / f"{work}_{count}.onnx"
            if not path.exists():
                # In a process of its own: every process begins with the peak of memory of the one that starts it.
                made = f"onnx.save(benchmarks.models.MODELS[{work!r}]({self.seed}, {count}), {str(path)!r})"
                command = (sys.executable, "-c", f"import benchmarks.models, onnx; {made}")
                subprocess.run(command, cwd=ROOT, check=True)
            return path
        path = self.folder / f"{work}_{package}_{count}.py"
        if not path.exists():
            path.write_text(PROGRAMS[work](self.seed, count, package), encoding="utf-8")
        return path


# ---------------------------------------------------------------------------------------------------------- rows


def imports(programs: Programs) -> list[Row]:
    """One opset and one type, less what the bare interpreter costs; then a process that makes one proto and calls one
    function, less bare Python and the imports of onnx and onnxruntime."""
    light = ("pass", "from opwright import FLOAT, opset18", "from onnxscript import FLOAT, opset18")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(programs.folder / "bytecode")  # written once, whatever is asked outside
    imported = [(sys.executable, "-c", text) for text in light]
    rows = [_processes("import with an opset and a type", imported, 0.03, environment)]
    whole: list[tuple[str, ...]] = [(sys.executable, "-c", "import onnx, onnxruntime")]
    for package in (OURS, PEER):
        file = programs.file("first", package, 1)
        whole.append((sys.executable, "-W", "ignore", str(file)))
    return [*rows, _processes("import, the first proto and the first eager call", whole, 0.15, environment)]


def _processes(title: str, commands: Sequence[Sequence[str]], budget: float, environment: Mapping[str, str]) -> Row:
    """The second and the third command less the first."""
    for command in commands:
        cost(command, environment=environment)  # bytecode is written
    runs = [[cost(command, environment=environment) for command in commands] for _ in range(2 * REPETITIONS)]
    common = statistics.median(run[0] for run in runs)
    ours, peer = (tuple(run[index] - common for run in runs) for index in (1, 2))
    return Row(title, "ms", ours, peer, budget)


def scaled(work: Scaled, programs: Programs) -> list[Row]:
    """The work at its sizes, and beside the peer at one of them."""
    for package in (OURS, PEER):
        programs.file("eager", package, 1)
    ours: dict[int, list[dict[str, float]]] = {size: [] for size in work.sizes}
    peer: list[dict[str, float]] = []
    for _ in range(REPETITIONS):
        for size in work.sizes:
            ours[size].append(workload(work.work, OURS, programs.file(work.work, OURS, size)))
            if work.has_peer and size == work.beside:
                peer.append(workload(work.work, PEER, programs.file(work.work, PEER, size)))
    beside = ours[work.beside]
    curve = tuple(1e3 * statistics.median(run["seconds"] for run in ours[size]) for size in work.sizes)
    rows = [
        Row(
            f"{work.title}: {work.beside:,}",
            "ms",
            tuple(1e3 * run["seconds"] for run in beside),
            tuple(1e3 * run["seconds"] for run in peer),
            work.budget,
            work.sizes,
            curve,
        )
    ]
    if work.memory is not None:
        memory, other = (tuple(run["megabytes"] for run in runs) for runs in (beside, peer))
        rows.append(Row(f"{work.title}: {work.beside:,}, memory", "MB", memory, other, work.memory))
    return rows


_EAGER = (
    ("operator", "op.Add on arrays of 4 elements", 4, 20_000, 0.012),
    ("function", "a function of 8 operators, 1 k elements", 1_000, 2_000, 0.002),
    ("function", "a function of 8 operators, 1 M elements", 1_000_000, 40, 0.05),
)
_FEWER = 20  # times fewer calls of the peer, which takes that much longer


def eager(programs: Programs) -> list[Row]:
    """One operator on tiny arrays, and a function on small and on large ones, all settings as they are by default.

    Below a function stands what its model costs in a session of onnxruntime that is there already: the least that
    running it can cost, which is another for each function that is drawn. The difference is ours.
    """
    rows: list[Row] = []
    for work, title, size, times, budget in _EAGER:
        counts = {(work, OURS): times, (work, PEER): max(times // _FEWER, 20)}
        if work == "function":
            counts["kernels", OURS] = times
        runs = [
            {
                key: 1e6 * workload(*key, programs.file("eager", key[1], 1), counts[key], size)["seconds"]
                for key in counts
            }
            for _ in range(REPETITIONS)
        ]
        ours, peer, *kernels = (tuple(run[key] for run in runs) for key in counts)
        rows.append(Row(title, "us", ours, peer, budget))
        rows += (Row(f"- onnxruntime alone, {title.rpartition(', ')[2]}", "us", alone, peer) for alone in kernels)
    return rows


def decorating(programs: Programs) -> list[Row]:
    file = programs.file("functions", OURS, 1_000)
    programs.file("eager", OURS, 1)
    runs = tuple(1e3 * workload("decorate", OURS, file)["seconds"] for _ in range(REPETITIONS))
    return [Row("decorating a function", "us", runs)]


def builds() -> list[Row]:
    """The library of this repository in a copy, so that nothing is taken from an earlier build's cache."""
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch)
        shutil.copytree(ROOT / "specs", copy / "specs")
        cold = cost((*OPWRIGHT, "build"), copy)
        null = tuple(cost((*OPWRIGHT, "build"), copy) for _ in range(REPETITIONS))
        test = cost((*OPWRIGHT, "test"), copy)
    return [
        Row("build of specs/, cold", "ms", (cold,)),
        Row("the same, unchanged", "ms", null),
        Row("test of specs/", "ms", (test,)),
    ]


SPECS = (1_000, 10_000)  # generated ones
_EDITED = "specs/com.example/Made00007/function.py"


def generated_builds(programs: Programs) -> list[Row]:
    """A library of generated specs, as a whole and after edits; what has not changed beside ninja, which looks at the
    same files. Two processes beside one are told in seconds of the clock: they need two processors that are idle."""
    rows: list[Row] = []
    for count in SPECS:
        folder = programs.folder / f"specs_{count}"
        write_library(folder, count, programs.seed)
        rows += _builds_of(folder, f"{count:,} specs")
        shutil.rmtree(folder)
    return rows


def _builds_of(folder: Path, what: str) -> list[Row]:
    build = (*OPWRIGHT, "build")
    ninja = _ninja(folder)
    walls: list[float] = []
    cold = 0.0
    for jobs in ("1", "2"):
        shutil.rmtree(folder / ".opwright", ignore_errors=True)
        begun = time.perf_counter()
        spent = cost((*build, "-j", jobs), folder)
        walls.append(1e3 * (time.perf_counter() - begun))
        cold = cold or spent
    cost(build, folder)  # what was written a moment ago is read once more
    null = tuple(cost(build, folder) for _ in range(REPETITIONS))
    other = tuple(cost(ninja, folder) for _ in range(REPETITIONS)) if ninja else ()
    body: list[float] = []
    comment: list[float] = []
    source = folder / _EDITED
    text = source.read_text(encoding="utf-8")
    for number in range(REPETITIONS):
        edited = text.replace("    v1 = ", f"    v0 = op.Add(v0, {number}.5)\n    v1 = ")
        for spent_on, written in ((body, edited), (comment, f"{edited}# {number}\n")):
            source.write_text(written, encoding="utf-8")
            spent_on.append(cost(build, folder))
    listed = tuple(cost((*OPWRIGHT, "ls", "--json"), folder) for _ in range(REPETITIONS))
    state = [path for path in (folder / ".opwright").rglob("*") if path.is_file()]
    return [
        Row(f"build of {what}, cold, one process", "ms", (cold,)),
        Row("- two processes beside one, by the clock", "ms", (walls[1],), (walls[0],)),
        Row("- unchanged, beside ninja", "ms", null, other),
        Row("- one body edited", "ms", tuple(body)),
        Row("- one comment edited", "ms", tuple(comment)),
        Row("- ls --json", "ms", listed),
        Row("- files in .opwright", "", (float(len(state)),)),
        Row("- size of .opwright", "MB", (sum(path.stat().st_size for path in state) / 1e6,)),
    ]


def _ninja(folder: Path) -> tuple[str, ...]:
    """The command that looks whether a file of each spec is older than its sources, after all have been made; nothing
    where ninja is not installed."""
    program = shutil.which("ninja", path=os.pathsep.join((os.path.dirname(sys.executable), os.environ["PATH"])))
    if program is None:
        return ()
    place = folder / "ninja"
    place.mkdir()
    lines = ["rule made", "  command = touch $out"]
    for spec in sorted((folder / "specs").rglob("spec.yaml")):
        sources = " ".join(sorted(os.fspath(path.relative_to(folder)) for path in spec.parent.iterdir()))
        lines.append(f"build ninja/{spec.parent.name}: made {sources}")
    (place / "build.ninja").write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = (program, "-f", "ninja/build.ninja")
    cost(command, folder)
    return command


_ATTACHED = (1_250, 5_000, 20_000)  # nodes
_MODEL_IMPORTS = "import onnx, onnxruntime, opwright_build.cli.entry, opwright.commands.attach_command"


def attaching(programs: Programs) -> list[Row]:
    """`opwright attach` of a library of generated specs: processor time by nodes, that of one node beyond all that is
    imported, and the peak of memory beside the size of models whose weights are inside."""
    folder = programs.folder / "attached"
    write_library(folder, LARGE, programs.seed)
    cost((*OPWRIGHT, "build"), folder)
    (library,) = (folder / "dist").glob("*.onnxlib")

    def attach(work: str, size: int) -> tuple[float, float]:
        model = programs.file(work, OURS, size)
        return _spent((*OPWRIGHT, "attach", str(model), "--library", str(library), "-o", str(folder / "made.onnx")))

    imported = (sys.executable, "-c", _MODEL_IMPORTS)
    attach("attach", 1)  # bytecode is written
    runs = {size: [attach("attach", size)[0] for _ in range(REPETITIONS)] for size in _ATTACHED}
    curve = tuple(statistics.median(runs[size]) for size in _ATTACHED)
    one = tuple(attach("attach", 1)[0] - _spent(imported)[0] for _ in range(2 * REPETITIONS))
    rows = [
        Row("attach to models of n nodes: 20,000", "ms", tuple(runs[20_000]), (), 3_000, _ATTACHED, curve),
        Row("attach to one node, beyond imports", "ms", one, (), 100),
    ]
    for count, text in ((1, "one"), (500, "500")):
        peaks = tuple(attach("weights", count)[1] for _ in range(2))
        file = programs.file("weights", OURS, count).stat().st_size / 1e6
        programs.file("weights", OURS, count).unlink()
        rows.append(
            Row(f"attach to 500 MB of weights in {text}, memory beside the file", "MB", peaks, (file, file), 0.5)
        )
    return rows


def _spent(command: Sequence[str]) -> tuple[float, float]:
    """CPU milliseconds and the peak of memory in megabytes of one run of a command."""
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return 1e3 * (usage.ru_utime + usage.ru_stime), usage.ru_maxrss * 1024 / 1e6


def measures(programs: Programs) -> dict[str, Callable[[], list[Row]]]:
    """What can be measured, by the name that `--only` takes."""
    found: dict[str, Callable[[], list[Row]]] = {"imports": partial(imports, programs)}
    found.update({item.work: partial(scaled, item, programs) for item in SCALED})
    return {
        **found,
        "decorate": partial(decorating, programs),
        "eager": partial(eager, programs),
        "attach": partial(attaching, programs),
        "builds": builds,
        "specs": partial(generated_builds, programs),
    }
