"""Removes keys and passwords from texts that the user may see.

Errors are shown and recorded, and some servers repeat the key in them:

    Incorrect API key provided: sk-123456   ->   Incorrect API key provided: [key]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import httpx2

from controlplane.agent.endpoint.settings import EndpointSettings

MIN_SECRET_CHARS: Final = 6
"""A shorter key is a placeholder such as `none`. Replacing it everywhere would garble texts."""


@dataclass(frozen=True, slots=True)
class Secrets:
    """The keys and passwords of one endpoint."""

    texts: tuple[str, ...]
    """The secrets, longest first because one may contain another."""

    @classmethod
    def of(cls, settings: EndpointSettings) -> Secrets:
        """Return the secrets in the settings."""
        url = httpx2.URL(settings.base_url or "")
        texts = {settings.api_key, url.password, url.username, *settings.secrets}
        long_texts = [text for text in texts if len(text) >= MIN_SECRET_CHARS]
        return cls(tuple(sorted(long_texts, key=len, reverse=True)))

    def removed_from(self, text: str) -> str:
        """Return a text with `[key]` in place of each secret."""
        for secret in self.texts:
            text = text.replace(secret, "[key]")
        return text
