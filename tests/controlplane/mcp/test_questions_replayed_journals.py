"""Questions by `controlplane mcp docs`, and the options that name MCP servers and their tools.

A client is offered the tools, opens questions, and gets answers accepted if the citations show
them. Each question leaves a journal that can be replayed. Servers are named by options or a file,
and `--allow` and `--deny` name tools. Mistakes are told before a server starts, the user sees all
that a call would do, and no key is passed on or shown.
"""

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from controlplane.errors import ServerFailed, UsageError
from controlplane.mcp.server_specs import (
    ServerSpec,
    environment_for_servers,
    without_secrets,
)
from controlplane.mcp.tool_access import ToolAccess, matches_any, tool_access
from controlplane.mcp.tool_environment import with_tools
from controlplane.sandbox.interface import CallError
from tests.controlplane.mcp.client_here import (
    READ_LOANS,
    RIGHT_ANSWER,
    call_tool,
    client_here,
    client_of,
    question_id_of,
    text_of,
    write_docs,
)
from tests.controlplane.mcp.small_servers import (
    EmptyEnvironment,
    small_server,
    start_and_end_servers,
)
from tests.support.command import run_in_process

# The options that name MCP servers, as `tool_access` takes them, and a file of servers.
#
# For example:
#
#     tool_access(NO_OPTIONS | {"mcp": ("a=python server.py",)}).servers["a"].command    ->    "python"

NO_OPTIONS: dict[str, Any] = {"mcp": (), "mcp_config": None, "allow": (), "deny": ()}
"""The options as they are if the user gives none; tests add some with `|`."""


def config_file(folder: Path, servers: dict[str, dict[str, Any]]) -> str:
    """Write a file for `--mcp-config`, in the form that MCP clients share. Return its path."""
    file = folder / "servers.json"
    # With a byte order mark, as some editors save it.
    file.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8-sig")
    return str(file)


# A client of `controlplane mcp docs` begins a question about `a.md`, or goes on to a second one.
#
# `begin(question="What is the fee?")` shows small files at once, "fee: 7", and gives the question an id.


def test_question_that_is_begun_is_shown_the_small_files(tmp_path: Path) -> None:
    with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
        opened = client.text("begin", question="What is the fee?")

    assert "fee: 7" in opened


def test_question_that_is_begun_is_given_an_id(tmp_path: Path) -> None:
    """A client with several open questions names one by it."""
    with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
        opened = client.text("begin", question="What is the fee?")

    assert "question_id " in opened


def test_second_question_is_worked_on_like_the_first(tmp_path: Path) -> None:
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


# A call of a client of `controlplane mcp docs` is for one open question, and names it if several are open.
#
# `begin` opens a question and returns its id, as in `question_id: 3f2a...`. The server
# reports how many seconds a long call has taken so far.


def test_call_must_name_its_question_if_two_are_open(tmp_path: Path) -> None:
    with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
        first_id = question_id_of(client.call("begin", question="A?"))
        second_id = question_id_of(client.call("begin", question="B?"))

        result = client.call("execute_script", code="print(1)")

    assert result.is_error
    assert (
        f"2 questions are open: name one as question_id, of {first_id}, {second_id}"
    ) in text_of(result)


def test_server_reports_the_seconds_of_a_long_call(tmp_path: Path) -> None:
    """The first report comes after a second. The script of the call waits two seconds for a tool."""
    small_server(
        tmp_path,
        """
def call_tool(request):
    time.sleep(2)
    send_result(request, {"content": []})
""",
    )
    slow_server = f"slow={sys.executable} {tmp_path / 'server.py'}"
    with client_here(tmp_path, {"a.md": "fee: 7\n"}, servers=[slow_server]) as client:
        first_id = question_id_of(client.call("begin", question="A?"))
        client.call("begin", question="B?")

        result = client.call(
            "execute_script", code="harness.slow.look()", question_id=first_id
        )

    assert not result.is_error
    assert result.structured_content["question_id"] == first_id
    assert client.progress[0] == 1.0


# A client of `controlplane mcp docs` is told what the tools are for, and where the files are.
#
# The server answers questions about the folder `docs`. The client's model knows neither the tools nor the
# folder, so `begin` says: "The files of /home/me/docs are below `/`. Next: execute_script(...".


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


