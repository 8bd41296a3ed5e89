"""Makes the opening calls in at most four waves, and chooses what the initial prompt shows of them.

1. what the environment declares: the tree, who asks, the time, the rules
2. files that the request names, a search for its ids and words in records, and one for its words in documents
3. the documents and records that fit best, and what the named records link to
4. documents that the best one links to, notices, and the help of tools
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, timedelta
from fnmatch import fnmatchcase
from typing import Final

import re2

from agent.events.trial_events import CallRecord, ConversationOpened, SaidMessage
from agent.evidence.recorder import CallUnderWay, Recorder
from agent.opening.listed_files import ListedFiles, NameIndex, tree_of_paths
from agent.opening.ranking import (
    RankedTexts,
    beginning_of,
    lines_pattern,
    paths_in,
    subjects_of,
    words_of,
)
from agent.opening.sections import HELP, Room, Section, SectionWriter, result_text, title_of
from sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    EachOf,
    Effect,
    OpeningCall,
    Operation,
    Plain,
    Surface,
    error_codes,
)

EVERY_SEARCH_FAILED: Final = "the environment refuses every search of turn one"
FIND: Final = "find"
ALL_FILES: Final[Mapping[str, Plain]] = {"name": "*", "root": "/", "kind": "files", "limit": 0}
MOST_CALLS: Final = 24
"""Max opening calls, besides the list of files for a tree that is too large for one call, and tries of a tool."""
MOST_LINES: Final = 1_000
"""Max lines of one search."""
FEW_DOCUMENTS: Final = 4
"""Documents of which all are read, without a search."""
BEST_DOCUMENTS: Final = 3
"""Documents that are read because they fit best."""
FEW_NOTICES, MOST_NOTICES = 4, 8
"""Notices for which calls are kept, and max notices that are read: the newest ones."""
FEW_TOOLS: Final = 3
"""Tools of which all help is shown."""
MOST_LINKS: Final = 8
"""A file that names more files than this is a list, and the files that it names are not read."""
MOST_TERMS: Final = 16
"""Max words that are looked for in records."""
MOST_PROSE_CHARS: Final = 2_000
"""Max characters of a named text without fields whose words count as words of the request."""
SPARED: Final = 2
"""Calls that are kept for the last wave, besides those for notices."""
LEAST_CHARS: Final = 250
"""Min room for which a file is shown for its name."""
MARKS_CHARS: Final = 160
"""Characters around the text of a file: its title, and the notice of a cut."""
FIT, CLOSE, ALMOST = 0.25, 0.75, 0.5
"""The shares of the best score at which a document fits, at which it comes before those that the best one links to, and
at which a record of one kind fits."""
_DAY: Final = re2.compile(r"\d{4}-\d\d-\d\d")
_ID: Final = re2.compile(r"\pL+[-_]\pN+")

Declared = tuple[OpeningCall, Operation]


@dataclass(frozen=True, slots=True)
class InitialPromptLimits:
    """Limits on the first message's content. Content that is cut does not count as read."""

    section_chars: int = 12_000
    """Characters of one document or listing."""
    total_chars: int = 120_000
    """Characters of all documents and listings."""


