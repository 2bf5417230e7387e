# /// script
# requires-python = ">=3.11"
# dependencies = ["nox>=2024.4.15"]
# ///
"""What one can do here: `python3 noxfile.py -l` lists it. Needs Python and pip, nothing else.

Where nox is missing this file puts it into `.nox/bootstrap` and starts itself again there. pip installs into that
environment from outside (`pip --python`), so neither ensurepip nor a pip that may write to the system is needed.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent
CONSTRAINTS = ROOT / "constraints.txt"
NOX = "nox>=2024.4.15"
AXE = "axe-playwright-python==0.1.8"  # has axe-core as a file; nothing else of it is used


def bootstrap() -> Path:
    """The Python of `.nox/bootstrap`, which has nox; made anew unless the last run finished it for this same Python."""
    home = ROOT / ".nox" / "bootstrap"
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    finished = home / "finished"
    wanted = f"{NOX}\n{sys.version}\n{sys.executable}\n{CONSTRAINTS.read_text(encoding='utf-8')}"
    if python.exists() and finished.exists() and finished.read_text(encoding="utf-8") == wanted:
        return python
    print(f"nox is not installed here: putting it into {home.relative_to(ROOT)}", file=sys.stderr, flush=True)
    install = ["install", "--quiet", "--disable-pip-version-check", "--constraint", str(CONSTRAINTS), NOX]
    for command in (
        [sys.executable, "-m", "venv", "--clear", "--without-pip", str(home)],
        [sys.executable, "-m", "pip", "--python", str(python), *install],
    ):
        if subprocess.run(command, check=False).returncode != 0:
            sys.exit(f"failed: {' '.join(command)}\nInstall nox yourself (https://nox.thea.codes), then: nox -l")
    finished.write_text(wanted, encoding="utf-8")
    return python


def restart(python: Path) -> int:
    """Run this file again under that Python with the same arguments; returns its exit code (POSIX: never returns)."""
    command = [str(python), str(ROOT / "noxfile.py"), *sys.argv[1:]]
    if os.name == "posix":
        os.execv(python, command)
    return subprocess.run(command, check=False).returncode


try:
    import nox
    from nox.command import CommandFailed
except ImportError:
    if __name__ != "__main__":
        raise
    sys.exit(restart(bootstrap()))

nox.options.sessions = ["build", "test"]
nox.options.reuse_existing_virtualenvs = True
nox.options.default_venv_backend = "virtualenv"  # seeds its own pip, so that a system without ensurepip will do

PACKAGES = ("opwright-std", "opwright-aten")
# To rewrite all `assert`s, so that they tell what they compare, takes each process 14 seconds (see `run_all`).
PLAIN_TESTS = ("pytest", "--assert=plain")
SHARED_OUT = ("--numprocesses=auto", "--dist=loadfile")  # tests to processes, by files


def install(session: nox.Session, *requirements: str, groups: tuple[str, ...] = (), editable: bool = True) -> None:
    """Install what a session needs, once: a second run touches neither pip nor the network unless pyproject changed.

    Sessions start hundreds of processes that import the same modules. So bytecode is kept, whatever the environment
    says of that; and it is made when a module is first imported, since most of what is installed never is.
    """
    session.env["PYTHONDONTWRITEBYTECODE"] = ""
    text = (ROOT / "pyproject.toml").read_bytes()
    listed = tomllib.loads(text.decode())["dependency-groups"]
    wanted = [*requirements, *(entry for group in groups for entry in listed[group])]
    arguments = [*(("--editable",) if editable else ()), *wanted, "--constraint", str(CONSTRAINTS)]
    key = hashlib.sha256(repr((arguments, text, CONSTRAINTS.read_bytes())).encode()).hexdigest()
    stamp = Path(session.virtualenv.location) / "installed"
    if stamp.exists() and stamp.read_text(encoding="utf-8") == key:
        return
    stamp.unlink(missing_ok=True)
    session.log("installing what this session needs; this takes a minute the first time")
    session.install("--quiet", "--no-compile", *arguments)
    stamp.write_text(key, encoding="utf-8")


def install_programs(session: nox.Session, packages: dict[str, str]) -> None:
    """Installs, where this is root, the packages of Debian that bring the programs which this machine lacks."""
    missing = [name for program, names in packages.items() if shutil.which(program) is None for name in names.split()]
    if not missing:
        return
    if not (shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0):
        session.error(f"this needs programs that are not here: as root, apt-get install {' '.join(missing)}")
    session.run("apt-get", "install", "--yes", "--quiet", "--no-install-recommends", *missing, external=True)


def run_all(session: nox.Session, *commands: tuple[str, ...]) -> None:
    """Run every command even when one fails; the session fails with the worst of them. Tests that failed with plain
    `assert`s are run once more with those that tell what they compare."""
    failed = []
    for command in commands:
        try:
            session.run(*command)
        except CommandFailed as failure:
            failed.append(f"{' '.join(command)}: {failure.reason}")
            if command[: len(PLAIN_TESTS)] == PLAIN_TESTS:
                session.run("pytest", "--last-failed", success_codes=range(256))
    if failed:
        session.error("\n".join(failed))


@nox.session
def build(session: nox.Session) -> None:
    """Compile specs/ and write the bundle, the stubs and the wheel of the library to dist/ and library/."""
    install(session, ".[build,run]")
    session.run("opwright", "build", *session.posargs)


@nox.session
def test(session: nox.Session) -> None:
    """Verify every function on its vectors, each variant at one or two opsets (opwright test --spread), see that the
    packages in library/ are those of the specs (opwright stubs --check), then run our own tests (pytest); all always
    run. The session `verify` takes all opsets, and `long` the tests that take long."""
    install(session, ".[build,run]", groups=("test", "lint", "types"))
    tests = ("pytest", *session.posargs) if session.posargs else (*PLAIN_TESTS, *SHARED_OUT, "-m", "not long")
    run_all(session, ("opwright", "test", "--spread"), ("opwright", "stubs", "--check"), tests)


@nox.session
def long(session: nox.Session) -> None:
    """The tests that take long, which the gate leaves out: type checkers on all our code, builds in other surroundings,
    faults of a few kinds, what is printed to newcomers: ten minutes."""
    install(session, ".[build,run]", groups=("test", "lint", "types"))
    session.run("pytest", *SHARED_OUT, "-m", "long", *session.posargs)


@nox.session
def verify(session: nox.Session) -> None:
    """Verify every function on its vectors at all opsets: before a release, and after changes of functions; thirteen
    minutes of CPU."""
    install(session, ".[build,run]")
    session.run("opwright", "test", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Style, formatting and the direction of imports."""
    install(session, ".[build,run]", groups=("lint",))
    run_all(session, ("ruff", "check"), ("ruff", "format", "--check"), ("lint-imports", "--no-cache", "--no-logo"))


