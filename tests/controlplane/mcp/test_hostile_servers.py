"""No MCP server can stop a trial by what it sends, and no tool changes something unasked.

Replies that are endless, too large, unreadable or missing fail their own call. A server that ends
is started again once. Tools and parameters get names that Python can write. Tools that may change
something are called only if the user allows it, and a call with a value from a mail needs the
user's consent. Programs that nobody here wrote work on trials as clients, and `ask` may cite the
results of tools.
"""

import gzip
import json
import resource
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from controlplane import open_journal
from controlplane.agent.model import ModelTool, object_schema
from controlplane.errors import Interrupted, ServerFailed, Unreachable, UsageError
from controlplane.mcp.server_specs import ServerSpec
from controlplane.mcp.serving.calls import CallResult, ClientCall
from controlplane.mcp.serving.offered_server import offered_server
from controlplane.mcp.tool_access import ToolAccess
from controlplane.mcp.tool_environment import ToolEnvironment, with_tools
from controlplane.sandbox.child.step.harness import with_attributes
from controlplane.sandbox.interface import CallError, bounds, parsed_result
from controlplane.view.trial_pages.trial_pages import pages_of
from tests.controlplane.mcp.client_here import client_here, text_of
from tests.controlplane.mcp.small_servers import (
    EmptyEnvironment,
    small_server,
    start_and_end_servers,
)
from tests.support.command import (
    PATIENCE_S,
    CommandResult,
    run_in_process,
    start_controlplane,
    wait_until,
)
from tests.support.phonebook_model import ByteServer, http_response
from tests.support.product_files import ROOT
from tests.support.terminal import Terminal

# A shell program works on the task "What is the fee?", of a run with `--agent "command:sh agent.sh"`.
#
#     run_program(folder, "exit 3").json["trials"][0]["state"]    ->    "fallback"
#
# The answer, "7 EUR", is in the file notes.md of the task.


def write_fee_task(folder: Path, program: str) -> list[str]:
    """Write a task about the file notes.md, and a shell program that works on it.

    Return the words behind `controlplane` that run the program on the task. It finds the path of
    Python in the variable PYTHON.
    """
    files = folder / "tasks/fee/files"
    files.mkdir(parents=True)
    (files / "notes.md").write_text("fee: 7 EUR\n")
    (folder / "tasks/fee/task.toml").write_text(
        'instruction = "What is the fee?"\n'
        '[expected]\noutcome = "OUTCOME_OK"\nanswer = "7 EUR"\n'
    )
    (folder / "agent.sh").write_text(program)
    return ["run", "--benchmark=folder:tasks", "--agent=command:sh agent.sh"]


def run_program(folder: Path, program: str, *options: str) -> CommandResult:
    """Let a shell program work on the task "What is the fee?"."""
    words = [*write_fee_task(folder, program), "--json", *options]
    return run_in_process(*words, cwd=folder, PYTHON=sys.executable)


# Questions with an MCP server, `ask "Until when?" notes.md --mcp "loans=python server.py"`.
#
#     ask_with_tools(folder, script).json["answer"]    ->    "Until 2026-03-01."
#
# The model's only reply is the script. The server has 10,000 loans, of which every twelfth is kept until
# 2026-03-01, and the third one first.

PLAIN_LOANS = ROOT / "tests/support/plain_loans.py"
"""The program of the server."""


def question_words(folder: Path, script: str, server: Path = PLAIN_LOANS) -> list[str]:
    """Return the words of a question to a model whose only reply is this script."""
    (folder / "notes.md").write_text("nothing\n")
    reply = f"[[reply]]\ncode = {json.dumps(script)}\n"
    (folder / "replies.toml").write_text(reply)
    mcp = f"--mcp=loans={sys.executable} {server}"
    return ["ask", "Until when?", "notes.md", mcp, "--model=scripted:replies.toml"]


def ask_with_tools(folder: Path, script: str) -> CommandResult:
    return run_in_process(*question_words(folder, script), "--json", cwd=folder)


# A server for loans, and what a user has decided about calls of its tools.
#
# For example:
#
#     decisions_in(folder)    ->    ["approved by the user"]

LOANS_SERVER = f"loans={sys.executable} {ROOT / 'tests/support/plain_loans.py'}"
"""Its tool `loans.extend` changes something: `extend(number=421)` -> "extended 421"."""


def decisions_in(folder: Path) -> list[str]:
    """Return what the user has decided, as the pages of the only journal say it.

    A page has a part such as `approved by the user: QUESTION`, for which this returns
    `approved by the user`.
    """
    (journal,) = folder.rglob("*.jsonl")
    (trial,) = open_journal(journal).trials.values()
    decisions: list[str] = []
    for page in pages_of(trial):
        for part in page.parts:
            decision, is_decision, _ = part.text.partition(": ")
            if is_decision and decision.endswith(" by the user"):
                decisions.append(decision)
    return decisions


# An MCP server over HTTP, of whose four tools three send too much.
#
# with ByteServer(reply) as server:
#     ...    the tool "fine" returns "fine"; "body" and "event" send without end; "packed" unpacks
#            to 20 MB


def reply(connection: socket.socket, http_request: bytes) -> None:
    """Reply to one request as the server does, of which three tools send too much."""
    request = json.loads(http_request.partition(b"\r\n\r\n")[2])
    headers = {"content-type": "application/json"}
    if "id" not in request:  # A notification, which has no reply.
        connection.sendall(http_response(202, b"", headers))
        return

    result = flooding_server_result_of(request["method"])
    body = json.dumps(
        {"jsonrpc": "2.0", "id": request["id"], "result": result}
    ).encode()
    match request.get("params", {}).get("name"):
        case "body":
            send_without_end(connection, b"application/json")
        case "event":
            send_without_end(connection, b"text/event-stream")
        case "packed":
            headers["content-encoding"] = "gzip"
            body = gzip.compress(b" " * 20_000_000 + body)
    connection.sendall(http_response(200, body, headers))


def flooding_server_result_of(method: str) -> dict[str, Any]:
    """Return the result of a request: the names of four tools, or "fine" for a call of one."""
    match method:
        case "initialize":
            return {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "serverInfo": {"name": "e", "version": ""},
            }
        case "tools/list":
            tools = []
            for name in ("fine", "body", "event", "packed"):
                tools.append(
                    {
                        "name": name,
                        "inputSchema": {"type": "object"},
                        "annotations": {"readOnlyHint": True},
                    }
                )
            return {"tools": tools}
        case _:
            return {"content": [{"type": "text", "text": "fine"}]}


def send_without_end(connection: socket.socket, content_type: bytes) -> None:
    """Send the head of a response, and then blanks until the client closes the connection."""
    connection.sendall(
        b"HTTP/1.1 200 OK\r\n"
        b"connection: close\r\n"
        b"content-type: " + content_type + b"\r\n\r\n"
        b"data: "
    )
    while True:
        connection.sendall(b" " * 1_000_000)


# An MCP server `odd`, whose functions a test writes down in Python.
#
#     with tools_of(tmp_path, functions) as environment:
#         environment.call("odd.look", {})        calls the tool `look` of the server
#
# Of the functions, `list_tools` declares the tools, and `call_tool` replies to a call.


