"""A model that may write files is shown their exact texts, with their hashes.

A call that writes a file must name its hash, so that it does not overwrite what somebody else has
written since. `view.read(path, text)` returns how the text of a file is shown, with the hash `HASH`:
`{"sha256":"5555..."}` in a line before the text.
"""

import json

from tests.agent.exoskeleton.shown.model_view import HASH, ModelView


def test_if_files_may_be_written_a_text_is_shown_with_its_hash() -> None:
    view = ModelView(may_write_files=True)

    text = view.read("/loans.csv", "id,book\n7,emma\n")

    assert text == f'{{"sha256":"{HASH}"}}\nid,book\n7,emma\n'


def test_a_document_is_shown_without_its_hash() -> None:
    """Documents are hardly ever written."""
    view = ModelView(may_write_files=True)

    text = view.read("/docs/rules.md", "# Rules\n\nLend a book.\n")

    assert text == "# Rules\n\nLend a book.\n"


def test_if_files_may_be_written_a_long_record_is_shown_exactly() -> None:
    """It is neither cut, nor are its line breaks left out: the model may have to write it
    again."""
    rows = [{"sku": f"S-{number}", "count": number} for number in range(200)]
    long_record = json.dumps({"id": "b-1", "rows": rows}, indent=2)
    view = ModelView(may_write_files=True)

    text = view.read("/c.json", long_record)

    assert text == f'{{"sha256":"{HASH}"}}\n{long_record}'


def test_if_no_files_may_be_written_a_text_is_shown_without_its_hash() -> None:
    view = ModelView(may_write_files=False)

    text = view.read("/loans.csv", "id,book\n7,emma\n")

    assert text == "id,book\n7,emma\n"
