"""Conditions and figures are read from any wording of a policy, and a doubtful one is none."""

import pytest

from benchmarks.shop.computed.policies import Policy, Steps, Tiers, steps_in, tiers_in, window_in
from gates.reading import DoesNotApply


def policy(*clauses: str) -> Policy:
    return Policy("/docs/some.md", "# Some policy\n\n" + "\n\n".join(clauses))


@pytest.mark.parametrize(
    ("text", "tiers"),
    [
        ("The most is 9 percent from EUR 180.00 on, 6 percent below that.", Tiers(6, 9, 18_000)),
        ("Up to 15 % where it comes to EUR 1,250 or more,\nup to 3 % otherwise.", Tiers(3, 15, 125_000)),
        ("Give 4% to anybody and 10% to who spends €75 or more.", Tiers(4, 10, 7_500)),
        ("A subtotal under EUR 160.00 allows up to 3 %; one of EUR 160.00 or more up to 11 %.", Tiers(3, 11, 16_000)),
        ("There are two ceilings. 3 % holds for any; 11 % for those that come to EUR 160.00.", Tiers(3, 11, 16_000)),
        ("It is 3 percent below EUR 99.50 or else 9 percent.", Tiers(3, 9, 9_950)),
        ("It is 6 percent for those, below EUR 50, and 12 percent from there on.", Tiers(6, 12, 5_000)),
        ("It is 6 percent below EUR 50, and 12 percent from there on.", Tiers(6, 12, 5_000)),
    ],
)
def test_two_percentages_and_an_amount_are_read_in_any_wording(text: str, tiers: Tiers) -> None:
    assert tiers_in(policy("From 1 percent up to the maximum.", text, "The reason changes nothing.")) == tiers
    assert tiers.most_for(tiers.threshold_cents - 1) == tiers.below
    assert tiers.most_for(tiers.threshold_cents) == tiers.above


@pytest.mark.parametrize(
    "clauses",
    [
        ("The most is 9 percent.",),
        ("It is 12 percent below EUR 50, and 6 percent from there on.",),
        ("It is 6 percent, 9 percent from EUR 50, 12 percent from EUR 90.",),
        ("It is 6 percent, or 9 percent from EUR 50.", "On Mondays it is 7 percent, or 9 percent from EUR 50."),
        ("It is 9 percent from EUR 50 and 9 percent below.",),
        ("It is 6 percent.", "It is 9 percent from EUR 50 on."),
        ("It is 6 percent from there on, and 12 percent below EUR 50.",),
        ("It is 6 percent, 9 percent, again 9 percent from EUR 50.",),
        ("It is 6 percent from EUR 20, 9 percent from EUR 50.",),
    ],
)
def test_figures_that_leave_a_doubt_are_not_read(clauses: tuple[str, ...]) -> None:
    with pytest.raises(DoesNotApply, match="percentages"):
        tiers_in(policy(*clauses))


def test_a_condition_is_the_one_known_name_that_stands_as_code() -> None:
    found = policy("- Whoever has `clerk` may do it.\n- The basket is `open` or new, not sold.")
    assert found.the_one({"clerk", "boss"}, "the role") == "clerk"
    assert found.the_one({"open", "new", "sold"}, "the state") == "open"
    for known in ({"boss"}, {"clerk", "open"}, set()):
        with pytest.raises(DoesNotApply, match="the role"):
            found.the_one(known, "the role")


def test_a_name_is_told_from_the_same_word_elsewhere_by_what_stands_beside_it() -> None:
    found = policy("A payment that is `waiting` belongs to a basket that is `sold`.", "A check that is `dropped` ends.")
    assert found.beside("waiting", {"sold", "dropped"}, "the state") == "sold"
    with pytest.raises(DoesNotApply, match="the state"):
        found.beside("dropped", {"sold"}, "the state")


@pytest.mark.parametrize(
    "text",
    ["One of `late`, `worn`, `nice`.", "`late`, `worn` or `nice`, as `reason`.", "It is `late`, `worn` and `nice`."],
)
def test_what_there_is_to_choose_from_stands_in_one_enumeration(text: str) -> None:
    assert policy("The basket is `open` and has no `discount`.", text).choices() == {"late", "worn", "nice"}
    with pytest.raises(DoesNotApply, match="choose"):
        policy(text, "Or `a`, `b`.").choices()


def test_the_call_of_a_tool_is_the_one_that_the_document_shows() -> None:
    assert policy("Run `/bin/payments redo-check <payment_id>`.").command("/bin/payments") == "redo-check"
    with pytest.raises(DoesNotApply, match="/bin/payments"):
        policy("`/bin/payments redo <id>`, `/bin/payments undo <id>`").command("/bin/payments")


STEPS = Steps(("grant", "finish"), ("accepted", "due"), "settled", "warden")
FIRST = (
    "Granting takes the role `warden`, a return that is `accepted`, its payment `settled`: `/bin/refund grant <id>` "
    "makes it `due`.",
    "`/bin/refund grant <id>` starts it (`due`). Needed: the role `warden`, a return at `accepted`, one `settled`.",
    "Staff holding `warden` do it if they are `settled` and `accepted`. `/bin/refund grant <id>` sets\n  `due`.",
)
SECOND = (
    "`/bin/refund finish <id>` ends it (`done`). Needed: the customer, a return at `due`, a payment at `settled`.",
    "For the last step, to `done`, the return is `due` and the payment `settled`; run `/bin/refund finish <id>`.",
)
ROLES, PAYMENTS, RETURNS = {"warden", "boss"}, {"settled", "waiting"}, {"raised", "accepted", "due", "done"}


