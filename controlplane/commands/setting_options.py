"""Makes click options from the settings: the sentence under a field is its help, and each default is written once."""

from __future__ import annotations

import ast
import functools
import inspect
import typing
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from typing import Any, Final, TypeVar

import click
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from controlplane.commands.options import complete_benchmark, complete_model
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import UsageError

PAIRS: Final = {"set": "KEY=VALUE", "role": "ROLE=PROFILE"}
"""Settings that are mappings of words, given one pair at a time."""
_COMPLETERS: Final = {"benchmark": complete_benchmark, "model": complete_model}
Command = TypeVar("Command", bound=Callable[..., Any])

SET: Final = click.option("--set", "pairs", multiple=True, metavar="KEY=VALUE", help="Options of the benchmark.")

WITHOUT_OPTION: Final = frozenset(
    {"api_key_env", "top_p", "sampling_seed", "model_headers", "model_body", "thinking_back", "on_interrupt"}
)
"""Settings that only controlplane.toml and the environment set."""


CAPS: Final = ("run_cost", "trial_cost", "run_time", "max_tokens_run")
"""Settings that limit the spending of a run."""
OF_THE_RUN: Final = "that of the run"


def settings_options(*names: str, default: str = "") -> Callable[[Command], Command]:
    """Return a decorator that adds an option for each of these settings; options not given arrive as None.

    `default` describes the default in help.
    """

    def with_options(command: Command) -> Command:
        for name in reversed(names):
            command = _option(name, RunSettings.model_fields[name], default)(command)
        return command

    return with_options


class _SettingOption(click.Option):
    """An option whose help is read only on request."""

    def __init__(self, *given: Any, shown_default: str = "", **settings: Any) -> None:
        super().__init__(*given, **settings)
        self._shown_default = shown_default

    @property
    def help(self) -> str | None:
        return field_texts(RunSettings).get(self.name or "", "") + self._shown_default

    @help.setter
    def help(self, text: str | None) -> None:
        """Ignore click's text."""


def _option(name: str, field: FieldInfo, own_default: str) -> Callable[[Command], Command]:
    flag = f"--{name.replace('_', '-')}"
    if name in PAIRS:
        return click.option(flag, name, cls=_SettingOption, multiple=True, metavar=PAIRS[name])
    if field.annotation is bool:
        return click.option(f"{flag}/--no-{name.replace('_', '-')}", name, cls=_SettingOption, default=None)
    default = own_default or field.get_default(call_default_factory=True)
    return click.option(
        flag,
        name,
        cls=_SettingOption,
        type=_click_type(field),
        default=None,
        shown_default="" if default in (None, "", False, {}) else f"  [default: {default}]",
        shell_complete=_COMPLETERS.get(name),
    )


def _click_type(field: FieldInfo) -> click.ParamType[Any]:
    choices = [choice for choice in typing.get_args(field.annotation) if isinstance(choice, str)]
    if choices:
        return click.Choice(choices)
    kinds = typing.get_args(field.annotation) or (field.annotation,)
    if int in kinds:
        return click.INT
    return click.FLOAT if float in kinds else click.STRING


def given(options: dict[str, Any]) -> dict[str, object]:
    """Return the given options, pairs as mappings. Raises `UsageError` for a value that is not a pair."""
    found = {name: value for name, value in options.items() if value not in (None, ())}
    return found | {name: pairs_of(options[name], f"--{name} {form}") for name, form in PAIRS.items() if name in found}


def pairs_of(texts: Iterable[str], option: str = "--set KEY=VALUE") -> dict[str, str]:
    """Return the values of an option for pairs as a mapping. Raises `UsageError` for a value that is not a pair."""
    pairs = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key:
            flag, form = option.split()
            msg = f"{flag} takes {form}, not {text!r}"
            raise UsageError(msg)
        pairs[key] = value
    return pairs


def tool_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that name servers and allowed tools; it gets their values as `tools`."""

    @click.option("--mcp", multiple=True, metavar="NAME=COMMAND|URL", help="An MCP server whose tools scripts call.")
    @click.option("--mcp-config", type=click.Path(), metavar="FILE", help="Servers in the usual mcpServers format.")
    @click.option("--allow", multiple=True, metavar="NAME.TOOL", help="Call this tool even if it may change things.")
    @click.option("--deny", multiple=True, metavar="NAME.TOOL", help="Never call this tool of a server.")
    @functools.wraps(command)
    def with_tools(
        *arguments: Any, mcp: object, mcp_config: object, allow: object, deny: object, **options: Any
    ) -> None:
        command(*arguments, **options, tools={"mcp": mcp, "mcp_config": mcp_config, "allow": allow, "deny": deny})

    return with_tools


@functools.cache
def field_texts(model: type[BaseModel]) -> Mapping[str, str]:
    """Return the sentence under each field of a model and its bases, by field, on one line.

    They are read from the source on request: as part of the model (`use_attribute_docstrings`), they would take a tenth
    of a run's start time.
    """
    found: dict[str, str] = {}
    for base in reversed(model.__mro__):
        if base is BaseModel or not issubclass(base, BaseModel):
            continue
        (definition,) = ast.parse(inspect.getsource(base)).body
        assert isinstance(definition, ast.ClassDef)
        for field, below in pairwise(definition.body):
            match field, below:
                case ast.AnnAssign(ast.Name(name)), ast.Expr(ast.Constant(str(text))):
                    found[name] = " ".join(text.split())
    return found
