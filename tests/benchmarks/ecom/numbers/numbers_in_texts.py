"""The numbers in texts, such as pages of a shop. An amount of euros counts in cents, too.

    numbers_in_texts(["Late delivery costs EUR 6.50."])  # {6.5, 650}

Code that knows the amount of 6.50 euros may have it as `650`.
"""

import re
from collections.abc import Iterable

NUMBER_IN_TEXT = re.compile(r"(?<![\w.])\d[\d_]*(?:\.\d+)?(?![\w.])")
"""`650`, `3_600` or `6.50`, but not the digits of `a12` or `1.2.3`. The texts are our own files."""


def cents(euros: float) -> int:
    """Return an amount in cents: 650 for 6.5."""
    return round(100 * euros)


def numbers_in_texts(texts: Iterable[str]) -> set[float]:
    """Return the numbers in texts. An amount of euros is there in cents, too: 6.5 and 650."""
    numbers = set[float]()
    for text in texts:
        for digits in NUMBER_IN_TEXT.findall(text):
            number = float(digits.replace("_", ""))
            numbers.add(number)
            if "." in digits:
                numbers.add(cents(number))
    return numbers