# A client that has just connected to `controlplane mcp docs` sees the tools, and calls them.
#
# The tools answer questions about the files of a folder: `begin` opens a question, `execute_script` runs
# a script that reads the files, and `submit_answer` checks an answer and its citations.


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


# Each question of a client of `controlplane mcp docs` leaves a journal, which the client can read.
#
# A journal is a file with all that happened, line by line. It says what was asked, and how the question
# has ended: "answered", or "fallback" if the client has left without an answer.


def test_client_can_read_the_journals_of_its_questions(tmp_path: Path) -> None:
    """The server lists them as resources, the newest first, with the question as title."""
    with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
        client.call("begin", question="What is the fee?")
        client.call("begin", question="And who pays it?")

        newest, oldest = client.resources()
        journal = client.read(oldest.uri)

    assert newest.title == "And who pays it?"
    assert oldest.title == "What is the fee?"
    assert '"type":"run_opened"' in journal


def test_journal_says_what_was_asked(tmp_path: Path) -> None:
    with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
        client.call("begin", question="What is the fee?")

    show = ["replay", "last", "--trial", "ask", "--json"]
    assert run_in_process(*show, cwd=tmp_path).json["instruction"] == "What is the fee?"


def test_question_that_is_open_when_the_client_leaves_ends_without_its_answer(
    tmp_path: Path,
) -> None:
    """The harness submits an answer of its own, a fallback."""
    with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
        client.call("begin", question="What is the fee?")

    (trial,) = run_in_process("show", "last", "--json", cwd=tmp_path).json["trials"]
    assert trial["state"] == "fallback"


# A call that fails ends with the next step, which the client's model reads.
#
#     execute_script(code="1 / 0")    ->    "... Next: fix the script, and call `execute_script` again."
#
# The server, `controlplane mcp docs`, answers questions about a folder.


def test_refused_answer_ends_with_the_next_step(tmp_path: Path) -> None:
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


def test_failed_script_ends_with_the_next_step(tmp_path: Path) -> None:
    with client_here(tmp_path, {"a.md": "fee: 7\n"}) as client:
        client.call("begin", question="What is the fee?")
        result = client.call("execute_script", code="1 / 0")

    assert result.is_error
    assert text_of(result).endswith(
        "Next: fix the script, and call `execute_script` again."
    )


# The journals of questions to a server in a process of its own can be replayed.
#
# `replay --verify` repeats a question, and compares the results with the journal. The client asks three
# questions about the folder `docs`, of which it answers two.


def test_questions_of_a_server_process_leave_journals_that_can_be_replayed(
    tmp_path: Path,
) -> None:
    folder = write_docs(tmp_path)

    async def ask_three_questions() -> None:
        async with client_of(folder) as client:
            # 1. Answered; the script opens the question, which has no text.
            await call_tool(client, "execute_script", **READ_LOANS)
            await call_tool(client, "submit_answer", **RIGHT_ANSWER)
            # 2. Answered.
            await call_tool(client, "begin", question="Until when?")
            await call_tool(client, "execute_script", **READ_LOANS)
            await call_tool(client, "submit_answer", **RIGHT_ANSWER)
            # 3. Still open when the client leaves.
            await call_tool(client, "begin", question="And who has it?")

    asyncio.run(ask_three_questions())

    runs = run_in_process("runs", "--json", cwd=folder).json
    assert [run["ended"] for run in runs] == ["finished", "finished", "finished"]
    states = []
    for run in runs:
        show = ["show", run["journal"], "--json"]
        (trial,) = run_in_process(*show, cwd=folder).json["trials"]
        states.append(trial["state"])
        verify = ["replay", run["journal"], "--verify", "--json"]
        replay = run_in_process(*verify, cwd=folder)
        assert replay.code == 0, replay.out
        assert replay.json["agrees"] is True, replay.out
    assert sorted(states) == ["answered", "answered", "fallback"]


# An answer that a client of `controlplane mcp docs` submits is accepted if its citations show it.
#
# A citation has the path of a file, a reason, and perhaps a quote. A refusal names what has to change.

LOANS = {"loans.md": "- loan-02: kept until 2026-03-01.\n"}
"""The only file, which the client reads before it answers."""


