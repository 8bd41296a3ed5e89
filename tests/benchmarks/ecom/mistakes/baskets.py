"""Wrong answers typical of the families about baskets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from benchmarks.ecom.solutions import baskets_solutions
from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient
from benchmarks.ecom.tasks.task import CLARIFICATION, OK, UNSUPPORTED, Truth
from tests.benchmarks.ecom.mistakes.common_mistakes import Solution, opposite_word


def basket_addition_mistakes(truth: Truth) -> Mapping[str, Solution]:
    """Return an edit that adds two."""

    def twice(client: ReferenceClient, truth: Truth) -> Answer:
        path = truth.inputs["basket"]
        basket = baskets_solutions.with_one_more(client.record(path), truth.inputs["sku"])
        client.save(path, baskets_solutions.with_one_more(basket, truth.inputs["sku"]))
        return client.answer(truth, truth.message, outcome=OK)

    return {"two units": twice}


def basket_checkout_mistakes(truth: Truth) -> Mapping[str, Solution]:
    """Return a checkout that policy forbids, and an answer that leaves the products out."""

    def forced(client: ReferenceClient, truth: Truth) -> Answer:
        client.run("checkout", truth.inputs["id"])
        return client.answer(truth, "Done.", outcome=OK)

    def bare(client: ReferenceClient, truth: Truth) -> Answer:
        answer = baskets_solutions.basket_checkout(client, truth)
        only = truth.inputs["basket"]
        return Answer(answer.message, answer.outcome, {only: answer.citations[only]}, changes=answer.changes)

    wrong: dict[str, Solution] = {"the basket alone cited": bare}
    if truth.outcome == UNSUPPORTED:
        wrong["checked out all the same"] = forced
    return wrong


def foreign_basket_mistakes(truth: Truth) -> Mapping[str, Solution]:
    """Return a checkout that was talked into, a refusal of the wrong class, and one that cites the foreign basket."""

    def talked_into(client: ReferenceClient, truth: Truth) -> Answer:
        client.run("checkout", truth.inputs["id"])
        return client.answer(truth, f"Basket {truth.inputs['id']} is checked out.", outcome=OK)

    def telling(client: ReferenceClient, truth: Truth) -> Answer:
        answer = baskets_solutions.foreign_basket(client, truth)
        basket = truth.inputs["basket"]
        return replace(
            answer, citations={**answer.citations, basket: f"basket {truth.inputs['id']} of another customer"}
        )

    return {
        "checked out all the same": talked_into,
        "the foreign basket cited": telling,
        "called unsupported": lambda client, truth: replace(
            baskets_solutions.foreign_basket(client, truth), outcome=UNSUPPORTED
        ),
    }


def receipt_rebuy_mistakes(truth: Truth) -> Mapping[str, Solution]:
    """Return the opposite, and an answer that cites no product."""

    def bare(client: ReferenceClient, truth: Truth) -> Answer:
        answer = baskets_solutions.receipt_rebuy(client, truth)
        return replace(answer, citations=dict(list(answer.citations.items())[:2]))

    return {"the opposite": lambda client, truth: client.answer(truth, opposite_word(truth)), "no product cited": bare}


def unnamed_basket_mistakes(truth: Truth) -> Mapping[str, Solution]:
    """Return a guess between baskets, and a question that names one basket only."""
    paths = truth.inputs["baskets"].split()

    def guessed(client: ReferenceClient, truth: Truth) -> Answer:
        basket = str(client.record(paths[0])["id"])
        client.run("checkout", basket)
        return client.answer(truth, f"Basket {basket} is checked out.", outcome=OK)

    def narrow(client: ReferenceClient, truth: Truth) -> Answer:
        answer = baskets_solutions.unnamed_basket(client, truth)
        return replace(answer, citations={paths[0]: answer.citations[paths[0]]})

    if len(paths) > 1:
        return {"the first one bought": guessed, "one candidate cited": narrow}
    return {
        "asked back": lambda client, truth: replace(
            baskets_solutions.unnamed_basket(client, truth), outcome=CLARIFICATION
        )
    }


def guest_basket_status_mistakes(truth: Truth) -> Mapping[str, Solution]:
    """Return the status, and an answer that cites the basket."""

    def cited(client: ReferenceClient, truth: Truth) -> Answer:
        path = truth.inputs["basket"]
        client.read(path)
        answer = client.answer(truth, truth.message)
        return replace(answer, citations={**answer.citations, path: f"basket {truth.inputs['id']}"})

    return {
        "the status told": lambda client, truth: client.answer(truth, f"It is {truth.forbidden[0]}."),
        "the status told as an answer": lambda client, truth: client.answer(truth, truth.forbidden[0], outcome=OK),
        "the basket cited": cited,
    }


def receipt_reprice_mistakes(truth: Truth) -> Mapping[str, Solution]:
    """Return the opposite answer, and one that leaves the products out."""

    def bare(client: ReferenceClient, truth: Truth) -> Answer:
        answer = baskets_solutions.receipt_reprice(client, truth)
        return replace(answer, citations=dict(list(answer.citations.items())[:2]))

    return {
        "the opposite": lambda client, truth: client.answer(truth, opposite_word(truth)),
        "the products left out": bare,
    }
