"""The files that turn one shows for their names: those that the request names or means, and what these name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from agent.evidence.recorder import CallUnderWay
from agent.opening.ranking import (
    PATH,
    Query,
    best_texts,
    codes_in,
    stems,
    telling_stems,
    unknown_words,
)
from agent.opening.sections import Room, Section, title_of
from agent.opening.terms import TermSearch
from agent.opening.workspace_files import (
    MOST_NAMING_CHARS,
    TIME,
    NameIndex,
    ids_in,
    newest_first,
)
from sandbox.interface import Effect, NamedFiles, Operation, Plain

if TYPE_CHECKING:
    from agent.opening.turn_one import Documents, TurnOne

MOST_IN_TURN: Final = 8
"""A file that names more files than this is a list, and the files that it names are not read."""
LEAST_CHARS: Final = 250
"""Min room for which a file is shown for its name."""
MARKS_CHARS: Final = 160
"""Characters around the text of a file: its title, and the notice of a cut."""
MOST_IDS: Final = 8
"""Max names that are looked for in files."""
MOST_HITS: Final = 12
"""Max files that are considered because they hold a name."""
MOST_SEARCHED_ALONE: Final = 3
"""Terms that are searched for one by one if a search for all of them returned only a part."""
MOST_TOLD_CHARS: Final = 2_000
"""Max characters of a text without fields, such as a scan, that is shown, and whose words may refer to files."""
MOST_WEIGHED: Final = 8
"""Max files of a kind that are read to find those that the request means."""
MOST_MEANT: Final = 4
"""Max files of a kind that are shown because the request may mean them."""
ALMOST: Final = 0.65
"""The share of the best score at which a file still counts as meant."""
MOST_LINKS: Final = 2
"""Files meant by words whose names are looked for beside codes: the records that have both are the ones meant."""
SPARED: Final = 2
"""Calls that are kept for the last wave, besides those for notices."""
_NAME: Final = re.compile(r"\w[\w.-]*\w")
_JOINED: Final = re.compile(r"\b[^\W\d_]+(?:-[^\W\d_]+){2,}")
"""A code such as `team-red-three`."""
_AREA: Final = re.compile(r"\b(?:city|town|region|district)\b", re.IGNORECASE)
"""Words for an area, which may refer to all files of a kind."""


class Records:
    """The files that turn one shows for their names: those that the request names or means, and what these name."""

    def __init__(self, turn: TurnOne, named: NamedFiles | None, documents: Iterable[str]) -> None:
        self._turn, self._calls = turn, turn.calls
        read = turn.calls.surface.operation(named.read) if named else None
        self._named = named if read is not None and read.effect is Effect.READS else None
        self._read = read
        self._index = NameIndex(turn.listed.files, named.roots if named else ())
        listed = {*turn.listed.files}.difference(documents)
        request = turn.instruction
        self._asked = [path for path in dict.fromkeys(PATH.findall(request)) if path in listed]
        self._by_word = [] if self._asked or self._named is None else self._named_by_word(self._named)
        few = self._by_word if len(self._by_word) <= MOST_MEANT else []
        self._by_request = [*dict.fromkeys([*self._asked, *self._index.named_in(request)])]
        asker = "\n".join(turn.outputs)
        self._ids = ids_in(request if self._by_request else f"{request}\n{asker}")[:MOST_IDS]
        self._by_request += few
        own = [] if self._asked else self._index.named_in(asker)
        self._exact = [*dict.fromkeys([*self._by_request, *own])]
        self._by_name = [path for path in self._index.meant_in(request) if path not in self._exact]
        self._terms = TermSearch(())
        self._searches: list[CallUnderWay] = []
        self._told: dict[str, str] = {}
        """The lines of each file that hold a word of the request that no document has, or a code as a value."""
        self._holding: list[str] = []
        """The files that hold an id of the request or of who asks."""
        self._shown: list[str] = []
        self._scans: list[str] = []
        self._by_scan: list[str] = []

    def _named_by_word(self, named: NamedFiles) -> list[str]:
        """Return the files outside the records whose names, or else folders, share a word with the request."""
        words = telling_stems([self._turn.instruction])
        roots = [root for root in named.roots if root != named.records]
        files = {file: file.removeprefix(root) for root in roots for file in self._turn.listed.below(root) or ()}
        matching = [file for file, name in files.items() if not words.isdisjoint(stems(name.replace("_", " ")))]
        if not matching and any(not words.isdisjoint(stems(root)) for root in roots):
            matching = [*files]
        return matching

    def search(self) -> None:
        """Begin to read the named files, and to search the others for ids, codes and words that the rules lack."""
        named, request = self._named, self._turn.instruction
        if named is None or self._read is None:
            return
        self._calls.read(self._read, self._exact, named.most)
        joined = [code for code in _JOINED.findall(request) if not self._index.named_in(code)]
        codes = [*codes_in(request), *joined]
        words = unknown_words(request, [self._turn.rules])
        meant = [PurePosixPath(path).stem for path in self._by_name[:MOST_LINKS]] if codes_in(request) else []
        self._terms = TermSearch(
            [*dict.fromkeys([*self._ids, *codes, *words, *meant])], frozenset(codes).difference(self._ids)
        )
        if not (self._terms.terms and named.search and self._calls.surface.operation(named.search)):
            return
        for root in named.roots:
            if self._turn.listed.below(root) != []:
                self._searches.append(self._calls.search(named.search, self._terms.pattern, root))

    def kinds_named(self, subjects: Mapping[str, str]) -> list[str]:
        """Return the folders of the kinds of records that the request names."""
        return self._folders([*self._index.named_in(self._turn.instruction), *self._by_name], subjects)

    def _folders(self, files: Iterable[str], subjects: Mapping[str, str]) -> list[str]:
        """Return the folders of the kinds of these files: those for which the rules have words, else the kinds'."""
        files = [*files]
        held = [path for path in subjects if any(file.startswith(f"{path.rstrip('/')}/") for file in files)]
        return [
            *held,
            *(
                kind
                for kind in self._index.kinds_of(files)
                if not any(f"{path}/".startswith(f"{kind}/") for path in held)
            ),
        ]

    def query(self, documents: Documents) -> Query:
        """Return what the request is about, by its words and by the kinds of the records found."""
        request, rules = self._turn.instruction, self._turn.rules
        unknown = {word.casefold() for word in unknown_words(request, [rules, *documents.texts.values()])}
        telling = unknown | {code.casefold() for code in self._terms.codes}
        ids = set(map(str.casefold, self._ids))
        lines: dict[str, list[str]] = {}
        for path, line in self._found(telling | ids):
            lines.setdefault(path, []).append(line)
        held = {path: self._terms.terms_in("\n".join(texts)) for path, texts in lines.items()}
        self._told = {path: "\n".join(["", *lines[path]]) for path, terms in held.items() if terms & telling}
        self._holding = [path for path, terms in held.items() if terms & ids]
        meant = [*self._index.named_in(request), *self._index.meant_in(request), *self._told]
        others = [*self._asked, *self._by_word]
        kinds = self._folders(meant, documents.subjects)
        own = self._folders(self._holding[:MOST_HITS], documents.subjects)
        values = "".join(self._told.values())
        folders = tuple(f"{path}/" for path in PATH.findall(request))
        return Query(
            request,
            folders=kinds,
            words=self._words_for(kinds, documents.subjects),
            words_of_asker=self._words_for(own, documents.subjects),
            codes=[code for code in codes_in(request) if f'"{code}"' not in values],
            means_records=bool(meant or others) or any(file.startswith(folders) for file in self._turn.listed.files),
            rules=rules,
            subjects=documents.subjects,
        )

    def _words_for(self, kinds: Iterable[str], subjects: Mapping[str, str]) -> str:
        return " ".join(f"{subjects.get(kind, '')} {self._index.word_of(kind)}" for kind in kinds)

    def _found(self, wanted: set[str]) -> list[tuple[str, str]]:
        """Return path and text of the lines found; if a search returned a part, those of the first terms alone too."""
        named, searches = self._named, [*self._searches]
        if named and any(self._calls.result(call).get("truncated") is True for call in searches):
            terms = [term for term in self._terms.terms if term.casefold() in wanted][:MOST_SEARCHED_ALONE]
            patterns = [TermSearch([term], self._terms.codes).pattern for term in terms]
            roots = [str(call.call.arguments["root"]) for call in searches]
            searches += [self._calls.search(named.search, pattern, root) for pattern in patterns for root in roots]
        return [*dict.fromkeys(line for call in searches for line in lines_of(self._calls.result(call)))]

    def read(self, spared: int) -> None:
        """Begin to read what the search found, and what the named files name; `spared` calls are kept for notices."""
        named, read = self._named, self._read
        if named is None or read is None:
            return
        index, request = self._index, self._turn.instruction
        texts = self._calls.texts(read, self._exact)
        scans = [path for path, text in texts.items() if not text.startswith(("{", "["))]
        in_scan = [path for scan in scans if len(texts[scan]) <= MOST_TOLD_CHARS for path in index.told_in(texts[scan])]
        listed = set(self._turn.listed.files)
        linked = {
            path: index.named_in(texts[path]) + _beside(path, texts[path], listed)
            for path in self._by_request
            if path in texts
        }
        then = [file for files in linked.values() if len(set(files)) <= MOST_IN_TURN for file in files]
        self._scans, self._by_scan = scans, in_scan if len(in_scan) <= MOST_IN_TURN else []
        likely = self._likely()
        held = [path for path in self._holding[:MOST_HITS] if path in listed and path not in self._exact]
        first = [
            *index.in_turn(path for paths in likely for path in paths[:MOST_MEANT]),
            *index.in_turn([*in_scan, *then]),
        ]
        rest = [path for paths in likely for path in paths[MOST_MEANT:]]
        self._calls.read(read, dict.fromkeys(first), self._calls.spare - SPARED)
        self._calls.read(read, dict.fromkeys([*held, *rest]), self._calls.spare - SPARED - spared)
        weighed = [self._calls.texts(read, paths) for paths in likely]
        meant = [path for files in weighed for path in best_texts(request, files, MOST_MEANT, share=ALMOST)]
        if _AREA.search(request):
            beside = [file for path in [*self._exact, *meant] for file in index.beside(path)]
            self._calls.read(read, beside, self._calls.spare)
            meant += beside
        newest = newest_first(self._calls.texts(read, held))
        # Of the files that a record names, goods and places have no time: functions look them up.
        by_scan = {file for scan in scans for file in linked.get(scan, ())}
        is_thing = {
            file: file in index and not TIME.search(text) for file, text in self._calls.texts(read, then).items()
        }
        cases = [file for file, without_time in is_thing.items() if file in by_scan or not without_time]
        first = [*self._exact, *index.in_turn(meant), *index.in_turn([*in_scan, *cases])]
        self._shown = [*dict.fromkeys([*first, *newest])][: named.most]

    def _likely(self) -> list[list[str]]:
        """Return, for each kind, the files that the request may mean by words of their names or lines, best first."""
        index, lines_by_kind = self._index, list[list[str]]()
        files_of = {kind: index.files_of(kind) for kind in index.kinds_of([*self._by_name, *self._told])}
        for _, files in sorted(files_of.items(), key=lambda item: len(item[1].intersection(self._told))):
            if len(files.intersection(self._exact)) > 1:
                continue
            held = [path for path in self._told if path in files and path not in self._exact]
            held = [path for path in held if path in self._holding] or held
            named = [path for path in self._by_name if path in files]
            lines = {path: f"{path}{self._told.get(path, '')}" for path in [*named, *held]}
            lines_by_kind.append(best_texts(self._turn.instruction, lines, MOST_WEIGHED))
        return lines_by_kind

    def show(self) -> None:
        """Show the files, named ones first, as long as there is room."""
        named, read = self._named, self._read
        if named is None or read is None:
            return
        room = Room(named.chars)
        for scan, text in self._calls.texts(read, self._scans).items():  # The beginning tells what a table holds.
            self._add(read, [scan], room, len(text) if len(text) <= MOST_TOLD_CHARS else named.each_chars)
        if self._by_scan:  # They share the room equally.
            share = max(room.left // len(self._by_scan) - MARKS_CHARS, LEAST_CHARS // 2)
            self._add(read, self._by_scan, room, min(share, named.each_chars))
        share = max(room.left // (len(self._exact) + 1) - MARKS_CHARS, LEAST_CHARS // 2)
        done = {*self._scans, *self._by_scan}
        self._add(read, [path for path in self._exact if path not in done], room, share)
        done.update(self._exact)
        self._add(read, [path for path in self._shown if path not in done], room, min(share, named.each_chars))

    def _add(self, read: Operation, paths: Iterable[str], room: Room, chars: int) -> None:
        """Show those of the files that were read, at most `chars` characters of each, as long as there is room."""
        for path in paths:
            if min(room.left, self._turn.writer.left) < min(chars, LEAST_CHARS):
                return
            if call := self._calls.sent(read.name, {read.subject: path}):
                self._turn.writer.show(Section(read, title_of(read, call.call.arguments), call, room=room, chars=chars))


def lines_of(result: Mapping[str, Plain]) -> list[tuple[str, str]]:
    """Return path and text of each line that a search found."""
    matches = result.get("matches")
    rows = [row for row in matches if isinstance(row, dict)] if isinstance(matches, list) else []
    return [(str(row.get("path")), str(row.get("text", ""))) for row in rows]


def _beside(path: str, text: str, listed: set[str]) -> list[str]:
    """Return the files of the same folder that a text names without their folder."""
    folder = path.rpartition("/")[0]
    named = (f"{folder}/{name}" for name in dict.fromkeys(_NAME.findall(text[:MOST_NAMING_CHARS])))
    return [file for file in named if file in listed and file != path]