@nox.session
def types(session: nox.Session) -> None:
    """mypy --strict and pyright over our own code and the stubs that we generate; `test` leaves out pyright over our
    own code, which takes a minute."""
    install(session, ".[build,run]", groups=("types",))
    run_all(session, ("mypy", "--strict"), ("pyright",))


@nox.session
def stubs(session: nox.Session) -> None:
    """Write the stubs of ONNX's operators and tensor types again; `test` fails where they are out of date."""
    install(session, ".[build,run]")
    session.run("python", "-m", "opwright_build.opset_stubs", "library/opwright")
    session.run("git", "diff", "--stat", "--", "library/opwright", external=True)


@nox.session
def docs(session: nox.Session) -> None:
    """Write the generated pages and schemas of docs/ again; `test` fails where they are out of date."""
    install(session, ".[build,run]", groups=("test",))
    session.run("python", "-m", "opwright_build.spec.json_schemas", "docs/schemas")
    session.run("python", "-m", "opwright_build.spec.schema_pages", "docs/files")
    session.run("opwright", "docs", "-p", "opwright-std")
    session.run("pytest", "--quiet", "tests/diagnostics", "-k", "reference_page", "--update-golden")
    session.run("git", "diff", "--stat", "--", "docs", external=True)


@nox.session
def fuzz(session: nox.Session) -> None:
    """Judge 20,000 generated programs, 7,000 that are mostly refused and 9,000 of trials, orders, variants and opsets,
    find planted bugs, compare bytes over hash seeds: 20 minutes on two cores, from a seed that is drawn anew; the gate
    judges 280 programs, always the same."""
    install(session, ".[build,run]", groups=("test",))
    kinds = ("--count", "20000", "--mutants", "5000", "--mixed", "2000", "--planted", "4000", "--bytes", "20")
    further = ("--trials", "2000", "--orders", "4000", "--nested", "1000", "--targets", "2000")
    session.run("python", "-m", "tests.differential", *(session.posargs or (*kinds, *further)))


