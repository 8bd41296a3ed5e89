"""Learns the names of paths from listings and calls, and keeps what was done and seen at each path."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from gates.evidence import Access, Action, SeenText, base_name, canonical, spelling_key
from sandbox.interface import Plain

MAX_PATH_CHARS: Final = 1_024
MAX_SHOWN: Final = 20_000
"""Max paths that one trial learns from its listings; later ones count as not listed."""
MAX_KEPT_BYTES: Final = 4_000_000
"""Max bytes of texts that the evidence of one trial keeps. Beyond them a path stays citable, and a word that is missing
from the kept part of its text proves nothing."""


class PathAliases:
    """Learns names from listings and aliases from calls. An alias, once settled, stays settled for the trial."""

    def __init__(self) -> None:
        self.shown: dict[str, tuple[str, ...]] = {}
        """Paths that a listing showed, by their folded spelling."""
        self.directories: set[str] = set()
        self.aliases: dict[str, str] = {}
        """Paths that calls used, with the path to which each refers."""
        self._room = 1_000_000
        """Characters of paths that may still be learnt."""
        self._learnt: set[str] = set()
        self._names: dict[str, list[str]] = {}
        self._complete: set[str] = set()
        self._missing: set[str] = set()
        self.written: set[str] = set()
        """Paths that the trial wrote, or may have written: these are never aliases of files that it did not write."""
        self._written_keys: set[str] = set()
        self._unsettled: dict[str, None] = {}

    def learn_listing(self, requested_path: str, result: Mapping[str, Plain]) -> tuple[str, ...]:
        """Learn the names that a listing shows; return the earlier paths that turn out to be aliases."""
        if isinstance(result.get("children"), list):
            self._learn_tree(requested_path, result, is_whole=result.get("truncated") is not True)
        elif isinstance(is_directory := result.get("is_dir"), bool):
            if is_directory:
                self.directories.add(requested_path)
            elif "#" in requested_path:
                self.learn_path(requested_path)  # a name, not a fragment of another file
        else:
            self._learn_entries(requested_path, result)
        settled = [path for path in self._unsettled if self._is_settled(path)]
        for path in settled:
            del self._unsettled[path]
        return tuple(path for path in settled if self.right(path) != path)

    def _learn_entries(self, requested_path: str, result: Mapping[str, Plain]) -> None:
        """Learn the paths of a flat listing. A listing whose entries state their kind shows the whole folder."""
        for value in result.values():
            for item in value if isinstance(value, list) else ():
                if isinstance(item, str):
                    self.learn_path(item)
                elif isinstance(item, dict) and isinstance(path := item.get("path"), str):
                    self.learn_path(path)
                    if item.get("is_dir") is True and self._has_room and len(path) <= MAX_PATH_CHARS:
                        self.directories.add(canonical(path))
        if "entries" in result and result.get("truncated") is not True:
            self.directories.add(self.listed(requested_path))
            if self._has_room:
                self._complete.add(spelling_key(requested_path))

    def _learn_tree(self, path: str, node: Mapping[str, Plain], *, is_whole: bool) -> None:
        """Learn the names of a tree. A folder without children may only be too deep for them to be shown."""
        if not self._has_room or len(path) > MAX_PATH_CHARS:
            return
        self.learn_path(path)
        children = node.get("children")
        if node.get("is_dir") is True or children:
            self.directories.add(path)
        if not isinstance(children, list) or not children:
            return
        if is_whole:
            self._complete.add(spelling_key(path))
        for child in children:
            if isinstance(child, dict) and isinstance(name := child.get("name"), str):
                below = canonical(f"{path}/{name}")
                if child.get("is_dir") is True or child.get("children"):
                    self._learn_tree(below, child, is_whole=is_whole)
                else:
                    self.learn_path(below)

    @property
    def _has_room(self) -> bool:
        return self._room > 0 and len(self._learnt) < MAX_SHOWN

    def learn_path(self, path: str) -> None:
        """Learn one path as shown."""
        if path in self._learnt or not (path.startswith("/") and len(path) <= MAX_PATH_CHARS and self._has_room):
            return
        self._learnt.add(path)
        self._room -= len(path)
        key, right = spelling_key(path), canonical(path)
        spellings = self.shown.get(key, ())
        if right in spellings:
            return
        self.shown[key] = (*spellings, right)
        self._names.setdefault(right.rpartition("/")[2], []).append(right)

    def learn_missing(self, path: str) -> None:
        """Remember that a call did not find `path`."""
        self._missing.add(path)

    def learn_written(self, path: str) -> None:
        """Treat `path` as the trial's own file from now on."""
        self.mark_as_own(path)
        self._missing.discard(path)
        self.learn_path(path)

    def mark_as_own(self, *paths: str) -> None:
        """Treat what is read at `paths`, in any case or Unicode form, as the trial's own text."""
        self.written.update(paths)
        self._written_keys.update(map(spelling_key, paths))

    def mark_as_moved(self, path: str, target: str) -> None:
        """Treat `target` as the trial's own, and all that it wrote below `path`, in any case, below `target`."""
        start, depth = f"{spelling_key(path)}/", path.count("/") + 1
        own = [known for known in self.written if spelling_key(known).startswith(start)]
        self.mark_as_own(target, *(f"{target}/{known.split('/', depth)[-1]}" for known in own))

    def is_own(self, path: str) -> bool:
        """Say whether a call for `path` may reach a file that the trial wrote, perhaps in another spelling."""
        key = spelling_key(path)
        return path in self.written or (key in self._written_keys and path not in self.shown.get(key, ()))

    def forget_absences(self) -> None:
        """Treat no path as missing any longer, because a tool may have made files."""
        self._missing.clear()
        self._complete.clear()

    def learn_reached(self, requested_path: str, given: Plain) -> str:
        """Return the path that a call reached; its result may give it under another name."""
        is_path = isinstance(given, str) and given.startswith("/") and len(given) <= MAX_PATH_CHARS
        path = canonical(str(given)) if is_path else requested_path
        if path != requested_path:
            self.aliases[requested_path] = path
        return path

    def settle_path(self, path: str) -> None:
        """Find out whether a path that was read is an alias, now or after a later listing."""
        if not self._is_settled(path) and len(self._unsettled) < 500:
            self._unsettled[path] = None

    def _is_settled(self, path: str) -> bool:
        """Say whether listings settle what `path` is.

        A path that is missing from a whole listing of its folder is another name of the only shown file with its base
        name: some workspaces accept short paths that they do not list.
        """
        if path in self.written or self.shown.get(spelling_key(path)):
            return True
        namesakes = self._names.get(base_name(path), ())
        if len(namesakes) == 1 and spelling_key(_parent(path)) in self._complete:
            self.aliases[path] = namesakes[0]
            return True
        return False

    def listed(self, path: str) -> str:
        """Return the spelling of `path` that listings show, or `path` itself if they show no spelling or several."""
        shown = self.shown.get(spelling_key(path), ())
        return shown[0] if len(shown) == 1 else path

    def right(self, path: str) -> str:
        """Return the path to cite for a path that a call used: aliases resolved, in the spelling of the listings.

        An alias that is itself listed is a separate file.
        """
        for _ in range(2):
            if path in self.written:
                return path
            path = self.aliases.get(path, path) if path not in self.shown.get(spelling_key(path), ()) else path
        return path if path in self.written else self.listed(path)

    def may_exist(self, path: str) -> bool:
        """Say whether a file could be at `path`, as far as is known."""
        if path in self._missing or path in self.directories:
            return False
        return bool(self.shown.get(spelling_key(path))) or spelling_key(_parent(path)) not in self._complete


