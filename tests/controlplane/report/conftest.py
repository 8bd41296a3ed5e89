"""A browser for tests of pages."""

from collections.abc import Iterator

import pytest

from tests.support.browser import Browser


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """A browser that all tests of this folder share, since it takes long to start."""
    with Browser() as browser:
        yield browser