class OpeningCalls:
    """The opening calls. Calls that only read go out at once, if the environment allows several at a time."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.surface = recorder.surface
        self._sent: dict[str, CallUnderWay] = {}
        self._uncounted = 0

    @property
    def spare(self) -> int:
        """Calls that may still be made, apart from those that are declared."""
        return MOST_CALLS + self._uncounted - len(self._sent)

    def send(
        self, operation: str, arguments: Mapping[str, Plain], *, is_counted: bool = True, attempt: int = 1
    ) -> CallUnderWay:
        """Begin a call, or return the same call that was begun before; one that may change something is made alone."""
        key = _key_of(operation, arguments) + (f" {attempt}" if attempt > 1 else "")
        if key not in self._sent:
            only_reads = not self.surface.may_change(operation, arguments)
            if not only_reads:
                for call in self._sent.values():
                    self.recorder.outcome(call)
            self._uncounted += not is_counted
            self._sent[key] = self.recorder.send(operation, arguments, begins=only_reads)
            if not (only_reads and self.surface.reads_side_by_side):
                self.recorder.outcome(self._sent[key])
        return self._sent[key]

    def result(self, call: CallUnderWay) -> Mapping[str, Plain]:
        """Wait for a call and return its result; an empty mapping if it failed."""
        return self.recorder.outcome(call).result or {}

    def read(self, operation: Operation, paths: Iterable[str], most: int) -> None:
        """Begin to read files, at most `most`, as long as there are calls to spare."""
        calls = [{operation.subject: path} for path in paths]
        left = [call for call in calls if self.sent(operation.name, call) is None]
        for call in left[: max(min(most, self.spare), 0)]:
            self.send(operation.name, call)

    @property
    def paths(self) -> set[str]:
        """The paths that calls were begun for."""
        return {str(call.call.arguments.get("path")) for call in self._sent.values()}

    def sent(self, operation: str, arguments: Mapping[str, Plain]) -> CallUnderWay | None:
        """Return the call if it was begun."""
        return self._sent.get(_key_of(operation, arguments))

    def texts(self, operation: Operation, paths: Iterable[str]) -> dict[str, str]:
        """Return the texts of those of the files that were read."""
        calls = {path: self.sent(operation.name, {operation.subject: path}) for path in paths}
        results = {path: self.result(call) for path, call in calls.items() if call is not None}
        return {path: result_text(operation, result) for path, result in results.items() if result}

    def search(self, operation: str, pattern: str, root: str) -> CallUnderWay:
        """Begin to search all lines below a folder."""
        return self.send(operation, {"pattern": pattern, "root": root, "limit": MOST_LINES})

    def lines(self, searches: Iterable[CallUnderWay]) -> dict[str, str]:
        """Return the lines that searches found, by path."""
        lines: dict[str, str] = {}
        for call in searches:
            matches = self.result(call).get("matches")
            for row in matches if isinstance(matches, list) else ():
                if isinstance(row, dict):
                    lines[str(row.get("path"))] = f"{lines.get(str(row.get('path')), '')}{row.get('text', '')}\n"
        return lines

    def receive_all(self, shown_chars: Mapping[int, int]) -> None:
        """Record every call in the order in which they were sent, with the characters of each that are shown."""
        for call in self._sent.values():
            whole = None if call.call.operation == FIND else 0
            with suppress(CallError):
                self.recorder.receive(call, shown_chars=shown_chars.get(call.number, whole))

    def leave(self) -> None:
        """Wait for calls whose results are no longer needed, because work on the trial ends."""
        self.recorder.await_calls(self._sent.values())


def _key_of(operation: str, arguments: Mapping[str, Plain]) -> str:
    return f"{operation}{arguments if len(arguments) == 1 else sorted(arguments.items())}"


class Opening:
    """The sections of an initial prompt: what the environment declares, then what fits the request."""

    def __init__(self, recorder: Recorder, instruction: str, limits: InitialPromptLimits) -> None:
        self.calls = OpeningCalls(recorder)
        self.writer = SectionWriter(recorder, instruction, limits.section_chars, limits.total_chars)
        self.instruction = instruction
        self.rules = ""
        self.listed = ListedFiles()
        self.down: set[str] = set()
        """Tools that a declared call found to be down."""
        self.outputs: list[str] = []
        """Output of tools that were not asked for help."""
        self.surface = recorder.surface

    def open(self) -> Opening:
        """Make the opening calls and write their sections. Every call is recorded, with its error if it failed.

        If no room is left, no further calls are made; the rules are always read, because the gates need them.
        """
        try:
            declared = declared_calls(self.surface)
            self._show_first(declared)
            if self.writer.left > 0:
                self._show_further(declared)
            if self.writer.left <= 0:
                self.writer.say("(There was no room to open everything.)\n")
            self.calls.receive_all(self.writer.shown_chars)
        finally:
            self.calls.leave()
        return self

    @property
    def offered(self) -> Surface:
        """The environment's declaration without the tools that are down."""
        return replace(
            self.surface, executables=tuple(tool for tool in self.surface.executables if tool.path not in self.down)
        )

    def message(self, prompt: str) -> list[str]:
        """Return the pieces of the first message: the sections, then a prompt with the instruction.

        The instruction comes last, so that trials share the text before it.
        """
        pieces = self.writer.pieces
        if not pieces or self.surface.citations == "none":  # The text before the instruction is about citing them.
            prompt = prompt[max(prompt.find("<instruction>"), 0) :]
        return [*pieces, prompt]

    def conversation(
        self, system: str, message: Sequence[str], exchange: Sequence[SaidMessage] = ()
    ) -> ConversationOpened:
        """Return the begin of a conversation, with the calls that were made for it."""
        recorder = self.calls.recorder
        return ConversationOpened(
            trial_id=recorder.trial_id,
            system=system,
            turn_one=tuple(message),
            exchange=tuple(exchange),
            calls=tuple(recorder.calls),
            rules=self.rules,
        )

    def _show_first(self, declared: list[Declared]) -> None:
        """Make the declared calls that need no other, side by side, and show their results."""
        has_tree = any(operation.drawn_as_tree for _, operation in declared)
        begun = [
            (call, operation, self.calls.send(operation.name, call.arguments, is_counted=call.most_chars != 0))
            for call, operation in first_calls(self.surface)
            if self.writer.left > 0 or _is_rules(self.surface, operation, call.arguments)
        ]
        for call, _ in declared:
            if call.each_of and not (has_tree and _is_listing_of_tree(call.each_of)):
                self.calls.send(call.each_of.operation, call.each_of.arguments)
        again = {sent.number: self._repeated(operation, sent) for _, operation, sent in begun}
        for call, operation, sent in begun:
            self._show(operation, call, again[sent.number] or sent)

    def _repeated(self, operation: Operation, sent: CallUnderWay) -> CallUnderWay | None:
        """Make a declared call of a tool once more if the tool failed, since the next waves look for who asks."""
        failed = bool(operation.exit_field and self.calls.result(sent).get(operation.exit_field))
        arguments = sent.call.arguments
        return self.calls.send(operation.name, arguments, is_counted=False, attempt=2) if failed else None

    def _show(self, operation: Operation, declared: OpeningCall, sent: CallUnderWay) -> None:
        """Show the result of a declared call, and learn from it. Without room only the rules are shown."""
        arguments = sent.call.arguments
        is_rules = _is_rules(self.surface, operation, arguments)
        if declared.most_chars == 0:
            result = self.calls.result(sent)
            if not result or result.get(operation.exit_field):
                self.down.add(str(arguments.get(operation.subject)))
            return
        if self.writer.left <= 0 and not is_rules:
            return
        parts = self._tree_of_list(operation, sent) if operation.drawn_as_tree else None
        section = Section(operation, title_of(operation, arguments), sent, declared=declared, parts=parts)
        text = self.writer.show(section)
        result = parts or self.calls.result(sent)
        if operation.drawn_as_tree and result:
            level = arguments.get("level")
            self.listed.add(section.root, level if parts is None and isinstance(level, int) else 0, result)
        elif operation.effect is Effect.EXECUTES and not is_help(arguments):
            self.outputs.append(text)
        if is_rules:
            self.rules = str(result.get(operation.json_field, ""))

    def _tree_of_list(self, operation: Operation, sent: CallUnderWay) -> Mapping[str, Plain] | None:
        """Return the tree of one list of all files, for a call that failed because the tree is too large."""
        error = self.calls.recorder.outcome(sent).error
        if error is None or error.code != error_codes.RESOURCE_EXHAUSTED:
            return None
        if self.surface.operation(FIND) not in FILE_OPERATIONS:
            return None
        root = str(sent.call.arguments.get(operation.subject) or "/")
        listed = self.calls.result(self.calls.send(FIND, {**ALL_FILES, "root": root}, is_counted=False))
        paths = listed.get("paths")
        return tree_of_paths(map(str, paths), root) if isinstance(paths, list) and not listed.get("truncated") else None

    def _show_further(self, declared: list[Declared]) -> None:
        """Make the calls that need others: in three waves, those of documents, records and tools side by side."""
        fitting, whole = [], []
        for call, operation in declared:
            is_sent = self.calls.sent(operation.name, call.arguments) is not None
            if call.each_of is None and operation.effect is Effect.READS and not is_sent:
                path = str(call.arguments.get(operation.subject))
                listed = self.listed.below(path.rpartition("/")[0] or "/")
                if listed is None or path in listed:
                    whole.append((call, operation, dict(call.arguments)))
                else:
                    self.writer.say(f"(There is no {path}.)\n")
            for value in self._values(call.each_of) if call.each_of else ():
                alone = {**call.arguments, operation.subject: value}
                if call.fitting_chars is None or operation.effect is not Effect.READS:
                    whole.append((call, operation, alone))
                elif not any(other.operation == operation.name and other.arguments == alone for other, _ in declared):
                    fitting.append((call, operation, str(value)))
        sent = [(call, operation, self.calls.send(operation.name, alone)) for call, operation, alone in whole]
        files = FittingFiles(self, fitting)
        files.search()
        files.read()
        for call, operation, begun in sent:
            self._show(operation, call, begun)
        best = next(iter(files.chosen().values()), "")
        helps = self._send_helps(declared, best, offers_all=not files.pages)
        files.read_linked(best)
        chosen = files.chosen()
        files.show_documents(chosen)
        shown = "\n".join([self.rules, *chosen.values()])
        for call, operation, begun in helps:
            result, tool = self.calls.result(begun), begun.call.arguments.get(operation.subject)
            if not result or result.get(operation.exit_field) or f"`{tool} " not in shown:
                self._show(operation, call, begun)
        files.show_records()
        files.close()

    def _values(self, listing: EachOf) -> list[Plain]:
        """Return the values of a listing: from a tree if one shows them all, else from its call."""
        if _is_listing_of_tree(listing):
            name, files = str(listing.arguments["name"]).lower(), self.listed.below(str(listing.arguments["root"]))
            if files is not None:
                return [path for path in files if fnmatchcase(path.rpartition("/")[2].lower(), name)]
        listed = self.calls.result(self.calls.send(listing.operation, listing.arguments))
        values = listed.get(listing.field)
        return [
            value.get("path") if isinstance(value, dict) else value
            for value in (values if isinstance(values, list) else [])
            if not (isinstance(value, dict) and value.get("is_dir"))
        ]

    def _send_helps(
        self, declared: list[Declared], best: str, *, offers_all: bool
    ) -> list[tuple[OpeningCall, Operation, CallUnderWay]]:
        """Ask for the help of the tools that request, rules or the best document name and that are not down."""
        helps = [(call, operation) for call, operation in declared if call.each_of is None and is_help(call.arguments)]
        text, words = f"{self.instruction}\n{self.rules}\n{best}", {*map(beginning_of, words_of(self.instruction))}
        run = {call.arguments.get(operation.subject) for call, operation in declared if not is_help(call.arguments)}
        needed = []
        for call, operation in helps:
            path = str(call.arguments.get(operation.subject))
            is_named = path in text or beginning_of(path.rpartition("/")[2].casefold()) in words
            if path not in self.down and (offers_all or len(helps) <= FEW_TOOLS or (is_named and path not in run)):
                needed.append((call, operation))
        return [
            (call, operation, self.calls.send(operation.name, call.arguments))
            for call, operation in needed[: max(self.calls.spare, 0)]
        ]


