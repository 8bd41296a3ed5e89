"""Other people's agents answer questions about files, as clients of `controlplane mcp docs`.

The server offers three tools: `begin` opens a question, `execute_script` runs a script
that reads the files, and `submit_answer` checks an answer and its citations. Each question
leaves a journal. The tests use the client of MCP's library, over pipes and over HTTP.
"""

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from signal import SIGTERM
from typing import Any, NamedTuple

import httpx2
import pytest

from controlplane import open_journal
from controlplane.errors import Unreachable, UsageError
from controlplane.sandbox.interface import bounds
from controlplane.view.trial_pages.trial_pages import pages_of
from tests.support.byte_server import free_port
from tests.support.command import (
    ROOT,
    check_error_line,
    clean_environment,
    run_in_process,
    start_controlplane,
)

LOANS_TEXT = "# Loans\n\n- loan-02: kept until 2026-03-01.\n"
"""The text of the only file, `docs/loans.md`, which questions are about."""

# Arguments of the tools: `submit_answer` takes an answer with citations, `execute_script` code.
RIGHT_CITATION = {
    "path": "/loans.md",
    "reason": "the line on loan-02 names 2026-03-01",
    "quote": "until 2026-03-01",
}
RIGHT_ANSWER = {"answer": "Until 2026-03-01.", "citations": [RIGHT_CITATION]}
READ_LOANS = {"code": "print(harness.read('/loans.md').content)"}
"""The script that reads the file."""


def write_docs(folder: Path) -> Path:
    """Write the file into the subfolder `docs`, and return `folder`."""
    (folder / "docs").mkdir()
    (folder / "docs/loans.md").write_text(LOANS_TEXT)
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the file of questions."""
    return write_docs(tmp_path)


def client_of(folder: Path, *options: str, **client_options: Any) -> Any:
    """Return a client that starts `controlplane mcp docs` in the folder."""
    from mcp import Client, StdioServerParameters, stdio_client

    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "controlplane", "mcp", "docs", *options],
        cwd=folder,
        env=clean_environment(),
    )
    transport = stdio_client(command, errlog=sys.__stderr__)
    return Client(transport, **client_options)


def text_of(result: Any) -> str:
    """Return the text that a call of a tool returned."""
    text: str = result.content[0].text
    return text


# --- One client that answers two questions, and leaves a third one open ---


class JournalResource(NamedTuple):
    """A journal, as the server offers it to its client as a resource."""

    title: str
    content: str


@dataclass
class Session:
    """What the calls of one client returned, in the order in which it made them.

    Each field is a text, if nothing else is said. The tests below read them.
    """

    folder: Path
    tools: list[str] = field(default_factory=list)
    """The names of the tools that the client is offered."""

    # No question is open yet. The first script opens one, which has no text.
    answer_without_question: str = ""
    script_without_question: str = ""
    call_without_script: str = ""
    call_of_unknown_tool: str = ""

    # Four answers to this question: three are refused, and the last one is accepted.
    answer_that_cites_unread_file: str = ""
    answer_with_wrong_quote: str = ""
    answer_with_unfounded_reason: str = ""
    right_answer: str = ""

    # The second question is opened by `begin`, and answered. The third one stays open.
    begun_question: str = ""
    script_of_begun_question: str = ""
    answer_to_begun_question: str = ""
    question_left_open: str = ""

    prompt: str = ""
    """The server's prompt `ask` for the question "Who has loan-02?"."""
    journals: list[JournalResource] = field(default_factory=list)
    """The newest first."""


