"""Options of commands that are made from the settings of a run, by `settings_options("model", "seed")`.

A setting is a field of `RunSettings`. Its name, type and default become those of the option, and the
docstring of the field becomes the option's help, so that each of them is written once.
"""

from __future__ import annotations

import ast
import functools
import inspect
import typing
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, Final, TypeVar

import click
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from controlplane.commands.arguments.options import PAIR_FORMS, parse_pairs
from controlplane.journal.run_events import EARLIER_SETTING_NAMES

# The docstrings of the fields of a model, such as the settings of a run.
#
# Python keeps no docstrings of fields, so they are read from the model's source, when help or the
# documentation is printed.


@functools.cache
def field_texts(model: type[object]) -> Mapping[str, str]:
    """Return the docstring of each field of a model or dataclass and its bases, by field, on one line.

    For example, this field has the text `The seed of the run.`:

        seed: int = 0
        \"\"\"The seed of the run.\"\"\"

    If pydantic read them when the model is made (`use_attribute_docstrings`), each run would take
    a tenth longer to start.
    """
    texts: dict[str, str] = {}
    for model_class in reversed(model.__mro__):
        # A class overrides the texts of its bases.
        if model_class in (BaseModel, object):
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


_Command = TypeVar("_Command", bound=Callable[..., Any])

OF_THE_RUN: Final = "that of the run"
"""How help describes the default of a setting of a recorded run."""


def settings_options(
    *names: str, shown_default: str = ""
) -> Callable[[_Command], _Command]:
    """Return a decorator that adds an option for each of these settings: `max_steps` -> `--max-steps`.

    If the user does not give an option, its value is None or empty. Help shows `shown_default` as
    the default of these options, or the settings' own if `shown_default` is empty.
    """
    from controlplane.configuration.run_settings import RunSettings

    def with_options(command: _Command) -> _Command:
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
        """Return the option's two columns in the help: its flag, and its text."""
        from controlplane.configuration.run_settings import RunSettings

        record = super().get_help_record(ctx)
        if record is None or self.name is None:
            return None
        flag, default = record
        for earlier_flag in self.opts[1:]:  # It is understood, and not shown.
            flag = flag.replace(f", {earlier_flag}", "")
        sentence = field_texts(RunSettings)[self.name]
        return flag, f"{sentence}  {default}".rstrip()


def _setting_option(
    name: str, field: FieldInfo, shown_default: str
) -> Callable[[_Command], _Command]:
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
            callback=parse_pairs,
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
    flags = [f"--{words}"]
    for earlier_name, todays_name in EARLIER_SETTING_NAMES.items():
        if todays_name == name:
            flags.append(f"--{earlier_name.replace('_', '-')}")
    return click.option(
        *flags,
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
    """Return the options that the user gave: `{"model": "m", "seed": None}` -> `{"model": "m"}`.

    click passes None or an empty value for an option that is not given.
    """
    return {
        name: value for name, value in options.items() if value not in (None, (), {})
    }
