"""The settings for requests to one model, such as its id, its endpoint and its temperature.

A run has one set of them for the model that solves its tasks. A role such as `review`
can have another set: a profile, `[profiles.NAME]` in controlplane.toml.
"""

from __future__ import annotations

from enum import Enum, auto
from string import ascii_letters, digits
from typing import Annotated, Any, Final, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
)

from controlplane.agent.model import Prices
from controlplane.journal.journal_files import with_home
from controlplane.sandbox.interface import bounds
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


def _parse_optional_object(value: object) -> object:
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


_Headers: TypeAlias = Annotated[
    dict[str, str], BeforeValidator(_parse_object), AfterValidator(_check_headers)
]
_Body: TypeAlias = Annotated[
    dict[str, Any], BeforeValidator(_parse_object), AfterValidator(_check_body)
]


# The values that name the endpoint of a model: its address, and the variable of its key.
#
# Journals record both. So a key itself must not get into either of them, by a mistake such
# as `https://user:password@host/v1`.


def _check_endpoint_url(url: str) -> str:
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


def _check_variable_name(name: str) -> str:
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


_EndpointUrl: TypeAlias = Annotated[str, AfterValidator(_check_endpoint_url)]
_VariableName: TypeAlias = Annotated[str, AfterValidator(_check_variable_name)]


# What may be done with a setting, beside setting it for `run`.
#
# For example, `max_steps: Annotated[int, ASK]` is also an option of the command `ask`.


class Use(Enum):
    """What may be done with a setting.

    A field of the settings names its uses
    in its annotation, as in `Annotated[int, ASK]`.
    """

    UNTRUSTED = auto()
    """controlplane.toml may set it before the user trusts that file, because no value does harm.

    A harmless setting starts no program and imports no module. It names no address,
    key, price, isolation layer or place to write. It makes no run send more or longer
    requests than by default.
    """
    NO_FLAG = auto()
    """Only controlplane.toml and the environment set it; the command line has no flag for it."""
    ASK = auto()
    """`ask` offers it as an option."""
    SERVED = auto()
    """`mcp` offers it as an option."""
    RESUMABLE = auto()
    """A resumed run may have another value than the recorded one."""
    SPENDING = auto()
    """It limits what a run spends."""
    RECORDED_TEXT = auto()
    """It names a file whose text the journal holds: a recorded run keeps that text."""


# Short names, since almost every field has two or three uses.

UNTRUSTED: Final = Use.UNTRUSTED
NO_FLAG: Final = Use.NO_FLAG
ASK: Final = Use.ASK
SERVED: Final = Use.SERVED
RESUMABLE: Final = Use.RESUMABLE
SPENDING: Final = Use.SPENDING
RECORDED_TEXT: Final = Use.RECORDED_TEXT


UserPath: TypeAlias = Annotated[str, AfterValidator(with_home)]
"""A path of the user's, with a leading `~` expanded."""
_OptionalPrices: TypeAlias = Annotated[
    Prices | None, BeforeValidator(_parse_optional_object)
]


class ModelSettings(BaseModel):
    """The settings for requests to one model. The text under each field is its help.

    Words in capitals after a field's type say where else the setting may be used:

    - ASK: it is also an option of the command `ask`.
    - NO_FLAG: only controlplane.toml and the environment set it, no command's option.
    - RESUMABLE: a resumed run may have another value.
    - UNTRUSTED: controlplane.toml may set it even if the user has not trusted that file.
    - RECORDED_TEXT: it names a file, whose text the journal keeps for later.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    model: Annotated[str, RESUMABLE] = ""
    """The model's id at its endpoint."""
    base_url: Annotated[_EndpointUrl, RESUMABLE] = ""
    """Base URL of an OpenAI-compatible endpoint, including /v1. Empty for OpenAI itself."""
    api_key_env: Annotated[_VariableName, NO_FLAG] = "OPENAI_API_KEY"
    """The environment variable that holds the model's key."""
    api: Annotated[Literal["chat", "responses"], ASK] = "chat"
    """The protocol: chat completions, or the Responses API."""
    reply_mode: Annotated[
        Literal["auto", "schema", "tool", "json", "text"], UNTRUSTED, ASK
    ] = "auto"
    """The form of replies: JSON under a schema, a tool's
    arguments, plain JSON, text; auto: the best that works."""
    reasoning_effort: Annotated[str, ASK] = ""
    """Effort of a reasoning model, such as none, low,
    medium or high; the endpoint's default if not given."""
    temperature: Annotated[float | None, UNTRUSTED, ASK] = Field(None, ge=0)
    """The sampling temperature; the endpoint's default if not given."""
    top_p: Annotated[float | None, UNTRUSTED, NO_FLAG] = Field(None, gt=0, le=1)
    """Sample from the likeliest tokens of this total
    probability; the endpoint's default if not given."""
    sampling_seed: Annotated[int | None, UNTRUSTED, NO_FLAG] = None
    """The endpoint's sampling seed; none if not given."""
    max_output_tokens: Annotated[int | None, ASK] = Field(None, ge=1)
    """Maximum number of tokens in a reply."""
    max_context_tokens: Annotated[int | None, UNTRUSTED, ASK] = Field(None, ge=500)
    """Maximum tokens of request and reply together. The model
    is told when few are left. The first message shows fewer
files then; no later one is shortened."""
    model_timeout: Annotated[float, UNTRUSTED, ASK] = Field(
        180.0, gt=0, le=bounds.LONGEST_S
    )
    """Seconds that one request to the model may take."""
    model_patience: Annotated[float, UNTRUSTED] = Field(
        300.0, ge=0, le=bounds.LONGEST_S
    )
    """Seconds for which a step retries a transiently failing model before the run pauses."""
    model_headers: Annotated[_Headers, NO_FLAG] = Field(default_factory=dict)
    """Additional request headers, as JSON; a value $VARIABLE
    is read from the environment and never shown."""
    model_body: Annotated[_Body, NO_FLAG] = Field(default_factory=dict)
    """Additional fields of every request's body, as JSON."""
    thinking_back: Annotated[Literal["auto", "reasoning_content", "none"], NO_FLAG] = (
        "auto"
    )
    """Whether the model gets its earlier thinking back with the next request: as
    its protocol asks for (auto), each reply's reasoning_content, or none."""
    prompt: Annotated[UserPath, ASK, RECORDED_TEXT] = ""
    """A folder of prompt texts that replace the product's
    own (prompts/); the journal keeps them."""
    hints: Annotated[UserPath, ASK, RECORDED_TEXT] = ""
    """A text file appended to the system prompt; the journal keeps it."""
    prices: Annotated[_OptionalPrices, ASK] = None
    """USD per million tokens, as JSON: input, output and, optionally, cached."""


class Profile(ModelSettings):
    """A named model in `[profiles.NAME]` of controlplane.toml;
    settings that it leaves out are the run's."""

    model: str
    """The model's id at its endpoint."""
    base_url: _EndpointUrl = ""
    """The endpoint; the run's own if not given."""
    api_key_env: _VariableName = "OPENAI_API_KEY"
    """The environment variable that holds the key."""
