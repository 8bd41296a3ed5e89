"""Names of a table's columns: each column of a file has one of its own."""

import pytest

from controlplane.benchmarks.files.tables.column_names import ColumnNames


@pytest.mark.parametrize(
    ("names_in_file", "names"),
    [
        (["city", "km", ""], ["city", "km", "column_3"]),
        (["city", "km", "City"], ["city", "km", "City_3"]),
        (["city", "city_3", "city"], ["city", "city_3", "city_3_3"]),
        (["_line"], ["_line_1"]),
    ],
)
def test_columns_with_one_name_get_different_ones(
    names_in_file: list[str], names: list[str]
) -> None:
    columns = ColumnNames()
    for name in names_in_file:
        columns.add(name)
    assert columns.names == names