@nox.session
def malformed(session: nox.Session) -> None:
    """Try five thousand malformed libraries, from a seed that is drawn anew and printed (`-- SEED` for that one); the
    gate tries sixty, and `long` three hundred."""
    install(session, ".[build,run]", groups=("test",))
    seed = session.posargs[0] if session.posargs else str(secrets.randbelow(10**9))
    session.log(f"OPWRIGHT_SEED={seed}")
    several = {"OPWRIGHT_SEED": seed, "OPWRIGHT_MALFORMED": "5000"}
    session.run("pytest", "--numprocesses=auto", "tests/e2e/test_malformed.py", env=several)


@nox.session(name="fuzz-inputs")
def fuzz_inputs(session: nox.Session) -> None:
    """Run 50,000 hostile models, bundles and folders through the commands that read them, from a seed that is drawn
    anew and printed (`-- --seed SEED` for that one), then find planted defects; the gate tries some hundred."""
    install(session, ".[build,run]", groups=("test",))
    session.run("python", "-m", "tests.hostile", *session.posargs)


@nox.session
def faults(session: nox.Session) -> None:
    """Build a small library eight hundred times while it is killed, run at once with others, given damaged and forged
    results, a full disk, closed folders, pipes and jumping clocks; each ends with the bytes of a quiet build. The seed
    is drawn anew and printed, counts are options (`-- --seed SEED --killed 20`): ten minutes; the gate tries twenty."""
    install(session, ".[build,run]", groups=("test",))
    session.run("python", "-m", "tests.faults", *session.posargs)


@nox.session
def reproducible(session: nox.Session) -> None:
    """Build all of specs/ in several surroundings, with other local names and watched by an audit hook: five minutes;
    the gate builds those that are not large."""
    install(session, ".[build,run]", groups=("test",))
    tests = ("tests/e2e/test_reproducible.py", "tests/e2e/test_build_is_static.py")
    session.run("pytest", *(session.posargs or tests), env={"OPWRIGHT_ALL_SPECS": "1"})


@nox.session
def corpus(session: nox.Session) -> None:
    """What the compiler makes of 20,000 generated programs, all specs and samples, held against another revision
    (`-- --against-rev REV`) or a file (`-- --write FILE`, `-- --against FILE`): two minutes on two cores."""
    install(session, ".[build,run]", groups=("test",))
    session.run("python", "-m", "tests.corpus", *session.posargs)


@nox.session
def opsets(session: nox.Session) -> None:
    """Tries each construct of docs/language.md at each opset, written for it and written for opset 18."""
    install(session, ".[run]", groups=("test",))
    run_all(
        session,
        ("python", "-m", "tests.docs.opset_matrix", *session.posargs),
        ("python", "-m", "tests.docs.opset_matrix", "--source", "18", *session.posargs),
    )


@nox.session
def eager(session: nox.Session) -> None:
    """Run every function of specs/ as Python and as one graph, and compare with its compiled bodies on every vector:
    eight minutes on one core."""
    install(session, ".[build,run]", groups=("test",))
    session.run("python", "-m", "tests.eager")


