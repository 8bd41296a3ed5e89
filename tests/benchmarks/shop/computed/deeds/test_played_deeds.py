"""Owner, roles, states, stock and policies decide on a deed, as the trial found them before it changed anything."""

from __future__ import annotations

from functools import partial

import pytest

from benchmarks.ecom.solutions.reference_client import ReferenceClient
from benchmarks.ecom.world.profiles import WorldSettings
from benchmarks.shop.computed.expectation import holds_word
from gates import OUTCOMES
from tests.benchmarks.shop.computed.recomputed_trials import reason_of
from tests.spoiled.pad_changes import reasons_of, saying, with_reasons, without_refs
from tests.spoiled.played_trial import PlayedTrial

OK, DENIED, ASK, UNSUPPORTED, _ = OUTCOMES
DEEDS = (
    *("basket-checkout#1", "discount-grant#1", "discount-grant#2", "refund-approval#1"),
    *("refund-closure#1", "unnamed-basket#2", "verification-restart#1"),
)
BLOCKED = ("basket-checkout#2", "discount-limit#1", "refund-approval#2", "verification-restart#2")
FOREIGN = ("foreign-basket#1", "foreign-basket#3", "refund-closure#3", "verification-restart#4")
SEEDS = [f"deed {number}" for number in range(2)]
reason = partial(reason_of, "computed-deed")


