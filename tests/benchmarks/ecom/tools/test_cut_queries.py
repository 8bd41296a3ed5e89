"""The tool `sql` of the shop prints 100 rows of a result, and says if there are more.

The last line is then "warning: result truncated at 100 rows".
"""

from tests.benchmarks.ecom.tools.tool_runs import run_tool
from tests.benchmarks.shop.functions.written_shop import written_shop


def test_sql_cuts_a_result_of_more_than_100_rows_and_says_so() -> None:
    """A recursive query counts to 101."""
    count_to_101 = (
        "with recursive counter(n) as "
        "(select 1 union all select n + 1 from counter where n < 101) "
        "select n from counter"
    )

    result = run_tool(written_shop({}), "sql", stdin=count_to_101)

    head, *rows, warning = result.out.splitlines()
    assert result.code == 0
    assert result.err == ""
    assert head == "n"
    assert rows == [str(number) for number in range(1, 101)]
    assert warning == "warning: result truncated at 100 rows"
    assert result.out.endswith("\n")
