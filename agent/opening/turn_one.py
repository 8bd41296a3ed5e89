"""Makes the opening calls in at most four waves, and chooses what turn one shows of them.

1. what the environment declares: the tree, who asks, the time, the rules
2. files that the request names, a search for its names in records, and a search for its words in documents
3. the documents that fit, and the records found
4. what these name: further documents and records, the help of tools, and samples
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from fnmatch import fnmatchcase
from typing import Final

from agent.events.trial_events import CallRecord
from agent.evidence.recorder import CallUnderWay, Recorder
from agent.findings.finding_turns import tree_in_parts
from agent.opening.ranking import (
    PATH,
    Query,
    best_texts,
    codes_in,
    notice_folders,
    ranked_documents,
    stem_of,
    stems,
    subjects_of,
    telling_stems,
    unknown_words,
    whole_texts,
)
from agent.opening.sections import HELP, Room, Section, SectionWriter, result_text, title_of
from agent.opening.workspace_files import (
    MOST_NAMING_CHARS,
    ListedFiles,
    NameIndex,
    ids_in,
    newest_first,
    tree_of_paths,
)
from sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    EachOf,
    Effect,
    NamedFiles,
    OpeningCall,
    Operation,
    Plain,
    error_codes,
)
from toolkit.text import TermSearch, stems_pattern

EVERY_SEARCH_FAILED: Final = "the environment refuses every search of turn one"
FIND: Final = "find"
ALL_FILES: Final[Mapping[str, Plain]] = {"name": "*", "root": "/", "kind": "files", "limit": 0}
MOST_CALLS: Final = 24
"""Max calls of turn one, besides those that are declared and those for a tree in parts."""
MOST_PARTS: Final = 100
"""Max calls for a tree that is too large for one call."""
FEW_DOCUMENTS: Final = 4
"""Documents of which all are read, without a search."""
BEST_DOCUMENTS: Final = 3
"""Documents that are read because they fit best."""
FURTHER_DOCUMENTS: Final = 2
"""Further documents that are read if the search did not return all lines, or if calls are left in the last wave."""
MOST_NOTICES: Final = 4
"""Max texts that are read because they may override a document."""
SPARED: Final = 2
"""Calls that are kept for the last wave."""
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
MOST_SEARCHED_ALONE: Final = 6
"""Terms that are searched for one by one if a search for all of them returned only a part."""
MOST_LINES: Final = 1_000
"""Max lines of one search."""
MOST_TOLD_CHARS: Final = 2_000
"""Max characters of a text without fields, such as a receipt, that is shown, and whose words may refer to files."""
MOST_WEIGHED: Final = 8
"""Max files of a kind that are read to find those that the request means."""
MOST_MEANT: Final = 4
"""Max files of a kind that are shown because the request may mean them."""
ALMOST: Final = 0.65
"""The share of the best score at which a file still counts as meant."""
FEW_TOOLS: Final = 3
"""Tools of which all help is shown."""
_NAME: Final = re.compile(r"\w[\w.-]*\w")
_JOINED: Final = re.compile(r"\b[^\W\d_]+(?:-[^\W\d_]+){2,}")
"""A code such as `team-red-three`."""
_AREA: Final = re.compile(r"\b(?:city|town|region|district)\b", re.IGNORECASE)
"""Words for an area, which may refer to all files of a kind."""


class OpeningCalls:
    """The calls of turn one. Calls that only read go out at once, if the environment allows several at a time."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.surface = recorder.surface
        self._sent: dict[str, CallUnderWay] = {}
        self._uncounted = 0

    @property
    def spare(self) -> int:
        """Calls that may still be made, apart from those that are declared."""
        return MOST_CALLS + self._uncounted - len(self._sent)

    def send(self, operation: str, arguments: Mapping[str, Plain], *, is_counted: bool = True) -> CallUnderWay:
        """Begin a call, or return the same call that was begun before; one that may change something is made alone."""
        key = json.dumps([operation, arguments], sort_keys=True)
        if key not in self._sent:
            only_reads = not self.surface.may_change(operation, arguments)
            if not only_reads:
                self._await_all()
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
        for path in [*paths][: max(min(most, self.spare), 0)]:
            self.send(operation.name, {operation.subject: path})

    def sent(self, operation: str, arguments: Mapping[str, Plain]) -> CallUnderWay | None:
        """Return the call if it was begun."""
        return self._sent.get(json.dumps([operation, arguments], sort_keys=True))

    def texts(self, operation: Operation, paths: Iterable[str]) -> dict[str, str]:
        """Return the texts of those of the files that were read."""
        calls = {path: self.sent(operation.name, {operation.subject: path}) for path in paths}
        results = {path: self.result(call) for path, call in calls.items() if call is not None}
        return {path: result_text(operation, result) for path, result in results.items() if result}

    def search(self, operation: str, pattern: str, root: str) -> CallUnderWay:
        """Begin to search all lines below a folder."""
        return self.send(operation, {"pattern": pattern, "root": root, "limit": MOST_LINES})

    def receive_all(self, shown_chars: Mapping[int, int]) -> None:
        """Record every call in the order in which they were sent, with the characters of each that are shown."""
        for call in self._sent.values():
            whole = None if call.call.operation == FIND else 0
            with suppress(CallError):
                self.recorder.receive(call, shown_chars=shown_chars.get(call.number, whole))

    def leave(self) -> None:
        """Wait for calls whose results are no longer needed, because work on the trial ends."""
        self.recorder.leave(self._sent.values())

    def _await_all(self) -> None:
        for call in self._sent.values():
            self.recorder.outcome(call)


