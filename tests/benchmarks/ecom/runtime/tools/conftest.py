"""A shop whose tools all work."""

import pytest

from benchmarks.ecom.world.generator import World, generate
from benchmarks.ecom.world.profiles import WorldSettings


@pytest.fixture
def shop() -> World:
    made = generate("tools", WorldSettings(names="own"))
    made.sql_is_up = True
    return made
