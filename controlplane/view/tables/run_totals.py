"""The lines with a run's totals: scores, spending, families and rejections."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from controlplane.facts.fact_fields import Row
from controlplane.facts.run_facts import RunFacts
from controlplane.gate_texts import gates_and_rules_text
from controlplane.quantity_texts import (
    cost_text,
    count_text,
    metrics_text,
    score_text,
    spent_texts,
    unscored_text,
)
from controlplane.score_statistics import PassRates
from controlplane.terminal_text import one_line

# The lines about rejected answers and stopped calls.


def rejections_text(rejections: Mapping[str, int]) -> str:
    """Return how often each gate and rule rejected an answer.

    `sent back by gate 8 (literal tokens) ×12, SET/RULE ×1`
    """
    return f"sent back by {_counted(rejections)}"


def _counted(counts: Mapping[str, int]) -> str:
    """Return gates and rules with their counts: `gate 8 (literal tokens) ×12, SET/RULE ×1`."""
    suffixes = {}
    for key, count in counts.items():
        suffixes[key] = f" ×{count}"
    return gates_and_rules_text(suffixes)


def objection_lines(run: RunFacts) -> list[str]:
    """Return the objections that answers were sent over, and what happened to calls held back.

    For example:

        accepted over objections: gate 8 (literal tokens) ×2
        pre-call check held 3 calls; done otherwise (mean score 1.00), 1 call; not done

    In the second line, the model did the same as 3 of the calls in another way, and
    those trials have a mean score of 1.00. One call was not made at all.
    """
    lines = []
    if run.overridden:
        lines.append(f"accepted over objections: {_counted(run.overridden)}")
    # The benchmark judges calls before they are made, and objected to these.
    if run.stopped_calls:
        lines.append(f"pre-call check held {_held_text(run.stopped_calls)}")
    # An argument is known only from a text that the model read. Such a text may be an attack.
    if run.held_calls:
        texts = _held_text(run.held_calls)
        lines.append(f"held for values from read text alone: {texts}")
    return lines


def _held_text(calls: Mapping[str, Row]) -> str:
    """Return what happened to held calls: `1 call; done otherwise (mean score 1.00)`."""
    texts = []
    for what_next, figures in calls.items():
        text = f"{count_text(figures['calls'], 'call')}; {what_next}"
        if figures["mean_score"] is not None:
            unscored = figures["unscored"]
            without = f", {unscored} without a score" if unscored else ""
            text += f" (mean score {score_text(figures['mean_score'])}{without})"
        texts.append(text)
    return ", ".join(texts)


def total_lines(run: RunFacts) -> list[str]:
    """Return the lines with totals: score, spending, rejections, and remarks on the score."""
    lines = [" · ".join(_score_texts(run))]
    for figures in (run.spent_texts, _cost_texts(run), _role_texts(run)):
        if figures:
            lines.append(" · ".join(figures))
    if run.rejections:
        lines.append(rejections_text(run.rejections))
    lines += objection_lines(run)
    if run.remark:
        lines.append(run.remark)
    return lines


def _score_texts(run: RunFacts) -> list[str]:
    """Return the mean score, the graders' other figures, and the number of trials that went wrong.

    `mean score 0.850 over 18 of 20 trials`, `2 failed to start`
    """
    texts = [_mean_score_text(run)]
    if run.unscored:
        texts.append(unscored_text(run.unscored))
    if run.metrics:
        texts.append(metrics_text(run.metrics))

    # The product sent an answer in place of the solver.
    if run.trials_fallback:
        texts.append(f"{run.trials_fallback} ended by the fallback")
    if run.trials_not_started:
        texts.append(f"{run.trials_not_started} failed to start")
    if run.trials_left and run.submitted:
        texts.append(f"{run.trials_left} cut off")
    elif run.trials_left and run.mean_score is not None:
        texts.append(f"{run.trials_left} unfinished")
    return texts


def _mean_score_text(run: RunFacts) -> str:
    """Return the mean score: `mean score 0.850 over 38 of 40 trials`, or why there is none."""
    if not run.trials_total:
        return "the run has no trials"
    trials = count_text(run.trials_total, "trial")
    if run.mean_score is None:
        scores = "no score" if run.unscored else "no scores yet"
        return f"{run.trials_over} of {trials} over, {scores}"
    text = f"mean score {run.mean_text} over {run.trials_scored} of {trials}"
    if run.tries_differ:
        text += ", each task weighing the same"
    if run.parts:
        text += f", {run.parts}"
    return text


def _cost_texts(run: RunFacts) -> list[str]:
    """Return texts on costs, as far as they are known: `$0.02 a trial`, `$0.03 a right answer`.

    The last one is the share of request tokens that the provider had cached.
    """
    texts = []
    if run.unpriced_replies and run.known_cost_usd:
        known = cost_text(run.known_cost_usd)
        texts.append(f"{known} plus {run.unpriced_replies} replies of unknown price")
    if run.cost_per_trial_usd:
        texts.append(f"{cost_text(run.cost_per_trial_usd)} a trial")
    if run.cost_per_right_usd:
        texts.append(f"{cost_text(run.cost_per_right_usd)} a right answer")
    if run.cached_share:
        texts.append(
            f"{run.cached_share:.0%} of request tokens from the provider's cache"
        )
    return texts


def _role_texts(run: RunFacts) -> list[str]:
    """Return the tokens and cost of each role (a kind of request): `review: 12 replies, 9,000 tokens`.

    The list is empty if all replies have the same role.
    """
    if len(run.roles) < 2:
        return []
    # Roles with the most tokens come first.
    roles = sorted(run.roles.items(), key=lambda role: (-role[1]["tokens"], role[0]))
    texts = []
    for role, spent in roles:
        is_estimated = role in run.estimated_roles
        figures = [count_text(spent["replies"], "reply")]
        figures += spent_texts(
            spent["tokens"], spent["cost_usd"], is_estimated=is_estimated
        )
        texts.append(f"{role}: {', '.join(figures)}")
    return texts


def family_lines(run: RunFacts) -> list[str]:
    """Return a line for each mean score, the lowest first, with the families that have it.

    `0.50  letters ×4, sums`: both families have a mean score of 0.50, and `letters` has
    four trials. The list is empty if there is only one family, or if each family has
    one trial: then the table of trials already shows the scores.
    """
    has_one_trial_each = len(run.family_scores) == run.trials_total
    if len(run.family_scores) < 2 or has_one_trial_each:
        return []
    by_score: dict[str, list[str]] = {}
    for family in run.family_scores:
        if family.mean is None:
            continue
        name = one_line(family.name)
        if family.scored > 1:
            name += f" ×{family.scored}"
        if family.unscored:
            name += f" ({family.unscored} without a score)"
        by_score.setdefault(score_text(family.mean), []).append(name)
    return [f"{score}  {', '.join(names)}" for score, names in by_score.items()]


def rates_lines(
    rates: Sequence[PassRates], flickers: Sequence[str], missing: Sequence[str] = ()
) -> list[str]:
    """Return the pass rates of tasks with several tries, one line for each number k of tries.

    pass@k is the chance that at least one of k tries passes; pass^k is the chance that
    all k pass. A last line names the tasks whose tries differ (`flickers`). `missing`
    names the tasks without a score, which the rates leave out.
    """
    if not rates:
        return []
    lines = []
    for rate in rates:
        line = f"pass@{rate.k} {rate.at_least_one}  pass^{rate.k} {rate.every_one}"
        if missing:
            line += f"  without {listed(missing)}, which had no score"
        lines.append(line)
    if flickers:
        lines.append(f"tries differ: {listed(flickers, max_names=12)}")
    else:
        lines.append("the tries of each task agree: all passed, or all failed")
    return lines


def listed(names: Iterable[str], max_names: int = 6) -> str:
    """Return the first names of a list, and the number of the other names: `a, b and 4 more`."""
    all_names = [one_line(name) for name in names]
    shown = ", ".join(all_names[:max_names])
    if len(all_names) > max_names:
        return f"{shown} and {len(all_names) - max_names} more"
    return shown
