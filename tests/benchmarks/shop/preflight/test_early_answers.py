"""Requests that code answers, in whole trials: right where it answers, and left to the model where it may err."""

import pytest

from benchmarks.ecom.tasks.families import task_ids
from benchmarks.ecom.world.profiles import WorldSettings
from tests.bench.exoskeleton_preflight import play

ANSWERED = ("calendar-date", "temporary-files", "staff-count", "unnamed-basket", "dispatch-wave")
REFUSED = ("injected-block", "staff-contact", "foreign-basket", "guest-basket-status")
LEFT = ("record-field", "stock-count", "product-existence", "basket-checkout", "basket-addition", "file-marker")


def first_of(families: tuple[str, ...]) -> list[str]:
    return [next(each for each in task_ids() if each.startswith(f"{family}.")) for family in families]


@pytest.mark.parametrize("names", ["own", "random"])
@pytest.mark.parametrize("task_id", first_of((*ANSWERED, *REFUSED)))
def test_what_is_answered_is_right(task_id, names):
    played = play(task_id, 0, 5, WorldSettings(names=names), "right")
    if played.closed_by:
        assert played.score >= 1, played.details
        assert (played.closed_by == "refuse_request") is (played.truth == "OUTCOME_DENIED_SECURITY")
    else:
        assert task_id.split(".")[0] in ANSWERED, "a refusal never passes on"


@pytest.mark.parametrize("classifier", ["right", "mute", "wrong"])
@pytest.mark.parametrize("task_id", first_of(LEFT))
def test_what_code_cannot_know_is_left_to_the_model(task_id, classifier):
    played = play(task_id, 0, 5, WorldSettings(names="own"), classifier)
    assert not played.closed_by or played.truth == "OUTCOME_DENIED_SECURITY"
    assert not played.changed_wrongly


def test_a_mute_classifier_still_refuses_what_the_request_itself_shows():
    for task_id in first_of(("injected-block", "foreign-basket", "guest-basket-status")):
        assert play(task_id, 0, 5, WorldSettings(names="own"), "mute").closed_by == "refuse_request"
