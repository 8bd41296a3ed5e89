"""The places of branches in degrees. They are invented, but always the same for a branch.

Branches of one city are a few kilometres apart. Breda may be at 48.5 N and 7.2 E, far from
the real Breda.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import NamedTuple

from controlplane.benchmarks.ecom.world.records import Store


class Coordinates(NamedTuple):
    """A place in degrees."""

    latitude: float
    longitude: float


def place_of(store: Store) -> Coordinates:
    """Return the coordinates of a branch, which follow from its city and its id."""
    # A hash of two bytes gives two numbers from 0 to 255. Those of the city place it up to 4
    # degrees north and 6.4 degrees east of the point 47 N, 5 E.
    city_north, city_east = blake2b(store.city.encode(), digest_size=2).digest()
    # Those of the branch place it up to 0.064 degrees, a few kilometres, from its city's point.
    branch_north, branch_east = blake2b(store.id.encode(), digest_size=2).digest()
    return Coordinates(
        latitude=47 + city_north / 64 + branch_north / 4000,
        longitude=5 + city_east / 40 + branch_east / 4000,
    )