class TurnOne:
    """The sections of turn one."""

    def __init__(
        self, recorder: Recorder, instruction: str, *, section_chars: int, total_chars: int, samples: bool = True
    ) -> None:
        self.calls = OpeningCalls(recorder)
        self.writer = SectionWriter(recorder, instruction, section_chars, total_chars)
        self.instruction = instruction
        self.samples = samples
        """True if a sample of each kind of record is shown."""
        self.rules = ""
        self.listed = ListedFiles()
        self.outputs: list[str] = []
        """Output of tools that were not asked for help."""
        self._surface = recorder.surface

    def open(self) -> None:
        """Make the opening calls and write their sections. Every call is recorded, with its error if it failed."""
        try:
            declared = [(call, self._surface.operation(call.operation)) for call in self._surface.opening]
            known = [(call, operation) for call, operation in declared if operation is not None]
            self._show_first(known)
            self._show_further(known)
            if self.writer.left_out:
                self.writer.say(f"(Not opened for want of room: {', '.join(self.writer.left_out)}.)\n\n")
            self.calls.receive_all(self.writer.shown_chars)
        finally:
            self.calls.leave()

    def _show_first(self, declared: list[tuple[OpeningCall, Operation]]) -> None:
        """Make the declared calls that need no other, side by side, and show their results.

        Files other than the rules are read later, if the tree shows them.
        """
        has_tree = any(operation.drawn_as_tree for _, operation in declared)
        begun = []
        for call, operation in declared:
            is_rules = self._is_rules(operation, call.arguments)
            if call.each_of is None and not is_help(call.arguments):
                if has_tree and operation.effect is Effect.READS and not is_rules:
                    continue
                if self.writer.left > 0 or is_rules:
                    begun.append((call, operation, self.calls.send(operation.name, call.arguments)))
                else:
                    self.writer.left_out.append(title_of(operation, call.arguments))
            elif call.each_of and not (has_tree and _is_listing_of_tree(call.each_of)):
                self.calls.send(call.each_of.operation, call.each_of.arguments)
        for call, operation, sent in begun:
            self._show(operation, call, sent)

    def _show(self, operation: Operation, declared: OpeningCall, sent: CallUnderWay) -> None:
        """Show the result of a declared call, and learn from it. Without room only the rules are shown."""
        arguments = sent.call.arguments
        title, is_rules = title_of(operation, arguments), self._is_rules(operation, arguments)
        if self.writer.left <= 0 and not is_rules:
            self.writer.left_out.append(title)
            return
        parts = self._tree_in_parts(operation, sent) if operation.drawn_as_tree else None
        section = Section(operation, title, sent, declared=declared, parts=parts)
        text = self.writer.show(section)
        result = parts or self.calls.result(sent)
        if operation.drawn_as_tree and result:
            level = arguments.get("level")
            self.listed.add(section.root, level if parts is None and isinstance(level, int) else 0, result)
        elif operation.effect is Effect.EXECUTES and not is_help(arguments):
            self.outputs.append(text)
        if is_rules:
            self.rules = str(result.get(operation.json_field, ""))

    def _is_sent(self, operation: Operation, call: OpeningCall) -> bool:
        return (
            self.calls.sent(operation.name, call.arguments) is not None
            or title_of(operation, call.arguments) in self.writer.left_out
        )

    def _is_rules(self, operation: Operation, arguments: Mapping[str, Plain]) -> bool:
        return bool(operation.json_field) and arguments.get(operation.subject) == self._surface.rules_document

    def _tree_in_parts(self, operation: Operation, sent: CallUnderWay) -> Mapping[str, Plain] | None:
        """Return the tree for a call that failed because the tree is too large; None if this is not the reason."""
        error = self.calls.recorder.outcome(sent).error
        if error is None or error.code != error_codes.RESOURCE_EXHAUSTED:
            return None
        root = str(sent.call.arguments.get(operation.subject) or "/")
        made = 0

        def listing(name: str, arguments: Mapping[str, Plain]) -> Mapping[str, Plain] | None:
            nonlocal made
            made += 1
            return (
                self.calls.result(self.calls.send(name, arguments, is_counted=False)) or None
                if made <= MOST_PARTS
                else None
            )

        if root == "/" and self._surface.operation(FIND) in FILE_OPERATIONS:
            found = listing(FIND, ALL_FILES) or {}
            paths = found.get("paths")
            if isinstance(paths, list) and not found.get("truncated"):
                return tree_of_paths(map(str, paths))
        return tree_in_parts(listing, root)

    def _show_further(self, declared: list[tuple[OpeningCall, Operation]]) -> None:
        """Make the calls that need others: in three waves, those of documents, records and tools side by side."""
        fitting, whole = [], []
        for call, operation in declared:
            if call.each_of is None and operation.effect is Effect.READS and not self._is_sent(operation, call):
                path = str(call.arguments.get(operation.subject))
                listed = self.listed.below(path.rpartition("/")[0] or "/")
                if listed is None or path in listed:
                    whole.append((call, operation, dict(call.arguments)))
                else:
                    self.writer.say(f"(There is no {path}.)\n\n")
            for value in self._values(call.each_of) if call.each_of else ():
                alone = {**call.arguments, operation.subject: value}
                if call.fitting_chars is None or operation.effect is not Effect.READS:
                    whole.append((call, operation, alone))
                elif not any(other.operation == operation.name and other.arguments == alone for other, _ in declared):
                    fitting.append((call, operation, str(value)))
        if self.writer.left <= 0:
            self.writer.left_out += [title_of(operation, {operation.subject: name}) for _, operation, name in fitting]
            self.writer.left_out += [title_of(operation, arguments) for _, operation, arguments in whole]
            return
        sent = [(call, operation, self.calls.send(operation.name, alone)) for call, operation, alone in whole]
        documents = Documents(self, fitting)
        records = Records(self, self._surface.named_files)
        documents.search(records.kinds_named(documents.subjects))
        records.search()
        query = records.query(documents)
        documents.read(query)
        records.read()
        for call, operation, begun in sent:
            self._show(operation, call, begun)
        documents.choose(query)
        helps = self._send_helps(declared, documents)
        documents.read_named(query)
        records.read_samples()
        documents.choose(query)
        documents.show()
        for call, operation, begun in helps:
            self._show(operation, call, begun)
        records.show()

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
        self, declared: list[tuple[OpeningCall, Operation]], documents: Documents
    ) -> list[tuple[OpeningCall, Operation, CallUnderWay]]:
        """Ask for the help of the tools that request, rules or a fitting document name."""
        helps = [(call, operation) for call, operation in declared if call.each_of is None and is_help(call.arguments)]
        text = "\n".join([self.instruction, self.rules, *documents.chosen_texts])
        words = stems(self.instruction)
        run = {call.arguments.get(operation.subject) for call, operation in declared if not is_help(call.arguments)}
        needed = []
        for call, operation in helps:
            path = str(call.arguments.get(operation.subject))
            is_named = path in text or stem_of(path.rpartition("/")[2]) in words
            if not documents.names or len(helps) <= FEW_TOOLS or (is_named and path not in run):
                needed.append((call, operation))
        return [
            (call, operation, self.calls.send(operation.name, call.arguments))
            for call, operation in needed[: max(self.calls.spare, 0)]
        ]


