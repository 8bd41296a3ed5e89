"""A browser for tests of pages."""

from collections.abc import Iterator

import pytest

from tests.support.browser import Browser


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser that all tests of a file share, since it takes seconds to start."""
    with Browser() as browser:
        yield browser
