"""The search for better texts of an agent, with the optimizer `gepa`.

A candidate is a version of the texts. A round of the search has three steps:

1. Play a candidate on a batch of training worlds.
2. Show its trials to a proposer, which returns a changed candidate.
3. If that is better on the batch, play it on all check worlds.

`gepa` chooses the candidate and the batch of each round. It prefers candidates that are
the best on at least one check world. A resumed search takes proposals and results from
its record instead of asking and playing again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Final, cast

from controlplane.errors import ControlPlaneError, UsageError, extra_module
from controlplane.improving.candidate_player import CandidatePlayer
from controlplane.improving.loop_budget import LoopBudget
from controlplane.improving.loop_record import (
    Instance,
    LoopRecord,
    Texts,
    id_of,
    mean_score,
)
from controlplane.improving.proposals import Proposals
from controlplane.improving.proposers import COMMAND, ProposalRequest
from controlplane.journal.journal_reader import RecordedTrial, open_journal

ROUNDS_PER_PROPOSAL: Final = 4
"""The search ends after this many rounds for each wanted proposal, since not every round
makes a proposal: if all trials of the batch succeed, there is nothing to improve."""


class Search:
    """Runs `gepa`, and is the adapter through which `gepa` plays candidates and gets proposals.

    Created once per loop. `run` starts `gepa`. In each round, `gepa` calls these
    methods, and so prescribes their names and parameters:

    1. `evaluate` plays a candidate on a batch.
    2. `make_reflective_dataset` selects the trials to show to the proposer.
    3. `propose_new_texts` returns the changed texts.
    """

    def __init__(
        self,
        record: LoopRecord,
        player: CandidatePlayer,
        budget: LoopBudget,
        proposals: Proposals,
        tell: Callable[[str], None],
    ) -> None:
        self._record = record
        self._player = player
        self._budget = budget
        self._proposals = proposals
        self._tell = tell
        self._complaint = ""
        """Why the last proposal was refused, for the next request; empty if it was not."""
        self._failure: ControlPlaneError | None = None
        """The proposer's error. It ends the search, and `run` raises it."""

    def run(self) -> None:
        """Search until there are enough proposals, a limit is used up, or no trial fails.

        Raises the errors of runs and of the proposer.
        """
        gepa = extra_module("gepa", "improving", "improve")
        plan = self._record.plan
        rounds = ROUNDS_PER_PROPOSAL * plan.proposals
        # A program may change all files at once, a model one file at a time.
        changes_all_files = plan.proposer.startswith(COMMAND)
        gepa.optimize(
            seed_candidate=dict(plan.texts),
            trainset=list(plan.train),
            valset=list(plan.check),
            adapter=cast("Any", self),  # `gepa` is optional: its types are unknown.
            reflection_minibatch_size=min(plan.batch, len(plan.train)),
            module_selector="all" if changes_all_files else "round_robin",
            stop_callbacks=[
                gepa.utils.ScoreThresholdStopper(1.0),  # at the best score there can be
                gepa.utils.MaxCandidateProposalsStopper(rounds),
                self._is_over,
            ],
            # The lines of `gepa` are dropped. `_progress` tells the user how far it is.
            logger=SimpleNamespace(log=lambda text: None),
            seed=plan.seed,
        )
        if self._failure is not None:
            raise self._failure

    def _is_over(self, state: Any) -> bool:
        """Return True if the search is to end. `gepa` calls this before each round."""
        plan = self._record.plan
        if self._failure is not None or self._proposals.taken >= plan.proposals:
            return True
        # After the search, the best candidate and the original play the final worlds.
        # Keep enough of the limits for these trials. Each candidate so far has played
        # the check worlds, so the reserve is a share of what the loop has spent.
        played_trials = len(state.program_candidates) * len(plan.check)
        final_trials = 2 * len(plan.final)
        return self._budget.is_used_up(reserve=final_trials / played_trials)

    # What `gepa` calls

    def evaluate(
        self,
        batch: list[Instance],
        candidate: dict[str, str],
        capture_traces: bool = False,
    ) -> Any:
        """Play a candidate, and return its scores.

        After training worlds, also note the data that its trials have seen: a proposal
        that contains such data is refused.
        """
        from gepa.core.adapter import EvaluationBatch

        plan = self._record.plan
        try:
            results = self._player.play(candidate, batch)
        except UsageError as error:  # A text or module cannot be loaded.
            if candidate == plan.texts:  # The original has the same fault.
                raise
            self._complaint = f"it cannot be played: {error}"
            self._tell(f"the candidate {id_of(candidate)} cannot be played: {error}")
            # With a score of 0 everywhere, `gepa` does not keep the candidate.
            return EvaluationBatch([None] * len(batch), [0.0] * len(batch))

        trials: list[RecordedTrial] = []
        is_training = set(plan.check).isdisjoint(batch)
        if is_training:
            journal = open_journal(self._record.journal_of(id_of(candidate), batch))
            trials = list(journal.trials.values())
            self._proposals.learn_data(trials)
        scores = [result.own_score or 0.0 for result in results]
        return EvaluationBatch(results, scores, trials if capture_traces else None)

    def make_reflective_dataset(
        self,
        candidate: dict[str, str],
        eval_batch: Any,
        components_to_update: list[str],
    ) -> dict[str, list[dict[str, Any]]]:
        """Return the trials of the batch, the worst first, for each file to change.

        `gepa` calls the trials trajectories, and the files components.
        """
        del candidate
        trials = sorted(eval_batch.trajectories, key=lambda trial: trial.score or 0.0)
        rows = [{"trial": trial} for trial in trials]
        return {name: list(rows) for name in components_to_update}

    def propose_new_texts(
        self,
        candidate: dict[str, str],
        reflective_dataset: Mapping[str, Sequence[Mapping[str, Any]]],
        components_to_update: list[str],
    ) -> dict[str, str]:
        """Return the changed texts of a new candidate; empty if there is no candidate.

        The proposal comes from the record or, if that has no more, from the proposer.
        There is no candidate if the proposal was refused or the proposer failed.
        """
        if not self._proposals.has_recorded:
            # `make_reflective_dataset` has returned the same trials for each file, so take
            # those of the first file.
            rows = reflective_dataset[components_to_update[0]]
            request = ProposalRequest(
                texts=candidate,
                names=components_to_update,
                trials=[row["trial"] for row in rows],
                complaint=self._complaint,
            )
            try:
                self._proposals.record_new(request)
            except ControlPlaneError as error:
                # `gepa` would catch the error and go on. Instead, `_is_over` sees
                # `_failure` before the next round, and ends the search.
                self._failure = error
                return {}

        proposal = self._proposals.take()
        self._complaint = proposal.refused  # The next request tells it to the proposer.
        self._tell(self._progress())
        return _changed_texts(candidate, proposal.texts)

    def _progress(self) -> str:
        """Return a line about the search so far, for the user."""
        scores = [mean_score(trials) for trials in self._record.checked().values()]
        spent = self._budget.spent()
        text = (
            f"proposals: {self._proposals.taken}, candidates on the check worlds: {len(scores)}, "
            f"best {max(scores, default=0.0):.3f}; spent {spent.tokens:,} tokens"
        )
        if spent.cost_usd is not None:
            text += f", ${spent.cost_usd:.2f}"
        return text


def _changed_texts(before: Texts, after: Texts) -> dict[str, str]:
    """Return those texts of `after` that differ from `before`."""
    changed = {}
    for name, text in after.items():
        if before[name] != text:
            changed[name] = text
    return changed
