"""The first message of a trial: its initial calls in at most four batches, what it shows of them, the instruction.

1. what the environment declares: the tree, who asks, the time, the rules
2. files that the request names, a search for its ids and words in records, and one for its words in documents
3. the documents and records that fit best, and what the named records link to
4. documents that the best one links to, notices, and the help of tools
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from enum import IntEnum
from fnmatch import fnmatchcase
from typing import Final

import re2

from agent.events import CallRecord, ConversationOpened, SaidMessage
from agent.evidence.recorder import CallUnderWay, Recorder
from agent.fitting_files import FittingFiles, ListedFiles, beginning_of, paths_in, paths_of_tree, text_table, words_of
from sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    EachOf,
    Effect,
    InitialCall,
    Operation,
    Plain,
    ToolSchema,
    Tree,
    error_codes,
)

FIND: Final = "find"

Declared = tuple[InitialCall, Operation]


class InitialCalls:
    """The initial calls. Calls that only read go out at once, if the environment allows several at a time."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.tool_schema = recorder.tool_schema
        self._sent: dict[str, CallUnderWay] = {}

    @property
    def spare(self) -> int:
        """Calls that may still be made: 24 in all, those that are declared before others."""
        return max(24 - len(self._sent), 0)

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

    def read(self, operation: Operation | None, paths: Iterable[str], most: int) -> None:
        """Begin to read files, at most `most`, as long as there are calls to spare."""
        left = [path for path in paths if self.sent(operation, path) is None]
        if operation is not None:
            for path in left[: max(min(most, self.spare), 0)]:
                self.send(operation.name, {operation.subject: path})

    def sent(self, operation: Operation | None, path: str) -> CallUnderWay | None:
        """Return the call that reads a file, if it was begun."""
        return self._sent.get(_key_of(operation.name, {operation.subject: path})) if operation else None

    def texts(self, operation: Operation | None, paths: Iterable[str]) -> dict[str, str]:
        """Return the texts of those of the files that were read."""
        results = [(path, self.result(call)) for path in paths if (call := self.sent(operation, path))]
        return {path: result_text(operation, result) for path, result in results if operation and result}

    @property
    def begun(self) -> list[CallUnderWay]:
        """The calls in the order in which they were sent."""
        return [*self._sent.values()]


def _key_of(operation: str, arguments: Mapping[str, Plain]) -> str:
    return f"{operation}{arguments if len(arguments) == 1 else sorted(arguments.items())}"


