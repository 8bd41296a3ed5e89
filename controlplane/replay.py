"""Reads trials out of a journal, and runs them again exactly."""

from __future__ import annotations

import gc
import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from agent.exit import GateSettings
from agent.rerun import Difference, Recording, RerunSettings, rerun
from controlplane.errors import ReplayDiverged, UsageError
from controlplane.history import TrialRecord, records_of
from controlplane.journal.events import JournalEvent, RunOpened, RunResumed, RunStarted, Setting, Versions
from controlplane.journal.reader import Chain, read_events
from controlplane.loading import load_packs, nearest
from controlplane.settings import RECORDED, RunSettings
from controlplane.summary import RunSummary
from controlplane.surface_text import surface_from_text
from controlplane.versions import gates_digest
from controlplane.workshop import loop_settings, parse_gates
from sandbox import ForkServer, parse_walls

EVENTS_BETWEEN_LOOKS: Final = 500
"""Events that are read before it is told again how far reading is."""


@dataclass(slots=True)
class JournalContent:
    """A whole journal, read and checked."""

    path: Path
    opened: RunOpened
    records: dict[str, TrialRecord]
    summary: RunSummary
    chain: Chain = field(default_factory=Chain)
    versions: tuple[Versions, ...] = ()
    """What ran it, first and after each resumption."""

    def setting(self, name: str) -> object:
        """Return the recorded value of a setting; None where it has none."""
        found: Setting | None = next((each for each in self.opened.settings if each.name == name), None)
        return found.value if found else None

    def find_trial(self, name: str) -> str:
        """Return the id of the trial that `name` means: an id, a task id, or a unique beginning of one of either."""
        ids = list(self.summary.trials)
        exact = [each for each in ids if name in (each, self.summary.trials[each].task_id)]
        starts = [each for each in ids if each.startswith(name) or self.summary.trials[each].task_id.startswith(name)]
        fitting = exact or starts
        if len(fitting) == 1 or (fitting and exact):
            return fitting[0]
        if fitting:
            msg = f"{name!r} fits several trials: {', '.join(fitting[:8])}"
            raise UsageError(msg)
        tasks = [self.summary.trials[each].task_id for each in ids]
        msg = f"no trial {name!r} in {self.path.stem}{nearest(name, tasks)}"
        raise UsageError(msg)


def read_journal(
    path: Path, on_progress: Callable[[int, int], None] = lambda done, total: None, *, only: str = ""
) -> JournalContent:
    """Read a whole journal, telling how many of its bytes are read. Raises `NotAJournal`, `JournalDamaged`.

    Where `only` is the id or the task's id of one trial, what happened in the others is left out.
    """
    chain, summary, events = Chain(), RunSummary(), list[JournalEvent]()
    with _without_collector():
        for event in read_events(path, chain):
            summary.fold(event)
            events.append(event)
            if isinstance(event, RunStarted) and only:
                meant = [each.trial_id for each in event.trials if only in (each.trial_id, each.task_id)]
                chain.only = meant[0] if len(meant) == 1 else ""
            if len(events) % EVENTS_BETWEEN_LOOKS == 0:
                on_progress(chain.length, path.stat().st_size)
    opened = events[0]
    assert isinstance(opened, RunOpened)
    versions = tuple(each.versions for each in events if isinstance(each, RunOpened | RunResumed))
    return JournalContent(path, opened, records_of(events), summary, chain, versions)


@contextmanager
def _without_collector() -> Iterator[None]:
    """Keep Python from looking for garbage: all that is read stays, and looking through it takes as long as reading."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def settings_of(content: JournalContent) -> RunSettings:
    """Return the settings that a journal's run was started with. Raises `UsageError` where they no longer hold."""
    values = {each.name: each.value for each in content.opened.settings if each.name in RunSettings.model_fields}
    try:
        return RunSettings.model_validate(values, context=RECORDED)
    except ValidationError as error:
        name = error.errors()[0]["loc"][0]
        msg = f"{content.path} was recorded with a {name} that this version does not take; start a new run"
        raise UsageError(msg) from error


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
