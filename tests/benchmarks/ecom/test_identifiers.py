"""An id of a trial says all that another process needs, and nothing else is taken for one."""

import pytest

from benchmarks.ecom.identifiers import TrialId


@pytest.mark.parametrize("copy", [0, 1, 12])
@pytest.mark.parametrize("seed", [0, 7, -3])
def test_a_trials_id_spells_all_of_it_and_copies_share_a_world(seed: int, copy: int) -> None:
    trial = TrialId("basket-checkout.1", 2, seed, "prod", "0123abcd", copy)
    assert TrialId.parse(str(trial)) == trial
    assert trial.world_seed == TrialId("basket-checkout.1", 2, seed, "dev", "ffffffff").world_seed


@pytest.mark.parametrize(
    "text", ["", "a.1-r0-s0-prod-0123abcd-c0", "a.1-r0-s0-prod-0123abcd-c1x", "a.1-r00-s0-prod-0123abcd"]
)
def test_what_is_no_id_is_none(text: str) -> None:
    assert TrialId.parse(text) is None
