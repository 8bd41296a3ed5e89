"""An improvement loop: it looks for better texts of an agent, such as its prompts.

A loop plays versions of the texts, called candidates, and asks a proposer (a model or a program)
for changes. A world is a task with data of its own. The loop has three sets of them:

- train: the proposer is shown trials of these worlds;
- check: the loop decides by these which candidates are better;
- final: at the end, the best candidate is compared with the original in these, which no
  candidate has played before (the proof).

A loop that was interrupted can be continued.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, cast

from controlplane.agent.loop import FOLDER, PROMPT_FILES
from controlplane.benchmark import TaskTry
from controlplane.configuration.folder_imports import pin_modules
from controlplane.configuration.run_settings import SERVER_OPTIONS, RunSettings
from controlplane.configuration.setting_sources import resolve
from controlplane.errors import (
    BudgetExhausted,
    ControlPlaneError,
    Interrupted,
    UsageError,
    extra_module,
)
from controlplane.improving.loop_plan import LoopBudget
from controlplane.improving.loop_record import (
    HINTS,
    PROMPTS,
    Instance,
    LoopEnded,
    LoopOpened,
    LoopRecord,
    Texts,
    id_of,
    loop_score,
    mean_score,
    mean_tokens,
    without_score_text,
)
from controlplane.improving.proposing import COMMAND, Proposals, open_proposer
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.totals.trial_summary import TrialSummary
from controlplane.journal.trial_reader import RecordedTrial
from controlplane.lifecycle.conducting import RunScreen, conduct
from controlplane.lifecycle.resources.run_solver import RunSpec
from controlplane.lifecycle.run_beginnings import continued_run
from controlplane.lifecycle.run_plan import RunPlan
from controlplane.mcp.tool_access import tool_access
from controlplane.quantity_texts import count_text, score_text, signed_text
from controlplane.run_comparison.results import LEAST_CHANGED
from controlplane.sandbox.files import write_whole
from controlplane.score_statistics import (
    Interval,
    bootstrap_interval,
    interval_of_differences,
)

# The files of a candidate, and the settings under which it plays.
#
# A *candidate* is a new version of some files, such as prompts, that an improvement loop tries
# out. A *proposer*, a model or a program, writes it. For its run, the files are written into a
# folder of their own, and the run's settings name this folder instead of the original files.

_SETTINGS_WITH_PATHS: Final = (
    "model",
    "agent",
    "rule_sets",
    "benchmark",
    "hints",
    "prompt",
)
"""Settings that may name an edited file."""
_READ_ONLY: Final = 0o444


def candidate_folder(loop_folder: Path, texts: Texts) -> Path:
    """Return the folder of a candidate's files. Its name is a hash of them."""
    return loop_folder / "candidates" / id_of(texts)


def candidate_settings(
    settings: RunSettings,
    changes: Mapping[str, object],
    texts: Texts,
    origins: Mapping[str, str],
    folder: Path,
) -> RunSettings:
    """Write a candidate's files into `folder`, and return the settings under which it plays.

    They are the loop's `settings` with `changes`, and name the candidate's files instead
    of the originals. `texts` are the candidate's texts, and `origins` the paths of the
    original files, both by names such as `prompts/system.md`.
    """
    # Write a candidate's files into its folder, all of them read-only.
    files = {}
    if any(prompt_name.startswith(f"{PROMPTS}/") for prompt_name in texts):
        # The setting `prompt` names a folder of all prompts, also of those that are not edited.
        # `FOLDER` has the product's own prompts. `PROMPT_FILES` has the name of every prompt as a key.
        prompts = Path(settings.prompt or FOLDER)
        for prompt_name in PROMPT_FILES:
            files[f"{PROMPTS}/{prompt_name}.md"] = (
                prompts / f"{prompt_name}.md"
            ).read_text("utf-8")
    files |= texts
    for prompt_name, text in files.items():
        write_whole(folder / prompt_name, text.encode(), folder, mode=_READ_ONLY)
    values: dict[str, Any] = settings.model_dump()
    values |= changes
    for name, origin in origins.items():
        if name.startswith(f"{PROMPTS}/"):
            values["prompt"] = str(folder / PROMPTS)
        elif name == HINTS:
            has_hints = bool(texts[HINTS].strip())
            values["hints"] = str(folder / HINTS) if has_hints else ""
        else:
            # The path may be a part of a value, as in `scripted:scripts.jsonl`.
            for setting in _SETTINGS_WITH_PATHS:
                values[setting] = _with_copy(
                    values[setting], origin, str(folder / name)
                )
    return RunSettings.model_validate(values)


