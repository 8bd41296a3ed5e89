"""`controlplane improve`: finds better texts for an agent.

The agent's failures show what to change. Worlds that it never saw prove the result.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import click

from controlplane.commands.arguments.options import AS_JSON, QUIET, RUNS_DIR
from controlplane.commands.arguments.setting_options import (
    given_options,
    settings_options,
)
from controlplane.configuration.model_settings import Use
from controlplane.configuration.run_names import find_journal
from controlplane.configuration.run_settings import RunSettings, settings_with
from controlplane.configuration.setting_sources import resolve
from controlplane.errors import (
    BudgetExhausted,
    ChangesProposed,
    Interrupted,
)
from controlplane.file_changes import make_changes
from controlplane.improving.loop import play_loop
from controlplane.improving.loop_plan import (
    LoopOptions,
    continued_settings,
    plan_loop,
)
from controlplane.improving.loop_record import (
    FileChangedSince,
    LoopEnded,
    LoopOpened,
    LoopRecord,
    best_changes,
)
from controlplane.program_invocation import invocation
from controlplane.quantity_texts import count_text
from controlplane.terminal_text import say
from controlplane.view.answer.file_diff import file_diff
from controlplane.view.progress import SILENT

_SETTINGS_OF_THE_LOOP: Final = frozenset({"limit", "repeats", "worlds", "name", "seed"})
"""Settings of a run that the loop chooses for each of its runs. The user cannot give them."""
_SETTINGS_OF_THE_USER: Final = [
    name
    for name in RunSettings.model_fields
    if name not in _SETTINGS_OF_THE_LOOP and name not in settings_with(Use.NO_FLAG)
]


class _Commands(click.Group):
    """Lets the user leave out the name of the command `play`.

    `improve --with MODEL` means `improve play --with MODEL`.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        names_command = bool(args) and args[0] in (*self.commands, "-h", "--help")
        if args and not names_command:
            args = ["play", *args]
        return super().parse_args(ctx, args)


@click.group("improve", cls=_Commands)
def improve_command() -> None:
    """Find better prompts, hints or modules for an agent on its own failures, and prove
    them on unseen worlds.

    `improve [TASK]... --with MODEL` plays a loop (`improve play --help`). `resume` and
    `report` take its id as a run's.
    """


