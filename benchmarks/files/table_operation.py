"""The call that queries files as tables: `harness.table("/sales.csv", where="amount > 5")`.

A call is declared by its parameters, the fields of its result, and a `summary`, which a model
reads in its prompt. `.NAME` in it is a field of the result. The summary is long, because a
wrong reading of numbers or dates (`1,500`, `3.4.2025`) makes a wrong answer.
"""

from __future__ import annotations

from typing import Final

from controlplane.sandbox.interface import Effect, Operation, Parameter, ResultField

TABLE: Final = Operation(
    name="table",
    parameters=(
        Parameter("path", "str"),
        # The clauses of a query. Or a whole query in `sql`.
        Parameter("where", "str", ""),
        Parameter("columns", "str", "*"),
        Parameter("group", "str", ""),
        Parameter("order", "str", ""),
        Parameter("limit", "int", 100),
        Parameter("sql", "str", ""),
        # How numbers and dates are written, if the file leaves that open. For example,
        # `decimal comma` says that `1,500` is one and a half.
        Parameter("form", "str", ""),
    ),
    fields=(
        ResultField("path"),
        ResultField("content"),  # The rows as CSV.
        ResultField("rows"),  # The rows as dicts.
        ResultField("columns"),  # All columns of the file.
        ResultField("lines"),  # The line of the file for each row.
        # The number of all rows. `rows` may have only the first of them.
        ResultField("total"),
        ResultField("truncated"),
        ResultField("forms"),  # How numbers and dates were read, by column.
        ResultField("assumed"),  # How the file was read, such as its delimiter.
        ResultField("doubts"),  # What may be read wrongly, such as the header.
    ),
    summary="rows of a CSV, TSV, JSONL or sheet as dicts, by DuckDB: "
    'where="amount > 5", columns="city, sum(x)", group="city", '
    """or sql="select ... from t join '/b.csv' b using (id)"; """
    "at most 1,000 of .total rows; .content has them as CSV, .lines their lines in the file, "
    ".forms tells which columns were read as numbers or dates "
    "($1,200 is 1200, 3.4.2025 is 2025-04-03, NA is null), "
    ".assumed and .doubts what was taken for the header and the rows. "
    'Where a form is not certain, say form="decimal comma", "decimal point", "day first" or "month first", '
    'or query the column "COLUMN as number" or "COLUMN as written"',
    effect=Effect.READS,
)
