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

import math
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, NamedTuple, Protocol, cast

from controlplane.agent.spending import PRICE_REMEDY, UNPRICED
from controlplane.benchmark import TaskTry
from controlplane.configuration.named_modules import pin_modules
from controlplane.configuration.run_settings import RunSettings, Use, settings_with
from controlplane.errors import (
    BudgetExhausted,
    ControlPlaneError,
    UsageError,
    extra_module,
)
from controlplane.improving.candidates import candidate_folder, candidate_settings
from controlplane.improving.instance_data import InstanceData
from controlplane.improving.loop_record import (
    Instance,
    LoopRecord,
    Proposed,
    Texts,
    id_of,
    mean_score,
)
from controlplane.improving.proposers import COMMAND, ProposalRequest, Proposer
from controlplane.journal.journal_reader import RecordedTrial, open_journal
from controlplane.journal.trial_summary import TrialSummary
from controlplane.sandbox.interface import bounds

ROUNDS_PER_PROPOSAL: Final = 4
"""The search ends after this many rounds for each wanted proposal. Some rounds make
none: those in which all trials succeed."""
MAX_VALUES_SHOWN: Final = 5


class ConductRun(Protocol):
    """A function that plays a run of `tries` to its end."""

    def __call__(
        self, settings: RunSettings, tries: tuple[TaskTry, ...], journal: Path
    ) -> None:
        """Play the run, and record it in `journal`. Raises `ControlPlaneError`."""


class LoopSpending(NamedTuple):
    """What all runs and proposals of a loop have spent together."""

    cost_usd: float | None
    """None if the cost of a part is unknown."""
    tokens: int


class LoopBudget:
    """The limits of a loop, which cover its runs and its proposals together."""

    def __init__(self, record: LoopRecord, settings: RunSettings) -> None:
        self._record = record
        self._settings = settings
        self._began = time.monotonic()

    def spent(self) -> LoopSpending:
        """Return the cost and the tokens of all runs and proposals."""
        runs = self._record.spent_by_runs()
        costs = [runs.cost_usd]
        tokens = runs.tokens
        for proposal in self._record.proposals:
            costs.append(proposal.cost_usd)
            tokens += proposal.tokens
        known_costs = [cost for cost in costs if cost is not None]
        if len(known_costs) < len(costs):
            return LoopSpending(None, tokens)
        return LoopSpending(math.fsum(known_costs), tokens)

    def remaining(self, reserve: float = 0.0) -> dict[str, float]:
        """Return what is left of each limit, by the name of its setting.

        `reserve` keeps something back for later, as a multiple of what was spent so
        far. For example, of 100 dollars 40 are spent, and a reserve of 0.5 keeps back
        20: 40 are left.

        Raises `BudgetExhausted` if the cost is limited but unknown.
        """
        spent = self.spent()
        if self._settings.run_cost is not None and spent.cost_usd is None:
            msg = f"{UNPRICED}, so --run-cost cannot be kept; {PRICE_REMEDY}"
            raise BudgetExhausted(msg)
        spent_by_limit = {
            "run_cost": spent.cost_usd or 0.0,
            "max_tokens_run": spent.tokens,
            "run_time": time.monotonic() - self._began,
        }
        remaining = {}
        for name, amount in spent_by_limit.items():
            limit = getattr(self._settings, name)
            if limit is not None:
                kept_back = amount * reserve
                remaining[name] = limit - amount - kept_back
        return remaining

    def is_used_up(self, reserve: float = 0.0) -> bool:
        """Return True if nothing is left of at least one limit. `reserve` is that of
        `remaining`."""
        return any(amount <= 0 for amount in self.remaining(reserve).values())


