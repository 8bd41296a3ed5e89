"""Other people's agents answer questions about files, as clients of `controlplane mcp docs`.

The server offers three tools: `begin` opens a question, `execute_script` runs a script
that reads the files, and `submit_answer` checks an answer and its citations. Each question
leaves a journal. The folder `docs` has one file, `loans.md`, by which loan-02 may be kept
until 2026-03-01. The client is the one of MCP's own library.
"""

import asyncio
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.controlplane.mcp.docs_client import (
    READ_LOANS,
    RIGHT_ANSWER,
    call_tool,
    client_of,
    write_docs,
)
from tests.support.command import run_in_process


class FirstCalls(NamedTuple):
    """What the first calls of a client returned, in their order, as texts."""

    tools: list[str]
    prompt: str
    answer: str
    unknown_tool: str
    script: str
    call_without_script: str


async def make_first_calls(folder: Path) -> FirstCalls:
    async with client_of(folder) as client:
        tools = (await client.list_tools()).tools
        prompt = await client.get_prompt("ask", {"question": "Who has loan-02?"})
        return FirstCalls(
            tools=[tool.name for tool in tools],
            prompt=prompt.messages[0].content.text,
            answer=await call_tool(client, "submit_answer", answer="Until May."),
            unknown_tool=await call_tool(client, "read", path="/loans.md"),
            script=await call_tool(client, "execute_script", **READ_LOANS),
            call_without_script=await call_tool(client, "execute_script"),
        )


@pytest.fixture(scope="module")
def first_calls(tmp_path_factory: pytest.TempPathFactory) -> FirstCalls:
    folder = write_docs(tmp_path_factory.mktemp("first-calls"))
    return asyncio.run(make_first_calls(folder))


class TestFirstCalls:
    """A client that has just connected sees the tools, and makes calls without a question.

    1. It submits an answer, and calls a tool `read` that does not exist.
    2. It runs a script that prints `docs/loans.md`.
    3. It calls `execute_script` without a script.
    """

    def test_client_is_offered_three_tools(self, first_calls: FirstCalls) -> None:
        assert first_calls.tools == ["begin", "execute_script", "submit_answer"]

    def test_client_is_offered_a_prompt(self, first_calls: FirstCalls) -> None:
        """A user picks the prompt `ask` in the client, and the client's model gets its text."""
        assert (
            "Who has loan-02?\n\nAnswer this from the files alone: call `begin`"
            in first_calls.prompt
        )

    def test_answer_without_an_open_question_is_told_to_open_one(
        self, first_calls: FirstCalls
    ) -> None:
        assert "open one with `begin`" in first_calls.answer

    def test_script_without_an_open_question_opens_one(
        self, first_calls: FirstCalls
    ) -> None:
        """The script runs, and prints the file."""
        assert "kept until 2026-03-01" in first_calls.script

    def test_call_of_execute_script_without_a_script_says_what_it_takes(
        self, first_calls: FirstCalls
    ) -> None:
        assert "takes code" in first_calls.call_without_script

    def test_call_of_an_unknown_tool_says_that_there_is_none(
        self, first_calls: FirstCalls
    ) -> None:
        """Only scripts can read, by `harness.read`."""
        assert "there is no tool 'read'" in first_calls.unknown_tool


class SubmittedAnswers(NamedTuple):
    """The results of four answers to one question, as texts."""

    cites_unread_file: str
    has_wrong_quote: str
    has_unfounded_reason: str
    is_right: str


async def submit_four_answers(folder: Path) -> SubmittedAnswers:
    """Open a question by a script that reads `docs/loans.md`, and answer it four times."""
    async with client_of(folder) as client:

        async def submit(answer: str, **citation: str) -> str:
            return await call_tool(
                client, "submit_answer", answer=answer, citations=[citation]
            )

        await call_tool(client, "execute_script", **READ_LOANS)
        return SubmittedAnswers(
            cites_unread_file=await submit(
                "Until May.", path="/x.md", reason="it says so"
            ),
            has_wrong_quote=await submit(
                "Until May.",
                path="/loans.md",
                reason="the line on loan-02 names 2026-03-01",
                quote="until May",
            ),
            has_unfounded_reason=await submit(
                "Yes.", path="/loans.md", reason="a ZX-4711 flight"
            ),
            is_right=await call_tool(client, "submit_answer", **RIGHT_ANSWER),
        )


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> SubmittedAnswers:
    folder = write_docs(tmp_path_factory.mktemp("answers"))
    return asyncio.run(submit_four_answers(folder))


class TestSubmittedAnswers:
    """An answer is accepted only if its citations show it. A refusal names what has to change.

    A citation has the path of a file, a reason, and perhaps a quote. The file of the tests
    says "loan-02: kept until 2026-03-01". Four answers are submitted: three that are
    refused, and the right one.
    """

    def test_answer_that_cites_a_file_that_was_not_read_is_refused(
        self, answers: SubmittedAnswers
    ) -> None:
        """It cites `/x.md`."""
        assert "citations[0].path: " in answers.cites_unread_file

    def test_answer_with_a_quote_that_is_not_in_its_file_is_refused(
        self, answers: SubmittedAnswers
    ) -> None:
        refusal = "citations[0].quote: `until May` is not in what was read"

        assert refusal in answers.has_wrong_quote

    def test_answer_whose_reason_is_not_in_its_file_is_refused(
        self, answers: SubmittedAnswers
    ) -> None:
        """The reason "a ZX-4711 flight" names something that is not in the file."""
        advice = "or quote it in `citations[].quote`"

        assert advice in answers.has_unfounded_reason

    def test_refused_answer_is_explained_in_the_words_of_the_tools(
        self, answers: SubmittedAnswers
    ) -> None:
        """The product's own model answers by a `scratchpad`, which these clients do not know."""
        for refusal in (
            answers.cites_unread_file,
            answers.has_wrong_quote,
            answers.has_unfounded_reason,
        ):
            assert "scratchpad" not in refusal
            assert "Traceback" not in refusal

    def test_answer_with_right_citations_is_accepted(
        self, answers: SubmittedAnswers
    ) -> None:
        """The checks of an answer are called gates."""
        assert "passed the gates" in answers.is_right

    def test_accepted_answer_is_shown_with_its_citations(
        self, answers: SubmittedAnswers
    ) -> None:
        """The client can show this text to its user."""
        assert "Until 2026-03-01 [1].\n  [1] /loans.md:" in answers.is_right


