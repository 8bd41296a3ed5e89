"""Runs trials of a journal again exactly, and compares lines that others imply: steps from replies, the answer sent
from the submissions, and the way in which the trial ended from its answers.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, get_args

from agent.events import AnswerSent, Judged, ModelReplied, StepDone
from agent.evidence import Difference, ResumeState
from agent.loop import Recording, RerunSettings, TrialContext, rerun
from agent.reply import DRAFT, Action, Fault, Unusable, action_of
from agent.submission import GateSettings, judging_modules
from controlplane.configuration.named_modules import current_versions
from controlplane.configuration.setting_sources import resolve
from controlplane.configuration.trial_settings import (
    check_walls,
    gate_policy,
    loop_settings,
    packs_here,
    rerun_settings_here,
)
from controlplane.errors import ReplayDiverged
from controlplane.journal.journal_content import Journal, RecordedTrial, TrialRecord
from controlplane.journal.run_events import JournalEvent, TrialEnded, surface_from_text
from gates.submission import INTERNAL, OUTCOMES
from sandbox import ALL_WALLS, Ending, ForkServer, Wall


def differences_between_lines(trial: RecordedTrial) -> Iterator[Difference]:
    """Yield contradictions between a trial's lines: the recorded value, and the value that other lines imply."""
    record, answers, ended = TrialRecord(), list[AnswerSent](), None
    for event in trial.events():
        record.fold(event)
        if isinstance(event, AnswerSent):
            answers.append(event)
        elif isinstance(event, TrialEnded):
            ended = event
    if trial.journal.setting("agent") in (None, "cited"):
        for before, step in zip((None, *record.steps), record.steps, strict=False):
            yield from _of_replies(step, record.replies.get(step.step, ()), before.scratchpad if before else {})
    judged = [(step.step, one) for step in record.steps for one in step.verdicts]
    judged += [(record.open_step.number, one) for one in record.open_step.submissions]
    for answer in answers:
        yield from _of_fallback(answer, judged) if answer.fallback else _of_answer(answer, judged)
    if ended is not None:
        implied = "unanswered" if not answers else "fallback" if answers[-1].fallback else "answered"
        if ended.how != implied and (record.answer is not None or ended.how != "unanswered"):
            yield Difference(0, "end", ended.how, implied)


def _of_replies(
    step: StepDone, replies: Sequence[ModelReplied], scratchpad: Mapping[str, object]
) -> Iterator[Difference]:
    """Yield what differs from the step's replies; without a script, the scratchpad stays as it was."""
    implied: dict[str, object]
    texts = [(reply.reply, reply.finish_reason) for reply in replies if reply.role == "solve"]
    action = action_of(*texts[-1]) if texts else None
    if isinstance(action, Action) and not (action.state == DRAFT and step.fault == Fault.NO_OBJECT):
        implied = {name: getattr(action, name) for name in ("code", "state", "plan", "done")} | {"fault": ""}
    else:
        implied = {"code": "", "output": "", "ending": "", "scratchpad": scratchpad}
    if isinstance(action, Unusable):  # Earlier versions did not read prose as a draft.
        implied |= {"state": "", "plan": (), "done": False, "fault": action.fault}
    for name, value in implied.items():
        if getattr(step, name) != value:
            yield Difference(step.step, name, getattr(step, name), value)


def _of_answer(answer: AnswerSent, judged: Sequence[tuple[int, Judged]]) -> Iterator[Difference]:
    accepted = next((one for step, one in reversed(judged) if step == answer.step and one.accepted), None)
    if accepted is None:
        yield Difference(answer.step, "answer", answer.message, "no accepted submission")
        return
    pairs = (
        ("answer", answer.message, accepted.answer),
        ("outcome", answer.outcome, accepted.outcome),
        ("citations", answer.refs, accepted.refs),
        ("failed", answer.failed, ()),
    )
    for name, recorded, implied in pairs:
        if recorded != implied:
            yield Difference(answer.step, name, recorded, implied)


def _of_fallback(answer: AnswerSent, judged: Sequence[tuple[int, Judged]]) -> Iterator[Difference]:
    """Yield what differs from the last submission that a fallback may repeat."""
    sendable = (one for _, one in reversed(judged) if one.outcome in {*OUTCOMES} - {INTERNAL} and one.answer.strip())
    last = next(sendable, None)
    if answer.outcome != INTERNAL and (last is None or (answer.message, answer.outcome) != (last.answer, last.outcome)):
        yield Difference(answer.step, "answer", answer.message, last.answer if last else "no submission")
    refs, keys = (last.refs, [verdict.key for verdict in last.rejections]) if last else ((), [])
    if not set(answer.refs) <= set(refs):
        yield Difference(answer.step, "citations", answer.refs, sorted(refs))
    if not set(answer.failed) <= set(keys):
        yield Difference(answer.step, "failed", answer.failed, keys)


COMPARED: Final[Mapping[str, str]] = {
    "answer_sent": "message outcome refs fallback failed",
    "call_done": "operation arguments in_verify",
    "call_sent": "operation arguments in_verify",
    "citation": "citation",
    "step": "state plan done code output error fault ending calls citations scratchpad verdicts",
    "submission_judged": "judged",
    "trial_ended": "how",
}
"""By event, the fields that are computed again: by the scripts, by the gates, or from the trial's other lines. Calls of
turn one, and steps that a wall ended, are not computed again."""
PLACES: Final = frozenset({"type", "at_ms", "trial_id", "step", "number"})
"""Fields that say where an event belongs."""
UNMARKED: Final = (
    "settings, instructions, turn one, system texts, rules, replies, results of calls, feedback, refunds, usage, "
    "costs, times and scores"
)
"""The fields of `only_marked` in words."""