@contextmanager
def tools_of(folder: Path, functions: str) -> Iterator[ToolEnvironment]:
    """Start the server `odd` with these functions, and end it behind the block."""
    access = ToolAccess({"odd": small_server(folder, functions)})
    with with_tools(EmptyEnvironment(), access) as environment:
        yield environment


# A program that works on a task ends without an answer, so the product submits one of its own.
#
# Such an answer is called a fallback. Its reason has the last line of the program:
#
#     echo 'no such model' >&2; exit 3    ->    "... exit code 3 ...; its last line: no such model"


def test_reason_of_a_fallback_has_the_last_line_of_the_program(tmp_path: Path) -> None:
    run = run_program(tmp_path, "echo 'no such model' >&2; exit 3")

    assert run.code == 1, run.err  # A trial has no answer.
    (trial,) = run.json["trials"]
    assert trial["state"] == "fallback"
    assert trial["reason"].startswith("the trial broke: ")
    assert (
        "exit code 3 and without an accepted answer; its last line: no such model"
    ) in trial["reason"]


def test_program_gets_its_task_on_standard_input(tmp_path: Path) -> None:
    """The variable CONTROLPLANE_RESUMED would say that the trial was resumed."""
    run = run_program(
        tmp_path,
        'test -z "$CONTROLPLANE_RESUMED" || exit 9\n'
        'grep -q "What is the fee?" && exit 3\n',
    )

    (trial,) = run.json["trials"]
    assert "exit code 3" in trial["reason"]


@pytest.mark.second_tier
def test_program_that_hangs_is_killed_at_the_end_of_the_trials_time(
    tmp_path: Path,
) -> None:
    run = run_program(tmp_path, "exec sleep 600", "--trial-time", "3")

    (trial,) = run.json["trials"]
    assert trial["state"] == "fallback"
    assert trial["reason"].startswith(
        "no answer within 3 s: the program was still at work"
    )
    assert "was killed" in (tmp_path / run.json["journal"]).read_text()


# A program that nobody here wrote works on a trial, an attempt at a task, as a client of an MCP server.
#
#     controlplane run overdue-loans --agent "command:python mcp_agent.py"
#
# MCP is a protocol by which agents call the tools of a server. The program is started for the trial.


def test_program_solves_a_trial_as_an_mcp_client(tmp_path: Path) -> None:
    """The task is to count overdue loans of a library. The program of the documentation solves it,
    and reports its tokens and its cost, which the product cannot know."""
    run = run_in_process(
        "run",
        "overdue-loans",
        f"--benchmark=folder:{ROOT / 'docs/examples/library'}",
        f"--agent=command:{sys.executable} {ROOT / 'docs/examples/mcp_agent.py'}",
        "--json",
        cwd=tmp_path,
    )
    replay = run_in_process("replay", "last", "--verify", cwd=tmp_path)

    assert run.code == 0, run.err + run.out
    (trial,) = run.json["trials"]
    assert trial["score"] == 1.0
    assert trial["tokens"] == 120
    assert trial["cost_usd"] == 0.001
    journal = (tmp_path / run.json["journal"]).read_text()
    assert "passed the gates" in journal
    assert "the program ended with exit code 0" in journal
    assert replay.code == 0


# The program of an interrupted trial is started again when the run is resumed, and told so.
#
# The variable CONTROLPLANE_RESUMED of its environment is then 1. What it has read before the interrupt is
# in the journal of the run, and the program can cite it.


def test_program_of_an_interrupted_trial_is_started_again_and_told_so(
    tmp_path: Path,
) -> None:
    """At its first start, the program makes a call, and waits. The run is interrupted, as by Ctrl-C,
    and resumed. The program is started with CONTROLPLANE_RESUMED=1, and cites the file that it has read
    before."""
    play = write_fee_task(
        tmp_path,
        """
call() { "$PYTHON" -m controlplane mcp call "$@"; }
if [ "$CONTROLPLANE_RESUMED" = 1 ]
then
    call report_completion '{
        "answer": "7 EUR",
        "citations": [{"path": "/notes.md", "reason": "fee: 7 EUR"}]
    }'
else
    call read '{"path": "/notes.md"}'
    touch has_made_a_call
    exec sleep 600
fi
""",
    )

    with start_controlplane(*play, cwd=tmp_path, PYTHON=sys.executable) as run:
        wait_until((tmp_path / "has_made_a_call").exists)
        run.send_signal(signal.SIGINT)
        assert run.wait(60) == Interrupted.exit_code
    resumed_run = run_in_process(
        "resume", "last", "--json", cwd=tmp_path, PYTHON=sys.executable
    )
    replay = run_in_process("replay", "last", "--verify", cwd=tmp_path)

    assert resumed_run.code == 0, resumed_run.err + resumed_run.out
    (trial,) = resumed_run.json["trials"]
    assert trial["score"] == 1.0
    assert replay.code == 0


# A program with only a shell works on a task by the command `controlplane mcp call TOOL ARGUMENTS`.
#
# For example:
#
#     controlplane mcp call read '{"path": "/notes.md"}'    ->    fee: 7 EUR


def test_calls_of_a_program_are_steps_of_its_trial(tmp_path: Path) -> None:
    run = run_program(
        tmp_path,
        """
call() { "$PYTHON" -m controlplane mcp call "$@"; }
call execute_script '{"code": "print(harness.find(\\"*.md\\").paths)"}'
call read '{"path": "/notes.md"}'
""",
    )

    (trial,) = run.json["trials"]
    assert trial["steps"] >= 2
    journal = (tmp_path / run.json["journal"]).read_text()
    assert "/notes.md" in journal
    assert "fee: 7 EUR" in journal


def test_failed_call_of_a_program_is_recorded(tmp_path: Path) -> None:
    """The command `mcp call` fails, too: the program goes on behind `||`."""
    run = run_program(tmp_path, '"$PYTHON" -m controlplane mcp call nonsense || exit 4')

    (trial,) = run.json["trials"]
    assert "exit code 4" in trial["reason"]
    journal = (tmp_path / run.json["journal"]).read_text()
    assert "there is no tool 'nonsense'" in journal


# An answer of `ask` may rest on the result of a tool, of which the script cites the call.
#
#     loan = harness.loans.loan(number=2)
#     scratchpad.cite(loan.call_path, "loan-2 is kept until 2026-03-01", "kept until 2026-03-01")
#
# The tools are those of an MCP server that the user has named: `--mcp "loans=python server.py"`.


def test_answer_may_rest_on_the_result_of_a_tool(tmp_path: Path) -> None:
    """The script cites the call by its path. A result has no lines, as a file has."""
    script = """
loan = harness.loans.loan(number=2)
scratchpad.cite(loan.call_path, "loan-2 is kept until 2026-03-01", "kept until 2026-03-01")
scratchpad["answer"] = "Until 2026-03-01."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "2026-03-01" in sp["answer"])
"""

    asked = ask_with_tools(tmp_path, script)

    assert asked.code == 0, asked.err + asked.out
    (citation,) = asked.json["citations"]
    assert citation["path"].startswith("/mcp/loans/calls/loan/")
    assert citation["line"] is None


