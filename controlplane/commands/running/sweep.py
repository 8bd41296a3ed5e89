"""`controlplane sweep`: a base run and runs that differ from it, in the same worlds; resumable as a whole."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Final

import click

from controlplane.commands.options import AS_JSON, QUIET, refuse_if_running
from controlplane.commands.running.fresh_run import FreshRun, see_through
from controlplane.commands.running.session import conduct
from controlplane.comparison.compared_trials import compared_run
from controlplane.configuration.run_settings import RunSettings
from controlplane.configuration.setting_sources import placed
from controlplane.configuration.trial_settings import prompts_named_by
from controlplane.errors import BudgetExhausted, UsageError
from controlplane.journal.journal_index import glance_at
from controlplane.journal.run_summary import RunSummary
from controlplane.lifecycle.run_lifecycle import journal_path, take_up
from controlplane.lifecycle.run_resources import RunResources, RunSpec
from controlplane.sweep.sweep_plan import SweepPlan, SweepRun, read_plan
from controlplane.view.display_text import cost_text
from controlplane.view.run_view import RunView

INTERRUPTED: Final = 130
MAY_DIFFER: Final = frozenset({"benchmark", "set", "name", "runs_dir", "concurrency", "run_cost"})
"""Settings in which a run that is taken up may differ: a benchmark may record more than it was given."""


@click.command("sweep")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@click.option("--dry-run", is_flag=True, help="List the runs and stop.")
@QUIET
@AS_JSON
def command(file: Path, *, dry_run: bool, quiet: bool, as_json: bool) -> None:
    """Run the base and every variation that FILE describes, a journal each, and print the table against the base.

    Called again it keeps the runs that are over, resumes the one that was interrupted, and goes on. FILE is TOML:
    `name`, `tasks`, `one_at_a_time`, `max_cost_usd`, `[base]` with settings, `[axes]` with lists of values, and
    `[[runs]]` with settings of their own.
    """
    plan = read_plan(file)
    if dry_run:
        for each in plan.runs:
            click.echo(f"{each.run_id}  {each.label}")
        return
    _check(plan, file)
    code, error = _work(plan, quiet=quiet, as_json=as_json)
    _print(plan, as_json=as_json, finished=error is None and code != INTERRUPTED)
    if error is not None:
        raise error
    raise SystemExit(code)


def _check(plan: SweepPlan, file: Path) -> None:
    """Raise `UsageError` for the first run that could not begin or go on, before another one costs anything."""
    for each in plan.runs:
        known = _known(each)
        if known is not None and known.submitted:
            continue
        try:
            RunResources(RunSpec(each.resolved.settings, tuple(each.resolved.profiles))).close()
        except UsageError as error:
            text = str(placed(error, each.resolved.sources)).removeprefix("--")
            msg = f"{file}, {each.label}: {text}"
            raise UsageError(msg) from error


def _work(plan: SweepPlan, *, quiet: bool, as_json: bool) -> tuple[int, BudgetExhausted | None]:
    """Bring every run to its end; return the worst exit code, and the error if the cap was reached before the last."""
    worst, cap, costs = 0, plan.file.max_cost_usd, {each.run_id: _cost(each) for each in plan.runs}
    for at, each in enumerate(plan.runs):
        known = _known(each)
        if known is not None and known.submitted:
            continue
        if cap is not None and None in costs.values():
            msg = "the price of a reply is unknown, so max_cost_usd cannot be kept; give the model's prices"
            return worst, BudgetExhausted(msg)
        spent = sum(cost or 0.0 for cost in costs.values())
        if cap is not None and spent >= cap:
            return worst, _cap_reached(plan, spent, cap, at)
        if not (quiet or as_json):
            click.echo(f"sweep    {at + 1}/{len(plan.runs)}  {each.label}", err=True)
        run_cost = _run_cost(each, None if cap is None else cap - spent + (costs[each.run_id] or 0.0))
        code = _begun_or_resumed(plan, each, known, run_cost=run_cost, quiet=quiet, as_json=as_json)
        worst = max(worst, code)
        costs[each.run_id] = _cost(each)
        ended = _known(each)
        if code in (0, 1) or (ended is not None and ended.submitted):
            continue
        if cap is not None and code == BudgetExhausted.exit_code and run_cost != each.resolved.settings.run_cost:
            return worst, _cap_reached(plan, sum(cost or 0.0 for cost in costs.values()), cap, at)
        return code, None
    return worst, None


def _run_cost(run: SweepRun, left: float | None) -> float | None:
    """Return what a run may cost: as much as its settings let it, and as the sweep has left; None without a limit."""
    return min((each for each in (run.resolved.settings.run_cost, left) if each is not None), default=None)


def _cap_reached(plan: SweepPlan, spent: float, cap: float, at: int) -> BudgetExhausted:
    return BudgetExhausted(
        f"the sweep has cost {cost_text(spent)} of {cost_text(cap)} (max_cost_usd), and "
        f"{len(plan.runs) - at} of its {len(plan.runs)} runs are left; raise it, and start the sweep again"
    )


def _begun_or_resumed(
    plan: SweepPlan, run: SweepRun, known: RunSummary | None, *, run_cost: float | None, quiet: bool, as_json: bool
) -> int:
    if known is None or not known.run_id:
        settings = run.resolved.settings.model_copy(update={"run_cost": run_cost})
        fresh = FreshRun(
            RunSpec(settings, tuple(run.resolved.profiles)), run.resolved.sources, plan.file.tasks, run_id=run.run_id
        )
        return see_through(fresh, quiet=quiet, as_json=as_json, reports=False).exit_code
    view = RunView(quiet=quiet, as_json=as_json, reports=False)
    with closing(take_up(_path(run), works=True, changes={"run_cost": run_cost})) as resumption:
        resumed = resumption.run
        return conduct(resumed, view, lambda: None, resumption.resume_states)


def _path(run: SweepRun) -> Path:
    return journal_path(run.resolved.settings.runs_dir, run.run_id)


def _known(run: SweepRun) -> RunSummary | None:
    """Return what is there of a run already. Raises `UsageError` if it was recorded with other settings."""
    path = _path(run)
    if not path.exists():
        return None
    refuse_if_running(path)
    summary = glance_at(path)
    assert summary.opened is not None
    recorded = {each.name: each.value for each in summary.opened.settings}
    for name, value in run.resolved.settings.model_dump(mode="json").items():
        if name not in MAY_DIFFER and name in recorded and recorded[name] != value:
            msg = (
                f"{path} is there already, with {name} = {recorded[name]!r} in place of {value!r}; "
                "give the sweep another name, or remove that journal"
            )
            raise UsageError(msg)
    _check_prompts(path, run.resolved.settings, summary.opened.versions.prompts)
    return summary


def _check_prompts(path: Path, settings: RunSettings, recorded: str) -> None:
    """Raise `UsageError` if files of prompts or hints have changed since the run of the sweep was recorded."""
    if (settings.prompt or settings.hints) and prompts_named_by(settings).digest != recorded:
        names = " and ".join(filter(None, (settings.prompt, settings.hints)))
        msg = (
            f"{path} is there already, and its model was told other texts than {names} holds now; give the sweep "
            "another name, or remove that journal"
        )
        raise UsageError(msg)


def _cost(run: SweepRun) -> float | None:
    path = _path(run)
    return glance_at(path).cost_usd if path.exists() else 0.0


def _print(plan: SweepPlan, *, as_json: bool, finished: bool) -> None:
    from controlplane.sweep.sweep_table import print_rows, rows_json, sweep_rows

    runs = {each.label: compared_run([_path(each)]) for each in plan.runs if _path(each).exists()}
    if not runs:
        return
    rows = sweep_rows(runs)
    if as_json:
        print(rows_json(rows, finished=finished))
    else:
        print_rows(rows)
