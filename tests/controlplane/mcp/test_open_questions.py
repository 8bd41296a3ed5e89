"""Clients that keep several questions open at one server, `controlplane mcp docs`.

`begin` opens a question and returns its id, as in `question_id: 3f2a...`. While more than
one is open, each call of `execute_script` and `submit_answer` names the one it is for.
"""

from pathlib import Path

from controlplane.sandbox.interface import bounds
from tests.controlplane.mcp.client_here import client_here
from tests.controlplane.mcp.docs_client import question_id_of, text_of


class TestDescriptions:
    """The client's model knows neither the tools nor the folder, so both are described to it."""

    def test_tools_are_described_to_the_client(self, tmp_path: Path) -> None:
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
        self, tmp_path: Path
    ) -> None:
        with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
            opened = client.call("begin", question="What is the fee?")

        assert (
            f"The files of {tmp_path / 'docs'} are below `/`. Next: execute_script("
        ) in opened.structured_content["text"]


class TestCallsOfAnOpenQuestion:
    """A call that fails ends with the next step, which the client's model reads."""

    def test_call_must_name_its_question_if_two_are_open(self, tmp_path: Path) -> None:
        with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
            first_id = question_id_of(client.call("begin", question="A?"))
            second_id = question_id_of(client.call("begin", question="B?"))

            result = client.call("execute_script", code="print(1)")

        assert result.is_error
        assert (
            f"2 questions are open: name one as question_id, of {first_id}, {second_id}"
        ) in text_of(result)

    def test_refused_answer_ends_with_the_next_step(self, tmp_path: Path) -> None:
        """The answer cites a file that no script has read yet."""
        with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
            client.call("begin", question="What is the fee?")
            result = client.call(
                "submit_answer",
                answer="It is 7.",
                citations=[{"path": "/a.md", "reason": "fee: 7"}],
            )

        assert result.is_error
        assert text_of(result).endswith(
            "Next: fix what the checks object to, and call `submit_answer` again."
        )

    def test_failed_script_ends_with_the_next_step(self, tmp_path: Path) -> None:
        with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
            client.call("begin", question="What is the fee?")
            result = client.call("execute_script", code="1 / 0")

        assert result.is_error
        assert text_of(result).endswith(
            "Next: fix the script, and call `execute_script` again."
        )

    def test_server_reports_the_seconds_of_a_long_script(self, tmp_path: Path) -> None:
        """The first report comes after a second. The script takes some seconds."""
        long_script = "x = 0\nfor i in range(60_000_000): x = i\nprint(x)"
        with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
            first_id = question_id_of(client.call("begin", question="A?"))
            client.call("begin", question="B?")

            result = client.call(
                "execute_script", code=long_script, question_id=first_id
            )

        assert not result.is_error
        assert result.structured_content["question_id"] == first_id
        assert client.progress[0] == 1.0


class TestFullServer:
    """A server takes `MOST_OPEN_QUESTIONS` open questions, since each has memory and a process."""

    def test_one_question_too_many_is_refused(self, tmp_path: Path) -> None:
        with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
            for _ in range(bounds.MOST_OPEN_QUESTIONS):
                assert not client.call("begin", question="What is the fee?").is_error

            refusal = client.text("begin", question="One more?")

        assert "questions are open: submit the answer of one first" in refusal

    def test_answered_question_makes_room_for_another_one(self, tmp_path: Path) -> None:
        with client_here(tmp_path, {"a.md": "The fee is 49 EUR.\n"}) as client:
            question_ids = []
            for _ in range(bounds.MOST_OPEN_QUESTIONS):
                opened = client.call("begin", question="What is the fee?")
                question_ids.append(question_id_of(opened))
            # Neither the oldest nor the newest, which a server might take by mistake.
            _oldest, second, *_ = question_ids
            client.call(
                "execute_script",
                code="print(harness.read('/a.md').content)",
                question_id=second,
            )
            answer = client.call(
                "submit_answer",
                answer="49 EUR",
                citations=[{"path": "/a.md", "reason": "the fee is 49 EUR"}],
                question_id=second,
            )

            one_more = client.call("begin", question="One more?")

        assert not answer.is_error, text_of(answer)
        assert not one_more.is_error, text_of(one_more)
