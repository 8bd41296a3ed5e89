"""Keeps what was learned about an endpoint, for the threads of all trials.

If the request of one trial was refused because of `seed`, no later request sends it:

    known = memory.known                                    # takes all
    memory.keep_learned(without_seed, since=known)          -> True
    memory.keep_learned(without_temperature, since=known)   -> False: `known` is outdated
"""

from __future__ import annotations

import threading

from controlplane.agent.endpoint.settings import EndpointSettings
from controlplane.agent.model import Capabilities


class CapabilityMemory:
    """The capabilities that requests have learned so far."""

    def __init__(self, known: Capabilities) -> None:
        self._known = known
        self._lock = threading.Lock()

    @property
    def known(self) -> Capabilities:
        """The capabilities that are known now."""
        return self._known

    def keep_learned(self, learned: Capabilities, *, since: Capabilities) -> bool:
        """Keep what a request has learned for later requests. Return False if it is not kept.

        `since` are the capabilities with which the request began. If another request has
        replaced them meanwhile, its own stay: one has learned that `seed` is refused, and one
        that `top_p` is. A later request learns the other part again, and adds it.
        """
        with self._lock:
            if self._known is not since:
                return False
            self._known = learned
            return True


def untested_capabilities(settings: EndpointSettings) -> Capabilities:
    """Return the capabilities of an endpoint that has not refused anything so far."""
    is_chat = settings.api == "chat"
    return Capabilities(
        endpoint=settings.shown_url,
        model=settings.model,
        length_field="max_tokens" if is_chat else "max_output_tokens",
    )
