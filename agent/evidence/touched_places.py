"""What happened at each path that a trial's calls reached: the actions, and the texts that were seen there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from agent.evidence.kept_texts import KeptTexts
from gates.evidence import Action, SeenText, Touch
from gates.paths import spelling_key

MAX_PLACES: Final = 3_000
"""Paths that one trial makes citable."""
MAX_PLACE_CHARS: Final = 500_000
MAX_VARIANTS: Final = 20
"""Spellings of one path that are remembered."""


@dataclass(slots=True)
class _Place:
    """What happened so far at one path, under the spelling that its calls reached."""

    actions: set[Action] = field(default_factory=set)
    seen: dict[int, None] = field(default_factory=dict)
    """Numbers of texts, in their order."""


class TouchedPlaces:
    """The paths that calls reached, in their order, within the bounds of one trial."""

    def __init__(self, texts: KeptTexts) -> None:
        self._texts = texts
        self._places: dict[str, _Place] = {}
        self._room = MAX_PLACE_CHARS
        self._variants: dict[str, list[str]] = {}
        """Paths that calls reached, by their folded spelling."""

    def __contains__(self, path: str) -> bool:
        return path in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def variants(self, key: str) -> Sequence[str]:
        """Return the paths, of this folded spelling, that calls reached."""
        return self._variants.get(key, ())

    def touch(self, path: str, action: Action, seen: SeenText | None = None) -> None:
        """Note that a call did `action` at `path` and saw a text there. A blank one shows nothing."""
        place = self._places.get(path) or self._added(path)
        if place is None:
            return
        place.actions.add(action)
        if seen is not None and (seen.text.strip() or not seen.is_whole):
            place.seen[self._texts.keep(seen)] = None

    def _added(self, path: str) -> _Place | None:
        """Return a new place, or None where there is no room for it."""
        if len(self._places) >= MAX_PLACES or len(path) > self._room:
            return None
        self._room -= len(path)
        variants = self._variants.setdefault(spelling_key(path), [])
        if len(variants) < MAX_VARIANTS:
            variants.append(path)
        return self._places.setdefault(path, _Place())

    def touches(self, right_of: Callable[[str], str]) -> dict[str, Touch]:
        """Return what happened at each path, by the path to cite, which `right_of` gives."""
        touches: dict[str, Touch] = {}
        for path, place in self._places.items():
            right = right_of(path)
            known = touches.get(right, Touch(right, frozenset()))
            seen = tuple(self._texts.texts[number] for number in place.seen)
            touches[right] = Touch(right, known.actions | place.actions, known.seen + seen)
        return touches
