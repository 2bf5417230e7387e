"""The console script. Standard library alone, so that a missing extra is named instead of shown as a traceback.

`attach`, `inspect`, `upgrade`, `detach`, `polyfill`, `convert` and `decompile` need onnx only and go to
`opwright.commands`; the build tool is not imported. What is imported here is imported before the import path is
confined.
"""

import gc
import os
import sys

from opwright_build.cli.command_summaries import ON_LIBRARIES, ON_MODELS, overview
from opwright_build.import_path import confine_imports

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_ALLOCATIONS = 100_000  # until a garbage collection: a command keeps what it makes, and looking through it takes time
# Modules that come with an extra of the distribution.
EXTRAS = {
    "cryptography": "shared-cache",
    "jinja2": "build",
    "mpmath": "build",
    "onnxruntime": "run",
    "packaging": "build",
    "pydantic": "build",
    "yaml": "build",
}


def main(arguments: "Sequence[str] | None" = None) -> int:
    """Runs one command line and gives its exit status: 0 good, 1 findings, 2 usage or configuration,
    3 infrastructure, 4 a bug of ours, 130 interrupted, 141 who reads the output has gone, 143 terminated.

    Without `arguments` the process is ours: nothing in it is imported from a library's folder, and its output may be
    lost; callers who give them keep their import path and their streams.
    """
    # `left_out` is what was on the import path and lies in a library's folder.
    left_out = confine_imports() if arguments is None else []
    if arguments is None:
        gc.set_threshold(_ALLOCATIONS)
        return _as_process(left_out)
    return _run(list(arguments), left_out)


def _as_process(left_out: list[str]) -> int:
    from opwright.standard_output import guard_standard_streams, status_of_output

    guard_standard_streams()
    from opwright_build.cli.interrupts import end_on_signals, ignore_signals

    end_on_signals()
    try:
        return status_of_output(_run(sys.argv[1:], left_out))
    finally:
        ignore_signals()


def _run(words: list[str], left_out: list[str]) -> int:
    try:
        return _dispatch(words, left_out)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except SystemExit as stop:  # argparse: the options are shown, or the words make no sense
        return stop.code if isinstance(stop.code, int) else 2
    except ModuleNotFoundError as error:
        extra = EXTRAS.get((error.name or "").partition(".")[0])
        if extra is None:
            return _crashed(words, error)
        command = " ".join(["opwright", *_command(words)])
        print(f"opwright: `{command}` needs {error.name}, which is not installed", file=sys.stderr)
        without = f"; {', '.join(ON_MODELS)} work without" if extra == "build" else ""
        print(f"  help: pip install 'opwright[{extra}]'{without}", file=sys.stderr)
        for folder in left_out:
            print(f"  note: {folder or '.'} is in a library's folder, from which nothing is imported", file=sys.stderr)
        return 2
    except FileNotFoundError as error:
        if _has_a_folder():
            return _crashed(words, error)
        print("opwright: the current folder has been removed", file=sys.stderr)
        print("  help: change into one that is there", file=sys.stderr)
        return 3
    except Exception as error:
        return _crashed(words, error)


def _has_a_folder() -> bool:
    """Whether the folder in which the process stands is still there."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return False
    return True


def _dispatch(words: list[str], left_out: list[str]) -> int:
    if not words or words[0] in ("-h", "--help"):
        print(overview(), file=sys.stdout if words else sys.stderr)
        return 0 if words else 2
    if words[0] == "--version":
        from opwright.version import VERSION

        print(f"opwright {VERSION}")
        return 0
    if words[0] in ON_MODELS:
        from opwright.commands import main as link

        return link(words, left_out)  # a bundle may be read from there: it is data
    if words[0] in ON_LIBRARIES:
        from opwright_build.cli.command_runner import run_command

        return run_command(words)
    return _unknown(words[0])


def _unknown(word: str) -> int:
    from opwright.suggest import close_names

    close = close_names(word, [*ON_LIBRARIES, *ON_MODELS])
    what = "option" if word.startswith("-") else "command"
    print(f"opwright: there is no {what} {word!r}", file=sys.stderr)
    way_out = f"did you mean `opwright {close[0]}`? " if close and what == "command" else ""
    print(f"  help: {way_out}`opwright help` lists the commands", file=sys.stderr)
    return 2


def _command(words: list[str]) -> list[str]:
    """The command's name, if one is given."""
    return [word for word in words if not word.startswith("-")][:1]


def _crashed(words: list[str], error: BaseException) -> int:
    from opwright_build.cli.crash import report_crash

    return report_crash(words, error)
