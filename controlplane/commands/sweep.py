"""`controlplane sweep`: a base run and runs that differ from it, in the same worlds; resumable as a whole."""

from __future__ import annotations

import itertools
import json
import os
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import click
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, field_validator
from rich.text import Text

from controlplane.commands.options import AS_JSON, QUIET, refuse_if_running
from controlplane.commands.run import FreshRun, see_through
from controlplane.commands.session import conduct, workers_opener
from controlplane.commands.setting_options import CAPS, settings_options, tool_options
from controlplane.comparison.resampling import scores_by_task
from controlplane.comparison.run_comparison import ComparedRun, Comparison, compare_runs, compared_run
from controlplane.configuration.run_settings import RunSettings
from controlplane.configuration.setting_sources import Resolved, fault_text, placed, resolve
from controlplane.configuration.trial_settings import prompts_named_by
from controlplane.errors import BudgetExhausted, UsageError, did_you_mean
from controlplane.journal.journal_index import glance_at
from controlplane.journal.journal_lines import key_of
from controlplane.journal.run_summary import RunSummary, total
from controlplane.lifecycle.run_lifecycle import journal_path, take_up
from controlplane.lifecycle.run_resources import RunResources, RunSpec
from controlplane.mcp.server_specs import ToolAccess, tool_access
from controlplane.view.clean_console import CleanConsole
from controlplane.view.display_text import cost_or_dash, cost_text, count_text, one_line, score_text, span_text
from controlplane.view.report import print_columns
from controlplane.view.run_view import RunView

SHARED: Final = frozenset({"benchmark", "set", "seed", "limit", "repeats", "name", "runs_dir"})
"""Settings that all runs of a sweep share: they decide the worlds and the place of the journals."""
MOST_RUNS: Final = 500


class SweepFile(BaseModel):
    """A sweep's file."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    name: str
    """The sweep's name, with which the names of its journals begin."""
    one_at_a_time: bool = False
    """Vary each axis alone against the base; else every combination."""
    max_cost_usd: float | None = Field(None, gt=0)
    """Cost limit of all its runs together, in USD; each run may spend the rest."""
    tasks: tuple[str, ...] = ()
    """Tasks or families; empty for all."""
    base: dict[str, JsonValue] = Field(default_factory=dict)
    """Settings of the base run, as in [run] of controlplane.toml."""
    axes: dict[str, tuple[JsonValue, ...]] = Field(default_factory=dict)
    """For each varying setting, its values besides the base's."""
    runs: tuple[dict[str, JsonValue], ...] = ()
    """Additional runs, each with the settings that differ from the base."""

    @field_validator("name")
    @classmethod
    def _begins_file_names(cls, name: str) -> str:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,60}", name):
            msg = "a sweep's name, with which its journals' names begin, has letters, digits, - and _, at most 61"
            raise ValueError(msg)
        return name


@dataclass(frozen=True, slots=True)
class SweepRun:
    """One run of a sweep."""

    run_id: str
    """The id of its journal."""
    label: str
    """Its differences from the base, such as `model=a, gates=none`; `base` for the base."""
    resolved: Resolved
    tools: ToolAccess | None = None
    """The MCP servers that the user names now; never taken from a journal."""

    @property
    def path(self) -> Path:
        return journal_path(self.resolved.settings.runs_dir, self.run_id)

    def spec(self, **changes: object) -> RunSpec:
        """Return the spec of its resources, with these settings."""
        settings = self.resolved.settings.model_copy(update=changes)
        return RunSpec(settings, tuple(self.resolved.profiles), tools=self.tools)


@dataclass(frozen=True, slots=True)
class SweepPlan:
    """A sweep: its file, and its runs, the base first."""

    file: SweepFile
    runs: tuple[SweepRun, ...]


