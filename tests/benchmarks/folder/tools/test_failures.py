"""A run that fails prints why on stderr, and has an exit code, as a program would."""

import pytest

from tests.benchmarks.folder.tools.tool_runs import Call, run_tool


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["what"], id="an unknown argument"),
        pytest.param(["l-1", "7", "x"], id="an argument too many"),
    ],
)
def test_arguments_that_no_call_fits_are_refused(arguments: list[str]) -> None:
    call = {"args": r"(l-\d) (\d)", "prints": "renewed\n"}

    run = run_tool(call, *arguments, files={})

    assert run.stdout == ""
    assert run.stderr == "renew: it takes no such arguments; see --help\n"
    assert run.exit_code == 1


SHOW_FILE: Call = {"args": "show (.+)", "shows": "{1}"}
RENEW_LOAN: Call = {"args": "(.+)", "file": "/loans/*/{1}.json", "set": {"due": 7}}
SET_DUE: Call = {"args": "(.+)", "file": "/loans/{1}.json", "set": {"due": 7}}


@pytest.mark.parametrize(
    ("call", "arguments", "stderr"),
    [
        pytest.param(
            SHOW_FILE,
            ["show", "/b.md"],
            "renew: there is no /b.md; there is /a.md\n",
            id="a file that does not exist",
        ),
        pytest.param(
            RENEW_LOAN,
            ["l-9"],
            "renew: 0 files fit /loans/*/l-9.json\n",
            id="a loan that does not exist",
        ),
        pytest.param(
            SET_DUE,
            ["l-2"],
            "renew: /loans/l-2.json holds no JSON object\n",
            id="a file that is a list",
        ),
        pytest.param(
            SET_DUE,
            ["../a"],
            "renew: 0 files fit /loans/../a.json\n",
            id="a path that leads to another folder",
        ),
    ],
)
def test_a_call_that_cannot_be_made_says_why(
    call: Call, arguments: list[str], stderr: str
) -> None:
    files = {
        "/a.md": "a",
        "/a.json": "{}",
        "/loans/ada/l-1.json": '{"due": 1}',
        "/loans/l-2.json": "[]",
    }

    run = run_tool(call, *arguments, files=files)

    assert run.stdout == ""
    assert run.stderr == stderr
    assert run.exit_code == 1
    assert run.changes == {}


def test_a_call_may_be_defined_to_fail() -> None:
    """A task's author decides that some arguments are refused, with a text and an exit code."""
    call = {"args": "fail", "error": "no\n", "exit_code": 3}

    run = run_tool(call, "fail", files={})

    assert run.stdout == ""
    assert run.stderr == "no\n"
    assert run.exit_code == 3
