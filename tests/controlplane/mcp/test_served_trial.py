"""Other people's agents at work on trials, as clients
of a session and as programs that nobody here wrote."""

import asyncio
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx2
import psutil
import pytest

from controlplane import open_journal
from controlplane.errors import Interrupted, Unreachable, UsageError
from controlplane.mcp.server_specs import ServerSpec
from controlplane.mcp.tool_access import ToolAccess
from controlplane.mcp.tool_environment import with_tools
from controlplane.sandbox.interface import CallError, bounds
from controlplane.view.trial_pages.trial_pages import pages_of
from tests.controlplane.mcp.test_tool_environment import Nothing
from tests.support.byte_server import free_port
from tests.support.command import (
    ROOT,
    CommandResult,
    check_error_line,
    clean_environment,
    run_controlplane,
    run_in_process,
    start_controlplane,
    wait_until,
)
from tests.support.endpoints import completion_json, http_response, model_server

QUOTED = {
    "path": "/loans.md",
    "reason": "the line on loan-02 names 2026-03-01",
    "quote": "until 2026-03-01",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/loans.md").write_text(
        "# Loans\n\n- loan-02: kept until 2026-03-01.\n"
    )
    return tmp_path


def client_of(folder: Path, *options: str, **given: Any) -> Any:
    """Return a client of `controlplane mcp docs`, which it starts in the folder."""
    from mcp import Client, StdioServerParameters, stdio_client

    words = ["-m", "controlplane", "mcp", "docs", *options]
    command = StdioServerParameters(
        command=sys.executable, args=words, cwd=folder, env=clean_environment()
    )
    return Client(stdio_client(command, errlog=sys.__stderr__), **given)


GOOD_ANSWER = {"answer": "Until 2026-03-01.", "citations": [QUOTED]}

# The calls of a client that works on two questions, and leaves a third open. Each call
# is a tool, its arguments, and a part of the text that it returns.
CALLS_OF_A_SESSION: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("submit_answer", {"answer": "Until May."}, "open one with `begin`"),
    # Without a question, the first script opens one, which has no text.
    (
        "execute_script",
        {"code": "print(harness.read('/loans.md').content)"},
        "kept until 2026-03-01",
    ),
    ("execute_script", {}, "takes code"),
    ("read", {"path": "/loans.md"}, "there is no tool 'read'"),
    (
        "submit_answer",
        {
            "answer": "Until May.",
            "citations": [{"path": "/x.md", "reason": "it says so"}],
        },
        "citations[0].path: ",
    ),
    (
        "submit_answer",
        {"answer": "Until May.", "citations": [QUOTED | {"quote": "until May"}]},
        "citations[0].quote: `until May` is not in what was read",
    ),
    (
        "submit_answer",
        {
            "answer": "Yes.",
            "citations": [{"path": "/loans.md", "reason": "a ZX-4711 flight"}],
        },
        "or quote it in `citations[].quote`",
    ),
    ("submit_answer", GOOD_ANSWER, "passed the gates"),
    (
        "begin",
        {"question": "Until when may loan-02 be kept?"},
        "kept until 2026-03-01",
    ),
    (
        "execute_script",
        {"code": "print(harness.read('/loans.md').sha256 != '')"},
        "True",
    ),
    ("submit_answer", GOOD_ANSWER, "passed the gates"),
    ("begin", {"question": "And who has it?"}, "question_id "),
)


@dataclass
class SessionResult:
    """What a client got from `CALLS_OF_A_SESSION`, and read behind them."""

    tools: list[str]
    texts: list[str]
    """The text that each call returned."""
    prompt: str
    """The prompt `ask` for the question "Who has loan-02?"."""
    journals: list[tuple[str, str]]
    """Titles and contents of the resources."""


async def run_session(folder: Path) -> SessionResult:
    async with client_of(folder) as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        texts = []
        for name, arguments, _ in CALLS_OF_A_SESSION:
            result = await client.call_tool(name, arguments)
            texts.append(result.content[0].text)
        prompt = await client.get_prompt("ask", {"question": "Who has loan-02?"})
        journals = []
        for listed in (await client.list_resources()).resources:
            journal = await client.read_resource(listed.uri)
            journals.append((listed.title, journal.contents[0].text))
        return SessionResult(tools, texts, prompt.messages[0].content.text, journals)


