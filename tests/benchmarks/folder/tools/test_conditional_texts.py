"""A tool of a task prints a text only if a row of a table has a certain cell.

The table of these tests has one row: `2,Bob`. The tool says "it is" for the arguments `is 2 Bob`.
"""

from tests.benchmarks.folder.tools.tool_runs import Call, run_tool

CALL: Call = {
    "args": "is 2 (.+)",
    "file": "/t.csv",
    "row": {"id": 2},  # the row whose cell `id` is 2
    "when": {"name": "{1}"},  # and whose `name` is the argument
    "prints": "it is\n",
}


def test_a_text_is_printed_if_a_row_has_the_wanted_cell() -> None:
    files = {"/t.csv": "id,name\n2,Bob\n"}

    run = run_tool(CALL, "is", "2", "Bob", files=files)

    assert run.stdout == "it is\n"
    assert run.stderr == ""
    assert run.exit_code == 0


def test_a_text_is_not_printed_if_the_row_has_another_cell() -> None:
    files = {"/t.csv": "id,name\n2,Bob\n"}

    run = run_tool(CALL, "is", "2", "Ada", files=files)

    assert run.stdout == ""
    assert run.stderr == "renew: it takes no such arguments; see --help\n"
    assert run.exit_code == 1
