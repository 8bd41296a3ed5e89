"""Reads turn one's trees: the paths of files, a drawing of them, and the files that a text names."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Final

from agent.opening.terms import folded_text
from sandbox.interface import Plain

MOST_NODES: Final = 50_000
DEEPEST: Final = 40
MOST_LISTED: Final = 60
"""Max files of a folder that is to be listed in full."""
_TOKEN: Final = re.compile(r"[\w./-]+")
_ID: Final = re.compile(r"[^\W\d_]+[-_]\d+")
_ID_PART: Final = re.compile(r"-.*\d|\d.*-")
"""A number after or before a hyphen, as in names that are codes."""
_PART: Final = re.compile(r"[^\W\d_]+|\d+")
TIME: Final = re.compile(r"\b\d{4}-\d\d-\d\d(?:T[\d:.]+Z?)?")
_WORD_CHARS: Final = 4
"""Min characters of a word of a file's name that counts; a number counts only beside a word."""
_AMOUNT: Final = re.compile(r"\d+[.,]\w{2}\b")
_COUNT: Final = re.compile(r"^\W*(?:\[\s*\w{1,2}\s*\]\W*)?[\dil]{1,3}\s*[x×]?\s")
"""A quantity at the beginning of a line."""
_SAID: Final = re.compile(r"[^\W_]+")
_NUMBER_WORDS: Final = {"one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6"}
_UNNAMED: Final = 0.2
"""The cost of a part of a file's name that a line does not have."""
_SHORTENED: Final = 0.7
"""The value of a part of a file's name that shortens a word, as `grn` shortens `green`."""
KEPT_READINGS: Final = 4_096
"""Max words whose readings are kept: the lines of a scan repeat most of their words for each kind of file."""
_MOST_ALIKE: Final = 4
"""If more files than this share as many words, none of them is meant."""
MOST_NAMING_CHARS: Final = 100_000
"""Max characters of a text that are looked at."""


def files_below(tree: Mapping[str, Plain], root: str = "/") -> list[str]:
    """Return the paths of all files of a tree, in order; at most `MOST_NODES` nodes are looked at."""
    files: list[str] = []
    left: list[tuple[str, Mapping[str, Plain], int]] = [(root.rstrip("/"), tree, 0)]
    for _ in range(MOST_NODES):
        if not left:
            break
        path, node, depth = left.pop()
        if not node.get("is_dir"):
            files.append(path)
        elif depth < DEEPEST:
            left += [(f"{path}/{child.get('name', '')}", child, depth + 1) for child in reversed(children_of(node))]
    return files


def collapsed_tree(tree: Mapping[str, Plain], longest: int, *, root: str = "/", in_full: Collection[str] = ()) -> str:
    """Return the drawing: a folder with more than `longest` files is one line, with their number and the first.

    A folder that holds only folders is drawn, one line each; the folders in `in_full` are listed up to `MOST_LISTED`.
    """
    listed = {folder.casefold().rstrip("/") for folder in in_full}
    return "\n".join(_drawn(tree, root.rstrip("/"), 0, longest, listed)[0])


def _drawn(
    node: Mapping[str, Plain], path: str, depth: int, longest: int, in_full: Collection[str]
) -> tuple[list[str], list[str], bool]:
    """Return a node's lines, the files below it, and whether a folder below is too large to be listed."""
    indent, name = "  " * depth, _node_name(node)
    if not node.get("is_dir"):
        return [indent + name], [path], False
    title = indent + (name if name == "/" else f"{name}/")
    if node.get("children", ()) is None:
        return [f"{title} (too large to be listed)"], [], True
    children = children_of(node) if depth < DEEPEST else ()
    lines, files, is_cut = [title], list[str](), depth >= DEEPEST
    for child in children:
        below, files_there, is_cut_there = _drawn(child, f"{path}/{_node_name(child)}", depth + 1, longest, in_full)
        lines += below
        files += files_there
        is_cut |= is_cut_there
    start, holds_records = len(path) + 1, depth > 1 or any(not child.get("is_dir") for child in children)
    if depth and path.casefold() in in_full and longest < len(files) <= MOST_LISTED:
        lines = [title, *(f"{indent}  {file[start:]}" for file in files)]
    elif (depth and len(files) > longest and holds_records) or depth >= DEEPEST:
        example = f": {files[0][start:]} .." if files else ""
        lines = [f"{title} ({len(files)}{' or more' if is_cut else ''}{example})"]
    return lines, files, is_cut