@dataclass
class TwoQuestions:
    """What a client got that opened two questions and then made five calls."""

    tools: list[Any]
    question_ids: list[str]
    first_text: str
    """The text with which the first question was opened."""
    results: list[Any]
    """The results of the calls."""
    progress: list[float]
    """What the server reported while the calls ran."""


LONG_SCRIPT = "x = 0\nfor i in range(60_000_000): x = i\nprint(x)"


async def ask_two_questions(folder: Path) -> TwoQuestions:
    progress: list[float] = []

    async def add_progress(seconds: float, *_: object) -> None:
        progress.append(seconds)

    async with client_of(folder) as client:
        tools = (await client.list_tools()).tools
        first = (await client.call_tool("begin", {"question": "A?"})).structured_content
        second = (
            await client.call_tool("begin", {"question": "B?"})
        ).structured_content
        to_first = {"question_id": first["question_id"]}
        to_second = {"question_id": second["question_id"]}
        calls: list[tuple[str, dict[str, Any]]] = [
            ("execute_script", {"code": "print(1)"}),  # of which question?
            ("submit_answer", {"answer": "A.", "citations": [QUOTED]} | to_first),
            ("execute_script", {"code": "1 / 0"} | to_first),
            ("submit_answer", {"answer": "B.", "citations": [QUOTED]} | to_second),
            ("execute_script", {"code": LONG_SCRIPT} | to_first),
        ]
        results = []
        for name, arguments in calls:
            result = await client.call_tool(
                name, arguments, progress_callback=add_progress
            )
            results.append(result)
    return TwoQuestions(
        tools,
        [first["question_id"], second["question_id"]],
        first["text"],
        results,
        progress,
    )


def test_a_client_hears_what_failed_which_question_is_meant_and_how_far_a_script_is(
    folder: Path,
) -> None:
    work = asyncio.run(ask_two_questions(folder))
    first_id, second_id = work.question_ids
    unnamed, unread_answer, failing, _, long = work.results

    # `begin` and `execute_script` change nothing, `submit_answer` does.
    assert [tool.annotations.read_only_hint for tool in work.tools] == [
        True,
        True,
        False,
    ]
    for tool in work.tools:
        assert tool.title
        assert tool.output_schema
    assert (
        f"The files of {folder / 'docs'} are below `/`. Next: execute_script("
        in work.first_text
    )

    assert [result.is_error for result in work.results] == [
        True,
        True,
        True,
        True,
        False,
    ]
    assert (
        f"2 questions are open: name one as question_id, of {first_id}, {second_id}"
        in unnamed.content[0].text
    )
    assert unread_answer.content[0].text.endswith(
        "Next: fix what the checks object to, and call `submit_answer` again."
    )
    assert failing.content[0].text.endswith(
        "Next: fix the script, and call `execute_script` again."
    )
    assert long.structured_content["question_id"] == first_id
    assert work.progress[0] == 1.0  # After a second, which only the long script takes.


async def full_house(folder: Path) -> list[Any]:
    """Open a question more than may be open, close one, and open the question again."""
    async with client_of(folder) as client:
        opened = []
        for number in range(bounds.MOST_OPEN_QUESTIONS):
            result = await client.call_tool(
                "begin", {"question": f"Question {number}?"}
            )
            opened.append(result.structured_content["question_id"])
        refused = await client.call_tool("begin", {"question": "One more?"})
        answer = {
            "answer": "Until 2026-03-01.",
            "citations": [QUOTED],
            "question_id": opened[3],
        }
        read = {
            "code": "print(harness.read('/loans.md').content)",
            "question_id": opened[3],
        }
        await client.call_tool("execute_script", read)
        closed = await client.call_tool("submit_answer", answer)
        return [
            refused,
            closed,
            await client.call_tool("begin", {"question": "One more?"}),
        ]


def test_a_question_that_is_answered_makes_room_for_another(folder: Path) -> None:
    refused, closed, reopened = asyncio.run(full_house(folder))
    assert (
        "questions are open: submit the answer of one first" in refused.content[0].text
    )
    assert not closed.is_error, closed.content[0].text
    assert not reopened.is_error, reopened.content[0].text


MAIL = "Hello desk,\nplease extend loan 421 by a month, and after it all the loans of the reader 733.\nBob\n"


