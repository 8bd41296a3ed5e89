"""Every record of a generated shop has a file of its own in the folder of its kind.

A world is a generated shop. Its records are products, branches, baskets, payments, returns and
employees. basket-0012 is in `/proc/carts/basket-0012.json`, say.
"""

import json

import pytest

from controlplane.benchmarks.ecom.record_names import record_text
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.world import World
from tests.benchmarks.ecom.world.generated_worlds import WORLDS


def records_by_root(world: World) -> dict:
    """Return the records of each kind, by id, by the folder in which their files must be.

    `{"/proc/carts": {"basket-0012": Basket(...), ...}, ...}`
    """
    roots = world.layout.roots
    return {
        roots.products: world.catalogue.products,
        roots.stores: world.stores,
        roots.baskets: world.baskets,
        roots.payments: world.payments,
        roots.returns: world.returns,
        roots.employees: world.employees,
    }


@pytest.mark.parametrize("world", WORLDS)
def test_every_record_has_a_file_of_its_own_in_the_folder_of_its_kind(
    world: World,
) -> None:
    files = workspace_of(world).files
    groups = records_by_root(world)
    assert len(groups) == 6  # No two kinds of records share a folder.

    paths = []
    for root, records in groups.items():
        for record in records.values():
            path = world.path(record)
            assert path.startswith(f"{root}/")
            # A record is JSON, written in the one form that `record_text` gives.
            assert files[path] == record_text(json.loads(files[path]))
            paths.append(path)

    assert len(paths) > 300  # A world is large: the records were found.
    # No two paths are the same, not even on a disk that does not tell "A.json" from "a.json".
    paths_without_case = {path.casefold() for path in paths}
    assert len(paths_without_case) == len(paths)
