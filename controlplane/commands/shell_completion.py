"""`controlplane completion`: install the shell's completion, or print it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import click
from click.shell_completion import get_completion_class

from controlplane.errors import UsageError

PROGRAM: Final = "controlplane"
COMPLETE: Final = "_CONTROLPLANE_COMPLETE"
SHELLS: Final = ("bash", "zsh", "fish")


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS), required=False)
@click.option("--print", "prints", is_flag=True, help="Print the script instead of installing it.")
def command(shell: str | None, prints: bool) -> None:
    """Install the completion of commands, options, runs, trials, tasks, benchmarks and models in SHELL.

    Without SHELL it takes the one that $SHELL names. New shells have it; installing twice changes nothing.
    """
    name = shell or Path(os.environ.get("SHELL", "")).name
    if name not in SHELLS:
        msg = f"the shell {name!r} is not known; name one: controlplane completion {'|'.join(SHELLS)}"
        raise UsageError(msg)
    completion = get_completion_class(name)
    assert completion is not None
    source = completion(click.Group(), {}, PROGRAM, COMPLETE).source()
    if prints:
        click.echo(source)
        return
    home = Path.home()
    target = home / ".config/fish/completions/controlplane.fish" if name == "fish" else home / f".controlplane.{name}"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(f"{source}\n", encoding="utf-8")
        told = str(target) if name == "fish" else f"{target}, which {_loaded_by(home / f'.{name}rc', target)} loads"
    except OSError as error:
        msg = f"{error.filename} cannot be written: {error.strerror}; print the script with --print"
        raise UsageError(msg) from error
    click.echo(f"installed {told}; open a new shell")


def _loaded_by(startup: Path, target: Path) -> Path:
    """Have the shell's startup file load `target`, once; return that file."""
    line = f'[ -f "{target}" ] && . "{target}"'
    text = startup.read_text(encoding="utf-8") if startup.exists() else ""
    if line not in text.splitlines():
        with startup.open("a", encoding="utf-8") as file:
            file.write(f"{'' if not text or text.endswith(chr(10)) else chr(10)}{line}\n")
    return startup
