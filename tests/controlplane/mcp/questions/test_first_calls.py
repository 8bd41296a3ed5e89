"""A client that has just connected to `controlplane mcp docs` sees the tools, and calls them.

The tools answer questions about the files of a folder: `begin` opens a question, `execute_script` runs
a script that reads the files, and `submit_answer` checks an answer and its citations.
"""

from pathlib import Path

from tests.controlplane.mcp.client_here import client_here


def test_client_is_offered_three_tools(tmp_path: Path) -> None:
    with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
        names = [tool.name for tool in client.tools()]

    assert names == ["begin", "execute_script", "submit_answer"]


def test_client_is_offered_a_prompt(tmp_path: Path) -> None:
    """A user picks the prompt `ask` in the client, and the client's model gets its text."""
    with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
        prompt = client.prompt("ask", question="Who has loan-02?")

    assert prompt.startswith(
        "Who has loan-02?\n\nAnswer this from the files alone: call `begin`"
    )


def test_answer_without_an_open_question_is_told_to_open_one(tmp_path: Path) -> None:
    with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
        refusal = client.text("submit_answer", answer="Until May.")

    assert "open one with `begin`" in refusal


def test_script_without_an_open_question_opens_one(tmp_path: Path) -> None:
    with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
        result = client.text(
            "execute_script", code="print(harness.read('/a.md').content)"
        )

    assert "question_id" in result
    assert "fee: 7" in result


def test_call_of_execute_script_without_a_script_says_what_it_takes(
    tmp_path: Path,
) -> None:
    with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
        refusal = client.text("execute_script")

    assert "takes code" in refusal


def test_call_of_an_unknown_tool_says_that_there_is_none(tmp_path: Path) -> None:
    """Only scripts can read, by `harness.read`."""
    with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
        refusal = client.text("read", path="/a.md")

    assert "there is no tool 'read'" in refusal
