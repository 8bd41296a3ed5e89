"""Finds the files that a text names: by path, by the name of the file, or by words of that name."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from functools import cached_property
from typing import Final

_TOKEN: Final = re.compile(r"[\w./-]+")
_ID: Final = re.compile(r"[^\W\d_]+[-_]\d+")
_PART: Final = re.compile(r"[^\W\d_]+|\d+")
_WORD_CHARS: Final = 4
"""A word of a file's name counts from this length on; a number does only beside one."""
_MOST_ALIKE: Final = 4
"""If more files share as many words, none of them is meant."""
MOST_CHARS: Final = 100_000
"""Characters of a text that are looked at."""


class NameIndex:
    """The files below some folders, by name. A file's kind is the folder directly below the root."""

    def __init__(self, files: Iterable[str], roots: Sequence[str]) -> None:
        bases = [each.rstrip("/") + "/" for each in roots]
        self._kinds: dict[str, list[str]] = defaultdict(list)
        self._paths: dict[str, str] = {}
        self._named: dict[str, list[str]] = defaultdict(list)
        self._stems: dict[str, str] = {}
        self._meant: dict[str, list[str]] = {}
        for path in files:
            for base in bases:  # quicker than `next` for the many files of a world
                if path.startswith(base):
                    break
            else:
                continue
            folder, is_below, _ = path.removeprefix(base).partition("/")
            self._kinds[base + folder if is_below else base].append(path)
            self._paths[path.casefold()] = path
            stem = self._stems[path] = _folded(path.rpartition("/")[2].partition(".")[0])
            self._named[stem].append(path)

    def named_in(self, text: str) -> list[str]:
        """Return the files whose path or name stands in `text`, in its order."""
        found: dict[str, None] = {}
        for token in _TOKEN.findall(text[:MOST_CHARS]):
            word = token.strip(".-_").casefold()
            paths = [self._paths[word]] if word in self._paths else self._named.get(_folded(word.strip("/")), ())
            found.update(dict.fromkeys(paths))
        return [*found]

    def meant_in(self, text: str) -> list[str]:
        """Return of each kind the files whose names share the most words with `text`, if they are few."""
        if text not in self._meant:
            self._meant[text] = self._found_for(text)
        return self._meant[text]

    def _found_for(self, text: str) -> list[str]:
        said = set(_PART.findall(text[:MOST_CHARS].casefold()))
        found = []
        for paths, (words, spread) in zip(self._kinds.values(), self._words, strict=True):
            scores = {path: _score(each & said, spread, len(paths)) for path, each in words.items()}
            best = max(scores.values())
            alike = [path for path, score in scores.items() if score == best]
            if best and len(alike) <= min(_MOST_ALIKE, len(paths) - 1):
                found += alike
        return found

    @cached_property
    def _words(self) -> list[tuple[dict[str, set[str]], Counter[str]]]:
        """Of each kind, the words of every file's name, and in how many of them each word stands."""
        named = [{path: set(_PART.findall(self._stems[path])) for path in paths} for paths in self._kinds.values()]
        return [(words, Counter(word for each in words.values() for word in each)) for words in named]

    def kinds_of(self, paths: Collection[str]) -> list[str]:
        """Return the kinds of these files."""
        return [kind for kind, files in self._kinds.items() if any(each in paths for each in files)]

    def samples(self, folder: str, shown: Collection[str]) -> list[str]:
        """Return the first file of each kind below `folder` of which none is shown."""
        return [
            paths[0]
            for kind, paths in self._kinds.items()
            if kind.startswith(folder.rstrip("/") + "/") and not any(each in shown for each in paths)
        ]


def ids_in(text: str) -> list[str]:
    """Return the words of `text` that are a word and a number, joined by a hyphen or underscore."""
    tokens = (token.strip(".-_/") for token in _TOKEN.findall(text[:MOST_CHARS]))
    return [*dict.fromkeys(each for each in tokens if _ID.fullmatch(each))]


def _score(shared: set[str], spread: Counter[str], files: int) -> float:
    if not any(len(word) >= _WORD_CHARS and not word.isdigit() for word in shared):
        return 0
    return sum(math.log(files / spread[word]) for word in sorted(shared))


def _folded(name: str) -> str:
    return name.casefold().replace("_", "-")
