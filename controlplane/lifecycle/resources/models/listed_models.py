"""Finds a model in an endpoint's list of models."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from controlplane.agent.endpoint.listed_model import ListedModel


def is_listed(name: str, listed_names: Iterable[str]) -> bool:
    """Return True if a listed name contains `name` or is contained in it, in any case.

    Endpoints often list `vendor/model` or `model-2025-08-07` for `model`.
    """
    folded_name = name.casefold()
    for listed_name in listed_names:
        folded_listed = listed_name.casefold()
        if folded_name in folded_listed or folded_listed in folded_name:
            return True
    return False


def context_tokens_of(name: str, models: Sequence[ListedModel]) -> int | None:
    """Return the size of a model's context in tokens, according to an endpoint's list of models.

    None if the list does not say. A server of a single model, such as llama.cpp,
    accepts any name, so the name is ignored there.
    """
    if len(models) == 1:
        return models[0].context_tokens
    for model in models:
        if model.model_id == name:
            return model.context_tokens
    return None
