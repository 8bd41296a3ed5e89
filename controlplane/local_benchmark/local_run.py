"""A run of a benchmark whose worlds are in this process: its id, state and scores."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import re2

from controlplane.benchmark import BenchmarkError, RunResult, RunState, TrialScore
from controlplane.gates.submission import encodable
from controlplane.sandbox.interface.error_codes import FAILED_PRECONDITION, NOT_FOUND

RUN_ID: Final = re2.compile(
    r"(?P<benchmark>[a-z0-9-]+?)"  # ecom
    r"-s(?:0|-?[1-9]\d*)"  # -s7: the seed
    r"-n(?P<trials>[1-9]\d*)"  # -n100: the number of trials
    r"-(?P<token>[0-9a-f]{8})"  # -0a1b2c3d: random, to distinguish the run from others
)
"""The id of a run, such as `ecom-s7-n100-0a1b2c3d`."""
MAX_COUNT_DIGITS: Final = 18
"""More digits of a number of trials are ignored: anyone may have
written the id, and Python refuses to convert thousands of digits."""


@dataclass(frozen=True, slots=True)
class RunId:
    """The parts of a run's id."""

    text: str
    """The whole id."""
    trials: int
    """The number of trials in the run."""
    token: str
    """Its random part, which the ids of the run's trials contain, too."""

    @classmethod
    def of(cls, text: str, benchmark: str) -> RunId:
        """Return the parts of a run's id. Raises `BenchmarkError` for another text."""
        match = RUN_ID.fullmatch(encodable(text))
        if match is None or match["benchmark"] != benchmark:
            raise BenchmarkError(NOT_FOUND, f"{text!r} is not a run of {benchmark}")
        trials = int(match["trials"][:MAX_COUNT_DIGITS])
        return cls(match[0], trials, match["token"])


@dataclass(slots=True)
class LocalRun:
    """The state of a run in this process."""

    scores: dict[str, TrialScore | None] = field(default_factory=dict)
    """The scores of the trials by their ids; None for a trial that has not ended.

    If another process started the run, only
    the trials that were started here are included.
    """
    state: RunState = RunState.RUNNING
    """`RUNNING` until the run is submitted, then `EVALUATED`.

    In between, the run of a blind benchmark (one that hides scores at first) is
    `PENDING`, and its scores are hidden.
    """

    @property
    def open_trials(self) -> list[str]:
        """The ids of the trials that have not ended."""
        return [trial_id for trial_id, score in self.scores.items() if score is None]

    @property
    def ended(self) -> tuple[TrialScore, ...]:
        """The scores of the trials that have ended."""
        return tuple(score for score in self.scores.values() if score is not None)

    def add(self, trial_id: str) -> None:
        """Add a trial that is started. Raises `BenchmarkError` if it has ended."""
        if self.scores.setdefault(trial_id, None) is not None:
            msg = f"trial {trial_id} has ended already"
            raise BenchmarkError(FAILED_PRECONDITION, msg)

    def mean(self, trials: int) -> float | None:
        """Return the mean score of the run, which has this number of trials.

        None until the run is evaluated, and if another process has some of the scores.
        """
        scores = [trial.score for trial in self.ended if trial.score is not None]
        if self.state is not RunState.EVALUATED or len(scores) != trials:
            return None
        return sum(scores) / len(scores)

    def result(self, run_id: RunId) -> RunResult:
        """Return the scores of the run."""
        mean = self.mean(run_id.trials)
        return RunResult(run_id.text, self.state, mean, self.ended)

    def hidden_result(self, run_id: RunId) -> RunResult:
        """Return which trials have ended, without their scores, for a blind benchmark."""
        hidden = [TrialScore(trial.trial_id, score=None) for trial in self.ended]
        return RunResult(run_id.text, self.state, None, tuple(hidden))