async def run_session(folder: Path) -> Session:
    """Make the calls of `Session` in their order, then ask for the prompt and the journals."""
    session = Session(folder)
    async with client_of(folder) as client:

        async def call(tool: str, **arguments: Any) -> str:
            return text_of(await client.call_tool(tool, arguments))

        async def answer(text: str, **citation: str) -> str:
            return await call("submit_answer", answer=text, citations=[citation])

        tools = (await client.list_tools()).tools
        session.tools = [tool.name for tool in tools]

        session.answer_without_question = await call(
            "submit_answer", answer="Until May."
        )
        session.script_without_question = await call("execute_script", **READ_LOANS)
        session.call_without_script = await call("execute_script")
        session.call_of_unknown_tool = await call("read", path="/loans.md")

        session.answer_that_cites_unread_file = await answer(
            "Until May.", path="/x.md", reason="it says so"
        )
        session.answer_with_wrong_quote = await answer(
            "Until May.",
            path="/loans.md",
            reason="the line on loan-02 names 2026-03-01",
            quote="until May",
        )
        session.answer_with_unfounded_reason = await answer(
            "Yes.", path="/loans.md", reason="a ZX-4711 flight"
        )
        session.right_answer = await call("submit_answer", **RIGHT_ANSWER)

        session.begun_question = await call(
            "begin", question="Until when may loan-02 be kept?"
        )
        session.script_of_begun_question = await call(
            "execute_script", code="print(harness.read('/loans.md').sha256 != '')"
        )
        session.answer_to_begun_question = await call("submit_answer", **RIGHT_ANSWER)
        session.question_left_open = await call("begin", question="And who has it?")

        prompt = await client.get_prompt("ask", {"question": "Who has loan-02?"})
        session.prompt = prompt.messages[0].content.text
        for resource in (await client.list_resources()).resources:
            journal = await client.read_resource(resource.uri)
            content = journal.contents[0].text
            session.journals.append(JournalResource(resource.title, content))
    return session


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    """The session of one client, which is over."""
    folder = write_docs(tmp_path_factory.mktemp("session"))
    return asyncio.run(run_session(folder))


def test_client_is_offered_three_tools(session: Session) -> None:
    assert session.tools == ["begin", "execute_script", "submit_answer"]


def test_client_is_offered_a_prompt(session: Session) -> None:
    """A user picks the prompt in the client, and the client's model gets its text."""
    assert (
        "Who has loan-02?\n\nAnswer this from the files alone: call `begin`"
        in session.prompt
    )


def test_answer_without_an_open_question_is_told_to_open_one(session: Session) -> None:
    assert "open one with `begin`" in session.answer_without_question


def test_script_without_an_open_question_opens_one(session: Session) -> None:
    """The script prints `docs/loans.md`, as scripts of a question do."""
    assert "kept until 2026-03-01" in session.script_without_question


def test_call_of_execute_script_without_a_script_says_what_it_takes(
    session: Session,
) -> None:
    assert "takes code" in session.call_without_script


def test_call_of_an_unknown_tool_says_that_there_is_none(session: Session) -> None:
    """Only scripts can read, by `harness.read`."""
    assert "there is no tool 'read'" in session.call_of_unknown_tool


def test_answer_that_cites_a_file_that_was_not_read_is_refused(
    session: Session,
) -> None:
    """It cites `/x.md`. The refusal names the argument that has to change."""
    assert "citations[0].path: " in session.answer_that_cites_unread_file


def test_answer_with_a_quote_that_is_not_in_its_file_is_refused(
    session: Session,
) -> None:
    """The file says "until 2026-03-01"."""
    refusal = "citations[0].quote: `until May` is not in what was read"

    assert refusal in session.answer_with_wrong_quote


def test_answer_whose_reason_is_not_in_its_file_is_refused(session: Session) -> None:
    """The reason "a ZX-4711 flight" names something that is not in the file."""
    advice = "or quote it in `citations[].quote`"

    assert advice in session.answer_with_unfounded_reason


def test_refused_answer_is_explained_in_the_words_of_the_tools(
    session: Session,
) -> None:
    """Scripts put an answer into a `scratchpad`, of which these clients know nothing."""
    for refusal in (
        session.answer_that_cites_unread_file,
        session.answer_with_wrong_quote,
        session.answer_with_unfounded_reason,
    ):
        assert "scratchpad" not in refusal
        assert "Traceback" not in refusal


def test_answer_with_right_citations_is_accepted(session: Session) -> None:
    """An answer passes the gates if all checks of the product accept it."""
    assert "passed the gates" in session.right_answer


def test_accepted_answer_is_shown_with_its_citations(session: Session) -> None:
    """The client can show this text to its user."""
    assert "Until 2026-03-01 [1].\n  [1] /loans.md:" in session.right_answer


