"""`controlplane improve`: finds better texts for an agent on its failures, and proves them on worlds it never saw."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import click

from agent.loop import FOLDER
from agent.model import Model
from controlplane.commands.options import AS_JSON, QUIET, RUNS_DIR, WITHOUT_OPTION, given, settings_options
from controlplane.commands.run import FreshRun, play_side_by_side
from controlplane.configuration.run_settings import RunSettings
from controlplane.configuration.setting_sources import Resolved, resolve
from controlplane.errors import BudgetExhausted, ControlPlaneError, Interrupted, UsageError
from controlplane.improve.evaluation import (
    HINTS,
    PROMPTS,
    CandidateStore,
    EditedFile,
    Evaluation,
    WorldRun,
    diff_lines,
    edited_files,
    files_below,
    id_of,
    write_files,
)
from controlplane.improve.loop import Loop, LoopLimits, Progress, split_tasks
from controlplane.improve.loop_record import LoopOpened, LoopRecord, Proposed, Worlds
from controlplane.improve.proposers import COMMAND, CommandProposer, ModelProposer, Proposer
from controlplane.journal.journal_file import LOOP_FILE
from controlplane.journal.journal_index import glance_at
from controlplane.journal.run_summary import Spent
from controlplane.lifecycle.next_commands import invocation, runs_folder
from controlplane.lifecycle.run_lifecycle import new_run_id
from controlplane.lifecycle.run_models import open_endpoint
from controlplane.lifecycle.run_resources import RunResources, RunSpec
from controlplane.task_selection import TaskSelection
from sandbox.files import write_whole

OWN: Final = frozenset({"seed", "limit", "repeats", "name", "prompt", "hints", "runs_dir"})
"""Settings of a run that a loop decides, or has options of its own for."""
LIMITS: Final = ("run_cost", "run_time", "max_tokens_run")
OBJECTIVES: Final = ("score", "tokens", "cost", "turns")
_SEEDS: Final = re.compile(r"\d+(-\d+)?(,\d+(-\d+)?)*")
COMMAND_S: Final = 3_600.0
"""Seconds that a proposing program may run where --run-time does not bound it."""


class _Commands(click.Group):
    """`improve` with options plays a loop; `improve apply`, `report` and `resume` name a loop that is there."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        return super().resolve_command(ctx, args if args and args[0] in self.commands else ["play", *args])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            args = ["play", *args]
        return super().parse_args(ctx, args)


@click.group("improve", cls=_Commands)
def improve_command() -> None:
    """Find better prompts, hints or modules for an agent on its own failures, and prove them on unseen worlds.

    `improve [TASK]... --with MODEL` plays a loop (`improve play --help`); the others name a loop by its id.
    """


