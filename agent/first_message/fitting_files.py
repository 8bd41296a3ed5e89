"""The documents and records that the first message shows because they fit the request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final

import re2

from agent.evidence.recorder import CallUnderWay
from agent.first_message.listed_files import NameIndex
from agent.first_message.ranking import beginning_of, lines_pattern, paths_in, scores_of, subjects_of, words_of
from agent.first_message.sections import Room, Section, title_of
from sandbox.interface import Effect, InitialCall, Operation

if TYPE_CHECKING:
    from agent.first_message.initial_calls import FirstMessage

FEW_DOCUMENTS: Final = 4
"""Documents of which all are read, without a search."""
FIT, CLOSE = 0.25, 0.75
"""The shares of the best score at which a file fits, and at which a document comes before those that the best one links
to."""
LEAST_CHARS: Final = 250
"""Min room for which a file is shown for its name."""
_DAY: Final = re2.compile(r"\d{4}-\d\d-\d\d")
_ID: Final = re2.compile(r"\pL+[-_]\pN+")


class FittingFiles:
    """The documents and records that the prompt shows because they fit the request.

    First come those that the request names by exact id or path, then what these link to, then the others by how well
    their names, the rules' words for them, and what is known of their texts fit.
    """

    def __init__(self, message: FirstMessage, documents: list[tuple[InitialCall, Operation, str]]) -> None:
        self._message, self._calls = message, message.calls
        self.pages = [name for *_, name in documents]
        call = documents[0][0] if documents else InitialCall("")
        self._page_read = documents[0][1] if documents else None
        self._page_room = min(call.fitting_chars or 0, message.writer.left)
        self._page_root = str(call.each_of.arguments.get("root") or "/") if call.each_of else "/"
        self._named = self._calls.tool_schema.named_files
        read = self._calls.tool_schema.operation(self._named.read) if self._named else None
        self._read = read if read is not None and read.effect is Effect.READS else None
        request, asker = message.instruction, "\n".join(message.outputs)
        first = request.strip().partition("\n")[0]  # Later lines may be another's note.
        shown = {*self.pages, *self._calls.paths}
        listed = dict.fromkeys(file for file in message.listed.files if file not in shown)
        self._index = NameIndex(listed, self._named.roots if self._named else ())
        paths = [path for path in dict.fromkeys(paths_in(request)) if path in listed]
        self._asked = [*dict.fromkeys([*paths, *self._index.named_in(request)])]
        self._exact = [*dict.fromkeys([*self._asked, *([] if paths else self._index.named_in(asker))])]
        self._asked_pages = [name for name in self.pages if name in paths_in(first)]
        ids = words_of(request if self._asked else f"{request}\n{asker}")
        self._ids = [word for word in ids if _ID.match(word)]
        self._words = [word for word in words_of(first) if word in self._ids or not self._index.named_in(word)]
        self._subjects = subjects_of(message.rules)
        routed = {path.rpartition("/")[0] for path in self._subjects}
        folders = {path for path in paths_in(message.rules) if path not in self.pages} - routed
        self._notices = [name for name in self.pages if name.rpartition("/")[0] in folders and _DAY.search(name)]
        """The documents with a date in their names, in folders that the rules name apart from their documents."""
        self._query = [*self._words, *self._words_for(self._asked)]
        self._searches: list[CallUnderWay] = []
        self._page_ranked: dict[str, tuple[str, str]] = {}
        self._record_ranked: dict[str, tuple[str, str]] = {}
        """Title of each document and path of each record, with what is known of its text."""
        self._page_scores: dict[str, float] = {}
        self._best_records: list[str] = []
        """The records that fit, best first."""
        self._first: list[str] = []
        """The records that are named, and those that they link to."""
        self._shown: list[str] = []

    def search(self) -> None:
        """Begin to read the named files, and to search documents and records for words of the request."""
        if self._page_read is not None and len(self.pages) <= FEW_DOCUMENTS:
            self._calls.read(self._page_read, self.pages, FEW_DOCUMENTS)
        search = self._named.search if self._named else ""
        if self._named and self._read:
            self._calls.read(self._read, self._exact, self._named.most)
            rules = self._message.rules.casefold()
            unknown = [word for word in self._words if beginning_of(word) not in rules]
            # Max words that are looked for in records.
            terms = [*dict.fromkeys([*self._ids, *unknown])][:16]
            for root in self._named.roots if terms and self._calls.tool_schema.operation(search) else ():
                if self._message.listed.below(root) != []:
                    self._searches.append(self._calls.search(search, lines_pattern(terms), root))
        if len(self.pages) > FEW_DOCUMENTS and search and self._query:
            beginnings = sorted(set(map(beginning_of, self._query)))
            pattern = lines_pattern(beginnings, begin=True)
            self._searches.append(self._calls.search(search, pattern, self._page_root))

    def read(self) -> None:
        """Begin to read the documents that fit best, what the named files link to, and the records that fit."""
        lines, texts = (
            self._calls.lines(self._searches),
            self._calls.texts(self._read, self._asked) if self._read else {},
        )
        folded = {path: path.casefold() for path in self._index.kind_of}
        names = "\n".join(folded.values())
        beginnings = [word for word in map(beginning_of, self._words) if word in names]
        named = [path for path, name in folded.items() if any(word in name for word in beginnings)]
        found = [path for path in lines if path in folded]
        self._rank_records({path: lines.get(path, "") for path in [*named, *found]})
        if not self._asked:
            self._query += self._words_for(self._best_records[:2])
        self._rank_pages({name: lines.get(name, "") for name in self.pages})
        if self._page_read is not None:
            best = self._best_pages()[:3]
            self._calls.read(self._page_read, [*self._asked_pages, *best], self._calls.spare)
        if self._named and self._read:
            links = [path for text in texts.values() for path in self._index.named_in(text)]
            self._first = [*self._exact, *self._index.in_turn(links)]
            order = [*self._first, *self._index.in_turn(self._best_records)]
            self._shown = [*dict.fromkeys(order)][: self._named.most]
            # Four calls are kept for the last batch.
            self._calls.read(self._read, self._shown, self._calls.spare - 4)

    def _words_for(self, records: Iterable[str]) -> list[str]:
        """Return the words that the rules have for the folders of some records."""
        paths = [path for path in self._subjects if any(name.startswith(f"{path}/") for name in records)]
        return words_of(" ".join(self._subjects[path] for path in paths))

    def _rank_pages(self, texts: Mapping[str, str]) -> None:
        """Rank the documents anew by what is known of their texts."""
        titles = {name: f"{self._subjects.get(name, '')} {name.rpartition('/')[2]}" for name in texts}
        self._page_ranked |= {name: (titles[name], text) for name, text in texts.items()}
        routed = self._subjects.keys() & {*self.pages} if self._asked else {*self.pages}
        scores = scores_of(self._page_ranked, self._query)
        self._page_scores = {name: score for name, score in scores.items() if name in routed}

    def _rank_records(self, texts: Mapping[str, str]) -> None:
        """Rank the records anew by what is known of their texts."""
        self._record_ranked |= {path: (path, text) for path, text in texts.items()}
        scores = scores_of(self._record_ranked, [*self._words, *self._ids], len(self._index.kind_of))
        ranked = [path for path in scores if path not in self._exact]
        self._best_records = [path for path in ranked if scores[path] >= FIT * scores[ranked[0]]]

    def _best_pages(self, share: float = FIT) -> list[str]:
        """Return the documents with a share of the best score, best first; if none fits, those of the rules."""
        least = share * max(self._page_scores.values(), default=0)
        best = [name for name, score in self._page_scores.items() if name not in self._notices and score >= least]
        return best or [name for name in self._subjects if name in self.pages] or self.pages

    @property
    def page_texts(self) -> dict[str, str]:
        """The texts of the documents that were read."""
        return self._calls.texts(self._page_read, self.pages) if self._page_read else {}

    def chosen(self) -> dict[str, str]:
        """Return the documents to show among those that were read: what the best one links to before the others."""
        texts = self.page_texts
        self._rank_pages(texts)
        ranked = [name for name in [*self._asked_pages, *self._best_pages()] if name in texts]
        linked = [name for name in texts if ranked and name in texts[ranked[0]] and name not in self._notices]
        room, chosen = self._page_room, dict[str, str]()
        for name in dict.fromkeys([*self._asked_pages, *self._best_pages(CLOSE), *linked, *ranked]):
            if name in texts and (len(texts[name]) <= room or not chosen):
                chosen[name] = texts[name]
                room -= len(texts[name])
        return chosen

    def read_linked(self, best: str) -> None:
        """Begin to read the newest notices, what the text of the best document links to, and the next best."""
        if self._page_read is not None:
            linked = [name for name in self.pages if name in best]
            rest = [name for name in self._best_pages() if name not in self.page_texts]
            # The newest notices.
            further = dict.fromkeys([*linked[:2], *rest[:1], *self._notices[-8:], *linked, *rest[:2]])
            self._calls.read(self._page_read, further, self._calls.spare)

    def _state_of(self, name: str) -> str:
        """Return whether a notice is in force, by the last date that the tools that were called first printed, perhaps
        in UTC."""
        days, today = _DAY.findall(name.rpartition("/")[2]), _DAY.findall("\n".join(self._message.outputs))
        if not today or name not in self._notices:
            return ""
        if days[0] <= today[-1]:
            return " (in force)"
        with suppress(ValueError):
            if date.fromisoformat(days[0]) - date.fromisoformat(today[-1]) == timedelta(days=1):
                return f" (in force if local time is ahead: {today[-1]} is the tools' date)"
        return f" (not yet in force: today is {today[-1]})"

    def show_documents(self, chosen: Mapping[str, str]) -> None:
        """Show the chosen documents, the notices about them or about no page, and failures; name the others."""
        operation, room = self._page_read, Room(self._page_room)
        if operation is None:
            return
        texts, pages = self.page_texts, self._subjects.keys() & {*self.pages}
        others, notices = 0, dict[str, list[str]]()
        for name in self.pages:
            call, state = self._calls.sent(operation.name, {operation.subject: name}), self._state_of(name)
            concerned = {page for page in pages if page in texts.get(name, "")}
            is_due = name in self._notices and concerned <= chosen.keys()
            if call is not None and (name in chosen or is_due or name not in texts):
                title = f"{title_of(operation, call.call.arguments)}{state}"
                own = Room(self._page_room) if name in self._notices else room
                self._message.writer.show(Section(operation, title, call, room=own, chars=self._page_room))
            elif state:
                folder, _, file = name.rpartition("/")
                notices.setdefault(folder, []).append(f"{file}{state.partition(':')[0].rstrip(')')})")
            else:
                others += 1
        if others or notices:
            listed = "".join(f"; {folder}/: {', '.join(files)}" for folder, files in notices.items())
            self._message.writer.say(f"(Not shown: {others} documents of {self._page_root}{listed}.)\n")

    def show_records(self) -> None:
        """Show the records, named ones first, as long as there is room."""
        if self._named is None or self._read is None:
            return
        texts = self._calls.texts(self._read, self._shown)
        chars = self._named.each_chars
        self._rank_records({path: text[:chars] for path, text in texts.items() if path not in self._first})
        best = [path for path in self._index.in_turn(self._best_records) if path in texts]
        room = Room(self._named.chars)
        # Characters around the text of a file: its title, and the notice of a cut.
        share = max(room.left // (len(self._exact) + 1) - 160, LEAST_CHARS // 2)
        for path in dict.fromkeys([*self._first, *best, *self._shown]):
            chars = share if path in self._exact else min(share, self._named.each_chars)
            if min(room.left, self._message.writer.left) < min(chars, LEAST_CHARS):
                return
            if call := self._calls.sent(self._read.name, {self._read.subject: path}):
                title = title_of(self._read, call.call.arguments)
                self._message.writer.show(Section(self._read, title, call, room=room, chars=chars))
