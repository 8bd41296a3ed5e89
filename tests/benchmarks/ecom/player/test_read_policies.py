"""The player finds the directories of records in the rules of every world, however they are put."""

from __future__ import annotations

import pytest

from benchmarks.ecom.player.knowledge import roots_in
from benchmarks.ecom.world.generator import World
from tests.benchmarks.ecom.world.sample_worlds import WORLDS


@pytest.mark.parametrize("world", WORLDS)
def test_the_roots_are_read_from_the_rules(world: World) -> None:
    roots = world.layout.roots
    found = roots_in(world.workspace().files["/AGENTS.MD"])
    assert (found["products"], found["branches"], found["baskets"]) == (roots.products, roots.stores, roots.baskets)
    assert (found["payments"], found["returns"], found["staff"]) == (roots.payments, roots.returns, roots.employees)
