"""The texts of a trial by their origins, for what cannot be looked up in an index of keys.

`send_money(recipient="Ann Miller")` has a name of two words. An index of all such phrases in all
texts would be too large. So a phrase is searched in the words of the texts: first in the user's
request, then in the other trusted texts, and last in running text, such as mails.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.texts.known_text import KnownText


@dataclass(slots=True)
class TextsByOrigin:
    """The texts of one trial, those of the most trusted origin first."""

    _texts: dict[Origin, list[KnownText]] = field(
        default_factory=lambda: {origin: [] for origin in Origin}
    )

    def add(self, text: KnownText) -> None:
        """Add a text after the others of its origin."""
        self._texts[text.origin].append(text)

    def find_phrase(
        self, phrase: str, *, better_than: KnownText | None
    ) -> KnownText | None:
        """Return the most trusted text with a phrase, ` ann miller `; None if there is none.

        Only texts are searched that are more trusted than the text `better_than`, if it is given.
        """
        for origin, texts in self._texts.items():
            if better_than is not None and origin >= better_than.origin:
                return None  # These texts, and those that follow, are not more trusted.
            for text in texts:
                if text.has_phrase(phrase):
                    return text
        return None
