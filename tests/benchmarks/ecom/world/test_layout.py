"""Every record lies where its world's layout says."""

from __future__ import annotations

import json

import pytest

from benchmarks.ecom.world.generator import World
from tests.benchmarks.ecom.world.sample_worlds import WORLDS


@pytest.mark.parametrize("world", WORLDS[:10])
def test_every_record_lies_below_its_root_and_under_a_path_of_its_own(world: World) -> None:
    roots = world.layout.roots
    families = {
        roots.products: world.catalogue.products,
        roots.stores: world.stores,
        roots.baskets: world.baskets,
        roots.payments: world.payments,
        roots.returns: world.returns,
        roots.employees: world.employees,
    }
    assert len(families) == 6
    paths = [world.path(each) for records in families.values() for each in records.values()]
    assert len(paths) == len({path.casefold() for path in paths})
    for root, records in families.items():
        assert all(world.path(each).startswith(root + "/") for each in records.values())
    files = world.workspace().files
    assert all(json.loads(files[path]) for path in paths)
