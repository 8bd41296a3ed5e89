"""Decides what an error of an endpoint means, and explains it to the user.

The meanings are in `errors.toml`: each lists statuses, codes and phrases, and the first
one that fits the error counts. For example, status 429 means that the endpoint is busy.
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.agent.endpoint.errors.error_reply import ErrorReply
from controlplane.agent.endpoint.errors.error_tables import (
    BUSY,
    SERVER_FAILURE,
    TOO_LONG,
    UNKNOWN,
    Meaning,
    error_tables,
)
from controlplane.agent.endpoint.settings import EndpointSettings
from controlplane.agent.model import ModelError

TOKENS_PER_MINUTE: Final = re2.compile(
    r"limit:? (\d{1,12}), (?:used:? \d{1,12}, )?requested:? (\d{1,12})"
)
"""Matches `limit 30000, requested 37313` (OpenAI, Groq) in lower-case text."""


def meaning_of(refusal: ErrorReply) -> Meaning:
    """Return what an error means."""
    tables = error_tables()
    text = refusal.contents.text.lower()

    # 1. A limit of tokens per minute. A request that alone has more tokens never succeeds.
    # Any other may succeed in a later minute. The table cannot tell, because it takes a
    # comparison of two numbers.
    limit = TOKENS_PER_MINUTE.search(text)
    if limit is not None:
        allowed_tokens = int(limit[1])
        requested_tokens = int(limit[2])
        is_too_long = requested_tokens > allowed_tokens
        return tables.meaning_named(TOO_LONG if is_too_long else BUSY)

    # 2. The first meaning that fits.
    codes = {code.lower() for code in refusal.contents.codes}
    for meaning in tables.meanings:
        if meaning.matches(refusal.status, codes, text):
            return meaning

    # 3. A status of 500 or more means that the server failed, except 501: not implemented.
    is_server_failure = refusal.status >= 500 and refusal.status != 501
    return tables.meaning_named(SERVER_FAILURE if is_server_failure else UNKNOWN)


def refusal_error(
    refusal: ErrorReply, settings: EndpointSettings, *, affects_all: bool = False
) -> ModelError:
    """Return the exception for a refused request.

    Its message begins with what happened, because tables cut long messages.

    Args:
        refusal: The endpoint's error.
        settings: The endpoint and the model, which the message names.
        affects_all: True if it is known that all trials meet this error, even if its
            meaning does not say so.
    """
    meaning = meaning_of(refusal)
    text = meaning.message.format(model=settings.model)
    text += f" {refusal.summary} at {settings.shown_name}"
    if refusal.retry_after_s is not None and meaning.retryable:
        text += f", which asks to wait {refusal.retry_after_s:g} s"
    if meaning.remedy:
        text += f"; {meaning.remedy}"
    return ModelError(
        text,
        retryable=meaning.retryable,
        affects_all=meaning.affects_all or affects_all,
        retry_after_s=refusal.retry_after_s,
    )
