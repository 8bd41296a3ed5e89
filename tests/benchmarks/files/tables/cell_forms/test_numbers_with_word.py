"""A column of numbers with a word among them becomes two columns.

The amounts are 5, 7, call and 100. `amount as written` has these texts, and `amount as number`
has the numbers 5, 7, null and 100.
"""

import pytest

from controlplane.sandbox.interface import CallError
from tests.benchmarks.files.tables.cell_forms.queried_rows import query_rows


@pytest.mark.parametrize(
    ("sql", "expected_rows"),
    [
        pytest.param(
            'select sum("amount as number") from t',
            ["112"],
            id="the numbers, without the word: 5 + 7 + 100",
        ),
        pytest.param(
            """select n from t where "amount as written" = 'call'""",
            ["c"],
            id="the texts, with the word",
        ),
        pytest.param("select * from t limit 1", ["a,5,5"], id="both columns"),
    ],
)
def test_numbers_with_a_word_among_them_can_be_used_with_or_without_it(
    sql: str, expected_rows: list[str]
) -> None:
    text = "n,amount\na,5\nb,7\nc,call\nd,100\n"

    assert query_rows(text, sql) == expected_rows


def test_column_of_words_with_a_number_among_them_is_text() -> None:
    """It keeps its name, and does not become two columns."""
    text = "a,note\n1,gift\n2,42\n3,call\n"

    assert query_rows(text, "select a from t where note like '%gif%'") == ["1"]


@pytest.mark.parametrize(
    ("sql", "expected_error"),
    [
        pytest.param(
            "select * from t where amount > 6",
            "'call' is no number",
            id="comparison",
        ),
        pytest.param(
            "select max(amount) from t",
            '"amount as number" is null there',
            id="maximum",
        ),
    ],
)
def test_computing_with_numbers_and_a_word_is_refused(
    sql: str, expected_error: str
) -> None:
    """One of the amounts is "call". The error names the column that has the numbers alone."""
    text = "n,amount\na,5\nb,7\nc,call\nd,100\n"

    with pytest.raises(CallError, match=expected_error):
        query_rows(text, sql)
