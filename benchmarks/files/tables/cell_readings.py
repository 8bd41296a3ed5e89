"""The ways to read the cells of a column as numbers or dates, each as an expression of SQL.

The cell `1,234` is 1234 with a decimal point, and 1.234 with a decimal comma. `03/04/2027` is in
March or in April. DuckDB computes each expression for all cells of a column, so that the way
that fits them all can be found and used.
"""

from __future__ import annotations

from typing import Final

from controlplane.benchmarks.files.tables.column_form import DATE_ORDERS, DECIMAL_MARKS
from controlplane.gates.values.units import CURRENCIES

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
        # Without the pattern, `Room 5` would become 5.
        signed = _signed(cell)
        pattern = _number_pattern(decimal_mark, thousands_mark)
        number = _number(signed, decimal_mark, thousands_mark)
        return f"case when regexp_full_match({signed}, '{pattern}') then {number} end"
    return cell


def _signed(cell: str) -> str:
    """Return the SQL for a number with a minus if it has parentheses: ` (€5) ` -> `-€5`.

    A typographic minus becomes a plain one.
    """
    trimmed = f"replace(trim({cell}), '−', '-')"
    return rf"regexp_replace({trimmed}, '^\((.*)\)$', '-\1')"


def _number(signed: str, decimal_mark: str, thousands_mark: str) -> str:
    """Return the SQL that computes a number from its text with a sign: `-€1.234,50` -> -1234.5.

    Each step is SQL that contains the step before.
    """
    # `-€1.234,50` -> `-1.234,50`. Also removes apostrophes and spaces, which may separate
    # thousands.
    digits_and_marks = (
        f"regexp_replace({signed}, '{CURRENCY_CODES}|[^0-9eE.,+-]', '', 'g')"
    )
    # `-1.234,50` -> `-1234,50`
    without_thousands = f"replace({digits_and_marks}, '{thousands_mark}', '')"
    # `-1234,50` -> `-1234.50`
    with_point = f"replace({without_thousands}, '{decimal_mark}', '.')"
    return f"try_cast({with_point} as double)"


def _number_pattern(decimal_mark: str, thousands_mark: str) -> str:
    """Return the regular expression for a number with sign and currency: `$-1,234.50`.

    Thousands may also be separated by an apostrophe or a space: `1'234`. The expression is
    put into an SQL string, in which an apostrophe is written twice.
    """
    apostrophe = "''"
    no_break_spaces = r"\x{a0}\x{202f}"
    separator = f"[{thousands_mark}{apostrophe}’ {no_break_spaces}]"  # one of these
    grouped_digits = rf"[1-9]\d{{0,2}}({separator}\d{{3}})+"  # 1,234,567
    decimals = rf"\{decimal_mark}\d+"  # .50
    unsigned_number = rf"(({grouped_digits}|\d+)({decimals})?|{decimals})"
    power_of_ten = r"([eE][+-]?\d+)?"
    currency = f"({SIGN})?"
    # The minus may be before or after the currency: -$5, $-5.
    return f"[+-]? ?{currency} ?[+-]?{unsigned_number}{power_of_ten} ?{currency}"
