"""`python -m controlplane`: finds the command, and turns every error into one line and its exit code.

Commands are imported only when they are called, so that `--help` stays quick.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import Final

import click

COMMANDS: Final = {
    "run": ("controlplane.commands.run", "Run a benchmark."),
    "resume": ("controlplane.commands.resume", "Go on with a run that was interrupted."),
    "submit": ("controlplane.commands.submit", "Hand a run in, open trials and all with --force."),
    "poll": ("controlplane.commands.poll", "Ask again for a run's scores."),
    "runs": ("controlplane.commands.runs", "List the journals."),
    "show": ("controlplane.commands.show", "Sum a run up."),
    "tail": ("controlplane.commands.tail", "Follow a run that is going on."),
    "replay": ("controlplane.commands.replay", "Walk through a trial, or run a journal again and compare."),
    "benchmarks": ("controlplane.commands.benchmarks", "List benchmarks and their tasks."),
    "serve": ("controlplane.commands.serve", "Serve a benchmark to agents over the wire."),
}


class LazyGroup(click.Group):
    """A group whose commands live in modules of their own."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return one command."""
        if cmd_name not in COMMANDS:
            return None
        command = importlib.import_module(COMMANDS[cmd_name][0]).command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that was called; a mistyped one gets the nearest name."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            import difflib

            close = difflib.get_close_matches(args[0], COMMANDS, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"commands: {', '.join(COMMANDS)}"
            ctx.fail(f"no command {args[0]!r}; {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])


def _print_version(ctx: click.Context, option: click.Parameter, asked: bool) -> None:
    del option
    if asked:
        from controlplane.versions import package_version

        click.echo(package_version())
        ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--debug", is_flag=True, help="Show tracebacks of errors.")
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Print the version."
)
@click.pass_context
def cli(ctx: click.Context, debug: bool) -> None:
    """Run agent benchmarks whose answers must be grounded, and see exactly what happened."""
    ctx.obj = debug


def main() -> None:
    """Run the command line. Every error of ours becomes one line on stderr and its exit code."""
    if sys.version_info < (3, 11):  # noqa: UP036 - a source tree can be run by a Python that pip would refuse
        sys.exit(f"controlplane needs Python 3.11 or newer; this is {sys.version.split()[0]}")
    if not hasattr(os, "fork"):
        print("controlplane needs a system with fork (Linux or macOS); on Windows use WSL", file=sys.stderr)
        sys.exit(2)
    debug = "--debug" in sys.argv[1:2]
    try:
        if str(Path.cwd()) not in sys.path:
            sys.path.insert(0, str(Path.cwd()))  # as `python -m` does, so that a module beside the user is found
        cli.main(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(141)
    except Exception as error:
        if debug:
            raise
        code = getattr(error, "exit_code", None)
        text = str(error) if code is not None else f"{type(error).__name__}: {error} (--debug shows where)"
        print(f"controlplane: {text}", file=sys.stderr)
        sys.exit(1 if code is None else code)


if __name__ == "__main__":
    main()
