"""What tests of functions of a benchmark share."""

from collections.abc import Iterator

import pytest

from controlplane.sandbox import ForkServer


@pytest.fixture(scope="session")
def library_server() -> Iterator[ForkServer]:
    """Start sandboxes that can run the functions of `tests.support.books`."""
    with ForkServer((), ("tests.support.books.book_functions",)) as server:
        yield server
