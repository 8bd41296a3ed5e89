"""Plays a base run and variations of its settings side by side, as a TOML file describes them."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import re2
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    JsonValue,
    ValidationError,
    field_validator,
)

from controlplane.configuration.model_settings import Use
from controlplane.configuration.run_settings import (
    RunSettings,
    first_fault,
    settings_with,
)
from controlplane.configuration.setting_sources import Resolved, resolve
from controlplane.errors import UsageError, as_usage_error, did_you_mean
from controlplane.gates.text_folding import encodable
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.stored_texts import key_of
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.lifecycle.conducting import conduct, stop_on_signals
from controlplane.lifecycle.resources.run_resources import open_resources
from controlplane.lifecycle.resources.run_solver import RunSpec, prompts_named_by
from controlplane.lifecycle.run_beginnings import begin_run, continued_run
from controlplane.lifecycle.run_lifecycle import Run
from controlplane.lifecycle.run_plan import RunPlan
from controlplane.lifecycle.run_submission import refuse_if_running
from controlplane.mcp.tool_access import tool_access
from controlplane.sandbox.interface import bounds
from controlplane.sandbox.interface.foreign_documents import Unreadable, parse_toml
from controlplane.view.progress import SILENT

# The file that describes a sweep: several runs of one benchmark that differ in settings.
#
# The base run has the settings in [base]. An axis is a setting that varies: besides the
# base's value, [axes] lists others. Each combination of the values of all axes is a run.
# [[runs]] adds single runs that are no such combination.

_SETTINGS_OF_THE_SWEEP: Final = frozenset({"name", "runs_dir"})
"""Settings that the sweep itself gives all its runs."""
_SHARED_SETTINGS: Final = frozenset(
    {"benchmark", "set", "seed", "limit", "repeats", "worlds"}
)
"""Settings that may only be given for the base run.
They decide the worlds, which have to be the same in all runs."""
_SWEEP_NAME: Final = re2.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,60}")
"""A name with which a file's name may begin on every system, such as `gates-2`."""


class _SweepFile(BaseModel):
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


def _read_sweep_file(path: Path) -> _SweepFile:
    """Read a sweep's file. Raises `UsageError` with the file and the key."""
    with (
        as_usage_error(f"cannot read {path}", OSError),
        as_usage_error(f"{path} is not TOML", Unreadable, UnicodeDecodeError),
    ):
        values = parse_toml(path.read_text(encoding="utf-8"))
    try:
        file = _SweepFile.model_validate(values)
    except ValidationError as error:
        keys, fault = first_fault(error, names=_SweepFile.model_fields)
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
        if name in _SETTINGS_OF_THE_SWEEP:
            reason = "the sweep sets it"
        elif table != "base" and name in _SHARED_SETTINGS:
            reason = "the runs of a sweep share it"
        if reason:
            msg = f"{path}: [{table}] {name} is not allowed there: {reason}"
            raise UsageError(msg)


def _combinations(file: _SweepFile) -> Iterator[dict[str, JsonValue]]:
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


# The runs that a sweep has played before.
#
# A sweep plays a run for each combination of settings. If it was interrupted and starts again,
# a run whose journal exists is continued, but only if it is the same run.


def _recorded_part(run: RunPlan) -> RunSummary | None:
    """Return what the journal of a run has so far, as totals; None if the run has not begun.

    Raises `UsageError` if the journal belongs to another user, or if its settings or
    prompt texts differ.
    """
    path = run.path
    if not path.exists():
        return None
    refuse_if_running(path)
    with open_journal(path) as journal:
        summary = journal.summary
        # The lines of a journal are signed with a key of the user who wrote it.
        fault_of_signatures = journal.fault_of_marks
    if fault_of_signatures:
        fault = f"but {fault_of_signatures}"
    else:
        fault = _difference_from(summary, run)
    if fault:
        msg = f"{path} already exists, {fault}; give the sweep another name, or remove that journal"
        raise UsageError(msg)
    return summary


def _difference_from(summary: RunSummary, run: RunPlan) -> str:
    """Return the first difference between a recorded run and a new one; empty if there is none."""
    assert summary.opened is not None
    may_differ = {
        "benchmark",  # a benchmark may record more options than the user gave
        "set",
        "concurrency",  # these two say where trials run, not what they do
        "workers",
        *_SETTINGS_OF_THE_SWEEP,
        *settings_with(Use.SPENDING),  # limits may be raised to continue
    }
    recorded = {}
    for setting in summary.opened.settings:
        if setting.name not in may_differ:
            recorded[setting.name] = setting.value
    settings = run.spec.settings
    for name, value in settings.model_dump(mode="json").items():
        if name in recorded and recorded[name] != value:
            return f"with {name} = {recorded[name]!r} instead of {value!r}"

    files = [name for name in (settings.prompt, settings.hints) if name]
    if files and prompts_named_by(settings).digest != summary.opened.versions.prompts:
        return f"and its prompt texts differ from those in {' and '.join(files)} now"
    return ""


# Plays the runs of a sweep side by side.

_BETWEEN_REPORTS_S: Final = 1.0
"""The seconds between two reports of how many trials are over."""


