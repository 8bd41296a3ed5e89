"""The fixture `call_table`, which writes files and calls for a table of them."""

from pathlib import Path

import pytest

from controlplane.sandbox import ForkServer
from tests.benchmarks.files.tables.table_queries.table_calls import TableCalls


@pytest.fixture
def call_table(fork_server: ForkServer, tmp_path: Path) -> TableCalls:
    """Writes files and calls for a table, as a script does, in one."""
    return TableCalls(fork_server, tmp_path)
