"""`controlplane compare` says whether two runs differ beyond chance; `sweep` plays variations and compares them."""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import click
import re2
from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError, field_validator
from rich.text import Text

from controlplane.commands.options import (
    AS_JSON,
    JUNIT,
    QUIET,
    RUNS_DIR,
    settings_options,
    show_status,
    tool_options,
)
from controlplane.configuration.run_settings import RunSettings, Use, first_fault, settings_with
from controlplane.configuration.setting_sources import Resolved, resolve
from controlplane.errors import UsageError, as_usage_error, did_you_mean, invocation
from controlplane.gates.submission import encodable
from controlplane.journal.journal_lines import key_of
from controlplane.journal.journal_reader import glance_at, open_journal
from controlplane.journal.run_summary import RunSummary
from controlplane.lifecycle.conducting import conduct, stop_on_signals
from controlplane.lifecycle.new_run import NewRun, continued_run
from controlplane.lifecycle.recorded_run import refuse_if_running
from controlplane.lifecycle.run_resources import RunResources, RunSpec, prompts_named_by
from controlplane.mcp.server_specs import tool_access
from controlplane.run_comparison import (
    LEAST_CHANGED,
    ComparedRun,
    Comparison,
    GateEffect,
    TaskComparison,
    compare_runs,
    compared_run,
)
from controlplane.run_names import find_journal
from controlplane.sandbox.interface import bounds
from controlplane.terminal_text import (
    cost_or_dash,
    count_text,
    gate_or_rule_text,
    one_line,
    say,
    span_text,
)
from controlplane.view.clean_console import CleanConsole, print_columns
from controlplane.view.next_commands import NextCommand
from controlplane.view.run_display import SILENT
from controlplane.view.run_table import listed, print_next_commands, rates_lines, short_outcomes


@click.command("compare")
@click.argument("first", metavar="RUN")
@click.argument("second", metavar="RUN")
@click.option(
    "--all", "everything", is_flag=True, help="List every task, not only the changed ones."
)
@click.option(
    "--fail-if-worse",
    is_flag=True,
    help="Exit code 1 if the second run is worse beyond chance, or lacks scores that the first run has.",
)
@JUNIT
@RUNS_DIR
@AS_JSON
def compare_command(
    first: str,
    second: str,
    *,
    everything: bool,
    fail_if_worse: bool,
    junit: str | None,
    runs_dir: str | None,
    as_json: bool,
) -> None:
    """Compare the second RUN with the first: better and worse tasks, the mean difference, cost, and the conclusion.

    Trials are paired by task and world. A difference is shown if at least 6 tasks changed and its 95 % interval, a
    paired bootstrap over tasks, excludes 0. RUN+RERUN replaces trials of a run by those of its rerun.
    """
    with show_status("reading the journals"):
        comparison = compare_runs(
            *(compared_run(_paths_of(name, runs_dir)) for name in (first, second))
        )
    if junit:
        from controlplane.view.junit import cases_of_comparison, write_junit

        properties = {"before": comparison.first, "after": comparison.second}
        write_junit(Path(junit), "comparison", cases_of_comparison(comparison), **properties)
    if as_json:
        print(json.dumps(comparison_object(comparison)))
    else:
        print_comparison(comparison, everything=everything)
        if comparison.tasks and "+" not in first + second:
            where = ("--runs-dir", runs_dir) if runs_dir else ()
            report = invocation("report", first, second, *where, "-o", "comparison.html")
            print_next_commands(
                CleanConsole(highlight=False),
                [NextCommand(report, "shows each trial beside the other")],
            )
    if not fail_if_worse:
        return
    lost = () if comparison.is_sealed else comparison.lost_scores
    if lost:
        say(f"--fail-if-worse: without a score in the second run: {', '.join(lost[:6])}", err=True)
    elif not comparison.tasks:
        say("--fail-if-worse: no task has a score in both runs", err=True)
    if comparison.is_worse or lost or not comparison.tasks:
        raise SystemExit(1)