def failed_searches(calls: Iterable[CallRecord]) -> str:
    """Return why every search of turn one failed, as a notice of the run; empty if one succeeded or none was made.

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


class Documents:
    """The documents of which turn one shows those that fit: searched for the request's words, then read."""

    def __init__(self, turn: TurnOne, declared: list[tuple[OpeningCall, Operation, str]]) -> None:
        self._turn, self._calls = turn, turn.calls
        self.names = [name for _, _, name in declared]
        self._operation = declared[0][1] if declared else None
        self._room = min(declared[0][0].fitting_chars or 0, turn.writer.left) if declared else 0
        self._root = (
            str(declared[0][0].each_of.arguments.get("root") or "/") if declared and declared[0][0].each_of else "/"
        )
        self._search: CallUnderWay | None = None
        self._chosen: list[str] = []
        self.subjects = subjects_of(turn.rules)

    def search(self, kinds: Iterable[str]) -> None:
        """Begin to read the documents if they are few, else to search all for the words of the request.

        `kinds` are the folders of records that the request names, for which the rules may have words.
        """
        operation, named = self._operation, self._calls.surface.named_files
        if operation is None:
            return
        words = telling_stems([self._turn.instruction, *(self.subjects.get(kind, "") for kind in kinds)])
        if len(self.names) <= FEW_DOCUMENTS:
            self._calls.read(operation, self.names, FEW_DOCUMENTS)
        elif named is not None and named.search and words:
            self._search = self._calls.search(named.search, stems_pattern(sorted(words)), self._root)

    @property
    def texts(self) -> dict[str, str]:
        """What is known of each document: its text, the lines that the search found, or nothing."""
        lines = dict.fromkeys(self.names, "")
        for path, line in lines_of(self._calls.result(self._search)) if self._search else ():
            if path in lines:
                lines[path] += f"{line}\n"
        return lines | self._read_texts

    @property
    def _read_texts(self) -> dict[str, str]:
        return self._calls.texts(self._operation, self.names) if self._operation else {}

    def read(self, query: Query) -> None:
        """Begin to read the documents that fit best."""
        if self._operation is not None:
            is_cut = self._search is None or self._calls.result(self._search).get("truncated") is True
            most = BEST_DOCUMENTS + FURTHER_DOCUMENTS if is_cut else BEST_DOCUMENTS
            self._calls.read(self._operation, ranked_documents(query, self.texts)[:most], self._calls.spare)

    def choose(self, query: Query) -> None:
        """Choose the documents to show among those that were read."""
        texts = self._read_texts
        order = [name for name in ranked_documents(query, self.texts) if name in texts] if texts else []
        self._chosen = whole_texts(order, texts, self._room)

    def read_named(self, query: Query) -> None:
        """Begin to read what the best document names, the next best and the newest notices, to choose from them too."""
        if self._operation is not None and self._chosen:
            texts, folders = self._read_texts, notice_folders(query, self.names)
            named = [name for name in self.names if name in texts[self._chosen[0]] and name not in texts]
            notices = [name for name in self.names if name.rpartition("/")[0] in folders and name not in texts]
            rest = [name for name in ranked_documents(query, self.texts) if name not in texts][:FURTHER_DOCUMENTS]
            further = dict.fromkeys([*named, *rest[:1], *notices[-MOST_NOTICES:], *rest])
            self._calls.read(self._operation, further, self._calls.spare)

    @property
    def chosen_texts(self) -> list[str]:
        """The texts of the documents that are to be shown."""
        return [self._read_texts[name] for name in self._chosen]

    def show(self) -> None:
        """Show the chosen documents, at most as many characters as are declared, and failures; name the others."""
        operation, room = self._operation, Room(self._room)
        if operation is None:
            return
        texts = self._read_texts
        others = []
        for name in self.names:
            call = self._calls.sent(operation.name, {operation.subject: name})
            if call is not None and (name in self._chosen or name not in texts):
                section = Section(
                    operation, title_of(operation, call.call.arguments), call, room=room, chars=self._room
                )
                self._turn.writer.show(section)
            else:
                others.append(name + self._heading(name, texts))
        if others:
            self._turn.writer.say(f"(Not shown, to be read where it matters: {', '.join(others)}.)\n\n")

    def _heading(self, name: str, texts: Mapping[str, str]) -> str:
        heading = "" if name in self.subjects else texts.get(name, "").strip().partition("\n")[0].strip("# ")[:24]
        return f" ({heading})" if heading else ""


