"""Makes the initial calls in at most four batches, and chooses what the initial prompt shows of them.

1. what the environment declares: the tree, who asks, the time, the rules
2. files that the request names, a search for its ids and words in records, and one for its words in documents
3. the documents and records that fit best, and what the named records link to
4. documents that the best one links to, notices, and the help of tools
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Final

from agent.events import CallRecord, ConversationOpened, SaidMessage
from agent.evidence.recorder import CallUnderWay, Recorder
from agent.first_message.fitting_files import FittingFiles
from agent.first_message.listed_files import ListedFiles
from agent.first_message.ranking import (
    beginning_of,
    words_of,
)
from agent.first_message.sections import HELP, Section, SectionWriter, result_text, title_of
from sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    EachOf,
    Effect,
    InitialCall,
    Operation,
    Plain,
    ToolSchema,
    error_codes,
)

EVERY_SEARCH_FAILED: Final = "the environment refuses every search of the initial prompt"
FIND: Final = "find"
ALL_FILES: Final[Mapping[str, Plain]] = {"name": "*", "root": "/", "kind": "files", "limit": 0}

Declared = tuple[InitialCall, Operation]


@dataclass(frozen=True, slots=True)
class InitialPromptLimits:
    """Limits on the first message's content. Content that is cut does not count as read."""

    section_chars: int = 12_000
    """Characters of one document or listing."""
    total_chars: int = 120_000
    """Characters of all documents and listings."""


class InitialCalls:
    """The initial calls. Calls that only read go out at once, if the environment allows several at a time."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.tool_schema = recorder.tool_schema
        self._sent: dict[str, CallUnderWay] = {}

    @property
    def spare(self) -> int:
        """Calls that may still be made, apart from those that are declared."""
        # Max initial calls, those that are declared before others.
        return 24 - len(self._sent)

    def send(self, operation: str, arguments: Mapping[str, Plain], *, attempt: int = 1) -> CallUnderWay:
        """Begin a call, or return the same call that was begun before; one that may change something is made alone."""
        key = _key_of(operation, arguments) + (f" {attempt}" if attempt > 1 else "")
        if key not in self._sent:
            only_reads = not self.tool_schema.may_change(operation, arguments)
            if not only_reads:
                for call in self._sent.values():
                    self.recorder.outcome(call)
            self._sent[key] = self.recorder.send(operation, arguments, begins=only_reads)
            if not (only_reads and self.tool_schema.reads_side_by_side):
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
    def made(self) -> list[CallRecord]:
        """The calls with their outcomes."""
        return [self.recorder.outcome(call) for call in self._sent.values()]

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
        # Max lines of one search.
        return self.send(operation, {"pattern": pattern, "root": root, "limit": 1_000})

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


class FirstMessage:
    """The sections of an initial prompt: what the environment declares, then what fits the request."""

    def __init__(self, recorder: Recorder, instruction: str, limits: InitialPromptLimits) -> None:
        self.calls = InitialCalls(recorder)
        self.writer = SectionWriter(recorder, instruction, limits.section_chars, limits.total_chars)
        self.instruction = instruction
        self.rules = ""
        self.listed = ListedFiles()
        self.down: set[str] = set()
        """Tools that a declared call found to be down."""
        self.outputs: list[str] = []
        """Output of tools that were not asked for help."""
        self.tool_schema = recorder.tool_schema

    def open(self) -> FirstMessage:
        """Make the initial calls and write their sections. Every call is recorded, with its error if it failed.

        If no room is left, no further calls are made; the rules are always read, because the gates need them.
        """
        try:
            declared = declared_calls(self.tool_schema)
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
    def offered(self) -> ToolSchema:
        """The environment's declaration without the tools that are down."""
        return without_down(self.tool_schema, self.calls.made)

    def message(self, prompt: str) -> list[str]:
        """Return the pieces of the first message: the sections, then a prompt with the instruction.

        The instruction comes last, so that trials share the text before it.
        """
        pieces = self.writer.pieces
        if not pieces or self.tool_schema.citations == "none":  # The text before the instruction is about citing them.
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
            first_message=tuple(message),
            exchange=tuple(exchange),
            calls=tuple(recorder.calls),
            rules=self.rules,
        )

    def _show_first(self, declared: list[Declared]) -> None:
        """Make the declared calls that need no other, side by side, and show their results."""
        has_tree = any(operation.drawn_as_tree for _, operation in declared)
        begun = [
            (call, operation, self.calls.send(operation.name, call.arguments))
            for call, operation in first_calls(self.tool_schema)
            if self.writer.left > 0 or _is_rules(self.tool_schema, operation, call.arguments)
        ]
        for call, _ in declared:
            if call.each_of and not (has_tree and _is_listing_of_tree(call.each_of)):
                self.calls.send(call.each_of.operation, call.each_of.arguments)
        again = {sent.number: self._repeated(operation, sent) for _, operation, sent in begun}
        for call, operation, sent in begun:
            self._show(operation, call, again[sent.number] or sent)

    def _repeated(self, operation: Operation, sent: CallUnderWay) -> CallUnderWay | None:
        """Make a declared call of a tool once more if the tool failed, since the next batches look for who asks."""
        failed = bool(operation.exit_field and self.calls.result(sent).get(operation.exit_field))
        arguments = sent.call.arguments
        return self.calls.send(operation.name, arguments, attempt=2) if failed else None

    def _show(self, operation: Operation, declared: InitialCall, sent: CallUnderWay) -> None:
        """Show the result of a declared call, and learn from it. Without room only the rules are shown."""
        arguments = sent.call.arguments
        is_rules = _is_rules(self.tool_schema, operation, arguments)
        if declared.most_chars == 0:
            if _has_failed(operation, self.calls.result(sent)):
                self.down.add(str(arguments.get(operation.subject)))
            return
        if self.writer.left <= 0 and not is_rules:
            return
        listing = self._listing(operation, sent) if operation.drawn_as_tree else None
        section = Section(operation, title_of(operation, arguments), sent, declared=declared, listing=listing)
        text = self.writer.show(section)
        if operation.effect is Effect.EXECUTES and not is_help(arguments):
            self.outputs.append(text)
        if is_rules:
            self.rules = str(self.calls.result(sent).get(operation.json_field, ""))

    def _listing(self, operation: Operation, sent: CallUnderWay) -> ListedFiles | None:
        """Return the files with those of a tree: from one list of all files if the call for a tree that is too large
        failed; None if neither shows them."""
        arguments, outcome = sent.call.arguments, self.calls.recorder.outcome(sent)
        root, level = str(arguments.get(operation.subject) or "/"), arguments.get("level")
        if outcome.result:
            self.listed.add(root, level if isinstance(level, int) else 0, outcome.result)
            return self.listed
        is_too_large = outcome.error is not None and outcome.error.code == error_codes.RESOURCE_EXHAUSTED
        if not is_too_large or self.tool_schema.operation(FIND) not in FILE_OPERATIONS:
            return None
        listed = self.calls.result(self.calls.send(FIND, {**ALL_FILES, "root": root}))
        if not isinstance(paths := listed.get("paths"), list) or listed.get("truncated"):
            return None
        self.listed.add_paths(root, map(str, paths))
        return self.listed

    def _show_further(self, declared: list[Declared]) -> None:
        """Make the calls that need others: in three batches, those of documents, records and tools side by side."""
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
            if _has_failed(operation, result) or f"`{tool} " not in shown:
                self._show(operation, call, begun)
        files.show_records()

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
    ) -> list[tuple[InitialCall, Operation, CallUnderWay]]:
        """Ask for the help of the tools that request, rules or the best document name and that are not down."""
        helps = [(call, operation) for call, operation in declared if call.each_of is None and is_help(call.arguments)]
        text, words = f"{self.instruction}\n{self.rules}\n{best}", {*map(beginning_of, words_of(self.instruction))}
        run = {call.arguments.get(operation.subject) for call, operation in declared if not is_help(call.arguments)}
        needed = []
        for call, operation in helps:
            path = str(call.arguments.get(operation.subject))
            is_named = path in text or beginning_of(path.rpartition("/")[2].casefold()) in words
            # Tools of which all help is shown.
            if path not in self.down and (offers_all or len(helps) <= 3 or (is_named and path not in run)):
                needed.append((call, operation))
        return [
            (call, operation, self.calls.send(operation.name, call.arguments))
            for call, operation in needed[: max(self.calls.spare, 0)]
        ]


