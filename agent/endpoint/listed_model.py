"""Reads an endpoint's list of models (`/models`), with the size of each model's context.

The user can choose among the models. Servers give the size in different fields:

    {"data": [{"id": "qwen3", "max_model_len": 32768}, {"id": "glm"}]}
        -> ListedModel("qwen3", 32768), ListedModel("glm")
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

CONTEXT_FIELDS: Final = (
    "n_ctx",  # llama.cpp, inside of `meta`
    "max_model_len",  # vLLM
    "context_length",  # OpenRouter, Together
    "context_window",  # Groq
    "max_context_length",  # Mistral
)
"""The fields in which servers give the size of a model's context in tokens."""


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model that an endpoint lists."""

    model_id: str
    context_tokens: int | None = None
    """The size of the context, for request and reply
    together; None if the list does not give it."""


def listed_models(content: bytes) -> tuple[ListedModel, ...]:
    """Return the models of a list; empty if it cannot be read.

    {"data": [{"id": "qwen3"}, {"id": "glm"}]}  -> two models
    """
    try:
        models = [listed_model(entry) for entry in json.loads(content)["data"]]
    except (ValueError, TypeError, LookupError, RecursionError):
        return ()
    return tuple(model for model in models if model.model_id.isprintable())


def listed_model(entry: Mapping[str, Any]) -> ListedModel:
    """Return the model of an entry.

    Raises `LookupError` or `TypeError` for anything else.

    {"id": "qwen3", "max_model_len": 32768}   -> ListedModel("qwen3", 32768)
    {"id": "qwen3", "meta": {"n_ctx": 8192}}  -> ListedModel("qwen3", 8192)
    """
    fields = dict(entry)
    meta = fields.get("meta")
    if isinstance(meta, dict):
        fields.update(meta)  # llama.cpp has the size there.
    return ListedModel(str(entry["id"]), context_tokens_in(fields))


def context_tokens_in(fields: Mapping[str, Any]) -> int | None:
    """Return the size of the context: `{"max_model_len": 32768}` -> 32768; None without one."""
    for name in CONTEXT_FIELDS:
        tokens = fields.get(name)
        if type(tokens) is int and tokens > 0:  # `True` is not a size.
            return tokens
    return None