def reply_to_answer(folder: Path, answer: str, **citation: str) -> str:
    """Read `loans.md` by a script, submit an answer with a citation, and return the reply."""
    with client_here(folder, LOANS) as client:
        client.text("execute_script", code="print(harness.read('/loans.md').content)")
        return client.text("submit_answer", answer=answer, citations=[citation])


def test_answer_with_right_citations_is_accepted(tmp_path: Path) -> None:
    """Gates are the checks of an answer. Below "passed the gates", the reply has the answer with
    footnotes, as the client can show it to its user."""
    reply = reply_to_answer(
        tmp_path,
        "Until 2026-03-01.",
        path="/loans.md",
        reason="the line on loan-02 names 2026-03-01",
        quote="until 2026-03-01",
    )

    assert "passed the gates" in reply
    assert "Until 2026-03-01 [1].\n  [1] /loans.md:1" in reply


REFUSED_ANSWERS = [
    pytest.param(
        {"path": "/x.md", "reason": "it says so"},
        "citations[0].path: ",  # the first citation, and what is wrong with its path
        id="a file that was not read",
    ),
    pytest.param(
        {
            "path": "/loans.md",
            "reason": "the line on loan-02 names 2026-03-01",
            "quote": "until May",
        },
        "citations[0].quote: `until May` is not in what was read",
        id="a quote that is not in its file",
    ),
    pytest.param(
        {"path": "/loans.md", "reason": "a ZX-4711 flight"},
        "or quote it in `citations[].quote`",  # advice of a gate: how to show ZX-4711
        id="a reason that is not in its file",
    ),
]


@pytest.mark.parametrize(("citation", "refusal"), REFUSED_ANSWERS)
def test_answer_with_a_wrong_citation_is_refused(
    citation: dict[str, str], refusal: str, tmp_path: Path
) -> None:
    """The refusal names the arguments of the tool `submit_answer`, such as `citations`. The
    product's own models cite by `scratchpad.cite(...)` instead, which a client cannot call."""
    reply = reply_to_answer(tmp_path, "Until May.", **citation)

    assert refusal in reply
    assert "scratchpad" not in reply
    assert "Traceback" not in reply


# A user who is asked whether a script may call a tool sees all that the call would do.
#
# A tool of an MCP server that does not say that it only reads may change something. Unless an option
# allows it, the user is asked about each call: "bank.pay(note='thanks ...', amount=999999)?".

TOOL_THAT_PAYS = """
def list_tools(request):
    properties = {
        "note": {"type": "string"},
        "to": {"type": "string"},
        "amount": {"type": "integer"},
    }
    pay = {"name": "pay", "inputSchema": {"type": "object", "properties": properties}}
    send_result(request, {"tools": [pay]})
"""
"""A server with a tool `pay`, which does not say that it only reads."""


def test_user_who_is_asked_about_a_call_sees_all_of_its_arguments(
    tmp_path: Path,
) -> None:
    """A long note must not hide the amount, and a name must not hide what it is.

    The name in `to` has a Cyrillic letter between Latin ones, and an escape sequence that
    would clear the line of a terminal.
    """
    refuse = Mock(return_value=False)
    note = "thanks " * 1_000
    arguments = {"note": note, "to": "b\u043eb\x1b[2K", "amount": 999_999}
    server = small_server(tmp_path, TOOL_THAT_PAYS)
    access = ToolAccess({"bank": server}, approve=refuse)
    with (
        with_tools(EmptyEnvironment(), access) as environment,
        pytest.raises(CallError, match="not allowed"),
    ):
        environment.call("bank.pay", arguments)

    (question,) = refuse.call_args.args
    assert "amount=999999" in question
    shown_chars = 300  # of each argument
    hidden_chars = len(repr(note)) - shown_chars
    assert f"[{hidden_chars:,} further characters are not shown]" in question
    assert "letters of different scripts" in question
    assert "\x1b" not in question


# Options and a file name the MCP servers of a run, and how each is started.
#
# An MCP server is a program that offers tools, which scripts of the model can call.
#
#     --mcp "a=python 'b c'"          a command that starts the server `a`
#     --mcp web=https://x/mcp         the address of a server that is running
#     --mcp-config servers.json       a file: {"mcpServers": {"db": {"command": "x", "args": ["y"]}}}


def test_no_options_mean_no_servers() -> None:
    """Then a run starts nothing, and scripts have no tools of servers."""
    assert tool_access(NO_OPTIONS) is None


