"""Finds the parameters of a request that an error refuses.

Errors name them in fields such as `param`, in their texts (`'seed' is not supported`),
or not at all (`this model does not support tools`).
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.agent.endpoint.errors.error_contents import ErrorContents
from controlplane.agent.endpoint.errors.error_reply import ErrorReply
from controlplane.agent.endpoint.errors.error_tables import error_tables
from controlplane.agent.endpoint.json_parts import LENGTH_KEYWORDS

MAX_SEARCHED_CHARS: Final = 4_000
"""Max characters of one error text that are searched for names of parameters."""

SCHEMA_KEYWORDS: Final = LENGTH_KEYWORDS | {"strict"}
"""Keywords of a JSON schema that some endpoints refuse."""

_NAME: Final = r"([A-Za-z_][\w./\[\]]{0,80})"
"""A name with its path: `temperature`, `text.format`, `messages[1]`."""

_QUOTED_NAME: Final = rf"""["'`‘“\[]/?{_NAME}["'`’”\]]"""
"""Unsupported value: 'temperature' does not support 0.5 -> temperature"""
_NAME_AT_START: Final = rf"\A{_NAME}: "
"""max_tokens: Extra inputs are not permitted -> max_tokens"""
_NAME_AT_END: Final = rf": {_NAME}\.?\z"
"""Unknown parameter: top_p. -> top_p"""
_UNSUPPORTED_NAME: Final = rf"\b{_NAME} (?:is|are) not (?:supported|permitted)"
"""seed is not supported -> seed"""

NAMED_PARAMETER: Final = re2.compile(
    "|".join((_QUOTED_NAME, _NAME_AT_START, _NAME_AT_END, _UNSUPPORTED_NAME))
)
"""Matches the parameter that an error text names, in one of these four forms."""


def refused_parameters(refusal: ErrorReply) -> list[str]:
    """Return the parameters of the request that an error refuses.

    An error with status 500 is a fault of the server, whose text may quote anything. There,
    only known phrases count.
    """
    names: list[str] = []
    if refusal.status != 500:
        names += named_parameters(refusal.contents)

    text = refusal.contents.text.lower()
    for phrase, refused in error_tables().refused_by_phrase.items():
        if phrase in text:
            names.append(refused.parameter)
    return names


def named_parameters(contents: ErrorContents) -> list[str]:
    """Return the parameters that structured fields name or, without these, the texts.

    Structured fields are more certain. But only texts name keywords of a schema,
    such as `maxLength`, so these are always added.
    """
    names_in_texts: list[str] = []
    for message in contents.messages:
        names_in_texts += parameters_in_text(message)
    if not contents.parameters:
        return names_in_texts
    keywords = [name for name in names_in_texts if name in SCHEMA_KEYWORDS]
    return [*keywords, *contents.parameters]


def parameters_in_text(message: str) -> list[str]:
    """Return the names in one error text that may be parameters."""
    names = []
    for match in NAMED_PARAMETER.finditer(message[:MAX_SEARCHED_CHARS]):
        # Each form has its own group, and only the group of the form that matched has a name.
        for name in match.groups():
            if name:
                names.append(name)
    return names
