"""Builds the first message of a trial, with documents and records that fit the request.

`build_initial_prompt` makes the initial calls in at most four batches, writes their
results as sections of the message, and ends the message with the instruction. The
batches are:

1. what the environment declares: the tree of files, the user who asks, the time, the
   rules
2. the files that the request names, and searches for its words in all others
3. the files that fit best, and those that the named records link to
4. the documents that the best ones link to, and the help of tools
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Final

from controlplane.agent.events import (
    CallRecord,
    ConversationOpened,
    RankedFile,
    SaidMessage,
)
from controlplane.agent.evidence.call_under_way import CallUnderWay
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.file_candidate import Reason
from controlplane.agent.file_ranker import FileRanker, ListedDocuments, RequestFacts
from controlplane.agent.file_selection import (
    files_left_out,
    journal_rows,
    show_best_files,
)
from controlplane.agent.initial_calls import InitialCalls, key_of
from controlplane.agent.listed_files import paths_of_tree
from controlplane.agent.loop.prompt_texts import Prompts, default_prompts
from controlplane.agent.loop.record_reading import TITLE as READING_TITLE
from controlplane.agent.loop.record_reading import reading_line, record_files
from controlplane.agent.loop.system_prompt import system_prompt
from controlplane.agent.prompt_sections import SectionWriter, is_help, result_text
from controlplane.agent.record_owners import asker_of, asks_who
from controlplane.agent.rules_routing import paths_in
from controlplane.agent.section_marks import without_marks
from controlplane.sandbox.files.word_ranking import WordRanking, beginning_of, words_of
from controlplane.sandbox.interface import (
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

FIND: Final = "find"
"""The operation that lists files by their names."""
DEFAULT_PROMPT_CHARS: Final = 120_000
"""Max characters of documents and listings in a first message."""
TREE_LEVELS: Final = 40
"""The depth of a tree whose call gives none: deeper than any real folder."""
MAX_FULL_HELPS: Final = 3
"""If more tools than this have help, only the help of tools that fit the request is
shown."""


@dataclass(frozen=True, slots=True)
class DeclaredCall:
    """An initial call that the environment declares, with its operation.

    A call with `each_of` is made once for each value of a listing, such as each file of
    a folder.
    """

    call: InitialCall
    """The declaration of the call: its arguments, and how much of its result is
    shown."""
    operation: Operation
    """The operation that it calls. Its `subject` is the name of the main argument:
    `path`, say."""

    @property
    def is_probe(self) -> bool:
        """True if the call only tests whether a tool works. Its result is not shown."""
        return self.call.most_chars == 0  # That is how an environment declares a probe.


@dataclass(frozen=True, slots=True)
class SentCall:
    """A declared call that was sent."""

    declared: DeclaredCall
    under_way: CallUnderWay
    """The call itself, which may still run."""

    @property
    def arguments(self) -> Mapping[str, Plain]:
        """The arguments with which it was sent."""
        return self.under_way.call.arguments


NO_DOCUMENTS: Final = ListedDocuments(read_operation=None, root="/", paths=())


@dataclass(frozen=True, slots=True)
class PromptReader:
    """The facts about the model that reads an initial prompt."""

    context_tokens: int | None = None
    """The size of its context in tokens; None if unknown."""
    replies_in_fences: bool = False
    """True if it is asked for scripts in fences instead of JSON."""


def build_initial_prompt(
    instruction: str,
    recorder: Recorder,
    most_chars: int = DEFAULT_PROMPT_CHARS,
    *,
    prompts: Prompts | None = None,
    now: datetime | None = None,
    reader: PromptReader | None = None,
) -> ConversationOpened:
    """Make the initial calls, and return the system prompt and the first message.

    The message shows at most `most_chars` characters of documents and listings, and
    fewer if the model's context is small. `prompts` default to the product's own. `now`
    is the trial's time. `reader` describes the model.
    """
    prompts = prompts or default_prompts()
    reader = reader or PromptReader()
    in_fences = reader.replies_in_fences

    # 1. Find the room for documents. This system prompt has all tools. The final one may be
    # shorter, because it leaves out tools that are down.
    longest_system = system_prompt(recorder.tool_schema, prompts, in_fences=in_fences)
    other_chars = len(longest_system) + len(instruction)
    room = MessageRoom(most_chars, reader.context_tokens, other_chars)

    # 2. Make the initial calls, and write a section for each result.
    first_message = FirstMessage(recorder, instruction, room, now)
    first_message.open()

    # 3. Write the system prompt, and the first message: the sections and the instruction.
    system = system_prompt(first_message.offered, prompts, in_fences=in_fences)
    prompt = prompts.filled("first_message", instruction=without_marks(instruction))
    message = first_message.message(prompt)
    return first_message.conversation(system, message)


PROMPT_SHARE: Final = 0.5
"""The share of the context for the system prompt and the first message. Steps need the
rest."""
CHARS_PER_TOKEN: Final = 3.0
"""A low estimate, because records have fewer characters per token than prose."""


@dataclass(frozen=True, slots=True)
class MessageRoom:
    """The room for documents and listings in a first message."""

    max_chars: int
    """The characters that the settings allow."""
    context_tokens: int | None = None
    """The tokens of the model's context; None if they are unknown."""
    other_chars: int = 0
    """The characters of the system prompt and the instruction."""

    @property
    def chars(self) -> int:
        """The characters that may be shown."""
        if self.context_tokens is None:
            return self.max_chars
        context_chars = int(self.context_tokens * PROMPT_SHARE * CHARS_PER_TOKEN)
        return min(self.max_chars, max(context_chars - self.other_chars, 0))

    @property
    def is_lowered(self) -> bool:
        """True if the model's context leaves less room than the settings allow."""
        return self.chars < self.max_chars


