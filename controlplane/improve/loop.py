"""The loop: plays, proposes on traces of train worlds, keeps what is better on check worlds, proves it on final ones.

`gepa` selects parents by their Pareto front over check worlds, merges candidates and samples batches. Everything that
costs is in the loop's folder, so a loop that was killed goes on from its record and pays nothing twice.
"""

from __future__ import annotations

import io
import math
import random
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, Final, cast

from controlplane.comparison.run_comparison import LEAST_CHANGED, Interval, bootstrap_interval
from controlplane.errors import BudgetExhausted, UsageError
from controlplane.improve.evaluation import Evaluation, Instance, Played, Texts, id_of, mean_score, mean_tokens
from controlplane.improve.loop_record import Kept, LoopEnded, LoopOpened, LoopRecord, Proposed
from controlplane.improve.proposers import InstanceData, Proposer, traces_of

REFUSALS: Final = 2
"""Times that a proposer is asked again after a proposal that was refused."""
SHOWN_VALUES: Final = 5
IDLE_ROUNDS: Final = 4
"""Rounds without a proposal, for each wanted proposal, after which the loop ends: the batches had no failure left."""


@dataclass(frozen=True, slots=True)
class LoopLimits:
    """The limits of the whole loop, proposals included. None: no limit."""

    cost_usd: float | None = None
    tokens: int | None = None
    time_s: float | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a loop has come."""

    proposals: int
    candidates: int
    """Candidates that were played on all check worlds, the original included."""
    best_score: float
    cost_usd: float | None
    tokens: int
    left: str
    """What is left of the limits, in words; empty without limits."""


@dataclass(slots=True)
class Loop:
    """One loop at work. Raises what `Evaluation.play` and `Proposer.propose` raise."""

    record: LoopRecord
    evaluation: Evaluation
    proposer: Proposer
    limits: LoopLimits
    on_progress: Callable[[Progress], None] = lambda progress: None
    _data: InstanceData = field(default_factory=InstanceData)
    _checked: dict[str, list[Played]] = field(default_factory=dict)
    """Results on the check worlds, by candidate."""
    _recorded: deque[Proposed] = field(default_factory=deque)
    """Proposals of an earlier process, which are not paid again."""
    _proposals: int = 0
    _reported: Progress | None = None
    _began: float = field(default_factory=time.monotonic)

    @property
    def plan(self) -> LoopOpened:
        return self.record.plan

    def run(self) -> LoopEnded:
        """Search, then play the best candidate and the original on the final worlds, once."""
        if self.record.end is not None:
            return self.record.end
        self.evaluation.caps = self._caps
        self._recorded = deque(line for line in self.record.lines if isinstance(line, Proposed))
        self._search()
        end = self._proved(self.best())
        self.record.append(end)
        return end

    def best(self) -> Texts:
        """Return the candidate with the best mean on the check worlds; among equals the cheapest, then the oldest."""
        texts = {id_of(self.plan.texts): self.plan.texts}
        texts |= {id_of(line.texts): line.texts for line in self.record.lines if isinstance(line, Proposed)}
        checked = [(played, candidate) for candidate, played in self._checked.items() if candidate in texts]
        if not checked:
            return self.plan.texts
        is_thrifty = set(self.plan.objectives) - {"score"}

        def rank(one: tuple[list[Played], str]) -> tuple[float, float]:
            return (mean_score(one[0]), -_spendings(one[0], self.plan.objectives) if is_thrifty else 0.0)

        return texts[max(checked, key=rank)[1]]

    def _search(self) -> None:
        try:
            from gepa.api import optimize
        except ModuleNotFoundError as error:
            msg = "improving needs the package gepa: in a clone, .venv/bin/pip install -e '.[improve]'"
            raise UsageError(msg) from error
        plan = self.plan
        train, check = (_instances(part) for part in (plan.train, plan.check))
        files = len(plan.texts)
        with redirect_stdout(io.StringIO()):
            optimize(
                seed_candidate=dict(plan.texts),
                trainset=train,
                valset=check,
                adapter=cast("Any", _Adapter(self)),
                custom_candidate_proposer=self._propose,
                reflection_minibatch_size=min(plan.batch, len(train)),
                module_selector="all" if self.proposer.changes_all else "round_robin",
                frontier_type="instance" if plan.objectives == ("score",) else "hybrid",
                use_merge=files > 1 and not self.proposer.changes_all,
                stop_callbacks=[cast("Any", self._is_over)],
                logger=_Quiet(),
                callbacks=[cast("Any", _Kept(self))],
                seed=plan.seed,
            )

    def _is_over(self, state: Any) -> bool:
        self._report_progress()
        rounds = int(getattr(state, "i", 0)) + 1
        if self.plan.objectives == ("score",) and any(mean_score(played) >= 1 for played in self._checked.values()):
            return True  # Nothing on the check worlds is left to win.
        return self._proposals >= self.plan.proposals or rounds > IDLE_ROUNDS * self.plan.proposals or self._is_spent()

    # Evaluation ------------------------------------------------------------------------------------------------------

    def play(self, texts: Texts, instances: Sequence[Instance]) -> list[Played]:
        """Play a candidate; results on train worlds teach what a proposal must not carry."""
        played = self.evaluation.play(texts, instances)
        check = set(_instances(self.plan.check))
        if set(instances) == check:
            self._checked[id_of(texts)] = played
        elif not check.intersection(instances):
            self._data.learn(played)
        return played

    # Proposals -------------------------------------------------------------------------------------------------------

    def _propose(
        self,
        candidate: dict[str, str],
        reflective_dataset: Mapping[str, Sequence[Mapping[str, Any]]],
        components_to_update: list[str],
    ) -> dict[str, str]:
        """Return the texts of a new candidate that differ, from the record or from the proposer; empty if refused."""
        parent = id_of(candidate)
        self._proposals += 1
        while self._recorded:
            line = self._recorded.popleft()
            if line.parent != parent:  # The loop took another way than before: the rest of its record does not fit.
                self._recorded.clear()
                break
            if not line.refused:
                return _changed(candidate, line.texts)
            if not self._recorded or self._recorded[0].number != line.number:
                return {}
        played = [row["played"] for row in next(iter(reflective_dataset.values()), ())]
        traces, complaint = traces_of(played), ""
        for _ in range(REFUSALS + 1):
            began = time.monotonic()
            proposal = self.proposer.propose(candidate, components_to_update, traces, complaint)
            texts = {**candidate, **{name: text for name, text in proposal.texts.items() if name in candidate}}
            complaint = self._fault_of(candidate, texts)
            self.record.append(
                Proposed(
                    number=self._proposals,
                    parent=parent,
                    texts=texts,
                    refused=complaint,
                    cost_usd=proposal.cost_usd,
                    tokens=proposal.tokens,
                    elapsed_s=round(time.monotonic() - began, 3),
                )
            )
            if not complaint:
                return _changed(candidate, texts)
        return {}

    def _fault_of(self, before: Texts, after: Texts) -> str:
        """Return why a proposal is refused; empty if it is not."""
        if before == after:
            return "nothing was changed"
        if values := self._data.found_in(before, after):
            named = ", ".join(values[:SHOWN_VALUES])
            return (
                f"it holds data of the trials ({named}), which other worlds do not share; write a general rule instead"
            )
        return self.evaluation.store.fault_of(after)

    # Limits ----------------------------------------------------------------------------------------------------------

    def _spent(self) -> tuple[float | None, int]:
        played = self.evaluation.spent()
        proposals = [line for line in self.record.lines if isinstance(line, Proposed)]
        costs = [played.cost_usd, *(line.cost_usd for line in proposals)]
        priced = [cost for cost in costs if cost is not None]
        tokens = played.tokens + sum(line.tokens for line in proposals)
        return (math.fsum(priced) if len(priced) == len(costs) else None), tokens

    def _caps(self, runs: int) -> dict[str, float | int | None]:
        """Return what is left of the limits for each of so many runs. Raises `BudgetExhausted` if nothing is."""
        cost, tokens = self._spent()
        time_s = None if self.limits.time_s is None else self.limits.time_s - (time.monotonic() - self._began)
        if self.limits.cost_usd is not None and cost is None:
            msg = "the price of a reply is unknown, so --run-cost cannot be kept; give the model's --prices"
            raise BudgetExhausted(msg)
        left_usd = None if self.limits.cost_usd is None or cost is None else (self.limits.cost_usd - cost) / runs
        left_tokens = None if self.limits.tokens is None else (self.limits.tokens - tokens) // runs
        if any(left is not None and left <= 0 for left in (left_usd, left_tokens, time_s)):
            msg = "the loop has spent its limits"
            raise BudgetExhausted(msg)
        return {"run_cost": left_usd, "max_tokens_run": left_tokens, "run_time": time_s}

    def _is_spent(self) -> bool:
        """Say whether the search has to end so that the final worlds can still be played."""
        cost, tokens = self._spent()
        trials = max(self._trials_played(), 1)
        share = 2 * len(self.plan.final) / trials
        elapsed = time.monotonic() - self._began
        return any(
            limit is not None and spent is not None and spent * (1 + share) >= limit
            for limit, spent in (
                (self.limits.cost_usd, cost),
                (self.limits.tokens, float(tokens)),
                (self.limits.time_s, elapsed),
            )
        )

    def _trials_played(self) -> int:
        return sum(map(len, self._checked.values()))

    def _report_progress(self) -> None:
        cost, tokens = self._spent()
        left = []
        if self.limits.cost_usd is not None and cost is not None:
            left.append(f"${self.limits.cost_usd - cost:.2f}")
        if self.limits.tokens is not None:
            left.append(f"{self.limits.tokens - tokens:,} tokens")
        if self.limits.time_s is not None:
            left.append(f"{self.limits.time_s - (time.monotonic() - self._began):.0f} s")
        best = max((mean_score(played) for played in self._checked.values()), default=0.0)
        progress = Progress(self._proposals, len(self._checked), best, cost, tokens, ", ".join(left))
        if progress != self._reported:
            self._reported = progress
            self.on_progress(progress)

    # Proof -----------------------------------------------------------------------------------------------------------

    def _proved(self, best: Texts) -> LoopEnded:
        """Play the final worlds with the original and the best candidate, and return the result in words."""
        chosen = id_of(best)
        if chosen == id_of(self.plan.texts):
            text = f"no candidate of {self._proposals} was better than the original on the check worlds"
            return LoopEnded(best=chosen, is_better=False, text=text)
        final = _instances(self.plan.final)
        before, after = self.evaluation.play(self.plan.texts, final), self.evaluation.play(best, final)
        differences = [two.score - one.score for one, two in zip(before, after, strict=True)]
        interval = bootstrap_interval(differences) or Interval(0.0, 0.0, 0.0)
        changed = sum(difference != 0 for difference in differences)
        is_better = interval.low > 0 and changed >= LEAST_CHANGED
        thrift = _difference_of_spendings(before, after, self.plan.objectives)
        if thrift is not None and interval.mean >= 0 and thrift.high < 0:
            is_better = True
        return LoopEnded(best=chosen, is_better=is_better, text=result_text(before, after, interval))


def result_text(before: Sequence[Played], after: Sequence[Played], interval: Interval) -> str:
    """Return the result in one line: means, number of tasks, difference with its interval, and the change of tokens."""
    text = (
        f"{mean_score(before):.2f} → {mean_score(after):.2f} on {len(before)} unseen tasks "
        f"({interval.mean:+.2f}, 95 % {interval.low:.2f} to {interval.high:.2f})"
    )
    tokens = mean_tokens(before)
    return f"{text}, tokens {100 * (mean_tokens(after) - tokens) / tokens:+.0f} %" if tokens else text


def _spendings(played: Sequence[Played], objectives: Sequence[str]) -> float:
    return fmean(spending_of(one, objectives) for one in played) if played else 0.0


def spending_of(one: Played, objectives: Sequence[str]) -> float:
    """Return what a trial took, in the first objective beside the score."""
    wanted = next((objective for objective in objectives if objective != "score"), "tokens")
    return {"tokens": float(one.tokens), "cost": one.cost_usd or 0.0, "turns": float(one.steps)}[wanted]


def _difference_of_spendings(
    before: Sequence[Played], after: Sequence[Played], objectives: Sequence[str]
) -> Interval | None:
    if not set(objectives) - {"score"}:
        return None
    pairs = zip(before, after, strict=True)
    return bootstrap_interval([spending_of(two, objectives) - spending_of(one, objectives) for one, two in pairs])


def _instances(pairs: Sequence[tuple[int, str]]) -> list[Instance]:
    return [Instance(seed, task) for seed, task in pairs]


def _changed(before: Texts, after: Texts) -> dict[str, str]:
    return {name: text for name, text in after.items() if before.get(name) != text}


class _Adapter:
    """What `gepa` asks of a system: play candidates, and say what of a trial matters to a file."""

    propose_new_texts = None

    def __init__(self, loop: Loop) -> None:
        self._loop = loop

    def evaluate(self, batch: list[Instance], candidate: dict[str, str], capture_traces: bool = False) -> Any:
        from gepa.core.adapter import EvaluationBatch

        played = self._loop.play(candidate, batch)
        objectives = self._loop.plan.objectives
        rows = None
        if objectives != ("score",):
            rows = [{"score": one.score, "thrift": -spending_of(one, objectives)} for one in played]
        return EvaluationBatch(
            outputs=played,
            scores=[one.score for one in played],
            trajectories=played if capture_traces else None,
            objective_scores=rows,
        )

    def make_reflective_dataset(
        self, candidate: dict[str, str], eval_batch: Any, components_to_update: list[str]
    ) -> dict[str, list[dict[str, Any]]]:
        del candidate
        rows = [{"played": one} for one in eval_batch.trajectories or ()]
        return dict.fromkeys(components_to_update, rows)


class _Quiet:
    def log(self, message: str) -> None:
        """Say nothing: the loop has lines of its own."""


class _Kept:
    """Writes down which candidates `gepa` keeps."""

    def __init__(self, loop: Loop) -> None:
        self._loop = loop
        self._ids: dict[int, str] = {0: id_of(loop.plan.texts)}

    def on_valset_evaluated(self, event: Mapping[str, Any]) -> None:
        """Record a candidate that was played on all check worlds, if the record does not have it."""
        candidate = id_of(event["candidate"])
        self._ids[event["candidate_idx"]] = candidate
        recorded = {line.candidate for line in self._loop.record.lines if isinstance(line, Kept)}
        if candidate not in recorded:
            parents = tuple(self._ids.get(parent, "") for parent in event["parent_ids"] or ())
            self._loop.record.append(
                Kept(candidate=candidate, parents=parents, check_score=round(event["average_score"], 6))
            )


def split_tasks(tasks: Sequence[str], shares: Sequence[int], seed: int) -> list[list[str]]:
    """Return the tasks in parts of these shares in per cent, shuffled by the seed. Raises `UsageError`."""
    order = list(tasks)
    random.Random(seed).shuffle(order)
    ends = [round(len(order) * sum(shares[: at + 1]) / 100) for at in range(len(shares))]
    parts = [order[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)]
    if sum(shares) != 100 or not all(parts):
        msg = f"{len(order)} tasks cannot be split {'/'.join(map(str, shares))}: every part needs one, and 100 in all"
        raise UsageError(msg)
    return parts
