"""Verifies trials of a journal: runs their scripts and gates again, and compares the results.

Under the recorded versions of Python, the gates and the sandbox, the first difference
is an error. Under other versions, differences are collected, and fields known to depend
on the version are ignored.
"""

from __future__ import annotations

import gc
import platform
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from posixpath import commonprefix
from typing import Final

from controlplane.agent.events import (
    AnswerSent,
    Judged,
    StepDone,
    event_classes,
    type_of,
)
from controlplane.agent.evidence import Difference
from controlplane.agent.record.trial_record import TrialRecord
from controlplane.agent.trial_gates import judging_modules
from controlplane.configuration.installed_versions import current_versions
from controlplane.errors import ReplayDiverged
from controlplane.journal.journal_reader import Journal
from controlplane.journal.run_events import TrialEnded
from controlplane.journal.tool_schema_text import tool_schema_from_text
from controlplane.journal.trial_reader import RecordedTrial, TrialReader
from controlplane.lifecycle.resources.gate_policies import rule_sets_here
from controlplane.replay.rerun import (
    ENDED_BY_SANDBOX,
    RerunSettings,
    recording_of,
    rerun,
    rerun_settings,
)
from controlplane.sandbox import ALL_LAYERS, ForkServer, Layer
from controlplane.sandbox.interface import ToolSchema

# Messages about differences between a recorded trial and its rerun.

_CHARS_BEFORE_DIFFERENCE: Final = 30
"""A message shows both texts from this many characters before their first difference."""
_MAX_SHOWN_CHARS: Final = 160
"""A message shows this many characters of each text."""


def _difference_text(
    trial_id: str, difference: Difference, label_of_second: str
) -> str:
    """Return a message about a difference, which quotes both texts where they differ.

    An example is `"trial t1, step 3, output: recorded 'total 12', now 'total 13'"`. Here
    `label_of_second` is `now`.
    """
    recorded_text = str(difference.recorded)
    text_now = str(difference.now)
    common_chars = len(commonprefix([recorded_text, text_now]))
    start = max(common_chars - _CHARS_BEFORE_DIFFERENCE, 0)
    end = start + _MAX_SHOWN_CHARS
    place = f"trial {trial_id}"
    if difference.step:
        place += f", step {difference.step}"
    return (
        f"{place}, {difference.field}: "
        f"recorded {recorded_text[start:end]!r}, {label_of_second} {text_now[start:end]!r}"
    )


# Checks that the lines of a trial agree with each other.
#
# A replay runs scripts and gates again, and compares the results with the journal.
# Some lines cannot be checked in this way, but follow from other lines:
# the answer that was sent is the submission that the gates accepted, and a trial with
# an answer ended as answered.


def _differences_between_lines(trial: RecordedTrial) -> Iterator[Difference]:
    """Yield the recorded values of a trial that contradict its other lines.

    For example, the answer that was sent is not the one that the gates accepted in that step.
    """
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
    # With the default solver (`cited`), a step without a script does nothing. Of the steps
    # of another solver, nothing is known.
    if trial.journal.setting("agent") in (None, "cited"):
        # Check steps without a script, and yield their differences.
        scratchpad_before: object = {}
        for done in record.step_summaries:
            if not done.code:
                yield from _differing_fields(
                    done, output="", ending="", scratchpad=scratchpad_before
                )
            scratchpad_before = done.scratchpad
    for answer in answers:
        if answer.ended_by_environment:
            yield from _check_answer_by_environment(answer, record)
        elif not answer.fallback:
            yield from _check_answer_of_script(answer, record)
    # If it is unanswered, no answer was sent, or the environment refused each.
    if ended is None or (ended.how == "unanswered" and record.answer is None):
        return
    implied_end = "unanswered"
    if answers:
        implied_end = "fallback" if answers[-1].fallback else "answered"
    if ended.how != implied_end:
        # The end belongs to no step, so its step is 0.
        yield Difference(step=0, field="end", recorded=ended.how, now=implied_end)


def _check_answer_by_environment(
    answer: AnswerSent, record: TrialRecord
) -> Iterator[Difference]:
    """Check the answer of a trial that the environment ended, as it does at some calls.

    Yields a difference if no call of the answer's step is such a call.
    """
    tool_schema = ToolSchema(())  # It has no functions, so no call ends the trial.
    if record.started is not None:
        tool_schema = tool_schema_from_text(record.started.tool_schema)
    for step in record.whole_steps:
        if step.number != answer.step:
            continue
        for call in step.calls:
            if tool_schema.ends_trial(call.operation, call.result):
                return
    yield Difference(
        step=answer.step,
        field="answer",
        recorded=answer.message,
        now="no call that ends the trial",
    )


