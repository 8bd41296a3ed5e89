"""A call that reads a file may return rows of values instead of a text. The values are then what it has shown.

A script may cite the file for such a value. Values of the fields `path` and `name` are left out, since
they describe a file.
"""

from tests.gates.recorded_calls import CallsOfTrial


def test_a_result_without_a_text_shows_the_values_of_its_fields() -> None:
    calls = CallsOfTrial()
    result = {
        "path": "/docs/a.md",
        "rows": [
            {"name": "bookkeeping", "pages": 7, "parts": ["one", {"is_whole": True}]},
            {"title": "Opening hours"},
        ],
    }

    calls.record("read", {"path": "/docs/a.md"}, result)

    (seen,) = calls.access_to("/docs/a.md").seen
    assert seen.text.splitlines() == ["7", "one", "True", "Opening hours"]
