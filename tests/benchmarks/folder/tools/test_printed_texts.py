"""A tool prints a text, or the text of a file."""

import pytest

from tests.benchmarks.folder.tools.tool_runs import run_in, run_tool, runtime_with


def test_a_call_without_arguments_prints_its_text() -> None:
    run = run_tool({"prints": "bare\n"}, files={})

    assert run.stdout == "bare\n"
    assert run.stderr == ""
    assert run.exit_code == 0


def test_a_printed_text_may_have_arguments_in_it() -> None:
    call = {"args": r"(l-\d) (\S+)", "prints": "renewed {1}\n"}

    run = run_tool(call, "l-1", "7", files={})

    assert run.stdout == "renewed l-1\n"
    assert run.stderr == ""
    assert run.exit_code == 0


def test_a_text_is_printed_below_the_text_of_a_file() -> None:
    """The key `shows` has the path of the file."""
    call = {"args": "show (.+)", "shows": "{1}", "prints": "--\n"}

    run = run_tool(call, "show", "/a.md", files={"/a.md": "first\n"})

    assert run.stdout == "first\n--\n"
    assert run.stderr == ""
    assert run.exit_code == 0


@pytest.mark.parametrize(
    ("name", "exit_code"),
    [
        pytest.param("b", 0, id="as wanted"),
        pytest.param("c", 1, id="another one"),
    ],
)
def test_a_text_is_printed_only_if_a_row_of_a_table_has_the_wanted_cell(
    name: str, exit_code: int
) -> None:
    """`row` says by which cells the row is found, and `when` which others it must have."""
    call = {
        "args": "was (.)",
        "file": "/t.csv",
        "row": {"id": 2},
        "when": {"name": "{1}"},
        "prints": "it was\n",
    }

    run = run_tool(call, "was", name, files={"/t.csv": "id,name\n2,b\n"})

    assert run.exit_code == exit_code
    assert (run.stdout == "it was\n") == (exit_code == 0)


def test_every_tool_prints_its_help() -> None:
    """The task's file has `help = "renew LOAN TIMES"`. No call is made."""
    runtime = runtime_with([{"args": ".*", "prints": "called\n"}], files={})

    run = run_in(runtime, "--help")

    assert run.stdout == "usage: renew LOAN TIMES\n"
    assert run.stderr == ""
    assert run.exit_code == 0
