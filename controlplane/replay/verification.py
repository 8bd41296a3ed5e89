"""Runs trials of a journal again exactly, and compares lines that others imply: the answer sent with the accepted
submission, and the way in which the trial ended with its answers.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from controlplane.agent.events import AnswerSent, Judged, StepDone, event_classes, type_of
from controlplane.agent.evidence import Difference, ProvenancePolicy
from controlplane.agent.loop import Recording, RerunSettings, TrialContext, rerun
from controlplane.agent.submission import GateSettings, judging_modules
from controlplane.agent.trial_record import TrialRecord
from controlplane.configuration.named_modules import current_versions
from controlplane.configuration.recorded_settings import replay_settings_here
from controlplane.configuration.setting_sources import resolve
from controlplane.errors import ReplayDiverged
from controlplane.journal.journal_reader import Journal, RecordedTrial, TrialReader
from controlplane.journal.run_events import (
    TrialEnded,
    tool_schema_from_text,
)
from controlplane.lifecycle.run_resources import (
    check_isolation,
    gate_policy,
    loop_settings,
    rule_sets_here,
)
from controlplane.sandbox import ALL_LAYERS, Ending, ForkServer, Layer
from controlplane.sandbox.interface import ToolSchema


def differences_between_lines(trial: RecordedTrial) -> Iterator[Difference]:
    """Yield recorded values of a trial that differ from those that its other lines imply."""
    reader = TrialReader()
    answers: list[AnswerSent] = []
    ended: TrialEnded | None = None
    for event in trial.events():
        reader.add(event)
        if isinstance(event, AnswerSent):
            answers.append(event)
        elif isinstance(event, TrialEnded):
            ended = event
    record = reader.record
    if trial.journal.setting("agent") in (None, "cited"):
        yield from _differences_of_idle_steps(record)
    for answer in answers:
        if answer.ended_by_environment:
            yield from _differences_of_end(answer, record)
        elif not answer.fallback:
            yield from _differences_of_answer(answer, record)
    if ended is None:
        return
    implied_end = "unanswered"
    if answers:
        implied_end = "fallback" if answers[-1].fallback else "answered"
    is_refused = record.answer is None and ended.how == "unanswered"
    if ended.how != implied_end and not is_refused:
        yield Difference(0, "end", ended.how, implied_end)


def _differences_of_idle_steps(record: TrialRecord) -> Iterator[Difference]:
    """Yield what steps hold in which no script ran."""
    scratchpad: object = {}
    for done in record.steps:
        if not done.code:
            yield from _differing(done, output="", ending="", scratchpad=scratchpad)
        scratchpad = done.scratchpad


def _differences_of_end(answer: AnswerSent, record: TrialRecord) -> Iterator[Difference]:
    """Yield a difference unless a call of the answer's step ended the trial."""
    declared = ToolSchema(())
    if record.started is not None:
        declared = tool_schema_from_text(record.started.tool_schema)
    for step in record.whole_steps:
        if step.number != answer.step:
            continue
        for call in step.calls:
            if declared.ends_trial(call.operation, call.result):
                return
    yield Difference(answer.step, "answer", answer.message, "no call that ends the trial")


def _differences_of_answer(answer: AnswerSent, record: TrialRecord) -> Iterator[Difference]:
    """Yield where an answer differs from the submission that the gates accepted in its step."""
    accepted: Judged | None = None
    for step in record.all_steps:
        for judged in step.submissions:
            if step.number == answer.step and judged.accepted:
                accepted = judged
    if accepted is None:
        yield Difference(answer.step, "answer", answer.message, "no accepted submission")
        return
    yield from _differing(
        answer,
        message=accepted.answer,
        outcome=accepted.outcome,
        refs=accepted.refs,
        failed=(),
    )


def _differing(event: StepDone | AnswerSent, **implied: object) -> Iterator[Difference]:
    for name, value in implied.items():
        if (recorded := getattr(event, name)) != value:
            yield Difference(event.step, name, recorded, value)


PLACES: Final = frozenset({"type", "at_ms", "trial_id", "step", "number"})
"""Fields that say where an event belongs."""
UNMARKED: Final = (
    "settings, instructions, initial prompt, system texts, rules, replies with the scripts in them, results of calls, "
    "feedback, refunds, texts of fallback answers, usage, costs, times and scores"
)
"""The fields of `only_marked` in words."""


def compared_fields() -> dict[str, tuple[str, ...]]:
    """Return by event the fields that are made anew and compared: by the scripts, by the gates, or from the trial's
    other lines."""
    compared: dict[str, tuple[str, ...]] = {}
    for kind in event_classes():
        if kind.remade:
            compared[type_of(kind)] = kind.remade
    return compared


