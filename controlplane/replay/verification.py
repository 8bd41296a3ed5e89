"""Reads trials out of a journal, and runs them again exactly."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from agent.loop import Difference, Recording, RerunSettings, rerun
from agent.submission import GateSettings
from controlplane.configuration.installed_versions import gates_digest
from controlplane.configuration.named_modules import load_packs
from controlplane.configuration.trial_settings import loop_settings, parse_gates, settings_of
from controlplane.errors import ReplayDiverged
from controlplane.journal.journal_content import JournalContent
from controlplane.journal.surface_json import surface_from_text
from controlplane.journal.trial_record import TrialRecord
from sandbox import ForkServer, parse_walls


@dataclass(frozen=True, slots=True)
class Verification:
    """What a verification compared."""

    trials: int
    steps: int
    left_out: tuple[str, ...]
    """What was not compared, and why."""


def verify(
    content: JournalContent, trials: Sequence[str], on_progress: Callable[[int, int], None] = lambda done, total: None
) -> Verification:
    """Run `trials` again and compare everything. Raises `ReplayDiverged` at the first difference."""
    others = _other_pythons(content)
    settings, left_out = _rerun_settings(content, others)
    steps = 0
    with ForkServer() as server:
        for number, trial_id in enumerate(trials):
            recording = recording_of(trial_id, content.records.get(trial_id, TrialRecord()))
            for difference in rerun(recording, server, settings) if recording else ():
                if difference is not None:
                    raise ReplayDiverged(_difference_text(trial_id, difference) + _hint(others))
                steps += 1
            on_progress(number + 1, len(trials))
    return Verification(len(trials), steps, left_out)


def recording_of(trial_id: str, record: TrialRecord) -> Recording | None:
    """Return a trial's recording; None for a trial that never started."""
    if record.started is None:
        return None
    return Recording(
        trial_id=trial_id,
        task_id=record.started.task_id,
        instruction=record.started.instruction,
        now=datetime.fromisoformat(record.started.now),
        surface=surface_from_text(record.started.surface),
        opening=record.opening,
        steps=tuple(record.steps),
        answers={step: tuple(each) for step, each in record.answers.items()},
    )


def _rerun_settings(content: JournalContent, others: str) -> tuple[RerunSettings, tuple[str, ...]]:
    left_out = []
    gates_here = gates_digest(content.opened.packs)
    same_gates = all(each.gates == gates_here for each in content.versions)
    if not same_gates:
        left_out.append("verdicts (the gates are not the recorded ones)")
    if others:
        left_out.append(f"error texts (recorded under Python {others})")
    gates = GateSettings(
        switched_on=parse_gates(str(content.setting("gates"))),
        packs=load_packs(content.opened.packs),
    )
    settings = RerunSettings(
        gates=gates,
        walls=parse_walls(str(content.setting("walls") or "all")),
        compare_verdicts=same_gates,
        limits=loop_settings(settings_of(content)).limits,
        compare_errors=not others,
    )
    return settings, tuple(left_out)


def _other_pythons(content: JournalContent) -> str:
    """Return the versions of Python that the run was recorded under and that differ from this one in more than bugs."""
    here = _minor(platform.python_version())
    return ", ".join(sorted({each.python for each in content.versions if _minor(each.python) != here}))


def _hint(others: str) -> str:
    if not others:
        return ""
    here = platform.python_version()
    return f"; it was recorded under Python {others}, and what this one ({here}) prints can differ: replay it there"


def _minor(version: str) -> list[str]:
    return version.split(".")[:2]


def _difference_text(trial_id: str, difference: Difference) -> str:
    recorded, now = _cut_to_difference(str(difference.recorded), str(difference.now))
    return f"trial {trial_id}, step {difference.step}, {difference.field}: recorded {recorded!r}, now {now!r}"


def _cut_to_difference(first: str, second: str) -> tuple[str, str]:
    """Return both texts from shortly before the place where they part."""
    at = next((i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second)))
    start = max(at - 30, 0)
    return first[start : start + 160], second[start : start + 160]
