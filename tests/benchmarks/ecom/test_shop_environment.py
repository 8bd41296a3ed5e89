"""The runtime: declared operations, paths and their spellings, one answer, and an end."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
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
from tests.benchmarks.ecom.reference_solutions import generate_variant, variant_ids


def environment(**changed: object) -> EcomEnvironment:
    return EcomEnvironment(replace(workspace_of(world()), **changed))


def world(fits: Callable[[World], bool] = lambda world: True) -> World:
    """The first world that fits."""
    return next(
        candidate
        for candidate in map(generate, map(str, range(500)))
        if fits(candidate)
    )


def text(environment: EcomEnvironment, path: str) -> str:
    return str(environment.call("read", {"path": path})["content"])


def test_there_is_one_answer() -> None:
    runtime = environment()
    runtime.answer("a", "OUTCOME_OK", ["/AGENTS.MD"])

    with pytest.raises(CallError) as refusal:
        runtime.answer("b", "OUTCOME_OK", [])

    assert refusal.value.code == "already_exists"
    assert runtime.submission is not None
    assert runtime.submission.message == "a"


def test_there_is_no_call_and_no_answer_after_the_end() -> None:
    runtime = environment()
    runtime.answer("a", "OUTCOME_OK", ["/AGENTS.MD"])

    runtime.close()

    with pytest.raises(CallError, match="has ended"):
        runtime.call("list", {})
    with pytest.raises(CallError, match="has ended"):
        runtime.answer("c", "OUTCOME_OK", [])


@pytest.mark.parametrize(
    ("tool", "args", "stdin", "is_opened"),
    [
        ("cat", ["{store}"], "", True),
        ("cat", ["-n", "{store}"], "", True),
        ("cat", ["-", "{store}"], "own words", False),
        ("jq", [".id", "{store}"], "", True),
        ("jq", ["-r", ".inventory[0].sku", "{store}"], "", True),
        ("jq", [".", "-"], "{}", False),
        ("availability", ["{store}", "VH-NONE"], "", True),
        ("availability", ["-", "{store}"], '{"inventory": []}', False),
        ("sql", ["--help"], "", False),
    ],
)
def test_a_tool_that_prints_from_a_file_makes_it_citable(
    tool: str, args: list[str], stdin: str, is_opened: bool
) -> None:
    place = environment()
    store = next(
        path
        for path in place.workspace.files
        if path.endswith(".json") and json_of(place, path).get("inventory")
    )
    arguments = {
        "path": f"/bin/{tool}",
        "args": [arg.replace("{store}", store) for arg in args],
        "stdin": stdin,
    }
    recorder = Recorder("t", place, lambda event: None)
    recorder.step.begin(1)

    assert recorder.calls.make("exec", arguments)["exit_code"] == 0
    assert (store in recorder.evidence_log.view().accesses) is is_opened


def json_of(place: EcomEnvironment, path: str) -> dict[str, Plain]:
    return json.loads(text(place, path)) if path.endswith(".json") else {}


def sql(shop: EcomEnvironment, query: str) -> str:
    result = shop.call("exec", {"path": "/bin/sql", "args": [query]})
    return f"{result['stdout']}{result['stderr']}"


@pytest.mark.parametrize("variant_id", variant_ids()[:4])
def test_nothing_of_the_truth_is_sent(variant_id: str) -> None:
    """A tool runs in a worker, to which the environment sends the workspace and the call."""
    task = generate_variant(variant_id, f"0|{variant_id}|0")
    shop = EcomEnvironment(workspace_of(task.world))
    messages: list[str] = []

    def record_call(function: str, *arguments: object, serve: object = None) -> object:
        messages.append(json.dumps([function, *arguments]))
        return {"result": {"stdout": ""}, "changes": {}}

    worker = mock.Mock(call=record_call, when_started=lambda begin: begin())
    shop.use_worker(worker)
    shop.call("exec", {"path": "/bin/cat", "args": ["/AGENTS.MD"]})

    assert len(messages) == 2  # the workspace and the call
    sent = "".join(messages)
    family = variant_id.split("#")[0]
    secrets = [task.instruction, variant_id, family, "OUTCOME_", "Truth", "grade"]
    for content in task.truth.changes.values():
        if content:
            secrets.append(content)
    for secret in secrets:
        secret_in_json = json.dumps(secret).removeprefix('"').removesuffix('"')
        assert secret_in_json not in sent, secret


@pytest.mark.parametrize(
    ("operation", "arguments", "code"),
    [
        ("read", {"path": "/nothing"}, "not_found"),
        ("read", {}, "invalid_argument"),
        ("read", {"path": 7}, "invalid_argument"),
        ("read", {"path": "/AGENTS.MD", "start_line": True}, "invalid_argument"),
        ("read", {"path": "/AGENTS.MD", "lines": 3}, "invalid_argument"),
        ("list", {"path": "/AGENTS.MD"}, "invalid_argument"),
        ("exec", {"path": "/bin/rm"}, "not_found"),
        ("exec", {"path": "/AGENTS.MD"}, "invalid_argument"),
        ("exec", {"path": "/bin/id", "args": "x"}, "invalid_argument"),
        ("write", {"path": "/bin/id", "content": "x"}, "permission_denied"),
        (
            "write",
            {"path": "/AGENTS.MD", "content": "x", "if_match_sha256": "0"},
            "failed_precondition",
        ),
        ("shout", {}, "unimplemented"),
    ],
)
def test_a_call_that_cannot_be_made_says_so(
    operation: str, arguments: dict[str, Plain], code: str
) -> None:
    with pytest.raises(CallError) as refused:
        environment().call(operation, arguments)
    assert refused.value.code == code


def test_defaults_of_a_schema_that_depend_on_the_time_are_pinned() -> None:
    with fixed_time_database(datetime(2026, 5, 4, 3, 2, 1)) as database:
        database.execute(
            "CREATE TABLE t(x, a DEFAULT CURRENT_TIMESTAMP, b DEFAULT (date('now')), c AS (date(a)))"
        )
        database.execute("CREATE INDEX i ON t(date(a))")
        database.execute("INSERT INTO t(x) VALUES (1)")
        (row,) = database.execute("SELECT * FROM t").fetchall()
        assert row == (1, "2026-05-04 03:02:01", "2026-05-04", "2026-05-04")


@pytest.fixture
def shop() -> World:
    """A shop whose tools all work."""
    made = generate("tools", WorldSettings(names="own"))
    made.profile = Profile(sql_is_up=True)
    return made


def run(
    shop: World, name: str, *arguments: str, stdin: str = ""
) -> tuple[str, str, int]:
    call = {"path": f"/bin/{name}", "args": list(arguments), "stdin": stdin}
    result = EcomEnvironment(workspace_of(shop)).call("exec", call)
    return str(result["stdout"]), str(result["stderr"]), int(str(result["exit_code"]))


@pytest.mark.parametrize(
    "command",
    [
        ("checkout",),
        ("checkout", "basket-none"),
        ("checkout", "*"),
        ("discount", "x", "5"),
        ("discount", "x", "1.5", "a", "b"),
        ("discount", "x", "-5", "a", "b"),
        ("discount", "x", "²", "a", "b"),
        ("payments",),
        ("payments", "pay", "x"),
        ("payments", "restart-verification", "none"),
        ("refund",),
        ("refund", "approve"),
        ("refund", "reject", "x"),
        ("id", "me"),
        ("date", "+1"),
        ("jq",),
        ("availability", "/AGENTS.MD"),
        ("sql", "select 1", "select 2"),
    ],
)
def test_a_wrong_command_fails_on_stderr_and_changes_nothing(
    shop: World, command: tuple[str, ...]
) -> None:
    runtime = EcomEnvironment(workspace_of(shop))
    result = runtime.call(
        "exec", {"path": f"/bin/{command[0]}", "args": list(command[1:])}
    )

    assert (result["exit_code"], result["stdout"]) == (1, "")
    assert str(result["stderr"]).startswith(f"{command[0]}: ")
    assert not runtime.changes


def test_availability_subtracts_reservations_and_knows_no_row_as_zero(
    shop: World,
) -> None:
    store = next(iter(shop.stores.values()))
    skus = list(store.inventory)[:3]

    out, _, code = run(shop, "availability", shop.path(store), *skus, "VH-NONE")

    expected_lines = [f"{sku}\t{store.inventory[sku].available}" for sku in skus]
    assert code == 0
    assert out.splitlines() == [*expected_lines, "VH-NONE\t0"]


def test_availability_of_a_file_that_is_not_a_branch_fails(shop: World) -> None:
    _, _, code = run(shop, "availability", "/AGENTS.MD", "X")

    assert code == 1


JQ_INPUT = {
    "a": {"b": [1, 2]},
    "n": "x",
    "rows": [{"s": "A", "q": 1}, {"s": "B", "q": 2}],
}


def read_json_values(text: str) -> list[object]:
    """Return the values of a text that holds one after the other: `1 {"a": 2}`."""
    decoder = json.JSONDecoder()
    values = []
    rest = text.strip()
    while rest:
        value, end = decoder.raw_decode(rest)
        values.append(value)
        rest = rest[end:].lstrip()
    return values


@pytest.mark.parametrize(
    ("program", "printed_values"),
    [
        (".", [JQ_INPUT]),
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
    shop: World, program: str, printed_values: list[object]
) -> None:
    out, err, code = run(shop, "jq", program, stdin=json.dumps(JQ_INPUT))

    assert code == 0
    assert err == ""
    assert read_json_values(out) == printed_values


@pytest.mark.parametrize(
    "sql",
    [
        "drop table products",
        "delete from products",
        "attach database '/tmp/x' as x",
        "pragma journal_mode = wal",
        "select load_extension('x')",
        "select nothing from products",
        "selec",
        "select 1; select 2",
        "",
    ],
)
def test_sql_refuses_what_is_no_quick_read(shop: World, sql: str) -> None:
    out, err, code = run(shop, "sql", sql)
    assert (out, code) == ("", 1)
    assert err.startswith(("sql: ", "SQL logic error: "))


MOST_SQL_ROWS = 100


def test_sql_cuts_long_results_and_says_so(shop: World) -> None:
    out, err, code = run(shop, "sql", stdin="select a.sku from products a, products b")

    head, *rows, warning = out.splitlines()
    assert code == 0
    assert err == ""
    assert head == "sku"
    assert len(rows) == MOST_SQL_ROWS
    assert warning == f"warning: result truncated at {MOST_SQL_ROWS} rows"
    assert out.endswith("\n")
