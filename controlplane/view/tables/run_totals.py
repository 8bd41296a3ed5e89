"""The lines with a run's totals: scores, spending, families and rejections."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from controlplane.gate_texts import gates_and_rules_text
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.journal.totals.trial_summary import (
    FAILED,
    StoppedCallCount,
    stopped_calls,
)
from controlplane.quantity_texts import (
    cost_text,
    count_text,
    mean_text,
    metrics_text,
    score_text,
    spent_texts,
    unscored_text,
)
from controlplane.score_statistics import PassRates, scores_by_family
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
    for key, count in dict(counts).items():  # Copy: running trials add to the original.
        suffixes[key] = f" ×{count}"
    return gates_and_rules_text(suffixes)


_STOPPED_BY: Final = {
    # The benchmark judges calls before they are made, and objected to the call.
    "check": "pre-call check held",
    # An argument is known only from a text that the model read. Such a text may be an attack.
    "provenance": "held for values from read text alone:",
}
"""The beginning of a line about calls that were held back, by what held them back."""


def objection_lines(summary: RunSummary) -> list[str]:
    """Return the objections that answers were sent over, and what happened to calls held back.

    For example:

        accepted over objections: gate 8 (literal tokens) ×2
        pre-call check held 3 calls; done otherwise (mean score 1.00), 1 call; not done

    In the second line, the model did the same as 3 of the calls in another way, and
    those trials have a mean score of 1.00. One call was not made at all.
    """
    lines = []
    if summary.overridden:
        lines.append(f"accepted over objections: {_counted(summary.overridden)}")
    texts_by_stop: dict[str, list[str]] = {}
    for group in stopped_calls(summary.trials.copied()):
        texts_by_stop.setdefault(group.stopped_by, []).append(_group_text(group))
    for stopped_by, texts in texts_by_stop.items():
        lines.append(f"{_STOPPED_BY[stopped_by]} {', '.join(texts)}")
    return lines


def _group_text(group: StoppedCallCount) -> str:
    """Return what happened to calls: `1 call; done otherwise (mean score 1.00)`."""
    text = f"{count_text(group.count, 'call')}; {group.what_next}"
    if group.mean_score is not None:
        unscored = f", {group.unscored} without a score" if group.unscored else ""
        text += f" (mean score {score_text(group.mean_score)}{unscored})"
    return text


_BY_RULES: Final = (
    "played by the built-in rule-based player; the score says nothing about a model"
)
_RECORDED: Final = (
    "played by a recorded model, whose replies are always the same; "
    "sandbox, gates and grader are at work"
)
NO_MODELS: Final = {"": _BY_RULES, "baseline": _BY_RULES, "recorded": _RECORDED}
"""The values of `model` with which a benchmark plays itself, each with a remark on such scores."""


def total_lines(summary: RunSummary) -> list[str]:
    """Return the lines with totals: score, spending, rejections, and remarks on the score."""
    lines = [" · ".join(_score_texts(summary))]
    spent = spent_texts(summary.spent, summary.retries)
    for figures in (spent, _cost_texts(summary), _role_texts(summary)):
        if figures:
            lines.append(" · ".join(figures))
    if summary.rejections:
        lines.append(rejections_text(summary.rejections))
    lines += objection_lines(summary)

    # `opened.model` is empty if the solver asks no model. The remarks are about models.
    opened = summary.opened
    if opened is not None and opened.model:
        model = str(opened.setting("model") or "")
        if model in NO_MODELS:
            lines.append(NO_MODELS[model])
    return lines


def _score_texts(summary: RunSummary) -> list[str]:
    """Return the mean score, the graders' other figures, and the number of trials that went wrong.

    `mean score 0.850 over 18 of 20 trials`, `2 failed to start`
    """
    texts = [_mean_score_text(summary)]
    unscored = unscored_text(summary.trials.unscored)
    if unscored:
        texts.append(unscored)
    if summary.trials.metrics:
        texts.append(metrics_text(summary.trials.metrics))

    # The product sent an answer in place of the solver.
    fallbacks = summary.trials.count("fallback", "unanswered")
    if fallbacks:
        texts.append(f"{fallbacks} ended by the fallback")
    failed = summary.trials.count(FAILED)
    if failed:
        texts.append(f"{failed} failed to start")
    unfinished = len(summary.trials) - summary.trials.over
    if unfinished and summary.submitted:
        texts.append(f"{unfinished} cut off")
    elif unfinished and summary.trials.mean_score is not None:
        texts.append(f"{unfinished} unfinished")
    return texts


def _mean_score_text(summary: RunSummary) -> str:
    """Return the mean score: `mean score 0.850 over 38 of 40 trials`, or why there is none."""
    total = len(summary.trials)
    if not total:
        return "the run has no trials"
    if summary.trials.mean_score is None:
        scores = "no score" if summary.trials.unscored else "no scores yet"
        return f"{summary.trials.over} of {count_text(total, 'trial')} over, {scores}"
    scored = len(summary.trials.scores)
    text = (
        f"mean score {mean_text(summary)} over {scored} of {count_text(total, 'trial')}"
    )
    if summary.trials.tries_differ:
        text += ", each task weighing the same"
    # The parts of the solver that the user switched on or off.
    parts = summary.opened.setting("parts") if summary.opened else None
    if isinstance(parts, str) and parts:
        text += f", {parts}"
    return text


def _cost_texts(summary: RunSummary) -> list[str]:
    """Return texts on costs, as far as they are known: `$0.02 a trial`, `$0.03 a right answer`.

    The last one is the share of request tokens that the provider had cached.
    """
    spent = summary.spent
    texts = []
    if spent.unpriced and spent.known_usd:
        texts.append(
            f"{cost_text(spent.known_usd)} plus {spent.unpriced} replies of unknown price"
        )
    if summary.cost_per_trial_usd:
        texts.append(f"{cost_text(summary.cost_per_trial_usd)} a trial")
    if summary.cost_per_right_usd:
        texts.append(f"{cost_text(summary.cost_per_right_usd)} a right answer")
    if spent.cached_tokens and spent.cached_share is not None:
        texts.append(
            f"{spent.cached_share:.0%} of request tokens from the provider's cache"
        )
    return texts


def _role_texts(summary: RunSummary) -> list[str]:
    """Return the tokens and cost of each role (a kind of request): `review: 12 replies, 9,000 tokens`.

    The list is empty if all replies have the same role.
    """
    if len(summary.by_role) < 2:
        return []
    # Roles with the most tokens come first.
    roles = sorted(
        summary.by_role, key=lambda role: (-summary.by_role[role].tokens, role)
    )
    texts = []
    for role in roles:
        spent = summary.by_role[role]
        figures = [count_text(spent.replies, "reply"), *spent_texts(spent)]
        texts.append(f"{role}: {', '.join(figures)}")
    return texts


def family_lines(summary: RunSummary) -> list[str]:
    """Return a line for each mean score, the lowest first, with the families that have it.

    `0.50  letters ×4, sums`: both families have a mean score of 0.50, and `letters` has
    four trials. The list is empty if there is only one family, or if each family has
    one trial: then the table of trials already shows the scores.
    """
    families = scores_by_family(summary.trials.values())
    has_one_trial_each = len(families) == len(summary.trials)
    if len(families) < 2 or has_one_trial_each:
        return []
    by_score: dict[str, list[str]] = {}
    for family in families:
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