class CandidatePlayer:
    """Plays candidates. A candidate that has already played the same worlds is not
    played again."""

    def __init__(
        self,
        record: LoopRecord,
        settings: RunSettings,
        budget: LoopBudget,
        conduct_run: ConductRun,
    ) -> None:
        self._record = record
        self._settings = settings
        self._budget = budget
        self._conduct_run = conduct_run

    def play(self, texts: Texts, instances: Sequence[Instance]) -> list[TrialSummary]:
        """Return a candidate's results on these instances (worlds with tasks), in their
        order.

        Raises `BudgetExhausted` and `Interrupted`. A later call then continues from the
        journal.
        """
        candidate = id_of(texts)
        results = self._record.finished(candidate, instances)
        if results is not None:
            return results
        if self._budget.is_used_up():
            msg = "the loop has spent its limits"
            raise BudgetExhausted(msg)

        journal = self._record.journal_of(candidate, instances)
        folder = candidate_folder(self._record.folder, texts)
        settings = candidate_settings(
            self._settings,
            self._changes(candidate, journal),
            texts,
            self._record.plan.origins,
            folder,
        )
        # The candidate's own modules, such as a changed solver, are imported from its
        # folder.
        pin_modules(_modules_of(texts), folder)
        tries = []
        for number, task in dict.fromkeys(instances):
            tries.append(TaskTry(task, number))
        self._conduct_run(settings, tuple(tries), journal)

        results = self._record.finished(candidate, instances)
        assert results is not None
        return results

    def _changes(self, candidate: str, journal: Path) -> dict[str, object]:
        """Return the settings in which a candidate's run differs from the loop."""
        changes: dict[str, object] = {
            "limit": None,
            "repeats": 1,
            "runs_dir": str(journal.parent),
            "name": f"candidate {candidate}",
        }
        # The run may spend what is left to the loop. The limits of a resumed run also
        # cover what it has spent before, so that is added. Time is not: each process
        # counts it from 0.
        spent = self._record.summary_of(journal).spent
        spent_before = {"run_cost": spent.known_usd, "max_tokens_run": spent.tokens}
        for name, amount in self._budget.remaining().items():
            changes[name] = amount + spent_before.get(name, 0)
        return changes


def _modules_of(texts: Texts) -> set[str]:
    """Return the top-level modules and packages among a candidate's files."""
    modules = set()
    for name in texts:
        if name.endswith(".py"):
            modules.add(Path(name).parts[0].removesuffix(".py"))
    return modules


