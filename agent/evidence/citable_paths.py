"""Which path a citation stands for, and whether the trial may cite it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Final, TypeAlias

from agent.evidence.path_aliases import PathAliases
from agent.evidence.touched_places import MAX_VARIANTS, TouchedPlaces
from gates.paths import canonical, spelling_key, split_fragment
from gates.plain_data import quote
from gates.submission import fault_of_reason

MAX_NEAR: Final = 1_000
MAX_NEAR_CHARS: Final = 50_000
"""How many paths, and how many characters of them, are compared with one that was not read."""

Nearest: TypeAlias = Callable[[str, list[str]], str]
"""Returns the path of a list that is nearest to another one, or an empty string."""


class CitablePaths:
    """Answers citations, call by call, from what was touched and what listings showed."""

    def __init__(self, spellings: PathAliases, places: TouchedPlaces, nearest_of: Nearest) -> None:
        """`nearest_of` compares paths that may be long and many."""
        self._spellings = spellings
        self._places = places
        self._nearest_of = nearest_of

    def cite(self, path: str, reason: str) -> str:
        """Return the spelling under which `path` is to be cited, its fragment kept.

        Raises `ValueError` with a message for the script: the path was not read (it names the nearest kin that was), is
        a folder, or the reason has under 8 characters.
        """
        if fault := fault_of_reason(path, reason):
            raise ValueError(fault)
        base, fragment = split_fragment(path.strip())
        right, is_touched = self._find(path.strip())
        if not right:
            right, is_touched = self._find(base)
        else:
            fragment = ""
        if right in self._spellings.directories:
            msg = f"{quote(path)} is a folder: cite the files in it that were read."
            raise ValueError(msg)
        if not is_touched:
            msg = f"{quote(path)} was not read in this trial{self._nearest_note(path)}: read it before citing it."
            raise ValueError(msg)
        return right + fragment

    def is_untouched(self, path: str) -> bool:
        """Say whether no call has reached `path`."""
        return not self._find(path)[1]

    def _find(self, asked: str) -> tuple[str, bool]:
        """Return the path to cite for `asked`, empty if nothing is known of it, and whether the trial touched it.

        Finds what `Evidence.find` finds, without building a view; of many spellings of one path it looks at the first.
        """
        path = canonical(asked.strip())
        if path in self._spellings.aliases or path in self._places:
            path = self._spellings.right(path)
        key = spelling_key(path)
        shown = self._spellings.shown.get(key, ())
        touched = self._touched_paths(path, key)
        if path in touched or path in self._spellings.directories or path in shown:
            return path, path in touched
        known = dict.fromkeys((*shown, *touched))
        return (next(iter(known)), bool(touched)) if len(known) == 1 else ("", False)

    def _touched_paths(self, path: str, key: str) -> set[str]:
        """Return the paths to cite, of this folded spelling, for what calls reached."""
        right_of, shown = self._spellings.right, self._spellings.shown.get(key, ())
        reached = [path, *self._places.variants(key), *shown[:MAX_VARIANTS]]
        sources = {source for each in reached for source in self._spellings.sources(each)}
        found = {right_of(each) for each in sources if each in self._places}
        return {each for each in found if spelling_key(each) == key}

    def _nearest_note(self, reference: str) -> str:
        """Return a note that names the read path nearest to an unread one, or an empty string."""
        known, room = [], MAX_NEAR_CHARS
        for each in islice(self._places, MAX_NEAR):
            known.append(self._spellings.right(each))
            room -= len(each)
            if room < 0:
                break
        near = self._nearest_of(reference, known) if known else ""
        return f" (nearest that was read: {quote(near)})" if near else ""
