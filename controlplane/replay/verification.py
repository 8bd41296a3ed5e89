"""Verifies trials of a journal: runs their scripts and gates again, and compares the results.

Under the recorded versions of Python, the gates and the sandbox, the first difference
is an error. Under other versions, differences are collected, and fields known to depend
on the version are ignored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from controlplane.agent.record.trial_record import TrialRecord
from controlplane.agent.submission import judging_modules
from controlplane.errors import ReplayDiverged
from controlplane.journal.journal_reader import Journal
from controlplane.journal.recorded_trial import RecordedTrial
from controlplane.lifecycle.resources.rule_set_choice import rule_sets_here
from controlplane.replay.difference_texts import difference_text
from controlplane.replay.implied_lines import differences_between_lines
from controlplane.replay.recorded_versions import (
    hint_on_python,
    other_pythons,
    other_versions,
)
from controlplane.replay.recording import ENDED_BY_SANDBOX, RerunSettings
from controlplane.replay.rerun import rerun
from controlplane.replay.trial_memory import TrialMemory
from controlplane.replay.verified_recording import recording_of, rerun_settings
from controlplane.sandbox import ALL_LAYERS, ForkServer, Layer


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
        if record.all_steps.cut_off is not None:
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
                f"{self.ended_steps} of the steps, which a limit ended or which were cut off"
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
    pythons = other_pythons(journal)
    settings = rerun_settings(journal, rule_sets, isolation, compare_errors=not pythons)

    # 2. Run the trials again.
    findings = _Findings()
    memory = TrialMemory(journal)
    with ForkServer(judging_modules(rule_sets)) as server:
        for trial_id in trials:
            trial = journal.trials[trial_id]
            # This counts the trial's steps in `findings`, and yields the differences.
            for text in _rerun_differences(trial, findings, server, settings):
                # Only under the recorded versions is a difference surely a fault.
                if not changed_parts:
                    raise ReplayDiverged(text + hint_on_python(pythons))
                findings.differences.append(text)
            _check_lines(trial)
            memory.free()

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


def _check_lines(trial: RecordedTrial) -> None:
    """Raise `ReplayDiverged` at the first line that other lines of the trial contradict."""
    for difference in differences_between_lines(trial):
        now = "and its other lines imply"
        raise ReplayDiverged(difference_text(trial.trial_id, difference, now))


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
            yield difference_text(trial.trial_id, difference, "now")