class JournalResource(NamedTuple):
    """A journal, as the server offers it to its client as a resource of MCP."""

    title: str
    content: str


class ThreeQuestions(NamedTuple):
    """What a client with three questions received, as texts, and its journals."""

    folder: Path
    second_question: str
    script_of_second_question: str
    answer_to_second_question: str
    third_question: str
    journals: list[JournalResource]
    """The newest first."""


async def ask_three_questions(folder: Path) -> ThreeQuestions:
    async with client_of(folder) as client:
        await call_tool(client, "execute_script", **READ_LOANS)
        await call_tool(client, "submit_answer", **RIGHT_ANSWER)

        second = await call_tool(
            client, "begin", question="Until when may loan-02 be kept?"
        )
        script = "print(harness.read('/loans.md').sha256 != '')"
        output = await call_tool(client, "execute_script", code=script)
        answer = await call_tool(client, "submit_answer", **RIGHT_ANSWER)
        third = await call_tool(client, "begin", question="And who has it?")

        journals: list[JournalResource] = []
        for resource in (await client.list_resources()).resources:
            journal = await client.read_resource(resource.uri)
            content = journal.contents[0].text
            journals.append(JournalResource(resource.title, content))
    return ThreeQuestions(folder, second, output, answer, third, journals)


@pytest.fixture(scope="module")
def three_questions(tmp_path_factory: pytest.TempPathFactory) -> ThreeQuestions:
    folder = write_docs(tmp_path_factory.mktemp("three-questions"))
    return asyncio.run(ask_three_questions(folder))


class TestThreeQuestions:
    """A client asks three questions, one after the other, and leaves.

    1. A script opens the first question, which has no text. It is answered.
    2. `begin` opens "Until when may loan-02 be kept?". It is answered.
    3. `begin` opens "And who has it?". It is still open when the client leaves.
    """

    def test_question_that_is_begun_is_shown_the_small_files(
        self, three_questions: ThreeQuestions
    ) -> None:
        """There is one, `docs/loans.md`, and its text comes with the question."""
        assert "kept until 2026-03-01" in three_questions.second_question

    def test_second_question_is_worked_on_like_the_first(
        self, three_questions: ThreeQuestions
    ) -> None:
        """Its script prints True if the file has a hash, by which a change would be seen."""
        assert "True" in three_questions.script_of_second_question
        assert "passed the gates" in three_questions.answer_to_second_question

    def test_third_question_is_given_an_id(
        self, three_questions: ThreeQuestions
    ) -> None:
        """A client with several open questions names one by it."""
        assert "question_id " in three_questions.third_question


class TestJournalsOfQuestions:
    """Each question of a client leaves a journal: a file with all that happened, line by line.

    The client of `three_questions` answered two questions, the second of which was "Until
    when may loan-02 be kept?", and left the third, "And who has it?", open.
    """

    def test_client_can_read_the_journals_of_its_questions(
        self, three_questions: ThreeQuestions
    ) -> None:
        """A resource is a text with an address and a title; here the title is the question."""
        newest, second = three_questions.journals[:2]

        assert newest.title == "And who has it?"
        assert second.title == "Until when may loan-02 be kept?"
        assert '"type":"run_opened"' in second.content

    def test_each_question_leaves_a_journal_that_can_be_replayed(
        self, three_questions: ThreeQuestions
    ) -> None:
        """Each question counts as a run. `replay --verify` repeats it, and compares the results."""
        folder = three_questions.folder
        runs = run_in_process("runs", "--json", cwd=folder).json

        assert [run["ended"] for run in runs] == ["finished"] * 3
        for run in runs:
            verify = ["replay", run["journal"], "--verify", "--json"]
            replay = run_in_process(*verify, cwd=folder)
            assert replay.code == 0, replay.out
            assert replay.json["agrees"] is True, replay.out

    def test_journal_says_what_was_asked_and_how_it_ended(
        self, three_questions: ThreeQuestions
    ) -> None:
        """The question that stays open ends without an answer: its state is `fallback`."""
        folder = three_questions.folder
        runs = run_in_process("runs", "--json", cwd=folder).json

        states: list[str] = []
        questions: list[str] = []
        for run in runs:
            journal = run["journal"]
            shown = run_in_process("show", journal, "--json", cwd=folder).json
            states.append(shown["trials"][0]["state"])
            replay_trial = ["replay", journal, "--trial", "ask", "--json"]
            trial = run_in_process(*replay_trial, cwd=folder).json
            questions.append(trial["instruction"])

        assert sorted(states) == ["answered", "answered", "fallback"]
        assert "Until when may loan-02 be kept?" in questions
        assert "And who has it?" in questions
