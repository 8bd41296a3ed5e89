"""A tool sets cells of a table in a file, and keeps everything else as it is.

A *call* says what the tool does for some arguments:

    {"args": "(.+) (.+)",        # a pattern for all arguments: "4 Bob"
     "file": "/t.csv",
     "row": {"id": "{1}"},       # the row whose cell `id` is 4, which the first group has matched
     "set": {"name": "{2}"}}     # its cell `name` becomes Bob
"""

import pytest

from tests.benchmarks.folder.tools.tool_runs import run_tool


@pytest.mark.parametrize(
    ("row", "new_row"),
    [
        pytest.param("1,Ada,0", "1,Bob,7", id="all cells"),
        pytest.param('1,"Ada,\r\nLady",0', "1,Bob,7", id="a cell with a line end"),
        pytest.param("1,Ada", "1,Bob,7", id="a row without the last cell"),
    ],
)
def test_cells_of_a_row_are_set(row: str, new_row: str) -> None:
    call = {
        "args": "(.+) (.+)",
        "file": "/t.csv",
        "row": {"id": 1},
        "set": {"name": "{1}", "due": "{2}"},
    }
    files = {"/t.csv": f"id,name,due\n{row}\n2,b\n"}

    run = run_tool(call, "Bob", "7", files=files)

    assert run.exit_code == 0
    assert run.changes == {"/t.csv": f"id,name,due\n{new_row}\n2,b\n"}


def test_a_row_is_found_by_an_argument() -> None:
    call = {
        "args": "(.+)",
        "file": "/t.csv",
        "row": {"id": "{1}"},
        "set": {"name": "Bob"},
    }

    run = run_tool(call, "2", files={"/t.csv": "id,name\n1,Ada\n2,Eve\n"})

    assert run.exit_code == 0
    assert run.changes == {"/t.csv": "id,name\n1,Ada\n2,Bob\n"}


def test_a_new_cell_with_a_quotation_mark_is_quoted() -> None:
    """The rows before it stay as they are."""
    call = {
        "args": "(.+)",
        "file": "/t.csv",
        "row": {"id": 2},
        "set": {"name": "{1}"},
    }

    run = run_tool(call, 'q"', files={"/t.csv": 'id,name\n1,"Ada,\r\nLady"\n2,Eve\n'})

    assert run.exit_code == 0
    assert run.changes == {"/t.csv": 'id,name\n1,"Ada,\r\nLady"\n2,"q"""\n'}
