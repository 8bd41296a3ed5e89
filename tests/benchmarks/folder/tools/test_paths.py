r"""Paths of files that a task's tool changes: an argument names one file, and no other.

A *call* says what the tool does: `{"args": ["(.*)"], "file": "/n/{1}.md", "append": "x\n"}` appends a
line to the file that the argument names.
"""

import pytest

from tests.benchmarks.folder.tools.tool_runs import Call, run_in, runtime_with

APPEND_TO_FILE: Call = {"args": ["(.*)"], "file": "/n/{1}.md", "append": "x\n"}
"""Appends the line `x` to the file that the argument names: `a` means `/n/a.md`."""


@pytest.mark.parametrize(
    ("argument", "other_file"),
    [
        pytest.param("a[1]", "/n/a1.md", id="brackets"),
        pytest.param("*", "/n/a.md", id="asterisk"),
        pytest.param("q?", "/n/qu.md", id="question mark"),
    ],
)
def test_an_argument_with_signs_of_a_pattern_names_one_new_file(
    argument: str, other_file: str
) -> None:
    """The argument `*` means the file `/n/*.md`, and no other that this pattern would fit."""
    runtime = runtime_with([APPEND_TO_FILE], {other_file: "other\n"})

    run_in(runtime, argument)  # This creates the file,
    run = run_in(runtime, argument)  # and this appends to it.

    assert run.changes == {f"/n/{argument}.md": "x\nx\n"}


def test_an_argument_that_spells_a_file_in_another_way_is_refused() -> None:
    """`/n/./a.md` is the same as `/n/a.md`, but a tool must be given the path as it is listed.

    Otherwise the text of the file might be replaced by the addition.
    """
    runtime = runtime_with([APPEND_TO_FILE], {"/n/a.md": "old\n"})

    run_in(runtime, "./a")
    run = run_in(runtime, "./a")

    assert run.changes == {}
