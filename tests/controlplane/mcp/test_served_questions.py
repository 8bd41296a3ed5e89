"""The tools by which other people's agents answer questions about files: `controlplane mcp docs`.

`begin` opens a question, `execute_script` runs a script that reads the files, and `submit_answer`
checks an answer and its citations.
"""

from pathlib import Path

from tests.controlplane.mcp.client_here import client_here


class TestFirstCalls:
    """A client that has just connected sees the tools, and calls them without a question."""

    def test_client_is_offered_three_tools(self, tmp_path: Path) -> None:
        with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
            names = [tool.name for tool in client.tools()]

        assert names == ["begin", "execute_script", "submit_answer"]

    def test_client_is_offered_a_prompt(self, tmp_path: Path) -> None:
        """A user picks the prompt `ask` in the client, and the client's model gets its text."""
        with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
            prompt = client.prompt("ask", question="Who has loan-02?")

        assert prompt.startswith(
            "Who has loan-02?\n\nAnswer this from the files alone: call `begin`"
        )

    def test_answer_without_an_open_question_is_told_to_open_one(
        self, tmp_path: Path
    ) -> None:
        with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
            refusal = client.text("submit_answer", answer="Until May.")

        assert "open one with `begin`" in refusal

    def test_script_without_an_open_question_opens_one(self, tmp_path: Path) -> None:
        with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
            result = client.text(
                "execute_script", code="print(harness.read('/a.md').content)"
            )

        assert "question_id" in result
        assert "fee: 7" in result

    def test_call_of_execute_script_without_a_script_says_what_it_takes(
        self, tmp_path: Path
    ) -> None:
        with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
            refusal = client.text("execute_script")

        assert "takes code" in refusal

    def test_call_of_an_unknown_tool_says_that_there_is_none(
        self, tmp_path: Path
    ) -> None:
        """Only scripts can read, by `harness.read`."""
        with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
            refusal = client.text("read", path="/a.md")

        assert "there is no tool 'read'" in refusal


class TestSeveralQuestions:
    """A client begins a question about `a.md`, or goes on to a second one."""

    def test_question_that_is_begun_is_shown_the_small_files(
        self, tmp_path: Path
    ) -> None:
        with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
            opened = client.text("begin", question="What is the fee?")

        assert "fee: 7" in opened

    def test_question_that_is_begun_is_given_an_id(self, tmp_path: Path) -> None:
        """A client with several open questions names one by it."""
        with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
            opened = client.text("begin", question="What is the fee?")

        assert "question_id " in opened

    def test_second_question_is_worked_on_like_the_first(self, tmp_path: Path) -> None:
        """The first one is opened by its script, the second one by `begin`."""
        read_file = "print(harness.read('/a.md').content)"
        citation = {"path": "/a.md", "reason": "the fee is 49 EUR"}
        with client_here(tmp_path, {"a.md": "The fee is 49 EUR.\n"}) as client:
            client.call("execute_script", code=read_file)
            first = client.text("submit_answer", answer="49 EUR", citations=[citation])

            client.call("begin", question="What is the fee, again?")
            printed = client.text("execute_script", code=read_file)
            second = client.text("submit_answer", answer="49 EUR", citations=[citation])

        assert "passed the gates" in first
        assert "The fee is 49 EUR." in printed
        assert "passed the gates" in second
