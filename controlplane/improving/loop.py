"""An improvement loop: it looks for better texts of an agent, such as its prompts.

A loop plays versions of the texts, called candidates, and asks a proposer (a model or a program)
for changes. A world is a task with data of its own. The loop has three sets of them:

- train: the proposer is shown trials of these worlds;
- check: the loop decides by these which candidates are better;
- final: at the end, the best candidate is compared with the original in these, which no
  candidate has played before (the proof).

A loop that was cut off can be continued.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack

from controlplane.configuration.run_settings import RunSettings
from controlplane.improving.candidate_player import CandidatePlayer
from controlplane.improving.candidates.candidate_runs import CandidateRuns
from controlplane.improving.loop_budget import LoopBudget
from controlplane.improving.loop_lines import LoopEnded, LoopOpened
from controlplane.improving.loop_record import LoopRecord
from controlplane.improving.proof import prove_best
from controlplane.improving.proposing.proposals import Proposals
from controlplane.improving.proposing.proposer_opening import open_proposer
from controlplane.improving.search import search
from controlplane.improving.search_progress import SearchProgress
from controlplane.lifecycle.conducting import RunScreen


def play_loop(
    record: LoopRecord,
    new_plan: LoopOpened | None,
    settings: RunSettings,
    *,
    screen: RunScreen,
    tell: Callable[[str], None],
) -> LoopEnded:
    """Play a loop to its end, and return its result.

    - `new_plan`: the plan of a new loop. None: continue the loop of the record.
    - `settings`: those of the candidates' runs, with the loop's limits.

    Raises `UsageError`, `BudgetExhausted`, `Interrupted`, and the errors of runs and of
    the proposer. The record keeps what was played and proposed until then.
    """
    plan = new_plan or record.plan
    budget = LoopBudget(record, settings)
    with ExitStack() as stack:
        proposer = open_proposer(plan.proposer, settings, stack)
        stack.enter_context(record.writing(new_plan))
        tell(
            f"loop {plan.loop}: {len(plan.train)} train, {len(plan.check)} check and "
            f"{len(plan.final)} final worlds"
        )
        if record.end is None:
            conduct_run = CandidateRuns(plan.sources, screen)
            player = CandidatePlayer(record, settings, budget, conduct_run)
            proposals = Proposals(record, proposer)
            progress = SearchProgress(record, budget, tell)
            search(record, player, proposals, budget, progress)
            record.append(prove_best(record, player))
    assert record.end is not None
    return record.end
