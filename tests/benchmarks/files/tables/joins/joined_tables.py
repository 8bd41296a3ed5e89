"""Queries of the table of loans, which may join the table of items.

    query_loans(environment, "select l.year, i.year from t l join '/d/items.csv' i using (item)")

`t` is the table of loans, and any other file is named by its path.
"""

from controlplane.benchmarks.files.files_environment import FilesEnvironment
from controlplane.sandbox.interface import Plain


def query_loans(environment: FilesEnvironment, sql: str) -> dict[str, Plain]:
    """Return the result of a query in which `t` is the table of loans."""
    return environment.call("table", {"path": "/d/loans.csv", "sql": sql})
