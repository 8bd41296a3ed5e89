"""What endpoints send beside a reply's text, in every spelling of theirs: counts, costs, reasons for an end."""

from __future__ import annotations

import json
import math
from typing import Annotated, Final, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

_CUT: Final = frozenset(
    {"length", "max_tokens", "max_output_tokens", "max_completion_tokens", "model_length", "token_limit"}
    | {"max_length", "model_context_window_exceeded", "context_length"}
)
_FILTERED: Final = frozenset(
    {"content_filter", "safety", "recitation", "blocklist", "prohibited_content", "spii", "refusal", "sensitive"}
    | {"content_filtered", "guardrail_intervened", "image_safety"}
)


def finish_reasons(said: str, native: str = "") -> tuple[str, str]:
    """Return why a reply ended, in one spelling for every vendor, and the vendor's own word if it differs."""
    for word in (said, native):
        known = word.lower().removeprefix("finish_reason_")
        kind = "length" if known in _CUT else "content_filter" if known in _FILTERED else ""
        if kind:
            return kind, native or (said if said != kind else "")
    return said or "stop", native if native != said else ""


def _count(value: object) -> int:
    return int(value) if isinstance(value, int | float) and math.isfinite(value) and value > 0 else 0


def _dollars(value: object) -> float | None:
    try:
        amount = float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else math.nan
    except (ValueError, OverflowError):
        return None
    return amount if math.isfinite(amount) and amount >= 0 else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


Count: TypeAlias = Annotated[int, BeforeValidator(_count)]
"""A number of tokens; 0 for anything else, so that no reply is lost over it."""
Dollars: TypeAlias = Annotated[float | None, BeforeValidator(_dollars)]
"""An amount in USD; None for anything else."""
Word: TypeAlias = Annotated[str, BeforeValidator(_text)]
"""A text; empty for anything else."""


class Wire(BaseModel):
    """Something that an endpoint sends; unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class TokenDetails(Wire):
    """Tokens that count within others."""

    cached_tokens: Count = 0
    reasoning_tokens: Count = 0


def mapping(value: object) -> object:
    """Return `value` if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


Details: TypeAlias = Annotated[TokenDetails, BeforeValidator(mapping)]


def document_of(content: bytes) -> object:
    """Return the JSON of a reply, with U+FFFD for invalid characters. Raises `ValueError` if it is not JSON."""
    try:
        # Python's own reader takes lone surrogates, which models produce if a limit cuts an emoji in two.
        text = content.decode(errors="replace")
        return json.loads(text if "\\ud" not in text.lower() else _without_halves(text))
    except RecursionError as error:
        msg = "it is nested too deeply"
        raise ValueError(msg) from error


def _without_halves(text: str) -> str:
    return well_formed(json.dumps(json.loads(text), ensure_ascii=False))


def fault_of(error: ValueError) -> str:
    """Return in a few words where a reply is malformed."""
    if isinstance(error, ValidationError):
        fault = error.errors()[0]
        return f"{'.'.join(str(step) for step in fault['loc']) or 'body'}: {fault['msg']}"
    return f"body: {error}"


def well_formed(text: str) -> str:
    """Return `text` with U+FFFD for every lone surrogate, which UTF-8 cannot encode."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