def comparison_object(comparison: Comparison) -> dict[str, object]:
    """Return a comparison as plain JSON types."""
    tasks = [{**dataclasses.asdict(task), "change": task.change} for task in comparison.tasks]
    own = {name: getattr(comparison, name) for name in ("is_shown", "is_worse", "needed_tasks")}
    whole = dataclasses.asdict(comparison)
    for which, side in zip(("first", "second"), whole.pop("sides"), strict=True):
        own |= {f"{which}_{name}": value for name, value in side.items()}
    return {**whole, "tasks": tasks, **own}


def _paths_of(name: str, runs_dir: str | None) -> list[Path]:
    """Return the journal that RUN names, or those of RUN+RERUN. Raises `UsageError`."""
    try:
        return [find_journal(name, runs_dir)]
    except UsageError:
        parts = name.split("+")
        if len(parts) == 1 or not all(parts):
            raise
    return [find_journal(part, runs_dir) for part in parts]


def print_comparison(comparison: Comparison, *, everything: bool = False) -> None:
    """Print the changed tasks, the size of the difference, costs, and whether chance explains it."""
    console = CleanConsole(highlight=False)
    pairs = f"{count_text(len(comparison.tasks), 'task')} paired by {comparison.pairing}"
    played = one_line(" · ".join(filter(None, comparison.played)))
    head = [f"{one_line(comparison.first)} → {one_line(comparison.second)}: {played}, {pairs}"]
    if comparison.settings:
        changes = (
            f"{setting.name} {setting.first!r} → {setting.second!r}"
            for setting in comparison.settings
        )
        head.append(f"settings {one_line(', '.join(changes))}")
    head += [f"noticed  {one_line(note)}" for note in comparison.notes]
    if comparison.unpaired:
        head.append(f"left out {listed(comparison.unpaired)}: in only one of the runs")
    if comparison.without_score and not comparison.is_sealed:
        head.append(
            f"left out {listed(comparison.without_score)}: without a score in one of the runs"
        )
    for line in head:
        console.print(Text(line))
    changed = [*comparison.better, *comparison.worse]
    if everything:
        changed += [task for task in comparison.tasks if task.change == "same"]
    _print_tasks(changed if everything else changed[: bounds.SHOWN_ROWS], comparison)
    if not everything and len(changed) > bounds.SHOWN_ROWS:
        console.print(Text(f"{len(changed) - bounds.SHOWN_ROWS} more tasks: --all", style="dim"))
    _print_families(comparison)
    _print_totals(comparison)
    _print_gates(comparison)
    lines = [
        (
            f"{one_line(one.name)} {one.first:.3f} → {one.second:.3f}, difference {one.difference}",
            "",
        )
        for one in comparison.metrics
    ]
    for name, side in zip(("before", "after"), comparison.sides, strict=True):
        lines += [(f"{name:6} {line}", "") for line in rates_lines(side.rates, side.flickers)]
    if comparison.is_sealed:
        agreement = comparison.agreement
        text = (
            f"scores are sealed: {agreement.same_outcome} of {count_text(agreement.pairs, 'pair')} have the same "
            f"outcome, {agreement.same_answer} also the same answer"
        )
        lines.append((text, "yellow"))
        if agreement.differing:
            lines.append((f"different outcomes: {listed(agreement.differing, 12)}", ""))
    for line, style in (*lines, *_verdict(comparison)):
        console.print(Text(line, style=style))


def _print_tasks(tasks: Iterable[TaskComparison], comparison: Comparison) -> None:
    repeated = any(task.tries > 1 for task in comparison.tasks)
    styles = {"better": "green", "worse": "red", "same": "dim"}
    rows = [
        (
            Text(task.change, style=styles[task.change]),
            task.task,
            *(str(one) if repeated else f"{one.mean:.2f}" for one in (task.first, task.second)),
            f"{task.difference:+.3f}",
            short_outcomes(task.why),
        )
        for task in tasks
    ]
    heads = ("change", "task", "before", "after", "difference")
    print_columns(heads, rows, least={"task": 16}, right=heads[2:])


def _print_families(comparison: Comparison) -> None:
    """Print the families that changed; nothing if each task is a family of its own."""
    if len(comparison.families) == len(comparison.tasks):
        return
    rows = [
        (
            one.name,
            one.tasks,
            f"{one.first:.2f}",
            f"{one.second:.2f}",
            f"{one.second - one.first:+.3f}",
        )
        for one in comparison.families[: bounds.SHOWN_ROWS]
        if abs(one.second - one.first) > 1e-9
    ]
    heads = ("family", "tasks", "before", "after", "difference")
    print_columns(heads, rows, least={"family": 16}, right=heads[1:])


