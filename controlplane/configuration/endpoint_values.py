"""The values that name the endpoint of a model: its address, and the variable of its key.

Journals record both. So a key itself must not get into either of them, by a mistake such
as `https://user:password@host/v1`.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias
from urllib.parse import urlsplit

from pydantic import AfterValidator


def check_endpoint_url(url: str) -> str:
    """Return the base URL of an endpoint without surrounding spaces.

    Raises `ValueError` if it is no HTTP address, holds a secret, or ends with the path
    of a call.
    """
    url = url.strip()
    if not url:
        return url
    if not url.isprintable() or " " in url:
        msg = "the address of an endpoint must not contain spaces or line breaks"
        raise ValueError(msg)

    parts = urlsplit(url)
    is_http = parts.scheme in ("http", "https")
    has_valid_port = parts.port is None or parts.port > 0
    if not is_http or not parts.hostname or not has_valid_port:
        msg = (
            "the address of an endpoint begins with http:// or https:// and names a host, "
            "as http://127.0.0.1:8080/v1"
        )
        raise ValueError(msg)
    if parts.username or parts.password or parts.query or parts.fragment:
        msg = (
            "an address with a user, a password or a query is refused, because the journal "
            "records it; give the key in OPENAI_API_KEY"
        )
        raise ValueError(msg)
    if parts.path.rstrip("/").endswith(("/completions", "/responses")):
        msg = (
            "the address of an endpoint ends before /chat/completions or /responses, "
            "usually with /v1"
        )
        raise ValueError(msg)
    return url


def check_variable_name(name: str) -> str:
    """Return the name of an environment variable.

    Raises `ValueError` for anything else, such as a key itself.
    """
    if not (name.isascii() and name.isidentifier()):
        msg = (
            "this is not a variable's name (letters, digits, underscores); "
            "put the key itself into the variable"
        )
        raise ValueError(msg)
    return name


EndpointUrl: TypeAlias = Annotated[str, AfterValidator(check_endpoint_url)]
VariableName: TypeAlias = Annotated[str, AfterValidator(check_variable_name)]
