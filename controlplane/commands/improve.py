"""`controlplane improve`: finds better texts for an agent on its failures, and proves them on worlds it never saw."""

from __future__ import annotations

import json
import math
import os
import random
import shlex
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import click
import re2

from controlplane.agent.loop import FOLDER
from controlplane.benchmark import BenchmarkError, TaskSelection, TaskTry
from controlplane.commands.options import AS_JSON, QUIET, RUNS_DIR, given, settings_options
from controlplane.configuration.named_modules import refused
from controlplane.configuration.run_settings import RunSettings, Use, settings_with
from controlplane.configuration.setting_sources import resolve
from controlplane.errors import (
    BudgetExhausted,
    ControlPlaneError,
    Interrupted,
    UsageError,
    as_usage_error,
    invocation,
)
from controlplane.gates.submission import encodable
from controlplane.improve import (
    COMMAND,
    HINTS,
    LIMITS,
    PROMPTS,
    Instance,
    Loop,
    LoopEnded,
    LoopOpened,
    Proposer,
    ask_model,
    edited_files,
    plain_text,
    run_program,
)
from controlplane.lifecycle.conducting import conduct
from controlplane.lifecycle.new_run import NewRun, continued_run
from controlplane.lifecycle.run_lifecycle import new_run_id
from controlplane.lifecycle.run_resources import RunResources, RunSpec, opened_model
from controlplane.run_names import find_journal
from controlplane.terminal_text import count_text, say
from controlplane.text_files import FileChange, make_changes
from controlplane.view.file_diff import file_diff
from controlplane.view.run_display import SILENT

OWN: Final = frozenset({"limit", "repeats", "worlds", "name", "seed"})
"""Settings of a run that a loop decides."""
SETTINGS_OF_A_LOOP: Final = [
    name
    for name in RunSettings.model_fields
    if name not in OWN and name not in settings_with(Use.NO_FLAG)
]
PARTS: Final = ("train", "check", "final")
NUMBERS: Final = ("1-20", "101-140", "201-260")
"""The numbers of the worlds of the three parts, unless the user names others."""
SPLIT: Final = "40/30/30"
"""The shares of the three parts where the number of a world changes nothing."""


