"""The simulated shop that a script works in: its operations, files and tools.

A script calls operations such as `read` and `exec`; `exec` runs a tool such as `/bin/sql` or
`/bin/jq`. In the end it submits one answer. The tests show what calls return, how wrong calls
fail, what counts as read and so may be cited, and that a worker process never gets to know the
right answer.
"""

import json
from datetime import datetime
from typing import NamedTuple
from unittest import mock

import pytest

from controlplane.agent.evidence import Recorder
from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tools.fixed_time_database import fixed_time_database
from controlplane.benchmarks.ecom.world.generator import generate
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import Profile, WorldSettings
from controlplane.benchmarks.ecom.world.world import World
from controlplane.sandbox.interface import CallError, Plain
from tests.benchmarks.ecom.reference_solutions import (
    family_of_variant,
    generate_variant,
    variant_ids,
)

# The end of a trial -----------------------------------------------------------------------------


@pytest.fixture
def world() -> World:
    """A generated shop. Its SQL tool works, which has an outage in some other worlds."""
    world = generate("tools", WorldSettings(names="own"))
    world.profile = Profile(sql_is_up=True)
    return world


@pytest.fixture
def shop(world: World) -> EcomEnvironment:
    return EcomEnvironment(workspace_of(world))


def test_a_second_answer_is_refused(shop: EcomEnvironment) -> None:
    """The first answer stays."""
    shop.answer("a", "OUTCOME_OK", ["/AGENTS.MD"])

    with pytest.raises(CallError) as refusal:
        shop.answer("b", "OUTCOME_OK", [])

    assert refusal.value.code == "already_exists"
    assert shop.submission is not None
    assert shop.submission.message == "a"


def test_no_call_and_no_answer_is_possible_after_the_end(shop: EcomEnvironment) -> None:
    """The trial is closed after its answer."""
    shop.answer("a", "OUTCOME_OK", ["/AGENTS.MD"])

    shop.close()

    with pytest.raises(CallError, match="has ended"):
        shop.call("list", {})
    with pytest.raises(CallError, match="has ended"):
        shop.answer("c", "OUTCOME_OK", [])


# Files that a tool has read ---------------------------------------------------------------------
#
# An answer may only cite files that the script has read, directly or by a tool.


@pytest.fixture
def store_path(world: World) -> str:
    """The path of a file in the shop: the record of a branch, which is JSON."""
    first_store, *_ = world.stores.values()
    return world.path(first_store)


def files_read_by(
    shop: EcomEnvironment, tool: str, *arguments: str, stdin: str = ""
) -> set[str]:
    """Run a tool as a script does, and return the paths of the files that count as read.

    `files_read_by(shop, "cat", "/AGENTS.MD")` -> `{"/AGENTS.MD"}`. The tool must succeed.
    """
    # The recorder is what makes the calls of a trial, and notes what they have read.
    recorder = Recorder(trial_id="t", environment=shop, emit=lambda event: None)
    recorder.step_log.begin(1)

    result = recorder.calls.make(
        "exec", {"path": f"/bin/{tool}", "args": list(arguments), "stdin": stdin}
    )

    assert result["exit_code"] == 0
    return set(recorder.evidence_log.view().accesses)


def test_a_file_that_cat_prints_counts_as_read(
    shop: EcomEnvironment, store_path: str
) -> None:
    assert store_path in files_read_by(shop, "cat", store_path)


def test_a_file_that_cat_prints_with_line_numbers_counts_as_read(
    shop: EcomEnvironment, store_path: str
) -> None:
    assert store_path in files_read_by(shop, "cat", "-n", store_path)


@pytest.mark.parametrize(
    "program",
    [
        pytest.param([".id"], id="a field"),
        pytest.param(["-r", ".inventory[0].sku"], id="a field of a field"),
    ],
)
def test_a_file_from_which_jq_prints_a_value_counts_as_read(
    shop: EcomEnvironment, store_path: str, program: list[str]
) -> None:
    assert store_path in files_read_by(shop, "jq", *program, store_path)


