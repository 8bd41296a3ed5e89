"""Values of two tables that a query joins, and the names of the columns in its result.

`t` is a table of loans, with the columns `item`, `year` and `fee`, and `/d/items.csv` one of the
items that are lent, with `item`, `year` and `made`.
"""

from controlplane.benchmarks.files.files_environment import FilesEnvironment
from tests.benchmarks.files.tables.joins.joined_tables import query_loans


def test_values_of_both_tables_are_read_in_the_form_of_their_column(
    loans_and_items: FilesEnvironment,
) -> None:
    """The fees of item 01 are 1.50 and 2.25, and it was made in February.

    The key `forms` of a result tells how the texts of a column were read as numbers.
    """
    result = query_loans(
        loans_and_items,
        "select item, sum(fee) s, any_value(month(made)) m "
        "from t l join '/d/items.csv' i using (item) group by 1 order by 1",
    )

    assert result["content"] == "item,s,m\n01,3.75,2\n02,,3\n"
    assert result["forms"] == {"fee": "decimal comma; empty values ('-'): 1"}


def test_second_column_of_one_name_gets_a_number(
    loans_and_items: FilesEnvironment,
) -> None:
    """Both tables have a column `year`: 2024 in the loan, and "1999 or so" in its item.

    The item's year is the second column of the result, and so becomes `year_2`.
    """
    result = query_loans(
        loans_and_items,
        "select l.year, i.year from t l join '/d/items.csv' i using (item) "
        "where l.year = 2024",
    )

    assert result["rows"] == [{"year": 2024, "year_2": "1999 or so"}]


def test_number_of_a_column_does_not_make_a_name_that_is_taken(
    loans_and_items: FilesEnvironment,
) -> None:
    """The query selects the loan's year, the number 7 as `year_3`, and the item's year.

    The third column would be `year_3`. As this name is taken, it becomes `year_3_3`.
    """
    result = query_loans(
        loans_and_items,
        "select l.year, 7 year_3, i.year from t l join '/d/items.csv' i using (item) "
        "where l.year = 2024",
    )

    assert result["rows"] == [{"year": 2024, "year_3": 7, "year_3_3": "1999 or so"}]
