"""Clients that keep several questions open at one server, `controlplane mcp docs`.

`begin` opens a question and returns its id, as in `question_id: 3f2a...`. While more than
one is open, each call of `execute_script` and `submit_answer` names the one it is for.
"""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from controlplane.sandbox.interface import bounds
from tests.controlplane.mcp.docs_client import (
    READ_LOANS,
    RIGHT_ANSWER,
    RIGHT_CITATION,
    client_of,
    question_id_of,
    text_of,
    write_docs,
)

LONG_SCRIPT = "x = 0\nfor i in range(60_000_000): x = i\nprint(x)"
"""A script that takes some seconds, so that the server reports progress in the meantime."""


@dataclass(frozen=True)
class TwoQuestions:
    """What a client received that opened two questions and then made four calls.

    The results are those of MCP's library.
    """

    folder: Path
    tools: list[Any]
    first_id: str
    second_id: str
    opening_text: str
    """The text with which the first question was opened."""
    script_of_no_question: Any
    """The result of a script that did not name its question."""
    early_answer: Any
    """The result of an answer to the first question, before anything was read."""
    failing_script: Any
    long_script: Any
    progress: list[float]
    """What the server reported while the calls ran."""


async def ask_two_questions(folder: Path) -> TwoQuestions:
    """1. Open the questions "A?" and "B?".
    2. Run a script without saying for which of them: an error.
    3. Answer "A?", citing a file that was not read: an error.
    4. Run a script for "A?" that divides by zero: an error.
    5. Run a script for "A?" that takes some seconds.
    """
    progress: list[float] = []

    async def note_progress(seconds: float, *_: object) -> None:
        progress.append(seconds)

    async with client_of(folder) as client:

        async def call(tool: str, **arguments: Any) -> Any:
            return await client.call_tool(
                tool, arguments, progress_callback=note_progress
            )

        first = await call("begin", question="A?")
        second = await call("begin", question="B?")
        first_id = question_id_of(first)
        return TwoQuestions(
            folder=folder,
            tools=(await client.list_tools()).tools,
            first_id=first_id,
            second_id=question_id_of(second),
            opening_text=first.structured_content["text"],
            script_of_no_question=await call("execute_script", code="print(1)"),
            early_answer=await call(
                "submit_answer",
                answer="A.",
                citations=[RIGHT_CITATION],
                question_id=first_id,
            ),
            failing_script=await call(
                "execute_script", code="1 / 0", question_id=first_id
            ),
            long_script=await call(
                "execute_script", code=LONG_SCRIPT, question_id=first_id
            ),
            progress=progress,
        )


@pytest.fixture(scope="module")
def two_questions(tmp_path_factory: pytest.TempPathFactory) -> TwoQuestions:
    """The questions "A?" and "B?" of one client, with the results of its calls."""
    folder = write_docs(tmp_path_factory.mktemp("questions"))
    return asyncio.run(ask_two_questions(folder))


class TestTwoOpenQuestions:
    """A client has opened the questions "A?" and "B?", and makes calls for them.

    A refused or failed call ends with the next step, which the client's model reads.
    """

    def test_tools_are_described_to_the_client(
        self, two_questions: TwoQuestions
    ) -> None:
        """By its read-only hint, a term of MCP, a client knows that it need not ask its user before
        it calls the tool. Only `submit_answer` changes something: it ends a question."""
        begin, execute_script, submit_answer = two_questions.tools

        assert begin.annotations.read_only_hint is True
        assert execute_script.annotations.read_only_hint is True
        assert submit_answer.annotations.read_only_hint is False
        for tool in two_questions.tools:
            assert tool.title
            assert tool.output_schema

    def test_opened_question_says_where_the_files_are_and_what_comes_next(
        self, two_questions: TwoQuestions
    ) -> None:
        """The client's model does not know the folder, nor the tools' order."""
        docs = two_questions.folder / "docs"
        expected_text = f"The files of {docs} are below `/`. Next: execute_script("

        assert expected_text in two_questions.opening_text

    def test_call_must_name_its_question_if_two_are_open(
        self, two_questions: TwoQuestions
    ) -> None:
        """The questions "A?" and "B?" are open, and the call is `execute_script(code="print(1)")`.
        With one open question, it would be clear which one it is for."""
        result = two_questions.script_of_no_question

        assert result.is_error
        ids = f"{two_questions.first_id}, {two_questions.second_id}"
        expected_text = f"2 questions are open: name one as question_id, of {ids}"
        assert expected_text in text_of(result)