def _check_answer_of_script(
    answer: AnswerSent, record: TrialRecord
) -> Iterator[Difference]:
    """Check an answer that is recorded because the gates accepted a script's submission.

    Yields the fields in which the answer differs from the last accepted submission of its step.
    """
    accepted: list[Judged] = []
    for step in record.all_steps:
        if step.number == answer.step:
            accepted += [judged for judged in step.submissions if judged.accepted]
    if not accepted:
        yield Difference(
            step=answer.step,
            field="answer",
            recorded=answer.message,
            now="no accepted submission",
        )
        return
    submission = accepted[-1]
    yield from _differing_fields(
        answer,
        message=submission.answer,
        outcome=submission.outcome,
        refs=submission.refs,
        failed=(),  # No gate has rejected an accepted submission.
    )


def _differing_fields(
    event: StepDone | AnswerSent, **implied: object
) -> Iterator[Difference]:
    """Yield the fields of an event that differ from the values that other lines imply."""
    for name, value in implied.items():
        recorded = getattr(event, name)
        if recorded != value:
            yield Difference(step=event.step, field=name, recorded=recorded, now=value)


# Versions of the program and of Python that differ from those of a recorded run.


def _other_pythons(journal: Journal) -> str:
    """Return the recorded versions of Python whose error texts may differ from those here.

    These are other minor versions: `3.12.4` differs from `3.13.1`, but not from
    `3.12.9`. Empty if there are none.
    """
    minor_version_here = _minor_version(platform.python_version())
    pythons = set()
    for versions in journal.versions:
        if _minor_version(versions.python) != minor_version_here:
            pythons.add(versions.python)
    return ", ".join(sorted(pythons))


def _minor_version(version: str) -> str:
    """Return a version without its last part: `"3.12.4" -> "3.12"`."""
    return version.rpartition(".")[0]


def _hint_on_python(pythons: str) -> str:
    """Return a hint that another Python may have caused a difference; empty under the same one."""
    if not pythons:
        return ""
    return (
        f"; it was recorded under Python {pythons}, and what this one "
        f"({platform.python_version()}) prints can differ: replay it there"
    )


