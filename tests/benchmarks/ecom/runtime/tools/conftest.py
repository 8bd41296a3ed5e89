"""A shop whose tools all work."""

import pytest

from benchmarks.ecom.world.generator import World, generate


@pytest.fixture
def shop() -> World:
    made = generate("tools")
    made.sql_is_up = True
    return made