def only_marked() -> dict[str, list[str]]:
    """Return the other fields by event: only the user's mark shows that they are as they were written."""
    fields = {event.model_fields["type"].default: event.model_fields for event in get_args(JournalEvent)}
    left = {kind: [*(names.keys() - PLACES - {*COMPARED.get(kind, "").split()})] for kind, names in fields.items()}
    return {kind: sorted(names) for kind, names in left.items() if names}


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
    unmarked: str
    """The reason why fields that are not computed again are not verified; empty if every line has the user's mark."""


def verify(
    journal: Journal, trials: Sequence[str], *, walls: frozenset[Wall] = ALL_WALLS, is_trusted: bool = False
) -> Verification:
    """Run `trials` again behind `walls` and compare what `COMPARED` names.

    Rules of modules that a journal names are imported if it is this user's own or `is_trusted`. Raises `UsageError` if
    one of `walls` does not work, and `ReplayDiverged` at the first difference; under other versions than recorded,
    differences of the scripts are collected instead.
    """
    packs = packs_here(journal, is_trusted=is_trusted)
    here = platform.python_version()
    # Recorded versions of Python that differ from this one by more than bug fixes.
    others = ", ".join(
        sorted({version.python for version in journal.versions if _minor(version.python) != _minor(here)})
    )
    versions = other_versions(journal, packs)
    settings = _rerun_settings(journal, packs, walls, compare_errors=not others)
    steps = unended = 0
    unverified, differences = list[str](), list[str]()
    with ForkServer(judging_modules(packs)) as server:
        for trial_id in trials:
            recording = recording_of(journal.trials[trial_id], server, walls)
            record = recording.record if recording else ResumeState()
            ended = [step for step in record.steps if step.ending in (Ending.LIMIT, Ending.KILLED)]
            unended += len(ended) + bool(record.pending)
            if any(judged.accepted for step in ended for judged in step.verdicts) and not journal.is_own:
                unverified.append(trial_id)
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
            for difference in differences_between_lines(journal.trials[trial_id]):
                where = f"trial {trial_id}{f', step {difference.step}' if difference.step else ''}, {difference.field}"
                then, now = _cut_to_difference(difference)
                msg = f"{where}: recorded {then!r}, and its other lines imply {now!r}"
                raise ReplayDiverged(msg)
    left_out = [f"error texts (recorded under Python {others})"] if others else []
    left_out += [f"{unended} of the steps, which a wall ended or which were cut off"] if unended else []
    if unverified:
        left_out.append(f"the accepted answers of {', '.join(unverified)}, given in steps that a wall ended")
    if foreign := sorted({*journal.opened.packs} - {*packs}):
        left_out.append(f"rules of {', '.join(foreign)}, which only --trust imports")
    return Verification(len(trials), steps, tuple(left_out), versions, tuple(differences), journal.fault_of_marks)


def recording_of(trial: RecordedTrial, server: ForkServer, walls: frozenset[Wall]) -> Recording | None:
    """Return a trial's recording; None for a trial that never started. Raises `UsageError` if it holds scripts and one
    of `walls` does not work."""
    record = trial.record
    started, clock = record.started, record.now
    if started is None or clock is None:
        return None
    if any(step.code for step in record.steps):
        check_walls(server, walls)
    return Recording(
        TrialContext(trial.trial_id, started.task_id, started.instruction, clock, origin=started.origin),
        surface_from_text(started.surface),
        record,
    )


def other_versions(journal: Journal, packs: tuple[str, ...]) -> tuple[str, ...]:
    """Return the parts that decide verdicts or outputs of scripts and have another version than recorded. `packs` are
    the rule packs that judge here."""
    here = current_versions(packs)
    names = ("gates", "evidence", "sandbox")
    return tuple(
        name for name in names if any(getattr(version, name) != getattr(here, name) for version in journal.versions)
    )


def replay_walls(given: str | None = None) -> frozenset[Wall]:
    """Return the walls given, else those of the environment, controlplane.toml, the default. Raises `UsageError`."""
    return loop_settings(resolve({} if given is None else {"walls": given}, os.environ, Path.cwd()).settings).walls


def _rerun_settings(
    journal: Journal, packs: tuple[str, ...], walls: frozenset[Wall], *, compare_errors: bool
) -> RerunSettings:
    settings = rerun_settings_here(journal)
    loop, gates = loop_settings(settings), GateSettings(gate_policy(settings.gates, settings.rules, packs), packs)
    if journal.is_own:  # This wall alone shows in results of scripts, so it stays as recorded.
        walls = walls - {Wall.LANGUAGE} | loop.walls & {Wall.LANGUAGE}
    return RerunSettings(gates, loop.limits, walls, compare_errors)


def _minor(version: str) -> list[str]:
    return version.split(".")[:2]


def _cut_to_difference(difference: Difference) -> tuple[str, str]:
    """Return both texts, cut to begin shortly before their first difference."""
    first, second = str(difference.recorded), str(difference.now)
    at = next((i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second)))
    start = max(at - 30, 0)
    return first[start : start + 160], second[start : start + 160]
