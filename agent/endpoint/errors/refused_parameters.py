"""Finds the parameters of a request that an error refuses, to send it again without them.

Errors name them in fields (`{"param": "seed"}`), in texts (`'seed' is not supported`), or not at
all (`this model does not support tools`).
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
    """Return the parameters of the request that an error refuses. One may come twice.

    400: 'seed' is not supported             -> ["seed"], which is named
    500: failed at 'seed'                    -> []
    400: this model does not support tools   -> ["tools"], by a phrase of `errors.toml`
    500: this model does not support tools   -> ["tools"]
    """
    names: list[str] = []
    # With status 500, the server itself has failed, and its error may quote any parameter.
    if refusal.status != 500:
        names += named_parameters(refusal.contents)

    text = refusal.contents.text.lower()
    for phrase, refused in error_tables().refused_by_phrase.items():
        if phrase in text:
            names.append(refused.parameter)
    return names


def named_parameters(contents: ErrorContents) -> list[str]:
    """Return the parameters that an error names in its fields, or else in its texts.

    But a field only names the parameter that has the schema, never a keyword in the schema. So
    keywords in texts always count, and come first: leaving one out may be enough.

    {"param": "tools", "message": "'strict' is not supported"}   -> ["strict", "tools"]
    {"param": "tools", "message": "'seed' is not supported"}     -> ["tools"]
    """
    names_in_texts: list[str] = []
    for message in contents.messages:
        names_in_texts += parameters_in_text(message)
    if not contents.parameters:
        return names_in_texts
    keywords = [name for name in names_in_texts if name in SCHEMA_KEYWORDS]
    return [*keywords, *contents.parameters]
