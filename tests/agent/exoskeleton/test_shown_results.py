"""What a solver shows its model of the results of calls: each long text only once.

A model pays for each character that it is shown, and pays again in every later request. So a file
that is read again and has not changed is shown as a reference: `(unchanged: it stands above as the
result of read /docs/rules.md)`. A model that may write files needs their exact texts and hashes.
"""

import json

from tests.agent.exoskeleton.model_view import HASH, ModelView
from tests.support.books.book_declarations import BOOKS_BY

RULES = "# Rules\n\n" + "Lend a book to whoever asks for it.\n" * 10
"""A document that is long enough not to be shown twice."""


class TestTextsShownBefore:
    """A text that stands above in the conversation is referred to, and not shown again.

    `ModelView` is what a model has been shown. Its `read(path, text)` returns how the text of a
    file is shown next.
    """

    def test_a_text_that_was_shown_is_referred_to(self) -> None:
        view = ModelView()

        first = view.read("/docs/rules.md", RULES)
        second = view.read("/docs/rules.md", RULES)

        assert first == RULES
        assert (
            second
            == "(unchanged: it stands above as the result of read /docs/rules.md)"
        )

    def test_a_text_that_has_changed_is_shown_again(self) -> None:
        view = ModelView()
        view.read("/docs/rules.md", RULES)

        changed = view.read("/docs/rules.md", f"{RULES}Today only.\n")

        assert changed.endswith("Today only.\n")

    def test_a_text_shown_whole_in_the_initial_prompt_is_not_shown_again(self) -> None:
        """The initial prompt, the first messages to the model, may show files, too."""
        view = ModelView(files_in_prompt={"/docs/rules.md": RULES})

        text = view.read("/docs/rules.md", RULES)

        assert "stands above as the result of read /docs/rules.md" in text

    def test_a_text_that_was_cut_in_the_initial_prompt_is_shown_whole(self) -> None:
        """The prompt lacks the last 9 characters of the file, so a reference to it is not
        enough."""
        cut_text = f"{RULES}\n(9 characters are not shown)"
        view = ModelView(files_in_prompt={"/docs/long.md": cut_text})

        text = view.read("/docs/long.md", f"{RULES}123456789")

        assert text == f"{RULES}123456789"

    def test_a_function_result_that_was_shown_is_referred_to(self) -> None:
        """The function `books_by` is called twice with the same argument, and returns the same."""
        view = ModelView()
        result = {"value": ["x" * 300], "refs": [], "notes": []}

        first = view.call(BOOKS_BY, {"author": "Austen"}, result)
        second = view.call(BOOKS_BY, {"author": "Austen"}, result)

        assert json.loads(first) == result
        assert second == "(unchanged: it stands above as the result of books_by)"


SHORT_RECORD = {"id": "b-1", "note": 'a "key": and more'}


class TestShortRecords:
    """A short record, that is, a JSON object, is shown in one line, and each time."""

    def test_a_short_record_is_shown_in_one_line(self) -> None:
        """The line breaks and the indentation of the file are left out, since they say nothing."""
        text = ModelView().read("/b.json", json.dumps(SHORT_RECORD, indent=2))

        assert "\n" not in text
        assert json.loads(text) == SHORT_RECORD

    def test_a_short_record_is_shown_each_time(self) -> None:
        """A reference to it would be no shorter."""
        view = ModelView()

        first = view.read("/b.json", json.dumps(SHORT_RECORD, indent=2))
        second = view.read("/b.json", json.dumps(SHORT_RECORD, indent=2))

        assert second == first


class TestModelsThatWrite:
    """A model that may write files is shown their exact texts, with their hashes.

    `read(path, text)` returns how the text of a file is shown, and `HASH` is the hash that it has.
    """

    def test_if_files_may_be_written_a_text_is_shown_with_its_hash(self) -> None:
        """The hash stands in a line before the text: `{"sha256":"5555..."}`. A call that writes the
        file must name it, so that it does not overwrite what somebody else has written since."""
        view = ModelView(may_write_files=True)

        text = view.read("/loans.csv", "id,book\n7,emma\n")

        assert text == f'{{"sha256":"{HASH}"}}\nid,book\n7,emma\n'

    def test_a_document_is_shown_without_its_hash(self) -> None:
        """Documents are hardly ever written."""
        view = ModelView(may_write_files=True)

        text = view.read("/docs/rules.md", RULES)

        assert text == RULES

    def test_if_files_may_be_written_a_long_record_is_shown_exactly(self) -> None:
        """It is neither cut, nor are its line breaks left out: the model may have to write it
        again."""
        rows = [{"sku": f"S-{number}", "count": number} for number in range(200)]
        long_record = json.dumps({"id": "b-1", "rows": rows}, indent=2)
        view = ModelView(may_write_files=True)

        text = view.read("/c.json", long_record)

        assert text == f'{{"sha256":"{HASH}"}}\n{long_record}'

    def test_if_no_files_may_be_written_a_text_is_shown_without_its_hash(self) -> None:
        view = ModelView(may_write_files=False)

        text = view.read("/loans.csv", "id,book\n7,emma\n")

        assert text == "id,book\n7,emma\n"
