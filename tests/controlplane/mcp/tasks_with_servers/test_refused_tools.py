"""A call of a tool that may change something is refused, and the user is told the option that allows it.

    controlplane ask "Branch?" docs --mcp "git=..."
    git.branch may change something and was not allowed; the user allows it with --allow git.branch, ...

The model is told so, too, and may answer all the same. The user reads it while it works, in the result of
the run, and on the page of the trial.
"""

import json
from pathlib import Path

import pytest

from tests.controlplane.mcp.small_servers import small_server
from tests.support.command import run_in_process

REMEDY = "--allow git.branch"

LIST_AND_CALL = """
def list_tools(request):
    branch = {"name": "branch", "inputSchema": {"type": "object"}}
    send_result(request, {"tools": [branch]})
"""
"""Parts of a server with one tool, of which it does not say that it only reads."""

REPLIES = """
[[reply]]
state = "make a branch"
code = '''
try:
    harness.git.branch()
except HarnessError as error:
    print(error)
scratchpad["answer"] = "There is no branch."
scratchpad["outcome"] = "OUTCOME_REFUSED"
scratchpad["changes"] = []
def verify(sp):
    return sp["answer"] == "There is no branch."
harness.answer(scratchpad, verify)
'''
"""


TASK = """
instruction = "Make a branch."
[expected]
outcome = "OUTCOME_REFUSED"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the replies of a model, files to ask about, and a task."""
    (tmp_path / "replies.toml").write_text(REPLIES)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("Nothing of branches.\n")
    (tmp_path / "tasks/t/files").mkdir(parents=True)
    (tmp_path / "tasks/t/files/a.md").write_text("Nothing of branches.\n")
    (tmp_path / "tasks/t/task.toml").write_text(TASK)
    return tmp_path


def options(folder: Path) -> list[str]:
    server = small_server(folder, LIST_AND_CALL)
    command = " ".join([server.command, *server.args])
    return [f"--mcp=git={command}", "--model=scripted:replies.toml"]


def test_a_question_tells_how_to_allow_a_refused_tool(folder: Path) -> None:
    asked = run_in_process("ask", "Branch?", "docs", *options(folder), cwd=folder)
    shown = run_in_process("show", "last", cwd=folder)
    trial = run_in_process("replay", "last", "--trial", "ask", cwd=folder)

    assert REMEDY in asked.err
    assert REMEDY in " ".join(shown.out.split())  # It may be wrapped.
    assert "noticed: git.branch may change something" in trial.out
    assert REMEDY in trial.out


def test_the_json_of_a_question_and_a_run_has_the_remedy(folder: Path) -> None:
    question = run_in_process(
        "ask", "Branch?", "docs", "--json", *options(folder), cwd=folder
    )
    run = run_in_process(
        "run", "--benchmark=folder:tasks", "--json", *options(folder), cwd=folder
    )

    for result in (question, run):
        notices = json.loads(result.out)["notices"]
        assert any(REMEDY in notice for notice in notices)