@nox.session
def peer(session: nox.Session) -> None:
    """Compile the scripted functions of the onnxscript package from their source text, and compare the results."""
    install(session, ".[run]", groups=("peer",))
    session.run("python", "-m", "tests.peer")


@nox.session
def numerics(session: nox.Session) -> None:
    """How exact our bodies are beside the standard's own: measures, writes docs/numerics.md, fails over the budget."""
    install(session, ".[build,run]")
    session.run("python", "-m", "benchmarks.numerics", *session.posargs)


@nox.session
def roundtrip(session: nox.Session) -> None:
    """Turn every node test and function body of the standard into a script and back, in both modes, and then models of
    100,000 nodes and of 500 MB: four minutes."""
    install(session, ".[run]", groups=("test",))
    session.run("python", "-m", "tests.decompiler")
    session.run("python", "-m", "tests.decompiler.sizes")


@nox.session
def proposals(session: nox.Session) -> None:
    """Put what `opwright propose` makes to a compiler and to onnx's own sources. Needs g++, and protobuf's compiler and
    headers."""
    install(session, ".[build,run]", groups=("test",))
    install_programs(session, {"g++": "g++", "protoc": "protobuf-compiler libprotobuf-dev"})
    session.run("python", "-m", "tests.propose.cpp_check", *session.posargs)


@nox.session
def conformance(session: nox.Session) -> None:
    """Export the vectors of each package (`-- -p PACKAGE -s X` for some functions) under numpy 2.0 and the newest:
    equal bytes; then run them on onnx's reference evaluator and, without calls, on onnxruntime: half an hour."""
    install(session, ".[build,run]")
    folder = Path(session.create_tmp())
    session.install("--quiet", "--upgrade", "--target", str(folder / "older"), "numpy==2.0.*")
    numpys = {"newest": "", "older": str(folder / "older")}
    reference = "opwright_build.verify.conformance.reference_backend:ReferenceBackend"
    for words in [tuple(session.posargs)] if session.posargs else [("-p", name) for name in PACKAGES]:
        digests = {}
        for name, path in numpys.items():
            corpus = folder / f"corpus-{name}"
            shutil.rmtree(corpus, ignore_errors=True)
            command = ("opwright", "vectors", "export", *words, "-o", str(corpus), "--min-count", "1")
            session.run(*command, env={"PYTHONPATH": path})
            digests[name] = json.loads((corpus / "conformance.json").read_text(encoding="utf-8"))["digest"]
        if len(set(digests.values())) > 1:
            session.error(f"the bytes depend on numpy: {digests}; `diff -r` of {folder}/corpus-* shows where")
        session.run("opwright", "conform", str(folder / "corpus-newest"), "--backend", reference)
        session.run("opwright", "conform", ".", *words, "--expanded", "--backend", "onnxruntime.backend")


@nox.session
def models(session: nox.Session) -> None:
    """Take models that others made, 250 of them, as scripts and back, attach and detach, and rewrite them for older
    opsets, and compare the results; then all of the standard's node tests for older opsets: a quarter of an hour.
    `-- --seed N` draws other inputs."""
    install(session, ".[build,run]", groups=("test", "models"))
    folder = Path(session.create_tmp())
    packages, made = str(folder / "packages"), str(folder / "made")
    session.install("--no-deps", "--target", packages, "magika", "rapidocr-onnxruntime", "silero-vad")
    session.run("opwright", "build", "-p", "opwright-std", "--cache", ".opwright/cache")
    library = str(next(Path("dist").glob("opwright-std-*.onnxlib")))
    session.run("python", "-m", "tests.models.make", made, "--packages", packages, *session.posargs)
    session.run("python", "-m", "tests.models", library, made)
    session.run("python", "-m", "tests.downlevel.real_models", library, packages)
    every = {"OPWRIGHT_ALL_CASES": "1"}
    session.run("pytest", "--numprocesses=auto", "tests/downlevel/test_standard_suite.py", env=every)


