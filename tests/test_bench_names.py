"""What the benches look up by name exists, so that renaming it does not break them unseen."""

from importlib import import_module
from operator import attrgetter

import pytest

from tests.bench.trial_cost import BUDGET


@pytest.mark.parametrize("target", BUDGET)
def test_a_row_of_the_budget_times_a_function_that_exists(target: str) -> None:
    module, _, path = target.partition(":")
    assert callable(attrgetter(path)(import_module(module)))
