"""Random SQL for the fuzzer, about the embedded shop. A tool must refuse a wrong query with an error.

`sql_query(rng)` may return `select sku, abs(1) from products, t where id like 'a'`. Most are wrong.
"""

from random import Random

from tests.fuzz.inputs.generators import chosen_kind, happens, word
from tests.fuzz.inputs.sql_words import SQL_FUNCTIONS, SQL_KEYWORDS, SQL_TABLES


def _sql_value(rng: Random) -> str:
    """Return an SQL expression: a number, a quoted text, a call of a function, or a name."""
    kind = chosen_kind(rng, {"number": 30, "text": 20, "call": 30, "name": 20})
    if kind == "number":
        # 9**18 is near the largest integer of 64 bits, 1e308 near the largest float.
        return str(rng.choice([0, 1, -1, 9**18, 10**9, 1e308]))
    if kind == "text":
        return "'" + word(rng).replace("'", "''") + "'"
    if kind == "call":
        function = rng.choice(SQL_FUNCTIONS)
        arguments = _sql_values(rng, rng.randrange(4))
        return f"{function}({arguments})"
    names = ["*", "sku", "id", "record_path", "x", "null", "current_timestamp"]
    return rng.choice(names)


def _sql_values(rng: Random, count: int) -> str:
    """Return SQL expressions as a list: `sku, 1, abs('a')`."""
    return ", ".join(_sql_value(rng) for _ in range(count))


def sql_query(rng: Random) -> str:
    """Return an SQL query: a selection, a recursive one, or SQL words in any order.

    `select sku from products`, `with recursive x(n) as (…) select n from x`, `join ( 1 where`
    """
    kind = chosen_kind(rng, {"selection": 50, "recursive": 10, "any order": 40})
    if kind == "selection":
        return _sql_selection(rng)
    if kind == "recursive":
        limit = _sql_value(rng)
        numbers = f"select 1 union all select n + 1 from x limit {limit}"
        return f"with recursive x(n) as ({numbers}) select {_sql_value(rng)} from x"
    return " ".join(_sql_word(rng) for _ in range(rng.randrange(25)))


def _sql_selection(rng: Random) -> str:
    """Return a query such as `select sku, abs(1) from products, t where id like 'a'`."""
    table_count = rng.randrange(1, 5)
    tables = ", ".join(rng.choice(SQL_TABLES) for _ in range(table_count))
    values = _sql_values(rng, rng.randrange(1, 4))
    selection = f"select {values} from {tables}"
    if happens(rng, 50):
        comparison = rng.choice(["=", "<", "like", "glob", "in", "||"])
        selection += f" where {_sql_value(rng)} {comparison} {_sql_value(rng)}"
    return selection


def _sql_word(rng: Random) -> str:
    """Return a keyword, an expression, a table or a sign."""
    keyword = rng.choice(SQL_KEYWORDS)
    table = rng.choice(SQL_TABLES)
    return rng.choice([keyword, _sql_value(rng), table, "(", ")", ","])
