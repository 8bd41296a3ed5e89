"""Our grader demands the records that all recorded right answers had cited.

A fact says what these had for one kind of request: `("payments", "baskets")`, for example. Without its
baskets, an answer scores nothing.
"""

from tests.benchmarks.ecom.recorded.facts.fact import Fact
from tests.benchmarks.ecom.recorded.facts.worlds_of_facts import (
    every_fact,
    folder_of,
    right_answer,
    score_with_citations,
    tasks_in_worlds,
)


@every_fact
def test_a_right_answer_scores_one(fact: Fact) -> None:
    for task in tasks_in_worlds(fact.variant):
        citations = list(right_answer(task).refs)

        assert score_with_citations(task, citations) == 1.0


@every_fact
def test_a_missing_record_costs_the_whole_score(fact: Fact) -> None:
    """Of the demanded records, those of one kind are left out, such as all baskets."""
    for task in tasks_in_worlds(fact.variant):
        citations = right_answer(task).refs
        for kind in fact.cited_kinds:
            folder = folder_of(task.world, kind)
            without_records = [
                path for path in citations if not path.startswith(folder)
            ]

            assert score_with_citations(task, without_records) == 0.0