def children_of(node: Mapping[str, Plain]) -> Sequence[Mapping[str, Plain]]:
    """Return the children of a folder of a tree, as far as the tree shows them."""
    children = node.get("children")
    return [child for child in children if isinstance(child, dict)] if isinstance(children, list) else []


def _node_name(node: Mapping[str, Plain]) -> str:
    return str(node.get("name", ""))


@dataclass(slots=True)
class ListedFiles:
    """The files that the trees of turn one show."""

    files: list[str] = field(default_factory=list)
    _trees: list[tuple[str, int, Mapping[str, Plain]]] = field(default_factory=list)
    """The trees with their roots and the number of levels that each shows; 0 for all."""
    _below: dict[str, list[str] | None] = field(default_factory=dict)
    """The files below each folder that was asked for."""

    def add(self, root: str, level: int, tree: Mapping[str, Plain]) -> None:
        """Add the files of a tree that shows `level` levels; 0: all."""
        self.files += files_below(tree, root)
        self._trees.append((root, level, tree))
        self._below.clear()

    def below(self, folder: str) -> list[str] | None:
        """Return all files below a folder, sorted; None if no tree shows whether these are all."""
        if folder not in self._below:
            self._below[folder] = self._files_below(folder)
        return self._below[folder]

    def _files_below(self, folder: str) -> list[str] | None:
        for root, level, tree in self._trees:
            if not f"{folder.rstrip('/')}/".startswith(f"{root.rstrip('/')}/"):
                continue
            names = folder.removeprefix(root.rstrip("/")).strip("/").split("/")
            node: Mapping[str, Plain] | None = tree
            depth = 0
            while node is not None and depth < len(names) and names[depth] and _is_shown(node, depth, level):
                node = next((child for child in children_of(node) if child.get("name") == names[depth]), None)
                depth += 1
            if node is None:
                return []
            if (depth == len(names) or not names[0]) and _shows_all(node, depth, level):
                return sorted(files_below(node, folder))
        return None


def _is_shown(folder: Mapping[str, Plain], depth: int, level: int) -> bool:
    """Say whether a tree of `level` levels shows the folder's content."""
    return folder.get("children", ()) is not None and (depth < level or not level)


def _shows_all(node: Mapping[str, Plain], depth: int, level: int) -> bool:
    if not node.get("is_dir"):
        return True
    return _is_shown(node, depth, level) and all(_shows_all(child, depth + 1, level) for child in children_of(node))


def tree_of_paths(paths: Iterable[str]) -> dict[str, Plain]:
    """Return the tree of the workspace that holds just these files."""
    root: dict[str, Plain] = {"name": "/", "is_dir": True, "children": []}
    folders = {"": root}

    def folder(path: str) -> dict[str, Plain]:
        if path not in folders:
            above, _, name = path.rpartition("/")
            folders[path] = {"name": name, "is_dir": True, "children": []}
            _children(folder(above)).append(folders[path])
        return folders[path]

    for path in sorted(paths):
        above, _, name = path.rpartition("/")
        _children(folder(above)).append({"name": name, "is_dir": False})
    return root


def _children(folder: dict[str, Plain]) -> list[Plain]:
    children = folder["children"]
    assert isinstance(children, list)
    return children