@improve_command.command("play")
@click.argument("tasks", nargs=-1, metavar="[TASK]...")
@click.option(
    "--with",
    "proposer",
    required=True,
    metavar="MODEL|command:CMD",
    help="Who proposes changes.",
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
    "--check",
    metavar="WORLDS|TASKS",
    help="Worlds that decide what is kept.  [default: 101-140]",
)
@click.option(
    "--final",
    metavar="WORLDS|TASKS",
    help="Worlds that are played once, at the end.  [default: 201-260]",
)
@click.option(
    "--split",
    metavar="A/B/C",
    help="Split the tasks by these shares in per cent, not by worlds.",
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
@settings_options(*_SETTINGS_OF_THE_USER)
@QUIET
@AS_JSON
def play_command(
    tasks: tuple[str, ...],
    *,
    proposer: str,
    edits: tuple[str, ...],
    train: str | None,
    check: str | None,
    final: str | None,
    split: str | None,
    proposals: int,
    batch: int,
    seed: int,
    quiet: bool,
    as_json: bool,
    **settings: Any,
) -> None:
    """Play a loop: propose changes on failures, keep what is better on other worlds,
    prove the best on a third set.

    --train, --check and --final are names of tasks, or numbers of worlds (1-20; each
    plays the next task); they share no world. Where numbers change nothing, named TASKs
    are those to learn from, and the others decide; without names, --split 40/30/30
    holds. Limits (--run-cost, --run-time, --run-tokens) hold for the whole loop,
    proposals included. The exit code is 0 if the result is better beyond chance, else
    1.
    """
    resolved = resolve(given_options(settings), os.environ, Path.cwd())
    options = LoopOptions(
        proposer,
        edits,
        tasks,
        parts=(train or "", check or "", final or ""),
        split=split or "",
        proposals=proposals,
        batch=batch,
        seed=seed,
    )
    plan = plan_loop(options, resolved)
    record = LoopRecord(Path(resolved.settings.runs_dir) / plan.loop)
    code = _play(record, resolved.settings, new_plan=plan, quiet=quiet, as_json=as_json)
    raise SystemExit(code)


def resume_loop(
    path: Path, changes: Mapping[str, Any], *, quiet: bool, as_json: bool
) -> int:
    """Go on with the loop of a record, with new limits. Return the exit code."""
    record = LoopRecord(path.parent)
    settings = continued_settings(record, changes)
    return _play(record, settings, new_plan=None, quiet=quiet, as_json=as_json)


def _play(
    record: LoopRecord,
    settings: RunSettings,
    *,
    new_plan: LoopOpened | None,
    quiet: bool,
    as_json: bool,
) -> int:
    """Play the loop to its end, print its result, and return the exit code.

    `new_plan` is the plan of a loop that starts now. None continues by the plan in the
    record.
    """
    tell = _say_nothing if quiet or as_json else _say_on_stderr
    try:
        end = play_loop(record, new_plan, settings, screen=SILENT, tell=tell)
    except (BudgetExhausted, Interrupted) as error:
        _say_unfinished(record, str(error))
        return error.exit_code
    except KeyboardInterrupt as error:
        _say_unfinished(record, str(error))
        return Interrupted.exit_code
    print_loop(record, as_json=as_json)
    return 0 if end.is_better else 1


def _say_on_stderr(line: str) -> None:
    say(line, err=True)


def _say_nothing(line: str) -> None:
    del line


# What is printed about a loop of `improve`: its result, or how far it is, and what to do next.
#
# A loop proposes changed texts for an agent (candidates), plays them, and keeps the best.


def _say_unfinished(record: LoopRecord, reason: str) -> None:
    """Say why the loop stopped before its end, the best candidate so far, and how to continue."""
    resume = invocation("resume", record.plan.loop)
    say(
        f"{reason or 'interrupted'}; best so far: {record.best()}, on the check worlds; "
        f"continue with: {resume}",
        err=True,
    )


def print_loop(record: LoopRecord, *, as_json: bool) -> None:
    """Print the result of a loop, or how far it is: `better: +0.12 …`, and the next command.

    A loop that has ended with a better candidate can be applied, and one that has not ended resumed.
    """
    plan = record.plan
    refused = sum(1 for proposal in record.proposals if proposal.refused)
    next_command: tuple[str, ...] = ()
    if record.end is None:
        # Candidates in `checked` have played the check worlds, which decide about the best.
        candidates = count_text(len(record.checked()), "candidate")
        text = f"not ended; {candidates} on the check worlds so far"
        end = LoopEnded(best=record.best(), is_better=False, text=text)
        next_command = ("resume", plan.loop)
    else:
        end = record.end
        text = end.text if end.is_better else f"not better: {end.text}"
        if end.is_better:
            next_command = ("improve", "apply", plan.loop)

    if as_json:
        result = {
            "loop": plan.loop,
            "best": end.best,
            "is_better": end.is_better,
            "text": end.text,
            "refused": refused,
            "folder": str(record.folder),
        }
        print(json.dumps(result, ensure_ascii=False))
        return
    say(text)
    say(
        f"candidates  {record.folder / 'candidates'} ({count_text(refused, 'proposal')} refused)"
    )
    if next_command:
        say(f"next        {invocation(*next_command)}")


# `controlplane improve apply`: write the files of the best candidate.


@improve_command.command("apply")
@click.argument("loop", metavar="LOOP")
@click.option(
    "--to",
    "folder",
    type=click.Path(path_type=Path),
    help="Write the files below this folder.",
)
@click.option(
    "--apply", "applies", is_flag=True, help="Write the files without asking."
)
@RUNS_DIR
def apply_command(
    loop: str, *, folder: Path | None, applies: bool, runs_dir: str | None
) -> None:
    """Write the files of a loop's best candidate, after showing the diff."""
    # Only a loop has candidates.
    path = find_journal(loop, runs_dir, runs=False, loops=True)
    record = LoopRecord(path.parent)
    try:
        changes = best_changes(record, folder)
    except FileChangedSince as error:
        if error.diff:  # What somebody else changed in the file since the loop began.
            say(error.diff, is_styled=True, err=True)
        raise
    if not changes:
        say("the best candidate is the original: there is nothing to write")
        return

    for change in changes.values():
        say(file_diff(str(change.place), change).text, is_styled=True)
    if not applies:
        if not sys.stdin.isatty():
            msg = (
                "proposed; nothing is written; --apply writes the files without asking"
            )
            raise ChangesProposed(msg)
        if not click.confirm("Write these files?"):
            say("nothing is written")
            return
    for change in changes.values():
        change.place.parent.mkdir(parents=True, exist_ok=True)
    make_changes(changes, record.folder / "replaced")
    for change in changes.values():
        say(f"wrote {change.place}")