async def approvals(
    folder: Path, mode: str, *, can_ask: bool
) -> tuple[list[str], list[str]]:
    """Return what the client's user was asked, and what each call of a changing tool returned."""
    from mcp import types

    (folder / "docs/mail.txt").write_text(MAIL)
    server = f"loans={sys.executable} {ROOT / 'tests/support/loans_server.py'}"
    options = ("--provenance", "approve", "--mcp", server, "--allow", "loans.extend")
    asked: list[str] = []

    async def answer(
        context: Any, params: types.ElicitRequestFormParams
    ) -> types.ElicitResult:
        asked.append(params.message)
        return types.ElicitResult(
            action="accept", content={"send": "number: '421'" in params.message}
        )

    given = {"elicitation_callback": answer} if can_ask else {}
    async with client_of(folder, *options, mode=mode, **given) as client:
        said = []
        for code in (
            "print(harness.read('/mail.txt').content)",
            "print(harness.loans.extend(number=421).text)",
            "print(harness.loans.extend(number=733).text)",
        ):
            said.append(
                (await client.call_tool("execute_script", {"code": code}))
                .content[0]
                .text
            )
        return asked, said[1:]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_clients_user_approves_a_call_that_is_held(folder: Path, mode: str) -> None:
    asked, (first, second) = asyncio.run(approvals(folder, mode, can_ask=True))
    assert len(asked) == 2
    assert "number: '421' is only in the text of /mail.txt, line 2" in asked[0]
    assert "extended 421" in first
    assert "extended 733" not in second
    assert "loans.extend was not sent." in second
    (journal,) = folder.rglob("*.jsonl")
    (trial,) = open_journal(journal).trials.values()
    texts = [part.text for page in pages_of(trial) for part in page.parts]
    assert [text.partition(":")[0] for text in texts if " by the user: " in text] == [
        "approved by the user",
        "refused by the user",
    ]


def test_a_call_that_nobody_can_approve_is_not_sent(folder: Path) -> None:
    asked, said = asyncio.run(approvals(folder, "auto", can_ask=False))
    assert not asked
    assert all("loans.extend was not sent." in text for text in said)


def test_one_process_serves_any_number_of_questions_each_with_a_journal(
    folder: Path,
) -> None:
    session = asyncio.run(run_session(folder))

    assert session.tools == ["begin", "execute_script", "submit_answer"]
    for text, (_, _, part) in zip(session.texts, CALLS_OF_A_SESSION, strict=True):
        assert part in text
    assert (
        "Who has loan-02?\n\nAnswer this from the files alone: call `begin`"
        in session.prompt
    )
    first_accepted = next(text for text in session.texts if "passed the gates" in text)
    assert "Until 2026-03-01 [1].\n  [1] /loans.md:" in first_accepted

    # The refused submissions say it in the words of the tools, not of the scripts.
    for text in session.texts[4:7]:
        assert "scratchpad" not in text
        assert "Traceback" not in text

    (newest_title, _), (second_title, second_journal), *_ = session.journals
    assert newest_title == "And who has it?"
    assert second_title == "Until when may loan-02 be kept?"
    assert '"type":"run_opened"' in second_journal

    runs = run_in_process("runs", "--json", cwd=folder).json
    assert [run["ended"] for run in runs] == ["finished"] * 3
    states = []
    instructions = []
    for run in runs:
        journal = run["journal"]
        shown = run_in_process("show", journal, "--json", cwd=folder).json
        states.append(shown["trials"][0]["state"])
        trial = run_in_process(
            "replay", journal, "--trial", "ask", "--json", cwd=folder
        ).json
        instructions.append(trial["instruction"])
        verified = run_in_process("replay", journal, "--verify", "--json", cwd=folder)
        assert verified.code == 0, verified.out
        assert verified.json["agrees"] is True, verified.out
    # The third question was open when the client went.
    assert sorted(states) == ["answered", "answered", "fallback"]
    assert "Until when may loan-02 be kept?" in instructions
    assert "And who has it?" in instructions


OVERDUE = (
    "run",
    "overdue-loans",
    "--benchmark",
    f"folder:{ROOT / 'docs/examples/library'}",
)


def played(folder: Path, agent: str, *options: str) -> CommandResult:
    return run_in_process(
        *OVERDUE,
        "--agent",
        f"command:{agent}",
        "--json",
        *options,
        cwd=folder,
        PYTHON=sys.executable,
    )