def test_question_that_is_begun_is_shown_the_small_files(session: Session) -> None:
    """There is one, `docs/loans.md`, and its text comes with the question."""
    assert "kept until 2026-03-01" in session.begun_question


def test_second_question_is_worked_on_like_the_first(session: Session) -> None:
    """Its script prints True if the file has a hash, by which a change would be seen."""
    assert "True" in session.script_of_begun_question
    assert "passed the gates" in session.answer_to_begun_question


def test_third_question_is_given_an_id(session: Session) -> None:
    """A client with several open questions names one by it."""
    assert "question_id " in session.question_left_open


def test_client_can_read_the_journals_of_its_questions(session: Session) -> None:
    """A resource is a text with an address and a title; here the title is the question."""
    newest, second = session.journals[:2]

    assert newest.title == "And who has it?"
    assert second.title == "Until when may loan-02 be kept?"
    assert '"type":"run_opened"' in second.content


EXIT_SUCCESS = 0


def test_each_question_leaves_a_journal_that_can_be_replayed(session: Session) -> None:
    """Each question counts as a run. The session had three, of which the last one was not answered."""
    runs = run_in_process("runs", "--json", cwd=session.folder).json

    assert [run["ended"] for run in runs] == ["finished"] * 3
    for run in runs:
        replay = run_in_process(
            "replay", run["journal"], "--verify", "--json", cwd=session.folder
        )
        assert replay.code == EXIT_SUCCESS, replay.out
        assert replay.json["agrees"] is True, replay.out


def test_journal_says_what_was_asked_and_how_it_ended(session: Session) -> None:
    """The third question was open when the client left."""
    runs = run_in_process("runs", "--json", cwd=session.folder).json

    states: list[str] = []
    questions: list[str] = []
    for run in runs:
        journal = run["journal"]
        shown = run_in_process("show", journal, "--json", cwd=session.folder).json
        states.append(shown["trials"][0]["state"])
        replay_trial = ["replay", journal, "--trial", "ask", "--json"]
        trial = run_in_process(*replay_trial, cwd=session.folder).json
        questions.append(trial["instruction"])

    assert sorted(states) == ["answered", "answered", "fallback"]
    assert "Until when may loan-02 be kept?" in questions
    assert "And who has it?" in questions


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


def question_id_of(result: Any) -> str:
    """Return the id of the question that a call of `begin` has opened."""
    question_id: str = result.structured_content["question_id"]
    return question_id


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


def test_tools_are_described_to_the_client(two_questions: TwoQuestions) -> None:
    """By its read-only hint, a term of MCP, a client knows that it need not ask its user before it
    calls the tool. Only `submit_answer` changes something: it ends a question."""
    begin, execute_script, submit_answer = two_questions.tools

    assert begin.annotations.read_only_hint is True
    assert execute_script.annotations.read_only_hint is True
    assert submit_answer.annotations.read_only_hint is False
    for tool in two_questions.tools:
        assert tool.title
        assert tool.output_schema


def test_opened_question_says_where_the_files_are_and_what_comes_next(
    two_questions: TwoQuestions,
) -> None:
    """The client's model does not know the folder, nor the tools' order."""
    docs = two_questions.folder / "docs"
    expected_text = f"The files of {docs} are below `/`. Next: execute_script("

    assert expected_text in two_questions.opening_text


def test_call_must_name_its_question_if_two_are_open(
    two_questions: TwoQuestions,
) -> None:
    """The questions "A?" and "B?" are open, and the call is `execute_script(code="print(1)")`. With
    one open question, it would be clear which one it is for."""
    result = two_questions.script_of_no_question

    assert result.is_error
    ids = f"{two_questions.first_id}, {two_questions.second_id}"
    expected_text = f"2 questions are open: name one as question_id, of {ids}"
    assert expected_text in text_of(result)


def test_refused_answer_ends_with_the_next_step(two_questions: TwoQuestions) -> None:
    """The answer to "A?" cites `/loans.md`, which no script has read yet."""
    result = two_questions.early_answer

    assert result.is_error
    expected_end = (
        "Next: fix what the checks object to, and call `submit_answer` again."
    )
    assert text_of(result).endswith(expected_end)


