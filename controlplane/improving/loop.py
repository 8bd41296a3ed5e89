"""An improvement loop: it looks for better texts of an agent, such as its prompts.

A loop plays versions of the texts, called candidates, and asks a proposer for changes.
At its end, the best candidate is compared with the original in worlds that no candidate
has played (the proof). A loop that was cut off can be continued.
"""

from __future__ import annotations

import math
import os
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from controlplane.agent.loop import FOLDER
from controlplane.benchmark import BenchmarkError, TaskTry
from controlplane.configuration.named_modules import as_command_error
from controlplane.configuration.run_settings import RunSettings
from controlplane.configuration.setting_sources import Resolved, resolve
from controlplane.errors import (
    BudgetExhausted,
    ControlPlaneError,
    Interrupted,
    UsageError,
    as_usage_error,
    invocation,
)
from controlplane.file_changes.file_change import FileChange
from controlplane.improving.candidate_player import CandidatePlayer
from controlplane.improving.candidates import (
    HINTS,
    PROMPTS,
    edited_files,
    plain_text,
)
from controlplane.improving.loop_budget import LIMITS, LoopBudget
from controlplane.improving.loop_lines import LoopEnded, LoopOpened
from controlplane.improving.loop_record import LoopRecord
from controlplane.improving.proof import proved
from controlplane.improving.proposals import Proposals
from controlplane.improving.proposers import (
    COMMAND,
    ModelProposer,
    ProgramProposer,
    Proposer,
)
from controlplane.improving.search import search
from controlplane.improving.search_progress import SearchProgress
from controlplane.improving.world_split import SplitRequest, split_worlds
from controlplane.journal.journal_files import new_run_id
from controlplane.lifecycle.conducting import RunScreen, conduct
from controlplane.lifecycle.new_run import NewRun, continued_run
from controlplane.lifecycle.resources.run_models import opened_model
from controlplane.lifecycle.resources.run_spec import RunSpec
from controlplane.view.answer.file_diff import file_diff


@dataclass(frozen=True, slots=True)
class LoopOptions:
    """The options of a new loop, besides the settings of its runs."""

    proposer: str
    """A model's name, or `command:` and a program."""
    edits: tuple[str, ...]
    """The files that may change; empty for prompt texts and hints."""
    worlds: SplitRequest
    """How the worlds are divided: to learn from, to check changes on, and for the proof."""
    proposals: int
    """The largest number of proposals."""
    batch: int
    """The number of trials that a proposer sees before it proposes a change."""
    seed: int


def plan_loop(options: LoopOptions, resolved: Resolved) -> LoopOpened:
    """Return the plan of a new loop. Raises `UsageError`."""
    files = edited_files(options.edits, resolved.settings)
    try:
        train, check, final = split_worlds(resolved.settings, options.worlds)
    except BenchmarkError as error:
        raise as_command_error(error) from error
    return LoopOpened(
        loop=new_run_id("improve"),
        settings=resolved.settings.model_dump(mode="json"),
        sources=dict(resolved.sources),
        origins=dict(files.origins),
        texts=dict(files.texts),
        proposer=options.proposer,
        train=tuple(train),
        check=tuple(check),
        final=tuple(final),
        proposals=options.proposals,
        batch=options.batch,
        seed=options.seed,
    )


def play_loop(
    record: LoopRecord,
    new_plan: LoopOpened | None,
    settings: RunSettings,
    *,
    screen: RunScreen,
    tell: Callable[[str], None],
) -> LoopEnded:
    """Play a loop to its end, and return its result.

    - `new_plan`: the plan of a new loop. None: continue the loop of the record.
    - `settings`: those of the candidates' runs, with the loop's limits.

    Raises `UsageError`, `BudgetExhausted`, `Interrupted`, and the errors of runs and of
    the proposer. The record keeps what was played and proposed until then.
    """
    plan = new_plan or record.plan
    budget = LoopBudget(record, settings)
    with ExitStack() as stack:
        proposer = _open_proposer(plan.proposer, settings, stack)
        stack.enter_context(record.writing(new_plan))
        tell(
            f"loop {plan.loop}: {len(plan.train)} train, {len(plan.check)} check and "
            f"{len(plan.final)} final worlds"
        )
        if record.end is None:
            conduct_run = CandidateRuns(plan.sources, screen)
            player = CandidatePlayer(record, settings, budget, conduct_run)
            proposals = Proposals(record, proposer)
            progress = SearchProgress(record, budget, tell)
            search(record, player, proposals, budget, progress)
            record.append(proved(record, player))
    assert record.end is not None
    return record.end


