"""Texts: amounts, names, dates and ids, compared with another solver.

A case is what another solver for the shop was recorded to do. `@answers_part` marks the function
that answers the cases of one part: it takes `input` by its keys, and should return `expect`.

    {"part": "money_in_text", "input": {"text": "give back 10 euros"}, "expect": {"cents": 1000}}
"""

from controlplane.benchmarks.shop.texts import (
    amount_text,
    asked_date,
    money_in_text,
    names_match,
    normal_words,
    possible_yes_no_words,
)
from controlplane.benchmarks.shop.workspace.reading import is_same_id
from tests.exoskeleton.answering_functions import Output, answers_part


@answers_part("amount_text")
def write_amount(cents: int) -> Output:
    """Write an amount as answers do: 12345 cents are `EUR 123.45`."""
    return {"text": amount_text(cents)}


@answers_part("money_in_text")
def read_money(text: str) -> Output:
    """Find the amount in a text, in cents: `give back 10 euros` has 1000."""
    return {"cents": money_in_text(text)}


@answers_part("name_words")
def match_names(candidate: str, query: str) -> Output:
    """Tell whether two names mean the same: all words of one are words of the other."""
    return {"match": names_match(candidate, query)}


@answers_part("words")
def normalize_words(text: str) -> Output:
    """Write a text as it is compared with others: `3pc pieces` becomes `3 pc pc`."""
    return {"words": normal_words(text)}


@answers_part("relative_date")
def find_date(text: str, clock: str) -> Output:
    """Find the date that a question asks for, such as "Which date was yesterday?".

    `clock` is what the tool `/bin/date` printed.
    """
    return {"answer": asked_date(text, clock)}


@answers_part("yes_no_tokens")
def find_yes_no_tokens(rules: str) -> Output:
    """Find the tokens that the rules want for yes and no, such as `TRUE(1)` and `FALSE(0)`."""
    return {"tokens": possible_yes_no_words(rules)}


@answers_part("ids")
def compare_ids(left: str, right: str) -> Output:
    """Tell whether two ids are the same: `basket_001` and `basket-001` are."""
    return {"equal": is_same_id(left, right)}