def read_plan(
    path: Path,
    environ: Mapping[str, str] | None = None,
    *,
    caps: Mapping[str, float] | None = None,
    tools: dict[str, Any] | None = None,
) -> SweepPlan:
    """Return the plan in the file at `path`, each run with these limits and values of `tool_options`.

    Raises `UsageError` naming the file and the key.
    """
    file = _read(path)
    if not (file.axes or file.runs):
        msg = f"{path}: a sweep needs variations: give [axes] or [[runs]]"
        raise UsageError(msg)
    tables = [("base", [*file.base]), ("axes", [*file.axes]), *(("runs", [*run]) for run in file.runs)]
    for place, name in ((place, name) for place, names in tables for name in names):
        if name not in RunSettings.model_fields:
            msg = f"{path}: [{place}] there is no setting {name!r}{did_you_mean(name, RunSettings.model_fields)}"
            raise UsageError(msg)
        if name in ("name", "runs_dir") or (place != "base" and name in SHARED):
            why = "the sweep sets it" if name in ("name", "runs_dir") else "the runs of a sweep share it"
            msg = f"{path}: [{place}] {name} is not allowed there: {why}"
            raise UsageError(msg)
    found: dict[str, tuple[str, Resolved]] = {}
    for changes in _combinations(file):
        resolved = _resolved(path, file, {**changes, **(caps or {})}, os.environ if environ is None else environ)
        settings = resolved.settings.model_dump_json(exclude={"name"})
        found.setdefault(settings, (_label(changes), resolved))  # a value of an axis may equal the base's
    ids = _run_ids(file.name, [label for label, _ in found.values()])
    runs = [
        SweepRun(ids[label], label, resolved, tool_access(tools, resolved.mcp) if tools else None)
        for label, resolved in found.values()
    ]
    if len(runs) > MOST_RUNS:
        msg = f"{path}: {len(runs)} runs are more than {MOST_RUNS}; give axes fewer values, or set one_at_a_time = true"
        raise UsageError(msg)
    return SweepPlan(file, tuple(runs))


def _read(path: Path) -> SweepFile:
    try:
        return SweepFile.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        msg = f"cannot read {path}: {error.strerror}"
        raise UsageError(msg) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        msg = f"{path} is not TOML: {error}"
        raise UsageError(msg) from error
    except ValidationError as error:
        fault = error.errors()[0]
        *_, key = (str(part) for part in fault["loc"])
        unknown = f"there is no such key{did_you_mean(key, SweepFile.model_fields)}"
        text = unknown if fault["type"] == "extra_forbidden" else fault_text(fault)
        msg = f"{path}: {'.'.join(str(part) for part in fault['loc'])}: {text}"
        raise UsageError(msg) from error


def _combinations(file: SweepFile) -> Iterator[dict[str, JsonValue]]:
    """Yield each run's changes to the base, the base itself first."""
    yield {}
    axes = [[(name, value) for value in values] for name, values in file.axes.items()]
    if file.one_at_a_time:
        yield from ({name: value} for axis in axes for name, value in axis)
    else:
        for chosen in itertools.islice(itertools.product(*([None, *axis] for axis in axes)), 1, 10 * MOST_RUNS):
            yield dict(change for change in chosen if change is not None)
    yield from file.runs


def _resolved(path: Path, file: SweepFile, changes: Mapping[str, JsonValue], environ: Mapping[str, str]) -> Resolved:
    label = _label({name: value for name, value in changes.items() if name not in CAPS or name in file.axes})
    try:
        return resolve({**file.base, **changes, "name": f"{file.name} {label}"[:200]}, environ, Path.cwd())
    except UsageError as error:
        msg = f"{path}, {label}: {str(error).removeprefix('--')}"
        raise UsageError(msg) from error


def _label(changes: Mapping[str, JsonValue]) -> str:
    return ", ".join(f"{name}={value}" for name, value in changes.items()) or "base"


def _run_ids(name: str, labels: Iterable[str]) -> dict[str, str]:
    """Return a journal's id for each label; a digest distinguishes labels that read alike, such as `+a` and `-a`."""
    slugs = {label: re.sub(r"[^A-Za-z0-9.]+", "-", label).strip("-.")[:80] for label in labels}
    alike = Counter(slug.casefold() for slug in slugs.values())  # some file systems ignore case
    return {
        label: f"{name}-{slug}" + (f"-{key_of(label)[:8]}" if alike[slug.casefold()] > 1 else "")
        for label, slug in slugs.items()
    }


MAY_DIFFER: Final = frozenset({"benchmark", "set", "name", "runs_dir", "concurrency", *CAPS})
"""Settings in which a resumed run may differ from the plan: a benchmark may record more than it was given."""


@click.command("sweep")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@click.option("--dry-run", is_flag=True, help="List the runs and stop.")
@settings_options(*CAPS)
@tool_options
@QUIET
@AS_JSON
def sweep_command(file: Path, *, dry_run: bool, quiet: bool, as_json: bool, tools: dict[str, Any], **caps: Any) -> None:
    """Run the base and every variation in FILE, each with its own journal, and compare them with the base in a table.

    A second call keeps finished runs, resumes the interrupted one, and continues. FILE is TOML: `name`, `tasks`,
    `one_at_a_time`, `max_cost_usd`, `[base]` with settings, `[axes]` with lists of values, and `[[runs]]` with settings
    of their own. Limits given as options apply to each run and override the file's.
    """
    plan = read_plan(file, caps={name: value for name, value in caps.items() if value is not None}, tools=tools)
    if dry_run:
        for run in plan.runs:
            click.echo(f"{run.run_id}  {run.label}")
        return
    _check(plan, file)
    code, error = _work(plan, quiet=quiet, as_json=as_json)
    if runs := {run.label: compared_run([run.path]) for run in plan.runs if run.path.exists()}:
        rows = sweep_rows(runs)
        if as_json:
            known = [glance_at(run.path) for run in plan.runs if run.path.exists()]
            print(rows_json(rows, finished=sum(run.submitted for run in known) == len(plan.runs)))
        else:
            print_rows(rows)
    if error is not None:
        raise error
    raise SystemExit(code)


