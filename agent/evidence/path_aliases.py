"""Which paths a trial's listings have shown, and which path each spelling that its calls used stands for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gates.paths import base_name, canonical, spelling_key
from sandbox.interface import Plain

MAX_PATH_CHARS: Final = 1_024
MAX_SHOWN: Final = 20_000
"""Paths that one trial learns from its listings; later ones are taken for not listed."""
MAX_SHOWN_CHARS: Final = 1_000_000
_MAX_SOURCES: Final = 20
_MAX_UNSETTLED: Final = 500


class PathAliases:
    """Learns names from listings and aliases from calls. An alias, once settled, stays settled for the trial."""

    def __init__(self) -> None:
        self.shown: dict[str, tuple[str, ...]] = {}
        """Paths that a listing showed, by their folded spelling."""
        self.directories: set[str] = set()
        self.aliases: dict[str, str] = {}
        """Paths that calls used, and the path that each turned out to be."""
        self._sources: dict[str, list[str]] = {}
        self._room = MAX_SHOWN_CHARS
        self._learnt: set[str] = set()
        self._names: dict[str, list[str]] = {}
        self._complete: set[str] = set()
        self._missing: set[str] = set()
        self._unsettled: dict[str, None] = {}

    def learn_listing(self, asked: str, result: Mapping[str, Plain]) -> tuple[str, ...]:
        """Take the names that a listing of `asked` shows; return the earlier paths that turn out to be aliases."""
        if isinstance(result.get("children"), list):
            self._learn_tree(asked, result, is_whole=result.get("truncated") is not True)
        elif isinstance(is_directory := result.get("is_dir"), bool):
            if is_directory:
                self.directories.add(asked)
            elif "#" in asked:
                self.learn(asked)  # a name, and no fragment of another file
        else:
            self._learn_entries(asked, result)
        found = [path for path in self._unsettled if self._is_settled(path)]
        for path in found:
            del self._unsettled[path]
        return tuple(path for path in found if self.right(path) != path)

    def _learn_entries(self, asked: str, result: Mapping[str, Plain]) -> None:
        """Take the paths of a flat listing. One with entries that say what they are shows the whole folder."""
        for value in result.values():
            for each in value if isinstance(value, list) else ():
                if isinstance(each, str):
                    self.learn(each)
                elif isinstance(each, dict) and isinstance(path := each.get("path"), str):
                    self.learn(path)
                    if each.get("is_dir") is True and self._has_room and len(path) <= MAX_PATH_CHARS:
                        self.directories.add(canonical(path))
        if "entries" in result and result.get("truncated") is not True:
            self.directories.add(self.listed(asked))
            if self._has_room:
                self._complete.add(spelling_key(asked))

    def _learn_tree(self, path: str, node: Mapping[str, Plain], *, is_whole: bool) -> None:
        """Take the names of a tree. A folder drawn without children may only lie too deep to be shown."""
        if not self._has_room or len(path) > MAX_PATH_CHARS:
            return
        self.learn(path)
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
                    self.learn(below)

    @property
    def _has_room(self) -> bool:
        return self._room > 0 and len(self._learnt) < MAX_SHOWN

    def learn(self, path: str) -> None:
        """Take one path as shown."""
        if path in self._learnt or not (path.startswith("/") and len(path) <= MAX_PATH_CHARS and self._has_room):
            return
        self._learnt.add(path)
        self._room -= len(path)
        key, right = spelling_key(path), canonical(path)
        known = self.shown.get(key, ())
        if right in known:
            return
        self.shown[key] = (*known, right)
        name = right.rpartition("/")[2]
        namesakes = self._names.get(name)
        if namesakes is None:
            self._names[name] = [right]
        else:
            namesakes.append(right)

    def learn_missing(self, path: str) -> None:
        """Remember that a call did not find `path`."""
        self._missing.add(path)

    def learn_written(self, path: str) -> None:
        """Take `path` as there from now on."""
        self._missing.discard(path)
        self.learn(path)

    def forget_absences(self) -> None:
        """Take nothing for missing any more, because a tool may have made files."""
        self._missing.clear()
        self._complete.clear()

    def learn_reached(self, asked: str, given: Plain) -> str:
        """Return the path that a call for `asked` reached, which its result may give under another name."""
        is_path = isinstance(given, str) and given.startswith("/") and len(given) <= MAX_PATH_CHARS
        path = canonical(str(given)) if is_path else asked
        if path != asked:
            self._alias(asked, path)
        return path

    def _alias(self, asked: str, path: str) -> None:
        self.aliases[asked] = path
        sources = self._sources.setdefault(path, [])
        if len(sources) < _MAX_SOURCES and asked not in sources:
            sources.append(asked)

    def sources(self, path: str) -> list[str]:
        """Return paths that may stand for `path`: itself, and those that calls used for it."""
        near = [path, *self._sources.get(path, ())]
        return near + [far for each in near[1:] for far in self._sources.get(each, ())]

    def settle(self, path: str) -> None:
        """Find out whether a path that was read is an alias, now or when a later listing tells."""
        if not self._is_settled(path) and len(self._unsettled) < _MAX_UNSETTLED:
            self._unsettled[path] = None

    def _is_settled(self, path: str) -> bool:
        """Say whether listings tell what `path` is.

        A path that a whole listing of its folder does not hold is another name of the one file that was shown with its
        base name: some workspaces answer to short paths that they do not list.
        """
        if self.shown.get(spelling_key(path)):
            return True
        namesakes = self._names.get(base_name(path), ())
        if len(namesakes) == 1 and spelling_key(_parent(path)) in self._complete:
            self._alias(path, namesakes[0])
            return True
        return False

    def listed(self, path: str) -> str:
        """Return the spelling of `path` that listings show, or `path` itself if they show none or several."""
        shown = self.shown.get(spelling_key(path), ())
        return shown[0] if len(shown) == 1 else path

    def right(self, path: str) -> str:
        """Return the path to cite for one that a call used: aliases resolved, in the spelling of the listings.

        An alias that is listed itself is a file in its own right.
        """
        for _ in range(2):
            path = self.aliases.get(path, path) if path not in self.shown.get(spelling_key(path), ()) else path
        return self.listed(path)

    def may_exist(self, path: str) -> bool:
        """Say whether a file could be at `path`, by all that is known."""
        if path in self._missing or path in self.directories:
            return False
        return bool(self.shown.get(spelling_key(path))) or spelling_key(_parent(path)) not in self._complete


def _parent(path: str) -> str:
    return path.rpartition("/")[0] or "/"