@improve_command.command("play")
@click.argument("tasks", nargs=-1, metavar="[TASK]...")
@click.option("--with", "proposer", required=True, metavar="MODEL|command:CMD", help="Who proposes changes.")
@click.option(
    "--edit", "edits", multiple=True, metavar="PATH", help="A file or folder to change.  [default: prompts, hints]"
)
@click.option(
    "--train", default="", metavar="SEEDS|TASKS", help="Worlds whose traces the proposer sees.  [default: 1-20]"
)
@click.option("--check", default="", metavar="SEEDS|TASKS", help="Worlds that decide what is kept.  [default: 101-140]")
@click.option(
    "--final", default="", metavar="SEEDS|TASKS", help="Worlds that are played once, at the end.  [default: 201-260]"
)
@click.option("--split", default="", metavar="A/B/C", help="Split the tasks by these shares in per cent, not by seeds.")
@click.option("--objective", default="score", show_default=True, help="score, or with what breaks ties: score,tokens.")
@click.option("--proposals", default=20, show_default=True, type=click.IntRange(1, 1000), help="Most proposals.")
@click.option(
    "--batch", default=3, show_default=True, type=click.IntRange(1, 100), help="Trials in a proposal's batch."
)
@click.option("--seed", default=0, help="The seed of the loop's own choices.")
@settings_options("prompt", "hints", "runs_dir")
@settings_options(*(name for name in RunSettings.model_fields if name not in {*WITHOUT_OPTION, *OWN}))
@QUIET
@AS_JSON
def play_command(tasks: tuple[str, ...], *, quiet: bool, as_json: bool, **options: Any) -> None:
    """Play a loop: propose changes on failures, keep what is better on other worlds, prove the best on a third set.

    --train, --check and --final are seeds (1-20), each playing one task, in turn, or names of tasks; they share no
    world. Limits (--run-cost, --run-time, --max-tokens-run) hold for the whole loop, proposals included. The exit code
    is 0 if the result is better beyond chance, else 1.
    """
    own = {name: options.pop(name) for name in ("proposer", "edits", "train", "check", "final", "split")}
    own |= {name: options.pop(name) for name in ("objective", "proposals", "batch", "seed")}
    resolved = resolve(given(options), os.environ, Path.cwd())
    plan = _plan(resolved, tasks, own)
    folder = Path(resolved.settings.runs_dir) / plan.loop
    record = LoopRecord(folder)
    with record.held():
        record.append(plan)
        raise SystemExit(_work(record, quiet=quiet, as_json=as_json))


def _plan(resolved: Resolved, tasks: tuple[str, ...], own: dict[str, Any]) -> LoopOpened:
    settings = resolved.settings
    objectives = tuple(part.strip() for part in own["objective"].split(","))
    if objectives[0] != "score" or not set(objectives) <= set(OBJECTIVES):
        msg = f"--objective begins with score, then any of tokens, cost, turns; not {own['objective']!r}"
        raise UsageError(msg)
    edited = edited_files(own["edits"], settings)
    train, check, final = _worlds(settings, tasks, own)
    return LoopOpened(
        loop=new_run_id("improve"),
        settings=settings.model_dump(mode="json"),
        sources=dict(resolved.sources),
        files=tuple((file.name, file.origin) for file in edited.files),
        texts=dict(edited.texts),
        proposer=own["proposer"],
        train=train,
        check=check,
        final=final,
        objectives=objectives,
        proposals=own["proposals"],
        batch=own["batch"],
        seed=own["seed"],
    )


def _worlds(settings: RunSettings, names: tuple[str, ...], own: dict[str, Any]) -> tuple[Worlds, Worlds, Worlds]:
    """Return the instances of the three parts, which share no world. Raises `UsageError`."""
    with RunResources(RunSpec(settings), works=False) as resources:
        description = resources.describe()
        ids = TaskSelection(names).task_ids(description)
        listed = [try_.task_id for try_ in TaskSelection(names).tries(ids)]
    if not listed:
        msg = f"{description.name} lists no tasks, so no worlds can be set apart"
        raise UsageError(msg)
    parts = [own[part] for part in ("train", "check", "final")]
    if own["split"]:
        if any(parts):
            msg = "--split divides the tasks by itself: leave out --train, --check and --final"
            raise UsageError(msg)
        shares = [int(share) if share.isdecimal() else 0 for share in own["split"].split("/")]
        if len(shares) != 3:
            msg = f"--split takes three shares, such as 50/25/25, not {own['split']!r}"
            raise UsageError(msg)
        groups = split_tasks(listed, shares, own["seed"])
        groups_of_instances = [[(settings.seed, task) for task in group] for group in groups]
    elif any(parts) and not all(not part or _SEEDS.fullmatch(part) for part in parts):
        if not all(parts):
            msg = "name the tasks of all three parts: --train, --check and --final"
            raise UsageError(msg)
        groups_of_instances = [[(settings.seed, task) for task in _named(part, description, listed)] for part in parts]
    else:
        seeds = [_numbers(part or default) for part, default in zip(parts, ("1-20", "101-140", "201-260"), strict=True)]
        groups_of_instances = [[(seed, listed[at % len(listed)]) for at, seed in enumerate(group)] for group in seeds]
    return _apart(groups_of_instances)