def _print_gates(comparison: Comparison) -> None:
    """Print, for all that rejected answers or held calls, how those trials ended in each run."""
    first, second = ({one.key: one for one in side.gates} for side in comparison.sides)
    rows = [
        (
            gate_or_rule_text(key),
            *(_ended(side[key]) if key in side else "-" for side in (first, second)),
        )
        for key in sorted({*first, *second})
    ]
    print_columns(("rejected by", "before", "after"), rows, least={"rejected by": 16})


def _ended(effect: GateEffect) -> str:
    """Return how the rejected trials ended, such as `3 trials: 2 right in the end, 1 by the fallback`."""
    ends = [f"{effect.right or 0} right in the end"] + (
        [f"{effect.fallback} by the fallback"] if effect.fallback else []
    )
    return f"{count_text(effect.trials, 'trial')}: {', '.join(ends)}"


def _print_totals(comparison: Comparison) -> None:
    rows: list[tuple[object, ...]] = []
    for name, side in zip(("before", "after"), comparison.sides, strict=True):
        spent, mean = side.spent, "-" if side.mean is None else side.mean
        amount = f"{spent.tokens:,}", spent.steps, span_text(spent.elapsed_ms)
        rows.append((name, mean, cost_or_dash(spent.cost_usd), *amount))
    one, two = (side.spent for side in comparison.sides)
    if one.elapsed_ms and two.elapsed_ms:
        costs = (
            "-" if not one.cost_usd or two.cost_usd is None else _change(one.cost_usd, two.cost_usd)
        )
        amounts = (
            (one.tokens, two.tokens),
            (one.steps, two.steps),
            (one.elapsed_ms, two.elapsed_ms),
        )
        rows.append(("change", "", costs, *(_change(before, after) for before, after in amounts)))
    heads = ("", "mean score", "cost", "tokens", "steps", "time of trials")
    print_columns(heads, rows, right=heads[1:])


def _change(before: float, after: float) -> str:
    return f"{(after - before) / before:+.0%}" if before else "-"


def _verdict(comparison: Comparison) -> list[tuple[str, str]]:
    if comparison.difference is None:
        return [] if comparison.is_sealed else [("no task has a score in both runs", "yellow")]
    changed = len(comparison.better) + len(comparison.worse)
    counts = f"{len(comparison.better)} better, {len(comparison.worse)} worse, {len(comparison.tasks) - changed} equal"
    mean = comparison.difference
    lines = [
        (f"{counts} · difference {mean.mean:+.3f}, 95 % CI [{mean.low:.3f}, {mean.high:.3f}]", "")
    ]
    if comparison.is_shown:
        better = mean.mean > 0
        return [
            *lines,
            (f"the second run is {'better' if better else 'worse'}", "green" if better else "red"),
        ]
    few = "" if not 0 < changed < LEAST_CHANGED else f"; fewer than {LEAST_CHANGED} tasks changed"
    if needed := comparison.needed_tasks:
        few += f"; about {needed:,} tasks would be enough"
    return [*lines, (f"no difference shown{few}", "bold")]


SHARED: Final = frozenset(
    {"benchmark", "set", "seed", "limit", "repeats", "worlds", "name", "runs_dir"}
)
"""Settings that all runs of a sweep share: they decide the worlds and the place of the journals."""


class SweepFile(BaseModel):
    """A sweep's file."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    name: str
    """The sweep's name, with which the names of its journals begin."""
    tasks: tuple[str, ...] = ()
    """Tasks or families; empty for all."""
    base: dict[str, JsonValue] = Field(default_factory=dict)
    """Settings of the base run, as in [run] of controlplane.toml."""
    axes: dict[str, tuple[JsonValue, ...]] = Field(default_factory=dict)
    """For each varying setting, its values besides the base's, played in every combination."""
    runs: tuple[dict[str, JsonValue], ...] = ()
    """Additional runs, each with the settings that differ from the base."""

    @field_validator("name")
    @classmethod
    def _begins_file_names(cls, name: str) -> str:
        if not re2.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,60}", encodable(name)):
            msg = "a sweep's name, with which its journals' names begin, has letters, digits, - and _, at most 61"
            raise ValueError(msg)
        return name