class FirstMessage:
    """The sections of an initial prompt: what the environment declares, then what fits the request."""

    def __init__(self, recorder: Recorder, instruction: str, most_chars: int) -> None:
        self.calls = InitialCalls(recorder)
        self.writer = SectionWriter(recorder, most_chars)
        self.instruction = instruction
        self.rules = ""
        self.listed = ListedFiles()
        self.outputs: list[str] = []
        """Output of tools that were not asked for help."""
        self.tool_schema = recorder.tool_schema

    def open(self) -> FirstMessage:
        """Make the initial calls and write their sections. Every call is recorded, with its error if it failed.

        If no room is left, no further calls are made; the rules are always read, because the gates need them.
        """
        recorder = self.calls.recorder
        try:
            self._show_first()
            if self.writer.left > 0:
                self._show_further()
            if self.writer.left <= 0:
                self.writer.say("(There was no room to open everything.)\n")
            for call in self.calls.begun:
                whole = None if call.call.operation == FIND else 0
                with suppress(CallError):
                    recorder.receive(call, shown_chars=self.writer.shown_chars.get(call.number, whole))
        finally:
            recorder.await_calls(self.calls.begun)
        return self

    @property
    def offered(self) -> ToolSchema:
        """The environment's declaration without the tools that are down."""
        return without_down(self.tool_schema, map(self.calls.recorder.outcome, self.calls.begun))

    def message(self, prompt: str) -> list[str]:
        """Return the pieces of the first message: the sections, then a prompt with the instruction.

        The instruction comes last, so that trials share the text before it.
        """
        pieces = [piece for section in self.writer.sections for piece in section.pieces]
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

    def _show_first(self) -> None:
        """Make the declared calls that need no other, side by side, and show their results."""
        begun = [
            (call, operation, self.calls.send(operation.name, call.arguments))
            for call, operation in first_calls(self.tool_schema)
            if self.writer.left > 0 or _is_rules(self.tool_schema, operation, call.arguments)
        ]
        for call, operation, sent in begun:
            if _exit_code(operation, self.calls.result(sent)):  # Once more, for the next batches look for who asks.
                sent = self.calls.send(operation.name, call.arguments, attempt=2)
            self._show(call, operation, sent)

    def _show(self, declared: InitialCall, operation: Operation, sent: CallUnderWay) -> None:
        """Show the result of a declared call, and learn from it. Without room only the rules are shown."""
        arguments, result = sent.call.arguments, self.calls.result(sent)
        is_rules = _is_rules(self.tool_schema, operation, arguments)
        if declared.most_chars == 0 or (self.writer.left <= 0 and not is_rules):
            return
        if is_rules:
            self.rules = str(result.get(operation.json_field, ""))
        elif operation.effect is Effect.EXECUTES and not is_help(arguments):
            self.outputs.append(result_text(operation, result))
        tree = self._tree(declared, operation, sent) if operation.drawn_as_tree else None
        self.writer.show(operation, sent, declared.most_chars, text=tree)

    def _tree(self, declared: InitialCall, operation: Operation, sent: CallUnderWay) -> str | None:
        """Return the drawing of a tree: from one list of all files if the call for a tree that is too large failed;
        None if neither shows them."""
        arguments, outcome = sent.call.arguments, self.calls.recorder.outcome(sent)
        root, level = str(arguments.get(operation.subject) or "/"), arguments.get("level")
        if outcome.result:
            levels = level if isinstance(level, int) and level else 40
            self.listed.add(root, paths_of_tree(outcome.result, root.rstrip("/"), levels))
        else:
            is_too_large = outcome.error is not None and outcome.error.code == error_codes.RESOURCE_EXHAUSTED
            given: dict[str, Plain] = {"name": "*", "root": root, "kind": "files", "limit": 0}
            can_list = is_too_large and self.tool_schema.operation(FIND) in FILE_OPERATIONS
            found = self.calls.result(self.calls.send(FIND, given)) if can_list else {}
            if not isinstance(paths := found.get("paths"), list) or found.get("truncated"):
                return None
            self.listed.add(root, sorted(map(str, paths)))
        longest = len(self.listed.files) if declared.longest_listing is None else declared.longest_listing
        text = self.listed.drawn(longest, root=root, in_full=paths_in(self.instruction))
        is_short = len(text) <= self.writer.room(declared.most_chars)
        return text if is_short else self.listed.drawn(0, root=root)

    def _show_further(self) -> None:
        """Make the calls that need others: in three batches, those of documents, records and tools side by side."""
        declared = declared_calls(self.tool_schema)
        fitting, whole = [], []
        for call, operation in declared:
            is_sent = self.calls.sent(operation, str(call.arguments.get(operation.subject))) is not None
            if call.each_of is None and operation.effect is Effect.READS and not is_sent:
                whole.append((call, operation, self.calls.send(operation.name, call.arguments)))
            for value in self._values(call.each_of) if call.each_of else ():
                alone = {**call.arguments, operation.subject: value}
                if call.fitting_chars is None or operation.effect is not Effect.READS:
                    whole.append((call, operation, self.calls.send(operation.name, alone)))
                elif self.calls.sent(operation, str(value)) is None:
                    fitting.append((call, operation, str(value)))
        with closing(text_table()) as table:
            self._show_fitting(FittingFiles(self, fitting, table), whole)

    def _show_fitting(self, files: FittingFiles, whole: list[tuple[InitialCall, Operation, CallUnderWay]]) -> None:
        """Show the whole documents, then what fits the request, and the help of tools."""
        files.search()
        files.read()
        for call, operation, begun in whole:
            self._show(call, operation, begun)
        best = next(iter(files.chosen().values()), "")
        helps = self._send_helps(best, offers_all=not files.pages)
        files.read_linked(best)
        chosen = files.chosen()
        files.show_documents(chosen)
        shown = "\n".join([self.rules, *chosen.values()])
        for call, operation, begun in helps:
            result, tool = self.calls.result(begun), begun.call.arguments.get(operation.subject)
            if not result or _exit_code(operation, result) or f"`{tool} " not in shown:
                self._show(call, operation, begun)
        files.show_records()

    def _values(self, listing: EachOf) -> list[Plain]:
        """Return the values of a listing: from a tree if one shows them all, else from its call."""
        given = listing.arguments
        if (listing.operation, given.get("kind"), given.get("limit")) == (FIND, "files", 0):
            files, name = self.listed.below(str(given.get("root"))), str(given.get("name")).lower()
            if files is not None:
                return [path for path in files if fnmatchcase(path.rpartition("/")[2].lower(), name)]
        values = self.calls.result(self.calls.send(listing.operation, given)).get(listing.field)
        return [
            value.get("path") if isinstance(value, dict) else value
            for value in (values if isinstance(values, list) else [])
            if not (isinstance(value, dict) and value.get("is_dir"))
        ]

    def _send_helps(self, best: str, *, offers_all: bool) -> list[tuple[InitialCall, Operation, CallUnderWay]]:
        """Ask for the help of the tools that request, rules or the best document name and that are not down."""
        declared = declared_calls(self.tool_schema)
        helps = {str(call.arguments.get(one.subject)): (call, one) for call, one in declared if is_help(call.arguments)}
        needed = [tool.path for tool in self.offered.executables if tool.path in helps]
        if not offers_all and len(helps) > 3:  # Of few tools all help is shown.
            text, words = f"{self.instruction}\n{self.rules}\n{best}", {*map(beginning_of, words_of(self.instruction))}
            run = {call.arguments.get(one.subject) for call, one in declared if not is_help(call.arguments)}
            named = [
                tool for tool in needed if tool in text or beginning_of(tool.rpartition("/")[2].casefold()) in words
            ]
            needed = [tool for tool in named if tool not in run]
        asked = [helps[tool] for tool in needed[: self.calls.spare]]
        return [(call, operation, self.calls.send(operation.name, call.arguments)) for call, operation in asked]


