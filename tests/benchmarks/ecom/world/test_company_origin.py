"""The beginnings of the company follow one another, and stories name another day and another branch."""

from __future__ import annotations

import pytest

from benchmarks.ecom.world.generator import World
from tests.benchmarks.ecom.world.sample_worlds import WORLDS


@pytest.mark.parametrize("world", WORLDS[:10])
def test_the_record_and_the_stories_differ(world: World) -> None:
    origin = world.origin
    assert origin.named_on < origin.registered_on < origin.opened_on
    assert origin.rumour != origin.opened_on
    assert len({origin.first_branch, origin.other_branch, origin.newest_branch}) == 3
    first = next(each for each in world.stores.values() if each.name == origin.first_branch)
    assert origin.first_address.endswith(f", {origin.first_postcode} {first.city}")
    assert first.postal_code != origin.first_postcode
    assert origin.named_rumour != origin.named_on
    assert origin.registered_rumour != origin.registered_on