class TestCallsOfAnOpenQuestion:
    """A call for the question "A?" that fails ends with the next step.

    The client's model reads it. `two_questions` has the results of an answer that is refused, of
    a script that fails, and of a script that takes some seconds.
    """

    def test_refused_answer_ends_with_the_next_step(
        self, two_questions: TwoQuestions
    ) -> None:
        """The answer to "A?" cites `/loans.md`, which no script has read yet."""
        result = two_questions.early_answer

        assert result.is_error
        expected_end = (
            "Next: fix what the checks object to, and call `submit_answer` again."
        )
        assert text_of(result).endswith(expected_end)

    def test_failed_script_ends_with_the_next_step(
        self, two_questions: TwoQuestions
    ) -> None:
        """The script is `1 / 0`."""
        result = two_questions.failing_script

        assert result.is_error
        expected_end = "Next: fix the script, and call `execute_script` again."
        assert text_of(result).endswith(expected_end)

    def test_server_reports_the_seconds_of_a_long_script(
        self, two_questions: TwoQuestions
    ) -> None:
        """The first report comes after a second. Only the long script takes so long."""
        result = two_questions.long_script

        assert not result.is_error
        assert result.structured_content["question_id"] == two_questions.first_id
        assert two_questions.progress[0] == 1.0


class FullServer(NamedTuple):
    """What a server with as many open questions as it takes returned to its client."""

    one_more: Any
    """The result of opening one more question."""
    answer: Any
    """The result of answering one of the open questions."""
    one_more_after_answer: Any
    """The result of opening one more question again, afterwards."""


async def fill_server(folder: Path) -> FullServer:
    """Open as many questions as may be open, then make the three calls of `FullServer`."""
    async with client_of(folder) as client:

        async def begin(question: str) -> Any:
            return await client.call_tool("begin", {"question": question})

        question_ids: list[str] = []
        for number in range(bounds.MOST_OPEN_QUESTIONS):
            opened = await begin(f"Question {number}?")
            question_ids.append(question_id_of(opened))
        # Neither the oldest nor the newest, which a server might take by mistake.
        one_question = {"question_id": question_ids[3]}

        one_more = await begin("One more?")
        await client.call_tool("execute_script", READ_LOANS | one_question)
        answer = await client.call_tool("submit_answer", RIGHT_ANSWER | one_question)
        one_more_after_answer = await begin("One more?")
    return FullServer(one_more, answer, one_more_after_answer)


@pytest.fixture(scope="module")
def full_server(tmp_path_factory: pytest.TempPathFactory) -> FullServer:
    folder = write_docs(tmp_path_factory.mktemp("full"))
    return asyncio.run(fill_server(folder))


class TestFullServer:
    """A server takes `MOST_OPEN_QUESTIONS` open questions, since each has memory and a process.

    1. A client opens as many as that, and then one more.
    2. It answers one of them, and opens one more again.
    """

    def test_one_question_too_many_is_refused(self, full_server: FullServer) -> None:
        """An open question takes memory and a process. The server bears `MOST_OPEN_QUESTIONS`."""
        advice = "questions are open: submit the answer of one first"

        assert advice in text_of(full_server.one_more)

    def test_answered_question_makes_room_for_another_one(
        self, full_server: FullServer
    ) -> None:
        """1. The server has as many open questions as it takes.
        2. One of them is answered.
        3. One more can be opened.
        """
        answer = full_server.answer
        one_more = full_server.one_more_after_answer

        assert not answer.is_error, text_of(answer)
        assert not one_more.is_error, text_of(one_more)