def test_a_program_works_on_a_trial_as_an_mcp_client(tmp_path: Path) -> None:
    run = played(tmp_path, f"{sys.executable} {ROOT / 'docs/examples/mcp_agent.py'}")
    assert run.code == 0, run.err + run.out
    (trial,) = run.json["trials"]
    assert trial["score"] == 1.0
    # As `mcp_agent.py` reports them.
    assert trial["tokens"] == 120
    assert trial["cost_usd"] == 0.001
    assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == 0
    journal = Path(tmp_path, run.json["journal"]).read_text()
    assert "the program ended with exit code 0" in journal
    assert "passed the gates" in journal


SHELL = """
test -z "$CONTROLPLANE_RESUMED" || exit 9
grep -q "How many loans are overdue" || exit 8
call() { "$PYTHON" -m controlplane mcp call "$@"; }
call execute_script '{"code": "print(harness.find(\\"*.json\\", root=\\"/loans\\").paths)"}'
call read '{"path": "/loans/loan-01.json"}'
call nonsense && exit 7
echo "no such model" >&2
exit 3
"""


def test_a_program_that_only_has_a_shell_calls_tools_and_its_end_is_journalled(
    tmp_path: Path,
) -> None:
    (tmp_path / "agent.sh").write_text(SHELL)
    run = played(tmp_path, "sh agent.sh")

    assert run.code == 1, run.err
    (trial,) = run.json["trials"]
    assert trial["state"] == "fallback"
    assert trial["steps"] >= 2
    assert trial["reason"].startswith("the trial broke: ")
    assert (
        "exit code 3 and without an accepted answer; its last line: no such model"
        in trial["reason"]
    )
    journal = Path(tmp_path, run.json["journal"]).read_text()
    assert "loan-01" in journal
    assert "there is no tool 'nonsense'" in journal


@pytest.mark.second_tier
def test_a_program_that_hangs_ends_with_the_trials_time(tmp_path: Path) -> None:
    run = played(tmp_path, "sleep 600", "--trial-time", "3")
    (trial,) = run.json["trials"]

    assert trial["state"] == "fallback"
    assert trial["reason"].startswith(
        "no answer within 3 s: the program was still at work"
    )
    assert "was killed" in Path(tmp_path, run.json["journal"]).read_text()


def test_a_trial_that_was_interrupted_starts_its_program_anew_and_tells_it(
    tmp_path: Path,
) -> None:
    agent = f"{sys.executable} {ROOT / 'docs/examples/mcp_agent.py'}"
    (tmp_path / "agent.sh").write_text(f"""
if [ "$CONTROLPLANE_RESUMED" = 1 ]
then
    exec {agent}
else
    "$PYTHON" -m controlplane mcp call read '{{"path": "/loans/loan-01.json"}}'
    touch begun && sleep 600
fi
""")
    with start_controlplane(
        *OVERDUE, "--agent", "command:sh agent.sh", cwd=tmp_path, PYTHON=sys.executable
    ) as run:
        wait_until((tmp_path / "begun").exists, within_s=60)
        run.send_signal(signal.SIGINT)
        assert run.wait(60) == Interrupted.exit_code
    resumed = run_in_process(
        "resume", "last", "--json", cwd=tmp_path, PYTHON=sys.executable
    )

    assert resumed.code == 0, resumed.err + resumed.out
    assert [trial["score"] for trial in resumed.json["trials"]] == [1.0]
    assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == 0


BEARER = {"Authorization": "Bearer open-sesame"}


