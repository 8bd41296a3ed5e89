"""Conditions and figures are read from any sentence, and a doubtful one is none."""

import pytest

from benchmarks.shop.computed.deeds.policy_figures import Tiers, codes_beside, role_in, states_before, tiers_in
from gates.reading import DoesNotApply


@pytest.mark.parametrize(
    ("text", "tiers"),
    [
        ("The most is 9 percent from EUR 180.00 on, 6 percent below that.", Tiers(6, 9, 18_000)),
        ("Baskets get 5 % at most; up to 8 %, where 3 % is usual, once they reach EUR 1,250.", Tiers(3, 8, 125_000)),
        ("Give 4% to anybody and 10% to who spends €75 or more.", Tiers(4, 10, 7_500)),
        ("From EUR 150.00 on it is 10 %, below that 4 %.", Tiers(4, 10, 15_000)),
        ("3 % holds for any basket; 11 % for those that come to EUR 160.00 at least.", Tiers(3, 11, 16_000)),
        ("It is 6 percent below EUR 50, and 12 percent from there on.", Tiers(6, 12, 5_000)),
    ],
)
def test_two_percentages_and_an_amount_are_read_in_any_sentence(text: str, tiers: Tiers) -> None:
    assert tiers_in(f"Discounts. {text} The reason changes nothing.") == tiers
    assert tiers.most_for(tiers.threshold_cents - 1) == tiers.below
    assert tiers.most_for(tiers.threshold_cents) == tiers.above


@pytest.mark.parametrize(
    "text",
    [
        "The most is 9 percent.",
        "It is 12 percent below EUR 50, and 6 percent from there on.",
        "It is 6 percent, 9 percent from EUR 50, 12 percent from EUR 90.",
        "It is 6 percent, or 9 percent from EUR 50. On Mondays it is 7 percent, or 9 percent from EUR 50.",
        "It is 9 percent from EUR 50 and 9 percent below.",
    ],
)
def test_figures_that_leave_a_doubt_are_not_read(text: str) -> None:
    with pytest.raises(DoesNotApply, match="percentages"):
        tiers_in(text)


@pytest.mark.parametrize(
    "text",
    [
        "It takes an employee with the role `clerk`.",
        "1. whoever asks has the role of a `clerk` 2. it is `open`",
        "Only staff holding `clerk` do it, for a basket that is `open`.",
        "The issuer is signed in, and `clerk` has to be among that employee's roles.",
    ],
)
def test_the_role_is_the_name_behind_the_word(text: str) -> None:
    assert role_in(text) == "clerk"


def test_several_roles_or_none_are_doubtful() -> None:
    for text in ("The role `clerk` approves. The role `boss` closes.", "The `clerk` approves."):
        with pytest.raises(DoesNotApply, match="role"):
            role_in(text)


def test_names_stand_beside_a_word_in_its_sentence() -> None:
    assert codes_beside("Reasons are `late`, `worn`. It is `open`.", "reason") == {"late", "worn"}


TWO = ("return", "payment")
FORMS = (
    "A return with the status `open`, and its payment with the status `paid`: `/bin/refund approve <id>` makes it `x`.",
    "The refund of an `open` return with a `paid` payment is made by who has `clerk`, by `/bin/refund approve <id>`.",
    "Run `/bin/refund approve <id>` for a return that is `open` and whose payment reads `paid`.",
    "- If the payment is `paid` and its return `open`, `/bin/refund approve <id>` does it.",
)


@pytest.mark.parametrize("text", FORMS)
def test_the_states_of_a_step_stand_beside_its_command_in_any_order(text: str) -> None:
    assert states_before(text, "/bin/refund", TWO) == {"approve": ("open", "paid")}


@pytest.mark.parametrize(
    "text",
    [
        "`/bin/refund approve <id>` takes a return that is `open`.",
        "A return that is `open` or `late`, a payment that is `paid`: `/bin/refund approve <id>`.",
        "A return that is `open`, a payment that is `paid`: `/bin/pay approve <id>`.",
        "A return that is `open`, a payment that is `paid`: `/bin/refund approve <a>` or `/bin/refund close <a>`.",
    ],
)
def test_a_step_of_which_a_state_is_doubtful_is_left_out(text: str) -> None:
    assert states_before(text, "/bin/refund", TWO) == {}