class FirstMessage:
    """Builds the first message of one trial.

    Call `open` first: it makes the initial calls, and writes a section of the message
    for each result to show. Then `message` returns the message, `offered` the tools
    that work, and `conversation` the event for the journal.
    """

    def __init__(
        self,
        recorder: Recorder,
        instruction: str,
        room: MessageRoom,
        now: datetime | None = None,
    ) -> None:
        self.tool_schema = recorder.tool_schema
        self.calls = InitialCalls(recorder)
        """Makes each initial call once, and holds the results."""
        self.room = room
        self.writer = SectionWriter(recorder, room.chars)
        """Writes the sections, and counts the room that is left."""
        self.facts = RequestFacts(instruction, now)
        """The facts from the calls: the rules, the listed files, the user who asks."""
        self.ranked_files: tuple[RankedFile, ...] = ()
        """The rows about the ranked files, for the journal."""

    def open(self) -> FirstMessage:
        """Make the initial calls, write their sections, and record the calls. Return
        `self`.

        Without room, no further calls are made. Only the rules are always read, because
        the gates, which check the answer, need them.
        """
        recorder = self.calls.recorder
        try:
            # 1. Send the calls, and write the sections from their outcomes.
            self._show_first()
            if self.writer.remaining_chars > 0:
                self._show_further()
                self._say_how_records_are_read()
            if self.writer.remaining_chars <= 0:
                self.writer.say("(There was no room to open everything.)\n")

            # 2. Record the calls, now that it is known how much of each result is shown. A call
            # that failed is recorded, too.
            for call in self.calls.sent_calls:
                with suppress(CallError):
                    recorder.receive(call, shown_chars=self._citable_chars(call))
        finally:
            # After an exception, calls may still run.
            recorder.await_calls(self.calls.sent_calls)
        return self

    def _citable_chars(self, call: CallUnderWay) -> int | None:
        """Return how many characters of a result the model may cite: those that the
        message shows.

        None means all of them.
        """
        if call.number in self.writer.shown_chars:
            return self.writer.shown_chars[call.number]
        if call.call.operation == FIND:
            return None  # The drawing of the tree shows all files that the call found.
        return 0

    @property
    def offered(self) -> ToolSchema:
        """The environment's declaration without the tools that are down."""
        records = [call.outcome() for call in self.calls.sent_calls]
        return without_down(self.tool_schema, records)

    def message(self, prompt: str) -> list[str]:
        """Return the pieces of the first message: the sections, then the prompt with
        the instruction.

        The instruction comes last, so that several trials can begin with the same text.
        """
        pieces: list[str] = []
        for section in self.writer.sections:
            pieces += section.pieces
        if not pieces or self.tool_schema.citations == "none":
            # The prompt's text before the instruction is about citing the sections.
            # Leave it out.
            start = max(prompt.find("<instruction>"), 0)
            prompt = prompt[start:]
        return [*pieces, prompt]

    def conversation(
        self, system: str, message: Sequence[str], exchange: Sequence[SaidMessage] = ()
    ) -> ConversationOpened:
        """Return the event with the start of the conversation and the initial calls."""
        recorder = self.calls.recorder
        return ConversationOpened(
            trial_id=recorder.trial_id,
            system=system,
            first_message=tuple(message),
            exchange=tuple(exchange),
            calls=tuple(recorder.calls),
            rules=self.facts.rules,
            files=self.ranked_files,
            shortened_for=self._shortened_for,
        )

    @property
    def _shortened_for(self) -> int:
        """The size of the context in tokens, if a file that fits had no room in it;
        else 0."""
        context_tokens = self.room.context_tokens
        if context_tokens is None or not self.room.is_lowered:
            return 0  # The context is not the reason if files are left out.
        if self.writer.remaining_chars <= 0 or self._left_out_fitting_file():
            return context_tokens
        return 0

    def _left_out_fitting_file(self) -> bool:
        """Return True if a file that fits the request is not shown, because room was
        short."""
        if self.writer.remaining_chars >= self.tool_schema.ranked_chars:
            return False  # The files could have all the room that the environment allows them.
        for file in self.ranked_files:
            # `reason` joins the reasons of a file: `words+withheld`. It is empty if
            # none applies.
            fits_request = bool(file.reason)
            is_forbidden = (
                Reason.WITHHELD in file.reason or Reason.NOT_IN_FORCE in file.reason
            )
            is_left_out = file.chars == 0
            if is_left_out and fits_request and not is_forbidden:
                return True
        return False

    # --- The first batch: the declared calls ---

    def _show_first(self) -> None:
        """Make the declared calls that need no other result, in parallel. Show their
        results."""
        sent_calls: list[SentCall] = []
        for declared in first_calls(self.tool_schema):
            if self.writer.remaining_chars > 0 or _is_rules(self.tool_schema, declared):
                sent_calls.append(self._send(declared))
        for sent in sent_calls:
            result = self.calls.result(sent.under_way)
            if _ended_with_error(sent.declared.operation, result):
                # Run the tool again: the next batches need its output, such as who
                # asks.
                self._use_result(self._send(sent.declared, attempt=2))
            else:
                self._use_result(sent)

    def _send(self, declared: DeclaredCall, *, attempt: int = 1) -> SentCall:
        call = self.calls.send(
            declared.operation.name, declared.call.arguments, attempt=attempt
        )
        return SentCall(declared, call)

    def _use_result(self, sent: SentCall) -> None:
        """Keep the facts in the result of a declared call, and show the result.

        The facts are the rules, the user who asks, the output of tools and the listed
        files. Without room, only the rules are kept and shown.
        """
        declared = sent.declared
        operation = declared.operation
        arguments = sent.arguments
        is_rules = _reads_rules(self.tool_schema, operation, arguments)
        has_room = self.writer.remaining_chars > 0 or is_rules
        if declared.is_probe or not has_room:
            return

        if is_rules:
            rules = self.calls.result(sent.under_way).get(operation.json_field, "")
            self.facts.rules = str(rules)
        elif operation.effect is Effect.EXECUTES and not is_help(arguments):
            self._learn_output(operation, sent.under_way)
        drawing: str | None = None
        if operation.drawn_as_tree:
            drawing = self._drawn_tree(sent)
        self.writer.show(
            operation, sent.under_way, declared.call.most_chars, text=drawing
        )

    def _learn_output(self, operation: Operation, call: CallUnderWay) -> None:
        """Keep the output of a tool. If it is the tool that tells who asks, keep the
        user, too."""
        output = result_text(operation, self.calls.result(call))
        self.facts.outputs.append(output)
        owners = self.tool_schema.record_owners
        if owners is not None and asks_who(owners, call):
            self.facts.asker = asker_of(owners, output)

    def _drawn_tree(self, sent: SentCall) -> str | None:
        """Return the drawing of a tree of files, and add its files to the listed files.

        Returns None if neither the tree nor a `find` call has all files.
        """
        # 1. Add the files.
        arguments = sent.arguments
        root = str(arguments.get(sent.declared.operation.subject) or "/")
        paths = self._paths_of_tree(sent.under_way, root)
        if paths is None:
            return None
        listed = self.facts.listed
        listed.add(root, paths)

        # 2. Draw them. Folders with many files are shortened, except those that the request names.
        longest_listing = sent.declared.call.longest_listing
        if longest_listing is None:
            longest_listing = len(
                listed.files
            )  # Every folder is drawn with all of its files.
        named_folders = paths_in(self.facts.instruction)
        drawing = listed.drawn(longest_listing, root=root, in_full=named_folders)
        if len(drawing) <= self.writer.room(sent.declared.call.most_chars):
            return drawing
        # There is too little room: draw each folder in one line.
        return listed.drawn(0, root=root)

    def _paths_of_tree(self, call: CallUnderWay, root: str) -> list[str] | None:
        """Return all files below the root of a tree, from the tree itself or from a
        `find` call.

        Returns None if neither has all of them.
        """
        outcome = call.outcome()
        if outcome.result:
            levels = call.call.arguments.get("level")
            # Without a level, or with 0, the call has no limit of its own.
            if not isinstance(levels, int) or levels == 0:
                levels = TREE_LEVELS
            return paths_of_tree(outcome.result, root.rstrip("/"), levels)

        error = outcome.error
        is_too_large = (
            error is not None and error.code == error_codes.RESOURCE_EXHAUSTED
        )
        # Another environment may have its own `find`, with other arguments.
        has_usual_find = self.tool_schema.operation(FIND) in FILE_OPERATIONS
        if not is_too_large or not has_usual_find:
            return None
        find_all: dict[str, Plain] = {
            "name": "*",
            "root": root,
            "kind": "files",
            "limit": 0,
        }
        result = self.calls.result(self.calls.send(FIND, find_all))
        paths = result.get("paths")
        if not isinstance(paths, list) or result.get("truncated"):
            return None
        return sorted(str(path) for path in paths)

    # --- The other batches: files that fit the request ---

    def _show_further(self) -> None:
        """Make batches 2 to 4 (see the module's docstring). The calls of a batch run in
        parallel.

        The message then has the declared files, the files that fit the request, and the
        help of tools.
        """
        # 1. Go through the declared calls that are left.
        # `unranked_calls` are shown for every request, `ranked_documents` only if they
        # fit it.
        unranked_calls: list[SentCall] = []
        ranked_documents = NO_DOCUMENTS
        for declared in declared_calls(self.tool_schema):
            listing = declared.call.each_of
            if listing is None:
                if self._is_unread_file(declared):
                    unranked_calls.append(self._send(declared))
            elif _is_ranked(declared):
                # An environment declares at most one listing of this kind.
                ranked_documents = self._unread_documents(listing, declared.operation)
            else:
                unranked_calls += self._send_for_each(declared, self._values(listing))

        # 2. Rank and show the files.
        with closing(WordRanking()) as ranking:
            ranker = FileRanker(self.calls, self.facts, ranked_documents, ranking)
            self._show_ranked(ranker, ranked_documents, unranked_calls)

    def _is_unread_file(self, declared: DeclaredCall) -> bool:
        """Return True if a declared call reads a file that the first batch has not
        read."""
        is_read = declared.operation.effect is Effect.READS
        path = str(declared.call.arguments.get(declared.operation.subject))
        return is_read and self.calls.read_call(declared.operation, path) is None

    def _send_for_each(
        self, declared: DeclaredCall, values: Iterable[Plain]
    ) -> list[SentCall]:
        """Send a declared call once for each value of its listing."""
        sent_calls: list[SentCall] = []
        for value in values:
            arguments = {**declared.call.arguments, declared.operation.subject: value}
            call = self.calls.send(declared.operation.name, arguments)
            sent_calls.append(SentCall(declared, call))
        return sent_calls

    def _unread_documents(self, listing: EachOf, read: Operation) -> ListedDocuments:
        """Return the documents of a listing that are not read yet."""
        unread_paths: list[str] = []
        for value in self._values(listing):
            path = str(value)
            if self.calls.read_call(read, path) is None:
                unread_paths.append(path)
        root = str(listing.arguments.get("root") or "/")
        return ListedDocuments(read, root, tuple(unread_paths))

    def _say_how_records_are_read(self) -> None:
        """Write the code that reads the tables and JSON files named by the rules or the
        request."""
        read = self.tool_schema.operation("read")
        if read is None or read not in FILE_OPERATIONS:
            return
        named_paths = [*paths_in(self.facts.rules), *paths_in(self.facts.instruction)]
        lines: list[str] = []
        for records in record_files(named_paths, self.facts.listed.files):
            if self.calls.remaining_calls == 0:
                break
            sent = self.calls.send(read.name, {read.subject: records.path})
            line = reading_line(records, result_text(read, self.calls.result(sent)))
            if line:
                lines.append(line)
        if lines:
            self.writer.say("\n".join([READING_TITLE, *lines]) + "\n")

    def _show_ranked(
        self,
        ranker: FileRanker,
        documents: ListedDocuments,
        unranked_calls: Sequence[SentCall],
    ) -> None:
        """Show the results of unranked calls, the files that fit, and the help texts of
        tools.

        Calls are sent early and their results are used late, so that the calls run in
        parallel.
        """
        # 1. Send the searches, and the reads of the files that they find.
        ranker.search()
        ranker.read_found()

        # 2. Meanwhile, show the files that every request gets. They come first in the message.
        for sent in unranked_calls:
            self._use_result(sent)

        # 3. Rank a first time. The best document names further documents, and tools.
        ranker.rank()
        help_calls = self._send_helps(
            ranker.best_document_text, offers_all=not documents.paths
        )
        ranker.read_linked()

        # 4. Rank again, with the further documents, and show the best files.
        ranker.rank()
        show_best_files(ranker.candidates, self.calls, self.writer)
        left_out = files_left_out(ranker.candidates, documents.root)
        if left_out:
            self.writer.say(left_out)
        self.ranked_files = journal_rows(ranker.candidates)

        # 5. Show the help of the tools.
        for help_call in help_calls:
            if not self._is_described_elsewhere(help_call, ranker.best_document_text):
                self._use_result(help_call)

    def _is_described_elsewhere(
        self, help_call: SentCall, best_document_text: str
    ) -> bool:
        """Return True if the rules or the best document show how to call a tool.

        They do if they have an example in backticks: `` `tool --day 2031-05-02` ``. If
        the call for the help failed, return False: the error tells the model that the
        tool may be down.
        """
        operation = help_call.declared.operation
        result = self.calls.result(help_call.under_way)
        has_failed = not result or _ended_with_error(operation, result)
        tool = help_call.arguments.get(operation.subject)
        shown_text = f"{self.facts.rules}\n{best_document_text}"
        return not has_failed and f"`{tool} " in shown_text

    def _values(self, listing: EachOf) -> list[Plain]:
        """Return the values of a listing, such as the paths in a folder."""
        # 1. A `find` for all files (limit 0) needs no call if the tree of files has them all.
        arguments = listing.arguments
        finds_all_files = (
            listing.operation == FIND
            and arguments.get("kind") == "files"
            and arguments.get("limit") == 0
        )
        if finds_all_files:
            files = self.facts.listed.below(str(arguments.get("root")))
            if files is not None:
                pattern = str(arguments.get("name")).lower()
                return [
                    path
                    for path in files
                    if fnmatchcase(_base_name(path).lower(), pattern)
                ]

        # 2. Otherwise make the call.
        listing_call = self.calls.send(listing.operation, arguments)
        entries = self.calls.result(listing_call).get(listing.field)
        values: list[Plain] = []
        if not isinstance(entries, list):
            return values
        for entry in entries:
            # An entry is a path or another value, or an object such as `{"path":
            # "/a.md"}`.
            if not isinstance(entry, dict):
                values.append(entry)
            elif not entry.get("is_dir"):
                values.append(entry.get("path"))
        return values

    # --- Help of tools ---

    def _send_helps(
        self, best_document_text: str, *, offers_all: bool
    ) -> list[SentCall]:
        """Send `--help` to tools that are not down, and return the calls.

        With `offers_all`, or if there are few tools, all get it. Otherwise those get it
        that the request, the rules or the best document names, and that no declared
        call runs anyway.
        """
        help_by_tool: dict[str, DeclaredCall] = {}
        tools_run_anyway: set[str] = set()
        for declared in declared_calls(self.tool_schema):
            tool = str(declared.call.arguments.get(declared.operation.subject))
            if is_help(declared.call.arguments):
                help_by_tool[tool] = declared
            else:
                tools_run_anyway.add(tool)

        tools = [
            tool.path for tool in self.offered.executables if tool.path in help_by_tool
        ]
        if not offers_all and len(help_by_tool) > MAX_FULL_HELPS:
            other_tools = [tool for tool in tools if tool not in tools_run_anyway]
            tools = self._named_tools(other_tools, best_document_text)
        return [
            self._send(help_by_tool[tool])
            for tool in tools[: self.calls.remaining_calls]
        ]

    def _named_tools(self, tools: Iterable[str], best_document_text: str) -> list[str]:
        """Return the tools whose path is in the request, the rules or the best
        document.

        A word of the request may begin like the tool's file: "renewal" also names
        `/bin/renew`.
        """
        request = self.facts.instruction
        text = f"{request}\n{self.facts.rules}\n{best_document_text}"
        request_beginnings = {beginning_of(word) for word in words_of(request)}
        named_tools: list[str] = []
        for tool in tools:
            tool_beginning = beginning_of(_base_name(tool).casefold())
            if tool in text or tool_beginning in request_beginnings:
                named_tools.append(tool)
        return named_tools


