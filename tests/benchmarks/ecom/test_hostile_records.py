"""Whatever a script writes, asks or gives to a tool:
the call works or fails clearly, and the trial goes on."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from types import MappingProxyType
from typing import NamedTuple

import pytest

from controlplane.benchmarks.ecom.shop_environment import (
    WORKER_MODULES,
    EcomEnvironment,
)
from controlplane.benchmarks.ecom.world.generator import generate
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import WorldSettings
from controlplane.sandbox import ForkServer, Worker
from controlplane.sandbox.interface import CallError, Plain, error_codes
from controlplane.sandbox.interface.host import WorkerLimits

pytestmark = pytest.mark.second_tier

WORKSPACE = replace(
    workspace_of(generate("hostile", WorldSettings(names="own"))), sql_is_up=True
)
ROOTS = asdict(WORKSPACE.roots)
ALL_TABLES = "select * from {0} limit 3"
DEEP = "[" * 100_000 + "]" * 100_000
DEEP_OBJECT = '{"a":' * 900 + "1" + "}" * 900
NINES = "9" * 4_300
HUGE_STOCK = (
    f'{{"inventory": [{{"sku": "X", "on_hand": {NINES}, "reserved": -{NINES}}}]}}'
)
BASKET = (
    '{"id": "hostile", "status": "active", "lines": [{"sku": "X", "quantity": 1}]%s}'
)


class Case(NamedTuple):
    """Hostile files to write, and then the runs of tools."""

    runs: tuple[tuple[str, ...], ...]
    """Programs with their arguments: `("jq", ".", "/tmp/deep")`."""
    written: Mapping[str, str] = MappingProxyType({})
    """Texts by the path of a file, or by a kind of records, such as `products`, to which one is added."""
    may_overrun: bool = False
    """True if a tool may be stopped at a limit."""


# `sql("select 1", products="[]")` writes `[]` as a product, and then runs the query.


def sql(*queries: str, **written: str) -> Case:
    return Case(tuple(("sql", query) for query in queries), written)


def tool(*words: str, **written: str) -> Case:
    return Case((words,), written)


def every_table(**written: str) -> Case:
    return sql(*(ALL_TABLES.format(root) for root in ROOTS), **written)


CASES = {
    "deep list as a product": every_table(products=DEEP),
    "deep object as a product": every_table(products=DEEP_OBJECT),
    "deep properties": sql("select * from product_properties", products=f'{{"properties": {{"a": {DEEP_OBJECT}}}}}'),
    "jq of a deep list": tool("jq", ".", "/tmp/deep", **{"/tmp/deep": DEEP}),
    "jq of a deep object": tool("jq", ".", "/tmp/deep", **{"/tmp/deep": DEEP_OBJECT}),
    "keys of a deep object": tool("jq", "keys", "/tmp/deep", **{"/tmp/deep": DEEP_OBJECT}),
    "checkout of a deep basket": tool("checkout", "hostile", baskets=DEEP),
    "checkout of a basket with a deep field": tool("checkout", "hostile", baskets=BASKET % f', "a": {DEEP_OBJECT}'),
    "lists for records": every_table(**dict.fromkeys(ROOTS, "[]")),
    "numbers for records": every_table(**dict.fromkeys(ROOTS, "7")),
    "empty objects": every_table(**dict.fromkeys(ROOTS, "{}")),
    "empty files": every_table(**dict.fromkeys(ROOTS, "")),
    "no JSON": every_table(**dict.fromkeys(ROOTS, '{"id": ')),
    "byte order mark": every_table(**dict.fromkeys(ROOTS, '\ufeff{"id": "x"}')),
    "binary text": every_table(**dict.fromkeys(ROOTS, "\x00\x01\ufffd\x7f{}")),
    "duplicate keys": every_table(**dict.fromkeys(ROOTS, '{"id": 1, "id": "two", "id": [3]}')),
    "lists for strings": every_table(**dict.fromkeys(ROOTS, '{"id": ["x"], "name": {"a": 1}, "status": [[]]}')),
    "true everywhere": every_table(**dict.fromkeys(ROOTS, '{"id": true, "name": false, "price_cents": true}')),
    "huge whole numbers": every_table(**dict.fromkeys(ROOTS, f'{{"id": {10**30}, "price_cents": {NINES}}}')),
    "too many digits": every_table(**dict.fromkeys(ROOTS, f'{{"id": {NINES * 2}}}')),
    "numbers that are none": every_table(**dict.fromkeys(ROOTS, '{"id": NaN, "price_cents": Infinity, "name": 1e999}')),
    "lone surrogates": every_table(**dict.fromkeys(ROOTS, '{"id": "\\ud800", "name": "a\\udfffb"}')),
    "surrogate as a key": sql("select * from product_properties", products='{"properties": {"\\ud800": 1}}'),
    "10,000 lines": sql("select count(*) from basket_lines", baskets=BASKET % "".join(
        [', "lines": [', ", ".join(['{"sku": "X", "quantity": 1}'] * 10_000), "]"])),
    "lines that are a string": sql("select * from basket_lines", baskets=BASKET % ', "lines": "abc"'),
    "lines of huge numbers": sql("select * from basket_lines", baskets=f'{{"lines": [{{"quantity": {NINES}}}]}}'),
    "roles that are a string": sql("select * from employee_roles", employees='{"roles": "manager"}'),
    "roles that are objects": sql("select * from employee_roles", employees='{"roles": [{"a": [1]}, null, 1e400]}'),
    "stock of huge numbers": sql("select * from inventory", stores=HUGE_STOCK),
    "incoming that is no list": sql("select * from incoming", stores='{"inventory": [{"incoming": {"a": 1}}, 3]}'),
    "availability of a list as SKU": tool("availability", "/tmp/s", "X", **{
        "/tmp/s": '{"inventory": [{"sku": ["X"], "on_hand": 1, "reserved": 0}]}'}),
    "availability of huge numbers": tool("availability", "/tmp/s", "X", **{"/tmp/s": HUGE_STOCK}),
    "availability of many": tool("availability", "/tmp/s", *["X"] * 999, **{"/tmp/s": '{"inventory": []}'}),
    "availability of no record": tool("availability", "/tmp/s", "X", **{"/tmp/s": "null"}),
    "availability of a deep list": tool("availability", "/tmp/s", "X", **{"/tmp/s": DEEP}),
    "checkout of a surrogate": tool("checkout", "hostile", baskets=BASKET % ', "note": "\\ud800"'),
    "checkout of no number": tool("checkout", "hostile", baskets=BASKET % ', "note": NaN'),
    "checkout of a list": tool("checkout", "hostile", baskets="[1]"),
    "checkout of a large basket": tool("checkout", "hostile", baskets=BASKET % (', "note": "%s"' % ("é" * 800_000))),
    "checkout without a name": tool("checkout", "", **{f"{ROOTS['baskets']}/.json": "{}"}),
    "discount of no lines": tool("discount", "hostile", "5", "r", "i", baskets='{"lines": null}'),
    "discount of many digits": tool("discount", "hostile", "9" * 5_000, "r", "i", baskets="{}"),
    "discount of other digits": tool("discount", "hostile", "\uff11\uff12", "r", "i", baskets="{}"),
    "attempts of many digits": tool(
        "payments", "restart-verification", "hostile", payments=f'{{"verification": {{"attempts": {NINES}}}}}'
    ),
    "verification that is a list": tool("payments", "restart-verification", "hostile", payments='{"verification": []}'),
    "refund of a string": tool("refund", "close", "hostile", returns='"x"'),
    "refund with odd words": tool("refund", "close", "hostile\x00\n\ud800", returns="{}"),
    "jq of numbers that are none": tool("jq", ".", "/tmp/n", **{"/tmp/n": "[NaN, -Infinity, 1e999]"}),
    "jq of too many digits": tool("jq", ".", "/tmp/n", **{"/tmp/n": NINES * 2}),
    "jq of lone surrogates": tool("jq", "-r", ".", "/tmp/n", **{"/tmp/n": '"\\ud800"'}),
    "jq of a byte order mark": tool("jq", ".", "/tmp/n", **{"/tmp/n": "\ufeff{}"}),
    "filter of many steps": tool("jq", ".a" * 5_000, "/tmp/n", **{"/tmp/n": "{}"}),
    "filter of many pipes": tool("jq", "|".join(["."] * 50_000), "/tmp/n", **{"/tmp/n": "{}"}),
    "filter with a long index": tool("jq", f".[{NINES * 2}]", "/tmp/n", **{"/tmp/n": "[1]"}),
    "filter with a deep value": tool("jq", f".a[{DEEP}]", "/tmp/n", **{"/tmp/n": '{"a": 1}'}),
    "filter that cannot be read": tool("jq", "(" * 100_000, "/tmp/n", **{"/tmp/n": "{}"}),
    "filter that backtracks": tool("jq", "select(." + " " * 50_000, "/tmp/n", **{"/tmp/n": "{}"})._replace(
        may_overrun=True),
    "filter over lines": tool("jq", "a\nb", "/tmp/n", **{"/tmp/n": "{}"}),
    "much output": tool("cat", *["/tmp/n"] * 1_000, **{"/tmp/n": "x" * 100_000})._replace(may_overrun=True),
    "numbered lines": tool("cat", "-n", "/tmp/n", **{"/tmp/n": "\x0b\x0c\u2028\x85\r" * 1_000}),
    "query without end": sql("with recursive n(x) as (select 1 union all select x + 1 from n) select count(*) from n")
    ._replace(may_overrun=True),
    "join of everything": sql(
        "select count(*) from inventory a, inventory b, inventory c, inventory d where a.sku || b.sku > c.sku || d.sku"
    )._replace(may_overrun=True),
    "large values": sql("select hex(zeroblob(40000)) from inventory")._replace(may_overrun=True),
    "largest blob": sql("select randomblob(999999999)", "select length(zeroblob(999999999))"),
    "wide format": sql("select printf('%999999999d', 1)", "select printf('%.*c', 99999, 'x')"),
    "slow pattern": sql("select hex(zeroblob(49000)) like '%0%0%0%0%0%0%0%0%0%0%0%0%0%1'")._replace(may_overrun=True),
    "query of odd characters": sql("select '\x00'", "select '\ud800'", "\ufeffselect 1", "select x'ff' || 'a'"),
    "text that is no text": sql("select cast(x'ff80' as text)", "select date(cast(x'ff' as text))"),
    "statements": sql("select 1; select 2", "delete from products", "attach 'x' as y", "pragma user_version", "--"),
    "deep query": sql("select " + "(" * 20_000 + "1" + ")" * 20_000, "select " + "-" * 3_000 + "1"),
    "wide query": sql("select " + ",".join(["1"] * 3_000), "select 1 " + "union all select 1 " * 2_000),
    "functions of the host": sql("select load_extension('x')", "select readfile('/etc/passwd')", "select edit('x')"),
    "error over lines": sql('select "\n\n" from (select 1) where no\nsuch'),
}  # fmt: skip

# Operation, arguments, and if it may be stopped at a limit
CALLS: dict[str, tuple[str, dict[str, Plain], bool]] = {
    "slow pattern": ("search", {"pattern": "(a+)+$", "root": "/tmp"}, True),
    "pattern of many groups": ("search", {"pattern": "(" * 5_000 + ")" * 5_000}, False),
    "pattern of a huge repeat": ("search", {"pattern": "(?:a{1000}){1000}b"}, True),
    "glob of stars": ("find", {"name": "*a" * 120 + "b"}, True),
    "long missing name": ("read", {"path": "/tmp/" + "ab" * 2_000}, False),
    "deep path": ("write", {"path": "/x" * 101, "content": ""}, False),
    "argument of another type": ("read", {"path": [[["x"]]]}, False),
    "argument with a long name": (
        "read",
        {"path": "/AGENTS.MD", "z" * 500_000: 1},
        True,
    ),
    "no operation": ("s" * 100_000, {}, False),
}


@pytest.fixture(scope="module")
def server() -> Iterator[ForkServer]:
    with ForkServer(WORKER_MODULES) as running:
        yield running


@pytest.fixture
def shop(server: ForkServer) -> Iterator[EcomEnvironment]:
    environment = EcomEnvironment(WORKSPACE)
    with Worker(server, limits=WorkerLimits(call_cpu_s=0.5)) as worker:
        environment.use_worker(worker)
        yield environment


def harmless_results(shop: EcomEnvironment) -> list[Plain]:
    """Return the results of three calls on which no hostile record may have an effect."""
    query = "select name, price_cents from products where sku is not null and sku like 'VH%' order by sku limit 20"
    store = next(path for path in WORKSPACE.files if path.startswith(ROOTS["stores"]))
    skus = [row["sku"] for row in json.loads(WORKSPACE.files[store])["inventory"]]
    return [
        shop.call("exec", {"path": "/bin/sql", "args": [query]}),
        shop.call("exec", {"path": "/bin/availability", "args": [store, *skus]}),
        shop.call("search", {"pattern": "[Vv]erification", "root": "/docs"}),
    ]


def result_or_error(
    shop: EcomEnvironment, operation: str, arguments: dict[str, Plain]
) -> dict[str, Plain] | CallError:
    try:
        return shop.call(operation, arguments)
    except CallError as error:
        return error


@pytest.mark.parametrize("name", CASES)
def test_a_tool_works_or_says_in_one_line_why_not(
    shop: EcomEnvironment, name: str
) -> None:
    """Write hostile records, run tools on them, and expect that other results stay the same."""
    case = CASES[name]
    results_before = harmless_results(shop)
    for root_or_path, text in case.written.items():
        path = root_or_path
        if root_or_path in ROOTS:
            path = f"{ROOTS[root_or_path]}/hostile.json"
        shop.call("write", {"path": path, "content": text})
    changes_before = dict(shop.changes)

    for program, *words in case.runs:
        call: dict[str, Plain] = {"path": f"/bin/{program}", "args": [*words]}
        result = result_or_error(shop, "exec", call)
        if isinstance(result, CallError):
            # The tool was stopped at its limit of processor time or output.
            assert case.may_overrun, result
            assert result.code == error_codes.RESOURCE_EXHAUSTED, result
            assert shop.changes == changes_before
            continue
        assert result["exit_code"] in (0, 1)
        if result["exit_code"] == 1:
            message = str(result["stderr"])
            assert message.startswith((f"{program}: ", "SQL logic error: "))
            assert len(message.splitlines()) == 1
            assert 10 < len(message) < 1_000

    assert harmless_results(shop) == results_before


@pytest.mark.parametrize("name", CALLS)
def test_a_call_works_or_fails_by_itself(shop: EcomEnvironment, name: str) -> None:
    operation, arguments, may_overrun = CALLS[name]
    # a text on which the pattern `(a+)+$` takes ages in an engine that backtracks
    text = "a" * 5_000 + "!"
    shop.call("write", {"path": "/tmp/a", "content": text})
    results_before = harmless_results(shop)

    result = result_or_error(shop, operation, arguments)

    if isinstance(result, CallError):
        expected_codes = {
            error_codes.INVALID_ARGUMENT,
            error_codes.NOT_FOUND,
            error_codes.UNIMPLEMENTED,
        }
        if may_overrun:
            expected_codes.add(error_codes.RESOURCE_EXHAUSTED)
        assert result.code in expected_codes
        assert len(result.message) <= 1_000
    assert harmless_results(shop) == results_before
    assert shop.call("read", {"path": "/tmp/a"})["content"] == text