def _with_copy(value: str, origin: str, copy: str) -> str:
    """Return the value of a setting with the path of a file replaced by that of its copy.

    `origin` is the file's absolute path. The setting may name it by a relative path.
    """
    if origin in value:
        return value.replace(origin, copy)
    if Path(origin).is_relative_to(Path.cwd()):
        relative = str(Path(origin).relative_to(Path.cwd()))
        return value.replace(relative, copy)
    return value


# Plays the candidates of an improvement loop.
#
# A candidate is a new version of the files that the loop may change, such as prompts: its
# `texts`, by names such as `prompts/system.md`. To play it is to conduct one run with these files,
# whose journal then holds its results.


class _CandidatePlayer:
    """Plays candidates. A candidate that has already played the same worlds is not played again."""

    def __init__(
        self,
        record: LoopRecord,
        settings: RunSettings,
        budget: LoopBudget,
        screen: RunScreen,
    ) -> None:
        self._record = record
        self._settings = settings
        self._budget = budget
        self._screen = screen
        # The servers of controlplane.toml, as in any run; the record names none.
        no_options = dict.fromkeys(SERVER_OPTIONS, ())
        configured = resolve({}, os.environ, Path.cwd()).mcp
        self._tools = tool_access(no_options, configured)

    def play(self, texts: Texts, instances: Sequence[Instance]) -> list[TrialSummary]:
        """Return a candidate's results on these instances, in their order.

        An instance, such as `(17, "loans.3")`, is a task in the world of this number. The run's
        results are read from its journal. Raises `BudgetExhausted` and `Interrupted`; after that,
        another call with the same arguments continues from the journal.
        """
        candidate = id_of(texts)
        results = self._record.journals.results(candidate, instances)
        if results is not None:
            return results
        if self._budget.is_used_up():
            msg = "the loop has spent its limits"
            raise BudgetExhausted(msg)

        journal = self._record.journals.path_of(candidate, instances)
        folder = candidate_folder(self._record.folder, texts)
        # The settings in which a candidate's run differs from the loop.
        changes: dict[str, object] = {
            "limit": None,
            "repeats": 1,
            "runs_dir": str(journal.parent),
            "name": f"candidate {candidate}",
        }
        spent = self._record.journals.summary_of(journal).spent
        spent_before = {"run_cost": spent.known_usd, "run_tokens": spent.tokens}
        for name, amount in self._budget.remaining().items():
            changes[name] = amount + spent_before.get(name, 0)
        origins = self._record.plan.origins
        settings = candidate_settings(self._settings, changes, texts, origins, folder)
        # If modules are among its files, such as a changed solver, the run has to import these and
        # not the originals.
        modules = [Path(name).parts[0] for name in texts if name.endswith(".py")]
        pin_modules({module.removesuffix(".py") for module in modules}, folder)
        # Each instance is played once, even if it is listed twice.
        tries = [TaskTry(task, number) for number, task in dict.fromkeys(instances)]
        plan = RunPlan(
            RunSpec(settings, tools=self._tools),
            self._record.plan.sources,
            tries=tuple(tries),
            run_id=journal.stem,
        )
        conduct_run(plan, self._screen)

        results = self._record.journals.results(candidate, instances)
        assert results is not None
        return results


def conduct_run(plan: RunPlan, screen: RunScreen) -> None:
    """Begin or continue the run of a candidate, and play it to its end.

    Raises `ControlPlaneError` if it does not end.
    """
    with continued_run(plan) as run:
        code = conduct(run, screen)
    # `conduct` has reported the run's error, and returns only its exit code. The
    # loop has to end with the same error, which is found by the code.
    reason = run.summary.process.error or f"the run {plan.run_id} did not end"
    if code == Interrupted.exit_code:
        raise Interrupted(reason)
    if code == BudgetExhausted.exit_code:
        raise BudgetExhausted(reason)
    if not run.summary.submitted:
        raise ControlPlaneError(reason)
    # If the user interrupts a run while its last trials end, the run is complete, but
    # the loop still has to stop.
    if run.controls.interrupted.is_set():
        raise Interrupted


# What the optimizer `gepa` calls in a search: it plays candidates and asks for changes.


