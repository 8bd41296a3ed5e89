"""Finds the parameters of a request that an error refuses.

Errors name them in fields such as `param`, in their texts (`'seed' is not supported`),
or not at all (`this model does not support tools`).
"""

from __future__ import annotations

from typing import Final

from controlplane.agent.endpoint.errors.error_contents import ErrorContents
from controlplane.agent.endpoint.errors.error_reply import ErrorReply
from controlplane.agent.endpoint.errors.error_tables import error_tables
from controlplane.agent.endpoint.errors.written_parameters import parameters_in_text
from controlplane.agent.endpoint.json_parts import LENGTH_KEYWORDS

SCHEMA_KEYWORDS: Final = LENGTH_KEYWORDS | {"strict"}
"""Keywords of a JSON schema that some endpoints refuse."""


def refused_parameters(refusal: ErrorReply) -> list[str]:
    """Return the parameters of the request that an error refuses.

    | status and text | parameters |
    |---|---|
    | 400, `'seed' is not supported` | `seed` |
    | 400, `this model does not support tools` | `tools`, by a phrase in `errors.toml` |
    | 500, `failed at 'seed'` | none: the server has a fault, and may quote anything |
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
    """Return the parameters that an error names.

    Fields such as `param` are more certain than texts, so the texts count only without them.
    But keywords of a schema, such as `maxLength`, are named by texts alone, and always count.
    """
    names_in_texts: list[str] = []
    for message in contents.messages:
        names_in_texts += parameters_in_text(message)
    if not contents.parameters:
        return names_in_texts
    keywords = [name for name in names_in_texts if name in SCHEMA_KEYWORDS]
    return [*keywords, *contents.parameters]
