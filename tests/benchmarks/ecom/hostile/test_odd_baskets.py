"""Hostile files, queries and arguments fail by themselves in the shop's tools.

A tool works, or says in one line why not, and later calls work as before. This holds for records
that are nested deeply or odd, filters of jq, patterns of searches, queries of SQL, and tools that
print too much or take too long.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import NamedTuple

import pytest

from controlplane.benchmarks.ecom.shop_environment import (
    WORKER_MODULES,
    EcomEnvironment,
)
from controlplane.benchmarks.ecom.world.generator import generate
from controlplane.benchmarks.ecom.world.names import WorldSettings
from controlplane.benchmarks.ecom.world.world import workspace_of
from controlplane.sandbox import ForkServer, Worker
from controlplane.sandbox.interface import CallError, Plain, error_codes
from controlplane.sandbox.interface.limits import WorkerLimits

# The shop in which tools meet hostile files and queries: its files, and the folders of its records.
#
# WORKSPACE.files["/proc/carts/basket-0012.json"]  # '{"id": "basket-0012", ...}'
# ROOTS["baskets"]                                 # "/proc/carts"

WORKSPACE = replace(
    workspace_of(generate("hostile", WorldSettings(names="own"))), sql_is_up=True
)
"""The files of a generated shop. Its SQL tool works, which has an outage in some shops."""

ROOTS = asdict(WORKSPACE.roots)
"""The folder of each kind of records, whose name is also that of its SQL table.