def test_script_must_not_cite_what_it_has_said_itself(tmp_path: Path) -> None:
    """The tool `echo` returns its argument."""
    script = """
echo = harness.loans.echo("kept until 2099-01-01")
try:
    scratchpad.cite(echo.call_path, "what it says of loan-2", "kept until 2099-01-01")
    scratchpad["answer"] = "It was cited."
except CitationError:
    scratchpad["answer"] = "It was not cited."
scratchpad["outcome"] = "OUTCOME_NONE_UNSUPPORTED"
harness.answer(scratchpad, lambda sp: "cited" in sp["answer"])
"""

    asked = ask_with_tools(tmp_path, script)

    assert asked.json["answer"] == "It was not cited.", asked.out


# The journal of a question, its record, has the results of tools, but no keys and commands of the user.
#
#     ask "Until when?" notes.md --mcp="loans=python plain_loans.py"
#     replay last --verify
#
# The second command runs the recorded scripts again, without a server for the loans: calls get their
# recorded results. A journal may be shared, so that it must not contain what is secret.


def test_journal_is_replayed_without_the_server(tmp_path: Path) -> None:
    """The script calls a tool of the server, and submits an answer. The function beside the
    answer is a check of the model's own."""
    script = """
print(harness.loans.loan(number=2).text)
scratchpad["answer"] = "Nothing else."
scratchpad["outcome"] = "OUTCOME_NONE_UNSUPPORTED"
harness.answer(scratchpad, lambda scratchpad: "else" in scratchpad["answer"])
"""
    server = tmp_path / "server.py"
    server.write_text(PLAIN_LOANS.read_text())
    asked = run_in_process(*question_words(tmp_path, script, server), cwd=tmp_path)
    assert asked.code == 0, asked.err

    server.unlink()
    replay = run_in_process("replay", "last", "--verify", cwd=tmp_path)

    assert replay.code == 0, replay.out


def test_journal_has_neither_keys_nor_the_command_of_a_server(tmp_path: Path) -> None:
    """The only step calls the tool. It gives no answer, as the result of the tool is enough."""
    script = "print(harness.loans.loan(number=2).text)"
    asked = run_in_process(
        *question_words(tmp_path, script, server=PLAIN_LOANS),
        "--max-steps=1",
        cwd=tmp_path,
        OPENAI_API_KEY="s3cret-key",
    )

    (journal,) = tmp_path.glob("runs/*.jsonl")
    text = journal.read_text()
    assert "loan-2 may be kept until" in text, asked.err
    assert "s3cret" not in text
    assert PLAIN_LOANS.name not in text  # the command "python plain_loans.py"


def test_user_is_told_of_a_refused_call_and_what_allows_it(tmp_path: Path) -> None:
    """The tool `extend` may change something. The model is told by the error of the call; the
    user by a notice, which the journal keeps."""
    script = """
try:
    harness.loans.extend(number=2)
except HarnessError:
    pass
scratchpad["answer"] = "Nothing else."
scratchpad["outcome"] = "OUTCOME_NONE_UNSUPPORTED"
harness.answer(scratchpad, lambda scratchpad: "else" in scratchpad["answer"])
"""
    words = question_words(tmp_path, script, server=PLAIN_LOANS)
    asked = run_in_process(*words, cwd=tmp_path)
    shown = run_in_process("show", "last", cwd=tmp_path, COLUMNS="200")

    assert "--allow loans.extend" in asked.err
    assert "noticed  loans.extend may change something" in shown.out


# A user at a terminal is asked before a script of `ask` calls a tool that may change something.
#
#     May the script call loans.extend(number=2)? y
#
# Without the permission, the call is refused, and the error names the option `--allow loans.extend`.

EXTENDING_SCRIPT = """
try:
    print(harness.loans.extend(number=2).text)
except HarnessError as refusal:
    print(refusal)

loan = harness.loans.loan(number=2)
scratchpad.cite(loan.call_path, "loan-2 is kept until 2026-03-01", "kept until 2026-03-01")
scratchpad["answer"] = "Until 2026-03-01."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "2026-03-01" in sp["answer"])
"""


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        pytest.param("y\n", "extended 2", id="yes, and the call is made"),
        pytest.param(
            "n\n",
            "--allow loans.extend",
            id="no, and the call is refused",
            marks=pytest.mark.heavy,
        ),
    ],
)
def test_user_at_a_terminal_is_asked_before_a_tool_changes_something(
    typed: str, printed: str, tmp_path: Path
) -> None:
    """The tool `extend` does not say that it only reads. A refusal names the option by which the
    user could allow the call from the start. In both cases the script goes on."""
    question = question_words(tmp_path, EXTENDING_SCRIPT)
    with Terminal(*question, cwd=tmp_path, columns=120) as terminal:
        terminal.wait_for(
            r"May the script call loans\.extend\(number=2\)", timeout_s=60
        )
        terminal.type(typed)
        terminal.wait_for("Until 2026-03-01", timeout_s=60)
        exit_code = terminal.finish()

    assert exit_code == 0
    replay = run_in_process("replay", "last", "--trial=ask", "--json", cwd=tmp_path)
    (step,) = replay.json["steps"]
    assert printed in step["output"]


def test_user_at_a_terminal_is_asked_also_if_the_question_is_resumed(
    tmp_path: Path,
) -> None:
    """The model could not be reached, so that the question paused before its first reply."""
    *question, model = question_words(tmp_path, EXTENDING_SCRIPT)
    nobody = ["--model=m", "--base-url=http://127.0.0.1:9/v1", "--model-patience=0"]
    paused = run_in_process(*question, *nobody, cwd=tmp_path, OPENAI_API_KEY="none")
    assert paused.code == Unreachable.exit_code, paused.err

    (journal,) = tmp_path.glob("runs/*.jsonl")
    server = question[-1]
    words = ["resume", journal, model, server]
    with Terminal(*words, cwd=tmp_path, columns=120) as terminal:
        terminal.wait_for(r"May the script call loans\.extend", timeout_s=60)
        terminal.type("y\n")
        terminal.wait_for("Until 2026-03-01", timeout_s=60)
        exit_code = terminal.finish()

    assert exit_code == 0


# A script of `ask` computes with the whole result of a tool, although a model sees only what is printed.
#
# The result of `harness.loans.rows()` has 10,000 rows. A row can be read as `loans.data["rows"][0]` and as
# `loans.rows[0]`.


def test_script_computes_with_the_whole_result_of_a_tool(tmp_path: Path) -> None:
    """The fields of a row can be read in two ways."""
    script = """
loans = harness.loans.rows()
by_key = [row for row in loans.data["rows"] if row["kept_until"] == "2026-03-01"]
by_name = [row for row in loans.rows if row.kept_until == "2026-03-01"]
scratchpad.cite(loans.call_path, "the loans that are kept until 2026-03-01")
scratchpad["answer"] = f"{len(by_key)} and {len(by_name)} loans."
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: "loans" in sp["answer"])
"""

    asked = ask_with_tools(tmp_path, script)

    # The third, the 15th, ... of 10,000 loans: len(range(3, 10_001, 12)) == 834
    assert asked.json["answer"] == "834 and 834 loans.", asked.out