# --- What an environment declares ---


def declared_calls(tool_schema: ToolSchema) -> list[DeclaredCall]:
    """Return the declared initial calls, except calls of unknown operations."""
    calls: list[DeclaredCall] = []
    for call in tool_schema.initial_calls:
        operation = tool_schema.operation(call.operation)
        if operation is not None:
            calls.append(DeclaredCall(call, operation))
    return calls


def first_calls(tool_schema: ToolSchema) -> list[DeclaredCall]:
    """Return the declared calls of the first batch, which need no result of another
    call.

    If one of them lists the tree of files, this batch reads only the rules. Other files
    are read in the second batch, after the tree is known.
    """
    independent_calls: list[DeclaredCall] = []
    for declared in declared_calls(tool_schema):
        needs_listing = declared.call.each_of is not None
        if not needs_listing and not is_help(declared.call.arguments):
            independent_calls.append(declared)
    has_tree = any(declared.operation.drawn_as_tree for declared in independent_calls)
    if not has_tree:
        return independent_calls

    calls: list[DeclaredCall] = []
    for declared in independent_calls:
        reads_file = declared.operation.effect is Effect.READS
        if not reads_file or _is_rules(tool_schema, declared):
            calls.append(declared)
    return calls


def _is_ranked(declared: DeclaredCall) -> bool:
    """Return True if a call reads documents that are shown only if they fit the
    request."""
    return declared.call.is_ranked and declared.operation.effect is Effect.READS


