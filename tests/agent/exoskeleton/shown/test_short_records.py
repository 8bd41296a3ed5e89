"""A short record, that is, a JSON object in a file, is shown to a model in one line, and each time.

`ModelView().read(path, text)` returns how the text of a file is shown to the model next.
"""

import json

from tests.agent.exoskeleton.shown.model_view import ModelView

SHORT_RECORD = {"id": "b-1", "note": 'a "key": and more'}


def test_a_short_record_is_shown_in_one_line() -> None:
    """The line breaks and the indentation of the file are left out, since they say nothing."""
    text = ModelView().read("/b.json", json.dumps(SHORT_RECORD, indent=2))

    assert "\n" not in text
    assert json.loads(text) == SHORT_RECORD


def test_a_short_record_is_shown_each_time() -> None:
    """A reference to it would be no shorter."""
    view = ModelView()

    first = view.read("/b.json", json.dumps(SHORT_RECORD, indent=2))
    second = view.read("/b.json", json.dumps(SHORT_RECORD, indent=2))

    assert second == first