@pytest.mark.parametrize("first", FIRST)
@pytest.mark.parametrize("second", SECOND)
def test_the_steps_of_a_refund_are_told_by_role_and_by_the_state_between_them(first: str, second: str) -> None:
    path = "`raised`, `accepted`, `due`, `done`: in this order."
    for clauses in ((path, first, second), (second, path, first)):
        assert steps_in(policy(*clauses), "/bin/refund", ROLES, PAYMENTS, RETURNS) == STEPS


def test_both_steps_may_stand_in_one_paragraph() -> None:
    second = "A return at `due`, a payment at `settled`: `/bin/refund finish <id>` makes it `done`."
    paragraph = f"{FIRST[0]} Mind the order of `raised` and `done`. {second}"
    assert steps_in(policy(paragraph), "/bin/refund", ROLES, PAYMENTS, RETURNS) == STEPS


@pytest.mark.parametrize(
    "clauses",
    [
        (FIRST[0],),
        (FIRST[0], FIRST[1]),
        (SECOND[0], SECOND[1]),
        (FIRST[0], SECOND[0].replace("settled", "waiting")),
        (FIRST[0].replace("warden`", "warden` or `boss`"), SECOND[0]),
        (FIRST[0].replace("accepted", "raised` or `accepted"), SECOND[0]),
    ],
)
def test_steps_that_leave_a_doubt_are_not_read(clauses: tuple[str, ...]) -> None:
    with pytest.raises(DoesNotApply):
        steps_in(policy(*clauses), "/bin/refund", ROLES, PAYMENTS, RETURNS)


FIELDS = {"step", "next_try_at", "stage"}


@pytest.mark.parametrize(
    "text",
    [
        "`step` is `left` (given up) or `late`; or it is `open` and `/bin/date` is not before `next_try_at`.",
        "With `open` a restart has to wait until `next_try_at`. With `left` and `late` it can be done at once.",
        "`step` tells whether to wait: no for `late` and `left`; for `open` only from `next_try_at` on.",
    ],
)
def test_the_state_that_blocks_stands_beside_the_field_of_its_instant(text: str) -> None:
    refusal = "`OUTCOME_NONE_UNSUPPORTED` with the value of `stage` or `next_try_at`."
    assert window_in(policy(refusal, text), "next_try_at", FIELDS) == "open"


def test_a_window_of_several_states_is_not_certain() -> None:
    with pytest.raises(DoesNotApply, match="open"):
        window_in(policy("`open` and `late` wait until `next_try_at`."), "next_try_at", FIELDS)


@pytest.mark.parametrize("sign", ["{0}. ", "{0}) ", "**{0}.** ", "- ", "### {0}\n\n"])
def test_conditions_are_read_by_entries_whatever_sign_the_list_has(sign: str) -> None:
    entries = (
        "Whoever is `boss` opens it with `/bin/gate open <id>`,\nif it is `shut` and `paid`; it is `ajar` then.",
        "The states, in their order: `new`, `shut`, `ajar`, `done`.",
        "The owner ends it by `/bin/gate end <id>` if it is `ajar` and `paid`; then it is `done`.",
    )
    lines = "\n".join(sign.format(at) + each for at, each in enumerate(entries, 1))
    found = steps_in(policy(lines), "/bin/gate", {"boss"}, {"paid"}, {"new", "shut", "ajar", "done"} - {"done"})
    assert found == Steps(("open", "end"), ("shut", "ajar"), "paid", "boss")


def test_of_a_sentence_with_several_states_the_part_with_the_instant_counts() -> None:
    told = policy("`expired` (too late) and `left` may go on at once, `waiting` only from `not_before` on.")
    assert window_in(told, "not_before", {"not_before", "state"}) == "waiting"
    with pytest.raises(DoesNotApply):
        window_in(policy("`expired`, `left` and `waiting` may go on from `not_before` on."), "not_before", ())


def test_the_words_around_a_call_are_those_of_its_entry() -> None:
    told = policy("1) Baskets are `active`.\n2) Finish with `/bin/checkout <id>`, nothing else.")
    assert told.around_call("/bin/checkout") == ["2) Finish with  , nothing else."]


@pytest.mark.parametrize("call", ["grant <return_id>", "<return_id>"])
def test_a_call_is_shown_with_or_without_a_word_of_what_to_do(call: str) -> None:
    told = policy(f"Granting is done by `/bin/refund {call}`, once.", "Nothing else is.")
    assert told.around_call("/bin/refund") == ["Granting is done by  , once."]


def test_a_state_in_another_part_of_the_sentence_than_its_instant_counts_if_it_is_the_only_one() -> None:
    assert window_in(policy("For `open`, it waits until `next_try_at`."), "next_try_at", FIELDS) == "open"
    with pytest.raises(DoesNotApply):
        window_in(
            policy("For `open` and `late`, it waits until `next_try_at`. With `held` from `next_try_at` on."),
            "next_try_at",
            FIELDS,
        )
