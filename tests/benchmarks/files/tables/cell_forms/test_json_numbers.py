"""Numbers in a file of JSON lines, in which each line is a JSON object, and a row of the table.

JSON writes numbers with a decimal point. Texts may have decimal commas: `{"a": "2,5", "b": 1.5}`.
"""

import pytest

from tests.benchmarks.files.tables.cell_forms.queried_rows import query_rows


@pytest.mark.parametrize(
    ("text", "sql", "expected_rows"),
    [
        pytest.param(
            '{"a": "1.234,5", "b": 1.5}\n{"a": "2,5", "b": 1.123}\n',
            "select sum(a), sum(b) from t",
            ["1237,2.623"],
            id="numbers as texts, and real numbers",
        ),
        pytest.param(
            '{"a": 1.234}\n{"a": 2.5}\n{"a": 1e300}\n',
            "select a from t where a < 9",
            ["1.234", "2.5"],
            id="huge number",
        ),
        pytest.param(
            '{"a": 1.234}\n{"a": 2.345}\n',
            "select sum(a) from t",
            ["3.579"],
            id="decimal points, which JSON prescribes",
        ),
    ],
)
def test_numbers_of_json_lines_are_read(
    text: str, sql: str, expected_rows: list[str]
) -> None:
    assert query_rows(text, sql, path="/a.jsonl") == expected_rows
