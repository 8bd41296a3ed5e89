"""The settings of one model, which a run and a profile have in common, and how they are read.

Secrets are not settings: a key stands in a variable, and so does the secret value of a header.
"""

from __future__ import annotations

import json
import re
from typing import Annotated, Any, Final, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, JsonValue

from controlplane.configuration.config_paths import with_home

LONGEST_S: Final = 1_000_000
"""The longest time that may be set: every timer of the system can count it in milliseconds."""
_SECRET_HEADER: Final = re.compile(r"auth|cookie|token|secret|key", re.I)
_HEADER: Final = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
VARIABLE: Final = re.compile(r"\$(\w+)")
"""A header's value that stands in a variable."""
_OURS: Final = frozenset(
    {"model", "messages", "input", "tools", "tool_choice", "response_format", "text", "stream", "n"}
)
"""Fields of a request's body that nobody sets but the loop."""


def _without_secrets(url: str) -> str:
    """Return the address of an endpoint. Raises `ValueError` if it is malformed or may hold a key."""
    url = url.strip()
    if not url.isprintable() or " " in url:
        msg = "the address of an endpoint holds no spaces and no line breaks"
        raise ValueError(msg)
    parts = urlsplit(url)
    port_is_a_number = parts.port is None or parts.port > 0
    if url and (parts.scheme not in ("http", "https") or not parts.hostname or not port_is_a_number):
        msg = "the address of an endpoint begins with http:// or https:// and names a host, as http://127.0.0.1:8080/v1"
        raise ValueError(msg)
    if parts.username or parts.password or parts.query or parts.fragment:
        msg = (
            "an address with a user, a password or a query is not taken, because it is written into the journal; "
            "give the key in OPENAI_API_KEY"
        )
        raise ValueError(msg)
    if parts.path.rstrip("/").endswith(("/completions", "/responses")):
        msg = "the address of an endpoint ends before /chat/completions or /responses, mostly in /v1"
        raise ValueError(msg)
    return url


def _names_a_variable(name: str) -> str:
    """Return the name of a variable. Raises `ValueError` for anything else, such as the key itself."""
    if not (name.isascii() and name.isidentifier()):
        msg = "this is no variable's name (letters, digits, underscores); the key itself goes into the variable"
        raise ValueError(msg)
    return name


def _object(value: object) -> object:
    """Return an object that may be given as JSON text. Raises `ValueError` for any other."""
    if isinstance(value, str):
        try:
            value = json.loads(value) if value.strip() else {}
        except (ValueError, RecursionError) as error:
            msg = f"""this is no JSON object, as '{{"name": "value"}}' ({error})"""
            raise ValueError(msg) from None
    if not isinstance(value, dict):
        msg = """a JSON object is needed, as '{"name": "value"}'"""
        raise ValueError(msg)  # noqa: TRY004 - pydantic takes it for the fault of the value
    return value


def _object_or_none(value: object) -> object:
    return None if value in (None, "") else _object(value)


def _headers(headers: dict[str, str]) -> dict[str, str]:
    """Return further headers. Raises `ValueError` for one that is malformed, or may hold a secret."""
    for name, value in headers.items():
        if not _HEADER.fullmatch(name) or not (value.isascii() and value.isprintable()):
            msg = f"{name!r} with its value is no header"
            raise ValueError(msg)
        if _SECRET_HEADER.search(name) and not VARIABLE.fullmatch(value):
            msg = f"{name} may hold a secret: put it into a variable, and give $VARIABLE, as settings are journalled"
            raise ValueError(msg)
    return headers


def _body(body: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return further fields of requests. Raises `ValueError` for one that is not the owner's to set."""
    for name in body:
        if name in _OURS:
            msg = f"{name} cannot be set here: the run makes it"
            raise ValueError(msg)
    return body


EndpointUrl: TypeAlias = Annotated[str, AfterValidator(_without_secrets)]
VariableName: TypeAlias = Annotated[str, AfterValidator(_names_a_variable)]


class Prices(BaseModel):
    """What a model's tokens cost, in USD per million."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    input: float = Field(ge=0)
    """Tokens of requests."""
    output: float = Field(ge=0)
    """Tokens of replies, those of reasoning included."""
    cached: float | None = Field(None, ge=0)
    """Tokens of requests that the provider's prompt cache held; as `input` if not given."""


class ModelSettings(BaseModel):
    """How one model is asked. The sentence under each field is its help."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    model: str = ""
    """The model's id at its endpoint."""
    base_url: EndpointUrl = ""
    """Base URL of an OpenAI-compatible endpoint, with its /v1. Empty for OpenAI's own."""
    api_key_env: VariableName = "OPENAI_API_KEY"
    """The environment variable that holds the model's key."""
    api: Literal["chat", "responses"] = "chat"
    """The protocol: chat completions, or the Responses API."""
    reply_mode: Literal["auto", "schema", "tool", "json", "text"] = "auto"
    """The form of replies: JSON under a schema, a tool's arguments, plain JSON, text; auto: the best that works."""
    reasoning_effort: str = ""
    """How much a reasoning model thinks, as none, low, medium or high; the endpoint's own default if not given."""
    temperature: float | None = Field(None, ge=0)
    """The sampling temperature; the endpoint's own if not given."""
    top_p: float | None = Field(None, gt=0, le=1)
    """Sample from the likeliest tokens of this mass; the endpoint's own if not given."""
    sampling_seed: int | None = None
    """The seed of the endpoint's sampling; none if not given."""
    max_output_tokens: int | None = Field(None, ge=1)
    """At most so many tokens per reply."""
    max_context_tokens: int | None = Field(None, ge=500)
    """Tokens that the model takes at once, request and reply; it is told when few are left, and nothing is cut."""
    model_timeout: float = Field(180.0, gt=0, le=LONGEST_S)
    """Seconds that one request to the model may take."""
    model_patience: float = Field(300.0, ge=0, le=LONGEST_S)
    """Seconds for which a step retries a transiently failing model before the run is paused."""
    model_headers: Annotated[dict[str, str], BeforeValidator(_object), AfterValidator(_headers)] = Field(
        default_factory=dict
    )
    """Further headers of every request, as JSON; a value $VARIABLE is taken from the environment and shown nowhere."""
    model_body: Annotated[dict[str, Any], BeforeValidator(_object), AfterValidator(_body)] = Field(default_factory=dict)
    """Further fields of every request's body, as JSON."""
    thinking_back: Literal["auto", "reasoning_content", "none"] = "auto"
    """The thinking that goes back to the model: what its protocol asks for, each reply's reasoning_content, or none."""
    prompt: Annotated[str, AfterValidator(with_home)] = ""
    """A folder of prompt texts in place of the product's own (prompts/); the journal keeps them."""
    hints: Annotated[str, AfterValidator(with_home)] = ""
    """A text file that is added to the system prompt's end; the journal keeps it."""
    prices: Annotated[Prices | None, BeforeValidator(_object_or_none)] = None
    """USD per million tokens, as JSON: input, output and, optionally, cached."""
