"""What tests of the agent share."""

from collections.abc import Iterator

import pytest

from controlplane.agent.trial_gates import judging_modules
from controlplane.benchmarks.shop.shop_schema import FUNCTION_MODULES
from controlplane.sandbox import ForkServer


@pytest.fixture(scope="session")
def server() -> Iterator[ForkServer]:
    """Start sandboxes by forking a process that has imported what scripts of the tests need: the
    gates, and the functions of the shop and of the test library."""
    modules = judging_modules(("ecom",))
    function_modules = (
        *FUNCTION_MODULES,
        "tests.support.books.book_functions",
        "tests.support.books.answer_checks",
        "tests.support.books.book_checks",
    )
    with ForkServer(modules, function_modules) as fork_server:
        yield fork_server