def other_versions(journal: Journal, rule_sets: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of `gates`, `evidence` and `sandbox` that have another version than recorded.

    These parts of the program determine verdicts and the outputs of scripts. A run that
    was resumed may have several versions of a part: each must be the one in use here.
    `rule_sets` are the rule sets in use now.
    """
    here = current_versions(rule_sets)
    names: list[str] = []
    for name in ("gates", "evidence", "sandbox"):
        recorded = {getattr(versions, name) for versions in journal.versions}
        others = recorded - {getattr(here, name)}
        if others:
            names.append(name)
    return tuple(names)


@contextmanager
def freed_memory() -> Iterator[Callable[[], int]]:
    """Yield a function that frees the trials that were run again: a long journal takes no more memory.

    A trial's session, recorder and sandbox refer to each other, so only Python's
    garbage collector frees them. It starts by itself after many new objects, however
    large they are. Trials have few objects with long texts, so it would start too late.
    """
    gc.freeze()  # What exists now, such as modules, is not looked at: that would take long.
    try:
        yield gc.collect
    finally:
        gc.unfreeze()


# The fields of a journal's events that `controlplane replay` can compute again, and the others.
#
# The class of an event lists the fields that a replay can compute: an `answer_sent` has
# `compared_by_replay = ("message", "outcome", …)`, which follow from what the script
# submitted. No replay can compute a model's reply, for example. Only the signature of the
# line protects such a field.

_IDENTIFYING_FIELDS: Final = frozenset({"type", "at_ms", "trial_id", "step", "number"})
"""Fields that say which event it is. They are neither compared nor listed as protected."""
SIGNED_ONLY_TEXT: Final = (
    "settings, instructions, initial prompt, system texts, rules, replies with the scripts in them, "
    "results of calls, feedback, refunds, texts of fallback answers, usage, costs, times and scores"
)
"""Describes the result of `signed_only_fields` for the user."""


def compared_fields() -> dict[str, tuple[str, ...]]:
    """Return the fields that are compared, by type of event: `{"step": ("output", …), …}`."""
    compared: dict[str, tuple[str, ...]] = {}
    for event_class in event_classes():
        if event_class.compared_by_replay:
            compared[type_of(event_class)] = event_class.compared_by_replay
    return compared


def signed_only_fields() -> dict[str, list[str]]:
    """Return the fields that are not compared, by type of event: `{"model_replied": ["cost_usd", …], …}`.

    Only the signature of their line protects them. Its key belongs to this user.
    """
    signed_only: dict[str, list[str]] = {}
    for event_class in event_classes():
        names = set(event_class.model_fields)
        names -= _IDENTIFYING_FIELDS
        names -= set(event_class.compared_by_replay)
        if names:
            signed_only[type_of(event_class)] = sorted(names)
    return signed_only


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of a verification."""

    trials: int
    steps: int
    left_out: tuple[str, ...]
    """The parts that were not compared, with reasons."""
    other_versions: tuple[str, ...]
    """Those of `gates`, `evidence` and `sandbox` whose version differs from the recorded one."""
    differences: tuple[str, ...]
    """One line for each step that differs; empty under the recorded versions."""
    unmarked: str
    """Why the fields that only a signature protects are not verified (`signed_only_fields` lists
    them); empty if this user has signed (marked) the line of every event."""


@dataclass(slots=True)
class _Findings:
    """Counts and differences, collected while trials run again."""

    steps: int = 0
    ended_steps: int = 0
    """Steps that are not run again, because a limit ended them or they were interrupted."""
    unverified_trials: list[str] = field(default_factory=list)
    """Trials whose answer was accepted in such a step, if somebody else wrote the journal."""
    differences: list[str] = field(default_factory=list)
    """A text for each step that differs from its record."""

    def note_ended_steps(self, trial: RecordedTrial, record: TrialRecord) -> None:
        """Count the steps of a trial that are not run again.

        If an answer was accepted in such a step, it cannot be verified. That is noted in a
        journal that somebody else wrote, who may have invented the answer.
        """
        has_accepted_answer = False
        for step in record.step_summaries:
            if step.ending in ENDED_BY_SANDBOX:
                self.ended_steps += 1
                for judged in step.verdicts:
                    if judged.accepted:
                        has_accepted_answer = True
        # An interrupted step, which never ended.
        if record.unfinished_step is not None:
            self.ended_steps += 1
        if has_accepted_answer and not trial.journal.is_own:
            self.unverified_trials.append(trial.trial_id)

    def left_out(self, other_pythons: str) -> list[str]:
        """Return the parts that were not compared, with reasons.

        `other_pythons` names the versions of Python under which the trials were recorded, if it is
        another one now: the texts of its errors may differ.
        """
        left_out: list[str] = []
        if other_pythons:
            left_out.append(f"error texts (recorded under Python {other_pythons})")
        if self.ended_steps:
            left_out.append(
                f"{self.ended_steps} of the steps, which a limit ended or which were interrupted"
            )
        if self.unverified_trials:
            names = ", ".join(self.unverified_trials)
            left_out.append(
                f"the accepted answers of {names}, given in steps that a limit ended"
            )
        return left_out


def verify(
    journal: Journal,
    trials: Sequence[str],
    *,
    isolation: frozenset[Layer] = ALL_LAYERS,
    is_trusted: bool = False,
) -> Verification:
    """Run `trials` again, and compare the fields that `compared_fields` returns.

    `isolation` are the layers of the sandbox in which scripts run. Rule sets that users
    wrote are imported only if the journal is this user's own, or `is_trusted`.

    Raises `UsageError` if a layer of `isolation` does not work. Raises `ReplayDiverged`
    at the first difference; under other versions than recorded, differences of scripts
    are collected instead.
    """
    # 1. Find out which versions differ from the recorded ones.
    rule_sets = rule_sets_here(journal, is_trusted=is_trusted)
    changed_parts = other_versions(journal, rule_sets)
    pythons = _other_pythons(journal)
    settings = rerun_settings(journal, rule_sets, isolation, compare_errors=not pythons)

    # 2. Run the trials again.
    findings = _Findings()
    with ForkServer(judging_modules(rule_sets)) as server, freed_memory() as free:
        for trial_id in trials:
            trial = journal.trials[trial_id]
            # This counts the trial's steps in `findings`, and yields the differences.
            for text in _rerun_differences(trial, findings, server, settings):
                # Only under the recorded versions is a difference surely a fault.
                if not changed_parts:
                    raise ReplayDiverged(text + _hint_on_python(pythons))
                findings.differences.append(text)
            for difference in _differences_between_lines(trial):
                now = "and its other lines imply"
                raise ReplayDiverged(_difference_text(trial.trial_id, difference, now))
            free()

    # 3. List what was not compared.
    left_out = findings.left_out(pythons)
    foreign_rule_sets = sorted(set(journal.opened.rule_sets) - set(rule_sets))
    if foreign_rule_sets:
        names = ", ".join(foreign_rule_sets)
        left_out.append(f"rules of {names}, which only --trust imports")
    return Verification(
        trials=len(trials),
        steps=findings.steps,
        left_out=tuple(left_out),
        other_versions=changed_parts,
        differences=tuple(findings.differences),
        unmarked=journal.fault_of_marks,
    )


def _rerun_differences(
    trial: RecordedTrial,
    findings: _Findings,
    server: ForkServer,
    settings: RerunSettings,
) -> Iterator[str]:
    """Run a trial again, and yield a text for each step that differs from its record.

    Counts the steps in `findings`.
    """
    recording = recording_of(trial, server, settings.isolation)
    if recording is None:
        return
    findings.note_ended_steps(trial, recording.record)
    for difference in rerun(recording, server, settings):
        findings.steps += 1
        if difference is not None:
            yield _difference_text(trial.trial_id, difference, "now")
