"""Everyday words, which identify nothing: almost any text has `file`, `answer` and `of`."""

from __future__ import annotations

from typing import Final

_BOILERPLATE_WORDS: Final = """
    a an the this that these those and or of to in on at by for from with as is are was were be been it its
    into has have had do does did not yes no any all each every which what who whose where when why how can may
    must shall should will would because so than then them they their there here we our us my me you your i he
    she his her if but also only just very more most such same other both either about over under per via
    relevant related useful needed necessary required important appropriate correct valid proper document
    documents doc docs file files record records data reference references ref refs citation citations cite
    cited cites source sources evidence proof support supports supporting supported ground grounds grounding
    grounded justify justifies justification based reason reasons information info content contents detail
    details read reads reading used use uses using checked check checks verify verified verifies verification
    confirm confirms confirmed confirming confirmation consulted reviewed review look looked found find finds
    shows show showing shown contains contain containing hold holds holding says say states state stated answer answers answered
    task tasks question request requested result results final see seen here's needs need make makes made get
    gets got give gives given thing things
"""
BOILERPLATE: Final = frozenset(_BOILERPLATE_WORDS.split())
"""English words that fit any reason and identify nothing."""


def is_boilerplate(token: str) -> bool:
    """Return True if a token identifies nothing: an everyday word or a single letter."""
    is_letter = len(token) == 1 and token.isalpha()
    return is_letter or token in BOILERPLATE
