"""Reads from a shop's page how likely delays are, and what lateness costs.

The plan of a dispatch wave depends on them. A table of the page gives the rates of words, which
the tables of lanes use as hints (`delays often; short when delayed`):

    | often | 20 % of trips |
    | late | EUR 6.50 per time unit |
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.benchmarks.shop.dispatch.delays import DelayLength, Rates
from controlplane.benchmarks.shop.texts.amounts import money_in_text
from controlplane.benchmarks.shop.texts.text import normal_words

_TABLE_ROW: Final = re2.compile(r"\s*\|([^|]*)\|([^|]*)\|\s*")
"""A row of two cells in a Markdown table."""
_SHARE: Final = re2.compile(r"(\d{1,3}(?:\.\d{1,9})?) ?% of trips")
"""`20 % of trips`"""
_LENGTH: Final = re2.compile(r"(\d{1,3}) to (\d{1,3}) time units")
"""`1 to 3 time units`"""


def read_rates(text: str) -> Rates:
    """Return the rates in the Markdown tables of a page.

    A table of lanes has hints on delays, such as `delays often; short when delayed`. The
    page says what their words mean. The word `late` stands for the price of lateness:

    | often | 20 % of trips |
    | short | 1 to 3 time units |
    | late | EUR 6.50 per time unit |
    """
    shares: dict[str, float] = {}
    lengths: dict[str, DelayLength] = {}
    late_cents = None
    for line in text.splitlines():
        row = _TABLE_ROW.fullmatch(line)
        if row is None:
            continue
        word = normal_words(row[1].strip().strip("`"))
        rate = row[2].strip().strip("`")
        share = _SHARE.fullmatch(rate)
        length = _LENGTH.fullmatch(rate)
        if share:
            shares[word] = min(float(share[1]), 100) / 100
        elif length and int(length[1]) <= int(length[2]):
            lengths[word] = DelayLength(int(length[1]), int(length[2]))
        elif word == "late" and rate.endswith("per time unit"):
            # A price of 0 counts as unknown.
            late_cents = money_in_text(rate) or None
    return Rates(shares, lengths, late_cents)
