"""Random numbers, by which tests make files."""

import random

import pytest


@pytest.fixture(params=range(6))
def rng(request: pytest.FixtureRequest) -> random.Random:
    """A source of random numbers. Each test runs six times, each time with another seed."""
    return random.Random(request.param)