def test_the_record_of_a_branch_counts_as_read_if_its_stock_is_printed(
    shop: EcomEnvironment, store_path: str
) -> None:
    """The tool has read the record, although the branch does not have the product `VH-NONE`."""
    assert store_path in files_read_by(shop, "availability", store_path, "VH-NONE")


# With `-`, a tool reads its standard input. What it prints may then be words of the script, and so
# no file counts as read.


def test_a_file_does_not_count_as_read_if_cat_prints_its_input(
    shop: EcomEnvironment, store_path: str
) -> None:
    """The file is printed, too, but after words of which nobody can tell that they are not its."""
    read = files_read_by(shop, "cat", "-", store_path, stdin="own words")

    assert store_path not in read


def test_a_file_does_not_count_as_read_if_jq_prints_its_input(
    shop: EcomEnvironment, store_path: str
) -> None:
    assert store_path not in files_read_by(shop, "jq", ".", "-", stdin="{}")


def test_a_branch_does_not_count_as_read_if_the_stock_is_that_of_the_input(
    shop: EcomEnvironment, store_path: str
) -> None:
    """After `-`, the branch's path is no file, but stands in the place of a product's SKU."""
    read = files_read_by(
        shop, "availability", "-", store_path, stdin='{"inventory": []}'
    )

    assert store_path not in read


def test_a_tool_that_prints_its_help_reads_no_file_of_the_shop(
    shop: EcomEnvironment, store_path: str
) -> None:
    assert store_path not in files_read_by(shop, "sql", "--help")


# What a worker gets to know -----------------------------------------------------------------------


@pytest.mark.parametrize("variant_id", variant_ids()[:4])
def test_nothing_of_the_right_answer_is_sent_to_a_worker(variant_id: str) -> None:
    """Tools run in a worker process, to which the environment sends the files and the call.

    A hostile script may take the worker over, and must not find there what the right answer is.
    """
    task = generate_variant(variant_id, f"0|{variant_id}|0")
    shop = EcomEnvironment(workspace_of(task.world))
    messages: list[str] = []

    def record_call(function: str, *arguments: object, serve: object = None) -> object:
        messages.append(json.dumps([function, *arguments]))
        return {"result": {"stdout": ""}, "changes": {}}

    # In place of the worker, `record_call` gets what is sent to it.
    worker = mock.Mock(call=record_call, when_started=lambda begin: begin())
    shop.use_worker(worker)
    shop.call("exec", {"path": "/bin/cat", "args": ["/AGENTS.MD"]})

    assert len(messages) == 2  # the workspace and the call
    sent = "".join(messages)
    family = family_of_variant(variant_id)
    secrets = [task.instruction, variant_id, family, "OUTCOME_", "Truth", "grade"]
    for content in task.truth.changes.values():
        if content:
            secrets.append(content)
    for secret in secrets:
        secret_in_json = json.dumps(secret).removeprefix('"').removesuffix('"')
        assert secret_in_json not in sent, secret


# Wrong calls --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("operation", "arguments", "code"),
    [
        pytest.param("read", {"path": "/nothing"}, "not_found", id="no such file"),
        pytest.param("read", {}, "invalid_argument", id="no path"),
        pytest.param("read", {"path": 7}, "invalid_argument", id="a number as path"),
        pytest.param(
            "read",
            {"path": "/AGENTS.MD", "start_line": True},
            "invalid_argument",
            id="a boolean as line number",
        ),
        pytest.param(
            "read",
            {"path": "/AGENTS.MD", "lines": 3},
            "invalid_argument",
            id="an unknown argument",
        ),
        pytest.param(
            "list", {"path": "/AGENTS.MD"}, "invalid_argument", id="list of a file"
        ),
        pytest.param("exec", {"path": "/bin/rm"}, "not_found", id="no such tool"),
        pytest.param(
            "exec", {"path": "/AGENTS.MD"}, "invalid_argument", id="a file as tool"
        ),
        pytest.param(
            "exec",
            {"path": "/bin/id", "args": "x"},
            "invalid_argument",
            id="a text as list of arguments",
        ),
        pytest.param(
            "write",
            {"path": "/bin/id", "content": "x"},
            "permission_denied",
            id="write of a tool",
        ),
        pytest.param(
            "write",
            {"path": "/AGENTS.MD", "content": "x", "if_match_sha256": "0"},
            "failed_precondition",
            id="write of a file that has changed meanwhile",
        ),
        pytest.param("shout", {}, "unimplemented", id="unknown operation"),
    ],
)
def test_a_wrong_call_fails_with_a_code(
    shop: EcomEnvironment, operation: str, arguments: dict[str, Plain], code: str
) -> None:
    """A script can tell by the code what is wrong with its call."""
    with pytest.raises(CallError) as error:
        shop.call(operation, arguments)

    assert error.value.code == code