def without_down(tool_schema: ToolSchema, calls: Iterable[CallRecord]) -> ToolSchema:
    """Return a declaration without the tools that are down.

    A tool is down if its probe has failed. A probe is a declared initial call that only
    tests whether a tool works. `calls` are the initial calls with their outcomes.
    """
    result_by_call: dict[str, Mapping[str, Plain] | None] = {}
    for record in calls:
        result_by_call[key_of(record.operation, record.arguments)] = record.result

    tools_down: set[str] = set()
    for declared in declared_calls(tool_schema):
        call_key = key_of(declared.call.operation, declared.call.arguments)
        if not declared.is_probe or call_key not in result_by_call:
            continue
        result = result_by_call[call_key]
        has_failed = not result or _ended_with_error(declared.operation, result)
        if has_failed:
            tool = declared.call.arguments.get(declared.operation.subject)
            tools_down.add(str(tool))
    tools_up = tuple(
        tool for tool in tool_schema.executables if tool.path not in tools_down
    )
    return replace(tool_schema, executables=tools_up)


def shortened_notice(opened: ConversationOpened) -> str:
    """Return the notice that a first message was shortened; empty if it was not."""
    if not opened.shortened_for:
        return ""
    return (
        f"the model's context of {opened.shortened_for:,} tokens has no room for all files that fit: "
        "first messages show fewer"
    )