def _parent(path: str) -> str:
    return path.rpartition("/")[0] or "/"


@dataclass(slots=True)
class _Place:
    actions: set[Action] = field(default_factory=set)
    seen: dict[int, None] = field(default_factory=dict)
    """Numbers of texts, in their order."""


class AccessedPlaces:
    """The paths that calls reached, in their order, and the texts seen there, each kept once."""

    def __init__(self, most_bytes: int = 0) -> None:
        self.texts: list[SeenText] = []
        """The texts by number, in the order in which they were first seen."""
        self._numbers: dict[SeenText, int] = {}
        self._text_room = most_bytes or MAX_KEPT_BYTES
        self._places: dict[str, _Place] = {}
        self._room = 500_000
        """Characters of paths that may still become citable."""

    def __contains__(self, path: str) -> bool:
        return path in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def add_action(self, path: str, action: Action, seen: SeenText | None = None) -> None:
        """Note that a call did `action` at `path` and saw a text there. A blank text shows nothing."""
        place = self._places.get(path)
        if place is None:
            if len(self._places) >= 3_000 or len(path) > self._room:
                return
            self._room -= len(path)
            place = self._places[path] = _Place()
        place.actions.add(action)
        if seen is not None and (seen.text.strip() or not seen.is_whole):
            number = self._keep(seen)
            if action == "write":
                place.seen.pop(number, None)  # What was written last comes last.
            place.seen[number] = None

    def _keep(self, seen: SeenText) -> int:
        """Keep a text, as far as there is room, and return its number."""
        number = self._numbers.get(seen)
        if number is not None:
            return number
        text = seen.text + seen.tainted
        size = len(text) * (1 if text.isascii() else 4)
        if size > self._text_room:
            kept = 0 if seen.tainted else self._text_room * len(seen.text) // size
            seen = replace(seen, text=seen.text[:kept], is_whole=False, tainted="")
        number = self._numbers.setdefault(seen, len(self.texts))
        if number == len(self.texts):
            self.texts.append(seen)
            self._text_room = max(self._text_room - size - 500, 0)  # 500 bytes for the object
        return number

    def accesses(self, right_of: Callable[[str], str]) -> dict[str, Access]:
        """Return what happened at each path, by the path to cite, which `right_of` returns."""
        accesses: dict[str, Access] = {}
        for path, place in self._places.items():
            right = right_of(path)
            access = accesses.get(right, Access(right, frozenset()))
            seen = tuple(self.texts[number] for number in place.seen)
            accesses[right] = Access(right, access.actions | place.actions, access.seen + seen)
        return accesses