def read_plan(
    path: Path, *, caps: Mapping[str, float] | None = None, tools: dict[str, Any] | None = None
) -> dict[str, NewRun]:
    """Return the runs of the file at `path`, the base first, each with these limits and values of `tool_options`.

    The key is a run's differences from the base, such as `model=a, gates=none`; `base` for the base. Raises
    `UsageError` naming the file and the key.
    """
    file = _read(path)
    if not (file.axes or file.runs):
        msg = f"{path}: a sweep needs variations: give [axes] or [[runs]]"
        raise UsageError(msg)
    tables = [
        ("base", [*file.base]),
        ("axes", [*file.axes]),
        *(("runs", [*run]) for run in file.runs),
    ]
    for place, name in ((place, name) for place, names in tables for name in names):
        if name not in RunSettings.model_fields:
            msg = f"{path}: [{place}] there is no setting {name!r}{did_you_mean(name, RunSettings.model_fields)}"
            raise UsageError(msg)
        if name in ("name", "runs_dir") or (place != "base" and name in SHARED):
            why = (
                "the sweep sets it"
                if name in ("name", "runs_dir")
                else "the runs of a sweep share it"
            )
            msg = f"{path}: [{place}] {name} is not allowed there: {why}"
            raise UsageError(msg)
    variations: dict[str, tuple[str, Resolved]] = {}
    for changes in _combinations(file):
        label = ", ".join(f"{name}={value}" for name, value in changes.items()) or "base"
        with as_usage_error(f"{path}, {label}", UsageError):
            name = f"{file.name} {label}"[:200]
            resolved = resolve(
                {**file.base, **changes, **(caps or {}), "name": name}, os.environ, Path.cwd()
            )
        settings = resolved.settings.model_dump_json(exclude={"name"})
        variations.setdefault(
            settings, (label, resolved)
        )  # a value of an axis may equal the base's
    if len(variations) > bounds.MOST_RUNS:
        msg = f"{path}: {len(variations)} runs are more than {bounds.MOST_RUNS}; give axes fewer values, or list [[runs]]"
        raise UsageError(msg)
    runs = {}
    for label, resolved in variations.values():
        spec = RunSpec(resolved.settings, tools=tool_access(tools, resolved.mcp) if tools else None)
        slug = re2.sub(r"[^A-Za-z0-9.]+", "-", encodable(label)).strip("-.")[
            :80
        ]  # `+a` and `-a` read alike.
        run_id = f"{file.name}-{slug}-{key_of(label)[:4]}"
        runs[label] = NewRun(spec, resolved.sources, file.tasks, run_id=run_id)
    return runs


def _read(path: Path) -> SweepFile:
    with (
        as_usage_error(f"cannot read {path}", OSError),
        as_usage_error(f"{path} is not TOML", tomllib.TOMLDecodeError, UnicodeDecodeError),
    ):
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    try:
        return SweepFile.model_validate(values)
    except ValidationError as error:
        keys, text = first_fault(error, SweepFile.model_fields)
        msg = f"{path}: {'.'.join(keys)}: {text}"
        raise UsageError(msg) from error


def _combinations(file: SweepFile) -> Iterator[dict[str, JsonValue]]:
    """Yield each run's changes to the base, the base itself first."""
    axes = [[None, *((name, value) for value in values)] for name, values in file.axes.items()]
    for chosen in itertools.islice(itertools.product(*axes), 10 * bounds.MOST_RUNS):
        yield dict(change for change in chosen if change is not None)
    yield from file.runs