@contextmanager
def http_session(folder: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Yield the address of `controlplane mcp docs --http` and its process.

    Clients need the token of `BEARER`. The server is killed after the block, if it runs.
    """
    place = f"127.0.0.1:{free_port()}"
    with start_controlplane(
        "mcp",
        "docs",
        "--http",
        place,
        cwd=folder,
        CONTROLPLANE_MCP_TOKEN="open-sesame",
    ) as server:
        try:
            assert server.stderr is not None
            announcement = server.stderr.readline()
            assert (
                announcement
                == f"serving http://{place}/mcp for the token in CONTROLPLANE_MCP_TOKEN\n"
            )
            yield f"http://{place}/mcp", server
        finally:
            server.kill()


def test_a_session_over_http_refuses_wrong_tokens_and_long_requests(
    folder: Path,
) -> None:
    with http_session(folder) as (url, _):
        for headers in ({}, {"Authorization": "Bearer other"}):
            answer = httpx2.post(url, json={}, headers=headers)
            assert answer.status_code == HTTPStatus.UNAUTHORIZED

        # One body with its length in a header, and one in chunks.
        for body in (b" " * 5_000_000, iter([b" " * 1_000_000] * 5)):
            # The server may close before it has read all.
            with suppress(httpx2.TransportError):
                answer = httpx2.post(url, content=body, headers=BEARER)
                assert answer.status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE

        second_server = run_in_process(
            "mcp",
            "docs",
            "--http",
            url.removeprefix("http://").removesuffix("/mcp"),
            cwd=folder,
        )
        check_error_line(second_server, UsageError.exit_code, "Address already in use")
        call_without_token = run_in_process(
            "mcp",
            "call",
            "execute_script",
            "{}",
            cwd=folder,
            CONTROLPLANE_MCP_URL=url,
            CONTROLPLANE_MCP_TOKEN="",
        )
        check_error_line(
            call_without_token,
            Unreachable.exit_code,
            "its token is not CONTROLPLANE_MCP_TOKEN",
        )


def test_two_clients_over_http_work_at_once_and_each_leaves_a_journal(
    folder: Path,
) -> None:
    with http_session(folder) as (url, server):
        asyncio.run(check_two_clients(url))
        server.send_signal(signal.SIGTERM)
        assert server.wait(60) == 0

    assert len(run_in_process("runs", "--json", cwd=folder).json) == 2
    assert run_in_process("replay", "last", "--verify", cwd=folder).code == 0


async def check_two_clients(url: str) -> None:
    """Check that two clients read and answer in turns, each with a question of its own,
    and that a client reads the journal of its own question only."""
    from mcp import Client, MCPError
    from mcp.client.streamable_http import streamable_http_client

    async with AsyncExitStack() as open_clients:
        clients = []
        for _ in range(2):
            http = await open_clients.enter_async_context(
                httpx2.AsyncClient(headers=BEARER, timeout=60)
            )
            transport = streamable_http_client(url, http_client=http)
            clients.append(await open_clients.enter_async_context(Client(transport)))

        question_ids = []
        for client in clients:
            begun = await client.call_tool("begin", {"question": "Until when?"})
            question_id = begun.structured_content["question_id"]
            assert question_id in begun.content[0].text
            question_ids.append(question_id)
        assert question_ids[0] != question_ids[1]

        for client, question_id in zip(clients, question_ids, strict=True):
            script = {
                "code": "print(harness.read('/loans.md').content)",
                "question_id": question_id,
            }
            step = await client.call_tool("execute_script", script)
            assert "kept until 2026-03-01" in step.content[0].text

        for client, question_id in zip(clients, question_ids, strict=True):
            submission = {
                "answer": "Until 2026-03-01.",
                "citations": [QUOTED],
                "question_id": question_id,
            }
            verdict = await client.call_tool("submit_answer", submission)
            assert "passed the gates" in verdict.content[0].text

        first_client = clients[0]
        assert (await first_client.list_resources()).resources == []
        journal = await first_client.read_resource(f"journal://{question_ids[0]}")
        assert "kept until 2026-03-01" in journal.contents[0].text
        with pytest.raises(
            MCPError, match="no question of yours has the journal 'journal://0'"
        ):
            await first_client.read_resource("journal://0")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("mcp", "gone"), "no such folder"),
        (("mcp", "a", "b"), "takes one folder"),
        (
            ("mcp", "--http", "8765"),
            "--http 8765: write HOST:PORT, such as 127.0.0.1:8765",
        ),
        (("mcp", "--http", ":8765"), "write HOST:PORT"),
        (("mcp", "--http", "127.0.0.1:99999"), "--http 127.0.0.1:99999: "),
        (("mcp", "--http", "192.0.2.1:80"), "--http 192.0.2.1:80: "),
        (("mcp", "call", "read"), "CONTROLPLANE_MCP_URL"),
        (("run", "--agent", "command:"), "names no program"),
        (
            ("run", "--agent", "client:stdio"),
            "only the clients of `controlplane mcp` work on its trials",
        ),
    ],
)
def test_a_usage_error_is_one_line(
    folder: Path, words: tuple[str, ...], message: str
) -> None:
    check_error_line(run_in_process(*words, cwd=folder), UsageError.exit_code, message)


@pytest.mark.parametrize(
    "client", ["claude-desktop", "claude-code", "cursor", "vscode", "codex"]
)
def test_the_configuration_of_a_client_names_the_program_and_the_folder(
    folder: Path, client: str
) -> None:
    printed = run_in_process("mcp", "install", client, "docs", cwd=folder).out
    if client == "codex":
        configuration = tomllib.loads(printed)
    else:
        configuration = json.loads(printed)
    # One table of servers, which every client names in its own way.
    (servers,) = configuration.values()
    server = servers["controlplane"]
    program = [server["command"], *server["args"][:-2]]

    assert server["args"][-2:] == ["mcp", str(folder / "docs")]
    help_page = subprocess.run(
        [*program, "mcp", "--help"],
        cwd="/",
        check=True,
        capture_output=True,
        text=True,
    )
    assert "mcp" in help_page.stdout


def test_the_configuration_of_an_unknown_client_is_refused(folder: Path) -> None:
    check_error_line(
        run_in_process("mcp", "install", "emacs", cwd=folder),
        UsageError.exit_code,
        "is one of claude-desktop",
    )


INSTALL_S = 600


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Return the folder of programs of an environment that holds packages."""
    folder = tmp_path_factory.mktemp("foreign")

    def of(package: str, *others: str) -> Path:
        home = folder / package
        if not home.exists():
            subprocess.run(
                [sys.executable, "-m", "venv", home], check=True, timeout=INSTALL_S
            )
            command = [
                home / "bin/python",
                "-m",
                "pip",
                "install",
                "-q",
                package,
                *others,
            ]
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=INSTALL_S, check=False
            )
            if done.returncode:
                pytest.skip(
                    f"{package} cannot be installed here: {done.stderr.strip()[-200:]}"
                )
        return home / "bin"

    return of


