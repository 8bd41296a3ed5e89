"""A text of megabytes in a submission is judged with bounded work, and gets a short message.

A script is written by a model and may submit any text: an answer of ten million characters, or a
citation of `/docs/../../../…`. The message to the model has at most 40,000 characters.
"""

from __future__ import annotations

import pytest

from tests.gates.judged_scratchpads import valid_scratchpad
from tests.gates.judging.large_submissions.bounded_judging import (
    message_after_bounded_judging,
)

pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize(
    "scratchpad",
    [
        pytest.param(valid_scratchpad(answer="x" * 10_000_000), id="answer"),
        pytest.param(
            valid_scratchpad(refs_why={"/docs/Loans.md": "loan " * 200_000}),
            id="reason of a citation",
        ),
        pytest.param(
            valid_scratchpad(
                refs_why={"/docs/" + "../" * 100_000: "a loan runs 21 days"}
            ),
            id="cited path",
        ),
        pytest.param(
            valid_scratchpad(tokens=["\x00" * 1_000_000]),
            id="token, which the answer must have",
        ),
    ],
)
def test_a_huge_text_is_judged_with_bounded_work(scratchpad: dict[str, object]) -> None:
    message = message_after_bounded_judging(scratchpad)

    assert len(message) < 40_000


def test_lone_surrogates_do_not_get_into_the_message() -> None:
    """A Python string may have one half of a UTF-16 pair. The message is stored as UTF-8, which
    cannot encode it."""
    surrogates = "\ud800" * 100_000

    message = message_after_bounded_judging(
        valid_scratchpad(facts={surrogates: 1}, outcome=surrogates)
    )

    message.encode("utf-8")  # It could be encoded.
    assert len(message) < 40_000