class CandidateRuns:
    """Conducts the runs of candidates."""

    def __init__(self, sources: Mapping[str, str], screen: RunScreen) -> None:
        """`sources` says where each setting comes from, for messages about a wrong one."""
        self._sources = sources
        self._screen = screen

    def __call__(
        self, settings: RunSettings, tries: tuple[TaskTry, ...], journal: Path
    ) -> None:
        """Begin or continue a run, and play it to its end.

        Raises `ControlPlaneError` if it does not end.
        """
        plan = NewRun(
            RunSpec(settings), self._sources, tries=tries, run_id=journal.stem
        )
        with continued_run(plan) as run:
            code = conduct(run, self._screen)
        # `conduct` has reported the run's error, and returns only its exit code. The
        # loop has to end with the same error.
        reason = run.summary.process.error or f"the run {journal.stem} did not end"
        if code == Interrupted.exit_code:
            raise Interrupted(reason)
        if code == BudgetExhausted.exit_code:
            raise BudgetExhausted(reason)
        if not run.summary.submitted:
            raise ControlPlaneError(reason)
        # If the user interrupts a run while its last trials end, the run is complete, but
        # the loop still has to stop.
        if run.controls.interrupted.is_set():
            raise Interrupted


def _open_proposer(name: str, settings: RunSettings, stack: ExitStack) -> Proposer:
    """Return the proposer that `--with` names. Raises `UsageError`."""
    if name.startswith(COMMAND):
        with as_usage_error(f"--with {name}", ValueError):
            words = shlex.split(name.removeprefix(COMMAND))
        if not words:
            msg = "--with command: needs a program, as in --with 'command:agent --yes'"
            raise UsageError(msg)
        ends_at = math.inf
        if settings.run_time:
            ends_at = time.monotonic() + settings.run_time
        return ProgramProposer(words, ends_at)

    # If the model also plays the candidates, its endpoint is in the loop's settings.
    # Those of another model come from the user's configuration.
    model_settings = settings
    if name != settings.model:
        model_settings = resolve({"model": name}, os.environ, Path.cwd()).settings
    return ModelProposer(stack.enter_context(opened_model(model_settings)))


def continued_settings(record: LoopRecord, changes: Mapping[str, Any]) -> RunSettings:
    """Return the settings with which a loop continues: its own ones, with new limits.

    Raises `UsageError` for any other change.
    """
    for name in changes:
        if name not in LIMITS:
            msg = (
                f"--{name.replace('_', '-')}: a loop goes on with its own settings; "
                "only its limits can change"
            )
            raise UsageError(msg)
    return RunSettings.model_validate(record.plan.settings | dict(changes))


# Taking the result


def best_changes(record: LoopRecord, folder: Path | None) -> dict[str, FileChange]:
    """Return the changes that write the best candidate's files, by the files' names.

    They replace the originals or, if a `folder` is given, are written below it.

    Raises `FileChangedSince` if an original has changed since the loop began, or the
    folder has another file of that name. Raises `UsageError` if the loop has not ended,
    or there is no original to replace.
    """
    plan = record.plan
    if record.end is None:
        resume = invocation("resume", plan.loop)
        msg = f"the loop {plan.loop} has not ended; continue with: {resume}"
        raise UsageError(msg)

    changes = {}
    for name, text in record.candidates[record.end.best].items():
        if text == plan.texts[name]:
            continue
        if folder is None:
            place = _place_of(name, plan.origins[name])
            change = FileChange.of(place.parent, place.name, text)
            if change.old_bytes is not None:
                _check_original(place, change.old_bytes, plan.texts[name])
        else:
            place = folder / name
            change = FileChange.of(place.parent, place.name, text)
            is_other_file = (
                change.old_bytes is not None and plain_text(change.old_bytes) != text
            )
            if is_other_file:
                msg = f"{place} is another file; write elsewhere with --to"
                raise FileChangedSince(msg)
        changes[name] = change
    return changes


def _place_of(name: str, origin: str) -> Path:
    """Return the path of the user's file to which a changed text is written: its `origin`.

    Raises `UsageError` if that is a file of the product, or if there was no such file.
    """
    is_ours = name.startswith(f"{PROMPTS}/") and Path(origin).is_relative_to(FOLDER)
    if not origin or is_ours:
        target = HINTS if name == HINTS else "a folder for --prompt"
        msg = f"{name} has no file of yours to write to: name {target} with --to DIR"
        raise UsageError(msg)
    return Path(origin)


class FileChangedSince(UsageError):
    """A file that the best candidate would replace has changed since the loop began."""

    diff: str = ""
    """The file's changes since the loop began; empty if the loop never read the file."""


def _check_original(place: Path, data: bytes, text_then: str) -> None:
    """Raise `FileChangedSince` if the `data` of a file is no longer the text that the loop read."""
    text_now = plain_text(data)
    if text_now == text_then:
        return
    error = FileChangedSince(
        f"{place} has changed since the loop began; write elsewhere with --to"
    )
    change_since = FileChange(
        place,
        root=place.parent,
        old_bytes=text_then.encode(),
        mode=0,
        new_text=text_now,
    )
    error.diff = file_diff(str(place), change_since).text
    raise error


def parse_parts(parts: Sequence[str | None]) -> tuple[str, str, str]:
    """Return the values of --train, --check and --final; an option that is not given is empty."""
    train, check, final = (part or "" for part in parts)
    return train, check, final