# The user is asked about a call whose argument stands only in a mail, and may have it sent.
#
#     client, an agent and its user    ->    our server    ->    server for loans
#
# The agent has our server run a script, which calls the tool `loans.extend(number=421)`. Somebody may
# have written the mail to steer the agent. So with the option `--provenance approve`, our server
# first has the client ask the user. MCP has a present form of such questions and an earlier one
# ("legacy"); "auto" takes the present form.


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_call_that_the_user_allows_is_sent(mode: str, tmp_path: Path) -> None:
    """The number 421 is in a mail that the agent has read. The question says so."""
    from mcp import types

    questions: list[str] = []

    async def allow(
        context: Any, params: types.ElicitRequestFormParams
    ) -> types.ElicitResult:
        questions.append(params.message)
        return types.ElicitResult(action="accept", content={"send": True})

    with client_here(
        tmp_path,
        {"mail.txt": "Hello desk,\nplease extend loan 421 by a month.\n"},
        servers=[LOANS_SERVER],
        allowed_calls=["loans.extend"],
        provenance="approve",
        mode=mode,
        elicitation_callback=allow,
    ) as client:
        client.text("execute_script", code="print(harness.read('/mail.txt').content)")
        printed = client.text(
            "execute_script", code="print(harness.loans.extend(number=421).text)"
        )

    (question,) = questions
    assert "number: '421' is only in the text of /mail.txt, line 2" in question
    assert "extended 421" in printed
    assert decisions_in(tmp_path) == ["approved by the user"]


# A call is not sent if the user of the client refuses it, or if nobody can be asked.
#
#     mail.txt                             Please extend loan 421 by a month.
#     harness.loans.extend(number=421)     "loans.extend was not sent."
#
# Somebody may have written the mail to steer the agent. With the option `--provenance approve`, the
# user is asked before such a call is sent: one that changes something, with a value that the agent has
# from a mail only.

READ_MAIL = "print(harness.read('/mail.txt').content)"
"""A script of the agent. From then on, the numbers in the mail are known to come from there."""

EXTEND_LOAN = "print(harness.loans.extend(number=421).text)"


@pytest.mark.parametrize(
    "mode",
    [
        pytest.param("auto", id="MCP's present form of questions to a user"),
        pytest.param("legacy", id="MCP's earlier form"),
    ],
)
def test_call_that_the_user_refuses_is_not_sent(mode: str, tmp_path: Path) -> None:
    """The user fills in the form ("accept"), which asks whether to send the call: no."""
    from mcp import types

    async def refuse(
        context: Any, params: types.ElicitRequestFormParams
    ) -> types.ElicitResult:
        return types.ElicitResult(action="accept", content={"send": False})

    with client_here(
        tmp_path,
        {"mail.txt": "Please extend loan 421 by a month.\n"},
        servers=[LOANS_SERVER],
        allowed_calls=["loans.extend"],
        provenance="approve",
        mode=mode,
        elicitation_callback=refuse,
    ) as client:
        client.text("execute_script", code=READ_MAIL)
        printed = client.text("execute_script", code=EXTEND_LOAN)

    assert "extended 421" not in printed
    assert "loans.extend was not sent." in printed
    assert decisions_in(tmp_path) == ["refused by the user"]


# A question that is not answered in time counts as refused. A later answer decides nothing.
#
#     May the first mail be sent?     no answer in time, so it is not sent
#     May the second mail be sent?    while it waits, the user allows the first one
#
# A client of MCP's present form sends each answer with the mark of its question.


