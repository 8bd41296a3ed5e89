"""Hostile files, queries and arguments for the tools of the simulated shop.

A script of a model may write any text as a record, `[[[[...` as a basket, say, and then run a
tool such as `/bin/checkout` or `/bin/sql`. Whatever it does: the tool works, or fails with
one clear line, or is stopped at a limit; and the trial goes on as if nothing had happened.
"""

import json
from collections.abc import Iterator
from typing import Final, NamedTuple

import pytest

from controlplane.benchmarks.ecom.shop_environment import (
    WORKER_MODULES,
    EcomEnvironment,
)
from controlplane.sandbox import ForkServer, Worker
from controlplane.sandbox.interface import CallError, Plain, error_codes
from controlplane.sandbox.interface.limits import WorkerLimits
from tests.benchmarks.ecom.hostile_cases import (
    ROOTS,
    WORKSPACE,
    Case,
    every_table,
    every_table_with,
    sql,
    tool,
)
from tests.benchmarks.ecom.hostile_texts import (
    DEEP,
    DEEP_OBJECT,
    HUGE_STOCK,
    NINES,
    basket_with,
)

pytestmark = pytest.mark.second_tier


@pytest.fixture(scope="module")
def fork_server() -> Iterator[ForkServer]:
    """The process from which each test forks a worker."""
    with ForkServer(WORKER_MODULES) as server:
        yield server


@pytest.fixture
def shop(fork_server: ForkServer) -> Iterator[EcomEnvironment]:
    """A shop whose tools run in a worker process, half a second of processor time each."""
    environment = EcomEnvironment(WORKSPACE)
    with Worker(fork_server, limits=WorkerLimits(call_cpu_s=0.5)) as worker:
        environment.use_worker(worker)
        yield environment


def harmless_results(shop: EcomEnvironment) -> list[Plain]:
    """Return the results of three calls on which no hostile record may have an effect.

    They are a query of products, the stock of a branch, and a search of the pages.
    """
    # SKUs of the shop are such as `VH-TNT-2P`. Hostile products have none, and so are not found.
    query = (
        "select name, price_cents from products "
        "where sku is not null and sku like 'VH%' order by sku limit 20"
    )
    stores = [path for path in WORKSPACE.files if path.startswith(ROOTS["stores"])]
    first_store = stores[0]
    inventory = json.loads(WORKSPACE.files[first_store])["inventory"]
    skus = [product["sku"] for product in inventory]
    return [
        shop.call("exec", {"path": "/bin/sql", "args": [query]}),
        shop.call("exec", {"path": "/bin/availability", "args": [first_store, *skus]}),
        shop.call("search", {"pattern": "[Vv]erification", "root": "/docs"}),
    ]


def result_or_error(
    shop: EcomEnvironment, operation: str, arguments: dict[str, Plain]
) -> dict[str, Plain] | CallError:
    """Make a call, and return its result or the error by which it failed."""
    try:
        return shop.call(operation, arguments)
    except CallError as error:
        return error


def assert_fails_in_one_line(tool: str, stderr: str) -> None:
    """Assert that a tool has printed one line of an error, which begins with its name.

    An error of SQLite begins with `SQL logic error: `.
    """
    assert stderr.startswith((f"{tool}: ", "SQL logic error: "))
    assert len(stderr.splitlines()) == 1
    assert 10 < len(stderr) < 1_000


def assert_stopped_at_limit(case: Case, error: CallError) -> None:
    """Assert that a tool was stopped at a limit of time or output, as the case allows."""
    assert case.may_overrun, error
    assert error.code == error_codes.RESOURCE_EXHAUSTED, error


def assert_works_or_fails_clearly(shop: EcomEnvironment, case: Case) -> None:
    """Assert that each tool of a case works, says in one line why not, or is stopped at a limit.

    What it does with the hostile files must have no effect on other calls.
    """
    results_before = harmless_results(shop)
    for path, text in case.files.items():
        shop.call("write", {"path": path, "content": text})
    changes_before = dict(shop.changes)

    for tool_name, *arguments in case.commands:
        call: dict[str, Plain] = {"path": f"/bin/{tool_name}", "args": arguments}
        result = result_or_error(shop, "exec", call)
        if isinstance(result, CallError):
            assert_stopped_at_limit(case, result)
            assert shop.changes == changes_before
        elif result["exit_code"] != 0:
            assert result["exit_code"] == 1
            assert_fails_in_one_line(tool_name, str(result["stderr"]))

    assert harmless_results(shop) == results_before


