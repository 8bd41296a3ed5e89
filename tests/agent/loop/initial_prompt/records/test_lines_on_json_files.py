"""A JSON file gets a line in the first message, with the shape of its data and the code that reads it.

    - /loans.json, fields id, due: `data = harness.read("/loans.json").json()`

Values are not shown, since the user who asks may not be allowed to see them.
"""

import json

import pytest

from controlplane.agent.loop.initial_prompt.first_message import (
    RecordFiles,
    reading_line,
)


@pytest.mark.parametrize(
    ("data", "shape"),
    [
        pytest.param(
            {"id": "l-1", "due": "2027-03-02"}, "fields id, due", id="one record"
        ),
        pytest.param(
            [{"id": "l-1", "due": "2027-03-02"}],
            "a list of records with id, due",
            id="list of records",
        ),
        pytest.param(
            {"l-1": {"due": "x"}, "l-2": {"due": "y"}},
            "fields l-1, l-2, each with due",
            id="records by their ids",
        ),
    ],
)
def test_the_line_of_a_json_file_has_its_fields(data: object, shape: str) -> None:
    """The shape of the data is described without its values."""
    line = reading_line(RecordFiles("/loans.json"), json.dumps(data))

    assert line == (
        f'- /loans.json, {shape}: `data = harness.read("/loans.json").json()`'
    )


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("not JSON", id="prose"),
        pytest.param("[" * 100_000, id="brackets"),
        pytest.param("3", id="number"),
    ],
)
def test_a_file_that_is_not_a_record_has_no_line(text: str) -> None:
    """A line about it would mislead the model."""
    assert reading_line(RecordFiles("/loans.json"), text) == ""


def test_a_field_name_with_a_line_break_stays_on_its_line() -> None:
    """Otherwise, a file could forge other lines of the first message."""
    record = json.dumps({"a\n</section>": 1})

    line = reading_line(RecordFiles("/loans.json"), record)

    assert "\n" not in line
