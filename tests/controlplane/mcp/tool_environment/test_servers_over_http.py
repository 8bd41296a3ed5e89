"""Scripts call the tools of MCP servers, started by a command or used over HTTP.

Each tool is an operation with the types of its schema, unless it is denied. Results are returned as
a whole, as structured data, as a text of a file, or in words. Errors name the tool, a call waits no
longer than its step and trial, resources can be read, and keys are not passed on.
"""

import base64
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from controlplane.agent.loop import TrialClock
from controlplane.mcp.server_specs import ServerSpec
from controlplane.mcp.tool_access import ToolAccess
from controlplane.mcp.tool_environment import ToolEnvironment, with_tools
from controlplane.sandbox.interface import (
    CallError,
    Effect,
    Operation,
    bounds,
    parsed_result,
)
from controlplane.sandbox.interface.schemas import type_text
from tests.controlplane.mcp.small_servers import EmptyEnvironment, small_server
from tests.support.command import wait_until
from tests.support.phonebook_model import free_port
from tests.support.product_files import ROOT

# How the tests start the server `loans`, and what scripts can call of a server's tools.
#
# For example:
#
#     operations_of(environment)["loans.loan"].parameters    ->    the parameter `number`, an integer

LOANS_SERVER = ROOT / "tests/support/loans_server.py"
"""A server with 10,000 loans: `rows` returns all of them, `loan` returns one, `extend` changes
one, and some further tools misbehave."""


LOANS_SPEC = ServerSpec(command=sys.executable, args=(str(LOANS_SERVER),))
"""How the server is started."""


def operations_of(environment: ToolEnvironment) -> dict[str, Operation]:
    """Return the operations that scripts can call, by name."""
    operations = environment.tool_schema.operations
    return {operation.name: operation for operation in operations}


@pytest.fixture(scope="session")
def loans() -> Iterator[ToolEnvironment]:
    """The tools of `LOANS_SERVER`, without `echo`, which the user has denied."""
    access = ToolAccess({"loans": LOANS_SPEC}, deny=("loans.echo",))
    with with_tools(EmptyEnvironment(), access) as environment:
        yield environment


# An MCP server `db` whose tool `look` returns a given result.
#
# with tool_with_result(folder, {"content": [{"type": "text", "text": "x"}]}) as environment:
#     environment.call("db.look", {})["text"]    ->    "x"


@contextmanager
def tool_with_result(
    folder: Path, result: dict[str, object]
) -> Iterator[ToolEnvironment]:
    """Start a server `db` whose tool `look` returns this result."""
    spec = small_server(
        folder,
        f"""
RESULT = {result!r}

def call_tool(request):
    send_result(request, RESULT)
""",
    )
    with with_tools(EmptyEnvironment(), ToolAccess({"db": spec})) as environment:
        yield environment


# A tool of an MCP server returns a file in base64, which is shown if it is text.
#
# The tool `look` of the server `db` returns the file. Any other file is only described, by its kind and
# its estimated size:
#
#     "text/plain", b"kept for 14 days"    ->    "kept for 14 days"
#     "application/pdf", b"%PDF"           ->    "[resource application/pdf, 6 bytes]"


@pytest.mark.parametrize(
    ("mime_type", "data", "expected_text"),
    [
        pytest.param("text/plain", b"kept for 14 days", "kept for 14 days", id="text"),
        pytest.param("text/csv", "a;ä\n".encode(), "a;ä\n", id="CSV"),
        pytest.param(
            "text/plain",
            b"\xff\xfe",
            "[resource text/plain, 3 bytes]",
            id="bytes that are not text",
        ),
        pytest.param(
            "application/pdf",
            b"%PDF",
            "[resource application/pdf, 6 bytes]",
            id="PDF",
        ),
    ],
)
def test_binary_resource_is_shown_if_it_is_text(
    tmp_path: Path, mime_type: str, data: bytes, expected_text: str
) -> None:
    blob = base64.b64encode(data).decode()
    resource = {"uri": "x://y", "mimeType": mime_type, "blob": blob}
    content = [{"type": "resource", "resource": resource}]

    with tool_with_result(tmp_path, {"content": content}) as environment:
        result = environment.call("db.look", {})

    assert result["text"] == expected_text