class NameIndex:
    """The files below some folders, by name. A file's kind is the folder directly below the root."""

    def __init__(self, files: Iterable[str], roots: Sequence[str]) -> None:
        bases = [root.rstrip("/") + "/" for root in roots]
        self._kinds: dict[str, list[str]] = defaultdict(list)
        self._kind_of: dict[str, str] = {}
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
            kind = self._kind_of[path] = base + folder if is_below else base
            self._kinds[kind].append(path)
            self._paths[path.casefold()] = path
            stem = self._stems[path] = _folded(path.rpartition("/")[2].partition(".")[0])
            self._named[stem].append(path)

    def __contains__(self, path: str) -> bool:
        return path in self._kind_of

    def named_in(self, text: str) -> list[str]:
        """Return the files whose path or name is in `text`, in the order of the text."""
        files: dict[str, None] = {}
        for token in _TOKEN.findall(text[:MOST_NAMING_CHARS]):
            word = token.strip(".-_").casefold()
            paths = [self._paths[word]] if word in self._paths else self._named.get(_folded(word.strip("/")), ())
            files.update(dict.fromkeys(paths))
        return [*files]

    def meant_in(self, text: str) -> list[str]:
        """Return, for each kind, the files whose names share the most words with `text`, if these are few."""
        if text not in self._meant:
            self._meant[text] = self._found_for(text)
        return self._meant[text]

    def _found_for(self, text: str) -> list[str]:
        said = set(_PART.findall(text[:MOST_NAMING_CHARS].casefold()))
        mentioned = []
        for paths, (words, spread) in zip(self._kinds.values(), self._words, strict=True):
            scores = {path: _score(named & said, spread, len(paths)) for path, named in words.items()}
            best = max(scores.values())
            alike = [path for path, score in scores.items() if score == best]
            if best and len(alike) <= min(_MOST_ALIKE, len(paths) - 1):
                mentioned += alike
        return mentioned

    def told_in(self, text: str) -> list[str]:
        """Return the files whose names a scanned text holds, then, for each kind, those that its lines tell in words.

        Similar letters count as one, and a long word may lack a letter. A line counts if it holds a long word that few
        names have; the file that shares the most with the line is meant.
        """
        lines = [_COUNT.sub("", _AMOUNT.sub(" ", line)).strip() for line in text.casefold().splitlines()]
        codes = {folded_text(stem): path for path, stem in self._stems.items() if _ID_PART.search(stem)}
        paths = {codes[token]: None for token in map(folded_text, _TOKEN.findall(text.casefold())) if token in codes}
        for words, spread in self._words:
            rare = {word for word in spread if len(word) > _WORD_CHARS and 2 * spread[word] <= len(words)}
            spelt: dict[str, set[str]] = defaultdict(set)
            for word in rare:
                for reading in _readings(word):
                    spelt[reading].add(word)
            held = [{word for said in _SAID.findall(line) for word in _meant_by(said, spelt)} for line in lines]
            best_before, before = 0.0, set[str]()
            for at, names in enumerate(held):
                if not names:
                    continue
                follows = lines[at + 1] if at + 1 < len(lines) and not held[at + 1] else ""
                said = {*_SAID.findall(f"{lines[at]} {follows} {lines[at]}{follows}")}
                beginnings = tuple(folded_text(name)[:3] for name in names)
                named = {word for word in said if folded_text(word).startswith(beginnings)}
                scores = {
                    path: _told(parts, names, said, named, spread) for path, parts in words.items() if parts & names
                }
                best = max(scores.values())
                alike = [path for path, score in scores.items() if score == best]
                if len(alike) <= 2 and not (names == before and best < best_before):
                    paths.update(dict.fromkeys(alike))
                best_before, before = best, names
        return [*paths]

    @cached_property
    def _words(self) -> list[tuple[dict[str, set[str]], Counter[str]]]:
        """The words of every file's name by kind, with the number of names that have each word."""
        named = [{path: set(_PART.findall(self._stems[path])) for path in paths} for paths in self._kinds.values()]
        return [(words, Counter(word for named in words.values() for word in named)) for words in named]

    def kinds_of(self, paths: Collection[str]) -> list[str]:
        """Return the kinds of these files."""
        return [kind for kind, files in self._kinds.items() if any(file in paths for file in files)]

    def word_of(self, kind: str) -> str:
        """Return the first word that the names of all files of a kind share, such as `loan`, or an empty text."""
        names = [_PART.findall(self._stems[path]) for path in self._kinds.get(kind, ())]
        return next(
            (word for word in (names[0] if names else ()) if word.isalpha() and all(word in name for name in names)), ""
        )

    def files_of(self, kind: str) -> frozenset[str]:
        """Return the files of a kind."""
        return frozenset(self._kinds.get(kind, ()))

    def beside(self, path: str) -> list[str]:
        """Return the files of a kind whose names differ from this file's only in the last part, if these are few."""
        start, separator, _ = self._stems.get(path, "").rpartition("-")
        files = self._kinds[self._kind_of[path]] if separator else []
        similar = [file for file in files if self._stems[file].startswith(f"{start}-") and file != path]
        return similar if len(similar) <= _MOST_ALIKE else []

    def in_turn(self, paths: Iterable[str]) -> list[str]:
        """Return the files ordered so that the first of each kind come before the second of each."""
        seen, turns = Counter[str](), dict[str, int]()
        for path in dict.fromkeys(paths):
            kind = self._kind_of.get(path, path)
            turns[path] = seen[kind]
            seen[kind] += 1
        return sorted(turns, key=lambda path: turns[path])