class _GepaAdapter:
    """Plays candidates and gets proposals for `gepa`.

    In each round, `gepa` calls these methods, and so prescribes their names and parameters:

    1. `evaluate` plays a candidate on a batch.
    2. `make_reflective_dataset` selects the trials to show to the proposer.
    3. `propose_new_texts` returns the changed texts.
    """

    def __init__(
        self,
        record: LoopRecord,
        player: _CandidatePlayer,
        proposals: Proposals,
        budget: LoopBudget,
        tell: Callable[[str], None],
    ) -> None:
        """`tell` shows a line to the user."""
        self._record = record
        self._player = player
        self._proposals = proposals
        self._budget = budget
        self._tell = tell
        self.failure: ControlPlaneError | None = None
        """The proposer's error, which ends the search."""

    def evaluate(
        self,
        batch: list[Instance],
        candidate: dict[str, str],
        capture_traces: bool = False,
    ) -> Any:
        """Play a candidate on a batch, and return its scores.

        - A candidate that cannot be played scores 0 everywhere, so `gepa` does not keep it.
        - After a batch of training worlds, the data that the trials have seen is noted: a
          proposal that contains such data is refused.
        """
        from gepa.core.adapter import EvaluationBatch

        try:
            results = self._player.play(candidate, batch)
        except UsageError as error:  # A text or module cannot be loaded.
            is_original = candidate == self._record.plan.texts
            # This fault was there before the search, which cannot go on.
            if is_original:
                raise
            # The proposer is told with its next request.
            self._proposals.complain(f"it cannot be played: {error}")
            self._tell(f"the candidate {id_of(candidate)} cannot be played: {error}")
            return EvaluationBatch([None] * len(batch), [0.0] * len(batch))

        trials: list[RecordedTrial] = []
        # `gepa` never mixes training worlds with check worlds.
        if set(self._record.plan.check).isdisjoint(batch):
            path = self._record.journals.path_of(id_of(candidate), batch)
            trials = list(open_journal(path).trials.values())
            self._proposals.learn_data(trials)
        scores = [loop_score(result) for result in results]
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
        """Return the changed texts of a new candidate.

        They are empty if the proposal was refused or the proposer failed.
        """
        # `make_reflective_dataset` has returned the same trials for each file.
        rows = reflective_dataset[components_to_update[0]]
        trials = [row["trial"] for row in rows]
        try:
            proposal = self._proposals.next(candidate, components_to_update, trials)
        except ControlPlaneError as error:
            # `gepa` would catch the error and go on, so the search looks at `failure`.
            self.failure = error
            return {}
        self._tell_figures()
        changed = {}
        for name, text in proposal.texts.items():
            if candidate[name] != text:
                changed[name] = text
        return changed

    def _tell_figures(self) -> None:
        """Show how many proposals were made, and what the search has found and spent."""
        checked = self._record.checked()
        best = max(checked.values(), key=mean_score, default=())
        best_score = mean_score(best) if best else 0.0
        unscored = without_score_text(best)
        unscored = f" ({unscored})" if unscored else ""
        spent = self._budget.spent()
        text = (
            f"proposals: {self._proposals.taken}, candidates on the check worlds: {len(checked)}, "
            f"best {score_text(best_score, 3)}{unscored}; spent {spent.tokens:,} tokens"
        )
        if spent.cost_usd is not None:
            text += f", ${spent.cost_usd:.2f}"
        self._tell(text)


# Compares the best candidate with the original at the end of a loop.
#
# Both play the final worlds, which no candidate has played and no proposer has seen.

_BEST_SCORE: Final = 1.0
"""With this mean score on the check worlds the search ends."""
_SMALL_SAMPLE: Final = 30
"""With fewer tasks, the intervals of a percentile bootstrap are too narrow.
If all tasks change alike, they even shrink to a point."""


def _prove_best(
    record: LoopRecord, player: _CandidatePlayer, budget: LoopBudget
) -> LoopEnded:
    """Play the final worlds with the original and the best candidate, and return the result.

    Raises the errors of runs.
    """
    plan = record.plan
    best = record.best()
    if best == id_of(plan.texts):
        text = (
            f"no candidate of {len(record.proposals)} was better than the original "
            "on the check worlds"
        )
        if not record.proposals:
            text = f"nothing was proposed: {_why_nothing_was_proposed(record, budget)}"
        return LoopEnded(best=best, is_better=False, text=text)

    before = player.play(plan.texts, plan.final)
    after = player.play(record.candidates[best], plan.final)
    differences = []
    for original, improved in zip(before, after, strict=True):
        differences.append(loop_score(improved) - loop_score(original))
    interval = difference_interval(differences)

    text = result_text(before, after, interval)
    is_above_zero = interval.low > 0
    changed_tasks = sum(1 for difference in differences if difference)
    changed_enough = changed_tasks >= LEAST_CHANGED
    if is_above_zero and not changed_enough:
        text += f"; fewer than {LEAST_CHANGED} tasks changed"
    return LoopEnded(best=best, is_better=is_above_zero and changed_enough, text=text)