@nox.session
def runtimes(session: nox.Session) -> None:
    """Measure again what releases of onnxruntime load (library/opwright/downlevel/runtimes.json): five minutes."""
    install(session, ".[build,run]", groups=("test",))
    folder = Path(session.create_tmp())
    session.run("python", "-m", "tests.downlevel.kernel_probes", str(folder / "probes"))
    measured = []
    for minor in range(15, 32):
        numpy = "numpy<2" if minor < 19 else "numpy"
        session.install("--target", str(folder / f"1.{minor}"), f"onnxruntime==1.{minor}.*", numpy)
        command = ("python", "tests/downlevel/load_probes.py", str(folder / "probes"))
        printed = session.run(*command, env={"PYTHONPATH": str(folder / f"1.{minor}")}, silent=True)
        measured.append(folder / f"1.{minor}.json")
        measured[-1].write_text(str(printed).splitlines()[-1], encoding="utf-8")
    merge = ("python", "-m", "tests.downlevel.kernel_probes", "--merge", *map(str, measured))
    text = session.run(*merge, silent=True)
    (ROOT / "library/opwright/downlevel/runtimes.json").write_text(str(text), encoding="utf-8")
    session.run("git", "diff", "--stat", "--", "library/opwright/downlevel", external=True)


@nox.session
def bench(session: nox.Session) -> None:
    """Our costs beside those of the onnxscript package, on programs drawn anew: a quarter of an hour."""
    install(session, ".[build,run]", groups=("peer",))
    session.install("ninja")  # builds are measured beside it
    session.run("python", "-m", "benchmarks", *session.posargs)


@nox.session
def services(session: nox.Session) -> None:
    """What other machines serve: shared caches in S3, as moto_server plays it, and a cluster of dask, with a scheduler
    and two workers of which one is killed: six minutes."""
    install(session, ".[build,run,shared-cache,dask]", groups=("test", "services"))
    tests = ("tests/services/s3_cache.py", "tests/services/dask_executor.py")
    session.run("pytest", *(session.posargs or tests))


@nox.session
def publish(session: nox.Session) -> None:
    """What docs/publishing.md prints, with real servers: pypiserver and, of Debian, docker-registry and skopeo, which
    are installed where this is root: three minutes."""
    install(session, ".[build,run]", groups=("test", "publish"))
    install_programs(session, {"docker-registry": "docker-registry", "skopeo": "skopeo"})
    session.run("pytest", *(session.posargs or ("tests/services/published_release.py",)))


@nox.session
def torch(session: nox.Session) -> None:
    """What torch.onnx.export makes with our functions in it, static and dynamic, run beside torch: five minutes.

    The wheel for processors alone is a tenth as large as the usual one: where pip finds it (docs/torch.md says how), no
    more is needed."""
    install(session, ".[build,run]", groups=("test", "torch"))
    session.run("opwright", "build", "--quiet")  # the libraries that programs and docs/torch.md name
    session.run("pytest", *(session.posargs or ("tests/foreign/torch_programs.py",)))


@nox.session
def opinfo(session: nox.Session) -> None:
    """Every call that PyTorch's own samples make of its operators, verified on opwright-aten through the adapter of the
    operator; writes docs/aten-operators.md: half an hour, and a quarter to count the nodes that the exporter makes of
    each, which `-- --no-nodes` leaves out."""
    install(session, ".[build,run]", groups=("test", "torch", "opinfo"))
    vectors = Path(session.create_tmp()) / "vectors"
    quiet = {"TORCH_CPP_LOG_LEVEL": "ERROR"}  # samples and rows call what is deprecated, and lose degrees of freedom
    session.run("python", "-m", "tests.opinfo.harvest", "-o", str(vectors), env=quiet)
    session.run("python", "-m", "tests.opinfo.campaign", str(vectors), *session.posargs)
    session.run("git", "diff", "--stat", "--", "docs", external=True)


