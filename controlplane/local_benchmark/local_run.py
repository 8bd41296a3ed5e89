"""A run of a benchmark whose worlds are in this process: its state, open trials and scores."""

from __future__ import annotations

from dataclasses import dataclass, field

from controlplane.benchmark import BenchmarkError, RunState, TrialScore
from controlplane.local_benchmark.generated_trial import GeneratedTrial
from controlplane.sandbox.interface.error_codes import FAILED_PRECONDITION


@dataclass(slots=True)
class LocalRun:
    """The state of a run in this process. Its caller holds a lock.

    A trial is open from the start of the run. It has a world from its own start to its end, and a
    score from its end.
    """

    scores: dict[str, TrialScore | None] = field(default_factory=dict)
    """The scores of the trials by their ids; None for a trial that has not ended.

    If another process started the run, only
    the trials that were started here are included.
    """
    worlds: dict[str, GeneratedTrial] = field(default_factory=dict)
    """The trials that were started here and have not ended, by their ids."""
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

    def open_world(self, trial_id: str) -> GeneratedTrial | None:
        """Return the trial if its world is open. If not, note that the trial begins; return None.

        The caller then makes the world, and adds it to `worlds`. Raises `BenchmarkError` if it has ended.
        """
        if self.scores.setdefault(trial_id, None) is not None:
            msg = f"trial {trial_id} has ended already"
            raise BenchmarkError(FAILED_PRECONDITION, msg)
        return self.worlds.get(trial_id)

    def end(self, score: TrialScore) -> None:
        """Record the score of a trial that was played here. Its world then is no longer open.

        If another thread has done so already, its score stays.
        """
        if self.worlds.pop(score.trial_id, None) is not None:
            self.scores[score.trial_id] = score

    def take_score(self, score: TrialScore) -> None:
        """Record the score of a trial that ended in another process."""
        if self.scores.get(score.trial_id) is None:
            self.scores[score.trial_id] = score

    def release(self, trial_id: str) -> None:
        """Close the world of a trial, if it is open, without grading the trial."""
        released = self.worlds.pop(trial_id, None)
        if released is not None:
            released.close()

    def submit(self, state: RunState, *, force: bool) -> None:
        """Close the run, which gets this state. A closed run keeps its state.

        Trials that are open get the score 0. Without `force`, raises `BenchmarkError` if
        there are some.
        """
        is_running = self.state is RunState.RUNNING
        open_trials = self.open_trials
        if open_trials and is_running and not force:
            msg = f"{len(open_trials)} trials have not ended, the first is {open_trials[0]}"
            raise BenchmarkError(FAILED_PRECONDITION, msg)
        for trial_id in open_trials:
            self.release(trial_id)
            self.scores[trial_id] = TrialScore(trial_id, 0.0, ("forced close",))
        if is_running:
            self.state = state
