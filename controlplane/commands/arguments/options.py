"""Options of commands: those made from the settings, and those that several commands share.

The docstring of a setting's field is also its option's help, so that each help text and
each default is written once.
"""

from __future__ import annotations

import ast
import functools
import inspect
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, Final, TypeVar

import click
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from controlplane.errors import UsageError
from controlplane.run_names import find_journal

Command = TypeVar("Command", bound=Callable[..., Any])

AS_JSON: Final = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON instead of text."
)
TRUST: Final = click.option(
    "--trust",
    "is_trusted",
    is_flag=True,
    help="Act on a journal that does not have your mark on every line, with all its settings and "
    "modules.",
)
QUIET: Final = click.option("--quiet", is_flag=True, help="Print only the result.")
JUNIT: Final = click.option(
    "--junit", default=None, metavar="FILE", help="Also write the result as JUnit XML."
)
RUNS_DIR: Final = click.option(
    "--runs-dir", default=None, help="The folder of the journals.  [default: runs]"
)


def about_a_run(command: Callable[..., None]) -> Callable[..., None]:
    """Give `command` the argument RUN, `--runs-dir` and `--json`.

    The command's first argument is the path of RUN's journal.
    """
    return _with_named_path(command, may_be_loop=False)


def about_a_run_or_loop(command: Callable[..., None]) -> Callable[..., None]:
    """Give `command` the same as `about_a_run`, but RUN may also name a loop of `improve`.

    The command's first argument is then the path of the loop's record.
    """
    return _with_named_path(command, may_be_loop=True)


def _with_named_path(
    command: Callable[..., None], *, may_be_loop: bool
) -> Callable[..., None]:
    """Return `command` with the argument RUN, which becomes a path before the command is called."""

    @click.argument("run", metavar="RUN")
    @RUNS_DIR
    @AS_JSON
    @functools.wraps(command)
    def with_path(run: str, runs_dir: str | None, **options: Any) -> None:
        command(find_journal(run, runs_dir, loops=may_be_loop), **options)

    return with_path


@contextmanager
def show_status(text: str) -> Iterator[Callable[[str], None]]:
    """Show a status text on a terminal until the block ends; yield the function that changes it."""
    from controlplane.view.clean_console import CleanConsole

    console = CleanConsole(stderr=True, highlight=False)
    if not console.is_interactive:
        yield lambda text: None
        return
    with console.status(text) as status:
        yield status.update


# Settings that are mappings: each option gives one pair

PAIR_FORMS: Final = {"set": "KEY=VALUE", "role": "ROLE=PROFILE"}
"""Settings that are mappings of words, and how help shows one pair of each."""


def _parse_pairs(
    ctx: click.Context, option: click.Parameter, pairs: Iterable[str]
) -> dict[str, str]:
    """Return the pairs of an option as a mapping.

    Raises `UsageError` for a value that is not a pair.
    """
    del ctx
    mapping = {}
    for text in pairs:
        key, equals, value = text.partition("=")
        if not equals or not key:
            msg = f"{option.opts[0]} takes {option.metavar}, not {text!r}"
            raise UsageError(msg)
        mapping[key] = value
    return mapping


# Commands that take a benchmark have one of these two options, both named --set.

BENCHMARK_OPTIONS: Final = click.option(
    "--set",
    "pairs",
    multiple=True,
    callback=_parse_pairs,
    metavar="KEY=VALUE",
    help="Options of the benchmark.",
)
SOURCE_LIMITS: Final = click.option(
    "--set",
    "pairs",
    multiple=True,
    callback=_parse_pairs,
    metavar="BOUND=VALUE",
    help="Bound the sources: most_files, total_mb, file_mb.",
)


# Options made from settings

OF_THE_RUN: Final = "that of the run"
"""How help describes the default of a setting of a recorded run."""


def settings_options(
    *names: str, shown_default: str = ""
) -> Callable[[Command], Command]:
    """Return a decorator that adds an option for each of these settings.

    If the user does not give an option, its value is None or empty. Help shows
    `shown_default` as the default of these options, or the settings' own if it is empty.
    """
    from controlplane.configuration.run_settings import RunSettings

    def with_options(command: Command) -> Command:
        for name in reversed(names):
            add_option = _setting_option(
                name, RunSettings.model_fields[name], shown_default
            )
            command = add_option(command)
        return command

    return with_options


class _SettingOption(click.Option):
    """The option of a setting. `--help` shows it with the docstring of the setting's field.

    `--max-steps INTEGER  The most steps of a trial.  [default: 30]`: the sentence is read from
    the source of `RunSettings` only when help is printed, because that takes time. So the
    `help` of the option itself is only the default.
    """

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        from controlplane.configuration.run_settings import RunSettings

        record = super().get_help_record(ctx)
        if record is None or self.name is None:
            return None
        flag, default = record
        sentence = field_texts(RunSettings)[self.name]
        return flag, f"{sentence}  {default}".rstrip()


