"""Makes the opening calls in at most four waves, and chooses what turn one shows of them.

1. what the environment declares: the tree, who asks, the time, the rules
2. files that the request names, a search for its names in records, and a search for its words in documents
3. the documents that fit, and the records found
4. what these name: further documents and records, and the help of tools
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import date, timedelta
from fnmatch import fnmatchcase
from typing import Any, Final

from agent.events.trial_events import CallRecord
from agent.evidence.recorder import CallUnderWay, Recorder
from agent.opening.named_records import Records, lines_of
from agent.opening.ranking import (
    PATH,
    Query,
    notice_folders,
    ranked_documents,
    stem_of,
    stems,
    subjects_of,
    telling_stems,
    whole_texts,
)
from agent.opening.sections import HELP, Room, Section, SectionWriter, result_text, title_of
from agent.opening.terms import stems_pattern
from agent.opening.workspace_files import (
    ListedFiles,
    tree_of_paths,
)
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
"""Max calls of turn one, besides those that are declared and those for a tree in parts."""
MOST_PARTS: Final = 100
"""Max calls for a tree that is too large for one call."""
FEW_DOCUMENTS: Final = 4
"""Documents of which all are read, without a search."""
BEST_DOCUMENTS: Final = 3
"""Documents that are read because they fit best."""
FURTHER_DOCUMENTS: Final = 2
"""Further documents that are read if the search did not return all lines, or if calls are left in the last wave."""
FEW_NOTICES: Final = 4
"""Notices for which calls are kept."""
MOST_NOTICES: Final = 8
"""Max texts that are read because they may override a document."""
_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")
MOST_LINES: Final = 1_000
"""Max lines of one search."""
FEW_TOOLS: Final = 3
"""Tools of which all help is shown."""


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

    def send(
        self, operation: str, arguments: Mapping[str, Plain], *, is_counted: bool = True, attempt: int = 1
    ) -> CallUnderWay:
        """Begin a call, or return the same call that was begun before; one that may change something is made alone."""
        key = _key_of(operation, arguments) + (f" {attempt}" if attempt > 1 else "")
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
        return self._sent.get(_key_of(operation, arguments))

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
        self.recorder.await_calls(self._sent.values())

    def _await_all(self) -> None:
        for call in self._sent.values():
            self.recorder.outcome(call)


def _key_of(operation: str, arguments: Mapping[str, Plain]) -> str:
    return f"{operation}{arguments if len(arguments) == 1 else sorted(arguments.items())}"


class TurnOne:
    """The sections of turn one."""

    def __init__(self, recorder: Recorder, instruction: str, *, section_chars: int, total_chars: int) -> None:
        self.calls = OpeningCalls(recorder)
        self.writer = SectionWriter(recorder, instruction, section_chars, total_chars)
        self.instruction = instruction
        self.rules = ""
        self.listed = ListedFiles()
        self.outputs: list[str] = []
        """Output of tools that were not asked for help."""
        self._surface = recorder.surface

    def open(self) -> None:
        """Make the opening calls and write their sections. Every call is recorded, with its error if it failed."""
        try:
            declared = _declared(self._surface)
            self._show_first(declared)
            self._show_further(declared)
            if self.writer.left <= 0:
                self.writer.say("(There was no room to open everything.)\n")
            self.calls.receive_all(self.writer.shown_chars)
        finally:
            self.calls.leave()

    def _show_first(self, declared: list[tuple[OpeningCall, Operation]]) -> None:
        """Make the declared calls that need no other, side by side, and show their results.

        Files other than the rules are read later, if the tree shows them.
        """
        has_tree = any(operation.drawn_as_tree for _, operation in declared)
        begun = [
            (call, operation, self.calls.send(operation.name, call.arguments, is_counted=call.most_chars != 0))
            for call, operation in first_calls(self._surface)
            if self.writer.left > 0 or _is_rules(self._surface, operation, call.arguments)
        ]
        for call, _ in declared:
            if call.each_of and not (has_tree and _is_listing_of_tree(call.each_of)):
                self.calls.send(call.each_of.operation, call.each_of.arguments)
        repeated = {sent.number: self._repeated(operation, sent) for _, operation, sent in begun}
        for call, operation, sent in begun:
            self._show(operation, call, repeated[sent.number] or sent)

    def _repeated(self, operation: Operation, sent: CallUnderWay) -> CallUnderWay | None:
        """Make a declared call of a tool once more if the tool failed, since the next waves look for who asks."""
        failed = bool(operation.exit_field and self.calls.result(sent).get(operation.exit_field))
        arguments = sent.call.arguments
        return self.calls.send(operation.name, arguments, is_counted=False, attempt=2) if failed else None

    def _show(self, operation: Operation, declared: OpeningCall, sent: CallUnderWay) -> None:
        """Show the result of a declared call, and learn from it. Without room only the rules are shown."""
        arguments = sent.call.arguments
        is_rules = _is_rules(self._surface, operation, arguments)
        if declared.most_chars == 0:
            result = self.calls.result(sent)
            if not result or result.get(operation.exit_field):
                self.writer.say(f"({arguments.get(operation.subject)} is down: read the files instead.)\n")
            return
        if self.writer.left <= 0 and not is_rules:
            return
        parts = self._tree_in_parts(operation, sent) if operation.drawn_as_tree else None
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
            listed = listing(FIND, ALL_FILES) or {}
            paths = listed.get("paths")
            if isinstance(paths, list) and not listed.get("truncated"):
                return tree_of_paths(map(str, paths))
        return tree_in_parts(listing, root)

    def _show_further(self, declared: list[tuple[OpeningCall, Operation]]) -> None:
        """Make the calls that need others: in three waves, those of documents, records and tools side by side."""
        if self.writer.left <= 0:
            return
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
        documents = Documents(self, fitting)
        records = Records(self, self._surface.named_files, documents.names)
        documents.search(records.kinds_named(documents.subjects))
        records.search()
        query = records.query(documents)
        documents.read(query)
        records.read(len(documents.unread_notices(query)[-FEW_NOTICES:]))
        for call, operation, begun in sent:
            self._show(operation, call, begun)
        documents.choose(query)
        helps = self._send_helps(declared, documents)
        documents.read_named(query)
        documents.choose(query)
        documents.show(query)
        shown = "\n".join([self.rules, *documents.chosen_texts])
        for call, operation, begun in helps:
            result, tool = self.calls.result(begun), begun.call.arguments.get(operation.subject)
            is_down = not result or bool(result.get(operation.exit_field))
            if is_down or f"`{tool} " not in shown:
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
        text = "\n".join([self.instruction, self.rules, *documents.chosen_texts[:1]])
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


def _declared(surface: Surface) -> list[tuple[OpeningCall, Operation]]:
    calls = [(call, surface.operation(call.operation)) for call in surface.opening]
    return [(call, operation) for call, operation in calls if operation is not None]


def first_calls(surface: Surface) -> list[tuple[OpeningCall, Operation]]:
    """Return the declared calls of the first wave: of files, the rules alone if there is a tree."""
    declared = _declared(surface)
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
        first = PATH.findall(turn.instruction.strip().partition("\n")[0])  # Later lines may be somebody else's note.
        self._named = [name for name in self.names if name in first]
        self._chosen: list[str] = []
        self._notices: list[str] = []
        """The notices that are shown beside the chosen documents."""
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
        return self._texts_beside(self._read_texts)

    def _texts_beside(self, read_texts: Mapping[str, str]) -> dict[str, str]:
        lines = dict.fromkeys(self.names, "")
        for path, line in lines_of(self._calls.result(self._search)) if self._search else ():
            if path in lines:
                lines[path] += f"{line}\n"
        return {**lines, **read_texts}

    @property
    def _read_texts(self) -> dict[str, str]:
        return self._calls.texts(self._operation, self.names) if self._operation else {}

    def read(self, query: Query) -> None:
        """Begin to read the documents that fit best."""
        if self._operation is not None:
            is_cut = self._search is None or self._calls.result(self._search).get("truncated") is True
            most = BEST_DOCUMENTS + FURTHER_DOCUMENTS if is_cut else BEST_DOCUMENTS
            ranked = ranked_documents(query, self.texts)[:most]
            self._calls.read(self._operation, dict.fromkeys([*self._named, *ranked]), self._calls.spare)

    def choose(self, query: Query) -> None:
        """Choose the documents to show among those that were read."""
        texts = self._read_texts
        ranked = ranked_documents(query, self._texts_beside(texts), to_show=texts) if texts else []
        named = [name for name in self._named if name in texts]
        self._chosen = whole_texts(dict.fromkeys([*named, *ranked]), texts, self._room)
        pages = self.subjects.keys() & {*self.names}
        self._notices = [
            name
            for name in self._all_notices(query)
            if name in texts and not (pages & {*PATH.findall(texts[name])}).difference(self._chosen)
        ]

    def unread_notices(self, query: Query) -> list[str]:
        """Return the documents of the folders of notices whose reading has not begun, in the order of their names."""
        operation, notices = self._operation, self._all_notices(query)
        return [
            name for name in notices if operation and not self._calls.sent(operation.name, {operation.subject: name})
        ]

    def _all_notices(self, query: Query) -> list[str]:
        """Return the documents of the folders of notices whose names have a date, in their order."""
        folders = notice_folders(query, self.names)
        return [name for name in self.names if name.rpartition("/")[0] in folders and _DAY.search(name)]

    def read_named(self, query: Query) -> None:
        """Begin to read what the best document names, the next best and the newest notices, to choose from them too."""
        if self._operation is not None:
            texts, notices = self._read_texts, self.unread_notices(query)
            best = "".join(texts[name] for name in self._chosen[:1])
            named = [name for name in self.names if name in best and name not in texts]
            ranked = ranked_documents(query, self._texts_beside(texts))
            rest = [name for name in ranked if name not in texts][:FURTHER_DOCUMENTS]
            few, more = notices[-FEW_NOTICES:], notices[-MOST_NOTICES:]
            further = dict.fromkeys([*few, *named[:1], *rest[:1], *more, *named, *rest])
            self._calls.read(self._operation, further, self._calls.spare)

    @property
    def chosen_texts(self) -> list[str]:
        """The texts of the documents that are to be shown."""
        texts = self._read_texts
        return [texts[name] for name in self._chosen]

    def _state_of(self, name: str, query: Query) -> str:
        """Return whether a notice is in force, by the last date that the tools of turn one printed.

        That may be a date in UTC: by local time, a notice of the next day may be in force.
        """
        days, today = _DAY.findall(name.rpartition("/")[2]), _DAY.findall("\n".join(self._turn.outputs))
        if not days or not today or name not in self._all_notices(query):
            return ""
        if days[0] <= today[-1]:
            return " (in force)"
        with suppress(ValueError):
            if date.fromisoformat(days[0]) - date.fromisoformat(today[-1]) == timedelta(days=1):
                return f" (in force if local time is ahead: {today[-1]} is the tools' date)"
        return f" (not yet in force: today is {today[-1]})"

    def show(self, query: Query) -> None:
        """Show the chosen documents, at most as many characters as are declared, and failures; name the others."""
        operation, room = self._operation, Room(self._room)
        if operation is None:
            return
        texts = self._read_texts
        others, notices = 0, dict[str, list[str]]()
        for name in self.names:
            call = self._calls.sent(operation.name, {operation.subject: name})
            state = self._state_of(name, query)
            if call is not None and (name in self._chosen or name in self._notices or name not in texts):
                title = f"{title_of(operation, call.call.arguments)}{state}"
                own = Room(self._room) if name in self._notices else room
                self._turn.writer.show(Section(operation, title, call, room=own, chars=self._room))
            elif state:
                folder, _, file = name.rpartition("/")
                notices.setdefault(folder, []).append(f"{file}{state.partition(':')[0].rstrip(')')})")
            else:
                others += 1
        if others or notices:
            listed = "".join(f"; {folder}/: {', '.join(files)}" for folder, files in notices.items())
            self._turn.writer.say(f"(Not shown: {others} documents of {self._root}{listed}.)\n")


def tree_in_parts(ask: Callable[[str, Mapping[str, Plain]], Mapping[str, Any] | None], path: str) -> dict[str, Any]:
    """Return the tree below a folder that is too large for one call, from its list and the trees of its folders.

    A folder that is too large even for a list has None as its children. `ask` returns None for a result too large.
    """
    listing = ask("list", {"path": path})
    children = listing and [
        (ask("tree", {"root": entry["path"], "level": 0}) or tree_in_parts(ask, entry["path"]))
        if entry["is_dir"]
        else {"name": entry["name"], "is_dir": False}
        for entry in listing["entries"]
    ]
    return {"name": path.rstrip("/").rsplit("/", 1)[-1] or "/", "is_dir": True, "children": children}
