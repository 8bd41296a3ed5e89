"""What the user adds to each request to a model: headers and fields of its body.

They are given as JSON, for example `{"X-Team": "$TEAM"}`.
"""

from __future__ import annotations

from string import ascii_letters, digits
from typing import Annotated, Any, Final, TypeAlias

from pydantic import AfterValidator, BeforeValidator, JsonValue

from controlplane.sandbox.interface.foreign_documents import Unreadable, read_json

# Settings that may be given as JSON text, such as `{"input": 2, "output": 8}`.
#
# In controlplane.toml they are tables; on the command line and in the environment, JSON.


def _parse_object(value: object) -> object:
    """Return a mapping, parsed if it is JSON text. Raises `ValueError` for anything else."""
    if isinstance(value, str):
        try:
            value = read_json(value) if value.strip() else {}
        except Unreadable as error:
            msg = (
                f"""this is not a JSON object such as '{{"name": "value"}}' ({error})"""
            )
            raise ValueError(msg) from None
    if not isinstance(value, dict):
        msg = """a JSON object is needed, such as '{"name": "value"}'"""
        raise ValueError(msg)  # noqa: TRY004 - pydantic reports it as a fault of the value
    return value


def parse_optional_object(value: object) -> object:
    """Return what `_parse_object` returns; None for an empty value."""
    if value in (None, ""):
        return None
    return _parse_object(value)


_HEADER_NAME_CHARS: Final = frozenset(f"{ascii_letters}{digits}!#$%&'*+.^_`|~-")
"""The characters of a header's name (RFC 9110, token)."""
_SECRET_WORDS: Final = ("auth", "cookie", "token", "secret", "key")
"""A header whose name contains one of these may hold a secret."""
_BODY_FIELDS_OF_THE_LOOP: Final = frozenset(
    {
        "model",
        "messages",
        "input",
        "tools",
        "tool_choice",
        "response_format",
        "text",
        "stream",
        "n",
    }
)
"""Fields of a request's body that the run fills in, so that `model_body` cannot set them."""


def variable_in(value: str) -> str:
    """Return the variable's name in a header's value such as `$TOKEN`; empty if there is none."""
    if not value.startswith("$"):
        return ""
    name = value[1:]
    is_name = name.isascii() and name.replace("_", "").isalnum()
    return name if is_name else ""


def _check_headers(headers: dict[str, str]) -> dict[str, str]:
    """Return request headers.

    Raises `ValueError` for one that cannot be sent, and for one that may hold a secret,
    since the journal records all settings.
    """
    for name, value in headers.items():
        is_name = bool(name) and _HEADER_NAME_CHARS.issuperset(name)
        is_value = value.isascii() and value.isprintable()
        if not is_name or not is_value:
            msg = f"{name!r} with its value is not a header"
            raise ValueError(msg)

        may_be_secret = any(word in name.lower() for word in _SECRET_WORDS)
        if may_be_secret and not variable_in(value):
            msg = (
                f"{name} may hold a secret: put it into a variable, and give $VARIABLE, "
                "as settings are journalled"
            )
            raise ValueError(msg)
    return headers


def _check_body(body: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return additional fields of requests. Raises `ValueError` for one that the loop sets."""
    for name in body:
        if name in _BODY_FIELDS_OF_THE_LOOP:
            msg = f"{name} cannot be set here: the run sets it"
            raise ValueError(msg)
    return body


Headers: TypeAlias = Annotated[
    dict[str, str], BeforeValidator(_parse_object), AfterValidator(_check_headers)
]
Body: TypeAlias = Annotated[
    dict[str, Any], BeforeValidator(_parse_object), AfterValidator(_check_body)
]
