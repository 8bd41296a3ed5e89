"""A task's tool that needs a file which is not there, or has another form, fails and says why.

A *call* says what the tool does for some arguments. `{1}` in it is the text that its pattern `(.+)`
has matched, so that `show /b.md` shows the file `/b.md`.
"""

import pytest

from tests.benchmarks.folder.tools.tool_runs import Call, run_tool

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