def newest_first(texts: Mapping[str, str]) -> list[str]:
    """Return the files by the last time in each text, the newest first; files without a time come last."""
    return sorted(texts, key=lambda path: max(TIME.findall(texts[path]), default=""), reverse=True)


def ids_in(text: str) -> list[str]:
    """Return the words of `text` that consist of a word and a number, joined by a hyphen or underscore."""
    tokens = (token.strip(".-_/") for token in _TOKEN.findall(text[:MOST_NAMING_CHARS]))
    return [*dict.fromkeys(token for token in tokens if _ID.fullmatch(token))]


def _score(shared: set[str], spread: Counter[str], files: int) -> float:
    if not any(len(word) >= _WORD_CHARS and not word.isdigit() for word in shared):
        return 0
    return sum(math.log(files / spread[word]) for word in sorted(shared))


@lru_cache(maxsize=KEPT_READINGS)
def _readings(word: str) -> tuple[str, ...]:
    """Return a word with similar letters made equal, then that word without any one of its letters."""
    folded = folded_text(word)
    return (folded, *(folded[:at] + folded[at + 1 :] for at in range(len(folded))))


def _meant_by(said: str, spelt: Mapping[str, set[str]]) -> set[str]:
    """Return the words that a scanned word means, or from which it lacks a letter; else those with a misread letter."""
    readings = _readings(said)
    if spelt.keys().isdisjoint(readings):
        return set()
    exact = {word for word in spelt.get(readings[0], ()) if _readings(word)[0] == readings[0]}
    return exact or {word for reading in readings for word in spelt.get(reading, ())}


def _told(
    parts: Collection[str], names: Collection[str], said: set[str], named: set[str], spread: Counter[str]
) -> float:
    """Return how much of a file's name the words of a line cover; a part that few names have counts more.

    The words in `named` are read as one of `names`, and are shortened by no other part.
    """
    read = {folded_text(word) for word in said} | {_NUMBER_WORDS[word] for word in said if word in _NUMBER_WORDS}
    read |= {part for word in said for part in _PART.findall(word)}
    score = 0.0
    for part in sorted(parts):
        rarity = math.log(1 + spread.total() / spread[part])
        if part in names or folded_text(part) in read or part in read:
            score += rarity
        elif part.isalpha() and len(part) < _WORD_CHARS and any(_shortens(part, word) for word in said - named):
            score += _SHORTENED * rarity
        else:
            score -= _UNNAMED
    return score


def _shortens(part: str, word: str) -> bool:
    """Say whether a part of a name begins like a word, and has letters of the word in order."""
    letters = iter(word)
    return word.startswith(part[0]) and all(letter in letters for letter in part)


def _folded(name: str) -> str:
    return name.casefold().replace("_", "-")