def test_flag_names_the_command_or_the_address_of_a_server() -> None:
    """A command is split into words as in a shell."""
    options = {"mcp": ("a=python 'b c'", "web=https://x/mcp")}

    access = tool_access(NO_OPTIONS | options)

    assert access is not None
    assert access.servers["a"].command == "python"
    assert access.servers["a"].args == ("b c",)
    assert access.servers["web"].url == "https://x/mcp"


def test_token_of_a_server_is_taken_from_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """For the server `web`, it is in MCP_WEB_TOKEN."""
    monkeypatch.setenv("MCP_WEB_TOKEN", "t0ken")

    access = tool_access(NO_OPTIONS | {"mcp": ("web=https://x/mcp",)})

    assert access is not None
    assert access.servers["web"].headers == {"Authorization": "Bearer t0ken"}


def test_variables_in_a_file_of_servers_are_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`${NO:-y}` is `y` if there is no variable NO."""
    monkeypatch.setenv("LOANS_KEY", "s3cret")
    database = {
        "command": "x",
        "args": ["${LOANS_KEY}", "${NO:-y}"],
        "type": "stdio",
    }
    file = config_file(tmp_path, {"db": database})

    access = tool_access(NO_OPTIONS | {"mcp_config": file})

    assert access is not None
    assert access.servers["db"].args == ("s3cret", "y")


def test_server_that_a_file_switches_off_is_left_out(tmp_path: Path) -> None:
    """Other programs have a switch for each server in the same file."""
    file = config_file(
        tmp_path,
        {
            "on": {"command": "x", "disabled": False, "enabled": True},
            "off": {"command": "x", "disabled": True},
            "not_on": {"command": "x", "enabled": False},
        },
    )

    access = tool_access(NO_OPTIONS | {"mcp_config": file})

    assert access is not None
    assert list(access.servers) == ["on"]


def test_server_that_controlplane_toml_switches_off_is_left_out() -> None:
    configured = {"db": {"command": "x", "disabled": True}}

    assert tool_access(NO_OPTIONS, configured) is None


def test_switch_that_is_neither_on_nor_off_is_refused(tmp_path: Path) -> None:
    file = config_file(tmp_path, {"db": {"command": "x", "disabled": "yes"}})

    with pytest.raises(UsageError, match="db: disabled is true or false, not 'yes'"):
        tool_access(NO_OPTIONS | {"mcp_config": file})


# An MCP server `brave-search` is `harness.brave_search` in scripts, since Python has no such names.
#
# The options `--allow` and `--deny` may name a tool in either way: `brave-search.web`, or
# `brave_search.web`. Messages to the user keep the name that the user has given.


def test_names_of_servers_become_names_that_scripts_can_write(tmp_path: Path) -> None:
    """Scripts cannot write `harness.brave-search`. Options may have either name."""
    file = config_file(
        tmp_path,
        {
            "brave-search": {"command": "x"},
            "awslabs.core-mcp-server": {"command": "y"},
        },
    )
    allow = ("brave-search.web", "awslabs.core-mcp-server.*", "brave_search.news")

    access = tool_access(NO_OPTIONS | {"mcp_config": file, "allow": allow})

    assert access is not None
    assert list(access.servers) == ["brave_search", "awslabs_core_mcp_server"]
    assert access.allow == (
        "brave_search.web",
        "awslabs_core_mcp_server.*",
        "brave_search.news",
    )
    assert access.user_names["brave_search"] == "brave-search"


# A mistake in the options that name MCP servers is an error before any server is started.
#
# A server is a program, which could change something. `tool_access` reads the options and the file of
# servers, and starts nothing:
#
#     --mcp x    ->    UsageError "... NAME=COMMAND ..."


@pytest.mark.parametrize(
    ("option", "expected_error"),
    [
        pytest.param({"mcp": ("x",)}, "NAME=COMMAND", id="no command"),
        pytest.param({"mcp": ("-=y",)}, "has letters or digits", id="no name"),
        pytest.param({"mcp": ("x='",)}, "cannot be read", id="open quotation"),
        pytest.param(
            {"allow": ("db.x",)}, "name tools as NAME.TOOL", id="unknown server"
        ),
        pytest.param(
            {"mcp_config": "."}, "cannot be read: Is a directory", id="folder"
        ),
    ],
)
def test_invalid_option_is_refused(
    option: dict[str, Any],
    expected_error: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is refused before a server is started."""
    monkeypatch.chdir(tmp_path)

    with pytest.raises(UsageError, match=expected_error):
        tool_access(NO_OPTIONS | option)