@click.command("sweep")
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@click.option("--dry-run", is_flag=True, help="List the runs and stop.")
@settings_options(*settings_with(Use.SPENDING))
@tool_options
@QUIET
@AS_JSON
def sweep_command(
    file: Path, *, dry_run: bool, quiet: bool, as_json: bool, tools: dict[str, Any], **caps: Any
) -> None:
    """Run the base and every variation in FILE, each with its own journal, and compare each variation with the base.

    All runs play at the same time, so that whatever changes meanwhile meets all of them; `concurrency` is shared. A
    second call keeps finished runs and continues the others. FILE is TOML: `name`, `tasks`, `[base]` with settings,
    `[axes]` with lists of values, played in every combination, and `[[runs]]` with settings of their own. Limits given
    as options apply to each run and override the file's.
    """
    plan = read_plan(
        file, caps={name: value for name, value in caps.items() if value is not None}, tools=tools
    )
    if dry_run:
        for label, run in plan.items():
            say(f"{run.run_id}  {label}")
        return
    code = _work(plan, file, silent=quiet or as_json)
    if runs := {
        label: compared_run([run.path]) for label, run in plan.items() if run.path.exists()
    }:
        finished = sum(glance_at(run.path).submitted for run in runs.values()) == len(plan)
        _print(runs, finished=finished, as_json=as_json)
    raise SystemExit(code)


def _work(plan: Mapping[str, NewRun], file: Path, *, silent: bool) -> int:
    """Play every unfinished run; return the worst exit code.

    Raises `UsageError` for the first run that cannot begin or continue, before any run costs anything.
    """
    left = {
        label: run
        for label, run in plan.items()
        if not ((begun := _recorded_part(run)) and begun.submitted)
    }
    if not left:
        return 0
    runs = []
    for label, run in left.items():
        with as_usage_error(f"{file}, {label}", UsageError):
            RunResources(run.spec).close()
        own = run.spec.settings
        settings = own.model_copy(update={"concurrency": max(own.concurrency // len(left), 1)})
        runs.append(replace(run, spec=replace(run.spec, settings=settings)))
    return _play_side_by_side(runs, silent=silent)


def _play_side_by_side(runs: Sequence[NewRun], *, silent: bool) -> int:
    """Begin or continue all runs, and play equal trials of them at about the same time; return the worst exit code."""
    with ExitStack() as stack:
        tell = stack.enter_context(show_status("playing"))
        played = [stack.enter_context(continued_run(fresh)) for fresh in runs]
        for run in played:
            run.open_workers()
            if not run.summary.run_id:
                run.begin()

        def interrupt_all() -> None:
            for run in played:
                run.interrupt()

        with stop_on_signals(interrupt_all), ThreadPoolExecutor(len(runs)) as pool:
            working = [pool.submit(conduct, run, SILENT) for run in played]
            while wait(working, timeout=1.0).not_done:
                over, total = (
                    sum(run.summary.over for run in played),
                    sum(len(run.summary.trials) for run in played),
                )
                if not silent:
                    tell(f"playing: {over} of {count_text(total, 'trial')} over")
        return max(future.result() for future in working)


def _recorded_part(run: NewRun) -> RunSummary | None:
    """Return the recorded part of a run. Raises `UsageError` if the user did not write it, or if its settings or prompt
    texts differ."""
    path = run.path
    if not path.exists():
        return None
    refuse_if_running(path)
    with open_journal(path) as journal:
        summary, why = (
            journal.summary,
            f"but {journal.fault_of_marks}" if journal.fault_of_marks else "",
        )
    assert summary.opened is not None
    # A benchmark may record more options than it was given.
    may_differ = {
        "benchmark",
        "set",
        "name",
        "runs_dir",
        "concurrency",
        "workers",
        *settings_with(Use.SPENDING),
    }
    recorded = {
        setting.name: setting.value
        for setting in summary.opened.settings
        if setting.name not in may_differ
    }
    settings = run.spec.settings
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


def _print(runs: Mapping[str, ComparedRun], *, finished: bool, as_json: bool) -> None:
    """Print each variation compared with the base, as `compare` does."""
    comparisons = {
        label: compare_runs(next(iter(runs.values())), run) for label, run in runs.items()
    }
    if as_json:
        rows = [
            {"label": label, "journal": str(runs[label].path), **comparison_object(comparison)}
            for label, comparison in comparisons.items()
        ]
        print(json.dumps({"finished": finished, "runs": rows}))
        return
    for label, comparison in list(comparisons.items())[1:]:
        say(click.style(one_line(label), bold=True), is_styled=True)
        print_comparison(comparison)
        say()
