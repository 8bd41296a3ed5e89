"""Columns that can be read in two ways: queries can use their texts, by the name `... as written`.

`1.234` may be 1234 with a separator of thousands, or 1.234 with a decimal point. `03/04/2025` may
be in March or in April. If nothing else in the column shows which, its cells stay texts.
"""

import pytest

from tests.benchmarks.files.tables.cell_forms.queried_rows import query_rows


@pytest.mark.parametrize(
    ("text", "sql", "expected_rows"),
    [
        # `12` does not show whether the point of `1.234` is a separator.
        pytest.param(
            "a;b\nx;1.234\ny;2.500\nz;12\n",
            "select * from t where a = 'x'",
            ["x,1.234"],
            id="`*` has the column once",
        ),
        # The decimal comma of `3,5` is in another column. An empty cell shows nothing.
        pytest.param(
            "note;b\nx;1.234\n3,5;2.500\ny;\n",
            "select \"b as written\" from t where note = 'x'",
            ["1.234"],
            id="ambiguous number",
        ),
        pytest.param(
            "d,x\n03/04/2025,1\n05/04/2025,2\n",
            'select "d as written" from t where x = 1',
            ["03/04/2025"],
            id="ambiguous date",
        ),
    ],
)
def test_ambiguous_column_can_be_used_as_it_is_written(
    text: str, sql: str, expected_rows: list[str]
) -> None:
    assert query_rows(text, sql) == expected_rows
