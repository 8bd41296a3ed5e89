"""The player finds the directories of records in the rules of every world, however they are put."""

from __future__ import annotations

import pytest

from benchmarks.ecom.player.knowledge import KIND, PAGE, ROOT, SUBJECT, named_by
from benchmarks.ecom.world.generator import World
from tests.benchmarks.ecom.world.sample_worlds import WORLDS


@pytest.mark.parametrize("world", WORLDS)
def test_the_roots_are_read_from_the_rules(world: World) -> None:
    roots = world.layout.roots
    found = named_by(world.workspace().files["/AGENTS.MD"], ROOT, KIND)
    assert (found["products"], found["branches"], found["baskets"]) == (roots.products, roots.stores, roots.baskets)
    assert (found["payments"], found["returns"], found["staff"]) == (roots.payments, roots.returns, roots.employees)


@pytest.mark.parametrize("world", WORLDS)
def test_the_page_on_each_subject_is_read_from_the_rules(world: World) -> None:
    found = named_by(world.workspace().files["/AGENTS.MD"], PAGE, SUBJECT)
    for subject in ("checkout", "discounts", "returns", "verification", "stock"):
        assert found[subject] == world.names.document(subject)