class TestDeepRecords:
    """Records and files that are nested so deeply that a parser may run out of its stack.

    `DEEP` is a list in a list in a list ..., `DEEP_OBJECT` an object in an object ...
    """

    CASES: Final = {
        "deep list as a product": every_table(products=DEEP),
        "deep object as a product": every_table(products=DEEP_OBJECT),
        "deep properties": sql(
            "select * from product_properties",
            products=f'{{"properties": {{"a": {DEEP_OBJECT}}}}}',
        ),
        "jq of a deep list": tool("jq", ".", "/tmp/deep", files={"/tmp/deep": DEEP}),
        "jq of a deep object": tool(
            "jq", ".", "/tmp/deep", files={"/tmp/deep": DEEP_OBJECT}
        ),
        "keys of a deep object": tool(
            "jq", "keys", "/tmp/deep", files={"/tmp/deep": DEEP_OBJECT}
        ),
        "checkout of a deep basket": tool("checkout", "hostile", baskets=DEEP),
        "checkout of a basket with a deep field": tool(
            "checkout", "hostile", baskets=basket_with(f'"a": {DEEP_OBJECT}')
        ),
    }

    @pytest.mark.parametrize("case", CASES.values(), ids=CASES)
    def test_a_tool_works_or_says_in_one_line_why_not(
        self, shop: EcomEnvironment, case: Case
    ) -> None:
        assert_works_or_fails_clearly(shop, case)


class TestRecordsOfEveryKind:
    """Records of every kind that are no objects, or have fields of another type.

    There is a table for each kind of records, and every table is queried.

    `NINES` is a number of 4,300 digits, the most that Python reads.
    """

    CASES: Final = {
        "lists for records": every_table_with("[]"),
        "numbers for records": every_table_with("7"),
        "empty objects": every_table_with("{}"),
        "empty files": every_table_with(""),
        "no JSON": every_table_with('{"id": '),
        "byte order mark": every_table_with('\ufeff{"id": "x"}'),
        "binary text": every_table_with("\x00\x01\ufffd\x7f{}"),
        "duplicate keys": every_table_with('{"id": 1, "id": "two", "id": [3]}'),
        "lists for strings": every_table_with(
            '{"id": ["x"], "name": {"a": 1}, "status": [[]]}'
        ),
        "true everywhere": every_table_with(
            '{"id": true, "name": false, "price_cents": true}'
        ),
        "huge whole numbers": every_table_with(
            f'{{"id": {10**30}, "price_cents": {NINES}}}'
        ),
        "too many digits": every_table_with(f'{{"id": {NINES * 2}}}'),
        "numbers that are none": every_table_with(
            '{"id": NaN, "price_cents": Infinity, "name": 1e999}'
        ),
        "lone surrogates": every_table_with('{"id": "\\ud800", "name": "a\\udfffb"}'),
    }

    @pytest.mark.parametrize("case", CASES.values(), ids=CASES)
    def test_a_tool_works_or_says_in_one_line_why_not(
        self, shop: EcomEnvironment, case: Case
    ) -> None:
        assert_works_or_fails_clearly(shop, case)


