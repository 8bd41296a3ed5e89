"""What texts say: words, numbers, amounts, dates, yes and no."""

from toolkit.text.document_entries import entries_of
from toolkit.text.numbers import amount_text, cents_of, first_number, money_in_text
from toolkit.text.relative_dates import relative_date
from toolkit.text.words import called_by_own_words, holds_words, names_match, normal_words
from toolkit.text.yes_no_words import yes_no_pair, yes_no_words

__all__ = [
    "amount_text",
    "called_by_own_words",
    "cents_of",
    "entries_of",
    "first_number",
    "holds_words",
    "money_in_text",
    "names_match",
    "normal_words",
    "relative_date",
    "yes_no_pair",
    "yes_no_words",
]
