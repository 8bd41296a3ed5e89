"""The tools of `/bin`: what they print, what they change, what they refuse, and that each explains itself."""

import json

import pytest

from benchmarks.ecom.shop_environment import EcomEnvironment
from benchmarks.ecom.world.company import Stock
from benchmarks.ecom.world.generator import Profile, World, WorldSettings, generate


@pytest.fixture
def shop() -> World:
    """A shop whose tools all work."""
    made = generate("tools", WorldSettings(names="own"))
    made.profile = Profile(sql_is_up=True)
    return made


def run(shop: World, name: str, *arguments: str, stdin: str = "") -> tuple[str, str, int]:
    call = {"path": f"/bin/{name}", "args": list(arguments), "stdin": stdin}
    result = EcomEnvironment(shop.workspace()).call("exec", call)
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
def test_a_wrong_command_fails_on_stderr_and_changes_nothing(shop: World, command: tuple[str, ...]) -> None:
    runtime = EcomEnvironment(shop.workspace())
    result = runtime.call("exec", {"path": f"/bin/{command[0]}", "args": list(command[1:])})
    assert (result["exit_code"], result["stdout"]) == (1, "")
    assert str(result["stderr"]).startswith(f"{command[0]}: ")
    assert not runtime.changes


def test_availability_subtracts_reservations_and_knows_no_row_as_zero(shop: World) -> None:
    store = next(iter(shop.stores.values()))
    skus = list(store.inventory)[:3]
    out, _, code = run(shop, "availability", shop.path(store), *skus, "VH-NONE")
    assert code == 0
    free = [store.inventory.get(sku, Stock(0, 0)).available for sku in skus]
    assert out.splitlines() == [f"{sku}\t{count}" for sku, count in zip(skus, free, strict=True)] + ["VH-NONE\t0"]
    assert run(shop, "availability", "/AGENTS.MD", "X")[2] == 1


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (".", {"a": {"b": [1, 2]}, "n": "x", "rows": [{"s": "A", "q": 1}, {"s": "B", "q": 2}]}),
        (".a.b[0]", 1),
        (".a.b[-1]", 2),
        (".a.b[9]", None),
        (".missing", None),
        (".rows[].s", ["A", "B"]),
        (".rows | length", 2),
        ("keys", [["a", "n", "rows"]]),
        (".n | length", 1),
        (".a | length", 1),
        (".missing | length", 0),
        (".rows | keys", [[0, 1]]),
    ],
)
def test_jq_picks_values(shop: World, program: str, expected: object) -> None:
    data = {"a": {"b": [1, 2]}, "n": "x", "rows": [{"s": "A", "q": 1}, {"s": "B", "q": 2}]}
    out, err, code = run(shop, "jq", program, stdin=json.dumps(data))
    assert (err, code) == ("", 0)
    values = expected if isinstance(expected, list) else [expected]
    decoder, printed = json.JSONDecoder(), []
    while out.strip():
        value, end = decoder.raw_decode(out.lstrip())
        printed.append(value)
        out = out.lstrip()[end:]
    assert printed == values


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


def test_sql_cuts_long_results_and_says_so(shop: World) -> None:
    out, err, code = run(shop, "sql", stdin="select a.sku from products a, products b")
    assert (len(out.splitlines()), err, code) == (102, "", 0)
    assert out.endswith("\nwarning: result truncated at 100 rows\n")