def declared_calls(surface: Surface) -> list[Declared]:
    """Return the declared opening calls with their operations; a call of an unknown operation is left out."""
    calls = [(call, surface.operation(call.operation)) for call in surface.opening]
    return [(call, operation) for call, operation in calls if operation is not None]


def first_calls(surface: Surface) -> list[Declared]:
    """Return the declared calls of the first wave: of files, the rules alone if there is a tree."""
    declared = declared_calls(surface)
    has_tree = any(operation.drawn_as_tree for _, operation in declared)
    return [
        (call, operation)
        for call, operation in declared
        if call.each_of is None
        and not is_help(call.arguments)
        and not (has_tree and operation.effect is Effect.READS and not _is_rules(surface, operation, call.arguments))
    ]


def _is_rules(surface: Surface, operation: Operation, arguments: Mapping[str, Plain]) -> bool:
    return bool(operation.json_field) and arguments.get(operation.subject) == surface.rules_document


def failed_searches(calls: Iterable[CallRecord]) -> str:
    """Return why every opening search failed, as a notice of the run; empty if one succeeded or none was made.

    The text is the same for all trials in which they fail alike.
    """
    errors = [call.error for call in calls if call.operation == "search"]
    codes = {error.code for error in errors if error is not None}
    if not errors or None in errors:
        return ""
    return f"{EVERY_SEARCH_FAILED} ({', '.join(sorted(codes))}): records are shown only if a request names their files"


