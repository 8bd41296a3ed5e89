"""Options of commands: those made from the settings, and those that several commands share.

The sentence under a setting is its option's help, so each default and each help text is written
once.
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

AS_JSON: Final = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
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


def about_a_run(command: Callable[..., None], *, loops: bool = False) -> Callable[..., None]:
    """Give `command` the argument RUN, `--runs-dir` and `--json`; its first argument is RUN's
    journal.

    With `loops` RUN may also name a loop of `improve`, and the argument is the loop's record.
    """

    @click.argument("run", metavar="RUN")
    @RUNS_DIR
    @AS_JSON
    @functools.wraps(command)
    def with_journal(run: str, runs_dir: str | None, **options: Any) -> None:
        command(find_journal(run, runs_dir, loops=loops), **options)

    return with_journal


@contextmanager
def show_status(text: str) -> Iterator[Callable[[str], None]]:
    """Show on a terminal, until the block ends, what takes time; yield the function that changes
    the text."""
    from controlplane.view.clean_console import CleanConsole

    console = CleanConsole(stderr=True, highlight=False)
    if not console.is_interactive:
        yield lambda text: None
        return
    with console.status(text) as status:
        yield status.update


# Mappings, given as one pair per option

PAIRS: Final = {"set": "KEY=VALUE", "role": "ROLE=PROFILE"}
"""Settings that are mappings of words, with the form of a pair."""


def _parse_pairs(
    ctx: click.Context, option: click.Parameter, pairs: Iterable[str]
) -> dict[str, str]:
    """Return the pairs of an option as a mapping. Raises `UsageError` for a value that is not a
    pair."""
    del ctx
    mapping = {}
    for text in pairs:
        key, equals, value = text.partition("=")
        if not equals or not key:
            msg = f"{option.opts[0]} takes {option.metavar}, not {text!r}"
            raise UsageError(msg)
        mapping[key] = value
    return mapping


SET: Final = click.option(
    "--set",
    "pairs",
    multiple=True,
    callback=_parse_pairs,
    metavar="KEY=VALUE",
    help="Options of the benchmark.",
)
SET_BOUND: Final = click.option(
    "--set",
    "pairs",
    multiple=True,
    callback=_parse_pairs,
    metavar="BOUND=VALUE",
    help="Bound the sources: most_files, total_mb, file_mb.",
)


# Options made from settings

OF_THE_RUN: Final = "that of the run"
"""The default, in help, of a setting of a recorded run."""


def settings_options(*names: str, default: str = "") -> Callable[[Command], Command]:
    """Return a decorator that adds an option for each of these settings; options that are not given
    arrive as None, or empty.

    `default` describes the default in help.
    """
    from controlplane.configuration.run_settings import RunSettings

    def with_options(command: Command) -> Command:
        for name in reversed(names):
            add_option = _setting_option(name, RunSettings.model_fields[name], default)
            command = add_option(command)
        return command

    return with_options


class _SettingOption(click.Option):
    """The option of a setting, whose sentence is read only for help."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        from controlplane.configuration.run_settings import RunSettings

        record = super().get_help_record(ctx)
        if record is None:
            return None
        flag, default = record
        sentence = field_texts(RunSettings)[self.name or ""]
        return flag, f"{sentence}  {default}".rstrip()


def _setting_option(name: str, field: FieldInfo, default_text: str) -> Callable[[Command], Command]:
    """Return the decorator that adds the option of a setting: a flag, pairs, or a value."""
    words = name.replace("_", "-")
    if name in PAIRS:
        return click.option(
            f"--{words}",
            name,
            cls=_SettingOption,
            multiple=True,
            callback=_parse_pairs,
            metavar=PAIRS[name],
        )
    if field.annotation is bool:
        return click.option(f"--{words}/--no-{words}", name, cls=_SettingOption, default=None)

    default = default_text or field.get_default(call_default_factory=True)
    has_default = default not in (None, "", False, {})
    return click.option(
        f"--{words}",
        name,
        cls=_SettingOption,
        type=_option_type(field),
        default=None,
        help=f"[default: {default}]" if has_default else "",
    )


def _option_type(field: FieldInfo) -> click.ParamType[Any]:
    """Return click's type for a setting, by its annotation."""
    choices = [choice for choice in typing.get_args(field.annotation) if isinstance(choice, str)]
    if choices:
        return click.Choice(choices)
    types = typing.get_args(field.annotation) or (field.annotation,)
    if int in types:
        return click.INT
    if float in types:
        return click.FLOAT
    return click.STRING


def given(options: Mapping[str, Any]) -> dict[str, object]:
    """Return the options that were given."""
    return {name: value for name, value in options.items() if value not in (None, (), {})}


@functools.cache
def field_texts(model: type[BaseModel]) -> Mapping[str, str]:
    """Return the sentence under each field of a model and its bases, by field, on one line.

    They are read from the source on request: as part of the model (`use_attribute_docstrings`),
    they would take a tenth of a run's start time.
    """
    texts: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if base is BaseModel or not issubclass(base, BaseModel):
            continue
        (definition,) = ast.parse(inspect.getsource(base)).body
        assert isinstance(definition, ast.ClassDef)
        for field, below in pairwise(definition.body):
            match field, below:
                case ast.AnnAssign(ast.Name(name)), ast.Expr(ast.Constant(str(text))):
                    texts[name] = " ".join(text.split())
    return texts


# MCP servers


def tool_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that name servers and allowed tools; it gets their values as
    `tools`."""

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
        "--deny", multiple=True, metavar="NAME.TOOL", help="Never call this tool of a server."
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