def failed_searches(calls: Iterable[CallRecord]) -> str:
    """Return the notice that all initial searches failed; empty if one did not, or
    without any.

    Trials with the same error codes get the same notice, so the run can show it once.
    """
    codes: set[str] = set()
    for call in calls:
        if call.operation != "search":
            continue
        if call.error is None:
            return ""
        codes.add(call.error.code)
    if not codes:
        return ""
    return (
        f"the environment refuses every search of the initial prompt ({', '.join(sorted(codes))}): "
        "records are shown only if a request names their files"
    )


def _is_rules(tool_schema: ToolSchema, declared: DeclaredCall) -> bool:
    """Return True if a declared call reads the workspace's rules."""
    return _reads_rules(tool_schema, declared.operation, declared.call.arguments)


def _reads_rules(
    tool_schema: ToolSchema, operation: Operation, arguments: Mapping[str, Plain]
) -> bool:
    """Return True if a call with these arguments reads the workspace's rules."""
    is_read = bool(operation.json_field)
    return is_read and arguments.get(operation.subject) == tool_schema.rules_document


def _ended_with_error(operation: Operation, result: Mapping[str, Plain]) -> bool:
    """Return True if a call ran a program whose exit code is not 0."""
    if not operation.exit_field:
        return False
    return bool(result.get(operation.exit_field))


def _base_name(path: str) -> str:
    return path.rpartition("/")[2]