class Records:
    """The files that turn one shows for their names: those that the request names or means, and what these name."""

    def __init__(self, turn: TurnOne, named: NamedFiles | None) -> None:
        self._turn, self._calls = turn, turn.calls
        read = turn.calls.surface.operation(named.read) if named else None
        self._named = named if read is not None and read.effect is Effect.READS else None
        self._read = read
        self._index = NameIndex(turn.listed.files, named.roots if named else ())
        listed = set(turn.listed.files)
        request = turn.instruction
        self._asked = [path for path in dict.fromkeys(PATH.findall(request)) if path in listed]
        self._by_word = [] if self._asked or self._named is None else self._named_by_word(self._named)
        few = self._by_word if len(self._by_word) <= MOST_MEANT else []
        said = "\n".join([request, *turn.outputs])
        self._ids = ids_in(said)[:MOST_IDS]
        self._exact = [*dict.fromkeys([*self._asked, *self._index.named_in(said), *few])]
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
        roots = [root for root in named.roots if root != named.sampled]
        files = {file: file.removeprefix(root) for root in roots for file in self._turn.listed.below(root) or ()}
        found = [file for file, name in files.items() if not words.isdisjoint(stems(name.replace("_", " ")))]
        if not found and any(not words.isdisjoint(stems(root)) for root in roots):
            found = [*files]
        return found

    def search(self) -> None:
        """Begin to read the named files, and to search the others for ids, codes and words that the rules lack."""
        named, request = self._named, self._turn.instruction
        if named is None or self._read is None:
            return
        self._calls.read(self._read, self._exact, named.most)
        joined = [code for code in _JOINED.findall(request) if not self._index.named_in(code)]
        codes = [*codes_in(request), *joined]
        words = unknown_words(request, [self._turn.rules])
        self._terms = TermSearch([*dict.fromkeys([*self._ids, *codes, *words])], frozenset(codes).difference(self._ids))
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
        told = [path for path in subjects if any(file.startswith(f"{path.rstrip('/')}/") for file in files)]
        return [
            *told,
            *(
                kind
                for kind in self._index.kinds_of(files)
                if not any(f"{path}/".startswith(f"{kind}/") for path in told)
            ),
        ]

    def query(self, documents: Documents) -> Query:
        """Return what the request is about, by its words and by the kinds of the records found."""
        request, rules = self._turn.instruction, self._turn.rules
        unknown = {word.casefold() for word in unknown_words(request, [rules, *documents.texts.values()])}
        telling = unknown | {code.casefold() for code in self._terms.codes}
        ids = {term.casefold() for term in self._terms.terms} & {
            *map(str.casefold, ids_in("\n".join([request, *self._turn.outputs])))
        }
        lines: dict[str, list[str]] = {}
        for path, line in self._found(telling):
            lines.setdefault(path, []).append(line)
        held = {path: self._terms.terms_in("\n".join(found)) for path, found in lines.items()}
        self._told = {path: "\n".join(["", *lines[path]]) for path, terms in held.items() if terms & telling}
        self._holding = [path for path, terms in held.items() if terms & ids]
        meant = [*self._index.named_in(request), *self._index.meant_in(request), *self._told]
        others = [*self._asked, *self._by_word]
        kinds = self._folders(meant, documents.subjects)
        own = [] if meant else self._folders(self._holding[:MOST_HITS], documents.subjects)
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

    def _found(self, telling: set[str]) -> list[tuple[str, str]]:
        """Return path and text of the lines found; if a search returned only a part, those of each telling term too."""
        named, searches = self._named, [*self._searches]
        if named and any(self._calls.result(call).get("truncated") is True for call in searches):
            terms = [term for term in self._terms.terms if term.casefold() in telling][:MOST_SEARCHED_ALONE]
            patterns = [TermSearch([term], self._terms.codes).pattern for term in terms]
            roots = [str(call.call.arguments["root"]) for call in searches]
            searches += [self._calls.search(named.search, pattern, root) for pattern in patterns for root in roots]
        return [*dict.fromkeys(found for call in searches for found in lines_of(self._calls.result(call)))]

    def read(self) -> None:
        """Begin to read what the search found, and what the named files name."""
        named, read = self._named, self._read
        if named is None or read is None:
            return
        index, request = self._index, self._turn.instruction
        texts = self._calls.texts(read, self._exact)
        scans = [path for path, text in texts.items() if not text.startswith(("{", "["))]
        told = [path for scan in scans for path in index.told_in(texts[scan][:MOST_TOLD_CHARS])]
        listed = set(self._turn.listed.files)
        in_turn = [index.named_in(text) + _beside(path, text, listed) for path, text in texts.items()]
        then = [path for paths in in_turn if len(set(paths)) <= MOST_IN_TURN for path in paths]
        self._scans, self._by_scan = scans, told if len(told) <= MOST_IN_TURN else []
        likely = self._likely()
        held = [path for path in self._holding[:MOST_HITS] if path in listed and path not in self._exact]
        first = [
            *index.in_turn(path for paths in likely for path in paths[:MOST_MEANT]),
            *index.in_turn([*told, *then]),
        ]
        rest = [path for paths in likely for path in paths[MOST_MEANT:]]
        self._calls.read(read, dict.fromkeys([*first, *held, *rest]), self._calls.spare - SPARED)
        weighed = [self._calls.texts(read, paths) for paths in likely]
        meant = [path for files in weighed for path in best_texts(request, files, MOST_MEANT, share=ALMOST)]
        if _AREA.search(request):
            beside = [file for path in [*self._exact, *meant] for file in index.beside(path)]
            self._calls.read(read, beside, self._calls.spare)
            meant += beside
        newest = newest_first(self._calls.texts(read, held))
        first = [*self._exact, *index.in_turn(meant), *index.in_turn([*told, *then])]
        self._shown = [*dict.fromkeys([*first, *newest])][: named.most]

    def _likely(self) -> list[list[str]]:
        """Return, for each kind, the files that the request may mean by words of their names or lines, best first."""
        index, found = self._index, list[list[str]]()
        files_of = {kind: index.files_of(kind) for kind in index.kinds_of([*self._by_name, *self._told])}
        for _, files in sorted(files_of.items(), key=lambda item: len(item[1].intersection(self._told))):
            if len(files.intersection(self._exact)) > 1:
                continue
            held = [path for path in self._told if path in files and path not in self._exact]
            held = [path for path in held if path in self._holding] or held
            named = [path for path in self._by_name if path in files]
            lines = {path: f"{path}{self._told.get(path, '')}" for path in [*named, *held]}
            found.append(best_texts(self._turn.instruction, lines, MOST_WEIGHED))
        return found

    def read_samples(self) -> None:
        """Begin to read samples of the kinds of which nothing is shown."""
        if self._named and self._read and self._named.sampled and self._turn.samples:
            samples = self._index.samples(self._named.sampled, self._shown)
            self._calls.read(self._read, samples, len(samples))

    def show(self) -> None:
        """Show the files, named ones first, as long as there is room; samples come last."""
        named, read = self._named, self._read
        if named is None or read is None:
            return
        room = Room(named.chars)
        self._add(read, self._scans, room, MOST_TOLD_CHARS)
        if self._by_scan:  # They share the room equally.
            share = max(room.left // len(self._by_scan) - MARKS_CHARS, LEAST_CHARS // 2)
            self._add(read, self._by_scan, room, min(share, named.each_chars))
        share = max(room.left // (len(self._exact) + 1) - MARKS_CHARS, LEAST_CHARS // 2)
        done = {*self._scans, *self._by_scan}
        self._add(read, [path for path in self._shown if path not in done], room, min(share, named.each_chars))
        if named.sampled and self._turn.samples:
            self._add(read, self._index.samples(named.sampled, self._shown), room, named.sample_chars)

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
