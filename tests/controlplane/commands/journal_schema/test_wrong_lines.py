"""A line with a wrong, missing or further field does not fit the published schema of journals.

The line is the event that a run has told the user something, here "one", with the time and the hashes
of the line before and of the line itself.
"""

from typing import Any

import pytest
from jsonschema import Draft202012Validator

VALID_LINE = {
    "prev": "0" * 32,
    "at_ms": 1,
    "type": "run_notice",
    "text": "one",
    "hash": "1" * 32,
}
"""A line of a journal: the event that a run has told the user something, here "one"."""


def test_a_line_of_a_journal_fits_the_published_schema(schema: dict[str, Any]) -> None:
    assert Draft202012Validator(schema).is_valid(VALID_LINE)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"type": "unheard_of"}, id="unknown type"),
        pytest.param({"hash": "short"}, id="hash too short"),
        pytest.param({"text": 7}, id="number for a text"),
        pytest.param({"more": True}, id="unknown field"),
        pytest.param({"prev": None}, id="no previous hash"),
    ],
)
def test_a_wrong_line_does_not_fit_the_published_schema(
    change: dict[str, object], schema: dict[str, Any]
) -> None:
    assert not Draft202012Validator(schema).is_valid(VALID_LINE | change)
