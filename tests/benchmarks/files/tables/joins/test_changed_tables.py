"""Tables that a script has changed are read again by the next query.

In the queries, `t` is a table of three loans, and `i` one of the two items that are lent.
"""

from controlplane.benchmarks.files.files_environment import FilesEnvironment
from tests.benchmarks.files.tables.joins.joined_tables import query_loans


def test_table_that_a_script_has_changed_is_read_again(
    loans_and_items: FilesEnvironment,
) -> None:
    """Two loans are of item 01, and one is of item 02. Then a script removes item 02."""
    count_loans = "select count(*) as loans from t l join '/d/items.csv' i using (item)"
    file_without_item_02 = {
        "path": "/d/items.csv",
        "content": "item,year\n01,1\n",
        "if_match_sha256": "",  # The file is written whatever it had before.
    }

    before = query_loans(loans_and_items, count_loans)
    loans_and_items.call("write", file_without_item_02)
    after = query_loans(loans_and_items, count_loans)

    assert before["rows"] == [{"loans": 3}]
    assert after["rows"] == [{"loans": 2}]