def declared_calls(tool_schema: ToolSchema) -> list[Declared]:
    """Return the declared initial calls with their operations; a call of an unknown operation is left out."""
    calls = [(call, tool_schema.operation(call.operation)) for call in tool_schema.initial_calls]
    return [(call, operation) for call, operation in calls if operation is not None]


def without_down(tool_schema: ToolSchema, calls: Iterable[CallRecord]) -> ToolSchema:
    """Return a declaration without the tools that its declared initial calls, among `calls`, found to be down."""
    results = {_key_of(made.operation, made.arguments): made.result for made in calls}
    down = {
        call.arguments.get(operation.subject)
        for call, operation in declared_calls(tool_schema)
        if call.most_chars == 0
        and (key := _key_of(call.operation, call.arguments)) in results
        and _has_failed(operation, results[key])
    }
    return replace(tool_schema, executables=tuple(tool for tool in tool_schema.executables if tool.path not in down))


def _has_failed(operation: Operation, result: Mapping[str, Plain] | None) -> bool:
    return not result or bool(result.get(operation.exit_field))


def first_calls(tool_schema: ToolSchema) -> list[Declared]:
    """Return the declared calls of the first batch: of files, the rules alone if there is a tree."""
    declared = declared_calls(tool_schema)
    has_tree = any(operation.drawn_as_tree for _, operation in declared)
    return [
        (call, operation)
        for call, operation in declared
        if call.each_of is None
        and not is_help(call.arguments)
        and not (
            has_tree and operation.effect is Effect.READS and not _is_rules(tool_schema, operation, call.arguments)
        )
    ]


def _is_rules(tool_schema: ToolSchema, operation: Operation, arguments: Mapping[str, Plain]) -> bool:
    return bool(operation.json_field) and arguments.get(operation.subject) == tool_schema.rules_document


def failed_searches(calls: Iterable[CallRecord]) -> str:
    """Return why every initial search failed, as a notice of the run; empty if one succeeded or none was made.

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
