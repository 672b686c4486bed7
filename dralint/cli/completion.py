"""`dralint completion`: the scripts by which bash, zsh and fish complete a command, and the answers they get."""

from __future__ import annotations

import os
from typing import Any, ClassVar

import click
from click.shell_completion import CompletionItem, ShellComplete, add_completion_class, split_arg_string

from dralint.cli.main import dralint
from dralint.cli.options import OneOf
from dralint.cli.output import show_text

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_DRALINT_COMPLETE"


@click.command(short_help="Print the shell completion for bash, zsh or fish.")
@click.argument("shell", type=OneOf(SHELLS), metavar="|".join(SHELLS))
def completion(shell: str) -> None:
    """Print the shell completion of commands, options, rules, releases, feature gates and fields.

    \b
    bash:  source <(dralint completion bash)          in ~/.bashrc
    zsh:   source <(dralint completion zsh)           in ~/.zshrc
    fish:  dralint completion fish | source           in ~/.config/fish/config.fish
    """
    show_text(script(shell, dralint, VARIABLE).removesuffix("\n"))


_LINE = "DRALINT_LINE"
"""The environment variable with the command line up to the cursor."""
_BASH = """\
%(complete_func)s() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        [[ -z $line ]] || COMPREPLY+=("$line")
    done < <(DRALINT_LINE="${COMP_LINE:0:COMP_POINT}" %(complete_var)s=bash_complete "$1" 2> /dev/null)
}

complete -o default -o nosort -F %(complete_func)s %(prog_name)s 2> /dev/null ||
    complete -o default -F %(complete_func)s %(prog_name)s
"""
_ZSH = """\
#compdef %(prog_name)s

%(complete_func)s() {
    local -a answer part values described
    local line="${words[1,CURRENT-1]} $PREFIX"
    answer=("${(@f)$(DRALINT_LINE=$line %(complete_var)s=zsh_complete $words[1] 2> /dev/null)}")
    for line in $answer; do
        part=("${(@ps:\\t:)line}")
        case $part[1] in
            plain)
                if [[ -n $part[3] ]]; then
                    described+=("${part[2]//:/\\\\:}:$part[3]")
                else
                    values+=("$part[2]")
                fi ;;
            dir) compset -P '*='; _files -/ ;;
            file) compset -P '*='; _files ;;
        esac
    done
    (( $#described )) && _describe -V unsorted described -U
    (( $#values )) && compadd -U -V unsorted -a values
    return 0
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    %(complete_func)s "$@"
else
    (( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
    compdef %(complete_func)s %(prog_name)s
fi
"""
_FISH = """\
function %(complete_func)s
    set -l words (commandline -opc)
    for line in (DRALINT_LINE=(commandline -cp) %(complete_var)s=fish_complete $words[1] 2> /dev/null)
        set -l part (string split \\t -- $line)
        switch $part[1]
            case plain
                string join \\t -- $part[2..]
            case dir
                set -l before $part[3]
                for path in (__fish_complete_directories $part[2] "")
                    echo -- $before$path
                end
            case file
                set -l before $part[3]
                for path in (__fish_complete_path $part[2])
                    echo -- $before$path
                end
        end
    end
end

complete --no-files --command %(prog_name)s --arguments "(%(complete_func)s)"
"""


class _Shell(ShellComplete):
    """A shell that passes the line up to the cursor and reads one line per candidate."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the cursor, and the beginning of the one at it."""
        *before, self._word = split_arg_string(os.environ.get(_LINE, "") + "x")
        self._word = self._word[:-1]
        return before[1:], self._word

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem[str]]:
        """Return the candidates: files, where dralint has none."""
        offered = super().get_completions(args, incomplete)
        return offered or [CompletionItem(incomplete, type="file")]

    def format_completion(self, item: CompletionItem[str]) -> str:
        """Return the kind of the candidate, its whole word and its description, with tabs between.

        The shell finds files itself: for these, return the beginning of the path and the text before it.
        """
        option, equals, _ = self._word.partition("=")
        before = f"{option}{equals}" if equals and option.startswith("-") else ""
        if item.type != "plain":
            before, equals, path = self._word.rpartition("=")
            return f"{item.type}\t{path}\t{before}{equals}"
        said = " ".join((item.help or "").split())
        return f"plain\t{before}{item.value}" + (f"\t{said}" if said else "")


@add_completion_class
class _Bash(_Shell):
    name: ClassVar[str] = "bash"
    source_template: ClassVar[str] = _BASH

    def format_completion(self, item: CompletionItem[str]) -> str:
        """Return the text after the last character at which bash divides words; bash finds files itself."""
        word = super().format_completion(item).split("\t")[1]
        divided = max(map(self._word.rfind, "=:")) + 1
        return word[divided:]

    def complete(self) -> str:
        """Return a line for each candidate."""
        args, incomplete = self.get_completion_args()
        offered = self.get_completions(args, incomplete)
        return "\n".join(self.format_completion(item) for item in offered if item.type == "plain")


@add_completion_class
class _Zsh(_Shell):
    name: ClassVar[str] = "zsh"
    source_template: ClassVar[str] = _ZSH


@add_completion_class
class _Fish(_Shell):
    name: ClassVar[str] = "fish"
    source_template: ClassVar[str] = _FISH


def script(shell: str, program: Any, variable: str) -> str:
    """Return the script by which a shell (`bash`, `zsh` or `fish`) gets candidates from dralint."""
    of = {"bash": _Bash, "zsh": _Zsh, "fish": _Fish}[shell]
    return of(program, {}, "dralint", variable).source()