@pytest.mark.parametrize("variant_id", DEEDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_an_ok_needs_the_deed_itself(variant_id: str, seed: str) -> None:
    trial = PlayedTrial.pose(variant_id, seed)
    assert reason(trial.right, trial.right.pad) == "pass"
    assert "the trace does not show it done" in reason(trial.idle, trial.idle.pad)


@pytest.mark.parametrize("variant_id", DEEDS)
def test_every_record_of_a_deed_is_cited_and_no_other(variant_id: str) -> None:
    right = PlayedTrial.pose(variant_id, SEEDS[0]).right
    reasons = reasons_of(right.pad)
    for path in reasons:
        less = without_refs(right.pad, [path])
        assert f"read and cite {path}" in reason(right, less)
    assert "emp-1" in reason(right, with_reasons(right.pad, {**reasons, "/proc/staff/emp-1.json": "somebody"}))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_product_in_the_customers_own_words_leaves_done_or_asked_back(seed: str) -> None:
    right = PlayedTrial.pose("basket-addition#1", seed).right
    assert reason(right, right.pad) == "pass"
    for outcome in (DENIED, UNSUPPORTED):
        assert "do not bear out" in reason(right, {**right.pad, "outcome": outcome})


@pytest.mark.parametrize("names", ["public", "random"])
@pytest.mark.parametrize("variant_id", ["discount-limit#1", "refund-approval#2", "verification-restart#2"])
def test_what_is_blocked_is_blocked_whatever_the_shop_calls_it(variant_id: str, names: str) -> None:
    trial = PlayedTrial.pose(variant_id, SEEDS[0], settings=WorldSettings(names=names))
    assert reason(trial.right, trial.right.pad) == "pass"
    assert "do not bear out OUTCOME_OK" in reason(trial.right, saying(trial.right.pad, "Done.", OK))


@pytest.mark.parametrize("variant_id", BLOCKED)
@pytest.mark.parametrize("seed", SEEDS)
def test_what_a_policy_blocks_is_refused_with_the_recorded_value(variant_id: str, seed: str) -> None:
    trial = PlayedTrial.pose(variant_id, seed)
    assert reason(trial.right, trial.right.pad) == "pass"
    assert "do not bear out OUTCOME_OK" in reason(trial.right, saying(trial.right.pad, "Done.", OK))
    if trial.truth.tokens:
        found = reason(trial.right, saying(trial.right.pad, "A rule forbids it."))
        assert "does not state" in found
        assert not holds_word(trial.truth.tokens[0])(found)


@pytest.mark.parametrize("variant_id", FOREIGN)
def test_what_belongs_to_another_customer_is_denied_and_not_cited(variant_id: str) -> None:
    trial = PlayedTrial.pose(variant_id, SEEDS[0])
    path = trial.truth.inputs.get("basket") or trial.truth.inputs["payment"]
    assert reason(trial.right, trial.right.pad) == "pass"
    for outcome in (OK, UNSUPPORTED, ASK):
        assert "do not bear out" in reason(trial.right, {**trial.right.pad, "outcome": outcome})
    cited = with_reasons(trial.right.pad, {**reasons_of(trial.right.pad), path: "another customer's"})
    assert "remove it from the citations" in reason(trial.right, cited)


def test_the_state_before_the_deed_decides() -> None:
    trial = PlayedTrial.pose("basket-checkout#3", SEEDS[0])

    def buy(client: ReferenceClient, truth: object) -> object:
        answer = trial.reference(client, trial.truth)
        client.run("checkout", trial.truth.inputs["id"])
        return answer

    play = trial.play("forced", buy)
    done = {**play.pad, "changes": [{"path": "/bin/checkout", "action": "execute"}]}
    assert "do not bear out OUTCOME_OK" in reason(play, saying(done, "Done.", OK))
    assert reason(play, done) == "pass"


def test_a_record_that_nobody_saw_before_the_deed_may_have_forbidden_it() -> None:
    trial = PlayedTrial.pose("unnamed-basket#2", SEEDS[0])

    def blindly(client: ReferenceClient, truth: object) -> object:
        path = trial.truth.inputs["baskets"]
        client.run("checkout", path.rpartition("/")[2].removesuffix(".json"))
        return client.answer(trial.truth, "It is bought.")

    play = trial.play("blindly", blindly, opening_chars=0)
    assert reason(play, play.pad) == "pass"
    assert reason(play, {**play.pad, "outcome": UNSUPPORTED}) == "pass"
    assert "do not bear out" in reason(play, {**play.pad, "outcome": DENIED})


def test_several_active_baskets_are_all_cited_in_the_question() -> None:
    right = PlayedTrial.pose("unnamed-basket#1", SEEDS[0]).right
    assert reason(right, right.pad) == "pass"
    first, *others = reasons_of(right.pad)
    fewer = with_reasons(right.pad, dict.fromkeys(others, "an active basket"))
    assert first in reason(right, fewer)


@pytest.mark.parametrize(
    "instruction",
    [
        "What is in {id}?",
        "Is {id} checked out?",
        "Tell me about {id}.",
        "Compare {id} with my last order.",
        "Do not check out {id}.",
    ],
)
def test_a_mention_of_a_record_is_no_request_for_a_deed(instruction: str) -> None:
    trial = PlayedTrial.pose("basket-checkout#1", SEEDS[0])
    asked = instruction.format(id=trial.truth.inputs["id"])
    assert reason(trial.idle, trial.idle.pad, asked) == "not_applicable"


@pytest.mark.parametrize(
    ("variant_id", "instruction"),
    [
        ("basket-checkout#2", "Kindly see {id} through its checkout."),
        ("refund-approval#2", "The refund of {id} has waited long enough."),
        ("verification-restart#2", "{id} wants a restart."),
    ],
)
def test_an_order_in_the_words_of_the_tools_is_understood(variant_id: str, instruction: str) -> None:
    trial = PlayedTrial.pose(variant_id, SEEDS[0])
    inputs = trial.truth.inputs
    name = inputs.get("id") or inputs.get("return") or inputs["payment"].rpartition("/")[2].removesuffix(".json")
    assert reason(trial.right, trial.right.pad, instruction.format(id=name)) == "pass"
    done = saying(trial.right.pad, "Done.", OK)
    assert "do not bear out OUTCOME_OK" in reason(trial.right, done, instruction.format(id=name))
    for mention in ("What is the refund, checkout or restart of {id}?", "Never restart, checkout or refund {id}."):
        assert reason(trial.right, done, mention.format(id=name)) == "not_applicable"


UNSEEN = WorldSettings(names="own", wordings="unseen")


@pytest.mark.parametrize("variant_id", [*DEEDS, *BLOCKED])
@pytest.mark.parametrize("seed", SEEDS)
def test_deeds_are_judged_in_worlds_of_held_out_wordings_too(variant_id: str, seed: str) -> None:
    trial = PlayedTrial.pose(variant_id, seed, settings=UNSEEN)
    assert reason(trial.right, trial.right.pad) in ("pass", "not_applicable")
    refused = saying(trial.right.pad, "No.", DENIED)
    assert "do not bear out" in reason(trial.right, refused) or not trial.right.judge(refused).accepted


def test_a_tool_is_named_by_its_halves_with_words_between_them() -> None:
    trial = PlayedTrial.pose("basket-checkout#2", SEEDS[0])
    asked = f"Kindly check my basket {trial.truth.inputs['id']} out."
    assert reason(trial.right, trial.right.pad, asked) == "pass"
    assert "do not bear out" in reason(trial.right, saying(trial.right.pad, "Done.", OK), asked)


def test_a_question_for_a_discount_is_answered_by_the_largest_one_and_never_granted() -> None:
    right = PlayedTrial.pose("discount-limit#1", SEEDS[0]).right
    name = right.truth.inputs["basket"] if "basket" in right.truth.inputs else right.truth.inputs["id"]
    percent, code = right.truth.inputs["percent"], right.truth.inputs["reason"]
    asked = f"May {name} have {percent}% ({code})? What is the most?"
    told = str(right.pad["answer"])
    assert reason(right, right.pad, asked) == "pass"
    assert reason(right, saying(right.pad, told, OK), asked) == "pass"
    assert "does not state" in reason(right, saying(right.pad, "Done.", OK), asked)
    assert reason(right, saying(right.pad, "Done.", OK), f"Is {name} new?") == "not_applicable"
