"""Decides what an error of an endpoint means for a trial.

Most meanings are in `errors.toml`: each lists statuses, codes and phrases, and the first
one that fits the error counts. For example, status 429 means that the endpoint is busy.
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.agent.endpoint.errors.error_reply import ErrorReply
from controlplane.agent.endpoint.errors.error_tables import error_tables
from controlplane.agent.endpoint.errors.meaning import (
    BUSY,
    SERVER_FAILURE,
    TOO_LONG,
    UNKNOWN,
    Meaning,
)

TOKENS_PER_MINUTE: Final = re2.compile(
    r"limit:? (\d{1,12}), (?:used:? \d{1,12}, )?requested:? (\d{1,12})"
)
"""Matches `limit 30000, requested 37313` (OpenAI, Groq) in lower-case text."""


def meaning_of(refusal: ErrorReply) -> Meaning:
    """Return what an error means.

    | error | meaning, decided by |
    |---|---|
    | 429, `limit 30000, requested 37313` | `too_long`, its numbers |
    | 429, `too many requests` | `busy`, an entry of `errors.toml` |
    | 503, `overflow`, which no entry has | `server_failure`, its status |
    | 400, `overflow`, which no entry has | `unknown` |
    """
    tables = error_tables()
    text = refusal.contents.text.lower()
    limit_name = _meaning_of_token_limit(text)
    if limit_name is not None:
        return tables.meaning_named(limit_name)

    codes = {code.lower() for code in refusal.contents.codes}
    for meaning in tables.meanings:
        if meaning.matches(refusal.status, codes, text):
            return meaning

    # The status 501 means that something is not implemented.
    is_server_failure = refusal.status >= 500 and refusal.status != 501
    return tables.meaning_named(SERVER_FAILURE if is_server_failure else UNKNOWN)


def _meaning_of_token_limit(text: str) -> str | None:
    """Return the name of the meaning if a text states a limit of tokens per minute; else None.

    A request that alone has more tokens never succeeds. Any other may, in a later minute.
    """
    limit = TOKENS_PER_MINUTE.search(text)
    if limit is None:
        return None
    allowed_tokens = int(limit[1])
    requested_tokens = int(limit[2])
    return TOO_LONG if requested_tokens > allowed_tokens else BUSY
