"""The report of `python -m gates score`, as data and as text."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TypedDict

from gates.evaluation.gate_scoring import Judged, Tally, confidence_interval, cross_validate, rule_names, tally
from gates.evaluation.generalisation import GROUPINGS, LeftOut, leave_out


class Figures(TypedDict):
    """The counts and rates of a set of gates and rules."""

    wrong: int
    caught: int
    caught_percent: float
    caught_interval: tuple[float, float]
    wholly_wrong_caught: int
    partial: int
    partial_caught: int
    right: int
    held_up: int
    held_up_per_thousand: float
    held_up_interval: tuple[float, float]
    held_up_ids: list[str]


class FaultFigures(TypedDict):
    """How often the gates caught one kind of fault."""

    fault: str
    wrong: int
    caught: int


class GroupFigures(TypedDict):
    """How rules perform on groups that took no part in choosing them."""

    left_out: str
    groups: int
    figures: Figures
    lost: dict[str, int]


class Report(TypedDict):
    """A whole measurement."""

    together: Figures
    by_rule: dict[str, Figures]
    by_fault: list[FaultFigures]
    cross_validated: Figures | None
    chosen_in_folds: dict[str, int]
    left_out: list[GroupFigures]


def _figures(total: Tally) -> Figures:
    low, high = confidence_interval(total.caught, total.wrong)
    false_low, false_high = confidence_interval(len(total.false_positives), total.right)
    return Figures(
        wrong=total.wrong,
        caught=total.caught,
        caught_percent=round(100 * total.caught_share, 2),
        caught_interval=(round(100 * low, 2), round(100 * high, 2)),
        wholly_wrong_caught=total.caught - total.caught_partial,
        partial=total.partial,
        partial_caught=total.caught_partial,
        right=total.right,
        held_up=len(total.false_positives),
        held_up_per_thousand=round(total.false_per_thousand, 2),
        held_up_interval=(round(1_000 * false_low, 2), round(1_000 * false_high, 2)),
        held_up_ids=sorted(total.false_positives),
    )


def report_json(judged: Sequence[Judged], *, with_folds: bool) -> Report:
    """Return all measurements on `judged`."""
    wrong: Counter[str] = Counter(each.fault for each in judged if not each.is_right)
    caught: Counter[str] = Counter(each.fault for each in judged if not each.is_right and each.rejected_by)
    folds, chosen = cross_validate(judged) if with_folds else (None, {})
    return Report(
        together=_figures(tally(judged)),
        by_rule={name: _figures(tally(judged, frozenset({name}))) for name in rule_names(judged)},
        by_fault=[FaultFigures(fault=fault, wrong=count, caught=caught[fault]) for fault, count in wrong.most_common()],
        cross_validated=_figures(folds) if folds else None,
        chosen_in_folds=chosen,
        left_out=[_group_figures(leave_out(judged, grouping)) for grouping in GROUPINGS if with_folds],
    )


def _group_figures(found: LeftOut) -> GroupFigures:
    return GroupFigures(left_out=found.grouping, groups=found.groups, figures=_figures(found.total), lost=found.lost)


def report_text(report: Report) -> str:
    """Return the report as text."""
    lines = [_sentence("all gates and rules", report["together"])]
    if report["cross_validated"] is not None:
        lines.append(_sentence("cross-validated by run", report["cross_validated"]))
        kept: dict[int, list[str]] = defaultdict(list)
        for name, folds in report["chosen_in_folds"].items():
            kept[folds].append(name)
        lines += [f"    chosen in {folds} of 5 folds: {', '.join(kept[folds])}" for folds in sorted(kept, reverse=True)]
    for each in report["left_out"]:
        lines.append(_sentence(f"each {each['left_out']} left out ({each['groups']})", each["figures"]))
        lost = ", ".join(f"{name} {count}" for name, count in sorted(each["lost"].items(), key=lambda x: -x[1]))
        lines.append(f"    wrong answers lost with rules that the others do not choose: {lost or 'none'}")
    lines.append("")
    lines.append(f"{'rule':44} {'caught':>7} {'held up':>8}  held-up answers")
    for name, found in report["by_rule"].items():
        lines.append(
            f"{name:44} {found['caught']:7} {found['held_up']:8}  {' '.join(found['held_up_ids'][:6])}".rstrip()
        )
    lines.append("")
    lines.append(f"{'caught':>7} {'wrong':>6}  first line of the grader")
    lines += [f"{fault['caught']:7} {fault['wrong']:6}  {fault['fault']}" for fault in report["by_fault"]]
    return "\n".join(lines)


def _sentence(what: str, found: Figures) -> str:
    low, high = found["caught_interval"]
    false_low, false_high = found["held_up_interval"]
    return (
        f"{what}: caught {found['caught']} of {found['wrong']} wrong = {found['caught_percent']} % "
        f"(95 %: {low} to {high}), of them {found['partial_caught']} of {found['partial']} partial; "
        f"held up {found['held_up']} of {found['right']} right = {found['held_up_per_thousand']} per 1,000 "
        f"(95 %: {false_low} to {false_high})"
    )