class ToolResult(NamedTuple):
    """What a tool of the shop printed, and its exit code."""

    out: str
    err: str
    code: int


def run_tool(
    shop: EcomEnvironment, name: str, *arguments: str, stdin: str = ""
) -> ToolResult:
    """Run a tool of the shop: `run_tool(shop, "cat", "/AGENTS.MD")`."""
    result = shop.call(
        "exec", {"path": f"/bin/{name}", "args": list(arguments), "stdin": stdin}
    )
    return ToolResult(
        out=str(result["stdout"]),
        err=str(result["stderr"]),
        code=int(str(result["exit_code"])),
    )


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(("checkout",), id="checkout without a basket"),
        pytest.param(("checkout", "basket-none"), id="unknown basket"),
        pytest.param(("checkout", "*"), id="pattern for all baskets"),
        pytest.param(("discount", "x", "5"), id="discount without a reason"),
        pytest.param(("discount", "x", "1.5", "a", "b"), id="half a percent"),
        pytest.param(("discount", "x", "-5", "a", "b"), id="negative percentage"),
        pytest.param(
            ("discount", "x", "²", "a", "b"), id="percentage in another digit"
        ),
        pytest.param(("payments",), id="payments without a subcommand"),
        pytest.param(("payments", "pay", "x"), id="unknown subcommand of payments"),
        pytest.param(
            ("payments", "restart-verification", "none"), id="unknown payment"
        ),
        pytest.param(("refund",), id="refund without a subcommand"),
        pytest.param(("refund", "approve"), id="refund without a return"),
        pytest.param(("refund", "reject", "x"), id="unknown subcommand of refund"),
        pytest.param(("id", "me"), id="argument of a tool that has none"),
        pytest.param(("date", "+1"), id="argument of the date"),
        pytest.param(("jq",), id="jq without a filter"),
        pytest.param(
            ("availability", "/AGENTS.MD"), id="availability without a product"
        ),
        pytest.param(("sql", "select 1", "select 2"), id="two queries"),
    ],
)
def test_a_wrong_command_fails_on_stderr_and_changes_nothing(
    shop: EcomEnvironment, command: tuple[str, ...]
) -> None:
    """A tool checks all arguments before it does anything."""
    tool, *arguments = command

    result = run_tool(shop, tool, *arguments)

    assert result.code == 1
    assert result.out == ""
    assert result.err.startswith(f"{tool}: ")
    assert not shop.changes


# The tool `availability`: how many units of a product a branch can sell today -----------------------


def test_availability_is_the_stock_without_reservations(
    world: World, shop: EcomEnvironment
) -> None:
    """A product that the branch does not have is there 0 times."""
    store, *_ = world.stores.values()
    skus = list(store.inventory)[:3]

    result = run_tool(shop, "availability", world.path(store), *skus, "VH-NONE")

    expected_lines = [f"{sku}\t{store.inventory[sku].available}" for sku in skus]
    assert result.code == 0
    assert result.out.splitlines() == [*expected_lines, "VH-NONE\t0"]


def test_availability_of_a_file_that_is_not_a_branch_fails(
    shop: EcomEnvironment,
) -> None:
    assert run_tool(shop, "availability", "/AGENTS.MD", "X").code == 1


# The tool `jq`: picks values from JSON by a small part of the language of the real jq --------------


