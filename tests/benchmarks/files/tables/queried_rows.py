"""The rows that a query in SQL finds in one file.

With the file `n,x`, `a,5`, `b,7` and the query `select n from t where x > 6`, these are `["b"]`.
"""

import pytest

from controlplane.benchmarks.files.tables.loaded_table import Table
from controlplane.benchmarks.files.tables.tables import query_table


def query_rows(text: str, sql: str, path: str = "/a.csv") -> list[str]:
    """Return the rows of the result, as CSV: `["x,1", "y,2"]`.

    `text` is the content of the file `path`, and the query calls its table `t`. The test fails if
    the query opens another file.
    """
    result = query_table(Table(path, text), sql, limit=100, open_table=pytest.fail)
    _header, *rows = str(result["content"]).splitlines()
    return rows
