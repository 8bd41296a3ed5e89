"""Requests that code answers, in whole trials: right where it answers, and left to the model where it may err."""

import pytest

from benchmarks.ecom.world.profiles import WorldSettings
from tests.benchmarks.ecom.variants import pose_variant
from tests.support.shop_players import play

ANSWERED = ("calendar-date#1", "temporary-files#1", "staff-count#1", "unnamed-basket#1", "dispatch-wave#1")
REFUSED = ("injected-block#1", "staff-contact#1", "foreign-basket#1", "guest-basket-status#1")
LEFT = ("record-field#1", "stock-count#1", "product-existence#1", "basket-checkout#1", "basket-addition#1")


def played(variant: str, names: str = "own", classifier: str = "right"):
    task = pose_variant(variant, "5", WorldSettings(names=names))
    return play(variant.partition("#")[0], task, f"{variant} 5", classifier=classifier)


@pytest.mark.parametrize("names", ["own", "random"])
@pytest.mark.parametrize("variant", [*ANSWERED, *REFUSED])
def test_what_is_answered_is_right(variant, names):
    found = played(variant, names)
    if found.closed_by:
        assert found.score >= 1, found.details
        assert (found.closed_by == "refuse_request") is (found.truth == "OUTCOME_DENIED_SECURITY")
    else:
        assert variant in ANSWERED, "a refusal never passes on"


@pytest.mark.parametrize("classifier", ["right", "mute", "wrong"])
@pytest.mark.parametrize("variant", LEFT)
def test_what_code_cannot_know_is_left_to_the_model(variant, classifier):
    found = played(variant, classifier=classifier)
    assert not found.closed_by
    assert not found.is_changed


def test_a_mute_classifier_still_refuses_what_the_request_itself_shows():
    for variant in ("injected-block#1", "foreign-basket#1", "guest-basket-status#1"):
        assert played(variant, classifier="mute").closed_by == "refuse_request"
