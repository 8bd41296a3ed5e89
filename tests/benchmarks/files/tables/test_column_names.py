"""The names under which scripts query the columns of a table.

Every column needs a name of its own. If the file has no name for a column, or has the same
name twice, the number of the column is added: the second `city` of three becomes `city_3`.
"""

import pytest

from controlplane.benchmarks.files.tables.raw_rows import ColumnNames


@pytest.mark.parametrize(
    ("names_in_file", "expected_names"),
    [
        pytest.param(
            ["city", "km", ""], ["city", "km", "column_3"], id="column without a name"
        ),
        pytest.param(
            ["city", "km", "City"],
            ["city", "km", "City_3"],
            id="names that differ only in case",
        ),
        pytest.param(
            ["city", "city_3", "city"],
            ["city", "city_3", "city_3_3"],
            id="numbered name that is taken",
        ),
        pytest.param(["_line"], ["_line_1"], id="name of our column for line numbers"),
    ],
)
def test_each_column_gets_a_name_of_its_own(
    names_in_file: list[str], expected_names: list[str]
) -> None:
    """The names are added in the order of the columns."""
    columns = ColumnNames()

    for name in names_in_file:
        columns.add(name)

    assert columns.names == expected_names