class _Commands(click.Group):
    """`improve` with options plays a loop; `improve apply` names a loop that is there."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        is_named = bool(args) and args[0] in (*self.commands, "-h", "--help")
        return super().parse_args(ctx, args if is_named or not args else ["play", *args])


@click.group("improve", cls=_Commands)
def improve_command() -> None:
    """Find better prompts, hints or modules for an agent on its own failures, and prove them on unseen worlds.

    `improve [TASK]... --with MODEL` plays a loop (`improve play --help`). `resume` and `report` take its id as a run's.
    """


@improve_command.command("play")
@click.argument("tasks", nargs=-1, metavar="[TASK]...")
@click.option(
    "--with", "proposer", required=True, metavar="MODEL|command:CMD", help="Who proposes changes."
)
@click.option(
    "--edit",
    "edits",
    multiple=True,
    metavar="PATH",
    help="Texts that may change.  [default: prompts, hints]",
)
@click.option(
    "--train",
    metavar="WORLDS|TASKS",
    help="Worlds whose traces the proposer sees.  [default: 1-20]",
)
@click.option(
    "--check", metavar="WORLDS|TASKS", help="Worlds that decide what is kept.  [default: 101-140]"
)
@click.option(
    "--final",
    metavar="WORLDS|TASKS",
    help="Worlds that are played once, at the end.  [default: 201-260]",
)
@click.option(
    "--split", metavar="A/B/C", help="Split the tasks by these shares in per cent, not by worlds."
)
@click.option(
    "--proposals",
    default=20,
    show_default=True,
    type=click.IntRange(1, 1000),
    help="Most proposals.",
)
@click.option(
    "--batch",
    default=3,
    show_default=True,
    type=click.IntRange(1, 100),
    help="Trials behind a proposal.",
)
@click.option("--seed", default=0, help="The seed of the loop's own choices.")
@settings_options(*SETTINGS_OF_A_LOOP)
@QUIET
@AS_JSON
def play_command(
    tasks: tuple[str, ...], *, edits: tuple[str, ...], quiet: bool, as_json: bool, **options: Any
) -> None:
    """Play a loop: propose changes on failures, keep what is better on other worlds, prove the best on a third set.

    --train, --check and --final are names of tasks, or numbers of worlds (1-20; each plays the next task); they share
    no world. Where numbers change nothing, named TASKs are those to learn from, and the others decide; without names,
    --split 40/30/30 holds. Limits (--run-cost, --run-time, --max-tokens-run) hold for the whole loop, proposals
    included. The exit code is 0 if the result is better beyond chance, else 1.
    """
    parts, split = [options.pop(part) or "" for part in PARTS], options.pop("split")
    own = {name: options.pop(name) for name in ("proposer", "proposals", "batch", "seed")}
    resolved = resolve(given(options), os.environ, Path.cwd())
    origins, texts = edited_files(edits, resolved.settings)
    try:
        worlds = _worlds(resolved.settings, tasks, parts, split, own["seed"])
    except BenchmarkError as error:
        raise refused(error) from error
    values = own | {
        "loop": new_run_id("improve"),
        "settings": resolved.settings.model_dump(mode="json"),
        "sources": resolved.sources,
        "origins": origins,
        "texts": texts,
        **dict(zip(PARTS, worlds, strict=True)),
    }
    plan = LoopOpened.model_validate(values)
    loop = Loop(Path(resolved.settings.runs_dir) / plan.loop)
    raise SystemExit(_work(loop, plan, resolved.settings, quiet=quiet, as_json=as_json))


def _worlds(
    settings: RunSettings, names: tuple[str, ...], parts: list[str], split: str | None, seed: int
) -> list[list[Instance]]:
    """Return the instances of the three parts, which share no world. Raises `UsageError` and `BenchmarkError`."""
    if split and any(parts):
        msg = "--split divides the tasks by itself: leave out --train, --check and --final"
        raise UsageError(msg)
    with RunResources(RunSpec(settings), works=False) as resources:
        description = resources.describe()
        # What tasks ask under two seeds, and under the run's own.
        one, other, own = (
            {
                head.task_id: head.preview
                for head in resources.benchmark.describe(preview_seed=number).tasks
            }
            for number in (1, 2, settings.seed)
        )

    def tasks_of(names: Sequence[str]) -> list[str]:
        selection = TaskSelection(tuple(map(str.strip, names)))
        return [one.task_id for one in selection.tries(selection.task_ids(description))]

    if not (listed := tasks_of(names)):
        msg = f"{description.name} lists no tasks, so no worlds can be set apart"
        raise UsageError(msg)
    steady = {task: text for task, text in one.items() if text and text == other[task]}
    if split or (not any(parts) and not steady.keys().isdisjoint(listed)):
        tasks = [*listed, *tasks_of(())]
        distinct = {
            own.get(task) or task: task for task in reversed(tasks)
        }.values()  # of those that ask the same, one
        named, rest = (
            [task for task in distinct if (task in listed) is is_named]
            for is_named in (True, False)
        )
        if split or len(rest) < 2:
            groups = split_tasks(named, split or SPLIT, seed)
        else:
            random.Random(seed).shuffle(rest)
            groups = [
                named,
                rest[::2],
                rest[1::2],
            ]  # Tasks that were named are those to learn from.
        return [[(0, task) for task in group] for group in groups]
    numbers = [_numbers(part or default) for part, default in zip(parts, NUMBERS, strict=True)]
    if all(numbers):
        worlds = [
            [(number, listed[at % len(listed)]) for at, number in enumerate(group)]
            for group in numbers
        ]
    else:
        chosen = [tasks_of(part.split(",")) if part else [] for part in parts]
        worlds = [[(0, task) for task in group if task in listed] for group in chosen]
    if not all(worlds):
        msg = "name the tasks of all three parts: --train, --check and --final"
        raise UsageError(msg)
    # Parts are told apart by what is asked, where that is known, else by number or name.
    owners: dict[int | str, str] = {}
    for part, group in zip(PARTS, worlds, strict=True):
        for number, task in group:
            key = steady.get(task) or (number if all(numbers) else own.get(task) or task)
            if (owner := owners.setdefault(key, part)) != part:
                hint = (
                    "; numbers change nothing here: name tasks, or --split them"
                    if task in steady
                    else ""
                )
                msg = f"--{owner} and --{part} share {key}: a result on them proves nothing{hint}"
                raise UsageError(msg)
    return worlds


def _numbers(part: str) -> list[int]:
    """Return the numbers in a text such as `1-20,25`, each once; none if it names tasks."""
    if not re2.fullmatch(r"\d+(-\d+)?(,\d+(-\d+)?)*", encodable(part)):
        return []
    spans = [span.partition("-") for span in part.split(",")]
    return list(
        dict.fromkeys(
            n for first, _, last in spans for n in range(int(first), int(last or first) + 1)
        )
    )


def split_tasks(tasks: Sequence[str], split: str, seed: int) -> list[list[str]]:
    """Return the tasks in three parts of these shares in per cent, shuffled by the seed. Raises `UsageError`."""
    shares = [int(share) if share.isdecimal() else 0 for share in split.split("/")]
    order = random.Random(seed).sample(list(tasks), len(tasks))
    ends = [round(len(order) * sum(shares[:at]) / 100) for at in range(len(shares) + 1)]
    parts = [order[start:end] for start, end in pairwise(ends)]
    if len(shares) != 3 or sum(shares) != 100 or not all(parts):
        msg = f"{len(order)} tasks cannot be split {split}: name three shares such as 50/25/25; no part may be empty"
        raise UsageError(msg)
    return parts


def resume_loop(path: Path, limits: Mapping[str, Any], *, quiet: bool, as_json: bool) -> int:
    """Go on with the loop of a record; `limits` are new ones, or None. Return the exit code."""
    loop = Loop(path.parent)
    changes = {
        name: value
        for name, value in limits.items()
        if value or (name in LIMITS and value is not None)
    }
    if others := changes.keys() - {*LIMITS}:
        msg = f"--{min(others).replace('_', '-')}: a loop goes on with its own settings; only its limits can change"
        raise UsageError(msg)
    settings = RunSettings.model_validate(loop.plan.settings | changes)
    return _work(loop, None, settings, quiet=quiet, as_json=as_json)


def _work(
    loop: Loop, opened: LoopOpened | None, settings: RunSettings, *, quiet: bool, as_json: bool
) -> int:
    """Play the loop to its end, print its result, and return the exit code."""
    loop.settings, loop.tell = (
        settings,
        (lambda line: None) if quiet or as_json else partial(say, err=True),
    )
    with ExitStack() as stack:
        loop.proposer = _proposer((opened or loop.plan).proposer, settings, stack)
        stack.enter_context(loop.writing(opened))
        plan = loop.plan
        loop.conduct_run = partial(_conduct_run, plan.sources)
        parts = (
            f"{len(plan.train)} train, {len(plan.check)} check and {len(plan.final)} final worlds"
        )
        loop.tell(f"loop {plan.loop}: {parts}")
        try:
            end = loop.run()
        except (BudgetExhausted, Interrupted, KeyboardInterrupt) as error:
            again = invocation("resume", plan.loop)
            why = str(error) or "interrupted"
            say(
                f"{why}; best so far: {loop.best()}, on the check worlds; continue with: {again}",
                err=True,
            )
            return (
                error.exit_code if isinstance(error, ControlPlaneError) else Interrupted.exit_code
            )
    print_loop(loop, as_json=as_json)
    return 0 if end.is_better else 1


def print_loop(loop: Loop, *, as_json: bool) -> None:
    """Print the result of a loop, or how far it is."""
    plan, end, refused = loop.plan, loop.end, sum(bool(line.refused) for line in loop.proposals)
    ways: tuple[str, ...] = ()
    if end is None:
        text, ways = (
            f"not ended; {count_text(len(loop.kept()), 'candidate')} on the check worlds so far",
            ("resume",),
        )
        end = LoopEnded(best=loop.best(), is_better=False, text=text)
    elif end.is_better:
        text, ways = end.text, ("improve", "apply")
    else:
        text = f"not better: {end.text}"
    if as_json:
        result = {"loop": plan.loop, "best": end.best, "is_better": end.is_better, "text": end.text}
        print(
            json.dumps(
                result | {"refused": refused, "folder": str(loop.folder)}, ensure_ascii=False
            )
        )
        return
    say(text)
    say(f"candidates  {loop.folder / 'candidates'} ({refused} proposals refused)")
    if ways:
        say(f"next        {invocation(*ways, plan.loop)}")


def _conduct_run(
    sources: Mapping[str, str], settings: RunSettings, tries: tuple[TaskTry, ...], path: Path
) -> None:
    """Begin or continue a run, and play it to its end."""
    fresh = NewRun(RunSpec(settings), sources, tries=tries, run_id=path.stem)
    with continued_run(fresh) as run:
        code = conduct(run, SILENT)
    ends = {error.exit_code: error for error in (Interrupted, BudgetExhausted)}
    if code in ends or not run.summary.submitted:
        raise ends.get(code, ControlPlaneError)(
            run.summary.error or f"the run {path.stem} did not end"
        )
    if run.controls.interrupted.is_set():  # as its last trials ended
        raise Interrupted


def _proposer(name: str, settings: RunSettings, stack: ExitStack) -> Proposer:
    """Return the proposer that `--with` names. Raises `UsageError`."""
    if name.startswith(COMMAND):
        with as_usage_error(f"--with {name}", ValueError):
            words = shlex.split(name.removeprefix(COMMAND))
        if not words:
            msg = "--with command: needs a program, as in --with 'command:agent --yes'"
            raise UsageError(msg)
        ends_at = time.monotonic() + settings.run_time if settings.run_time else math.inf
        return partial(run_program, words, ends_at)
    # The playing model proposes at its own endpoint, another one where the user's settings say.
    own = (
        settings
        if name == settings.model
        else resolve({"model": name}, os.environ, Path.cwd()).settings
    )
    return partial(ask_model, stack.enter_context(opened_model(own)))


@improve_command.command("apply")
@click.argument("loop", metavar="LOOP")
@click.option(
    "--to", "folder", type=click.Path(path_type=Path), help="Write the files below this folder."
)
@click.option("--yes", is_flag=True, help="Do not ask.")
@RUNS_DIR
def apply_command(loop: str, *, folder: Path | None, yes: bool, runs_dir: str | None) -> None:
    """Write the files of a loop's best candidate, after showing the diff."""
    record = Loop(find_journal(loop, runs_dir, runs=False, loops=True).parent)
    plan, end = record.plan, record.end
    if end is None:
        msg = (
            f"the loop {plan.loop} has not ended; continue with: {invocation('resume', plan.loop)}"
        )
        raise UsageError(msg)
    texts = record.candidates[end.best]
    changed = {name: text for name, text in texts.items() if text != plan.texts[name]}
    if not changed:
        say("the best candidate is the original: there is nothing to write")
        return
    changes = dict[str, FileChange]()
    for name, text in changed.items():
        place = folder / name if folder else _place(name, plan.origins[name])
        change = changes[name] = FileChange.of(place.parent, place.name, text)
        if change.before is not None and plain_text(change.before) != (
            text if folder else plan.texts[name]
        ):
            what = "is another file" if folder else "has changed since the loop began"
            msg = f"{place} {what}; write elsewhere with --to"
            raise UsageError(msg)
        say(file_diff(str(place), change).text, is_styled=True)
    if not yes and not (sys.stdin.isatty() and click.confirm("Write these files?")):
        msg = "nothing was written; not a terminal: pass --yes"
        raise UsageError(msg)
    for change in changes.values():
        change.place.parent.mkdir(parents=True, exist_ok=True)
    make_changes(changes, record.folder / "replaced")
    for change in changes.values():
        say(f"wrote {change.place}")


def _place(name: str, origin: str) -> Path:
    if not origin or (name.startswith(f"{PROMPTS}/") and Path(origin).is_relative_to(FOLDER)):
        own = HINTS if name == HINTS else "a folder for --prompt"
        msg = f"{name} has no file of yours to write to: name {own} with --to DIR"
        raise UsageError(msg)
    return Path(origin)
