"""Rules measured on groups that did not choose them."""

import pytest

from gates.evaluation.gate_scoring import Judged
from gates.evaluation.generalisation import GROUPINGS, leave_out
from gates.evaluation.score_report import report_json, report_text


def answer(number: int, family: str, score: float, *rules: str) -> Judged:
    groups = {"run": f"r{number}", "family": family}
    return Judged(f"{number} {family}", f"r{number}", score, "a fault" if score < 1 else "", rules, groups)


WRONG = [answer(number, family, 0.0, "common") for number in range(3) for family in ("stock", "refund")]
OF_ONE = [answer(number, "stock", 0.5, "narrow") for number in range(4)]
RARE = [answer(number, "stock", 0.0, "rare") for number in range(2)]
RIGHT = [answer(number, "refund", 1.0) for number in range(5)]


@pytest.mark.parametrize(
    ("judged", "grouping", "caught", "lost"),
    [
        (WRONG, "family", 6, {}),
        (WRONG, "run", 6, {}),
        (OF_ONE, "run", 4, {}),
        (OF_ONE, "family", 0, {"narrow": 4}),
        (RARE, "run", 0, {"rare": 2}),
        ([*WRONG[:4], answer(9, "stock", 0.0, "common", "rare")], "family", 2, {"common": 3, "rare": 1}),
    ],
)
def test_a_rule_catches_in_a_group_what_the_other_groups_choose_it_for(
    judged: list[Judged], grouping: str, caught: int, lost: dict[str, int]
) -> None:
    found = leave_out([*judged, *RIGHT], grouping)
    assert (found.total.caught, found.lost) == (caught, lost)
    assert (found.total.wrong, found.total.right, found.total.false_positives) == (len(judged), 5, [])


def test_a_rule_that_holds_up_right_answers_elsewhere_is_not_chosen() -> None:
    costly = [*WRONG, answer(7, "refund", 1.0, "common")]
    by_family = leave_out(costly, "family")
    assert (by_family.total.caught, by_family.total.false_positives) == (3, ["7 refund"])
    assert leave_out(costly, "run").total.caught == 0


def test_answers_of_unknown_groups_are_one_group() -> None:
    found = leave_out([*WRONG, *RIGHT], "benchmark")
    assert (found.groups, found.total.caught, found.total.partial) == (1, 0, 0)


def test_the_report_tells_every_grouping_and_what_is_lost() -> None:
    report = report_json([*OF_ONE, *RIGHT], with_folds=True)
    assert [each["left_out"] for each in report["left_out"]] == list(GROUPINGS)
    text = report_text(report)
    assert "each family left out (2): caught 0 of 4 wrong" in text
    assert "that the others do not choose: narrow 4" in text
    assert report_json([*OF_ONE, *RIGHT], with_folds=False)["left_out"] == []