def npx(
    *words: str | Path, cwd: Path, package: str
) -> subprocess.CompletedProcess[str]:
    """Run a program of a package of npm."""
    variables = {
        **clean_environment(HOME=os.environ.get("HOME", "/")),
        "npm_config_yes": "true",
    }
    command = ["npx", "-y", "-p", "node@22", "-p", package, *map(str, words)]
    try:
        done = subprocess.run(
            command,
            cwd=cwd,
            env=variables,
            capture_output=True,
            text=True,
            timeout=INSTALL_S,
            check=False,
        )
    except FileNotFoundError:
        pytest.skip("there is no npx here")
    if "npm error" in done.stderr or "npm ERR" in done.stderr:
        pytest.skip(f"{package} cannot be had here: {done.stderr[-200:]}")
    return done


def command_line(folder: Path) -> Path:
    """Return a folder with the command `run_controlplane`."""
    command = folder / "bin/controlplane"
    command.parent.mkdir()
    command.write_text(
        f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m controlplane "$@"\n'
    )
    command.chmod(0o755)
    return command.parent


COUNT = """import json
due = {path: json.loads(harness.read(path).content) for path in harness.find("*.json", root="/loans", limit=0).paths}
print([path for path, loan in due.items() if loan["due"] < "2027-03-11"])"""
CITED = [
    {"path": f"/loans/loan-0{number}.json", "reason": "it was due before today"}
    for number in (1, 3)
]
GONE = [{"path": "/loans/gone.json", "reason": "it was due before today"}]
SHELL_CALLS = (
    f"controlplane mcp call execute_script '{json.dumps({'code': COUNT})}'",
    f"controlplane mcp call report_completion '{json.dumps({'answer': '[COUNT:2]', 'citations': GONE})}'",
    f"controlplane mcp call report_completion '{json.dumps({'answer': '[COUNT:2]', 'citations': CITED})}'",
    "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT",
)