def _check(plan: SweepPlan, file: Path) -> None:
    """Raise `UsageError` for the first run that cannot begin or continue, before any run costs anything."""
    for run in plan.runs:
        known = _known(run)
        if known is not None and known.submitted:
            continue
        try:
            RunResources(run.spec()).close()
        except UsageError as error:
            text = str(placed(error, run.resolved.sources)).removeprefix("--")
            msg = f"{file}, {run.label}: {text}"
            raise UsageError(msg) from error


def _work(plan: SweepPlan, *, quiet: bool, as_json: bool) -> tuple[int, BudgetExhausted | None]:
    """Finish every run; return the worst exit code, and the error if the cap was reached before the last run."""
    worst, cap, costs = 0, plan.file.max_cost_usd, {run.run_id: _cost(run) for run in plan.runs}
    for at, run in enumerate(plan.runs):
        known = _known(run)
        if known is not None and known.submitted:
            continue
        if cap is not None and None in costs.values():
            msg = "the price of a reply is unknown, so max_cost_usd cannot be kept; give the model's prices"
            return worst, BudgetExhausted(msg)
        spent = sum(cost or 0.0 for cost in costs.values())
        if cap is not None and spent >= cap:
            return worst, _cap_reached(plan, spent, cap, at)
        if not (quiet or as_json):
            click.echo(f"sweep    {at + 1}/{len(plan.runs)}  {run.label}", err=True)
        limits = (run.resolved.settings.run_cost, None if cap is None else cap - spent + (costs[run.run_id] or 0.0))
        run_cost = min((limit for limit in limits if limit is not None), default=None)
        code = _begun_or_resumed(plan, run, known, run_cost=run_cost, quiet=quiet, as_json=as_json)
        worst = max(worst, code)
        costs[run.run_id] = _cost(run)
        ended = _known(run)
        if code in (0, 1) or (ended is not None and ended.submitted):
            continue
        if code != BudgetExhausted.exit_code:
            return code, None
        is_own = ended is None or "(--run-cost)" not in ended.error or run_cost == run.resolved.settings.run_cost
        if cap is not None and not is_own:  # else the run reached a limit of its own, and the next one has its own, too
            return worst, _cap_reached(plan, sum(cost or 0.0 for cost in costs.values()), cap, at)
    return worst, None


def _cap_reached(plan: SweepPlan, spent: float, cap: float, at: int) -> BudgetExhausted:
    return BudgetExhausted(
        f"the sweep has cost {cost_text(spent)} of {cost_text(cap)} (max_cost_usd), and "
        f"{len(plan.runs) - at} of its {len(plan.runs)} runs are left; raise the limit and start the sweep again"
    )


def _begun_or_resumed(
    plan: SweepPlan, run: SweepRun, known: RunSummary | None, *, run_cost: float | None, quiet: bool, as_json: bool
) -> int:
    if known is None or not known.run_id:
        fresh = FreshRun(run.spec(run_cost=run_cost), run.resolved.sources, plan.file.tasks, run_id=run.run_id)
        return see_through(fresh, quiet=quiet, as_json=as_json, reports=False).exit_code
    view = RunView(quiet=quiet, as_json=as_json, reports=False)
    caps = {name: getattr(run.resolved.settings, name) for name in CAPS} | {"run_cost": run_cost}
    taken = take_up(run.path, works=True, changes=caps, tools=run.tools, open_workers=workers_opener)
    with taken as (resumed, resume_states):
        return conduct(resumed, view, lambda: None, resume_states)


def _known(run: SweepRun) -> RunSummary | None:
    """Return the recorded part of a run. Raises `UsageError` if its settings or prompt texts differ."""
    path = run.path
    if not path.exists():
        return None
    refuse_if_running(path)
    summary = glance_at(path)
    assert summary.opened is not None
    recorded = {setting.name: setting.value for setting in summary.opened.settings if setting.name not in MAY_DIFFER}
    settings, why = run.resolved.settings, ""
    for name, value in settings.model_dump(mode="json").items():
        if not why and recorded.get(name, value) != value:
            why = f"with {name} = {recorded[name]!r} instead of {value!r}"
    names = " and ".join(filter(None, (settings.prompt, settings.hints)))
    if names and not why and prompts_named_by(settings).digest != summary.opened.versions.prompts:
        why = f"and its prompt texts differ from those in {names} now"
    if why:
        msg = f"{path} already exists, {why}; give the sweep another name, or remove that journal"
        raise UsageError(msg)
    return summary


