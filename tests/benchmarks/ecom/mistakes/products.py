"""Wrong answers typical of the families about products and stock."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from benchmarks.ecom.world.documents import euros

from benchmarks.ecom.solutions import products_solutions
from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient
from benchmarks.ecom.tasks.task import CLARIFICATION, OK, Truth
from tests.benchmarks.ecom.mistakes.common_mistakes import Solution, opposite_word


def inventory_export_mistakes(truth: Truth) -> Mapping[str, Solution]:
    """Return an export without one row, one with a total, and one under another path."""

    def writing(change: str) -> Solution:
        def solution(client: ReferenceClient, truth: Truth) -> Answer:
            text = products_solutions.export_text(client, truth)
            lines = text.splitlines(keepends=True)
            texts = {"short": "".join(lines[:-1]), "total": f"{text}TOTAL,0\n", "aside": text}
            path = truth.inputs["path"]
            client.write(f"{path}.csv" if change == "aside" else path, texts[change])
            return client.answer(truth, path)

        return solution

    return {"a row missing": writing("short"), "a total": writing("total"), "another path": writing("aside")}


def price_count_mistakes(truth: Truth) -> Mapping[str, Solution]:
    """Return a count that is off by one, and an amount in the place of a count."""
    return {
        "one too many": lambda client, truth: client.answer(truth, str(int(truth.message) + 1)),
        "the price itself": lambda client, truth: client.answer(truth, euros(int(truth.inputs["limit"]))),
    }


def product_existence_mistakes(truth: Truth) -> Mapping[str, Solution]:
    """Return the opposite answer, and one that cites the near misses."""
    paths = truth.inputs["paths"].split("\n")

    def generous(client: ReferenceClient, truth: Truth) -> Answer:
        answer = products_solutions.product_existence(client, truth)
        near = dict.fromkeys(paths, "a product that was looked at")
        return replace(answer, citations={**near, **answer.citations})

    return {
        "the opposite": lambda client, truth: client.answer(truth, opposite_word(truth)),
        "near misses cited": generous,
    }


def sku_lookup_mistakes(truth: Truth) -> Mapping[str, Solution]:
    """Return a guess where the description was open, and a sentence where the code alone was wanted."""

    def guessed(client: ReferenceClient, truth: Truth) -> Answer:
        first = next(iter(truth.records))
        answer = products_solutions.sku_lookup(client, truth)
        sku = str(client.record(first)["sku"])
        return replace(answer, message=sku, outcome=OK, citations={first: answer.citations[first]}, tokens=())

    wrong: dict[str, Solution] = {}
    if truth.outcome == CLARIFICATION:
        wrong["a guess"] = guessed
    else:
        wrong["a neighbouring SKU"] = lambda client, truth: client.answer(truth, truth.message + "-X")
    return wrong


def stock_answer_mistakes(truth: Truth) -> Mapping[str, Solution]:
    """Return the opposite answer, a plain English one, and one that leaves the product out."""

    def half(client: ReferenceClient, truth: Truth) -> Answer:
        answer = products_solutions.stock_answer(client, truth)
        store = truth.inputs["store"]
        return replace(answer, citations={store: answer.citations[store]})

    return {
        "the opposite": lambda client, truth: client.answer(truth, opposite_word(truth)),
        "a sentence": lambda client, truth: client.answer(truth, "Sure, that is how it is."),
        "the branch alone cited": half,
    }


def stock_count_mistakes(truth: Truth) -> Mapping[str, Solution]:
    """Return a count that forgets its format and one that is off by one."""
    count = int("".join(each for each in truth.message if each.isdigit()))
    wrong: dict[str, Solution] = {
        "one too many": lambda client, truth: client.answer(truth, truth.inputs["pattern"] % (count + 1)),
        "the count in words": lambda client, truth: client.answer(truth, f"There are {count} of them."),
    }
    return wrong


def product_property_mistakes(truth: Truth) -> Mapping[str, Solution]:
    """Return the value in other letters, and with its key."""
    return {
        "in other letters": lambda client, truth: client.answer(truth, f"{truth.message.title()}."),
        "with the key": lambda client, truth: client.answer(truth, f"{truth.inputs['key']}: {truth.message}"),
        "quoted": lambda client, truth: client.answer(truth, f'"{truth.message}"'),
    }
