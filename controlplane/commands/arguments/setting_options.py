"""Options of commands that are made from the settings of a run, by `settings_options("model", "seed")`.

A setting is a field of `RunSettings`. Its name, type and default become those of the option, and the
docstring of the field becomes the option's help, so that each of them is written once.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

import click
from pydantic.fields import FieldInfo

from controlplane.commands.arguments.field_texts import field_texts
from controlplane.commands.arguments.pair_options import PAIR_FORMS, parse_pairs

Command = TypeVar("Command", bound=Callable[..., Any])

OF_THE_RUN: Final = "that of the run"
"""How help describes the default of a setting of a recorded run."""


def settings_options(
    *names: str, shown_default: str = ""
) -> Callable[[Command], Command]:
    """Return a decorator that adds an option for each of these settings: `max_steps` -> `--max-steps`.

    If the user does not give an option, its value is None or empty. Help shows `shown_default` as
    the default of these options, or the settings' own if `shown_default` is empty.
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
        """Return the option's two columns in the help: its flag, and its text."""
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
    """Return the options that the user gave: `{"model": "m", "seed": None}` -> `{"model": "m"}`.

    click passes None or an empty value for an option that is not given.
    """
    return {
        name: value for name, value in options.items() if value not in (None, (), {})
    }