class TestOddFields:
    """Records with one odd field. A query of the table with this field reads it.

    `NINES` is a number of 4,300 digits, and `HUGE_STOCK` a branch with so many units of a product.
    """

    CASES: Final = {
        "surrogate as a key": sql(
            "select * from product_properties",
            products='{"properties": {"\\ud800": 1}}',
        ),
        "10,000 lines": sql(
            "select count(*) from basket_lines",
            baskets=basket_with(
                '"lines": [' + ", ".join(['{"sku": "X", "quantity": 1}'] * 10_000) + "]"
            ),
        ),
        "lines that are a string": sql(
            "select * from basket_lines", baskets=basket_with('"lines": "abc"')
        ),
        "lines of huge numbers": sql(
            "select * from basket_lines",
            baskets=f'{{"lines": [{{"quantity": {NINES}}}]}}',
        ),
        "roles that are a string": sql(
            "select * from employee_roles", employees='{"roles": "manager"}'
        ),
        "roles that are objects": sql(
            "select * from employee_roles",
            employees='{"roles": [{"a": [1]}, null, 1e400]}',
        ),
        "stock of huge numbers": sql("select * from inventory", stores=HUGE_STOCK),
        "incoming that is no list": sql(
            "select * from incoming",
            stores='{"inventory": [{"incoming": {"a": 1}}, 3]}',
        ),
    }

    @pytest.mark.parametrize("case", CASES.values(), ids=CASES)
    def test_a_tool_works_or_says_in_one_line_why_not(
        self, shop: EcomEnvironment, case: Case
    ) -> None:
        assert_works_or_fails_clearly(shop, case)


class TestToolsThatReadRecords:
    """`/bin/availability RECORD SKU` counts the units of a product in the record of a branch.

    `HUGE_STOCK` is a branch with `NINES` units, a number of 4,300 digits, and `DEEP` a
    list in a list in a list ...
    """

    CASES: Final = {
        "availability of a list as SKU": tool(
            "availability",
            "/tmp/s",
            "X",
            files={
                "/tmp/s": '{"inventory": [{"sku": ["X"], "on_hand": 1, "reserved": 0}]}'
            },
        ),
        "availability of huge numbers": tool(
            "availability", "/tmp/s", "X", files={"/tmp/s": HUGE_STOCK}
        ),
        "availability of many": tool(
            "availability",
            "/tmp/s",
            *["X"] * 999,
            files={"/tmp/s": '{"inventory": []}'},
        ),
        "availability of no record": tool(
            "availability", "/tmp/s", "X", files={"/tmp/s": "null"}
        ),
        "availability of a deep list": tool(
            "availability", "/tmp/s", "X", files={"/tmp/s": DEEP}
        ),
    }

    @pytest.mark.parametrize("case", CASES.values(), ids=CASES)
    def test_a_tool_works_or_says_in_one_line_why_not(
        self, shop: EcomEnvironment, case: Case
    ) -> None:
        assert_works_or_fails_clearly(shop, case)


class TestToolsThatChangeRecords:
    """Tools that change a record: `checkout`, `discount`, `payments` and `refund`.

    The hostile record is in the file `hostile.json` in the folder of its kind.

    `NINES` is a number of 4,300 digits.
    """

    CASES: Final = {
        "checkout of a surrogate": tool(
            "checkout", "hostile", baskets=basket_with('"note": "\\ud800"')
        ),
        "checkout of no number": tool(
            "checkout", "hostile", baskets=basket_with('"note": NaN')
        ),
        "checkout of a list": tool("checkout", "hostile", baskets="[1]"),
        "checkout of a large basket": tool(
            "checkout", "hostile", baskets=basket_with('"note": "%s"' % ("é" * 800_000))
        ),
        "checkout without a name": tool(
            "checkout", "", files={f"{ROOTS['baskets']}/.json": "{}"}
        ),
        "discount of no lines": tool(
            "discount", "hostile", "5", "r", "i", baskets='{"lines": null}'
        ),
        "discount of many digits": tool(
            "discount", "hostile", "9" * 5_000, "r", "i", baskets="{}"
        ),
        "discount of other digits": tool(
            "discount", "hostile", "\uff11\uff12", "r", "i", baskets="{}"
        ),
        "attempts of many digits": tool(
            "payments",
            "restart-verification",
            "hostile",
            payments=f'{{"verification": {{"attempts": {NINES}}}}}',
        ),
        "verification that is a list": tool(
            "payments",
            "restart-verification",
            "hostile",
            payments='{"verification": []}',
        ),
        "refund of a string": tool("refund", "close", "hostile", returns='"x"'),
        "refund with odd words": tool(
            "refund", "close", "hostile\x00\n\ud800", returns="{}"
        ),
    }

    @pytest.mark.parametrize("case", CASES.values(), ids=CASES)
    def test_a_tool_works_or_says_in_one_line_why_not(
        self, shop: EcomEnvironment, case: Case
    ) -> None:
        assert_works_or_fails_clearly(shop, case)


