"""A long result of a function is shown to the model without its middle.

The beginning and the end are shown, and a note between them says how many characters are left out.
"""

from controlplane.agent.exoskeleton.shown import shown_result
from controlplane.sandbox.interface import bounds
from tests.support.books.book_declarations import BOOKS_BY


def test_a_long_function_result_loses_its_middle() -> None:
    result = {"value": ["x" * 50_000], "refs": [], "notes": []}

    text = shown_result(BOOKS_BY, result)

    assert "characters are left out" in text
    assert len(text) > bounds.SHOWN_RESULT_CHARS
    chars_for_note = 200
    assert len(text) < bounds.SHOWN_RESULT_CHARS + chars_for_note