def declared_calls(tool_schema: ToolSchema) -> list[Declared]:
    """Return the declared initial calls with their operations; a call of an unknown operation is left out."""
    calls = [(call, tool_schema.operation(call.operation)) for call in tool_schema.initial_calls]
    return [(call, operation) for call, operation in calls if operation is not None]


def without_down(tool_schema: ToolSchema, calls: Iterable[CallRecord]) -> ToolSchema:
    """Return a declaration without the tools that its declared initial calls, among `calls`, found to be down."""
    results = {_key_of(made.operation, made.arguments): made.result for made in calls}
    probes = [
        (call.arguments.get(operation.subject), operation, results[key])
        for call, operation in declared_calls(tool_schema)
        if call.most_chars == 0 and (key := _key_of(call.operation, call.arguments)) in results
    ]
    down = {tool for tool, operation, result in probes if not result or _exit_code(operation, result)}
    return replace(tool_schema, executables=tuple(tool for tool in tool_schema.executables if tool.path not in down))


def _exit_code(operation: Operation, result: Mapping[str, Plain]) -> Plain:
    return result.get(operation.exit_field) if operation.exit_field else 0


def first_calls(tool_schema: ToolSchema) -> list[Declared]:
    """Return the declared calls of the first batch: of files, the rules alone if there is a tree."""
    declared = [one for one in declared_calls(tool_schema) if one[0].each_of is None and not is_help(one[0].arguments)]
    if not any(operation.drawn_as_tree for _, operation in declared):
        return declared
    return [
        (call, operation)
        for call, operation in declared
        if operation.effect is not Effect.READS or _is_rules(tool_schema, operation, call.arguments)
    ]


def _is_rules(tool_schema: ToolSchema, operation: Operation, arguments: Mapping[str, Plain]) -> bool:
    return bool(operation.json_field) and arguments.get(operation.subject) == tool_schema.rules_document


