"""The file that describes a sweep: several runs of one benchmark that differ in settings.

The base run has the settings in [base]. An axis is a setting that varies: besides the
base's value, [axes] lists others. Each combination of the values of all axes is a run.
[[runs]] adds single runs that are no such combination.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import re2
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    ValidationError,
    field_validator,
)

from controlplane.configuration.run_settings import RunSettings
from controlplane.configuration.setting_faults import first_fault
from controlplane.errors import UsageError, as_usage_error, did_you_mean
from controlplane.gates.surrogates import encodable
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.foreign_documents import Unreadable, parse_toml

SETTINGS_OF_THE_SWEEP: Final = frozenset({"name", "runs_dir"})
"""Settings that the sweep itself gives all its runs."""
SHARED_SETTINGS: Final = frozenset(
    {"benchmark", "set", "seed", "limit", "repeats", "worlds"}
)
"""Settings that may only be given for the base run.
They decide the worlds, which have to be the same in all runs."""
_SWEEP_NAME: Final = re2.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,60}")
"""A name with which a file's name may begin on every system, such as `gates-2`."""


class SweepFile(BaseModel):
    """The contents of a sweep's file."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    name: str
    """The name of the sweep. The names of its journals begin with it."""
    tasks: tuple[str, ...] = ()
    """Names of tasks or families; empty for all tasks."""
    base: dict[str, JsonValue] = Field(default_factory=dict)
    """The settings of the base run, as in [run] of controlplane.toml."""
    axes: dict[str, tuple[JsonValue, ...]] = Field(default_factory=dict)
    """The values of each varying setting besides that of the base."""
    runs: tuple[dict[str, JsonValue], ...] = ()
    """Additional runs, each with the settings that differ from the base."""

    @field_validator("name")
    @classmethod
    def _check_name(cls, name: str) -> str:
        if not _SWEEP_NAME.fullmatch(encodable(name)):
            msg = (
                "a sweep's name, with which its journals' names begin, has letters, digits, - and "
                "_, at most 61"
            )
            raise ValueError(msg)
        return name


def read_sweep_file(path: Path) -> SweepFile:
    """Read a sweep's file. Raises `UsageError` with the file and the key."""
    with (
        as_usage_error(f"cannot read {path}", OSError),
        as_usage_error(f"{path} is not TOML", Unreadable, UnicodeDecodeError),
    ):
        values = parse_toml(path.read_text(encoding="utf-8"))
    try:
        file = SweepFile.model_validate(values)
    except ValidationError as error:
        keys, fault = first_fault(error, names=SweepFile.model_fields)
        msg = f"{path}: {'.'.join(keys)}: {fault}"
        raise UsageError(msg) from error
    if not file.axes and not file.runs:
        msg = f"{path}: a sweep needs variations: give [axes] or [[runs]]"
        raise UsageError(msg)
    _check_settings(path, "base", file.base)
    _check_settings(path, "axes", file.axes)
    for run in file.runs:
        _check_settings(path, "runs", run)
    return file


def _check_settings(path: Path, table: str, names: Iterable[str]) -> None:
    """Raise `UsageError` for a name that is not a setting, or is not allowed in this table."""
    for name in names:
        if name not in RunSettings.model_fields:
            hint = did_you_mean(name, RunSettings.model_fields)
            msg = f"{path}: [{table}] there is no setting {name!r}{hint}"
            raise UsageError(msg)
        reason = ""
        if name in SETTINGS_OF_THE_SWEEP:
            reason = "the sweep sets it"
        elif table != "base" and name in SHARED_SETTINGS:
            reason = "the runs of a sweep share it"
        if reason:
            msg = f"{path}: [{table}] {name} is not allowed there: {reason}"
            raise UsageError(msg)


def combinations(file: SweepFile) -> Iterator[dict[str, JsonValue]]:
    """Yield the changes of each run to the base. The base itself, with no changes, is the first.

    `[axes] model = ["a", "b"]` -> `{}`, `{"model": "a"}`, `{"model": "b"}`. Several axes are combined,
    and the runs of `[[runs]]` come last.
    """
    axes = []
    for name, values in file.axes.items():
        # The first choice of an axis is to keep the value of the base.
        choices: list[dict[str, JsonValue]] = [{}]
        choices += [{name: value} for value in values]
        axes.append(choices)
    # A few axes with many values have millions of combinations. Many fewer are enough
    # to say that there are too many.
    max_combinations = 10 * bounds.MOST_SWEEP_RUNS
    for combination in itertools.islice(itertools.product(*axes), max_combinations):
        changes: dict[str, JsonValue] = {}
        for choice in combination:
            changes |= choice
        yield changes
    yield from file.runs
