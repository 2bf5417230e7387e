"""Scripts by which shells complete the command line: plain data of it, so that no key press starts Python."""

from __future__ import annotations

from collections.abc import Mapping

from opwright_build.cli.command_table import DescribedCommand

SHELLS = ("bash", "zsh", "fish")

# Functions are known by their folders; the root is found as commands find it. Shells expand the words that they are
# given to choose from, commands in them included, and a library is not trusted: only names of functions are words.
_BASH = """\
_opwright_functions() {{
    local root=$PWD
    while [[ $root && ! -f $root/specs/library.yaml ]]; do root=${{root%/*}}; done
    [[ $root ]] || return
    local file name
    for file in "$root"/specs/*/*/spec.yaml; do
        file=${{file%/spec.yaml}} name=${{file##*/}}
        [[ -d $file && $name != *[!A-Za-z0-9_.-]* ]] && echo "$name"
    done
}}

_opwright() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command=${{COMP_WORDS[1]}}
    local options= words=
    COMPREPLY=()
    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W "{commands} --help --version" -- "$word"))
        return
    fi
    case $before in
        -s|--select|--function)
            COMPREPLY=($(compgen -W "$(_opwright_functions)" -- "$word"))
            return ;;
    esac
    case $command,$before in
{values}
    esac
    case $command in
{options}
    esac
    if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$word"))
    else
        COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -- "$word"))
    fi
}}

complete -o filenames -F _opwright opwright
"""
_ZSH = """\
#compdef opwright
autoload -U +X bashcompinit && bashcompinit
"""


def completion_script(shell: str, commands: Mapping[str, DescribedCommand]) -> str:
    """The script for one of SHELLS."""
    if shell == "fish":
        return _fish(commands)
    return (_ZSH if shell == "zsh" else "") + _bash(commands)


def _bash(commands: Mapping[str, DescribedCommand]) -> str:
    values: list[str] = []
    options: list[str] = []
    for name, command in commands.items():
        for option in command.options:
            if option.choices:
                cases = "|".join(f"{name},{spelling}" for spelling in option.spellings)
                reply = f'COMPREPLY=($(compgen -W "{" ".join(option.choices)}" -- "$word")); return'
                values.append(f"        {cases}) {reply} ;;")
        spellings = " ".join(spelling for option in command.options for spelling in option.spellings)
        words = f'; words="{" ".join(_words(name, command, commands))}"'
        options.append(f'        {name}) options="{spellings}"{words} ;;')
    return _BASH.format(commands=" ".join(commands), values="\n".join(values), options="\n".join(options))


def _words(name: str, command: DescribedCommand, commands: Mapping[str, DescribedCommand]) -> tuple[str, ...]:
    """The words that may follow a command."""
    if name == "help":
        return tuple(commands)
    return ("library", "function", "version") if name == "new" else command.words


def _fish(commands: Mapping[str, DescribedCommand]) -> str:
    lines = ["complete -c opwright -n __fish_use_subcommand -f"]
    for name, command in commands.items():
        lines.append(f"complete -c opwright -n __fish_use_subcommand -a {name} -d {_fish_text(command.summary)}")
        seen = f"-n '__fish_seen_subcommand_from {name}'"
        words = _words(name, command, commands)
        if words:
            lines.append(f"complete -c opwright {seen} -f -a '{' '.join(words)}'")
        for option in command.options:
            spelled = " ".join(
                f"-l {spelling[2:]}" if spelling.startswith("--") else f"-s {spelling[1:]}"
                for spelling in option.spellings
            )
            value = " -x -a '" + " ".join(option.choices) + "'" if option.choices else " -r" * option.takes_value
            lines.append(f"complete -c opwright {seen} {spelled}{value} -d {_fish_text(option.help)}")
    return "\n".join(lines) + "\n"


def _fish_text(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