def failed_searches(calls: Iterable[CallRecord]) -> str:
    """Return why every initial search failed, as a notice of the run; empty if one succeeded or none was made.

    The text is the same for all trials in which they fail alike.
    """
    errors = [call.error for call in calls if call.operation == "search"]
    codes = ", ".join(sorted({error.code for error in errors if error is not None}))
    said = f"the environment refuses every search of the initial prompt ({codes}): records are shown only if a request "
    return "" if not errors or None in errors else f"{said}names their files"


MOST_SECTION_CHARS: Final = 12_000
"""Max characters of one document or listing."""
_BLANK_LINES: Final = re2.compile(r"\n(?:[ \t]*\n)+")
READ_ALL: Final = "read_all"
"""The function that returns the whole of a file of which a read returns only a part, if the environment has one."""
_SIGN: Final = re2.compile("[<＜﹤‹〈⟨❮˂ᐸ≮]")
_NAMES: Final = ("section", "instruction")
"""The names of the marks that the initial prompt itself sets."""
_UNSEEN: Final = frozenset({"Cc", "Cf", "Me", "Mn"})
"""Categories of characters that a reader does not see: controls, invisible formats, and marks on a letter."""
_FILLERS: Final = "\u115f\u1160"


class Place(IntEnum):
    """The place of a section in the initial prompt: sections that many trials share come first, for a provider's
    cache."""

    DOCUMENT = 0
    """A document that every trial is shown, such as the rules."""
    HELP = 1
    """A tool's own description."""
    FITTING = 2
    """A document that fits the instruction, or is named in it."""
    CASE = 3
    """The listing of files, who asks, and when."""
    WHAT_IS_NOT_SHOWN = 4


def without_marks(text: str, names: Sequence[str] = _NAMES) -> str:
    """Return a text without anything that reads like a mark of one of these names, else like those of the initial
    prompt."""
    escaped: str = _SIGN.sub(lambda sign: "&lt;" if _is_mark(text, sign.end(), names) else sign[0], text)
    return escaped


def _is_mark(text: str, start: int, names: Sequence[str]) -> bool:
    """Say whether a mark's name follows, in letters of any width, style and case, unseen characters left out."""
    name = ""
    for at in range(start, len(text)):
        for char in unicodedata.normalize("NFKD", text[at]).casefold():
            is_unseen = char in _FILLERS or (unicodedata.category(char) in _UNSEEN and not char.isspace())
            if not is_unseen and (name or not (char.isspace() or char in "/\\")):
                name += char
        if name in names:
            after = text[at + 1 : at + 2]
            return after in "ᐸᐳ" or not (after.isalnum() or after == "_")
        if not any(other.startswith(name) for other in names):
            break
    return False


def title_of(operation: Operation, arguments: Mapping[str, Plain]) -> str:
    """Return the title of a call's section."""
    args = arguments.get("args")
    words = args if isinstance(args, list) else []
    return " ".join(filter(None, map(str, [operation.name, arguments.get(operation.subject) or "", *words])))


def is_help(arguments: Mapping[str, Plain]) -> bool:
    """Say whether a call asks a tool to describe itself."""
    return arguments.get("args") == ["--help"]


def result_text(operation: Operation, result: Mapping[str, Plain]) -> str:
    """Return a call's result as text: its one text field, its tree, or its fields as JSON."""
    if operation.drawn_as_tree:
        return str(Tree(result))
    if operation.json_field:
        return str(result.get(operation.json_field, ""))
    texts = [str(result[declared.name]) for declared in operation.fields if isinstance(result.get(declared.name), str)]
    texts = [text for text in texts if text and text != result.get(operation.subject)]
    if len(texts) == 1:
        return texts[0]
    return json.dumps(dict(result), ensure_ascii=False)


