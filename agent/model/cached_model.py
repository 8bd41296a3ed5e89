"""A model whose replies are kept in files, so that a repeated request costs nothing.

    model = CachedModel(endpoint, Path("cache"), settings={"model": "gpt-5-mini"})
    model.reply_to(request)    asks the endpoint, and keeps the reply
    model.reply_to(request)    the same reply, from the file, for $0

With other settings, the endpoint is asked again.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from controlplane.agent.model.model import Model
from controlplane.agent.model.model_request import ModelRequest
from controlplane.agent.model.reply import Reply
from controlplane.agent.model.reply_cache import ReplyCache
from controlplane.agent.model.request_key import key_of_request


class CachedModel(Model):
    """Wraps a model, and asks it only for replies that are not kept yet."""

    def __init__(
        self, model: Model, folder: Path, settings: Mapping[str, object]
    ) -> None:
        """`settings` holds what shapes a reply besides the request: model, address, parameters.

        It must not hold secrets, because it becomes part of the cache's keys.
        """
        self.name = model.name
        self._model = model
        self._cache = ReplyCache(folder)
        self._settings = dict(settings)

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the cached reply, or ask the model and cache its reply. Raises `ModelError`."""
        key = key_of_request(request, self._settings)
        kept = self._cache.kept_reply(key)
        if kept is not None:
            return kept
        reply = self._model.reply_to(request)
        is_empty = not reply.text.strip() and not reply.tool_calls
        if is_empty:
            return reply  # An empty reply is not kept, so that the next try asks again.
        try:
            self._cache.keep(reply, key)
        except OSError as error:
            folder = self._cache.folder
            notice = (
                f"a reply could not be kept in the cache {folder}: {error.strerror}"
            )
            return reply.model_copy(update={"notices": (*reply.notices, notice)})
        return reply
