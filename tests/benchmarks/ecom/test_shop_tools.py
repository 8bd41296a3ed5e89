"""The tools of the simulated shop, which a script runs by the operation `exec`.

    run_tool(shop, "availability", BRANCH, "VH-TNT-2P")  ->  VH-TNT-2P, a tab and 4; exit code 0

`availability` tells how many units a branch can sell today, `jq` picks values from JSON, and `sql`
makes one query of the shop's records.
"""

import json
from datetime import datetime
from typing import NamedTuple

import pytest

from controlplane.benchmarks.ecom.shop_environment import EcomEnvironment
from controlplane.benchmarks.ecom.tools.fixed_time_database import fixed_time_database
from controlplane.benchmarks.ecom.world.generator import generate
from controlplane.benchmarks.ecom.world.rendered_world import workspace_of
from controlplane.benchmarks.ecom.world.settings import Profile, WorldSettings
from controlplane.benchmarks.ecom.world.world import World


@pytest.fixture
def world() -> World:
    """A generated shop. Its SQL tool works, which has an outage in some other worlds."""
    world = generate("tools", WorldSettings(names="own"))
    world.profile = Profile(sql_is_up=True)
    return world


@pytest.fixture
def shop(world: World) -> EcomEnvironment:
    return EcomEnvironment(workspace_of(world))


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


class TestWrongCommands:
    """A tool checks all its arguments before it does anything.

    If one is wrong, it says so in a line on stderr that begins with the tool's name, prints nothing
    else, and ends with the exit code 1.
    """

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
        self, shop: EcomEnvironment, command: tuple[str, ...]
    ) -> None:
        """A tool checks all arguments before it does anything."""
        tool, *arguments = command

        result = run_tool(shop, tool, *arguments)

        assert result.code == 1
        assert result.out == ""
        assert result.err.startswith(f"{tool}: ")
        assert not shop.changes


class TestAvailability:
    """The tool `availability` prints how many units of products a branch can sell today."""

    def test_availability_is_the_stock_without_reservations(
        self, world: World, shop: EcomEnvironment
    ) -> None:
        """A product that the branch does not have is there 0 times."""
        store, *_ = world.stores.values()
        skus = list(store.inventory)[:3]

        result = run_tool(shop, "availability", world.path(store), *skus, "VH-NONE")

        expected_lines = [f"{sku}\t{store.inventory[sku].available}" for sku in skus]
        assert result.code == 0
        assert result.out.splitlines() == [*expected_lines, "VH-NONE\t0"]

    def test_availability_of_a_file_that_is_not_a_branch_fails(
        self, shop: EcomEnvironment
    ) -> None:
        assert run_tool(shop, "availability", "/AGENTS.MD", "X").code == 1


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


class TestJq:
    """The tool `jq` picks values from JSON by a small part of the language of the real jq.

    `run_tool(shop, "jq", ".a.b[0]", stdin=text)` picks a value from a JSON text, and prints it.
    `read_json_values` reads what was printed.
    """

    def test_jq_prints_its_input_by_the_program_of_one_dot(
        self, shop: EcomEnvironment
    ) -> None:
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
        self, shop: EcomEnvironment, program: str, printed_values: list[object]
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


MAX_SQL_ROWS = 100


class TestSql:
    """The tool `sql` makes one query of the shop's records, which it may only read.

    `run_tool(shop, "sql", query)` returns what the tool has printed on `out` and
    `err`, and its exit code.
    """

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
        self, shop: EcomEnvironment, query: str
    ) -> None:
        """The tool may only read the shop's records."""
        result = run_tool(shop, "sql", query)

        assert result.code == 1
        assert result.out == ""
        assert result.err.startswith(("sql: ", "SQL logic error: "))

    def test_sql_cuts_a_long_result_and_says_so(self, shop: EcomEnvironment) -> None:
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


class TestTimeInDatabase:
    """The time in the database of a tool is that of the generated world, not of the host."""

    def test_the_time_in_a_database_is_that_of_the_world(self) -> None:
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
