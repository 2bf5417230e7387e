"""`opwright completion`."""

from __future__ import annotations

import argparse

from opwright.diagnostics.exits import Exit

from opwright_build.cli.command_table import described_commands
from opwright_build.cli.completion_script import SHELLS, completion_script
from opwright_build.cli.reporters import standard_console

EPILOG = """\
bash: opwright completion bash > ~/.local/share/bash-completion/completions/opwright
zsh:  opwright completion zsh > a file `_opwright` in a folder of $fpath
fish: opwright completion fish > ~/.config/fish/completions/opwright.fish"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = EPILOG
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("shell", choices=SHELLS)


def run(options: argparse.Namespace) -> int:
    standard_console().result(completion_script(options.shell, described_commands()).rstrip("\n"))
    return Exit.GOOD
