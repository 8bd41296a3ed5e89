"""The scripts that a model writes again and again: refused, failing, or without effect.

If a model goes on like that, a note tells it to do something else. Later, the trial ends. After
five steps with these scripts, one a line, the three counts are:

    script                failures   refusals   runs
    a: KeyError: 'fee'    1          0          1
    b: KeyError: 'fee'    2          0          1
    c: prints 3           0          0          1
    c: prints 3           0          0          2
    d: wrong syntax       1          1          1     refused, which is a failure, too
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from controlplane.agent.loop.limits.repeat_count import NO_REPEATS, RepeatCount
from controlplane.agent.loop.script_endings import failure_of, was_refused
from controlplane.agent.record.trial_step import TrialStep

RUNS_BEFORE_WARNING: Final = 3
"""A script may poll (read until something changes), so a few equal runs are fine."""

SAME_FAILURE_NOTE: Final = (
    "<note>\nThis script failed like the one before: {failure}\n"
    "Change the line that failed, or find the answer in another way.\n</note>\n"
)
SAME_OUTPUT_NOTE: Final = (
    f"<note>\nThis script ran {RUNS_BEFORE_WARNING} times in a row with the same "
    "output: do something else.\n</note>\n"
)


@dataclass(frozen=True, slots=True)
class RepeatedScripts:
    """How many times in a row a model's scripts failed, were refused, or ran in the same way."""

    failures: RepeatCount = NO_REPEATS
    """Scripts that failed with the same error. One that did not fail ends the count."""
    refusals: RepeatCount = NO_REPEATS
    """Scripts with the same code that were refused before they ran. Any other ends the count."""
    runs: RepeatCount = NO_REPEATS
    """Scripts with the same code and the same output. A script that submits an answer,
    or a step without a script, leaves the count as it is."""
    note: str = ""
    """The note for the model after the last step; empty if it repeated nothing."""

    def followed_by(self, step: TrialStep) -> RepeatedScripts:
        """Return the counts and the note after one more step."""
        script = step.summary  # Its `code` is empty if the step has no script.
        failure = failure_of(script)
        failures = self.failures.followed_by(failure)
        refused_code = script.code if was_refused(script.ending) else ""
        refusals = self.refusals.followed_by(refused_code)
        runs = self.runs
        counts_as_run = bool(script.code) and not step.submissions
        if counts_as_run:
            runs = runs.followed_by((script.code, script.output + script.error))

        note = ""
        if failures.is_repetition:  # at least the second time in a row
            note = SAME_FAILURE_NOTE.format(failure=failure)
        elif counts_as_run and runs.times == RUNS_BEFORE_WARNING:
            note = SAME_OUTPUT_NOTE
        return RepeatedScripts(failures, refusals, runs, note)

    @property
    def is_repeating(self) -> bool:
        """True if an error or a script has come twice in a row."""
        counts = (self.failures, self.refusals, self.runs)
        return any(count.is_repetition for count in counts)