@pytest.mark.heavy
@pytest.mark.second_tier
def test_an_agent_with_a_shell_alone_answers_a_trial_through_the_gates(
    tmp_path: Path, installed: Callable[..., Path]
) -> None:
    python = installed("mini-swe-agent") / "python"
    said = iter(SHELL_CALLS)

    def reply(asked: object, connection: object) -> bytes:
        return http_response(
            200, completion_json(f"Next.\n\n```mswea_bash_command\n{next(said)}\n```")
        )

    with model_server(reply) as model:
        variables = {
            "PATH": f"{command_line(tmp_path)}:{os.environ['PATH']}",
            "HOME": str(tmp_path),
            "MSWEA_MODEL_NAME": "openai/scripted",
            "MSWEA_SILENT_STARTUP": "1",
            "OPENAI_BASE_URL": model.url,
            "OPENAI_API_KEY": "none",
        }
        run = run_controlplane(
            *(
                *OVERDUE,
                "--agent",
                f"command:{python} {ROOT / 'docs/examples/shell_agent.py'}",
                "--json",
            ),
            cwd=tmp_path,
            **variables,
        )

    assert run.code == 0, run.err + run.out
    journal = Path(tmp_path, run.json["journal"]).read_text()
    (trial,) = run.json["trials"]
    assert trial["score"] == 1.0, journal
    assert trial["state"] == "answered"
    assert "/loans/loan-01.json" in str(model.asked[1].body["messages"])
    assert "was not read" in str(model.asked[2].body["messages"])
    assert run_in_process("replay", "last", "--verify", cwd=tmp_path).code == 0