def read_json_values(text: str) -> list[object]:
    """Return the JSON values that a tool has printed, one after the other.

    `1\\n{"a": 2}` -> `[1, {"a": 2}]`
    """
    decoder = json.JSONDecoder()
    values = []
    rest = text.strip()
    while rest:
        value, end = decoder.raw_decode(rest)
        values.append(value)
        rest = rest[end:].lstrip()
    return values


def test_jq_prints_its_input_by_the_program_of_one_dot(shop: EcomEnvironment) -> None:
    data = {
        "a": {"b": [1, 2]},
        "n": "x",
        "rows": [{"s": "A", "q": 1}, {"s": "B", "q": 2}],
    }

    result = run_tool(shop, "jq", ".", stdin=json.dumps(data))

    assert result.code == 0
    assert result.err == ""
    assert read_json_values(result.out) == [data]


@pytest.mark.parametrize(
    ("program", "printed_values"),
    [
        (".a.b[0]", [1]),
        (".a.b[-1]", [2]),
        (".a.b[9]", [None]),
        (".missing", [None]),
        (".rows[].s", ["A", "B"]),
        (".rows | length", [2]),
        ("keys", [["a", "n", "rows"]]),
        (".n | length", [1]),
        (".a | length", [1]),
        (".missing | length", [0]),
        (".rows | keys", [[0, 1]]),
    ],
)
def test_jq_picks_values(
    shop: EcomEnvironment, program: str, printed_values: list[object]
) -> None:
    """A program that picks several values, such as `.rows[].s`, prints one after the other."""
    data = {
        "a": {"b": [1, 2]},
        "n": "x",
        "rows": [{"s": "A", "q": 1}, {"s": "B", "q": 2}],
    }

    result = run_tool(shop, "jq", program, stdin=json.dumps(data))

    assert result.code == 0
    assert result.err == ""
    assert read_json_values(result.out) == printed_values


# The tool `sql`: one query of the shop's records ----------------------------------------------------


@pytest.mark.parametrize(
    "query",
    [
        pytest.param("drop table products", id="drop"),
        pytest.param("delete from products", id="delete"),
        pytest.param("attach database '/tmp/x' as x", id="another database"),
        pytest.param("pragma journal_mode = wal", id="a setting"),
        pytest.param("select load_extension('x')", id="a function of the host"),
        pytest.param("select nothing from products", id="an unknown column"),
        pytest.param("selec", id="a syntax error"),
        pytest.param("select 1; select 2", id="two statements"),
        pytest.param("", id="no statement"),
    ],
)
def test_sql_refuses_anything_but_one_valid_query(
    shop: EcomEnvironment, query: str
) -> None:
    """The tool may only read the shop's records."""
    result = run_tool(shop, "sql", query)

    assert result.code == 1
    assert result.out == ""
    assert result.err.startswith(("sql: ", "SQL logic error: "))


MAX_SQL_ROWS = 100


def test_sql_cuts_a_long_result_and_says_so(shop: EcomEnvironment) -> None:
    """The query returns each pair of two products, which are many thousands."""
    every_pair = "select a.sku from products a, products b"

    result = run_tool(shop, "sql", stdin=every_pair)

    head, *rows, warning = result.out.splitlines()
    assert result.code == 0
    assert result.err == ""
    assert head == "sku"
    assert len(rows) == MAX_SQL_ROWS
    assert warning == f"warning: result truncated at {MAX_SQL_ROWS} rows"
    assert result.out.endswith("\n")


def test_the_time_in_a_database_is_that_of_the_world() -> None:
    """Also in defaults and computed columns of a table, which SQLite evaluates by itself."""
    with fixed_time_database(datetime(2026, 5, 4, 3, 2, 1)) as database:
        database.execute("""
            CREATE TABLE notes(
                id,
                created_at DEFAULT CURRENT_TIMESTAMP,
                created_on DEFAULT (date('now')),
                day AS (date(created_at))
            )
        """)
        database.execute("CREATE INDEX by_day ON notes(date(created_at))")
        database.execute("INSERT INTO notes(id) VALUES (1)")

        (row,) = database.execute("SELECT * FROM notes").fetchall()

    assert row == (1, "2026-05-04 03:02:01", "2026-05-04", "2026-05-04")
