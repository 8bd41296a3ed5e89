"""The ways to read the cells of a column as numbers or dates, each as an expression of SQL.

The cell `1,234` is 1234 with a decimal point, and 1.234 with a decimal comma. `03/04/2027` is in
March or in April. DuckDB computes each expression for all cells of a column, so that the way
that fits them all can be found and used.
"""

from __future__ import annotations

from typing import Final

from controlplane.gates.values.units import CURRENCIES

DECIMAL_MARKS: Final = {"decimal point": (".", ","), "decimal comma": (",", ".")}
"""Forms of numbers, with the decimal mark and the thousands separator: `1,234.50`, `1.234,50`."""
DATE_ORDERS: Final = {
    "year first": ["%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d"],
    "day first": ["%d.%m.%Y", "%d/%m/%Y", "%d-%m-%Y"],
    "month first": ["%m/%d/%Y", "%m-%d-%Y"],
}
"""Forms of dates, with the patterns that DuckDB reads: `2025-04-03`, `3.4.2025`, `4/3/2025`."""
FORMS: Final = (*DECIMAL_MARKS, *DATE_ORDERS)
CURRENCY_CODES: Final = "|".join(CURRENCIES)
"""A regular expression: `EUR|USD|...`."""
SIGN: Final = f"[$€£¥₹%]|{CURRENCY_CODES}"
"""A regular expression for a sign before or after a number, such as `$`, `%` or `EUR`."""
_MISSING_SIGNS: Final = ("", "-", "--", "–", "—", "?", ".")
_MISSING_WORDS: Final = (
    "na",
    "n/a",
    "n.a.",
    "#n/a",
    "#nv",
    "k.a.",
    "nan",
    "null",
    "none",
    "nil",
)
MISSING: Final = (*_MISSING_SIGNS, *_MISSING_WORDS)
"""Marks of a missing value, in lower case. They become null in a column of numbers or dates."""


# The SQL that reads a cell


def reading(form: str, cell: str) -> str:
    """Return the SQL for a cell's value if it is read in a form, such as `decimal point`.

    `cell` is the SQL for its text. The value is null if the text does not fit the form.
    Without a form, the value is the text.
    """
    if form in DATE_ORDERS:
        date = f"cast(try_strptime({cell}, {DATE_ORDERS[form]}) as date)"
        looks_like_date = f"regexp_full_match({cell}, '[0-9]+[./-][0-9]+[./-][0-9]+')"
        return f"case when {looks_like_date} then {date} end"
    if form in DECIMAL_MARKS:
        decimal_mark, thousands_mark = DECIMAL_MARKS[form]
        return _number_reading(cell, decimal_mark, thousands_mark)
    return cell


def _number_reading(cell: str, decimal_mark: str, thousands_mark: str) -> str:
    """Return the SQL for a cell as a number: 1234.5 for `$1,234.50`, -5 for `(5)`."""
    # Each step is SQL that contains the step before. The comments show what the SQL
    # makes of the cell ` (€1.234,50) ` if the decimal mark is a comma.
    trimmed = f"replace(trim({cell}), '−', '-')"  # (€1.234,50)
    signed = rf"regexp_replace({trimmed}, '^\((.*)\)$', '-\1')"  # -€1.234,50
    # -1.234,50. Apostrophes and spaces, which may separate thousands, are removed, too.
    without_currency = (
        f"regexp_replace({signed}, '{CURRENCY_CODES}|[^0-9eE.,+-]', '', 'g')"
    )
    # -1234,50
    without_thousands = f"replace({without_currency}, '{thousands_mark}', '')"
    with_point = f"replace({without_thousands}, '{decimal_mark}', '.')"  # -1234.50
    number = f"try_cast({with_point} as double)"
    pattern = _number_pattern(decimal_mark, thousands_mark)
    return f"case when regexp_full_match({signed}, '{pattern}') then {number} end"


def _number_pattern(decimal_mark: str, thousands_mark: str) -> str:
    """Return the regular expression for a number with sign and currency: `$-1,234.50`.

    Thousands may also be separated by an apostrophe or a space: `1'234`. The expression is
    put into an SQL string, in which an apostrophe is written twice.
    """
    apostrophe = "''"
    no_break_spaces = r"\x{a0}\x{202f}"
    separator = f"[{thousands_mark}{apostrophe}’ {no_break_spaces}]"
    grouped_digits = rf"[1-9]\d{{0,2}}({separator}\d{{3}})+"  # 1,234,567
    decimals = rf"\{decimal_mark}\d+"  # .50
    unsigned_number = rf"(({grouped_digits}|\d+)({decimals})?|{decimals})"
    power_of_ten = r"([eE][+-]?\d+)?"
    currency = f"({SIGN})?"
    # The minus may be before or after the currency: -$5, $-5.
    return f"[+-]? ?{currency} ?[+-]?{unsigned_number}{power_of_ten} ?{currency}"
