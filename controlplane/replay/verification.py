"""Reads trials from a journal, and runs them again exactly."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.evidence import Difference
from agent.loop import Recording, RerunSettings, ResumeState, TrialContext, rerun
from agent.submission import GateSettings, judging_modules
from controlplane.configuration.named_modules import current_versions
from controlplane.configuration.recorded_settings import packs_here, rerun_settings_here
from controlplane.configuration.setting_sources import resolve
from controlplane.configuration.trial_settings import check_walls, gate_policy, loop_settings
from controlplane.errors import JournalDamaged, ReplayDiverged
from controlplane.journal.journal_content import Journal, RecordedTrial
from controlplane.journal.run_events import surface_from_text
from controlplane.replay.implied_lines import contradiction_of_run, contradictions
from sandbox import ALL_WALLS, Ending, ForkServer, Wall


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of a verification."""

    trials: int
    steps: int
    left_out: tuple[str, ...]
    """Parts that were not compared, with reasons."""
    other_versions: tuple[str, ...]
    """Names of parts with another version than recorded: `gates`, `evidence`, `sandbox`."""
    differences: tuple[str, ...]
    """One line for each step that differs under other versions."""


def verify(
    journal: Journal,
    trials: Sequence[str],
    on_progress: Callable[[int, int], None] = lambda done, total: None,
    *,
    walls: frozenset[Wall] = ALL_WALLS,
    accepted: Collection[str] = (),
) -> Verification:
    """Run `trials` again behind `walls`; compare everything, and check their lines for contradictions.

    `packs_here` defines `accepted`. Raises `UsageError` if one of `walls` does not work, `JournalDamaged` if this user
    wrote the journal and somebody has changed it since, and `ReplayDiverged` at the first difference; under other
    versions than recorded, differences of the scripts are collected instead.
    """
    packs = packs_here(journal, accepted)
    here = platform.python_version()
    # Recorded versions of Python that differ from this one by more than bug fixes.
    others = ", ".join(sorted({found.python for found in journal.versions if _minor(found.python) != _minor(here)}))
    versions = other_versions(journal)
    settings = _rerun_settings(journal, walls, compare_errors=not others)
    steps = unended = 0
    differences = []
    with ForkServer(judging_modules(packs)) as server:
        for number, trial_id in enumerate(trials):
            recording = recording_of(journal.trials[trial_id], server, walls)
            record = recording.record if recording else ResumeState()
            unended += sum(step.ending in (Ending.LIMIT, Ending.KILLED) for step in record.steps) + bool(record.pending)
            for difference in rerun(recording, server, settings) if recording else ():
                steps += 1
                if difference is not None:
                    then, now = _cut_to_difference(difference)
                    place = f"trial {trial_id}, step {difference.step}, {difference.field}"
                    differences.append(f"{place}: recorded {then!r}, now {now!r}")
                    if not versions:
                        prints = f"and what this one ({here}) prints can differ: replay it there"
                        hint = f"; it was recorded under Python {others}, {prints}" if others else ""
                        raise ReplayDiverged(differences[0] + hint)
            for found in contradictions(journal.trials[trial_id]):
                raise ReplayDiverged(_contradiction_text(f"trial {trial_id}", found))
            on_progress(number + 1, len(trials))
    if (of_run := contradiction_of_run(journal)) is not None:
        raise ReplayDiverged(_contradiction_text(journal.run, of_run))
    if line := journal.index.foreign_line:
        msg = f"{journal.path} was rewritten: you wrote its beginning, and line {line} does not have your mark"
        raise JournalDamaged(msg)
    left_out = [f"error texts (recorded under Python {others})"] if others else []
    left_out += [f"{unended} of the steps, which a wall ended or which were cut off"] if unended else []
    if journal.is_own and (rest := journal.index.chain.lines - journal.index.marked_lines):
        left_out.append(f"whether the last {rest} of the lines are yours, behind the last mark")
    return Verification(len(trials), steps, tuple(left_out), versions, tuple(differences))


def recording_of(trial: RecordedTrial, server: ForkServer, walls: frozenset[Wall]) -> Recording | None:
    """Return a trial's recording; None for a trial that never started.

    Raises `UsageError` if it holds scripts and one of `walls` does not work.
    """
    record = trial.record
    started, clock = record.started, record.clock
    if started is None or clock is None:
        return None
    if any(step.code for step in record.steps):
        check_walls(server, walls)
    return Recording(
        TrialContext(trial.trial_id, started.task_id, started.instruction, clock, origin=started.origin),
        surface_from_text(started.surface),
        record.resume_state(),
    )


def other_versions(journal: Journal) -> tuple[str, ...]:
    """Return the parts that decide verdicts or outputs of scripts and have another version than recorded."""
    here = current_versions(journal.opened.packs)
    names = ("gates", "evidence", "sandbox")
    return tuple(
        name for name in names if any(getattr(version, name) != getattr(here, name) for version in journal.versions)
    )


def replay_walls(given: str | None = None) -> frozenset[Wall]:
    """Return the walls given, else those of the environment, controlplane.toml, the default. Raises `UsageError`."""
    return loop_settings(resolve({} if given is None else {"walls": given}, os.environ, Path.cwd()).settings).walls


def _rerun_settings(journal: Journal, walls: frozenset[Wall], *, compare_errors: bool) -> RerunSettings:
    settings = rerun_settings_here(journal)
    policy = gate_policy(settings.gates, settings.rules, journal.opened.packs)
    loop, gates = loop_settings(settings), GateSettings(policy, journal.opened.packs)
    if journal.is_own:  # This wall alone shows in results of scripts, so it stays as recorded.
        walls = walls - {Wall.LANGUAGE} | loop.walls & {Wall.LANGUAGE}
    return RerunSettings(gates, loop.limits, walls, compare_errors)


def _minor(version: str) -> list[str]:
    return version.split(".")[:2]


def _contradiction_text(whose: str, found: Difference) -> str:
    where = f", step {found.step}" if found.step else ""
    recorded, implied = _cut_to_difference(found)
    return f"{whose}{where}, {found.field}: recorded {recorded!r}, and its other lines imply {implied!r}"


def _cut_to_difference(found: Difference) -> tuple[str, str]:
    """Return both texts, cut to begin shortly before their first difference."""
    first, second = str(found.recorded), str(found.now)
    at = next((i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second)))
    start = max(at - 30, 0)
    return first[start : start + 160], second[start : start + 160]