def test_file_of_servers_that_is_too_long_is_refused(tmp_path: Path) -> None:
    """The file has a terabyte of zeros, which take no room on the disk."""
    terabyte = 1 << 40
    file = tmp_path / "endless.json"
    with file.open("wb") as endless:
        endless.truncate(terabyte)

    with pytest.raises(UsageError, match="longer than 1,000,000 bytes"):
        tool_access(NO_OPTIONS | {"mcp_config": str(file)})


def test_file_of_servers_with_an_unset_variable_is_refused(tmp_path: Path) -> None:
    """An empty text in its place could mean something else to the server."""
    database = {"command": "x", "args": ["${NOT_THERE}"], "type": "stdio"}
    file = config_file(tmp_path, {"db": database})

    with pytest.raises(UsageError, match="has no NOT_THERE"):
        tool_access(NO_OPTIONS | {"mcp_config": file})


# No MCP server gets a key of the user, and no message or record shows one.
#
# Keys are known by the names of their variables, such as GITHUB_TOKEN, and by their place in an address:
#
#     http://user:pa55word@host/mcp?token=t0ps3cret    ->    http://host/mcp


@pytest.fixture
def environment_with_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set some variables whose values are keys, all of which contain "secret-of-"."""
    for name in (
        "OPENAI_API_KEY",
        "GITHUB_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "SSH_AUTH_SOCK",
        "UV_PUBLISH_TOKEN",
    ):
        monkeypatch.setenv(name, f"secret-of-{name}")
    monkeypatch.setenv("UV_INDEX_URL", "https://u:secret-of-@host/simple")


def test_error_shows_an_address_without_its_secrets() -> None:
    """The server cannot be reached. Its address has a password and a token."""
    url = "http://user:pa55word@127.0.0.1:9/mcp?token=t0ps3cret"
    spec = ServerSpec(url=url, headers={"Authorization": "Bearer abcdefgh"})

    with pytest.raises(ServerFailed) as caught:
        start_and_end_servers(ToolAccess({"far": spec}))

    assert "http://127.0.0.1:9/mcp" in str(caught.value)
    for secret in ("pa55word", "t0ps3cret", "abcdefgh", "user:"):
        assert secret not in str(caught.value)


@pytest.mark.usefixtures("environment_with_keys")
def test_servers_inherit_the_environment_without_keys() -> None:
    """A server is a program of others, which must not get the user's keys."""
    inherited = environment_for_servers()

    for value in inherited.values():
        assert "secret-of-" not in value
    assert inherited["PATH"] == os.environ["PATH"]


@pytest.mark.usefixtures("environment_with_keys")
def test_key_in_the_output_of_a_program_is_replaced() -> None:
    """What a server prints may be shown and recorded."""
    assert without_secrets("key: secret-of-GITHUB_TOKEN.") == "key: ***."


# The options `--allow` and `--deny` name tools of MCP servers, by their names or by patterns.
#
# `--allow db.*` allows scripts to call all tools of the server `db`. A name that no tool has is
# refused:
#
#     --allow db.drop-tables    ->    the server db has no such tool; did you mean ...


def test_allowed_tools_are_those_that_a_pattern_matches() -> None:
    options = {"mcp": ("db=x",), "allow": ("db.*",)}

    access = tool_access(NO_OPTIONS | options)

    assert access is not None
    assert matches_any(access.allow, ["db.drop"])
    assert not matches_any(access.allow, ["a.drop"])


@pytest.mark.parametrize("option", ["allow", "deny"])
def test_option_with_a_misspelt_tool_suggests_the_right_one(
    option: str, tmp_path: Path
) -> None:
    """The server has the tool `drop-table`."""
    server = small_server(tmp_path)
    access = ToolAccess({"db": server}, **{option: ("db.drop-tables",)})
    expected_error = (
        rf"--{option} db\.drop-tables: the server db has no such tool; did you mean"
    )

    with pytest.raises(UsageError, match=expected_error):
        start_and_end_servers(access)
