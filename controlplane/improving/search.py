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

from types import SimpleNamespace
from typing import Any, Final, cast

from controlplane.errors import extra_module
from controlplane.improving.candidate_player import CandidatePlayer
from controlplane.improving.gepa_adapter import GepaAdapter
from controlplane.improving.loop_budget import LoopBudget
from controlplane.improving.loop_lines import LoopOpened
from controlplane.improving.loop_record import LoopRecord
from controlplane.improving.proposing.proposals import Proposals
from controlplane.improving.proposing.proposer_opening import COMMAND
from controlplane.improving.search_progress import SearchProgress

ROUNDS_PER_PROPOSAL: Final = 4
"""The search ends after this many rounds for each wanted proposal, since not every round
makes a proposal: if all trials of the batch succeed, there is nothing to improve."""


def search(
    record: LoopRecord,
    player: CandidatePlayer,
    proposals: Proposals,
    budget: LoopBudget,
    progress: SearchProgress,
) -> None:
    """Search for better texts until there are enough proposals, a limit is used up, or no trial fails.

    The library `gepa` decides which candidate is changed next, and on which trials. What it finds is in
    the `record`. Raises the errors of runs and of the proposer.
    """
    gepa = extra_module("gepa", "improving", "improve")
    plan = record.plan
    adapter = GepaAdapter(record, player, proposals, progress)

    def is_over(state: Any) -> bool:
        """Return True if the search is to end. `gepa` calls this before each round."""
        if adapter.failure is not None or proposals.taken >= plan.proposals:
            return True
        # The search must leave enough of the budget for the trials that follow it.
        reserve = _share_of_final_trials(plan, len(state.program_candidates))
        return budget.is_used_up(reserve)

    # A program may change all files at once, a model one file at a time.
    changes_all_files = plan.proposer.startswith(COMMAND)
    gepa.optimize(
        seed_candidate=dict(plan.texts),
        trainset=list(plan.train),
        valset=list(plan.check),
        adapter=cast("Any", adapter),  # `gepa` is optional: its types are unknown.
        reflection_minibatch_size=min(plan.batch, len(plan.train)),
        module_selector="all" if changes_all_files else "round_robin",
        stop_callbacks=[
            gepa.utils.ScoreThresholdStopper(1.0),  # at the best score there can be
            gepa.utils.MaxCandidateProposalsStopper(
                ROUNDS_PER_PROPOSAL * plan.proposals
            ),
            is_over,
        ],
        # The lines of `gepa` are dropped. `progress` tells the user how far it is.
        logger=SimpleNamespace(log=lambda text: None),
        seed=plan.seed,
    )
    if adapter.failure is not None:
        raise adapter.failure


def _share_of_final_trials(plan: LoopOpened, candidates: int) -> float:
    """Return how many trials follow the search, as a share of those played so far.

    After the search, the best candidate and the original play the final worlds. Each of
    the candidates so far has played the check worlds.
    """
    played_trials = candidates * len(plan.check)
    final_trials = 2 * len(plan.final)
    return final_trials / played_trials
