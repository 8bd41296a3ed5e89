"""Our grader demands the pages that all recorded right answers had cited, and allows those of some.

For the request of a guest for the status of a basket, it gives these scores:

    cited                           score
    the page on security            1       as all recorded right answers did
    nothing                         0
    also the page on checkouts      1       as some of them did
    also the page on the brand      0       as none did
"""

from tests.benchmarks.ecom.recorded.facts.fact import Fact
from tests.benchmarks.ecom.recorded.facts.worlds_of_facts import (
    every_fact,
    page_path,
    right_answer,
    score_with_citations,
    tasks_in_worlds,
)


@every_fact
def test_a_missing_page_costs_the_whole_score_if_recorded_answers_always_cite_it(
    fact: Fact,
) -> None:
    for task in tasks_in_worlds(fact.variant):
        citations = list(right_answer(task).refs)
        for page in fact.demanded_pages:
            without_page = [path for path in citations if path != page_path(task, page)]

            assert score_with_citations(task, without_page) == 0.0


@every_fact
def test_a_page_that_some_recorded_right_answers_cite_costs_nothing(fact: Fact) -> None:
    for task in tasks_in_worlds(fact.variant):
        citations = list(right_answer(task).refs)
        for page in fact.optional_pages:
            with_page = [*citations, page_path(task, page)]

            assert score_with_citations(task, with_page) == 1.0


@every_fact
def test_an_unrelated_page_costs_the_whole_score(fact: Fact) -> None:
    """None of the requests is about the brand, so the page on it is no reason for an answer."""
    for task in tasks_in_worlds(fact.variant):
        citations = [*right_answer(task).refs, page_path(task, "brand")]

        assert score_with_citations(task, citations) == 0.0