def _apart(parts: Sequence[Sequence[tuple[int, str]]]) -> tuple[Worlds, Worlds, Worlds]:
    """Return the parts as worlds. Raises `UsageError` if two of them share one."""
    by_seed = len({seed for part in parts for seed, _ in part}) > 1
    keys = [{seed if by_seed else task for seed, task in part} for part in parts]
    for one, other in ((0, 1), (0, 2), (1, 2)):
        if shared := keys[one] & keys[other]:
            names = ("--train", "--check", "--final")
            msg = (
                f"{names[one]} and {names[other]} share {sorted(map(str, shared))[0]}: a result on them proves nothing"
            )
            raise UsageError(msg)
    train, check, final = (tuple(part) for part in parts)
    return train, check, final


def _named(part: str, description: Any, listed: Sequence[str]) -> list[str]:
    names = tuple(name.strip() for name in part.split(",") if name.strip())
    selection = TaskSelection(names)
    return [try_.task_id for try_ in selection.tries(selection.task_ids(description)) if try_.task_id in listed]


def _numbers(text: str) -> list[int]:
    numbers: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        numbers += range(int(first), int(last or first) + 1)
    return list(dict.fromkeys(numbers))


def _work(record: LoopRecord, *, quiet: bool, as_json: bool, limits: LoopLimits | None = None) -> int:
    """Play the loop to its end, print its result, and return the exit code."""
    plan = record.plan
    settings = RunSettings.model_validate(plan.settings)
    own = limits or LoopLimits(settings.run_cost, settings.max_tokens_run, settings.run_time)
    evaluation = _evaluation(record, settings)
    again = invocation("improve", "resume", plan.loop)
    if not (quiet or as_json):
        sizes = [len(part) for part in (plan.train, plan.check, plan.final)]
        click.echo(
            f"loop {plan.loop}: {sizes[0]} train, {sizes[1]} check and {sizes[2]} final worlds, none shared", err=True
        )
    with ExitStack() as held:
        proposer = _proposer(plan, settings, record.folder, held)
        on_progress: Callable[[Progress], None] = (lambda progress: None) if quiet or as_json else _print_progress
        loop = Loop(record, evaluation, proposer, own, on_progress)
        try:
            end = loop.run()
        except (BudgetExhausted, Interrupted, KeyboardInterrupt) as error:
            best = id_of(loop.best())
            why = str(error) or "interrupted"
            click.echo(f"{why}; best so far: {best}, on the check worlds; continue with: {again}", err=True)
            return error.exit_code if isinstance(error, ControlPlaneError) else Interrupted.exit_code
    _print_end(record, as_json=as_json)
    return 0 if end.is_better else 1


def _evaluation(record: LoopRecord, settings: RunSettings) -> Evaluation:
    plan, prompts = record.plan, Path(settings.prompt) if settings.prompt else FOLDER
    store = CandidateStore(_make_folder(record.folder / "candidates"), prompts)
    files = tuple(EditedFile(*file) for file in plan.files)
    return Evaluation(
        _make_folder(record.folder / "runs"),
        settings,
        store,
        files,
        lambda worlds: _conduct_worlds(worlds, plan.sources),
    )


def _conduct_worlds(worlds: Sequence[WorldRun], sources: Mapping[str, str]) -> None:
    """Begin or continue the runs, and play them side by side to their end."""
    fresh = [FreshRun(RunSpec(one.settings), sources, one.tasks, run_id=one.journal.stem) for one in worlds]
    runs, codes = play_side_by_side(
        [(one, _caps(each)) for one, each in zip(fresh, worlds, strict=True)], lambda _: None
    )
    for run, code in zip(runs, codes, strict=True):
        if code == Interrupted.exit_code:
            raise Interrupted(run.summary.error or "interrupted")
        if code == BudgetExhausted.exit_code:
            raise BudgetExhausted(run.summary.error)
        if not run.summary.submitted:
            raise ControlPlaneError(run.summary.error or f"the run {run.journal.path.stem} could not be finished")


