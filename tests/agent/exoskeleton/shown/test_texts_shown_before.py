"""A text that a model has been shown before is referred to, and not shown again.

A model pays for each character that it is shown, and pays again in every later request.
`ModelView().read(path, text)` returns how the text of a file is shown to the model next: the text, or
"(unchanged: it stands above as the result of read /docs/rules.md)".
"""

import json

from tests.agent.exoskeleton.shown.model_view import ModelView
from tests.support.books.book_declarations import BOOKS_BY

RULES = "# Rules\n\n" + "Lend a book to whoever asks for it.\n" * 10


def test_a_text_that_was_shown_is_referred_to() -> None:
    view = ModelView()

    first = view.read("/docs/rules.md", RULES)
    second = view.read("/docs/rules.md", RULES)

    assert first == RULES
    assert second == "(unchanged: it stands above as the result of read /docs/rules.md)"


def test_a_text_that_has_changed_is_shown_again() -> None:
    view = ModelView()
    view.read("/docs/rules.md", RULES)

    changed = view.read("/docs/rules.md", f"{RULES}Today only.\n")

    assert changed.endswith("Today only.\n")


def test_a_text_shown_whole_in_the_initial_prompt_is_not_shown_again() -> None:
    """The initial prompt, the first messages to the model, may show files, too."""
    view = ModelView(files_in_prompt={"/docs/rules.md": RULES})

    text = view.read("/docs/rules.md", RULES)

    assert "stands above as the result of read /docs/rules.md" in text


def test_a_text_that_was_cut_in_the_initial_prompt_is_shown_whole() -> None:
    """The prompt lacks the last 9 characters of the file, so a reference to it is not
    enough."""
    cut_text = f"{RULES}\n(9 characters are not shown)"
    view = ModelView(files_in_prompt={"/docs/long.md": cut_text})

    text = view.read("/docs/long.md", f"{RULES}123456789")

    assert text == f"{RULES}123456789"


def test_a_function_result_that_was_shown_is_referred_to() -> None:
    """The function `books_by` is called twice with the same argument, and returns the same."""
    view = ModelView()
    result = {"value": ["x" * 300], "refs": [], "notes": []}

    first = view.call(BOOKS_BY, {"author": "Austen"}, result)
    second = view.call(BOOKS_BY, {"author": "Austen"}, result)

    assert json.loads(first) == result
    assert second == "(unchanged: it stands above as the result of books_by)"
