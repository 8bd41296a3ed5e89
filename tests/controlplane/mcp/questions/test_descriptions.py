"""A client of `controlplane mcp docs` is told what the tools are for, and where the files are.

The server answers questions about the folder `docs`. The client's model knows neither the tools nor the
folder, so `begin` says: "The files of /home/me/docs are below `/`. Next: execute_script(...".
"""

from pathlib import Path

from tests.controlplane.mcp.client_here import client_here


def test_tools_are_described_to_the_client(tmp_path: Path) -> None:
    """By its read-only hint, a term of MCP, a client knows that it need not ask its user before
    it calls the tool. Only `submit_answer` changes something: it ends a question."""
    with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
        begin, execute_script, submit_answer = client.tools()

    assert begin.annotations.read_only_hint is True
    assert execute_script.annotations.read_only_hint is True
    assert submit_answer.annotations.read_only_hint is False
    for tool in (begin, execute_script, submit_answer):
        assert tool.title
        assert tool.output_schema


def test_opened_question_says_where_the_files_are_and_what_comes_next(
    tmp_path: Path,
) -> None:
    with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
        opened = client.call("begin", question="What is the fee?")

    assert (
        f"The files of {tmp_path / 'docs'} are below `/`. Next: execute_script("
    ) in opened.structured_content["text"]
