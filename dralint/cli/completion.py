"""`dralint completion`: prints the script that completes dralint commands in a shell."""

from __future__ import annotations

import click

from dralint.cli.option_types import OneOf
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
    from dralint.cli.main import dralint
    from dralint.cli.shells import script

    show_text(script(shell, dralint, VARIABLE).removesuffix("\n"))