@pytest.mark.heavy
@pytest.mark.second_tier
def test_an_inspector_lists_and_calls_the_tools_of_our_server(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/loans.md").write_text("loan-02: kept until 2026-03-01\n")
    ours = command_line(tmp_path) / "controlplane"
    inspect = ("mcp-inspector", "--cli", ours, "mcp", "docs")
    package = "@modelcontextprotocol/inspector"
    listed = npx(*inspect, "--method", "tools/list", cwd=tmp_path, package=package)

    assert listed.returncode == 0, listed.stderr
    tools = json.loads(listed.stdout)["tools"]
    assert [tool["name"] for tool in tools] == [
        "begin",
        "execute_script",
        "submit_answer",
    ]
    call = ("--method", "tools/call", "--tool-name", "execute_script", "--tool-arg")
    called = npx(
        *inspect,
        *call,
        "code=print(harness.read('/loans.md').content)",
        cwd=tmp_path,
        package=package,
    )
    assert "kept until 2026-03-01" in json.loads(called.stdout)["content"][0]["text"], (
        called.stderr
    )


def killed(part: str) -> int:
    """Kill the processes below this one whose command
    line holds `part`; return how many they were."""
    found = [
        process
        for process in psutil.Process().children(recursive=True)
        if part in " ".join(process.cmdline())
    ]
    for process in found:
        process.kill()
    return len(found)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    file = tmp_path / "loans.db"
    with sqlite3.connect(file) as connection:
        connection.execute("create table loans (id text, due text)")
        connection.executemany(
            "insert into loans values (?, ?)",
            [("loan-01", "2026-03-01"), ("loan-02", "2026-04-01")],
        )
    connection.close()
    return file


def check_killed(
    spec: ServerSpec,
    allow: str,
    call: tuple[str, dict[str, object]],
    said: str,
    part: str,
) -> None:
    """A call is answered; a server that is killed fails its call,
    is started anew once, and stays ended after that."""
    with with_tools(Nothing(), ToolAccess({"it": spec}, allow=(allow,))) as made:
        result = made.call(*call)
        assert said in str(result["text"])
        assert str(result["call_path"]).startswith("/mcp/it/calls/")
        for ending in ("was started anew", "has ended again"):
            assert killed(part) > 0
            with pytest.raises(
                CallError, match=f"{re.escape(call[0])} failed: .*{ending}"
            ):
                made.call(*call)
            if ending == "was started anew":
                assert said in str(made.call(*call)["text"])


def asked(folder: Path, server: str, script: str, *options: str) -> CommandResult:
    (folder / "replies.toml").write_text(f"[[reply]]\ncode = {json.dumps(script)}\n")
    words = (
        "ask",
        "When is loan-02 due?",
        "notes.md",
        "--model",
        "scripted:replies.toml",
        "--json",
    )
    return run_controlplane(
        *words,
        "--mcp",
        f"it={server}",
        *options,
        cwd=folder,
        HOME=os.environ.get("HOME", "/"),
    )


ANSWER = """
scratchpad.cite(found.call_path, "it names the day of loan-02", "2026-04-01")
scratchpad["answer"], scratchpad["outcome"] = "On 2026-04-01.", "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "2026-04-01" in sp["answer"])
"""


def check_asked(folder: Path, server: str, call: str, *options: str) -> None:
    (folder / "notes.md").write_text("nothing\n")
    ended = asked(
        folder, server, f"found = {call}\nprint(found.text){ANSWER}", *options
    )
    assert ended.code == 0, ended.err + ended.out
    assert [citation["quote"] for citation in ended.json["citations"]] == ["2026-04-01"]
    assert run_in_process("replay", "last", "--verify", cwd=folder).code == 0


@pytest.mark.heavy
@pytest.mark.second_tier
def test_a_database_server_from_the_package_index_is_used_and_survived(
    tmp_path: Path, database: Path, installed: Callable[..., Path]
) -> None:
    server = installed("mcp-server-sqlite", "mcp<2") / "mcp-server-sqlite"
    words = (str(server), "--db-path", str(database))
    query = {"query": "select due from loans where id = 'loan-02'"}
    spec = ServerSpec(command=words[0], args=words[1:])
    check_killed(spec, "it.*", ("it.read_query", query), "2026-04-01", str(database))
    call = f"harness.it.read_query(query={query['query']!r})"
    check_asked(tmp_path, " ".join(words), call, "--allow", "it.read_query")


@pytest.mark.heavy
@pytest.mark.second_tier
def test_a_file_server_from_npm_is_used_and_survived(tmp_path: Path) -> None:
    package = "@modelcontextprotocol/server-filesystem"
    npx("node", "--version", cwd=tmp_path, package=package)
    folder = Path(os.path.realpath(tmp_path)) / "files"
    folder.mkdir()
    (folder / "loan.txt").write_text("loan-02 is due on 2026-04-01\n")
    words = ("-y", "-p", "node@22", "-p", package, "mcp-server-filesystem", str(folder))
    spec, path = ServerSpec(command="npx", args=words), str(folder / "loan.txt")
    check_killed(
        spec, "it.*", ("it.read_text_file", {"path": path}), "2026-04-01", str(folder)
    )
    seen = f"harness.it.list_allowed_directories(), harness.it.list_directory(path={str(folder)!r})"
    call = f"({seen}, harness.it.read_text_file(path={path!r}))[2]"
    check_asked(tmp_path, " ".join((spec.command, *spec.args)), call)


@pytest.mark.heavy
@pytest.mark.second_tier
@pytest.mark.parametrize(
    ("package", "words", "tool", "arguments", "said"),
    [
        (
            "@modelcontextprotocol/server-everything",
            ("mcp-server-everything",),
            "echo",
            {"message": "due"},
            "due",
        ),
        (
            "@modelcontextprotocol/server-memory",
            ("mcp-server-memory",),
            "read_graph",
            {},
            "entities",
        ),
        ("mcp-server-time", (), "get_current_time", {"timezone": "UTC"}, "UTC"),
        (
            "mcp-server-git",
            ("--repository", "."),
            "git_log",
            {"repo_path": "."},
            "the first loan",
        ),
    ],
)
def test_a_public_servers_tools_are_called_by_the_names_that_prompts_show(
    package: str,
    words: tuple[str, ...],
    tool: str,
    arguments: dict[str, object],
    said: str,
    tmp_path: Path,
    installed: Callable[..., Path],
) -> None:
    if package.startswith("@"):
        npx("node", "--version", cwd=tmp_path, package=package)
        command, args = "npx", ("-y", "-p", "node@22", "-p", package, *words)
    else:
        command, args = str(installed(package, "mcp<2") / package), words
    author = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    for git in (
        ("init", "-q"),
        (*author, "commit", "-q", "--allow-empty", "-m", "the first loan"),
    ):
        subprocess.run(["git", *git], cwd=tmp_path, check=True, env=clean_environment())
    spec = ServerSpec(command=command, args=args, cwd=str(tmp_path))
    with with_tools(Nothing(), ToolAccess({"it": spec}, allow=("it.*",))) as made:
        names = [operation.name for operation in made.tool_schema.operations]
        assert f"it.{tool}" in names
        assert said in str(made.call(f"it.{tool}", arguments))
        assert made.notices == []
