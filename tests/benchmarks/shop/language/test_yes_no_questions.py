"""A request wants a yes or a no if its form says so, or if it offers the two words of the workspace's rule."""

from __future__ import annotations

import pytest

from benchmarks.shop.language.yes_no_questions import wants_yes_or_no
from gates import Case

RULES = "# Answers\n\n* Be brief, this or that way.\n* For a yes write `<JA>`, for a no `<NEE>`.\n"


@pytest.mark.parametrize(
    "instruction",
    ["Is it here? Yes or no.", "Tell me, yes/no: is it here?", "Here it is, YES OR NO", "Does such a tent exist?"],
)
def test_two_words_of_the_rule_are_offered(instruction: str) -> None:
    assert wants_yes_or_no(Case(instruction, RULES))


@pytest.mark.parametrize(
    "instruction",
    [
        "Here or there?",
        "No or yes",
        "Say yes",
        "yes and no",
        "The yes or",
        "this or that",
        "x" * 60_000 + " yes or no",
        "yes or know",
    ],
)
def test_other_words_offer_nothing(instruction: str) -> None:
    rules = RULES.replace("a yes", "yes").replace("a no", "no")
    assert not wants_yes_or_no(Case(instruction, rules))


def test_without_two_words_laid_down_none_are_offered() -> None:
    assert not wants_yes_or_no(Case("The tent here yes or no", "Answer `a`, `b` or `c`, yes or no."))


SO = "# Tea\n\n* Hot.\n* Whether hot or cold, so yes or no (`/docs/tea.md`): write `<JA>` or `<NEE>`.\n* Cold or hot.\n"


@pytest.mark.parametrize(
    ("instruction", "is_wanted"),
    [
        ("The tea in Gent, hot or cold", True),
        ("The tea in Gent: HOT/COLD", True),
        ("This or that tea, hot or cold", True),
        ("The tea in Gent, cold or hot", False),
        ("The tea in Gent, hot or hotter", False),
        ("The tea in Gent, warm or cold", False),
        ("The tea in Gent, hot and cold", False),
        ("x" * 20_000 + " hot or cold", False),
    ],
)
def test_a_rule_may_offer_other_words(instruction: str, is_wanted: bool) -> None:
    assert wants_yes_or_no(Case(instruction, SO)) is is_wanted
    assert wants_yes_or_no(Case(instruction, SO.replace(" (`/docs/tea.md`)", ""))) is is_wanted