def _caps(world: WorldRun) -> dict[str, object]:
    """Return the limits of a world's run, which also count what an earlier part of the run has spent."""
    settings = world.settings
    spent = glance_at(world.journal).spent if world.journal.exists() else Spent()
    cost_usd = None if settings.run_cost is None else settings.run_cost + spent.known_usd
    tokens = None if settings.max_tokens_run is None else settings.max_tokens_run + spent.tokens
    return {"run_time": settings.run_time, "run_cost": cost_usd, "max_tokens_run": tokens}


def _make_folder(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    return folder


def _proposer(plan: LoopOpened, settings: RunSettings, folder: Path, held: ExitStack) -> Proposer:
    if plan.proposer.startswith(COMMAND):
        return CommandProposer(plan.proposer.removeprefix(COMMAND), folder / "work", settings.run_time or COMMAND_S)
    return ModelProposer(_proposing_model(plan.proposer, held))


def _proposing_model(name: str, held: ExitStack) -> Model:
    if name.startswith("scripted:"):
        from agent.model import ScriptedModel

        try:
            return ScriptedModel.from_file(Path(name.removeprefix("scripted:")))
        except ValueError as error:
            msg = f"--with: {error}"
            raise UsageError(msg) from error
    from agent.model import PricedModel

    resolved = resolve({"model": name}, os.environ, Path.cwd())
    endpoint = open_endpoint(resolved.settings, tuple(resolved.profiles))
    held.callback(endpoint.close)
    return PricedModel(endpoint, base_url=resolved.settings.base_url, prices=resolved.settings.prices)


def _print_progress(progress: Progress) -> None:
    cost = "" if progress.cost_usd is None else f", ${progress.cost_usd:.2f}"
    left = f", left {progress.left}" if progress.left else ""
    click.echo(
        f"{progress.proposals} proposals, {progress.candidates} candidates on the check worlds, "
        f"best {progress.best_score:.3f}; spent {progress.tokens:,} tokens{cost}{left}",
        err=True,
    )


def _print_end(record: LoopRecord, *, as_json: bool) -> None:
    plan, end = record.plan, record.end
    assert end is not None
    refused = sum(bool(line.refused) for line in record.lines if isinstance(line, Proposed))
    if as_json:
        result = {"loop": plan.loop, "best": end.best, "is_better": end.is_better, "text": end.text, "refused": refused}
        click.echo(json.dumps(result | {"folder": str(record.folder)}, ensure_ascii=False))
        return
    click.echo(end.text if end.is_better else f"not better: {end.text}")
    click.echo(f"candidates  {record.folder / 'candidates'} ({refused} proposals refused)")
    if end.is_better:
        click.echo(f"next        {invocation('improve', 'apply', plan.loop)}")


def _find_loop(loop: str, runs_dir: str | None) -> LoopRecord:
    """Return the record of the loop that LOOP names: its id, a unique beginning, or its folder. Raises `UsageError`."""
    if (Path(loop) / LOOP_FILE).is_file():
        return LoopRecord(Path(loop))
    folder = runs_folder(runs_dir)
    fitting = sorted(place.parent for place in folder.glob(f"*/{LOOP_FILE}") if place.parent.name.startswith(loop))
    if loop == "last":
        fitting = sorted((place.parent for place in folder.glob(f"*/{LOOP_FILE}")), key=lambda place: place.name)[-1:]
    if len(fitting) != 1:
        msg = f"{loop!r} fits {len(fitting)} loops in {folder}; name one by its id"
        raise UsageError(msg)
    return LoopRecord(fitting[0])


@improve_command.command("resume")
@click.argument("loop", metavar="LOOP")
@RUNS_DIR
@settings_options(*LIMITS, default="that of the loop")
@QUIET
@AS_JSON
def resume_command(loop: str, *, runs_dir: str | None, quiet: bool, as_json: bool, **limits: Any) -> None:
    """Go on with a loop that was killed, interrupted, or ran out of its limits; nothing is paid twice."""
    record = _find_loop(loop, runs_dir)
    settings = RunSettings.model_validate(record.plan.settings)
    values = [getattr(settings, name) if limits[name] is None else limits[name] for name in LIMITS]
    with record.held():
        own = LoopLimits(values[0], values[2], values[1])
        raise SystemExit(_work(record, quiet=quiet, as_json=as_json, limits=own))


@improve_command.command("report")
@click.argument("loop", metavar="LOOP")
@click.option("-o", "output", default="loop.html", show_default=True, type=click.Path(path_type=Path))
@RUNS_DIR
def report_command(loop: str, *, output: Path, runs_dir: str | None) -> None:
    """Write a page of a loop: candidates with the diff of each step, candidates by tasks, score against cost."""
    from controlplane.improve.loop_page import loop_page

    record = _find_loop(loop, runs_dir)
    settings = RunSettings.model_validate(record.plan.settings)
    page = loop_page(record, _evaluation(record, settings))
    try:
        write_whole(output, page.encode())
    except OSError as error:
        msg = f"cannot write {output}: {error.strerror}"
        raise UsageError(msg) from error
    click.echo(f"report   {output}")


@improve_command.command("apply")
@click.argument("loop", metavar="LOOP")
@click.option("--to", "folder", type=click.Path(path_type=Path), help="Write the files below this folder.")
@click.option("--candidate", default="", metavar="ID", help="Another candidate than the best.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@RUNS_DIR
def apply_command(loop: str, *, folder: Path | None, candidate: str, yes: bool, runs_dir: str | None) -> None:
    """Write the files of a loop's best candidate, after showing the diff."""
    record = _find_loop(loop, runs_dir)
    plan, end = record.plan, record.end
    chosen = candidate or (end.best if end is not None else "")
    if not chosen:
        msg = f"the loop {plan.loop} has not ended; name one of its candidates with --candidate"
        raise UsageError(msg)
    texts = files_below(record.folder / "candidates" / chosen, plan.texts)
    if id_of(texts) != chosen:
        msg = f"the candidate {chosen} is not in {record.folder}, or its files were changed"
        raise UsageError(msg)
    changed = {name: text for name, text in texts.items() if text != plan.texts[name]}
    if not changed:
        click.echo("the best candidate is the original: there is nothing to write")
        return
    places = {name: _place(name, dict(plan.files)[name], folder) for name in changed}
    for line in diff_lines(plan.texts, texts):
        click.echo(line)
    if not yes and not (sys.stdin.isatty() and click.confirm("Write these files?")):
        msg = "nothing was written; say --yes where nobody can be asked"
        raise UsageError(msg)
    for name, place in places.items():
        if place.exists() and folder is None and place.read_text(encoding="utf-8") != plan.texts[name]:
            msg = f"{place} has changed since the loop began; write elsewhere with --to"
            raise UsageError(msg)
    for name, place in places.items():
        write_files(place.parent, {place.name: changed[name]})
        click.echo(f"wrote {place}")


def _place(name: str, origin: str, folder: Path | None) -> Path:
    if folder is not None:
        return folder / name
    if not origin or (name.startswith(f"{PROMPTS}/") and Path(origin).is_relative_to(FOLDER)):
        own = HINTS if name == HINTS else "a folder for --prompt"
        msg = f"{name} has no file of yours to write to: name {own} with --to DIR"
        raise UsageError(msg)
    return Path(origin)
