"""The totals of a run, for displays, tables and the exit code."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from fractions import Fraction

from controlplane.agent.model import Capabilities
from controlplane.journal.run_events import RunOpened
from controlplane.journal.totals.run_process import RunProcess
from controlplane.journal.totals.run_trials import RunTrials
from controlplane.journal.totals.spending_totals import Spent
from controlplane.score_scale import (
    ANY_NUMBER,
    ROUNDING,
    UNIT_SCALE,
    ScoreScale,
    exact,
)


@dataclass(slots=True)
class RunSummary:
    """The totals and the current state of a run.

    `run_folding` updates them with each event of the journal.
    """

    opened: RunOpened | None = None
    """Its first event, which has the journal's id (`opened.run`) and the settings; None
    before that event. If the run is resumed with another model, it has that model's."""
    recorded_scale: ScoreScale | None = None
    """Its benchmark's scale of scores; None in a journal of an earlier version."""
    run_id: str = ""
    """Its id at the benchmark; empty until it begins there."""
    trials: RunTrials = field(default_factory=RunTrials)
    """The totals of each trial, by its id."""
    process: RunProcess = field(default_factory=RunProcess)
    """The last process that worked on the run."""
    notices: list[str] = field(default_factory=list)
    """Notices for the user, one line each."""
    earlier_notices: int = 0
    """How many of these came before the latest resumption."""

    # Over all trials
    retries: int = 0
    """Requests repeated after a transient failure."""
    rejections: Counter[str] = field(default_factory=Counter)
    """Rejections by each gate or rule."""
    overridden: Counter[str] = field(default_factory=Counter)
    """Answers sent despite an objection of a gate or rule, by its key."""
    spent: Spent = field(default_factory=Spent)
    """Tokens and cost of the replies."""
    by_role: defaultdict[str, Spent] = field(default_factory=lambda: defaultdict(Spent))
    """Tokens and cost of the replies in each role."""
    cached: int = 0
    """Replies that came from the cache."""
    learned: dict[tuple[str, str], Capabilities] = field(default_factory=dict)
    """What replies have shown about endpoints, such as a parameter that
    is refused, by the endpoint's address and model."""

    # At the benchmark
    submitted: bool = False
    """True once it was submitted to the benchmark."""
    state: str = ""
    """The benchmark's latest word on the submitted run: running, pending, evaluated."""
    run_score: float | None = None
    """The benchmark's own score of the run; None if it gave none."""

    @property
    def scale(self) -> ScoreScale:
        """The scale of its scores.

        An older journal does not say it. If one of its scores is not from 0 to 1, it is any number.
        """
        if self.recorded_scale is not None:
            return self.recorded_scale
        are_usual = all(0 <= score <= 1 for score in self.trials.scores)
        return UNIT_SCALE if are_usual else ANY_NUMBER

    @property
    def limited_score(self) -> Fraction | None:
        """The score that `--fail-under` compares, exact; None if no trial has a score.

        The benchmark's own score of the run counts no more than the mean of the trials, if some
        of them have none: these count as 0.
        """
        mean = self.trials.counted_mean
        if self.run_score is None:
            return mean
        own = exact(self.run_score)
        if mean is None:
            return own
        if self.trials.unscored:
            return min(own, mean)
        # A benchmark's own score is mostly the mean, rounded.
        return mean if abs(own - mean) < ROUNDING else own

    @property
    def score(self) -> float | None:
        """The benchmark's own score of the run or, without one, the mean of its trials."""
        if self.run_score is not None:
            return self.run_score
        return self.trials.mean_score

    @property
    def cost_per_trial_usd(self) -> float | None:
        """Mean cost of the trials that are over; None if it is unknown."""
        return _share(self.spent.cost_usd, self.trials.over)

    @property
    def cost_per_right_usd(self) -> float | None:
        """Cost of the run divided by the number of trials with the full score.

        None if the cost is unknown, or no trial has the full score.
        """
        return _share(self.spent.cost_usd, self.trials.full_scores)


def _share(cost_usd: float | None, trials: int) -> float | None:
    """Return the cost divided by the number of trials; None if one of the two is missing."""
    if cost_usd is None or trials == 0:
        return None
    return cost_usd / trials
