"""The command line. It imports only the command that is called, so that `--help` is quick."""

from __future__ import annotations

import contextlib
import importlib
import os
import warnings
from collections.abc import Iterator
from typing import Any, Final, TextIO

import click

from controlplane.errors import UnknownEvents, UsageError, near_names

COMMANDS: Final = {
    "ask": (
        "controlplane.commands.ask",
        "Ask a question about files, and get a cited answer.",
    ),
    "init": (
        "controlplane.commands.init",
        "Make a first task, with replies that play it without a model.",
    ),
    "undo": ("controlplane.commands.ask", "Take back the last changes that ask made."),
    "mcp": (
        "controlplane.commands.mcp.mcp",
        "Serve a sandbox over files to agents that speak MCP.",
    ),
    "run": ("controlplane.commands.run", "Run a benchmark."),
    "resume": ("controlplane.commands.resume", "Continue a run that was interrupted."),
    "rerun": ("controlplane.commands.rerun", "Play trials of a run again."),
    "fork": (
        "controlplane.commands.rerun",
        "Continue from a step of a trial, with one thing changed.",
    ),
    "sweep": (
        "controlplane.commands.sweep",
        "Run variations of a base run, and compare them with it.",
    ),
    "improve": (
        "controlplane.commands.improve",
        "Improve an agent on its failures, and prove it on unseen worlds.",
    ),
    "submit": (
        "controlplane.commands.resume",
        "Submit a run; with --force even if trials are open.",
    ),
    "poll": ("controlplane.commands.resume", "Ask for the scores of a submitted run."),
    "runs": ("controlplane.commands.show", "List the journals."),
    "show": ("controlplane.commands.show", "Print the result of a run, or follow it."),
    "replay": (
        "controlplane.commands.replay",
        "Walk through a trial, or run its scripts again and compare.",
    ),
    "view": (
        "controlplane.commands.view",
        "Show runs in the browser while they happen.",
    ),
    "report": (
        "controlplane.commands.report",
        "Write an HTML report of one or more runs.",
    ),
    "compare": (
        "controlplane.commands.compare",
        "Say whether two runs differ beyond chance.",
    ),
    "judge": (
        "controlplane.commands.judge",
        "Judge recorded submissions by today's gates or grader.",
    ),
    "export": (
        "controlplane.commands.export",
        "Write runs as tables, Inspect logs or OpenTelemetry spans.",
    ),
    "doctor": (
        "controlplane.commands.doctor",
        "Check whether a run would work here, and what to do if not.",
    ),
    "trust": (
        "controlplane.commands.trust",
        "Trust the configuration of the working folder.",
    ),
    "benchmarks": (
        "controlplane.commands.benchmarks",
        "List benchmarks and their tasks.",
    ),
    "serve": (
        "controlplane.commands.serve",
        "Serve a benchmark to agents over the wire.",
    ),
}


class _ReaderLeftError(Exception):
    """The reader of the output has left, as `head` does.

    It takes the place of a `BrokenPipeError`, for which click would exit with code 1.
    """


@contextlib.contextmanager
def _broken_pipe_kept() -> Iterator[None]:
    """Raise `_ReaderLeftError` if the reader of the output leaves within the block."""
    try:
        yield
    except BrokenPipeError as error:
        raise _ReaderLeftError from error
    except SystemExit as end:
        # rich exits by itself. Python then keeps the error that it was handling.
        if isinstance(end.__context__, BrokenPipeError):
            raise _ReaderLeftError from end
        raise


class _LazyGroup(click.Group):
    """A click group that imports a command from its own module when the command is called."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Read the words of the command line; this prints the help if they ask for it."""
        with _broken_pipe_kept():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with _broken_pipe_kept():
            return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return one command."""
        if cmd_name not in COMMANDS:
            return None
        module_name, _summary = COMMANDS[cmd_name]
        module = importlib.import_module(module_name)
        command = getattr(module, f"{cmd_name}_command")
        assert isinstance(command, click.Command)
        return command

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the list of commands without importing the commands."""
        with formatter.section("Commands"):
            formatter.write_dl(
                [(name, summary) for name, (_, summary) in COMMANDS.items()]
            )