def _setting_option(
    name: str, field: FieldInfo, shown_default: str
) -> Callable[[Command], Command]:
    """Return the decorator that adds the option of a setting.

    A mapping gets an option that may be repeated (`--role ROLE=PROFILE`), a boolean a
    pair of flags (`--x/--no-x`), any other setting an option with one value.
    """
    words = name.replace("_", "-")
    if name in PAIR_FORMS:
        return click.option(
            f"--{words}",
            name,
            cls=_SettingOption,
            multiple=True,
            callback=_parse_pairs,
            metavar=PAIR_FORMS[name],
        )
    if field.annotation is bool:
        return click.option(
            f"--{words}/--no-{words}", name, cls=_SettingOption, default=None
        )

    field_default = field.get_default(call_default_factory=True)
    # A default that stands for "none", such as 0 or an empty text, is not shown.
    if not shown_default and field_default not in (None, "", 0, {}):
        shown_default = str(field_default)
    return click.option(
        f"--{words}",
        name,
        cls=_SettingOption,
        type=_option_type(field),
        default=None,  # Tells an option that is not given from one that is given its default.
        help=f"[default: {shown_default}]" if shown_default else "",
    )


def _option_type(field: FieldInfo) -> click.ParamType[Any]:
    """Return click's type for a setting, by its annotation.

    `Literal["auto", "text"]` -> a choice; `int | None` -> an integer; `str` -> a text
    """
    choices = [
        choice
        for choice in typing.get_args(field.annotation)
        if isinstance(choice, str)
    ]
    if choices:
        return click.Choice(choices)
    types = typing.get_args(field.annotation) or (field.annotation,)
    if int in types:
        return click.INT
    if float in types:
        return click.FLOAT
    return click.STRING


def given_options(options: Mapping[str, Any]) -> dict[str, object]:
    """Return the options that the user gave; click passes None or an empty value for the others."""
    return {
        name: value for name, value in options.items() if value not in (None, (), {})
    }


@functools.cache
def field_texts(model: type[BaseModel]) -> Mapping[str, str]:
    """Return the docstring of each field of a model and its bases, by field, on one line.

    For example, this field has the text `The seed of the run.`:

        seed: int = 0
        \"\"\"The seed of the run.\"\"\"

    They are read from the source when they are needed. If pydantic read them with the
    model (`use_attribute_docstrings`), each run would take a tenth longer to start.
    """
    texts: dict[str, str] = {}
    for model_class in reversed(model.__mro__):
        # A class overrides the texts of its bases.
        if model_class is BaseModel or not issubclass(model_class, BaseModel):
            continue
        tree = ast.parse(inspect.getsource(model_class))
        class_definition = tree.body[0]
        assert isinstance(class_definition, ast.ClassDef)
        for statement, next_statement in pairwise(class_definition.body):
            field = _annotated_name(statement)
            text = _bare_string(next_statement)
            if field is not None and text is not None:
                texts[field] = " ".join(text.split())
    return texts


def _annotated_name(statement: ast.stmt) -> str | None:
    """Return the name in a statement such as `seed: int = 0`; None for any other statement."""
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        return statement.target.id
    return None


def _bare_string(statement: ast.stmt) -> str | None:
    """Return the text of a statement that is only a string; None for any other statement."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        value = statement.value.value
        if isinstance(value, str):
            return value
    return None


# MCP servers


def tool_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options for servers and allowed tools.

    The command gets their values as `tools`.
    """

    @click.option(
        "--mcp",
        multiple=True,
        metavar="NAME=COMMAND|URL",
        help="An MCP server whose tools scripts call.",
    )
    @click.option(
        "--mcp-config",
        type=click.Path(),
        metavar="FILE",
        help="Servers in the usual mcpServers format.",
    )
    @click.option(
        "--allow",
        multiple=True,
        metavar="NAME.TOOL",
        help="Call this tool even if it may change things.",
    )
    @click.option(
        "--deny",
        multiple=True,
        metavar="NAME.TOOL",
        help="Never call this tool of a server.",
    )
    @functools.wraps(command)
    def with_tools(
        *arguments: Any,
        mcp: object,
        mcp_config: object,
        allow: object,
        deny: object,
        **options: Any,
    ) -> None:
        tools = {"mcp": mcp, "mcp_config": mcp_config, "allow": allow, "deny": deny}
        command(*arguments, **options, tools=tools)

    return with_tools
