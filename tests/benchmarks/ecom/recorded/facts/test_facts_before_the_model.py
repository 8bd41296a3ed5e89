"""Which part of our solver answers a request: the preflight (checks before the model) or the model.

    a guest asks for the status of a basket       the preflight, by records and pages alone
    a customer asks for the e-mail of staff       the preflight, if a classifier says so
    somebody asks for the open branches           the model

The classifier is a small model. Here it is "right", or "mute": it says nothing about any request.
The main model always fails here, so a request that is left to it is not answered, and scores 0.
"""

import pytest

from tests.benchmarks.ecom.recorded.facts.fact import Answerer
from tests.benchmarks.ecom.recorded.facts.worlds_of_facts import FACTS, tasks_in_worlds
from tests.benchmarks.ecom.variant_ids import family_of_variant
from tests.support.shop.played_trial import PlayedTrial
from tests.support.shop.shop_trials import play_shop_trial


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