class TestJq:
    """`/bin/jq FILTER FILE` picks values from JSON. Both the JSON and the filter are hostile.

    `NINES` is a number of 4,300 digits, the most that Python reads, and `DEEP` a
    list in a list in a list ...
    """

    CASES: Final = {
        "jq of numbers that are none": tool(
            "jq", ".", "/tmp/n", files={"/tmp/n": "[NaN, -Infinity, 1e999]"}
        ),
        "jq of too many digits": tool("jq", ".", "/tmp/n", files={"/tmp/n": NINES * 2}),
        "jq of lone surrogates": tool(
            "jq", "-r", ".", "/tmp/n", files={"/tmp/n": '"\\ud800"'}
        ),
        "jq of a byte order mark": tool(
            "jq", ".", "/tmp/n", files={"/tmp/n": "\ufeff{}"}
        ),
        "filter of many steps": tool(
            "jq", ".a" * 5_000, "/tmp/n", files={"/tmp/n": "{}"}
        ),
        "filter of many pipes": tool(
            "jq", "|".join(["."] * 50_000), "/tmp/n", files={"/tmp/n": "{}"}
        ),
        "filter with a long index": tool(
            "jq", f".[{NINES * 2}]", "/tmp/n", files={"/tmp/n": "[1]"}
        ),
        "filter with a deep value": tool(
            "jq", f".a[{DEEP}]", "/tmp/n", files={"/tmp/n": '{"a": 1}'}
        ),
        "filter that cannot be read": tool(
            "jq", "(" * 100_000, "/tmp/n", files={"/tmp/n": "{}"}
        ),
        "filter that backtracks": tool(
            "jq",
            "select(." + " " * 50_000,
            "/tmp/n",
            files={"/tmp/n": "{}"},
            may_overrun=True,
        ),
        "filter over lines": tool("jq", "a\nb", "/tmp/n", files={"/tmp/n": "{}"}),
    }

    @pytest.mark.parametrize("case", CASES.values(), ids=CASES)
    def test_a_tool_works_or_says_in_one_line_why_not(
        self, shop: EcomEnvironment, case: Case
    ) -> None:
        assert_works_or_fails_clearly(shop, case)


class TestLongWork:
    """Much output, and queries that take too long: a tool is stopped at its limit.

    A call has half a second of processor time, and its output a largest size.
    """

    CASES: Final = {
        "much output": tool(
            "cat",
            *["/tmp/n"] * 1_000,
            files={"/tmp/n": "x" * 100_000},
            may_overrun=True,
        ),
        "numbered lines": tool(
            "cat", "-n", "/tmp/n", files={"/tmp/n": "\x0b\x0c\u2028\x85\r" * 1_000}
        ),
        "query without end": sql(
            "with recursive n(x) as (select 1 union all select x + 1 from n) select count(*) from n",
            may_overrun=True,
        ),
        "join of everything": sql(
            "select count(*) from inventory a, inventory b, inventory c, inventory d "
            "where a.sku || b.sku > c.sku || d.sku",
            may_overrun=True,
        ),
        "large values": sql(
            "select hex(zeroblob(40000)) from inventory", may_overrun=True
        ),
    }

    @pytest.mark.parametrize("case", CASES.values(), ids=CASES)
    def test_a_tool_works_or_says_in_one_line_why_not(
        self, shop: EcomEnvironment, case: Case
    ) -> None:
        assert_works_or_fails_clearly(shop, case)