def _why_nothing_was_proposed(record: LoopRecord, budget: LoopBudget) -> str:
    """Return why the search of a loop ended before its first proposal, and what to do."""
    original = record.checked()[id_of(record.plan.texts)]
    if mean_score(original) >= _BEST_SCORE:
        return (
            f"the original has the best score on {count_text(len(original), 'check world')}, so "
            "there is nothing to gain; name worlds on which it fails by --check"
        )
    if budget.is_used_up(_share_of_final_trials(record.plan, candidates=1)):
        return "the limits leave too little for one; raise --run-cost, --run-tokens or --run-time"
    return "no trial failed on the training worlds; name others by --train"


def difference_interval(differences: Sequence[float]) -> Interval:
    """Return the mean of the differences with its 95 % interval.

    For many tasks the interval comes from a bootstrap. For few tasks that would be too
    narrow, so it is Wilson's score interval (1927). Wilson's is defined for differences from
    -1 to 1 alone: if a benchmark gives scores beyond 1, the bootstrap is used for few tasks, too.
    """
    interval = bootstrap_interval(differences)
    assert interval is not None  # It is None only without differences.
    is_in_range = all(-1 <= difference <= 1 for difference in differences)
    if len(differences) >= _SMALL_SAMPLE or not is_in_range:
        return interval
    return interval_of_differences(differences)


def result_text(
    before: Sequence[TrialSummary], after: Sequence[TrialSummary], interval: Interval
) -> str:
    """Return the result in one line.

    It has the means, the number of tasks, the difference with its interval, and the change
    of tokens.
    """
    text = (
        f"{score_text(mean_score(before))} → {score_text(mean_score(after))} on {len(before)} unseen tasks "
        f"({signed_text(interval.mean)}, 95 % CI [{score_text(interval.low)}, {score_text(interval.high)}])"
    )
    for name, trials in (("before", before), ("after", after)):
        unscored = without_score_text(trials)
        if unscored:
            text += f", {name}: {unscored}"
    tokens_before = mean_tokens(before)
    if tokens_before:
        change = mean_tokens(after) / tokens_before - 1
        text += f", tokens {100 * change:+.0f} %"
    return text


# The search for better texts of an agent, with the optimizer `gepa`.
#
# A candidate is a version of the texts. A round of the search has three steps:
#
# 1. Play a candidate on a batch of training worlds.
# 2. Show its trials to a proposer, which returns a changed candidate.
# 3. If that is better on the batch, play it on all check worlds.
#
# `gepa` chooses the candidate and the batch of each round. It prefers candidates that are
# the best on at least one check world. A resumed search takes proposals and results from
# its record instead of asking and playing again.

_ROUNDS_PER_PROPOSAL: Final = 4
"""The search ends after this many rounds for each wanted proposal, since not every round
makes a proposal: if all trials of the batch succeed, there is nothing to improve."""


def _search(
    record: LoopRecord,
    player: _CandidatePlayer,
    proposals: Proposals,
    budget: LoopBudget,
    tell: Callable[[str], None],
) -> None:
    """Search for better texts until there are enough proposals, a limit is used up, or no trial fails.

    The library `gepa` decides which candidate is changed next, and on which trials. What it finds is in
    the `record`. Raises the errors of runs and of the proposer.
    """
    gepa = extra_module("gepa", "improving", "improve")
    plan = record.plan
    adapter = _GepaAdapter(record, player, proposals, budget, tell)

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
            gepa.utils.ScoreThresholdStopper(_BEST_SCORE),
            gepa.utils.MaxCandidateProposalsStopper(
                _ROUNDS_PER_PROPOSAL * plan.proposals
            ),
            is_over,
        ],
        # The lines of `gepa` are dropped. The adapter tells the user how far it is.
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
            player = _CandidatePlayer(record, settings, budget, screen)
            _search(record, player, Proposals(record, proposer), budget, tell)
            record.append(_prove_best(record, player, budget))
    assert record.end is not None
    return record.end