# A script calls tools of an MCP server, a program that offers them, and gets a dictionary of texts.
#
# The server `loans` has a table of 10,000 loans, which its tool `rows` returns:
#
#     {"call_path": "/mcp/loans/calls/rows/4f...", "text": "...", "data": "{...}"}
#
# An answer can cite the call by its path. `data` is JSON that a script can compute with.


def test_long_result_is_returned_as_a_whole(loans: ToolEnvironment) -> None:
    """A script can compute with all 10,000 rows, of which the model sees what is printed."""
    result = loans.call("loans.rows", {})

    rows = json.loads(str(result["data"]))["rows"]
    assert len(rows) == 10_000


def test_repeated_call_has_the_same_path(loans: ToolEnvironment) -> None:
    """The path has a hash of the arguments and the result, which are the same."""
    first_path = loans.call("loans.rows", {})["call_path"]
    second_path = loans.call("loans.rows", {})["call_path"]

    assert str(first_path).startswith("/mcp/loans/calls/rows/")
    assert second_path == first_path


def test_image_is_described_in_words(loans: ToolEnvironment) -> None:
    """A script cannot look at an image."""
    result = loans.call("loans.picture", {})

    assert result["text"] == "[image image/png, 3,000 bytes]"


def test_server_does_not_inherit_keys(loans: ToolEnvironment) -> None:
    """The tool `secret` returns the names of our keys in the environment of its server."""
    assert loans.call("loans.secret", {})["text"] == ""


# A call of a server's tool that fails raises a `CallError` that names the tool.
#
# A script may make several calls, and the model reads the error:
#
#     loans.loan(number="many")    ->    CallError "loans.loan ..."


@pytest.mark.parametrize(
    ("operation", "arguments", "expected_error"),
    [
        pytest.param(
            "loans.extend",
            {"number": 1},
            "--allow loans.extend",
            id="change that the user has not allowed",
        ),
        pytest.param(
            "loans.loan", {"number": "many"}, "loans.loan", id="word for a number"
        ),
        pytest.param(
            "loans.loan", {"number": 99_999}, "loans.loan", id="error of the tool"
        ),
        pytest.param(
            "loans.resource",
            {"uri": "loans://nothing"},
            "loans.resource failed",
            id="unknown resource",
        ),
    ],
)
def test_failed_call_names_its_tool(
    loans: ToolEnvironment,
    operation: str,
    arguments: dict[str, Any],
    expected_error: str,
) -> None:
    with pytest.raises(CallError, match=expected_error):
        loans.call(operation, arguments)


# Each tool of an MCP server becomes an operation: a function that scripts of the model can call.
#
# MCP is a protocol by which programs offer tools to agents. A run names such servers. The tool `loan`
# of the server `loans` is then called with `harness.loans.loan(number=2)`. Further tools of the server
# are `rows`, which reads a table, `extend`, which changes one loan, `class`, and `echo`, which the
# user has denied.


def test_each_tool_is_an_operation_unless_it_is_denied(loans: ToolEnvironment) -> None:
    """The tool `loan` of the server `loans` becomes `harness.loans.loan`."""
    operations = operations_of(loans)

    assert "loans.loan" in operations
    assert "loans.echo" not in operations


def test_tool_that_only_reads_is_told_from_one_that_changes_something(
    loans: ToolEnvironment,
) -> None:
    """The server says of its tools which only read. Others need the user's permission."""
    operations = operations_of(loans)

    assert operations["loans.rows"].effect is Effect.RETURNS
    assert operations["loans.extend"].effect is Effect.ACTS


def test_parameter_of_a_tool_has_the_type_of_its_schema(loans: ToolEnvironment) -> None:
    """The schema of the server says `integer`, and scripts see `int`."""
    (parameter,) = operations_of(loans)["loans.loan"].parameters

    assert parameter.name == "number"
    assert type_text(parameter.json_schema) == "int"


def test_tool_whose_name_is_a_python_keyword_gets_an_underscore(
    loans: ToolEnvironment,
) -> None:
    """Scripts cannot write `harness.loans.class()`."""
    assert "loans.class_" in operations_of(loans)


def test_help_finds_tools_by_words(loans: ToolEnvironment) -> None:
    """A server may have too many tools for the prompt. Scripts then ask `help` for them."""
    help_for_one_word = loans.call("loans.help", {"words": "loan"})
    help_for_a_sentence = loans.call("loans.help", {"words": "extend a loan"})

    assert "number: int" in str(help_for_one_word["text"])
    assert "harness.loans.extend" in str(help_for_a_sentence["text"])