class Search:
    """Runs `gepa`, and is the adapter through which `gepa` plays candidates and gets
    proposals.

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
        proposer: Proposer,
        tell: Callable[[str], None],
    ) -> None:
        self._record = record
        self._player = player
        self._budget = budget
        self._proposer = proposer
        self._tell = tell
        self._instance_data = InstanceData()
        self._proposals_taken = 0
        """How many proposals `gepa` has received. A resumed search first receives the
        recorded ones."""
        self._complaint = ""
        """Why the last proposal was refused, for the next request to the proposer;
        empty if it was not refused."""
        self._failure: ControlPlaneError | None = None
        """The proposer's error. It ends the search, and `run` raises it."""

    def run(self) -> None:
        """Search until there are enough proposals, a limit is used up, or no trial
        fails.

        Raises the errors of runs and of the proposer.
        """
        gepa = extra_module("gepa", "improving", "improve")
        plan = self._record.plan
        # A program may change all files at once. A model is asked to change one file at
        # a time.
        changes_all_files = plan.proposer.startswith(COMMAND)
        gepa.optimize(
            seed_candidate=dict(plan.texts),
            trainset=list(plan.train),
            valset=list(plan.check),
            adapter=cast(
                "Any", self
            ),  # `gepa` is optional, so its type is not known here.
            reflection_minibatch_size=min(plan.batch, len(plan.train)),
            module_selector="all" if changes_all_files else "round_robin",
            stop_callbacks=[
                gepa.utils.ScoreThresholdStopper(1.0),
                gepa.utils.MaxCandidateProposalsStopper(
                    ROUNDS_PER_PROPOSAL * plan.proposals
                ),
                self._is_over,
            ],
            logger=SimpleNamespace(log=lambda text: None),
            seed=plan.seed,
        )
        if self._failure is not None:
            raise self._failure

    def _is_over(self, state: Any) -> bool:
        """Return True if the search is to end. `gepa` calls this before each round."""
        plan = self._record.plan
        if self._failure is not None or self._proposals_taken >= plan.proposals:
            return True
        # After the search, the best candidate and the original play the final worlds.
        # Keep back enough for these trials, if each takes as much as one on the check
        # worlds.
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

        Proposals must not contain data of single training worlds, so that data is
        collected here.
        """
        from gepa.core.adapter import EvaluationBatch

        plan = self._record.plan
        try:
            results = self._player.play(candidate, batch)
        except (
            UsageError
        ) as error:  # A prompt or a module of the candidate cannot be loaded.
            if candidate == plan.texts:
                raise
            self._complaint = f"it cannot be played: {error}"
            self._tell(f"the candidate {id_of(candidate)} cannot be played: {error}")
            return EvaluationBatch([None] * len(batch), [0.0] * len(batch))

        trials: list[RecordedTrial] = []
        is_training = set(plan.check).isdisjoint(batch)
        if is_training:
            journal = open_journal(self._record.journal_of(id_of(candidate), batch))
            trials = list(journal.trials.values())
            self._instance_data.add_trials(trials)
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
        """Return the changed texts of a new candidate; empty if the proposal was
        refused.

        The proposal comes from the record or, if that has no more, from the proposer.
        """
        if self._proposals_taken == len(self._record.proposals):
            # `make_reflective_dataset` has returned the same trials for each file.
            rows = reflective_dataset[components_to_update[0]]
            request = ProposalRequest(
                texts=candidate,
                names=components_to_update,
                trials=[row["trial"] for row in rows],
                complaint=self._complaint,
            )
            try:
                self._record_proposal(request)
            except ControlPlaneError as error:
                # `gepa` would catch the error and go on. `_is_over` ends the search
                # instead.
                self._failure = error
                return {}

        proposal = self._record.proposals[self._proposals_taken]
        self._proposals_taken += 1
        self._complaint = proposal.refused
        self._tell(self._progress())
        return _changed_texts(candidate, proposal.texts)

    # A proposal

    def _record_proposal(self, request: ProposalRequest) -> None:
        """Ask the proposer, and append its judged proposal to the record.

        Raises `ControlPlaneError`.
        """
        proposed = self._proposer.propose(request)
        self._record.append(self._judged(request.texts, proposed))

    def _judged(self, parent: Texts, proposed: Proposed) -> Proposed:
        """Return a proposal with all texts of its candidate, or with the reason to
        refuse it."""
        texts = dict(parent)
        for name, text in proposed.texts.items():
            if name in parent:
                texts[name] = text
        refused = proposed.refused or self._fault_of(parent, texts)
        if refused:
            texts = {}
        update = {"parent": id_of(parent), "refused": refused, "texts": texts}
        return proposed.model_copy(update=update)

    def _fault_of(self, before: Texts, after: Texts) -> str:
        """Return why a proposal has to be refused; empty if it is acceptable."""
        if before == after:
            return "nothing was changed"
        for name, text in after.items():
            if len(text.encode(errors="replace")) > bounds.MOST_TEXT_BYTES:
                return f"{name} has more than {bounds.MOST_TEXT_BYTES:,} bytes"
        values = self._instance_data.added_by(before, after)
        if values:
            shown = ", ".join(values[:MAX_VALUES_SHOWN])
            return (
                f"it holds data of the trials ({shown}), which no other world shares; "
                "write a general rule instead"
            )
        return ""

    def _progress(self) -> str:
        """Return a line about the search so far, for the user."""
        scores = [mean_score(trials) for trials in self._record.checked().values()]
        spent = self._budget.spent()
        text = (
            f"proposals: {self._proposals_taken}, candidates on the check worlds: {len(scores)}, "
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


LIMITS: Final = tuple(
    name for name in settings_with(Use.SPENDING) if name != "trial_cost"
)
"""The settings that limit a loop. They can be changed when it is resumed."""