def play_sweep(
    plan: Mapping[str, RunPlan], file: Path, tell: Callable[[int, int], None]
) -> int:
    """Play every unfinished run of a plan, and return the worst exit code.

    `tell` is called with the number of trials that are over and the number of all
    trials. Raises `UsageError` for the first run that cannot begin or continue, before
    any run costs anything.
    """
    unfinished = {}
    for label, run in plan.items():
        recorded = _recorded_part(run)  # What its journal holds so far.
        if recorded is None or not recorded.submitted:
            unfinished[label] = run
    if not unfinished:
        return 0

    runs = []
    for label, run in unfinished.items():
        # Opening the resources finds faults such as an unknown model, before any run has begun.
        with as_usage_error(f"{file}, {label}", UsageError):
            open_resources(run.spec).close()
        runs.append(_with_share_of_concurrency(run, len(unfinished)))
    return _play_side_by_side(runs, tell)


def _with_share_of_concurrency(run: RunPlan, runs: int) -> RunPlan:
    """Return a run that plays fewer trials at once, because `runs` runs are played together."""
    settings = run.spec.settings
    concurrency = max(settings.concurrency // runs, 1)
    shared = settings.model_copy(update={"concurrency": concurrency})
    if "concurrency" not in settings.model_fields_set:
        shared = shared.with_defaults(["concurrency"])
    return replace(run, spec=replace(run.spec, settings=shared))


def _play_side_by_side(
    new_runs: Sequence[RunPlan], tell: Callable[[int, int], None]
) -> int:
    """Begin or continue all runs, and play the same trial of each at about the same time."""
    with ExitStack() as stack:
        runs: list[Run] = []
        for new_run in new_runs:
            runs.append(stack.enter_context(continued_run(new_run)))
        for run in runs:
            run.open_place()
            if not run.summary.run_id:
                begin_run(run)

        def interrupt_all() -> None:
            for run in runs:
                run.interrupt()

        with stop_on_signals(interrupt_all), ThreadPoolExecutor(len(runs)) as pool:
            exit_codes = [pool.submit(conduct, run, SILENT) for run in runs]
            while wait(exit_codes, timeout=_BETWEEN_REPORTS_S).not_done:
                over = sum(run.summary.trials.over for run in runs)
                total = sum(len(run.summary.trials) for run in runs)
                tell(over, total)
        return max(exit_code.result() for exit_code in exit_codes)


# The runs of a sweep, from its file.

_MOST_NAME_CHARS: Final = 200
_MOST_SLUG_CHARS: Final = 80
_DIGEST_CHARS: Final = 4
"""The length of the digest after a slug, which tells labels with the same slug apart.
For example, `parts=+a` and `parts=-a` both have the slug `parts-a`."""
_NOT_IN_FILE_NAMES: Final = re2.compile(r"[^A-Za-z0-9.]+")
"""Characters of a label that are replaced in the name of its journal: ` = ` in `model = a`."""


def read_sweep(
    path: Path,
    *,
    caps: Mapping[str, float] | None = None,
    tools: dict[str, Any] | None = None,
) -> dict[str, RunPlan]:
    """Return the runs that the file at `path` describes, with the base first.

    The key of a run is its label, which tells its changes to the base: `model=a, gates=none`. All runs have the limits `caps` (such
    as `run_cost`), and the MCP servers in `tools`. Raises `UsageError` with the file and the key.
    """
    file = _read_sweep_file(path)
    variations = _variations(file, path, caps or {})
    if len(variations) > bounds.MOST_SWEEP_RUNS:
        msg = (
            f"{path}: {len(variations)} runs are more than {bounds.MOST_SWEEP_RUNS}; give axes fewer "
            "values, or list [[runs]]"
        )
        raise UsageError(msg)

    runs = {}
    for label, resolved in variations.items():
        access = tool_access(tools, resolved.mcp) if tools else None
        spec = RunSpec(resolved.settings, tools=access)
        digest = key_of(label)[:_DIGEST_CHARS]
        # `model=a, gates=none` -> `model-a-gates-none`
        slug = _NOT_IN_FILE_NAMES.sub("-", encodable(label)).strip("-.")
        run_id = f"{file.name}-{slug[:_MOST_SLUG_CHARS]}-{digest}"
        runs[label] = RunPlan(spec, resolved.sources, file.tasks, run_id=run_id)
    return runs


def _variations(
    file: _SweepFile, path: Path, caps: Mapping[str, float]
) -> dict[str, Resolved]:
    """Return the settings of each run, by its label: `base`, `model=a`, `model=a, gates=none`.

    `path` is the sweep's file, for messages. `caps` are limits that each run has.
    If an axis has the base's value, too, two labels have the same settings. That run is played
    once, under the first label.
    """
    variations = {}
    known: set[str] = set()
    for changes in _combinations(file):
        parts = [f"{name}={value}" for name, value in changes.items()]
        label = ", ".join(parts) or "base"
        values: dict[str, Any] = {**file.base, **changes, **caps}
        values["name"] = f"{file.name} {label}"[:_MOST_NAME_CHARS]
        with as_usage_error(f"{path}, {label}", UsageError):
            resolved = resolve(values, os.environ, Path.cwd())
        settings = resolved.settings.model_dump_json(exclude={"name"})
        if settings not in known:
            known.add(settings)
            variations[label] = resolved
    return variations