@nox.session(name="export-torch")
def export_torch(session: nox.Session) -> None:
    """Thirty models of all kinds through torch's exporter with the functions of opwright-aten, static and dynamic,
    beside torch in double precision: half an hour."""
    install(session, ".[build,run]", groups=("test", "torch", "zoo"))
    session.run("opwright", "build", "-p", "opwright-aten", "--quiet")
    (library,) = Path("dist").glob("opwright-aten-*.onnxlib")
    session.run("pytest", "--quiet", "tests/export/small_programs.py")
    session.run("python", "-W", "ignore", "-m", "tests.export", str(library), *session.posargs)


@nox.session
def tools(session: nox.Session) -> None:
    """Our functions in spox, scikit-learn's pipelines and onnxscript, and what tools make of a model with functions:
    writes the table of docs/tools.md, and fails where it was another one. Chromium, of Debian, is installed where this
    is root: four minutes."""
    install(session, ".[build,run]", groups=("test", "peer", "tools"))
    tests = ("spox_graphs", "sklearn_steps", "onnxscript_calls")
    if shutil.which("chromium") is None:  # which draws what Netron shows
        session.run("apt-get", "install", "--yes", "--quiet", "--no-install-recommends", "chromium", external=True)
    run_all(
        session,
        ("pytest", *(session.posargs or (f"tests/foreign/{name}.py" for name in tests))),
        ("python", "-m", "tests.foreign.tool_table"),
    )


@nox.session
def site(session: nox.Session) -> None:
    """Make the site of our own library (dist/site), run the examples that it shows, and go through it in Debian's
    Chromium: links, search, keyboard, contrast, a phone (`-- FOLDER` for pictures of it): six minutes."""
    install(session, ".[build,run,site]", groups=("test", "site"))
    install_programs(session, {"chromium": "chromium", "chromedriver": "chromium-driver"})
    axe = Path(session.create_tmp()) / "axe"
    session.install("--quiet", "--no-deps", "--target", str(axe), AXE)
    session.run("opwright", "build")  # the examples import what it writes
    session.run("opwright", "site")
    script = axe / "axe_playwright_python" / "axe.min.js"
    session.run("python", "-m", "tests.site.in_browser", "dist/site", str(script), *session.posargs)


@nox.session
def release(session: nox.Session) -> None:
    """What is shipped: opwright's wheel and source distribution in dist/release/, and our libraries as
    `opwright publish` writes them; each is made twice and compared: some minutes."""
    install(session, ".[build,run]", groups=("test",))
    session.run("python", "-m", "tests.e2e.own_release")
    session.run("opwright", "publish", "--verify", *session.posargs)


@nox.session
def matrix(session: nox.Session) -> None:
    """The lowest and the newest releases of what opwright works with, on each Python at hand; writes
    docs/compatibility.md: a quarter of an hour for each."""
    install(session, "uv", editable=False)
    session.run("python", "-m", "tests.matrix", session.create_tmp(), *session.posargs)
    session.run("git", "diff", "--stat", "--", "docs", external=True)


@nox.session
def journey(session: nox.Session) -> None:
    """The path of a newcomer: docs/tutorial.md, command by command, in a fresh environment; then other tools make
    wheels of the library: five minutes."""
    install(session, ".[build,run]", groups=("test",))
    session.run("python", "-m", "tests.e2e.journey")


@nox.session(name="whole-way")
def whole_way(session: nox.Session) -> None:
    """A library's whole way: made, released twice, found, installed, called from typed programs and from models of five
    packages, attached, upgraded, detached, and run where onnxruntime alone is: five minutes, and torch to install."""
    install(session, ".[build,run]", groups=("test",))
    session.run("python", "-m", "tests.e2e.whole_way")


@nox.session(venv_backend="none")
def fresh(session: nox.Session) -> None:
    """The first minute on a bare Debian: build and test, each from a new clone. Needs root and debootstrap."""
    session.run(sys.executable, "tests/e2e/fresh_machine.py", *session.posargs)


if __name__ == "__main__":
    os.chdir(ROOT)
    nox.main()
