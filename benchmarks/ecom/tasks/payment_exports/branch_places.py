"""The places of branches in degrees, which follow from their cities and ids."""

from __future__ import annotations

from hashlib import blake2b
from typing import NamedTuple

from controlplane.benchmarks.ecom.world.records import Store


class Coordinates(NamedTuple):
    """A place in degrees."""

    latitude: float
    longitude: float


def place_of(store: Store) -> Coordinates:
    """Return the coordinates of a branch.

    They are always the same, and near those of the other branches of its city.
    """
    # Two bytes of a hash place a city up to 4 degrees north and 6.4 degrees east of 47
    # N, 5 E.
    city_north, city_east = blake2b(store.city.encode(), digest_size=2).digest()
    # Two others place a branch up to 0.064 degrees, a few kilometres, from the point of its city.
    branch_north, branch_east = blake2b(store.id.encode(), digest_size=2).digest()
    return Coordinates(
        latitude=47 + city_north / 64 + branch_north / 4000,
        longitude=5 + city_east / 40 + branch_east / 4000,
    )
