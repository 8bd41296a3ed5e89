"""What is read of an endpoint that gives no completion."""

import time

import pytest

from agent.endpoint.error_reply import said_text


@pytest.mark.parametrize("piece", ["<script>", "<title>", "<style "])
def test_a_page_that_closes_nothing_is_read_in_a_moment(piece: str) -> None:
    started = time.perf_counter()
    assert said_text("<h1>Bad gateway</h1>" + piece * 30_000)
    assert time.perf_counter() - started < 5
