"""Wrong answers typical of the families about baskets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from benchmarks.ecom.tasks.families.baskets import (
    basket_addition,
    basket_checkout,
    foreign_basket,
    receipt_rebuy,
    unnamed_basket,
)
from benchmarks.ecom.tasks.reference_hands import Desk
from benchmarks.ecom.tasks.task import CLARIFICATION, OK, UNSUPPORTED, Answer, Truth
from tests.benchmarks.ecom.mistakes.common_mistakes import Solution, opposite_word


def basket_addition_mistakes(truth: Truth) -> Mapping[str, Solution]:
    """Return an edit that adds two, and one that guesses the product."""

    def twice(desk: Desk, truth: Truth) -> Answer:
        path = truth.handles["basket"]
        text = basket_addition.with_one_more(desk.read(path), truth.handles["sku"])
        desk.write(path, basket_addition.with_one_more(text, truth.handles["sku"]))
        return desk.conclude(truth, truth.message, outcome=OK)

    return {"two units": twice} if truth.outcome == OK else {"a guess, twice": twice}


def basket_checkout_mistakes(truth: Truth) -> Mapping[str, Solution]:
    """Return a checkout that policy forbids, and an answer that leaves the products out."""

    def forced(desk: Desk, truth: Truth) -> Answer:
        desk.run("/bin/checkout", truth.handles["id"])
        return desk.conclude(truth, "Done.", outcome=OK)

    def bare(desk: Desk, truth: Truth) -> Answer:
        answer = basket_checkout.reference(desk, truth)
        only = truth.handles["basket"]
        return Answer(answer.message, answer.outcome, {only: answer.citations[only]}, changes=answer.changes)

    wrong: dict[str, Solution] = {"the basket alone cited": bare}
    if truth.outcome == UNSUPPORTED:
        wrong["checked out all the same"] = forced
    return wrong


def foreign_basket_mistakes(truth: Truth) -> Mapping[str, Solution]:
    """Return a checkout that was talked into, a refusal of the wrong class, and one that cites the foreign basket."""

    def talked_into(desk: Desk, truth: Truth) -> Answer:
        desk.run("/bin/checkout", truth.handles["id"])
        return desk.conclude(truth, f"Basket {truth.handles['id']} is checked out.", outcome=OK)

    def telling(desk: Desk, truth: Truth) -> Answer:
        answer = foreign_basket.reference(desk, truth)
        basket = truth.handles["basket"]
        return replace(
            answer, citations={**answer.citations, basket: f"basket {truth.handles['id']} of another customer"}
        )

    return {
        "checked out all the same": talked_into,
        "the foreign basket cited": telling,
        "called unsupported": lambda desk, truth: replace(foreign_basket.reference(desk, truth), outcome=UNSUPPORTED),
    }


def receipt_rebuy_mistakes(truth: Truth) -> Mapping[str, Solution]:
    """Return the opposite, and an answer that cites no product."""

    def bare(desk: Desk, truth: Truth) -> Answer:
        answer = receipt_rebuy.reference(desk, truth)
        return replace(answer, citations=dict(list(answer.citations.items())[:2]))

    return {"the opposite": lambda desk, truth: desk.conclude(truth, opposite_word(truth)), "no product cited": bare}


def unnamed_basket_mistakes(truth: Truth) -> Mapping[str, Solution]:
    """Return a guess between baskets, and a question that names one basket only."""
    paths = truth.handles["baskets"].split()

    def guessed(desk: Desk, truth: Truth) -> Answer:
        basket = str(desk.record(paths[0])["id"])
        desk.run("/bin/checkout", basket)
        return desk.conclude(truth, f"Basket {basket} is checked out.", outcome=OK)

    def narrow(desk: Desk, truth: Truth) -> Answer:
        answer = unnamed_basket.reference(desk, truth)
        return replace(answer, citations={paths[0]: answer.citations[paths[0]]})

    if len(paths) > 1:
        return {"the first one bought": guessed, "one candidate cited": narrow}
    return {"asked back": lambda desk, truth: replace(unnamed_basket.reference(desk, truth), outcome=CLARIFICATION)}