def test_failed_script_ends_with_the_next_step(two_questions: TwoQuestions) -> None:
    """The script is `1 / 0`."""
    result = two_questions.failing_script

    assert result.is_error
    expected_end = "Next: fix the script, and call `execute_script` again."
    assert text_of(result).endswith(expected_end)


def test_server_reports_the_seconds_of_a_long_script(
    two_questions: TwoQuestions,
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


def test_one_question_too_many_is_refused(full_server: FullServer) -> None:
    """An open question takes memory and a process. The server bears `MOST_OPEN_QUESTIONS`."""
    advice = "questions are open: submit the answer of one first"

    assert advice in text_of(full_server.one_more)


def test_answered_question_makes_room_for_another_one(full_server: FullServer) -> None:
    """1. The server has as many open questions as it takes.
    2. One of them is answered.
    3. One more can be opened.
    """
    answer = full_server.answer
    one_more = full_server.one_more_after_answer

    assert not answer.is_error, text_of(answer)
    assert not one_more.is_error, text_of(one_more)


# --- Calls for which the client's user is asked ---
#
# Text that somebody else wrote, such as a mail, may try to steer a model. With the option
# `--provenance approve`, the product therefore asks the user before it sends a call that changes
# something, if an argument of the call stands only in such a text. Here a mail names two loans.

MAIL = (
    "Hello desk,\n"
    "please extend loan 421 by a month, and after it all the loans of the reader 733.\n"
    "Bob\n"
)


class MailSession(NamedTuple):
    """What two scripts printed, which extended the loans 421 and 733 after the mail was read."""

    text_for_421: str
    """`extended 421`, or why the call was not sent."""
    text_for_733: str


async def extend_loans_of_mail(
    folder: Path, mode: str, on_question: Callable[..., Awaitable[Any]] | None
) -> MailSession:
    """Read the mail, then try to extend both loans.

    `mode` is the form of MCP in which the server asks: "auto" for the present one, "legacy" for the
    earlier one. `on_question` answers for the user; None if the client cannot ask its user.
    """
    (folder / "docs/mail.txt").write_text(MAIL)
    server = f"loans={sys.executable} {ROOT / 'tests/support/loans_server.py'}"
    options = ("--provenance", "approve", "--mcp", server, "--allow", "loans.extend")
    client_options: dict[str, Any] = {"mode": mode}
    if on_question is not None:
        client_options["elicitation_callback"] = on_question
    async with client_of(folder, *options, **client_options) as client:

        async def run_script(code: str) -> str:
            return text_of(await client.call_tool("execute_script", {"code": code}))

        await run_script("print(harness.read('/mail.txt').content)")
        return MailSession(
            await run_script("print(harness.loans.extend(number=421).text)"),
            await run_script("print(harness.loans.extend(number=733).text)"),
        )


class DecidedCalls(NamedTuple):
    """Two calls, of which the user allowed the first, for the loan 421, and refused the second."""

    questions: list[str]
    """What the user was asked before each call."""
    session: MailSession
    journal: Path


@pytest.fixture(scope="module", params=["auto", "legacy"])
def decided_calls(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> DecidedCalls:
    """The two calls, with each of the two forms in which a server asks a client's user."""
    from mcp import types

    questions: list[str] = []

    async def allow_only_421(
        context: Any, params: types.ElicitRequestFormParams
    ) -> types.ElicitResult:
        question = params.message
        questions.append(question)
        is_allowed = "number: '421'" in question
        # The user fills in the form ("accept"), also to say that the call must not be sent.
        return types.ElicitResult(action="accept", content={"send": is_allowed})

    folder = write_docs(tmp_path_factory.mktemp("mail"))
    mode: str = request.param
    session = asyncio.run(extend_loans_of_mail(folder, mode, allow_only_421))
    (journal,) = folder.rglob("*.jsonl")
    return DecidedCalls(questions, session, journal)


def test_user_is_asked_about_each_call_with_an_argument_from_a_mail(
    decided_calls: DecidedCalls,
) -> None:
    """The question says where the argument comes from."""
    question_about_421, question_about_733 = decided_calls.questions

    reason = "number: '421' is only in the text of /mail.txt, line 2"
    assert reason in question_about_421
    assert "number: '733'" in question_about_733


def test_call_that_the_user_allows_is_sent(decided_calls: DecidedCalls) -> None:
    assert "extended 421" in decided_calls.session.text_for_421


def test_call_that_the_user_refuses_is_not_sent(decided_calls: DecidedCalls) -> None:
    """The script goes on, and prints what became of its call."""
    text = decided_calls.session.text_for_733

    assert "extended 733" not in text
    assert "loans.extend was not sent." in text


def decisions_in(journal: Path) -> list[str]:
    """Return what the user decided on each call, as the journal's pages say it.

    A page of `controlplane show` has a part such as `approved by the user: QUESTION`, for
    which this returns `approved by the user`.
    """
    (trial,) = open_journal(journal).trials.values()
    decisions: list[str] = []
    for page in pages_of(trial):
        for part in page.parts:
            decision, is_decision, _ = part.text.partition(": ")
            if is_decision and decision.endswith(" by the user"):
                decisions.append(decision)
    return decisions


def test_journal_has_the_users_decisions(decided_calls: DecidedCalls) -> None:
    decisions = decisions_in(decided_calls.journal)

    assert decisions == ["approved by the user", "refused by the user"]


def test_calls_with_arguments_from_a_mail_are_not_sent_without_a_user_to_ask(
    folder: Path,
) -> None:
    """The client cannot ask its user. Both arguments come from the mail, so that both calls would
    need the user's consent."""
    session = asyncio.run(extend_loans_of_mail(folder, mode="auto", on_question=None))

    assert "loans.extend was not sent." in session.text_for_421
    assert "loans.extend was not sent." in session.text_for_733


# The same server over HTTP, for clients with its token.

TOKEN = "open-sesame"
BEARER_TOKEN = {"Authorization": f"Bearer {TOKEN}"}
"""The header by which a client names the token."""


class HttpServer(NamedTuple):
    """A running server."""

    address: str
    """Host and port: `127.0.0.1:8765`."""
    process: subprocess.Popen[str]

    @property
    def url(self) -> str:
        return f"http://{self.address}/mcp"


@contextmanager
def http_server(folder: Path) -> Iterator[HttpServer]:
    """Start `controlplane mcp docs --http ADDRESS` and wait until it serves. Kill it at the end."""
    address = f"127.0.0.1:{free_port()}"
    serve = ["mcp", "docs", "--http", address]
    with start_controlplane(
        *serve, cwd=folder, CONTROLPLANE_MCP_TOKEN=TOKEN
    ) as process:
        server = HttpServer(address, process)
        try:
            assert process.stderr is not None
            first_line = process.stderr.readline()
            assert first_line == (
                f"serving {server.url} for the token in CONTROLPLANE_MCP_TOKEN\n"
            )
            yield server
        finally:
            process.kill()


@pytest.fixture(scope="module")
def idle_http_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    """A server for tests whose requests are refused."""
    with http_server(write_docs(tmp_path_factory.mktemp("http"))) as server:
        yield server


def test_request_without_the_token_of_the_server_is_refused(
    idle_http_server: HttpServer,
) -> None:
    """The token is in the environment of the server, and clients send it in a header."""
    wrong_token = {"Authorization": "Bearer other"}

    reply_without_token = httpx2.post(idle_http_server.url, json={})
    reply_to_wrong_token = httpx2.post(
        idle_http_server.url, json={}, headers=wrong_token
    )

    assert reply_without_token.status_code == HTTPStatus.UNAUTHORIZED
    assert reply_to_wrong_token.status_code == HTTPStatus.UNAUTHORIZED


def test_command_without_the_token_of_the_server_is_refused(
    idle_http_server: HttpServer, tmp_path: Path
) -> None:
    """`controlplane mcp call` calls a tool of a running server. Here its variable for the token is
    empty."""
    result = run_in_process(
        "mcp",
        "call",
        "execute_script",
        "{}",
        cwd=tmp_path,
        CONTROLPLANE_MCP_URL=idle_http_server.url,
        CONTROLPLANE_MCP_TOKEN="",
    )

    check_error_line(
        result, Unreachable.exit_code, "its token is not CONTROLPLANE_MCP_TOKEN"
    )


def check_body_is_too_large(server: HttpServer, body: bytes | Iterator[bytes]) -> None:
    """Check that the server refuses a request with this body."""
    # The server may close the connection before it has read all.
    with suppress(httpx2.TransportError):
        reply = httpx2.post(server.url, content=body, headers=BEARER_TOKEN)
        assert reply.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE


def test_request_of_5_mb_is_refused(idle_http_server: HttpServer) -> None:
    """A request may have 4 MB."""
    check_body_is_too_large(idle_http_server, b" " * 5_000_000)


def test_request_of_5_mb_in_chunks_is_refused(idle_http_server: HttpServer) -> None:
    """A body in chunks has no header that says its length."""
    chunks = [b" " * 1_000_000] * 5

    check_body_is_too_large(idle_http_server, iter(chunks))


def test_address_that_another_server_has_is_refused(
    idle_http_server: HttpServer, folder: Path
) -> None:
    """The error is one line, and no traceback."""
    serve = ["mcp", "docs", "--http", idle_http_server.address]

    result = run_in_process(*serve, cwd=folder)

    check_error_line(result, UsageError.exit_code, "Address already in use")


def test_two_clients_over_http_work_at_once_and_each_leaves_a_journal(
    folder: Path,
) -> None:
    """Afterwards the signal SIGTERM ends the server, with the exit code of success."""
    with http_server(folder) as server:
        asyncio.run(check_two_clients(server.url))
        server.process.send_signal(SIGTERM)
        assert server.process.wait(60) == EXIT_SUCCESS

    runs = run_in_process("runs", "--json", cwd=folder).json
    replay = run_in_process("replay", "last", "--verify", cwd=folder)
    assert len(runs) == 2
    assert replay.code == EXIT_SUCCESS


class QuestionClient:
    """A client that works on one question."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self.question_id = ""

    async def begin(self) -> str:
        """Open the question, and return the text that opens it."""
        result = await self.client.call_tool("begin", {"question": "Until when?"})
        self.question_id = question_id_of(result)
        return text_of(result)

    async def read_loans(self) -> str:
        script = READ_LOANS | {"question_id": self.question_id}
        return text_of(await self.client.call_tool("execute_script", script))

    async def submit_answer(self) -> str:
        answer = RIGHT_ANSWER | {"question_id": self.question_id}
        return text_of(await self.client.call_tool("submit_answer", answer))

    async def journal(self, question_id: str) -> str:
        """Return the journal of a question."""
        resource = await self.client.read_resource(f"journal://{question_id}")
        text: str = resource.contents[0].text
        return text


async def open_question_client(
    url: str, open_clients: AsyncExitStack
) -> QuestionClient:
    """Return a client of the server at `url`, which is closed with `open_clients`."""
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    http = httpx2.AsyncClient(headers=BEARER_TOKEN, timeout=60)
    await open_clients.enter_async_context(http)
    transport = streamable_http_client(url, http_client=http)
    return QuestionClient(await open_clients.enter_async_context(Client(transport)))


async def check_two_clients(url: str) -> None:
    """Check that two clients take each step in turn, each with a question of its own.

    A client can read the journal of its own question, and no other.
    """
    from mcp import MCPError

    async with AsyncExitStack() as open_clients:
        first = await open_question_client(url, open_clients)
        second = await open_question_client(url, open_clients)

        first_text = await first.begin()
        second_text = await second.begin()
        assert first.question_id in first_text
        assert second.question_id in second_text
        assert first.question_id != second.question_id

        assert "kept until 2026-03-01" in await first.read_loans()
        assert "kept until 2026-03-01" in await second.read_loans()

        assert "passed the gates" in await first.submit_answer()
        assert "passed the gates" in await second.submit_answer()

        assert (await first.client.list_resources()).resources == []
        assert "kept until 2026-03-01" in await first.journal(first.question_id)
        refusal = "no question of yours has the journal 'journal://0'"
        with pytest.raises(MCPError, match=refusal):
            await first.journal("0")