def test_late_answer_does_not_approve_the_next_question(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import anyio
    from anyio.to_thread import run_sync
    from mcp import Client, types

    limit = "controlplane.mcp.serving.offered_server._APPROVAL_S"
    questions: list[str] = []

    async def send_two_mails(call: ClientCall) -> CallResult:
        assert call.approve is not None
        monkeypatch.setattr(limit, 0.05)
        first = await run_sync(call.approve, "first")
        monkeypatch.setattr(limit, PATIENCE_S)
        first_is_refused.set()
        second = await run_sync(call.approve, "second")
        return CallResult(f"sent: {first}, {second}")

    async def answer(
        context: Any, params: types.ElicitRequestFormParams
    ) -> types.ElicitResult:
        questions.append(params.message)
        if params.message != "first":
            return types.ElicitResult(action="decline")
        await first_is_refused.wait()
        await anyio.sleep(0.2)  # Now the second question waits.
        return types.ElicitResult(action="accept", content={"send": True})

    async def text_of_call() -> str:
        tool = ModelTool(name="send", description="", parameters=object_schema({}))
        server = offered_server([tool], send_two_mails, instructions="", reading=())
        async with Client(server, elicitation_callback=answer) as client:
            return text_of(await client.call_tool("send", {}))

    first_is_refused = anyio.Event()

    assert anyio.run(text_of_call) == "sent: False, False"
    assert questions == ["first", "second"]


def test_a_user_who_resumes_a_run_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run paused before its first reply. What the user allowed is not in its journal."""
    (tmp_path / "mail.txt").write_text("Please extend loan 421 by a month.\n")
    steps = [READ_MAIL, EXTEND_LOAN]
    replies = [f"[[reply]]\ncode = {json.dumps(step)}\n" for step in steps]
    (tmp_path / "replies.toml").write_text("".join(replies))
    servers = [f"--mcp={LOANS_SERVER}", "--allow=loans.extend"]
    asked_words = ["ask", "Extend it.", "mail.txt", *servers, "--provenance=approve"]
    nobody = ["--model=m", "--base-url=http://127.0.0.1:9/v1", "--model-patience=0"]
    paused = run_in_process(*asked_words, *nobody, cwd=tmp_path, OPENAI_API_KEY="none")
    assert paused.code == Unreachable.exit_code, paused.err

    questions: list[str] = []

    def allow(message: str) -> bool:
        questions.append(message)
        return True

    monkeypatch.setattr("controlplane.commands.rerun.approve_on_terminal", allow)
    (journal,) = tmp_path.glob("runs/*.jsonl")
    run_in_process(
        "resume", journal, *servers, "--model=scripted:replies.toml", cwd=tmp_path
    )

    (question,) = questions
    assert "number: '421' is only in the text of" in question
    assert decisions_in(tmp_path) == ["approved by the user"]


def test_calls_with_arguments_from_a_mail_are_not_sent_without_a_user_to_ask(
    tmp_path: Path,
) -> None:
    """A client without `elicitation_callback` cannot ask its user."""
    with client_here(
        tmp_path,
        {"mail.txt": "Please extend loan 421 by a month.\n"},
        servers=[LOANS_SERVER],
        allowed_calls=["loans.extend"],
        provenance="approve",
    ) as client:
        client.text("execute_script", code=READ_MAIL)
        printed = client.text("execute_script", code=EXTEND_LOAN)

    assert "extended 421" not in printed
    assert "loans.extend was not sent." in printed


# An MCP server sends a line, or a list of tools, without end: it is not read to its end.
#
# A message may have 4 MB. The list of tools comes in pages, each of which names the next one.


def test_a_line_without_end_fails_its_call(tmp_path: Path) -> None:
    """The reply is 20 MB without a line break."""
    server = small_server(
        tmp_path,
        """
def call_tool(request):
    for _ in range(20):
        sys.stdout.write("x" * 1_000_000)
    sys.stdout.flush()
    time.sleep(2)
""",
    )

    with (
        with_tools(EmptyEnvironment(), ToolAccess({"db": server})) as environment,
        pytest.raises(CallError, match=r"db\.look failed"),
    ):
        environment.call("db.look", {})


def test_a_list_of_tools_without_end_is_refused(tmp_path: Path) -> None:
    """Each page of the list has 1 MB, and a cursor that leads to a further one."""
    server = small_server(
        tmp_path,
        """
def list_tools(request):
    page = {"tools": [tool("a") | {"description": "x" * 1_000_000}]}
    send_result(request, page | {"nextCursor": str(request["id"])})
""",
    )

    with pytest.raises(ServerFailed, match="its list of tools is longer than"):
        start_and_end_servers(ToolAccess({"db": server}))


# Half of a surrogate pair in a message of an MCP server becomes U+FFFD, and costs no call.
#
# UTF-8 cannot encode `\ud800`, half of a character in UTF-16, but JSON can escape it. A server may have
# it wherever it has a text: in the description of a tool, in a schema, in a result, in an error.

WORDS = "half \ud800 of it, all 😀 of that"
"""As JSON, the emoji is a whole pair of escapes."""
SHOWN = "half \ufffd of it, all 😀 of that"


def result_of(method: str) -> dict[str, Any]:
    """Return the result of a request: `WORDS` is in every text of it."""
    match method:
        case "initialize":
            return {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "serverInfo": {"name": "s", "version": ""},
                "instructions": WORDS,
            }
        case "tools/list":
            words = {"type": "string", "description": WORDS}
            return {
                "tools": [
                    {
                        "name": "echo",
                        "description": WORDS,
                        "inputSchema": {"type": "object", "properties": {"a": words}},
                        "annotations": {"readOnlyHint": True},
                    }
                ]
            }
        case _:
            return {"content": [{"type": "text", "text": WORDS}]}


def test_result_description_and_schema_over_standard_output(tmp_path: Path) -> None:
    functions = f"""
WORDS = {WORDS!r}

def initialize(request):
    send_result(request, {result_of("initialize")!r})

def list_tools(request):
    send_result(request, {result_of("tools/list")!r})

def call_tool(request):
    send_result(request, {result_of("tools/call")!r})
"""
    assert_words_are_shown(small_server(tmp_path, functions))


def test_error_over_standard_output(tmp_path: Path) -> None:
    functions = f"""
def call_tool(request):
    send(id=request["id"], error={{"code": 1, "message": {WORDS!r}}})
"""
    server = small_server(tmp_path, functions)

    with (
        with_tools(EmptyEnvironment(), ToolAccess({"s": server})) as environment,
        pytest.raises(CallError, match=SHOWN),
    ):
        environment.call("s.look", {})


@pytest.mark.parametrize("content_type", ["application/json", "text/event-stream"])
def test_result_description_and_schema_over_http(content_type: str) -> None:
    def reply(connection: socket.socket, http_request: bytes) -> None:
        request = json.loads(http_request.partition(b"\r\n\r\n")[2])
        headers = {"content-type": content_type}
        if "id" not in request:  # A notification, which has no reply.
            connection.sendall(http_response(202, b"", headers))
            return
        result = result_of(request["method"])
        message = {"jsonrpc": "2.0", "id": request["id"], "result": result}
        if content_type == "application/json":
            body = json.dumps(message, indent=1)
        else:
            body = f"event: message\r\ndata: {json.dumps(message)}\r\n\r\n"
        connection.sendall(http_response(200, body.encode(), headers))

    with ByteServer(reply) as server:
        assert_words_are_shown(ServerSpec(url=f"{server.url}/mcp"))


def assert_words_are_shown(server: ServerSpec) -> None:
    with with_tools(EmptyEnvironment(), ToolAccess({"s": server})) as environment:
        assert environment.call("s.echo", {})["text"] == SHOWN
        declared = environment.tool_schema.operation("s.echo")
        assert SHOWN in declared.summary
        assert declared.parameters[0].schema["description"] == SHOWN


# An MCP server sends so much for a call that it would fill the memory: the call fails before that.
#
# A message may have 4 MB and 60,000 values:
#
#     {"content": [[], [], ...]}, 800,000 lists    ->    "db.look failed: the message is longer than ..."


@pytest.mark.parametrize(
    ("call_tool", "expected_error"),
    [
        pytest.param(
            """
def call_tool(request):
    while True:
        send(method="notifications/message", params={"level": "info", "data": "x"})
""",
            "failed: .*closed",
            id="messages without end",
        ),
        pytest.param(
            """
def call_tool(request):
    send_result(request, {"content": [{"type": "text", "text": ""}] * 100_000})
""",
            "failed: the message is longer than .* or 60,000 values",
            id="100,000 texts",
        ),
        pytest.param(
            """
def call_tool(request):
    send_result(request, {"content": [[]] * 800_000})
""",
            "failed: the message is longer than .* or 60,000 values",
            id="800,000 lists",
        ),
    ],
)
def test_a_flood_fails_its_call_and_takes_little_memory(
    call_tool: str, expected_error: str, tmp_path: Path
) -> None:
    """The product runs in this process, so its memory can be measured here."""
    server = small_server(tmp_path, call_tool)

    with with_tools(EmptyEnvironment(), ToolAccess({"db": server})) as environment:
        before = resource.getrusage(resource.RUSAGE_SELF)
        with pytest.raises(CallError, match=rf"(?i)db\.look {expected_error}"):
            environment.call("db.look", {})
        after = resource.getrusage(resource.RUSAGE_SELF)

    growth_kib = after.ru_maxrss - before.ru_maxrss
    # Far more than an ordinary call takes, and far less than the flood would.
    assert growth_kib < 200_000


# A list of tools that goes round in circles is not read for ever.
#
# An MCP server sends its tools in pages; a page has a cursor, by which the client asks for the next
# one.


def test_a_list_of_tools_ends_when_a_cursor_comes_again(tmp_path: Path) -> None:
    """Every page of this server has a new tool and the same cursor, so no page is the last. The
    second page has a cursor that is known, and no third page is asked for."""
    functions = """
pages = []

def list_tools(request):
    pages.append(request)
    send_result(request, {"tools": [tool(f"look{len(pages)}")], "nextCursor": "again"})
"""
    access = ToolAccess({"db": small_server(tmp_path, functions)})

    with with_tools(EmptyEnvironment(), access) as environment:
        operations = environment.tool_schema.operations

    names = [operation.name for operation in operations]
    # The product adds `help` to the tools of each server.
    assert names == ["db.look1", "db.look2", "db.help"]


# A call of an MCP server's tool fails if no reply comes within the time for calls.
#
# The error names the tool, "db.look failed: it gave no answer within 0.2 s", and the trial goes on. The call is made
# twice: the first missing reply must not change how the second one is treated.


def test_no_reply_within_the_time_for_calls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "TOOL_CALL_S", 0.2)
    server = small_server(
        tmp_path,
        """
def call_tool(request):
    time.sleep(600)
""",
    )

    with with_tools(EmptyEnvironment(), ToolAccess({"db": server})) as environment:
        for _ in range(2):
            with pytest.raises(
                CallError, match=r"db\.look failed: it gave no answer within 0\.2 s"
            ):
                environment.call("db.look", {})


# A reply of an MCP server over HTTP that is too large fails only the call that asked for it.
#
# For example:
#
#     far.body()    ->    CallError "... 4,000,000 bytes ..."
#     far.fine()    ->    "fine"


@pytest.mark.parametrize(
    ("tool", "expected_error"),
    [
        pytest.param("body", "4,000,000 bytes", id="JSON without end"),
        pytest.param("event", "4000000 byte", id="event stream without end"),
        pytest.param("packed", "compressed", id="small body that unpacks to 20 MB"),
    ],
)
def test_a_reply_that_is_too_large_fails_only_its_call(
    tool: str, expected_error: str
) -> None:
    """The next call, of the tool `fine` of the same server, succeeds."""
    with ByteServer(reply) as server:
        access = ToolAccess({"far": ServerSpec(url=f"{server.url}/mcp")})
        with with_tools(EmptyEnvironment(), access) as environment:
            with pytest.raises(CallError, match=expected_error):
                environment.call(f"far.{tool}", {})
            next_result = environment.call("far.fine", {})

    assert next_result["text"] == "fine"


def test_refusal_of_a_wrong_token_is_told_with_its_status() -> None:
    def refuse(connection: socket.socket, http_request: bytes) -> None:
        connection.sendall(http_response(401, b"", {}))

    with ByteServer(refuse) as server:
        access = ToolAccess({"far": ServerSpec(url=f"{server.url}/mcp")})

        with pytest.raises(ServerFailed, match=r"it wrote: HTTP status 401$"):
            start_and_end_servers(access)


# A tool of an MCP server without a schema of its parameters is left out, since it cannot be called.
#
#     {"tools": [{"name": "bare"}, {"name": "look", "inputSchema": {"type": "object"}}]}
#
# Of these, scripts can call `db.look`, and a notice names `bare`.


def test_tools_without_a_schema_are_left_out_with_a_notice(tmp_path: Path) -> None:
    server = small_server(
        tmp_path,
        """
def list_tools(request):
    tools = [
        {"name": "look", "inputSchema": {"type": "object"}},
        {"name": "bare"},
        {"name": "none", "inputSchema": None},
        7,
        {"name": "odd", "inputSchema": []},
    ]
    send_result(request, {"tools": tools})
""",
    )

    with with_tools(EmptyEnvironment(), ToolAccess({"db": server})) as environment:
        operations = environment.tool_schema.operations
        (notice,) = environment.notices

    # `help`, which describes the tools to scripts, is added to each server.
    assert [operation.name for operation in operations] == ["db.look", "db.help"]
    assert "MCP server db" in notice
    assert "bare, none, ?, odd" in notice  # The number 7 has no name.


def test_tool_whose_schema_has_no_type_can_be_called(tmp_path: Path) -> None:
    server = small_server(
        tmp_path,
        """
def list_tools(request):
    send_result(request, {"tools": [{**tool("look"), "inputSchema": {"properties": {"n": {}}}}]})

def call_tool(request):
    arguments = json.dumps(request["params"]["arguments"])
    send_result(request, {"content": [{"type": "text", "text": arguments}]})
""",
    )

    with with_tools(EmptyEnvironment(), ToolAccess({"db": server})) as environment:
        result = environment.call("db.look", {"n": 5})

    assert result["text"] == '{"n": 5}'


@pytest.mark.parametrize(("size", "pages"), [(1, 60), (400, 3)])
def test_tools_on_all_pages_can_be_called_or_are_named(
    tmp_path: Path, size: int, pages: int
) -> None:
    """Of more than 1,000 tools, a notice names those that scripts cannot call."""
    server = small_server(
        tmp_path,
        f"""
def list_tools(request):
    page = int((request.get("params") or {{}}).get("cursor") or 0)
    tools = [tool(f"t{{page * {size} + number}}") for number in range({size})]
    cursor = {{"nextCursor": str(page + 1)}} if page + 1 < {pages} else {{}}
    send_result(request, {{"tools": tools, **cursor}})

def call_tool(request):
    send_result(request, {{"content": [{{"type": "text", "text": "seen"}}]}})
""",
    )

    with with_tools(EmptyEnvironment(), ToolAccess({"db": server})) as environment:
        last = min(size * pages, 1_000) - 1
        result = environment.call(f"db.t{last}", {})
        notices = environment.notices

    assert result["text"] == "seen"
    if size * pages > 1_000:
        assert "has more than 1,000 tools" in notices[0]
        assert "left out: db.t1000, db.t1001, " in notices[0]
        assert notices[0].endswith(" and 180 more")
    else:
        assert notices == []


def test_long_text_beside_other_data_is_kept(tmp_path: Path) -> None:
    """A text that is the JSON of the data is left out."""
    server = small_server(
        tmp_path,
        """
def call_tool(request):
    data = {"rows": list(range(2000))}
    text = json.dumps(data) if request["params"]["name"] == "look" else "Row 7 is wrong. " * 200
    content = [{"type": "text", "text": text}]
    send_result(request, {"content": content, "structuredContent": data})
""",
    )

    with with_tools(EmptyEnvironment(), ToolAccess({"db": server})) as environment:
        repeating = environment.call("db.look", {})
        other = environment.call("db.drop_table", {})

    assert repeating["text"] == ""
    assert str(other["text"]).startswith("Row 7 is wrong.")
    assert str(other["data"]).startswith('{"rows":[0,1,')


def test_server_without_tools_offers_its_resources(tmp_path: Path) -> None:
    """It refuses the request for a list of tools, which it does not know."""
    server = small_server(
        tmp_path,
        """
def list_tools(request):
    send(id=request["id"], error={"code": -32601, "message": "Method not found"})
""",
    )

    with with_tools(EmptyEnvironment(), ToolAccess({"db": server})) as environment:
        operations = environment.tool_schema.operations

    assert [operation.name for operation in operations] == ["db.help"]


def test_resources_on_further_pages_are_listed(tmp_path: Path) -> None:
    server = small_server(
        tmp_path,
        """
RESULTS = {
    "initialize": {
        "protocolVersion": "2025-06-18",
        "capabilities": {"resources": {}},
        "serverInfo": {"name": "small", "version": ""},
    },
    "tools/list": {"tools": []},
}

for line in sys.stdin:
    request = json.loads(line)
    if request["method"] in RESULTS:
        send_result(request, RESULTS[request["method"]])
    elif request["method"] == "resources/list":
        number = len((request.get("params") or {}).get("cursor") or "")
        resource = {"uri": f"file:///{number}", "name": "rules"}
        page = {"resources": [resource]}
        if number < 2:
            page["nextCursor"] = "x" * (number + 1)
        send_result(request, page)
    elif "id" in request:
        send(id=request["id"], error={"code": -32601, "message": "unknown"})
""",
    )

    with with_tools(EmptyEnvironment(), ToolAccess({"db": server})) as environment:
        listed = json.loads(str(environment.call("db.resources", {})["data"]))

    uris = [resource["uri"] for resource in listed]
    assert uris == ["file:///0", "file:///1", "file:///2"]


def test_server_that_sends_no_list_of_tools_is_said_to_give_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "TOOL_SERVER_START_S", 5.0)
    server = small_server(
        tmp_path,
        """
def list_tools(request):
    time.sleep(600)
""",
    )

    with pytest.raises(ServerFailed, match="it gave no answer within 5 s"):
        start_and_end_servers(ToolAccess({"db": server}))


def test_the_other_tools_of_the_server_can_be_called(tmp_path: Path) -> None:
    """It does no harm to allow a tool that was left out."""
    server = small_server(
        tmp_path,
        """
def list_tools(request):
    send_result(request, {"tools": [tool("look"), {"name": "bare"}]})

def call_tool(request):
    send_result(request, {"content": [{"type": "text", "text": "seen"}]})
""",
    )
    access = ToolAccess({"db": server}, allow=("db.bare",))

    with with_tools(EmptyEnvironment(), access) as environment:
        result = environment.call("db.look", {})

    assert result["text"] == "seen"


# An option that names an unknown tool is refused, and the message names the tools that there are.
#
#     --allow db.qqqqqqqqqq    ->    known: db.look, ..., db.bare
#
# The server `db` has the tool `look`, and a tool `bare`, which cannot be used, since it has no schema
# of its arguments. The tools that can be used come first.


@pytest.mark.parametrize("option", ["allow", "deny"])
def test_an_option_with_an_unknown_tool_suggests_usable_tools_first(
    option: str, tmp_path: Path
) -> None:
    functions = """
def list_tools(request):
    send_result(request, {"tools": [{"name": "bare"}, tool("look")]})
"""
    server = small_server(tmp_path, functions)
    access = ToolAccess({"db": server}, **{option: ("db.qqqqqqqqqq",)})

    with pytest.raises(UsageError, match=r"known: db\.look, .*db\.bare"):
        start_and_end_servers(access)


# A reply of an MCP server that cannot be read fails the call that asked for it.
#
# The error names the tool, "db.look failed: the message cannot be read", and the trial goes on. Each call
# is made twice: the first bad reply must not change how the second one is treated.


def test_incomplete_json_of_20000_levels(tmp_path: Path) -> None:
    server = small_server(
        tmp_path,
        """
def call_tool(request):
    print("this line is not a message, and is skipped")
    print('{"jsonrpc": "2.0", "id": %d, "result": %s}' % (request["id"], "[" * 20_000))
    sys.stdout.flush()
""",
    )

    with with_tools(EmptyEnvironment(), ToolAccess({"db": server})) as environment:
        for _ in range(2):
            with pytest.raises(
                CallError, match=r"db\.look failed: the message cannot be read"
            ):
                environment.call("db.look", {})


def test_a_number_of_5000_digits(tmp_path: Path) -> None:
    server = small_server(
        tmp_path,
        """
def call_tool(request):
    print("this line is not a message, and is skipped")
    result = '{"structuredContent": {"a": ' + "9" * 5_000 + "}"
    print('{"jsonrpc": "2.0", "id": %d, "result": %s}' % (request["id"], result))
    sys.stdout.flush()
""",
    )

    with with_tools(EmptyEnvironment(), ToolAccess({"db": server})) as environment:
        for _ in range(2):
            with pytest.raises(
                CallError, match=r"db\.look failed: the message cannot be read"
            ):
                environment.call("db.look", {})


def test_a_list_of_messages(tmp_path: Path) -> None:
    """An earlier version of the protocol allowed it. The call does not wait for its time to end."""
    server = small_server(
        tmp_path,
        """
def call_tool(request):
    reply = {"jsonrpc": "2.0", "id": request["id"], "result": {"content": []}}
    print(json.dumps([reply]), flush=True)
""",
    )

    with (
        with_tools(EmptyEnvironment(), ToolAccess({"db": server})) as environment,
        pytest.raises(CallError, match=r"db\.look failed: the message cannot be read"),
    ):
        environment.call("db.look", {})


def test_a_text_where_the_protocol_has_a_list(tmp_path: Path) -> None:
    server = small_server(
        tmp_path,
        """
def call_tool(request):
    print("this line is not a message, and is skipped")
    send_result(request, {"content": "no"})
""",
    )

    with with_tools(EmptyEnvironment(), ToolAccess({"db": server})) as environment:
        for _ in range(2):
            with pytest.raises(
                CallError,
                match=r"db\.look failed: its reply has not the protocol's form",
            ):
                environment.call("db.look", {})


# A result that breaks the schema which the server has declared for it is returned with a warning.
#
# An MCP server may describe the data that a tool returns by a JSON schema, `outputSchema`. This one
# declares that `n` is an integer, and returns `{"n": "five"}`. The mistake should not cost the script
# its result.


def test_result_that_breaks_its_schema_is_returned_with_a_warning(
    tmp_path: Path,
) -> None:
    functions = """
def list_tools(request):
    schema = {
        "type": "object",
        "properties": {"n": {"type": "integer"}},
        "required": ["n"],
    }
    send_result(request, {"tools": [tool("look") | {"outputSchema": schema}]})

def call_tool(request):
    content = [{"type": "text", "text": "x"}]
    send_result(request, {"content": content, "structuredContent": {"n": "five"}})
"""

    with tools_of(tmp_path, functions) as environment:
        result = environment.call("odd.look", {})

    assert str(result["text"]).startswith(
        "(The result breaks the schema of odd.look: it['n'] is int, not str 'five'.)"
    )


# A tool of an MCP server that may change something is called only if the user allows it.
#
# The user may allow a tool by an option, `--allow odd.a_b_2`, or say in the configuration which tools of
# the server `odd` only read:
#
#     [mcp.odd]
#     read_only = ["m*"]


@pytest.fixture
def changing_tools(tmp_path: Path) -> Iterator[ToolEnvironment]:
    """The tools `a_b`, `a.b`, `money` and `image`. The server says of none that it only reads.

    A script has only letters, digits and `_` in a name. Both `a_b` and `a.b` would be `a_b`, so the
    second one is `a_b_2` there.
    """
    functions = """
def list_tools(request):
    tools = []
    for name in ("a_b", "a.b", "money", "image"):
        tools.append(tool(name) | {"annotations": {"readOnlyHint": False}})
    send_result(request, {"tools": tools})

def call_tool(request):
    name = request["params"]["name"]
    send_result(request, {"content": [{"type": "text", "text": name}]})
"""
    server = small_server(tmp_path, functions)
    # What the user says: the tool money only reads, a.b is allowed. Nothing of a_b and image.
    spec = server.model_copy(update={"read_only": ("m*",)})
    access = ToolAccess({"odd": spec}, allow=("odd.a_b_2",))
    with with_tools(EmptyEnvironment(), access) as environment:
        yield environment


def test_tool_is_called_if_the_user_allows_it(changing_tools: ToolEnvironment) -> None:
    """`--allow odd.a_b_2` allows the tool `a.b`, by its name in scripts. Its result is its name."""
    assert changing_tools.call("odd.a_b_2", {})["text"] == "a.b"


def test_tool_is_called_if_the_user_says_that_it_only_reads(
    changing_tools: ToolEnvironment,
) -> None:
    """`read_only = ["m*"]` holds for the tool `money`."""
    assert changing_tools.call("odd.money", {})["text"] == "money"


def test_tool_that_is_not_allowed_is_refused_with_both_remedies(
    changing_tools: ToolEnvironment,
) -> None:
    """The user can allow the tool, or say that it only reads."""
    both_remedies = (
        r'--allow odd\.image, or with read_only = \["image"\] in \[mcp\.odd\]'
    )
    with pytest.raises(CallError, match=both_remedies):
        changing_tools.call("odd.image", {})


# An MCP server that ends during a call is started again, but only once.
#
# The server is `odd`. Its tool `look` returns "seen", `die` ends the server, and `hang` gets no reply.

TOOLS_THAT_HANG_OR_DIE = """
def list_tools(request):
    send_result(request, {"tools": [tool("look"), tool("hang"), tool("die")]})

def call_tool(request):
    name = request["params"]["name"]
    if name == "look":
        send_result(request, {"content": [{"type": "text", "text": "seen"}]})
    if name == "die":
        sys.exit(3)
    # `hang` gets no reply.
"""


def test_server_that_ends_is_started_again_once(tmp_path: Path) -> None:
    """1. The call of `die` ends the server, and fails. The server is started anew.
    2. The new server replies.
    3. The next call of `die` ends it for good.
    """
    with tools_of(tmp_path, TOOLS_THAT_HANG_OR_DIE) as environment:
        with pytest.raises(CallError, match=r"odd\.die failed: .*was started anew"):
            environment.call("odd.die", {})
        result_of_new_server = environment.call("odd.look", {})
        with pytest.raises(CallError, match=r"odd\.die failed: .*has ended again"):
            environment.call("odd.die", {})

    assert result_of_new_server["text"] == "seen"


def test_call_without_a_reply_does_not_count_as_an_end_of_its_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The call of `hang` fails after the time for calls. The server still runs, so that it is
    started anew when `die` ends it."""
    monkeypatch.setattr(bounds, "TOOL_CALL_S", 2.0)

    with tools_of(tmp_path, TOOLS_THAT_HANG_OR_DIE) as environment:
        with pytest.raises(
            CallError, match=r"odd\.hang failed: it gave no answer within 2 s"
        ):
            environment.call("odd.hang", {})
        with pytest.raises(CallError, match=r"odd\.die failed: .*was started anew"):
            environment.call("odd.die", {})


def test_server_that_ends_twice_leaves_the_other_servers_alone(tmp_path: Path) -> None:
    """The servers `odd` and `other` have the same tools."""
    spec = small_server(tmp_path, TOOLS_THAT_HANG_OR_DIE)
    access = ToolAccess({"odd": spec, "other": spec})

    with with_tools(EmptyEnvironment(), access) as environment:
        for _ in range(2):
            with pytest.raises(CallError, match=r"odd\.die failed"):
                environment.call("odd.die", {})
        result = environment.call("other.look", {})

    assert result["text"] == "seen"


# Parameters of an MCP server's tools get names that Python can write.
#
# A server has a tool `look` with the parameters `from` and `a-b`. A script calls it with
#
#     harness.odd.look(from_="x", a_b=None)    ->    the server gets {"from": "x", "a-b": None}


def test_parameters_are_sent_by_the_names_of_the_server(tmp_path: Path) -> None:
    functions = """
def list_tools(request):
    parameters = {"from": {"type": "string"}, "a-b": {"type": "string"}}
    schema = {"type": "object", "properties": parameters, "required": ["from"]}
    send_result(request, {"tools": [tool("look") | {"inputSchema": schema}]})

def call_tool(request):
    # The tool returns its arguments.
    arguments = json.dumps(request["params"]["arguments"])
    send_result(request, {"content": [{"type": "text", "text": arguments}]})
"""

    with tools_of(tmp_path, functions) as environment:
        result = environment.call("odd.look", {"from_": "x", "a_b": None})

    assert json.loads(str(result["text"])) == {"from": "x", "a-b": None}


# A script gets the result of an MCP server's tool, or its error, whatever the fields are called.
#
# A server sends a text for models, `content`, and data for programs, `structuredContent`. With the
# data `{"n": 5, "items": [1, 2]}`, a script reads `result.data.items`, or `result.items` for short.
# `items` is a method of Python's dict, too, but the data win.
#
# Here the server is `odd`, and its tool `look`. The texts `functions` are functions of the server in
# Python, which call `send_result`, `send` and `tool`, functions that it has already.


def test_fields_of_a_result_may_have_the_names_of_dict_methods(tmp_path: Path) -> None:
    functions = """
def list_tools(request):
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    send_result(request, {"tools": [tool("look") | {"outputSchema": schema}]})

def call_tool(request):
    data = {"n": 5, "items": [1, 2], "keys": "k"}
    send_result(request, {"content": [], "structuredContent": data})
"""

    with tools_of(tmp_path, functions) as environment:
        look = environment.tool_schema.operation("odd.look")
        assert look is not None
        result = parsed_result(look, environment.call("odd.look", {}))

    result_of_script = with_attributes(result)
    assert result_of_script.items == [1, 2]
    assert result_of_script.data.keys == "k"


def test_error_of_the_protocol_fails_the_call(tmp_path: Path) -> None:
    """The server replies with an error in place of a result."""
    functions = """
def call_tool(request):
    error = {"code": -32000, "message": "no such thing", "data": {"x": 1}}
    send(id=request["id"], error=error)
"""

    with (
        tools_of(tmp_path, functions) as environment,
        pytest.raises(CallError, match=r"odd\.look failed: no such thing$"),
    ):
        environment.call("odd.look", {})


# Tools of an MCP server get names that Python can write, and the server gets its own names.
#
# Servers name their tools as they like. The tool `a.b` of the server `odd`, for example, is
# `harness.odd.a_b_2()` in scripts if it also has a tool `a_b`.


ODDLY_NAMED_TOOLS = """
def list_tools(request):
    send_result(request, {"tools": [tool("a_b"), tool("a.b"), tool("class")]})

def call_tool(request):
    # Each tool returns the name by which it was called.
    name = request["params"]["name"]
    send_result(request, {"content": [{"type": "text", "text": name}]})
"""


@pytest.mark.parametrize(
    ("name_in_scripts", "name_of_server"),
    [
        pytest.param("odd.a_b", "a_b", id="nothing is odd"),
        pytest.param("odd.a_b_2", "a.b", id="a dot, and the name `a_b` is taken"),
        pytest.param("odd.class_", "class", id="a keyword of Python"),
    ],
)
def test_tool_is_called_by_a_name_that_scripts_can_write(
    name_in_scripts: str, name_of_server: str, tmp_path: Path
) -> None:
    """The server has the tools `a_b`, `a.b` and `class`."""
    with tools_of(tmp_path, ODDLY_NAMED_TOOLS) as environment:
        result = environment.call(name_in_scripts, {})

    assert result["text"] == name_of_server
