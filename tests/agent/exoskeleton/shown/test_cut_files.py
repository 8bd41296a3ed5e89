"""A long file of which a model is shown only the beginning, and a note that says how to read on.

The note is `[... from line 57 on, by start_line]`: the model reads on by the parameter `start_line` of
the tool `read`, or by a function of the environment that reads whole files (`READ_ALL`), if there is
one.
"""

from collections.abc import Sequence

import pytest

from controlplane.sandbox.interface import FILE_OPERATIONS, Operation, bounds
from tests.agent.exoskeleton.shown.cut_notes import line_to_read_on
from tests.agent.exoskeleton.shown.model_view import ModelView
from tests.support.books.book_declarations import BOOKS_BY

READ_ALL = Operation(
    name="read_all",
    parameters=BOOKS_BY.parameters,
    fields=BOOKS_BY.fields,
    summary="all of a file",
    finds=BOOKS_BY.finds,
)
"""A function that returns whole files. Only its name matters here; the rest is that of another."""


@pytest.mark.parametrize(
    ("operations", "way_to_read_on"),
    [
        pytest.param(FILE_OPERATIONS, "start_line", id="by lines"),
        pytest.param((*FILE_OPERATIONS, READ_ALL), "read_all", id="by a function"),
    ],
)
def test_a_long_text_says_how_to_read_on(
    operations: Sequence[Operation], way_to_read_on: str
) -> None:
    """The file has 2,000 lines of 21 characters, with their line breaks. The note names the
    first line that is not shown."""
    view = ModelView(operations=operations)
    line = "a line of twenty ch.\n"
    shown_lines = bounds.SHOWN_READ_CHARS // len(line)

    text = view.read("/docs/a.md", line * 2_000)

    _beginning, _, note = text.rpartition("[... ")
    assert line_to_read_on(note) == shown_lines + 1
    assert way_to_read_on in note


@pytest.mark.parametrize(
    ("operations", "way_to_read_on"),
    [
        pytest.param(FILE_OPERATIONS, "start_line", id="by lines"),
        pytest.param((*FILE_OPERATIONS, READ_ALL), "read_all", id="by a function"),
    ],
)
def test_a_text_that_the_environment_has_cut_says_how_to_read_on(
    operations: Sequence[Operation], way_to_read_on: str
) -> None:
    """The environment has returned only the first two lines of a longer file, and says that its
    result is truncated. The model should go on with the third line."""
    view = ModelView(operations=operations)

    text = view.read("/exports/a.csv", "a,b\n1,2\n", truncated=True)

    _beginning, _, note = text.rpartition("[... ")
    assert line_to_read_on(note) == 3
    assert way_to_read_on in note
