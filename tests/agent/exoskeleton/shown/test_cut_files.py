"""A long file of which a model is shown only the beginning, and a note that says how to read on.

The note is `[... from line 57 on, by start_line]`: `start_line` is a parameter of the tool `read`. If the
environment declares a function `read_all`, which returns whole files, the note names it as well:
`by start_line, or all by read_all(path)`.
"""

from collections.abc import Sequence

import pytest

from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    Operation,
    Parameter,
    ResultField,
    bounds,
)
from tests.agent.exoskeleton.shown.cut_notes import line_to_read_on
from tests.agent.exoskeleton.shown.model_view import ModelView

READ_ALL = Operation(
    name="read_all",
    parameters=(Parameter("path", "str"),),
    fields=(ResultField("value"),),
    summary="all of a file",
)

OPERATIONS_AND_WAY_TO_READ_ON = pytest.mark.parametrize(
    ("operations", "way_to_read_on"),
    [
        pytest.param(FILE_OPERATIONS, "by start_line", id="without read_all"),
        pytest.param(
            (*FILE_OPERATIONS, READ_ALL),
            "by start_line, or all by read_all(path)",
            id="with read_all",
        ),
    ],
)


@OPERATIONS_AND_WAY_TO_READ_ON
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


@OPERATIONS_AND_WAY_TO_READ_ON
def test_a_text_that_the_environment_has_cut_says_how_to_read_on(
    operations: Sequence[Operation], way_to_read_on: str
) -> None:
    """The environment has returned only the first two lines of a longer file, and says that its
    result is truncated. The note names the third line."""
    view = ModelView(operations=operations)

    text = view.read("/exports/a.csv", "a,b\n1,2\n", truncated=True)

    _beginning, _, note = text.rpartition("[... ")
    assert line_to_read_on(note) == 3
    assert way_to_read_on in note