def only_marked() -> dict[str, list[str]]:
    """Return by event the fields that are not made anew (`Event.remade`): only the user's mark shows that they are as
    they were written. Calls of the initial prompt, steps that a limit ended, and texts of fallback answers are not
    made anew either."""
    marked: dict[str, list[str]] = {}
    for kind in event_classes():
        names = kind.model_fields.keys() - PLACES - set(kind.remade)
        if names:
            marked[type_of(kind)] = sorted(names)
    return marked


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
    journal: Journal,
    trials: Sequence[str],
    *,
    isolation: frozenset[Layer] = ALL_LAYERS,
    is_trusted: bool = False,
) -> Verification:
    """Run `trials` again in `isolation` and compare what `compared_fields` names.

    Rules of modules that a journal names are imported if it is this user's own or `is_trusted`. Raises `UsageError` if
    a layer of `isolation` does not work, and `ReplayDiverged` at the first difference; under other versions than
    recorded, differences of the scripts are collected instead.
    """
    rule_sets = rule_sets_here(journal, is_trusted=is_trusted)
    here = platform.python_version()
    # Recorded versions of Python that differ from this one by more than bug fixes.
    others = ", ".join(
        sorted(
            {
                one.python
                for one in journal.versions
                if one.python.rpartition(".")[0] != here.rpartition(".")[0]
            }
        )
    )
    versions = other_versions(journal, rule_sets)
    settings = _rerun_settings(journal, rule_sets, isolation, compare_errors=not others)
    steps = unended = 0
    unverified, differences = list[str](), list[str]()
    with ForkServer(judging_modules(rule_sets)) as server:
        for trial_id in trials:
            recording = recording_of(journal.trials[trial_id], server, isolation)
            record = recording.record if recording else TrialRecord()
            ended = [step for step in record.steps if step.ending in (Ending.LIMIT, Ending.KILLED)]
            unended += len(ended)
            if record.pending is not None:
                unended += 1
            if (
                any(judged.accepted for step in ended for judged in step.verdicts)
                and not journal.is_own
            ):
                unverified.append(trial_id)
            for difference in rerun(recording, server, settings) if recording else ():
                steps += 1
                if difference is not None:
                    differences.append(_line_of(trial_id, difference, "now"))
                    if not versions:
                        prints = f"and what this one ({here}) prints can differ: replay it there"
                        hint = (
                            f"; it was recorded under Python {others}, {prints}" if others else ""
                        )
                        raise ReplayDiverged(differences[0] + hint)
            for difference in differences_between_lines(journal.trials[trial_id]):
                raise ReplayDiverged(_line_of(trial_id, difference, "and its other lines imply"))
    left_out = [f"error texts (recorded under Python {others})"] if others else []
    left_out += (
        [f"{unended} of the steps, which a limit ended or which were cut off"] if unended else []
    )
    if unverified:
        left_out.append(
            f"the accepted answers of {', '.join(unverified)}, given in steps that a limit ended"
        )
    if foreign := sorted({*journal.opened.rule_sets} - {*rule_sets}):
        left_out.append(f"rules of {', '.join(foreign)}, which only --trust imports")
    return Verification(
        len(trials), steps, tuple(left_out), versions, tuple(differences), journal.fault_of_marks
    )


def recording_of(
    trial: RecordedTrial, server: ForkServer, isolation: frozenset[Layer]
) -> Recording | None:
    """Return a trial's recording; None for a trial that never started. Raises `UsageError` if it holds scripts and one
    of `isolation` does not work."""
    record = trial.record
    started = record.started
    if started is None:
        return None
    if any(step.code for step in record.steps):
        check_isolation(server, isolation)
    return Recording(
        TrialContext(
            trial.trial_id,
            started.task_id,
            started.instruction,
            record.now,
            origin=record.origin,
        ),
        tool_schema_from_text(started.tool_schema),
        record,
        _recorded_provenance(trial.journal),
    )


def _recorded_provenance(journal: Journal) -> ProvenancePolicy:
    """Return what happened to changing calls with values of running text; nothing if the journal does not say."""
    setting = journal.setting("provenance")
    with suppress(ValueError):
        return ProvenancePolicy.parse(str(setting or "off"))
    return ProvenancePolicy()


def other_versions(journal: Journal, rule_sets: tuple[str, ...]) -> tuple[str, ...]:
    """Return the parts that decide verdicts or outputs of scripts and have another version than recorded. `rule_sets`
    are the rule sets that judge here."""
    here = current_versions(rule_sets)
    names = ("gates", "evidence", "sandbox")
    return tuple(
        name
        for name in names
        if any(getattr(version, name) != getattr(here, name) for version in journal.versions)
    )


def replay_isolation(given: str | None = None) -> frozenset[Layer]:
    """Return the isolation given, else those of the environment, controlplane.toml, the default. Raises
    `UsageError`."""
    return loop_settings(
        resolve({} if given is None else {"isolation": given}, os.environ, Path.cwd()).settings
    ).isolation


def _rerun_settings(
    journal: Journal,
    rule_sets: tuple[str, ...],
    isolation: frozenset[Layer],
    *,
    compare_errors: bool,
) -> RerunSettings:
    settings = replay_settings_here(journal)
    loop, gates = (
        loop_settings(settings),
        GateSettings(gate_policy(settings.gates, settings.rule_sets, rule_sets), rule_sets),
    )
    if journal.is_own:  # This layer alone shows in results of scripts, so it stays as recorded.
        isolation = isolation - {Layer.LANGUAGE} | loop.isolation & {Layer.LANGUAGE}
    return RerunSettings(gates, loop.limits, isolation, compare_errors)


def _line_of(trial_id: str, difference: Difference, now: str) -> str:
    """Return a difference in words, both texts cut to begin shortly before it."""
    first, second = str(difference.recorded), str(difference.now)
    at = next(
        (i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b),
        min(len(first), len(second)),
    )
    start = max(at - 30, 0)
    where = f"trial {trial_id}{f', step {difference.step}' if difference.step else ''}, {difference.field}"
    return (
        f"{where}: recorded {first[start : start + 160]!r}, {now} {second[start : start + 160]!r}"
    )