def _print_version(
    ctx: click.Context, option: click.Parameter, is_wanted: bool
) -> None:
    """Print the version and exit, if the user gives `--version`."""
    del option
    if is_wanted:
        # Other commands do not need it.
        from controlplane.package_version import package_version

        click.echo(package_version())
        ctx.exit()


def _use_config(ctx: click.Context, option: click.Parameter, file: str | None) -> None:
    """Use the file of `--config`, by the variable in which all code looks for it."""
    del ctx, option
    if file:
        os.environ["CONTROLPLANE_CONFIG"] = os.path.abspath(file)  # noqa: PTH100 - keeps links


_CONTEXT: Final = {
    "help_option_names": ["-h", "--help"],
    "max_content_width": 100,
}


_PLACEHOLDER: Final = click.Command(None)
"""Stands for each command, since none is imported yet. click takes the names of all commands from
the group: for a misspelt one, it suggests the nearest."""


@click.group(
    cls=_LazyGroup,
    commands=dict.fromkeys(COMMANDS, _PLACEHOLDER),
    context_settings=_CONTEXT,
)
@click.option(
    "--debug", is_flag=True, expose_value=False, help="Show tracebacks of errors."
)
@click.option(
    "--config",
    type=click.Path(exists=True, dir_okay=False),
    expose_value=False,
    callback=_use_config,
    help="The configuration file, instead of the working folder's.",
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version.",
)
def cli() -> None:
    """Run agent benchmarks that demand grounded answers, and replay exactly what
    happened."""


def run_command(arguments: list[str]) -> int:
    """Run the command in `arguments` and return its exit code.

    Raises `UsageError` for wrong arguments, and the errors of the command. If the reader of the
    output has left, that is a `BrokenPipeError`: the exit code depends on the command.
    """
    try:
        with _warnings_shown():
            cli.main(
                args=arguments,
                standalone_mode=False,
                complete_var="_CONTROLPLANE_COMPLETE",
            )
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return error.exit_code
    except click.ClickException as error:
        raise UsageError(_line_of(error)) from error
    except click.Abort as error:
        raise KeyboardInterrupt from error
    except _ReaderLeftError as error:
        raise BrokenPipeError from error
    return 0


@contextlib.contextmanager
def _warnings_shown() -> Iterator[None]:
    """Show each warning about a journal once, in a line on stderr, while a command runs."""
    with warnings.catch_warnings():
        warnings.simplefilter("default", UnknownEvents)
        show_others = warnings.showwarning

        def show(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if issubclass(category, UnknownEvents):
                from controlplane.terminal_text import say

                say(f"warning: {message}", err=True)
            else:
                show_others(message, category, filename, lineno, file, line)

        warnings.showwarning = show
        yield


def _line_of(error: click.ClickException) -> str:
    """Return an error of click in one line, with the command that prints help about it."""
    if isinstance(error, click.NoSuchOption):
        text = f"{error.message.rstrip('.')}{_near_options(error)}"
        text += _hint_for_setting(error.option_name)
    else:
        text = " ".join(error.format_message().split()).rstrip(".")

    context = getattr(error, "ctx", None)
    if context is None:
        return text
    return f"{text}; see: {context.command_path} --help"


def _near_options(error: click.NoSuchOption) -> str:
    """Return the question for the options that may be meant; empty if none is near.

    For `--max-cost` it is `. Did you mean '--run-cost' or '--trial-cost'?`.
    """
    if error.ctx is None:
        return ""
    known_names = []
    for parameter in error.ctx.command.get_params(error.ctx):
        if isinstance(parameter, click.Option) and not parameter.hidden:
            names = parameter.opts[:1] + parameter.secondary_opts[:1]
            known_names += [name.lstrip("-") for name in names]
    near = near_names(error.option_name.lstrip("-"), known_names)
    if not near:
        return ""
    options = " or ".join(f"'--{name}'" for name in near)
    return f". Did you mean {options}?"


def _hint_for_setting(option: str) -> str:
    """Return where to set a setting that has no option, such as `--top-p`; empty for others."""
    from controlplane.configuration.model_settings import Use
    from controlplane.configuration.run_settings import settings_with

    setting = option.lstrip("-").replace("-", "_")
    if setting not in settings_with(Use.NO_FLAG):
        return ""
    return f"; set {setting} in controlplane.toml, or CONTROLPLANE_{setting.upper()}"
