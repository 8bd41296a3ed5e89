"""The commands by name. Each is imported only when it is called, so that `--help` stays quick."""

from __future__ import annotations

import difflib
import importlib
from typing import Final

import click

from controlplane.errors import UsageError

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
        from controlplane.configuration.installed_versions import package_version

        click.echo(package_version())
        ctx.exit()


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--debug", is_flag=True, expose_value=False, help="Show tracebacks of errors.")
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Print the version."
)
def cli() -> None:
    """Run agent benchmarks whose answers must be grounded, and see exactly what happened."""


def run_command(arguments: list[str]) -> int:
    """Run the command that the arguments name and return its exit code. Raises what the command raises, and
    `UsageError` for arguments that no command takes."""
    try:
        cli.main(args=arguments, standalone_mode=False)
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return error.exit_code
    except click.ClickException as error:
        raise UsageError(_line_of(error)) from error
    except click.Abort as error:
        raise KeyboardInterrupt from error
    return 0


def _line_of(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    text = " ".join(error.format_message().split()).rstrip(".")
    return f"{text}; see: {context.command_path} --help" if context else text
