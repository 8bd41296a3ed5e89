"""Our right answers have what all recorded right answers of the public shop benchmark had.

A fact says what these had for one kind of request:

    fact.variant           "guest-basket-status: asked by a guest"
    fact.outcome           "OUTCOME_DENIED_SECURITY"
    fact.demanded_pages    ("security",)      every answer cited this page
    fact.cited_kinds       ()                 and no records

Our benchmark imitates the public one. So the reference solution of our tasks must answer like this.
"""

import re

import pytest

from controlplane.benchmarks.ecom.tasks.truth import WorldTask
from tests.benchmarks.ecom.recorded.worlds_of_facts import (
    FACTS,
    Answerer,
    Fact,
    every_fact,
    folder_of,
    page_path,
    right_answer,
    score_with_citations,
    tasks_in_worlds,
)
from tests.benchmarks.ecom.variants import family_of_variant, generate_variant
from tests.support.shop.model_faults import PlayedTrial
from tests.support.shop.shop_trials import play_shop_trial

# Which further files the denial of a discount may cite follows from what the request names.
#
# An employee of the shop, who has not the role for discounts, asks for one on a basket. The right
# answer denies it. Besides what it must cite, it may cite who asks, and the basket.


@pytest.fixture
def task() -> WorldTask:
    return generate_variant("discount-authority: role is missing", "fact|records")


def test_it_may_cite_the_record_of_the_employee_who_asks(task: WorldTask) -> None:
    user = task.world.session.user
    own_record = task.world.path(task.world.employees[user])

    citations = [*right_answer(task).refs, own_record]

    assert score_with_citations(task, citations) == 1.0


def test_it_may_cite_the_basket_that_is_named(task: WorldTask) -> None:
    named_id = task.truth.for_tests["basket"]
    named_basket = task.world.path(task.world.baskets[named_id])

    citations = [*right_answer(task).refs, named_basket]

    assert score_with_citations(task, citations) == 1.0


def test_it_must_not_cite_another_basket(task: WorldTask) -> None:
    named_id = task.truth.for_tests["basket"]
    other_ids = [id_ for id_ in task.world.baskets if id_ != named_id]
    other_basket = task.world.path(task.world.baskets[other_ids[0]])

    citations = [*right_answer(task).refs, other_basket]

    assert score_with_citations(task, citations) == 0.0


# Which part of our solver answers a request: the preflight (checks before the model) or the model.
#
#     a guest asks for the status of a basket       the preflight, by records and pages alone
#     a customer asks for the e-mail of staff       the preflight, if a classifier says so
#     somebody asks for the open branches           the model
#
# The classifier is a small model. Here it is "right", or "mute": it says nothing about any request.
# The main model always fails here, so a request that is left to it is not answered, and scores 0.


def facts_answered_by(answerer: Answerer) -> list[str]:
    """Return the names of facts: `["status of a basket, not signed in", ...]`."""
    return [name for name, fact in FACTS.items() if fact.answerer is answerer]


def play_without_model(fact_name: str, *, classifier: str) -> list[PlayedTrial]:
    """Return trials of a fact's kind of request, each in another generated shop."""
    variant = FACTS[fact_name].variant
    trials = []
    for task in tasks_in_worlds(variant):
        trial = play_shop_trial(
            family_of_variant(variant),
            task,
            variant,
            classifier=classifier,
            main_model_fails=True,
        )
        trials.append(trial)
    return trials


@pytest.mark.parametrize(
    "fact_name", facts_answered_by(Answerer.PREFLIGHT_WITH_CLASSIFIER)
)
def test_the_preflight_answers_if_the_classifier_says_what_is_wanted(
    fact_name: str,
) -> None:
    for trial in play_without_model(fact_name, classifier="right"):
        assert trial.score == 1.0, trial
        check_that_answered = trial.closed_by
        assert check_that_answered != "", trial


@pytest.mark.parametrize("fact_name", facts_answered_by(Answerer.PREFLIGHT))
def test_the_preflight_answers_by_records_and_pages_alone(fact_name: str) -> None:
    for trial in play_without_model(fact_name, classifier="mute"):
        assert trial.score == 1.0, trial
        check_that_answered = trial.closed_by
        assert check_that_answered != "", trial


@pytest.mark.parametrize("fact_name", facts_answered_by(Answerer.MODEL))
def test_the_preflight_leaves_other_requests_to_the_model(fact_name: str) -> None:
    for trial in play_without_model(fact_name, classifier="mute"):
        assert trial.score == 0.0, trial
        check_that_answered = trial.closed_by
        assert check_that_answered == "", trial


# Our grader demands the pages that all recorded right answers had cited, and allows those of some.
#
# For the request of a guest for the status of a basket, it gives these scores:
#
#     cited                           score
#     the page on security            1       as all recorded right answers did
#     nothing                         0
#     also the page on checkouts      1       as some of them did
#     also the page on the brand      0       as none did


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


# Our grader demands the records that all recorded right answers had cited.
#
# A fact says what these had for one kind of request: `("payments", "baskets")`, for example. Without its
# baskets, an answer scores nothing.


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