def is_help(arguments: Mapping[str, Plain]) -> bool:
    """Say whether a call asks a tool to describe itself."""
    return arguments.get("args") == HELP


def _is_listing_of_tree(listing: EachOf) -> bool:
    """Say whether a tree can show what a listing lists: all files of a name below a folder."""
    match listing.operation, dict(listing.arguments):
        case "find", {"name": str(), "root": str(), "kind": "files", "limit": 0}:
            return True
    return False


class FittingFiles:
    """The documents and records that the prompt shows because they fit the request.

    First come those that the request names by exact id or path, then what these link to, then the others by how well
    their names, the rules' words for them, and what is known of their texts fit.
    """

    def __init__(self, opening: Opening, documents: list[tuple[OpeningCall, Operation, str]]) -> None:
        self._opening, self._calls = opening, opening.calls
        self.pages = [name for *_, name in documents]
        call = documents[0][0] if documents else OpeningCall("")
        self._page_read = documents[0][1] if documents else None
        self._page_room = min(call.fitting_chars or 0, opening.writer.left)
        self._page_root = str(call.each_of.arguments.get("root") or "/") if call.each_of else "/"
        self._named = self._calls.surface.named_files
        read = self._calls.surface.operation(self._named.read) if self._named else None
        self._read = read if read is not None and read.effect is Effect.READS else None
        request, asker = opening.instruction, "\n".join(opening.outputs)
        first = request.strip().partition("\n")[0]  # Later lines may be another's note.
        shown = {*self.pages, *self._calls.paths}
        listed = dict.fromkeys(file for file in opening.listed.files if file not in shown)
        self._index = NameIndex(listed, self._named.roots if self._named else ())
        paths = [path for path in dict.fromkeys(paths_in(request)) if path in listed]
        self._asked = [*dict.fromkeys([*paths, *self._index.named_in(request)])]
        self._exact = [*dict.fromkeys([*self._asked, *([] if paths else self._index.named_in(asker))])]
        self._asked_pages = [name for name in self.pages if name in paths_in(first)]
        ids = words_of(request if self._asked else f"{request}\n{asker}")
        self._ids = [word for word in ids if _ID.match(word)]
        self._words = [word for word in words_of(first) if word in self._ids or not self._index.named_in(word)]
        self._subjects = subjects_of(opening.rules)
        routed = {path.rpartition("/")[0] for path in self._subjects}
        folders = {path for path in paths_in(opening.rules) if path not in self.pages} - routed
        self._notices = [name for name in self.pages if name.rpartition("/")[0] in folders and _DAY.search(name)]
        """The documents with a date in their names, in folders that the rules name apart from their documents."""
        self._query = [*self._words, *self._words_for(self._asked)]
        self._searches: list[CallUnderWay] = []
        self._page_ranks, self._record_ranks = RankedTexts(), RankedTexts()
        self._ranked_whole: set[str] = set()
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
            rules = self._opening.rules.casefold()
            unknown = [word for word in self._words if beginning_of(word) not in rules]
            terms = [*dict.fromkeys([*self._ids, *unknown])][:MOST_TERMS]
            for root in self._named.roots if terms and self._calls.surface.operation(search) else ():
                if self._opening.listed.below(root) != []:
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
        prose = [text for text in texts.values() if not text.startswith(("{", "["))]
        self._words += words_of(" ".join(prose)[:MOST_PROSE_CHARS])
        beginnings = [*map(beginning_of, self._words)]
        folded = {path: path.casefold() for path in self._index.kind_of}
        named = [path for path, name in folded.items() if any(word in name for word in beginnings)]
        found = [path for path in lines if path in folded]
        self._record_ranks.put({path: (path, lines.get(path, "")) for path in dict.fromkeys([*named, *found])})
        self._record_ranks.pad(len(folded))
        self._page_ranks.put({name: (self._title(name), lines.get(name, "")) for name in self.pages})
        if not self._asked:
            self._query += self._words_for(self._best_records()[:2])
        if self._page_read is not None:
            self._calls.read(self._page_read, [*self._asked_pages, *self._best_pages()[:BEST_DOCUMENTS]], MOST_CALLS)
        if self._named and self._read:
            linked = [self._index.named_in(text) for text in texts.values()]
            links = [path for paths in linked if len(paths) <= MOST_LINKS for path in paths]
            self._first = [*self._exact, *self._index.in_turn(links)]
            order = [*self._first, *self._index.in_turn(self._best_records())]
            self._shown = [*dict.fromkeys(order)][: self._named.most]
            spared = SPARED + min(len(self._notices), FEW_NOTICES)
            self._calls.read(self._read, self._shown, self._calls.spare - spared)

    def _words_for(self, records: Iterable[str]) -> list[str]:
        """Return the words that the rules have for the folders of some records."""
        paths = [path for path in self._subjects if any(name.startswith(f"{path}/") for name in records)]
        return words_of(" ".join(self._subjects[path] for path in paths))

    def _title(self, name: str) -> str:
        return f"{self._subjects.get(name, '')} {name.rpartition('/')[2]}"

    def _best_pages(self, share: float = FIT) -> list[str]:
        """Return the documents with a share of the best score, best first; if none fits, those of the rules."""
        routed = self._subjects.keys() & {*self.pages} if self._asked else {*self.pages}
        scores = {name: score for name, score in self._page_ranks.scores(self._query).items() if name in routed}
        most = max(scores.values(), default=0)
        best = [name for name, score in scores.items() if name not in self._notices and score >= share * most]
        return best or [name for name in self._subjects if name in self.pages] or self.pages

    def _best_records(self) -> list[str]:
        """Return the records that fit, best first: of each kind those that fit almost as well as its best."""
        scores = self._record_ranks.scores([*self._words, *self._ids])
        best, records = dict[str, float](), []
        for path in [path for path in scores if path not in self._exact]:
            most = best.setdefault(self._index.kind_of[path], scores[path])
            if scores[path] >= max(ALMOST * most, FIT * max(best.values())):
                records.append(path)
        return records

    @property
    def page_texts(self) -> dict[str, str]:
        """The texts of the documents that were read."""
        return self._calls.texts(self._page_read, self.pages) if self._page_read else {}

    def chosen(self) -> dict[str, str]:
        """Return the documents to show among those that were read: what the best one links to before the others."""
        texts = self.page_texts
        self._page_ranks.put({name: (self._title(name), texts[name]) for name in texts.keys() - self._ranked_whole})
        self._ranked_whole |= texts.keys()
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
            rest = [name for name in self._best_pages() if name not in self._ranked_whole]
            further = [*self._notices[-FEW_NOTICES:], *linked[:2], *rest[:1], *self._notices[-MOST_NOTICES:], *linked]
            self._calls.read(self._page_read, dict.fromkeys([*further, *rest[:2]]), self._calls.spare)

    def _state_of(self, name: str) -> str:
        """Return whether a notice is in force, by the last date that the opening tools printed, perhaps in UTC."""
        days, today = _DAY.findall(name.rpartition("/")[2]), _DAY.findall("\n".join(self._opening.outputs))
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
                self._opening.writer.show(Section(operation, title, call, room=own, chars=self._page_room))
            elif state:
                folder, _, file = name.rpartition("/")
                notices.setdefault(folder, []).append(f"{file}{state.partition(':')[0].rstrip(')')})")
            else:
                others += 1
        if others or notices:
            listed = "".join(f"; {folder}/: {', '.join(files)}" for folder, files in notices.items())
            self._opening.writer.say(f"(Not shown: {others} documents of {self._page_root}{listed}.)\n")

    def show_records(self) -> None:
        """Show the records, named ones first, as long as there is room."""
        if self._named is None or self._read is None:
            return
        texts = self._calls.texts(self._read, self._shown)
        known = {path: text[: self._named.each_chars] for path, text in texts.items() if path not in self._first}
        self._record_ranks.put({path: (path, text) for path, text in known.items()})
        best = [path for path in self._index.in_turn(self._best_records()) if path in texts]
        room = Room(self._named.chars)
        share = max(room.left // (len(self._exact) + 1) - MARKS_CHARS, LEAST_CHARS // 2)
        for path in dict.fromkeys([*self._first, *best, *self._shown]):
            chars = share if path in self._exact else min(share, self._named.each_chars)
            if min(room.left, self._opening.writer.left) < min(chars, LEAST_CHARS):
                return
            if call := self._calls.sent(self._read.name, {self._read.subject: path}):
                title = title_of(self._read, call.call.arguments)
                self._opening.writer.show(Section(self._read, title, call, room=room, chars=chars))

    def close(self) -> None:
        """Give the memory of the ranks back."""
        self._page_ranks.close()
        self._record_ranks.close()