def _cost(run: SweepRun) -> float | None:
    return glance_at(run.path).cost_usd if run.path.exists() else 0.0


LABEL: Final = "run"
HEADS: Final = ("", LABEL, "score", "difference", "95 %", "p", "better/worse", "cost", "tokens", "time of trials")
LEAST_FIRST: Final = ("time of trials", "tokens", "p", "better/worse", "95 %", "")
"""Columns that a narrow window drops, in this order."""
SHORTEST_LABEL: Final = 16
"""Columns of a label in the narrowest window."""


@dataclass(slots=True)
class SweepRow:
    """One run of a sweep compared with the base."""

    label: str
    run: ComparedRun
    against_base: Comparison
    """The comparison of the base with this run."""
    is_among_best: bool = False
    """No run is shown to be better."""
    is_cheapest_of_best: bool = False

    @property
    def mean(self) -> float | None:
        means = [fmean(scores) for scores in scores_by_task(trial.summary for trial in self.run.trials).values()]
        return fmean(means) if means else None

    @property
    def is_complete(self) -> bool:
        """It played the base's trials, and all are over and scored: its mean can be compared."""
        found = self.against_base
        return not (found.unpaired or found.without_score or self.run.unfinished)

    @property
    def cost_usd(self) -> float | None:
        return total(trial.summary.spent for trial in self.run.trials).cost_usd

    @property
    def tokens(self) -> int:
        return sum(trial.summary.tokens for trial in self.run.trials)


def sweep_rows(runs: Mapping[str, ComparedRun]) -> list[SweepRow]:
    """Return a row for each run by its label, the base first, with the best marked."""
    (_, base), *_ = runs.items()
    rows = [SweepRow(label, run, compare_runs(base, run)) for label, run in runs.items()]
    scored = [row for row in rows if row.mean is not None and row.is_complete]
    if not scored:
        return rows
    top = max(scored, key=lambda row: row.mean or 0.0)
    best = [row for row in scored if row is top or not compare_runs(top.run, row.run).is_worse]
    for row in best:
        row.is_among_best = True
    if all(row.cost_usd is not None for row in best):
        cheapest = min(best, key=lambda row: (row.cost_usd or 0.0, row.tokens, -(row.mean or 0.0)))
        cheapest.is_cheapest_of_best = True
    return rows


def print_rows(rows: Sequence[SweepRow]) -> None:
    console, cells = CleanConsole(highlight=False), []
    for at, row in enumerate(rows):
        found = row.against_base
        mark = "★" if row.is_cheapest_of_best else "·" if row.is_among_best else ""
        differences = [""] * 4
        if at and found.difference is not None:
            span = f"{found.difference.low:+.3f} … {found.difference.high:+.3f}"
            changes = f"{len(found.better)}/{len(found.worse)}"
            differences = [f"{found.difference.mean:+.3f}", span, f"{found.p_value:.3g}", changes]
        elapsed = span_text(sum(trial.summary.elapsed_ms for trial in row.run.trials))
        spent = (cost_or_dash(row.cost_usd), f"{row.tokens:,}", elapsed)
        cells.append((mark, one_line(row.label), score_text(row.mean, 3), *differences, *spent))
    print_columns(HEADS, cells, least={LABEL: SHORTEST_LABEL}, dropped=LEAST_FIRST, right=HEADS[2:])
    if any(row.is_cheapest_of_best for row in rows):
        console.print(Text("· no run is shown to be better   ★ the cheapest of these", style="dim"))
    for row in (row for row in rows if row.run.unfinished):
        told = f"{row.run.unfinished} of {count_text(len(row.run.trials), 'trial')} are cut off"
        console.print(Text(f"{row.label}: {told}, so it is not ranked", style="yellow"))
    if any(row.against_base.is_sealed for row in rows):
        console.print(Text("scores are sealed: runs can be compared by outcome alone, with compare", style="yellow"))


def rows_json(rows: Sequence[SweepRow], *, finished: bool) -> str:
    told = [
        {
            "label": row.label,
            "journal": str(row.run.paths[0]),
            "mean_score": row.mean,
            **{
                name: getattr(row.against_base.difference, field, None)
                for name, field in (("difference", "mean"), ("low", "low"), ("high", "high"))
            },
            "p_value": row.against_base.p_value,
            "better": [task.task for task in row.against_base.better],
            "worse": [task.task for task in row.against_base.worse],
            "cost_usd": row.cost_usd,
            "tokens": row.tokens,
            "is_among_best": row.is_among_best,
            "is_cheapest_of_best": row.is_cheapest_of_best,
        }
        for row in rows
    ]
    return json.dumps({"finished": finished, "runs": told})