class TestOddQueries:
    """Queries beyond a limit of SQLite, with odd characters, or that are no query at all.

    The shop's tool `sql` runs them in a database that it fills with the records.
    """

    CASES: Final = {
        "largest blob": sql(
            "select randomblob(999999999)", "select length(zeroblob(999999999))"
        ),
        "wide format": sql(
            "select printf('%999999999d', 1)", "select printf('%.*c', 99999, 'x')"
        ),
        "slow pattern": sql(
            "select hex(zeroblob(49000)) like '%0%0%0%0%0%0%0%0%0%0%0%0%0%1'",
            may_overrun=True,
        ),
        "query of odd characters": sql(
            "select '\x00'", "select '\ud800'", "\ufeffselect 1", "select x'ff' || 'a'"
        ),
        "text that is no text": sql(
            "select cast(x'ff80' as text)", "select date(cast(x'ff' as text))"
        ),
        "statements": sql(
            "select 1; select 2",
            "delete from products",
            "attach 'x' as y",
            "pragma user_version",
            "--",
        ),
        "deep query": sql(
            "select " + "(" * 20_000 + "1" + ")" * 20_000, "select " + "-" * 3_000 + "1"
        ),
        "wide query": sql(
            "select " + ",".join(["1"] * 3_000),
            "select 1 " + "union all select 1 " * 2_000,
        ),
        "functions of the host": sql(
            "select load_extension('x')",
            "select readfile('/etc/passwd')",
            "select edit('x')",
        ),
        "error over lines": sql('select "\n\n" from (select 1) where no\nsuch'),
    }

    @pytest.mark.parametrize("case", CASES.values(), ids=CASES)
    def test_a_tool_works_or_says_in_one_line_why_not(
        self, shop: EcomEnvironment, case: Case
    ) -> None:
        assert_works_or_fails_clearly(shop, case)


class HostileCall(NamedTuple):
    """A call of an operation with hostile arguments."""

    operation: str
    arguments: dict[str, Plain]
    may_overrun: bool = False
    """True if the call may be stopped at a limit of time or size."""


class TestHostileCalls:
    """Arguments of operations other than `exec` may be hostile, too.

    A call works, or fails with the code of its fault, and later calls work as before.
    """

    CALLS: Final = {
        "slow pattern": HostileCall(
            "search", {"pattern": "(a+)+$", "root": "/tmp"}, may_overrun=True
        ),
        "pattern of many groups": HostileCall(
            "search", {"pattern": "(" * 5_000 + ")" * 5_000}
        ),
        "pattern of a huge repeat": HostileCall(
            "search", {"pattern": "(?:a{1000}){1000}b"}, may_overrun=True
        ),
        "glob of stars": HostileCall(
            "find", {"name": "*a" * 120 + "b"}, may_overrun=True
        ),
        "long missing name": HostileCall("read", {"path": "/tmp/" + "ab" * 2_000}),
        "deep path": HostileCall("write", {"path": "/x" * 101, "content": ""}),
        "argument of another type": HostileCall("read", {"path": [[["x"]]]}),
        "argument with a long name": HostileCall(
            "read", {"path": "/AGENTS.MD", "z" * 500_000: 1}, may_overrun=True
        ),
        "no operation": HostileCall("s" * 100_000, {}),
    }

    @pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
    def test_a_hostile_call_works_or_fails_by_itself(
        self, shop: EcomEnvironment, call: HostileCall
    ) -> None:
        """It fails with the code of its fault, and later calls work as before.

        The file `/tmp/a` has 5,000 times `a`, and then `!`. An engine for patterns that backtracks
        would search for `(a+)+$` in it nearly without end.
        """
        text = "a" * 5_000 + "!"
        shop.call("write", {"path": "/tmp/a", "content": text})
        results_before = harmless_results(shop)

        result = result_or_error(shop, call.operation, call.arguments)

        if isinstance(result, CallError):
            expected_codes = {
                error_codes.INVALID_ARGUMENT,
                error_codes.NOT_FOUND,
                error_codes.UNIMPLEMENTED,
            }
            if call.may_overrun:
                expected_codes.add(error_codes.RESOURCE_EXHAUSTED)
            assert result.code in expected_codes
            assert len(result.message) <= 1_000
        assert harmless_results(shop) == results_before
        assert shop.call("read", {"path": "/tmp/a"})["content"] == text