`{"baskets": "/proc/carts", "products": "/proc/articles", ...}`
"""


@pytest.fixture(scope="package")
def fork_server() -> Iterator[ForkServer]:
    """The process from which each test forks a worker."""
    with ForkServer(WORKER_MODULES) as server:
        yield server


@pytest.fixture
def shop(fork_server: ForkServer) -> Iterator[EcomEnvironment]:
    """A shop whose tools have half a second of processor time for each call."""
    environment = EcomEnvironment(WORKSPACE)
    with Worker(fork_server, limits=WorkerLimits(call_cpu_s=0.5)) as worker:
        environment.use_worker(worker)
        yield environment


# The error by which a call to the shop fails.
#
# error_of(shop, "read", {"path": "/none"}).code  # "not_found"
# error_of(shop, "read", {"path": "/AGENTS.MD"})  # None


def error_of(
    shop: EcomEnvironment, operation: str, arguments: dict[str, Plain]
) -> CallError | None:
    """Make a call, and return the error by which it failed; None if it works."""
    try:
        shop.call(operation, arguments)
    except CallError as error:
        return error
    return None


# Calls to the shop on which no hostile record may have an effect.
#
# before = harmless_results(shop)  # [{"stdout": ..., "exit_code": 0}, ...]
# ...                              # a tool reads a hostile record
# harmless_results(shop) == before


def harmless_results(shop: EcomEnvironment) -> list[Plain]:
    """Return the results of a query of products, of the stock of a branch, and of a page search."""
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


# Cases of hostile files and queries for the tools of the simulated shop.
#
# A script of a model may write any text as a record, and then run a tool on it:
#
#     tool("checkout", "hostile", baskets="[1]")   # a basket whose file is a list
#     sql("select 1; select 2")                    # two queries in one
#     every_table(products=DEEP)                   # each table, beside a product nested too deeply


class Case(NamedTuple):
    """Commands of tools, and hostile files that are written before them."""

    commands: Sequence[Sequence[str]]
    """Tools with their arguments: `[["jq", ".", "/tmp/deep"]]`."""
    files: Mapping[str, str]
    """The texts of the hostile files, by path: `{"/tmp/deep": "[[[[..."}`."""
    may_overrun: bool
    """True if a tool may be stopped at a limit of time or output."""


def record_files(text_of_kind: Mapping[str, str]) -> dict[str, str]:
    """Return the files of new records, each with the id `hostile`, by path.

    `{"baskets": "[]"}` -> `{"/proc/carts/hostile.json": "[]"}`
    """
    return {f"{ROOTS[kind]}/hostile.json": text for kind, text in text_of_kind.items()}


def tool(
    *command: str,
    files: Mapping[str, str] | None = None,
    may_overrun: bool = False,
    **records: str,
) -> Case:
    """Return the case of one command.

    `tool("checkout", "hostile", baskets="[]")` checks out a basket whose file has the text `[]`:
    `Case([("checkout", "hostile")], {"/proc/carts/hostile.json": "[]"}, may_overrun=False)`.
    """
    return Case([command], {**record_files(records), **(files or {})}, may_overrun)


def sql(*queries: str, may_overrun: bool = False, **records: str) -> Case:
    """Return the case of several queries.

    `sql("select 1", products="[]")` runs a query in a shop with a product whose file has `[]`:
    `Case([("sql", "select 1")], {"/proc/articles/hostile.json": "[]"}, may_overrun=False)`.
    """
    commands = [("sql", query) for query in queries]
    return Case(commands, record_files(records), may_overrun)


def every_table(**records: str) -> Case:
    """Return the case of a query of every table: `every_table(products="[]")`.

    There is a table for each kind of records. A hostile product must not harm those of other kinds.
    """
    return sql(*[f"select * from {table} limit 3" for table in ROOTS], **records)


def every_table_with(text: str) -> Case:
    """Return the case of a query of every table, where a file of each kind has this text."""
    return every_table(**dict.fromkeys(ROOTS, text))


# Texts that are hard to read as records: nested too deeply, or with numbers of too many digits.
#
#     DEEP          [[[[...]]]]
#     HUGE_STOCK    {"inventory": [{"sku": "X", "on_hand": 999..., "reserved": -999...}]}
#
# A script of a model may write any of them as the file of a record, and then run a tool on it.

# Texts that are hard to read
DEEP = "[" * 100_000 + "]" * 100_000
"""A list in a list in a list ..."""

DEEP_OBJECT = '{"a":' * 900 + "1" + "}" * 900
"""An object in an object in an object ..."""

NINES = "9" * 4_300
"""A number with as many digits as Python reads. With more digits, it refuses."""

HUGE_STOCK = (
    f'{{"inventory": [{{"sku": "X", "on_hand": {NINES}, "reserved": -{NINES}}}]}}'
)
"""A branch that has a huge number of one product, and has reserved a huge negative number."""


def basket_with(field: str) -> str:
    """Return the text of a basket with one more field: `basket_with('"note": NaN')`."""
    lines = '"lines": [{"sku": "X", "quantity": 1}]'
    return f'{{"id": "hostile", "status": "active", {lines}, {field}}}'


# Runs the tools of a hostile case, and returns how they failed.
#
# failures_of(shop, tool("jq", "(((", "/tmp/n", files={"/tmp/n": "{}"}))
# # [ToolFailure("jq", "jq: cannot read the filter", is_clear=True)]


class ToolFailure(NamedTuple):
    """How a tool has failed."""

    tool: str
    text: str
    """What it has printed, or why it was stopped."""
    is_clear: bool
    """True if it says in one line why, or was stopped at a limit without a change."""


def unclear_failures(shop: EcomEnvironment, case: Case) -> list[str]:
    """Return what a tool has printed that is not one clear line, and which later calls it changed.

    `["Traceback (most recent call last): ...", "later calls differ"]`
    """
    results_before = harmless_results(shop)
    texts = [
        failure.text for failure in failures_of(shop, case) if not failure.is_clear
    ]
    if harmless_results(shop) != results_before:
        texts.append("later calls differ")
    return texts


def failures_of(shop: EcomEnvironment, case: Case) -> list[ToolFailure]:
    """Write the files of a case, run its tools, and return the failures, in order."""
    for path, text in case.files.items():
        shop.call("write", {"path": path, "content": text})
    changes_before = dict(shop.changes)

    failures = []
    for tool, *arguments in case.commands:
        call: dict[str, Plain] = {"path": f"/bin/{tool}", "args": arguments}
        try:
            result = shop.call("exec", call)
        except CallError as error:
            is_at_limit = error.code == error_codes.RESOURCE_EXHAUSTED
            is_unchanged = shop.changes == changes_before
            is_clear = case.may_overrun and is_at_limit and is_unchanged
            failures.append(ToolFailure(tool, error.message, is_clear))
            continue
        if result["exit_code"] != 0:
            line = str(result["stderr"])
            is_clear = result["exit_code"] == 1 and is_clear_line(tool, line)
            failures.append(ToolFailure(tool, line, is_clear))
    return failures


def is_clear_line(tool: str, text: str) -> bool:
    """Return True if a tool has printed one line, which begins with its name: "jq: no such file".

    An error of SQLite begins with "SQL logic error: ".
    """
    begins_with_name = text.startswith((f"{tool}: ", "SQL logic error: "))
    return begins_with_name and len(text.splitlines()) == 1 and 10 < len(text) < 1_000


# Files that are nested so deeply that a parser may run out of its stack, and tools that read them.
#
# `DEEP` is a list in a list in a list ..., and `DEEP_OBJECT` an object in an object. A script of a
# model may write them as the file of a record. The file of the record `hostile` has this text:
#
#     tool("checkout", "hostile", baskets=DEEP)  # writes a basket, and runs `checkout hostile`
#     every_table(products=DEEP)                 # writes a product, and queries each table

deep_records_pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(every_table(products=DEEP), id="deep list as a product"),
        pytest.param(every_table(products=DEEP_OBJECT), id="deep object as a product"),
        pytest.param(
            sql(
                "select * from product_properties",
                products=f'{{"properties": {{"a": {DEEP_OBJECT}}}}}',
            ),
            id="deep properties",
        ),
        pytest.param(
            tool("jq", ".", "/tmp/deep", files={"/tmp/deep": DEEP}),
            id="jq of a deep list",
        ),
        pytest.param(
            tool("jq", ".", "/tmp/deep", files={"/tmp/deep": DEEP_OBJECT}),
            id="jq of a deep object",
        ),
        pytest.param(
            tool("jq", "keys", "/tmp/deep", files={"/tmp/deep": DEEP_OBJECT}),
            id="keys of a deep object",
        ),
        pytest.param(
            tool("checkout", "hostile", baskets=DEEP), id="checkout of a deep basket"
        ),
        pytest.param(
            tool("checkout", "hostile", baskets=basket_with(f'"a": {DEEP_OBJECT}')),
            id="checkout of a basket with a deep field",
        ),
    ],
)
def test_a_tool_works_or_says_in_one_line_why_not_of_deep_records(
    shop: EcomEnvironment, case: Case
) -> None:
    """`unclear_failures` lists other prints of the tool, and later calls with other results."""
    assert unclear_failures(shop, case) == []


# Calls to the shop with hostile arguments, such as a very long name.
#
# `shop.call("read", {"path": [[["x"]]]})` fails with the code of its fault, `invalid_argument`, and has no
# effect on later calls.

hostile_calls_pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize(
    ("operation", "arguments", "codes"),
    [
        pytest.param(
            "read",
            {"path": "/tmp/" + "ab" * 2_000},
            ["invalid_argument"],
            id="long missing name",
        ),
        pytest.param(
            "write",
            {"path": "/x" * 101, "content": ""},
            ["invalid_argument"],
            id="deep path",
        ),
        pytest.param(
            "read",
            {"path": [[["x"]]]},
            ["invalid_argument"],
            id="argument of another type",
        ),
        pytest.param(
            "read",
            {"path": "/AGENTS.MD", "z" * 500_000: 1},
            ["invalid_argument", "resource_exhausted"],  # if it takes too long
            id="argument with a long name",
        ),
        pytest.param("s" * 100_000, {}, ["unimplemented"], id="no operation"),
    ],
)
def test_a_hostile_call_fails_by_itself(
    shop: EcomEnvironment,
    operation: str,
    arguments: dict[str, Plain],
    codes: list[str],
) -> None:
    shop.call("write", {"path": "/tmp/a", "content": "text"})
    results_before = harmless_results(shop)

    error = error_of(shop, operation, arguments)

    assert error is not None
    assert error.code in codes
    assert len(error.message) <= 1_000
    assert harmless_results(shop) == results_before
    assert shop.call("read", {"path": "/tmp/a"})["content"] == "text"


# `/bin/jq FILTER FILE` picks values from JSON. Here the filter is hostile.
#
# The tool works, says in one line why not, or is stopped at its limit of half a second (`may_overrun`). It
# has no effect on later calls. Then `unclear_failures` is empty. `NINES` is a number of 4,300 digits, and
# `DEEP` a list in a list in a list ...

hostile_filters_pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            tool("jq", ".a" * 5_000, "/tmp/n", files={"/tmp/n": "{}"}),
            id="filter of many steps",
        ),
        pytest.param(
            tool("jq", "|".join(["."] * 50_000), "/tmp/n", files={"/tmp/n": "{}"}),
            id="filter of many pipes",
        ),
        pytest.param(
            tool("jq", f".[{NINES * 2}]", "/tmp/n", files={"/tmp/n": "[1]"}),
            id="filter with a long index",
        ),
        pytest.param(
            tool("jq", f".a[{DEEP}]", "/tmp/n", files={"/tmp/n": '{"a": 1}'}),
            id="filter with a deep value",
        ),
        pytest.param(
            tool("jq", "(" * 100_000, "/tmp/n", files={"/tmp/n": "{}"}),
            id="filter that cannot be read",
        ),
        pytest.param(
            tool(
                "jq",
                "select(." + " " * 50_000,
                "/tmp/n",
                files={"/tmp/n": "{}"},
                may_overrun=True,
            ),
            id="filter that backtracks",
        ),
        pytest.param(
            tool("jq", "a\nb", "/tmp/n", files={"/tmp/n": "{}"}), id="filter over lines"
        ),
    ],
)
def test_a_tool_works_or_says_in_one_line_why_not_of_hostile_filters(
    shop: EcomEnvironment, case: Case
) -> None:
    assert unclear_failures(shop, case) == []


# `/bin/jq FILTER FILE` picks values from JSON. Here the JSON is hostile.
#
# The tool works, or says in one line why not, and has no effect on later calls. Then `unclear_failures` is
# empty. `NINES` is a number of 4,300 digits, the most that Python reads.

hostile_json_pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            tool("jq", ".", "/tmp/n", files={"/tmp/n": "[NaN, -Infinity, 1e999]"}),
            id="jq of numbers that are none",
        ),
        pytest.param(
            tool("jq", ".", "/tmp/n", files={"/tmp/n": NINES * 2}),
            id="jq of too many digits",
        ),
        pytest.param(
            tool("jq", "-r", ".", "/tmp/n", files={"/tmp/n": '"\\ud800"'}),
            id="jq of lone surrogates",
        ),
        pytest.param(
            tool("jq", ".", "/tmp/n", files={"/tmp/n": "\ufeff{}"}),
            id="jq of a byte order mark",
        ),
    ],
)
def test_a_tool_works_or_says_in_one_line_why_not(
    shop: EcomEnvironment, case: Case
) -> None:
    assert unclear_failures(shop, case) == []


# Searches of the shop's files by hostile patterns, such as `(a+)+$` in a file of many letters.
#
# An engine for patterns that backtracks would search nearly without end. A search works, or fails with the
# code of its fault, and has no effect on later calls. Most may be stopped at a limit.

hostile_patterns_pytestmark = pytest.mark.second_tier

MANY_LETTERS = "a" * 5_000 + "!"


@pytest.mark.parametrize(
    ("operation", "arguments", "codes"),
    [
        pytest.param(
            "search",
            {"pattern": "(a+)+$", "root": "/tmp"},
            ["invalid_argument", "resource_exhausted"],
            id="slow pattern",
        ),
        pytest.param(
            "search",
            {"pattern": "(" * 5_000 + ")" * 5_000},
            ["invalid_argument"],
            id="pattern of many groups",
        ),
        pytest.param(
            "search",
            {"pattern": "(?:a{1000}){1000}b"},
            ["invalid_argument", "resource_exhausted"],
            id="pattern of a huge repeat",
        ),
        pytest.param(
            "find",
            {"name": "*a" * 120 + "b"},
            ["invalid_argument", "resource_exhausted"],
            id="glob of stars",
        ),
    ],
)
def test_a_hostile_pattern_works_or_fails_by_itself(
    shop: EcomEnvironment,
    operation: str,
    arguments: dict[str, Plain],
    codes: list[str],
) -> None:
    shop.call("write", {"path": "/tmp/a", "content": MANY_LETTERS})
    results_before = harmless_results(shop)

    error = error_of(shop, operation, arguments)

    if error is not None:
        assert error.code in codes
        assert len(error.message) <= 1_000
    assert harmless_results(shop) == results_before
    assert shop.call("read", {"path": "/tmp/a"})["content"] == MANY_LETTERS


# Queries of the shop's tool `/bin/sql` that ask for too much, by their length or their results.
#
# The tool works, says in one line why not, or is stopped at its limit of half a second. It has no
# effect on later calls. Then `unclear_failures` is empty.

large_queries_pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize(
    "query",
    [
        pytest.param("select randomblob(999999999)", id="random bytes"),
        pytest.param("select length(zeroblob(999999999))", id="empty bytes"),
        pytest.param("select printf('%999999999d', 1)", id="wide number"),
        pytest.param("select printf('%.*c', 99999, 'x')", id="repeated letter"),
        pytest.param("select " + "(" * 20_000 + "1" + ")" * 20_000, id="deep brackets"),
        pytest.param("select " + "-" * 3_000 + "1", id="many signs"),
        pytest.param("select " + ",".join(["1"] * 3_000), id="many columns"),
        pytest.param(
            "select 1 " + "union all select 1 " * 2_000, id="many queries in one"
        ),
    ],
)
def test_a_query_works_or_says_why_not_of_large_queries(
    shop: EcomEnvironment, query: str
) -> None:
    assert unclear_failures(shop, sql(query)) == []


def test_a_slow_pattern_may_be_stopped_at_the_limit(shop: EcomEnvironment) -> None:
    query = "select hex(zeroblob(49000)) like '%0%0%0%0%0%0%0%0%0%0%0%0%0%1'"

    assert unclear_failures(shop, sql(query, may_overrun=True)) == []


# Tools that print too much, or take too long, are stopped, and later calls work as before.
#
# A call may take half a second of processor time, and its output has a largest size. In a case with
# `may_overrun`, the tool may be stopped at one of these limits. In each case it may also end by
# itself, if it works, or says in one line why not.

long_work_pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            tool(
                "cat",
                *["/tmp/n"] * 1_000,
                files={"/tmp/n": "x" * 100_000},
                may_overrun=True,
            ),
            id="much output",
        ),
        pytest.param(
            tool(
                "cat", "-n", "/tmp/n", files={"/tmp/n": "\x0b\x0c\u2028\x85\r" * 1_000}
            ),
            id="numbered lines",
        ),
        pytest.param(
            sql(
                "with recursive n(x) as (select 1 union all select x + 1 from n) select count(*) from n",
                may_overrun=True,
            ),
            id="query without end",
        ),
        pytest.param(
            sql(
                "select count(*) from inventory a, inventory b, inventory c, inventory d "
                "where a.sku || b.sku > c.sku || d.sku",
                may_overrun=True,
            ),
            id="join of everything",
        ),
        pytest.param(
            sql("select hex(zeroblob(40000)) from inventory", may_overrun=True),
            id="megabytes of digits",
        ),
    ],
)
def test_a_tool_is_stopped_or_works_or_says_in_one_line_why_not(
    shop: EcomEnvironment, case: Case
) -> None:
    """`unclear_failures` lists other ends of the tool, and later calls with other results."""
    assert unclear_failures(shop, case) == []


# Baskets whose lines are odd, such as a string, and a query of the table of lines.
#
# An ordinary basket has lines such as `{"sku": "X", "quantity": 1}`. A script of a model may write
# any text as the file of a basket. The query must work, or must say in one line why not.

odd_basket_lines_pytestmark = pytest.mark.second_tier

TEN_THOUSAND_LINES = ", ".join(['{"sku": "X", "quantity": 1}'] * 10_000)


@pytest.mark.parametrize(
    ("query", "basket"),
    [
        pytest.param(
            "select count(*) from basket_lines",
            f'{{"id": "hostile", "status": "active", "lines": [{TEN_THOUSAND_LINES}]}}',
            id="10,000 lines",
        ),
        pytest.param(
            "select * from basket_lines",
            '{"id": "hostile", "status": "active", "lines": "abc"}',
            id="lines that are a string",
        ),
        pytest.param(
            "select * from basket_lines",
            f'{{"lines": [{{"quantity": {NINES}}}]}}',
            id="a quantity of 4,300 digits",
        ),
    ],
)
def test_a_query_works_or_says_in_one_line_why_not_of_odd_basket_lines(
    shop: EcomEnvironment, query: str, basket: str
) -> None:
    """`unclear_failures` lists other prints of the query, and later calls with other results."""
    case = sql(query, baskets=basket)

    assert unclear_failures(shop, case) == []


# The shop's tool `availability` fails clearly if a branch's record is odd.
#
# `/bin/availability /tmp/s X` counts the units of the product X in the branch's record `/tmp/s`. A
# script may have written any text there. `unclear_failures` is empty if the tool works, or says in
# one line why not, and if later calls work as before.

odd_branches_pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize(
    "branch",
    [
        pytest.param(
            '{"inventory": [{"sku": ["X"], "on_hand": 1, "reserved": 0}]}',
            id="a list as SKU",
        ),
        # {"inventory": [{"sku": "X", "on_hand": 999..., "reserved": -999...}]}
        pytest.param(HUGE_STOCK, id="numbers of thousands of digits"),
        pytest.param("null", id="null in place of an object"),
        # [[[[...]]]]
        pytest.param(DEEP, id="a deep list in place of an object"),
    ],
)
def test_an_odd_record(shop: EcomEnvironment, branch: str) -> None:
    case = Case(
        commands=[("availability", "/tmp/s", "X")],
        files={"/tmp/s": branch},
        may_overrun=False,
    )

    assert unclear_failures(shop, case) == []


def test_a_command_that_names_a_product_999_times(shop: EcomEnvironment) -> None:
    case = Case(
        commands=[("availability", "/tmp/s", *["X"] * 999)],
        files={"/tmp/s": '{"inventory": []}'},
        may_overrun=False,
    )

    assert unclear_failures(shop, case) == []


# Records with an odd field, such as roles that are a string, and a query of the table with it.
#
# A script of a model may write any text as the file of a record. The query must work, or must say in
# one line why not.

odd_fields_pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize(
    ("query", "kind", "record"),
    [
        pytest.param(
            "select * from product_properties",
            "products",
            '{"properties": {"\\ud800": 1}}',
            id="half a character as a key",
        ),
        pytest.param(
            "select * from employee_roles",
            "employees",
            '{"roles": "manager"}',
            id="roles that are a string",
        ),
        pytest.param(
            "select * from employee_roles",
            "employees",
            '{"roles": [{"a": [1]}, null, 1e400]}',
            id="roles that are objects",
        ),
        pytest.param(
            "select * from inventory",
            "stores",
            HUGE_STOCK,
            id="stock of a product, a number of 4,300 digits",
        ),
        pytest.param(
            "select * from incoming",
            "stores",
            '{"inventory": [{"incoming": {"a": 1}}, 3]}',
            id="incoming that is no list",
        ),
    ],
)
def test_a_query_works_or_says_in_one_line_why_not(
    shop: EcomEnvironment, query: str, kind: str, record: str
) -> None:
    """`unclear_failures` lists other prints of the query, and later calls with other results."""
    case = sql(query, **{kind: record})  # writes the record, and then runs the query

    assert unclear_failures(shop, case) == []


# The shop's tools for payments and returns on records with huge numbers, or no object at all.
#
# A script writes the record with the id `hostile`, and runs a tool on it. The tool works, or says in
# one line why not, and has no effect on later calls: then `unclear_failures` is empty.

odd_payments_pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize(
    "payment",
    [
        pytest.param(
            f'{{"verification": {{"attempts": {NINES}}}}}',
            id="attempts of many digits",
        ),
        pytest.param('{"verification": []}', id="a verification that is a list"),
    ],
)
def test_restart_of_an_odd_verification(shop: EcomEnvironment, payment: str) -> None:
    case = tool("payments", "restart-verification", "hostile", payments=payment)

    assert unclear_failures(shop, case) == []


def test_refund_of_a_return_that_is_a_text(shop: EcomEnvironment) -> None:
    case = tool("refund", "close", "hostile", returns='"x"')

    assert unclear_failures(shop, case) == []


def test_refund_with_odd_letters_in_the_id(shop: EcomEnvironment) -> None:
    case = tool("refund", "close", "hostile\x00\n\ud800", returns="{}")

    assert unclear_failures(shop, case) == []


# Queries of the shop's tool `/bin/sql` with characters or statements that it does not expect.
#
# The tool works, or says in one line why not: "SQL logic error: no such column: such". Neither a query
# nor its failure changes what later calls return.

odd_queries_pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize(
    "query",
    [
        pytest.param("select '\x00'", id="null character"),
        pytest.param("select '\ud800'", id="half a character"),
        pytest.param("\ufeffselect 1", id="byte order mark"),
        pytest.param("select x'ff' || 'a'", id="bytes and text"),
        pytest.param("select cast(x'ff80' as text)", id="bytes as text"),
        pytest.param("select date(cast(x'ff' as text))", id="bytes as date"),
        pytest.param(
            'select "\n\n" from (select 1) where no\nsuch', id="error over lines"
        ),
        pytest.param("select 1; select 2", id="two queries"),
        pytest.param("--", id="comment"),
    ],
)
def test_a_query_works_or_says_why_not(shop: EcomEnvironment, query: str) -> None:
    """`unclear_failures` returns texts of other failures, and if later calls differ."""
    assert unclear_failures(shop, sql(query)) == []


@pytest.mark.parametrize(
    "statement",
    [
        pytest.param("delete from products", id="delete rows"),
        pytest.param("attach 'x' as y", id="open another database"),
        pytest.param("pragma user_version", id="use a setting"),
        pytest.param("select load_extension('x')", id="load a library"),
        pytest.param("select readfile('/etc/passwd')", id="read a file"),
        pytest.param("select edit('x')", id="start an editor"),
    ],
)
def test_a_statement_that_is_no_plain_query_is_refused(
    shop: EcomEnvironment, statement: str
) -> None:
    results_before = harmless_results(shop)

    (failure,) = failures_of(shop, sql(statement))

    assert failure.is_clear, failure.text
    assert harmless_results(shop) == results_before


# Records whose file has an odd text, such as `[]` or half an object, and queries of all tables.
#
# A script of a model may write any text as the file of a record. Here, a file with the text appears
# in each folder of records: baskets, products and so on. Then a query of each table must work, or
# must print one clear line, `sql: ...`. Later calls must give the same results as before.
#
# `NINES` is a number of 4,300 digits, the most that Python reads.

odd_records_pytestmark = pytest.mark.second_tier


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("[]", id="lists for records"),
        pytest.param("7", id="numbers for records"),
        pytest.param("{}", id="empty objects"),
        pytest.param("", id="empty files"),
        pytest.param('{"id": ', id="no JSON"),
        pytest.param('\ufeff{"id": "x"}', id="byte order mark"),
        pytest.param("\x00\x01\ufffd\x7f{}", id="binary text"),
        pytest.param('{"id": 1, "id": "two", "id": [3]}', id="duplicate keys"),
        pytest.param(
            '{"id": ["x"], "name": {"a": 1}, "status": [[]]}',
            id="lists for strings",
        ),
        pytest.param(
            '{"id": true, "name": false, "price_cents": true}',
            id="true everywhere",
        ),
        pytest.param(
            f'{{"id": {10**30}, "price_cents": {NINES}}}',
            id="huge whole numbers",
        ),
        pytest.param(f'{{"id": {NINES * 2}}}', id="too many digits"),
        pytest.param(
            '{"id": NaN, "price_cents": Infinity, "name": 1e999}',
            id="numbers that are none",
        ),
        pytest.param(
            '{"id": "\\ud800", "name": "a\\udfffb"}',
            id="lone surrogates",
        ),
    ],
)
def test_queries_work_or_say_in_one_line_why_not(
    shop: EcomEnvironment, text: str
) -> None:
    """`unclear_failures` lists other prints of the queries, and later calls with other results."""
    files_and_queries = every_table_with(text)

    assert unclear_failures(shop, files_and_queries) == []


pytestmark = pytest.mark.second_tier


# The shop's tools for baskets on a record that has odd texts, huge numbers or no object at all.
#
# `/bin/checkout hostile` changes the basket in the file hostile.json, which a script has written.
# The tool works, or says in one line why not, and has no effect on later calls: then
# `unclear_failures` is empty.


@pytest.mark.parametrize(
    "basket",
    [
        pytest.param(basket_with('"note": "\\ud800"'), id="a surrogate"),
        pytest.param(basket_with('"note": NaN'), id="no number"),
        pytest.param("[1]", id="a list"),
        pytest.param(
            basket_with('"note": "%s"' % ("é" * 800_000)), id="a large basket"
        ),
    ],
)
def test_checkout_of_an_odd_basket(shop: EcomEnvironment, basket: str) -> None:
    case = tool("checkout", "hostile", baskets=basket)

    assert unclear_failures(shop, case) == []


def test_checkout_of_a_basket_without_a_name(shop: EcomEnvironment) -> None:
    case = tool("checkout", "", files={f"{ROOTS['baskets']}/.json": "{}"})

    assert unclear_failures(shop, case) == []


@pytest.mark.parametrize(
    ("basket", "percent"),
    [
        pytest.param('{"lines": null}', "5", id="no lines"),
        pytest.param("{}", "9" * 5_000, id="many digits"),
        pytest.param("{}", "\uff11\uff12", id="full-width digits"),
    ],
)
def test_an_odd_discount(shop: EcomEnvironment, basket: str, percent: str) -> None:
    reason, issuer = "r", "i"
    case = tool("discount", "hostile", percent, reason, issuer, baskets=basket)

    assert unclear_failures(shop, case) == []
