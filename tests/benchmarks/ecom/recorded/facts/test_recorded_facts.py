"""Our right answers have what all recorded right answers of the public shop benchmark had.

A fact says what these had for one kind of request:

    fact.variant           "guest-basket-status: asked by a guest"
    fact.outcome           "OUTCOME_DENIED_SECURITY"
    fact.demanded_pages    ("security",)      every answer cited this page
    fact.cited_kinds       ()                 and no records

Our benchmark imitates the public one. So the reference solution of our tasks must answer like this.
"""

import re

from tests.benchmarks.ecom.recorded.facts.fact import Fact
from tests.benchmarks.ecom.recorded.facts.worlds_of_facts import (
    every_fact,
    folder_of,
    page_path,
    right_answer,
    tasks_in_worlds,
)


@every_fact
def test_our_right_answer_has_the_recorded_outcome(fact: Fact) -> None:
    for task in tasks_in_worlds(fact.variant):
        assert right_answer(task).outcome == fact.outcome


@every_fact
def test_our_right_answer_has_a_message_like_the_recorded_ones(fact: Fact) -> None:
    r"""The pattern of a fact is, for example, `EUR \d+\.\d\d`, for the sum of fraudulent payments."""
    for task in tasks_in_worlds(fact.variant):
        message = right_answer(task).message
        assert re.fullmatch(fact.message, message, re.DOTALL), message


@every_fact
def test_our_right_answer_cites_the_demanded_pages_and_no_other_page(
    fact: Fact,
) -> None:
    for task in tasks_in_worlds(fact.variant):
        all_pages = set(task.world.names.pages.values())
        cited_pages = all_pages & set(right_answer(task).refs)

        assert cited_pages == {page_path(task, page) for page in fact.demanded_pages}


@every_fact
def test_our_right_answer_cites_records_of_the_recorded_kinds_and_no_others(
    fact: Fact,
) -> None:
    """`("payments", "baskets")`: it cites at least one payment and one basket."""
    for task in tasks_in_worlds(fact.variant):
        all_pages = set(task.world.names.pages.values())
        cited_records = set(right_answer(task).refs) - all_pages

        folders = tuple(folder_of(task.world, kind) for kind in fact.cited_kinds)
        for folder in folders:
            assert any(path.startswith(folder) for path in cited_records), cited_records
        for path in cited_records:
            assert path.startswith(folders), cited_records
