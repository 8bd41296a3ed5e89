"""The scripts that a model writes again and again: refused, failing, or without effect.

For example, it runs the same script three times, and the output is the same each time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.agent.events import StepDone
from controlplane.agent.loop.limits.streak import NO_STREAK, Streak
from controlplane.agent.loop.script_endings import (
    fault_of,
    is_failure,
    repeated_failure_note,
    was_refused,
)
from controlplane.agent.record.trial_step import TrialStep

RUNS_BEFORE_WARNING: Final = 3
"""The model is warned after this many runs of the same script with the same output.
A script may poll (read until something changes), so a few equal runs are fine."""

SAME_OUTPUT_NOTE: Final = (
    f"<note>\nThis script ran {RUNS_BEFORE_WARNING} times in a row with the same "
    "output: do something else.\n</note>\n"
)


@dataclass(frozen=True, slots=True)
class RepeatedScripts:
    """How many times in a row the model wrote a script that repeats the one before.

    After the same error twice in a row, `failures.times` is 2. Another error sets it to 1,
    and a script without an error to 0.
    """

    failures: Streak = NO_STREAK
    """Scripts that failed with the same error, such as `KeyError: 'fee'`."""
    refusals: Streak = NO_STREAK
    """Scripts with the same code, refused before they ran, for example for their syntax."""
    runs: Streak = NO_STREAK
    """Scripts with the same code and output. A script that submits an answer is
    skipped: it neither continues this streak nor ends it."""

    def followed_by(self, step: TrialStep) -> RepeatedScripts:
        """Return what is repeated after one more step, which may have a script."""
        script = step.summary
        runs = self.runs
        if is_run_without_submission(step):
            printed = script.output + script.error
            runs = runs.followed_by((script.code, printed))
        # An empty value ends a streak: the script did not fail, or was not refused.
        refused_code = script.code if was_refused(script.ending) else ""
        return RepeatedScripts(
            failures=self.failures.followed_by(failure_of(script)),
            refusals=self.refusals.followed_by(refused_code),
            runs=runs,
        )

    @property
    def is_repeating(self) -> bool:
        """True if an error or a script has come twice in a row."""
        streaks = (self.failures, self.refusals, self.runs)
        return any(streak.is_repetition for streak in streaks)

    def note_after(self, step: TrialStep) -> str:
        """Return the note for the model after the last step; empty if it repeated nothing."""
        script = step.summary
        if self.failures.is_repetition:
            return repeated_failure_note(script.ending, script.error)
        has_run_often = self.runs.times == RUNS_BEFORE_WARNING
        if has_run_often and is_run_without_submission(step):
            return SAME_OUTPUT_NOTE
        return ""


def failure_of(script: StepDone) -> str:
    """Return the last line of a script's error, `KeyError: 'fee'`; empty if it did not fail."""
    if not script.code or not is_failure(script.ending):
        return ""
    return fault_of(script.ending, script.error)


def is_run_without_submission(step: TrialStep) -> bool:
    """Return True if the step has a script, and the script submitted no answer."""
    return bool(step.summary.code) and not step.submissions