def joined_lines(text: str, room: int) -> tuple[str, int]:
    """Return the text in at most `room` characters, and how many characters of the text this shows.

    The lines of a JSON object or list are joined without blanks; any other text stays unchanged.
    """
    if not text.startswith(("{", "[")):
        return text[:room], min(len(text), room)
    shown, consumed = "", 0
    for line in text.splitlines(keepends=True):
        key, mark, value = line.strip().partition('": ')
        part = f'{key}":{value}' if mark and line[:1].isspace() and "\\" not in key else line.strip()
        if len(shown) + len(part) > room:
            break
        shown += part
        consumed += len(line)
    return shown, consumed


@dataclass(frozen=True, slots=True)
class Section:
    """The part of the initial prompt that shows one call's result, or a text of its own."""

    place: Place
    shown: str
    call: CallRecord | None = None
    title: str = ""
    """The call, and what was found out about its file."""
    notice: str = ""
    """Says in parentheses how much is not shown, and how to read on."""

    @property
    def pieces(self) -> list[str]:
        """The pieces of the section in the initial prompt."""
        if self.call is None:
            return [without_marks(self.shown)]
        title = " ".join(without_marks(self.title).replace('"', "&quot;").splitlines())
        end = f"\n</section>{self.notice}\n"
        return [f'<section title="{title}">\n', without_marks(self.shown.rstrip("\n")), end]


@dataclass(slots=True)
class SectionWriter:
    """Writes the sections of the initial prompt, as far as there is room; the rest of a text does not count as read."""

    recorder: Recorder
    left: int
    """Characters that may still be shown."""
    shown_chars: dict[int, int] = field(default_factory=dict)
    """The characters of its result that are shown, by the number of a call."""
    _sections: list[Section] = field(default_factory=list)

    def room(self, most: int | None = None) -> int:
        """Return how many characters the next section may take, `most` at most."""
        return max(min(MOST_SECTION_CHARS if most is None else most, MOST_SECTION_CHARS, self.left), 0)

    def show(
        self,
        operation: Operation,
        call: CallUnderWay,
        most: int | None = None,
        *,
        text: str | None = None,
        fits: str | None = None,
    ) -> int:
        """Show a call's result, or a text in its place, as far as there is room, and return the section's characters.

        `fits` says something about a file that is shown because it fits the instruction; it may be empty.
        """
        made, arguments = self.recorder.outcome(call), call.call.arguments
        result, title = made.result or {}, title_of(operation, arguments)
        if text is None:
            failure = f"(failed: {made.error.code}: {made.error.message})" if made.error else ""
            text = failure or result_text(operation, result)
        shown, length = _shown(text, self.room(most), joins=fits is not None)
        if title.lower().endswith(".md"):
            shown = _BLANK_LINES.sub("\n", shown)
        if made.result is not None:
            self.shown_chars[call.number] = length
        self.left -= len(shown)
        reads_on = operation.effect is Effect.READS and self.recorder.tool_schema.operation(READ_ALL) is not None
        by, cut = f"{READ_ALL}(path)" if reads_on else operation.name, len(text) - length
        goes_on = f"\n(It goes on: {by})" if result.get("truncated") is True else ""
        place = Place.DOCUMENT if operation.effect is Effect.READS else Place.CASE
        place = Place.FITTING if fits is not None else Place.HELP if is_help(arguments) else place
        notice = f"\n({cut} more characters: {by})" if cut > 0 else goes_on
        section = Section(place, shown, call.call, title + (fits or ""), notice)
        self._sections.append(section)
        return sum(map(len, section.pieces))

    def say(self, text: str) -> None:
        """Add a text beside the sections: a list of what is not shown."""
        self._sections.append(Section(Place.WHAT_IS_NOT_SHOWN, text))

    @property
    def sections(self) -> list[Section]:
        """The sections so far: first those that other trials share, last this trial's own."""
        return sorted(self._sections, key=lambda section: section.place)


def _shown(text: str, chars: int, *, joins: bool) -> tuple[str, int]:
    """Return the part of a text that is shown in `chars` characters, to a line's end, and its length in the text."""
    if joins and text.startswith(("{", "[")):
        shown, length = joined_lines(text, chars)
        if length:
            return shown, length
    end = text.rfind("\n", 0, chars + 1) if len(text) > chars else len(text)
    shown = text[: end if end > 0 else chars]
    return shown, len(shown)