# Scripts list and read the resources of an MCP server, which are texts with an address.
#
# The server `loans` has one, with the rules of a library:
#
#     loans://rules    ->    "A loan is kept for 14 days."


def test_resources_of_a_server_can_be_listed_and_read(loans: ToolEnvironment) -> None:
    """A resource is a text of the server with an address, such as a document."""
    listing = loans.call("loans.resources", {})
    resources = parsed_result(operations_of(loans)["loans.resources"], listing)
    rules = loans.call("loans.resource", {"uri": "loans://rules"})

    assert [resource["uri"] for resource in resources] == ["loans://rules"]
    assert rules == {
        "call_path": "/mcp/loans/resources/rules",
        "text": "A loan is kept for 14 days.",
        "data": "",
    }


# A tool of an MCP server returns structured data besides a text.
#
# The protocol has a text for models, `content`, and data for programs, `structuredContent`. A script
# gets both as texts:
#
#     {"text": "two loans", "data": '[{"n": 1}, {"n": 2}]', ...}


def test_structured_result_may_be_a_list(tmp_path: Path) -> None:
    rows = [{"n": 1}, {"n": 2}]
    text = {"type": "text", "text": "two loans"}

    with tool_with_result(
        tmp_path, {"content": [text], "structuredContent": rows}
    ) as environment:
        result = environment.call("db.look", {})

    assert json.loads(str(result["data"])) == rows
    assert result["text"] == "two loans"


# A call of a tool that never replies ends with its script's step, or with its trial.
#
# A trial is a task that a model works on, and a step is one script of it. Both have a time limit: the
# call then fails with "db.look failed: it gave no answer within ...".

LONGEST_WAIT = f"{bounds.TOOL_CALL_S:g} s"
"""How long a call waits where neither a step nor a trial ends before: "60 s"."""

NO_ANSWER_IN_TIME = rf"db\.look failed: it gave no answer within (?!{LONGEST_WAIT})"
"""A pattern for an error that names a shorter time than that."""


def test_call_waits_no_longer_than_the_step_of_its_script(tmp_path: Path) -> None:
    """The script may run for 0.6 s more, and the tool never replies."""
    clock = TrialClock()
    access = ToolAccess({"db": small_server(tmp_path)})
    with with_tools(EmptyEnvironment(), access, clock) as environment:
        clock.end_calls_at(time.monotonic() + 0.6)
        with pytest.raises(CallError, match=NO_ANSWER_IN_TIME):
            environment.call("db.look", {})


def test_call_waits_no_longer_than_its_trial(tmp_path: Path) -> None:
    """The second call begins when the time of the trial is already over."""
    clock = TrialClock(limit_s=0.6)
    access = ToolAccess({"db": small_server(tmp_path)})
    with with_tools(EmptyEnvironment(), access, clock) as environment:
        for _ in range(2):
            with pytest.raises(CallError, match=NO_ANSWER_IN_TIME):
                environment.call("db.look", {})


# An MCP server that is running already is used over HTTP, at its address.
#
# The user names it by a URL, such as `http://127.0.0.1:8000/mcp`, in place of a command that
# starts it.


def is_listening(port: int) -> bool:
    """Return whether a server accepts connections at this port."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def loans_server_over_http() -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Yield the URL of `LOANS_SERVER` and its process."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, LOANS_SERVER, "http", str(port)], stderr=subprocess.DEVNULL
    )
    try:
        wait_until(lambda: is_listening(port))
        yield f"http://127.0.0.1:{port}/mcp", process
    finally:
        process.kill()
        process.wait()


def test_server_over_http_is_used_until_it_ends() -> None:
    """The user did not start it by a command, so it is not started again."""
    with loans_server_over_http() as (url, process):
        spec = ServerSpec(url=url, headers={"X-Key": "1"})
        access = ToolAccess({"loans": spec})
        with with_tools(EmptyEnvironment(), access) as environment:
            result = environment.call("loans.loan", {"number": 2})
            assert "2026-03-01" in str(result["text"])

            process.kill()
            process.wait()
            with pytest.raises(CallError, match=r"loans\.loan failed"):
                environment.call("loans.loan", {"number": 2})
