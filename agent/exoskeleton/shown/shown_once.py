"""Shows each long text only once in a conversation.

If the model reads a file again, it is told where the text stands already:

    texts.shown("A key is lent for ...", "read /docs/a.md")   -> "A key is lent for ..."
    texts.shown("A key is lent for ...", "read /docs/a.md")
        -> "(unchanged: it stands above as the result of read /docs/a.md)"
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from controlplane.agent.exoskeleton.initial_results import InitialResult
from controlplane.agent.initial_calls.call_texts import title_of

_MIN_REFERENCE_CHARS: Final = 200
"""A shorter text is shown again: a reference to the earlier result would be as long."""


@dataclass(frozen=True, slots=True)
class ShownOnce:
    """The texts that one conversation has shown. `shown` adds to them."""

    _title_by_text: dict[str, str] = field(default_factory=dict)
    """The title of the call that returned a text first, such as `read /docs/a.md`."""

    @classmethod
    def after(cls, initial_results: Iterable[InitialResult]) -> ShownOnce:
        """Return the texts that the start of a conversation has shown."""
        title_by_text: dict[str, str] = {}
        for initial in initial_results:
            title = title_of(initial.operation, initial.arguments)
            title_by_text.setdefault(initial.text, title)
        return cls(title_by_text)

    def shown(self, text: str, title: str) -> str:
        """Return the text of a call with this title, or a reference if it was shown before."""
        if len(text) < _MIN_REFERENCE_CHARS:
            return text
        earlier = self._title_by_text.get(text)
        if earlier is not None:
            return f"(unchanged: it stands above as the result of {earlier})"
        self._title_by_text[text] = title
        return text
