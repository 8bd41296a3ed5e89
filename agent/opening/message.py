"""The first message of a trial: initial calls, the files that fit the request, in sections.

Without it, a model would need several turns to find what a request is about. For "Renew my loan
l-7", these calls are made before the model is asked:

1. those that the environment declares for every request: `tree /`, `read /RULES.md`
2. reads of the files that these have listed: `read` each file of `find /policies`
3. reads of the files that fit the request: `read /loans/l-7.json`, `exec /bin/renew --help`
4. a read of one record of each kind: which fields do the files in `/books` have?
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeAlias

import re2

from controlplane.agent.events import (
    ConversationOpened,
    RankedFile,
    SaidMessage,
)
from controlplane.agent.evidence.calls import CallUnderWay
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.opening.calls import (
    CallKind,
    DeclaredCall,
    FileReader,
    InitialCalls,
    SentCall,
    call_batches,
    has_error_code,
    outcome_text,
    single_calls,
    without_failed_tools,
)
from controlplane.agent.opening.documents import Documents, ListedDocuments
from controlplane.agent.opening.listing import (
    FIND,
    drawing_of_tree,
    files_of_tree,
    is_unlisted,
    listed_values,
    root_of_tree,
)
from controlplane.agent.opening.ranking import beginning_of, words_of
from controlplane.agent.opening.records import (
    Records,
    declared_records,
    nearly_best,
    reading_help,
)
from controlplane.agent.opening.request import (
    Candidate,
    Reason,
    RequestFacts,
    paths_in,
)
from controlplane.agent.opening.sections import (
    Section,
    SectionPlace,
    SectionWriter,
    compact_lines,
    compact_text_start,
)
from controlplane.gates.paths import base_name
from controlplane.sandbox.interface import (
    CallError,
    Effect,
    Operation,
    Plain,
    ToolSchema,
    is_truncated,
)

# Computes how much of a model's context the first message may take.
#
# For a context of 32,000 tokens, the system prompt and the first message may have 48,000
# characters: half of the tokens, at 3 characters each.

_PROMPT_SHARE: Final = 0.5
"""The share of the context for the system prompt and the first message. Steps need the rest."""
_CHARS_PER_TOKEN: Final = 3.0
"""A low estimate, because records have fewer characters per token than prose."""


@dataclass(frozen=True, slots=True)
class MessageRoom:
    """How many characters documents and listings may take in a first message."""

    max_chars: int
    """The characters that the settings allow."""
    context_tokens: int | None = None
    """The size of the model's context; None if it is unknown."""
    other_chars: int = 0
    """The characters of the system prompt and the instruction."""

    @property
    def chars(self) -> int:
        """The characters that may be shown."""
        if self.context_tokens is None:
            return self.max_chars
        context_chars = int(self.context_tokens * _PROMPT_SHARE * _CHARS_PER_TOKEN)
        return min(self.max_chars, max(context_chars - self.other_chars, 0))

    @property
    def limiting_tokens(self) -> int:
        """The size of the context if it leaves less room than the settings; else 0."""
        if self.context_tokens is None or self.chars >= self.max_chars:
            return 0
        return self.context_tokens


_MOST_CHARS: Final = 12_000
"""A longer message gives up files, the least fitting first, but not the best document, what the
request names, or what the environment declares to be shown for every task."""
_MAX_UNNAMED_TOOLS: Final = 3
"""If more tools than this have a help text, a tool is asked for it only if the request, the
workspace's rules or the best document name the tool."""
_MAX_SEARCH_TERMS: Final = 16
"""The most terms that one search takes from the request, or from the folders of records."""
_MAX_FOUND_LINES: Final = 1_000
"""The most lines that one search returns."""


class _FirstMessage:
    """The first message of a trial: the initial calls, what is known by them, and the sections."""

    def __init__(
        self,
        instruction: str,
        now: datetime | None,
        recorder: Recorder,
        room: MessageRoom,
        prompt: str,
    ) -> None:
        """`room` says how many characters the results of the calls may take in the message.

        `prompt` is the prompt `first_message.md` with the instruction in its hole.
        """
        self.recorder = recorder
        self.room = room
        self.prompt = prompt
        self.calls = InitialCalls(recorder)
        self.batches = call_batches(recorder.tool_schema)
        self.facts = RequestFacts(instruction, now)
        self.writer = SectionWriter(recorder.tool_schema, room.chars)
        self.candidates: list[Candidate] = []
        """The files that may fit the request, the best first."""
        self.shown: dict[str, Section] = {}
        """The sections of those that are shown, by path."""

    @property
    def sections(self) -> list[Section]:
        """The sections of the message, in order."""
        return self.writer.sections

    @property
    def end(self) -> str:
        """The end of the message, with the instruction: the request of the user.

        The prompt begins with a text about citations, which is left out if there is nothing to cite:

            "All above can be cited. <instruction>Renew my loan</instruction>"
                -> "<instruction>Renew my loan</instruction>"
        """
        is_cited = self.sections and self.calls.tool_schema.is_cited
        _, mark, instruction = self.prompt.partition("<instruction>")
        if is_cited or not mark:  # The user's own prompt may lack the mark.
            return self.prompt
        return mark + instruction

    @property
    def working_tool_schema(self) -> ToolSchema:
        """The environment's declaration without the tools whose test call failed."""
        outcomes = [call.outcome() for call in self.calls.all_calls]
        return without_failed_tools(self.calls.tool_schema, outcomes)

    def opened(
        self, system: str, message: Sequence[str], exchange: Sequence[SaidMessage] = ()
    ) -> ConversationOpened:
        """Return the event that records the start of the conversation, and the initial calls.

        `message` is the whole first message, as texts that are joined without separators. A solver
        may show the results in an `exchange` instead: messages in which the model seems to have
        made the calls.
        """
        shown_chars = {path: section.chars for path, section in self.shown.items()}
        return ConversationOpened(
            trial_id=self.recorder.trial_id,
            system=system,
            first_message=tuple(message),
            exchange=tuple(exchange),
            calls=tuple(self.recorder.current_step.calls),
            rules=self.facts.rules,
            files=journal_rows(self.candidates, shown_chars),
            shortened_for=self.room.limiting_tokens if self._is_shortened else 0,
        )

    @property
    def _is_shortened(self) -> bool:
        """True if a file that fits the request is left out because the message is full.

        A file may also be left out because of the environment's own limit for all of these files,
        such as 8,000 characters. So with 9,000 that are left, the message was not shortened.
        """
        if not self.writer.has_room:
            return True
        if self.writer.remaining_chars >= self.calls.tool_schema.ranked_chars:
            return False
        for candidate in self.candidates:
            is_fitting = candidate.reasons and not candidate.is_refused
            if is_fitting and candidate.path not in self.shown:
                return True
        return False

    def write(self) -> None:
        """Make the calls, and write a section of the message for each result to show.

        Once the message has no room, no further calls are made. Only the rules are always read:
        the checks of the answer need them.
        """
        self._show_declared_results()
        if self.writer.has_room:
            # The declared reads run while files are searched. Then the results of both are shown.
            reads, documents = self._send_declared_reads()
            self._show_fitting_files(reads, documents)

            # How a script reads the tables and folders of records that the rules or the request name
            named = [*paths_in(self.facts.rules), *paths_in(self.facts.instruction)]
            how_to_read = reading_help(self.calls, named, self.facts.listed.files)
            self._shorten(documents.root, how_to_read)
        if not self.writer.has_room:
            self.writer.say("(There was no room to open everything.)\n")

    def write_to_journal(self) -> None:
        """Write all initial calls to the journal, and add what is shown of them to the evidence.

        An answer may cite only what the message shows of each result. So this comes last:

            read /docs/a.md, of which a part is shown     7,000 characters may be cited
            read /docs/b.md, which is not shown           nothing
            find *, which returned paths                  all of them: the drawing of the files has them
        """
        citable_chars = self.writer.citable_chars
        for sent in self.calls.all_calls:
            shown_chars: int | None = citable_chars.get(sent.number, 0)
            if sent.call.operation == FIND and sent.number not in citable_chars:
                shown_chars = None  # The drawing of the files shows all of it.
            # `receive` awaits the result and writes the call. It raises the error of a failed call,
            # once that is written, too.
            with suppress(CallError):
                self.recorder.calls.receive(sent, shown_chars=shown_chars)

    def _show_declared_results(self) -> None:
        """Send the calls that need no results of others, and show their results."""
        sent_calls: list[SentCall] = []
        for declared in self.batches.first:
            # With a small context there may be no room at all, not even at the beginning.
            if self.writer.has_room or declared.kind is CallKind.READS_RULES:
                sent_calls.append(self.calls.send_declared(declared))

        for sent in sent_calls:
            # A program may have failed by chance, and later calls need its output.
            result = sent.call.result()  # waits for the call
            if has_error_code(sent.declared.operation, result):
                sent = self.calls.send_declared(sent.declared, again=True)
            self._learn_and_show(sent)

    def _learn_and_show(self, sent: SentCall) -> None:
        """Wait for a call, learn facts from its result, and show the result in the message."""
        declared = sent.declared
        if declared.only_tests_tool:
            return  # The call only finds out whether a tool works.
        # Facts decide what else the message shows, so a full message needs none. But the
        # workspace's rules are always learned: the gates judge by them.
        if not self.writer.has_room and declared.kind is not CallKind.READS_RULES:
            return
        self.facts.learn_from(sent, self.calls.tool_schema.record_owners)
        operation = declared.operation
        files = files_of_tree(sent, self.calls) if operation.drawn_as_tree else None
        if files is not None:
            self.facts.listed.add(root_of_tree(declared), files)
            # Folders that the request names are drawn in full, if there is room.
            named_folders = paths_in(self.facts.instruction)
            room = self.writer.room_for_result(declared.declaration.most_chars)
            text = drawing_of_tree(declared, self.facts.listed, named_folders, room)
        else:  # The call lists no tree, or has failed. Its result is shown, or its error.
            text = outcome_text(operation, sent.call.outcome())
        # This shows only as much of the text as there is room for.
        most_chars = declared.declaration.most_chars
        self.writer.show_result(operation, sent.call, text, most_chars)

    def _send_declared_reads(self) -> tuple[list[SentCall], ListedDocuments]:
        """Send the calls that read files for every request, and list those to choose from.

        | declared | what is done |
        |---|---|
        | `read /docs/a.md` | the call is sent, unless the file was read before |
        | of `find /docs`, `read` the files that fit the request | the files are only listed |
        | of `find /policies`, `read` each file | the files are listed, and a call is sent for each |
        """
        sent_calls: list[SentCall] = []
        documents = ListedDocuments()
        for declared in self.batches.reads:
            operation = declared.operation
            listing = declared.declaration.each_of
            if listing is None:
                if not self._was_read(declared.subject, operation):
                    sent_calls.append(self.calls.send_declared(declared))
                continue
            values = listed_values(listing, self.calls, self.facts.listed)
            if declared.declaration.is_ranked and operation.effect is Effect.READS:
                # An environment declares at most one such call.
                paths = [str(value) for value in values]
                unread = [path for path in paths if not self._was_read(path, operation)]
                root = str(listing.arguments.get("root") or "/")
                documents = ListedDocuments(operation, root, tuple(unread))
            else:
                for value in values:
                    call = declared.for_value(value)
                    sent_calls.append(self.calls.send_declared(call))
        return sent_calls, documents

    def _was_read(self, path: str, read: Operation) -> bool:
        """Return True if a call of the operation `read` was sent for this file before."""
        return self.calls.sent_call(read.name, {read.subject: path}) is not None

    def _show_fitting_files(
        self, reads: list[SentCall], listed: ListedDocuments
    ) -> None:
        """Show the files that fit the request, and help texts.

        `reads` are the calls that read files for every request. They still run, and are shown first.
        """
        # 1. Find files that fit, and begin to read them. Meanwhile, show those that every
        #    request gets, and learn facts from them, such as who asks.
        documents, records = self._find_files(listed)
        for sent in reads:
            self._learn_and_show(sent)

        # 2. Rank the documents. The best one may name tools, which are asked for their help
        #    texts. Without documents, nothing says which tools are needed, so all are asked.
        documents.rank()
        help_calls = self._send_help_calls(documents.best_text, to_all=not listed.paths)

        # 3. The best document may also name documents. Read these, and rank again with their
        #    texts. Show the best of all files.
        documents.read_linked()
        documents.rank()
        # The sort is stable: files of the same score stay in the order of the listings.
        self.candidates = sorted(
            [*documents.candidates.values(), *records.rank(self.facts.asker)],
            key=lambda candidate: candidate.score,
            reverse=True,
        )
        self._show_best_files()

        # 4. Show the help texts that the model still needs.
        for sent in help_calls:
            if self._is_help_needed(sent, documents.best_text):
                self._learn_and_show(sent)

    def _find_files(self, listed: ListedDocuments) -> tuple[Documents, Records]:
        """Search the workspace, and send calls that read the files that fit the request.

        The last calls may still run, so that others can be sent beside them.
        """
        documents = Documents(listed, self.calls, self.facts)
        # The listed files that are not documents, and that no call has as its `path`
        left_out: set[object] = set(listed.paths)
        for sent in self.calls.all_calls:
            left_out.add(str(sent.call.arguments.get("path")))
        files = [
            path
            for path in self.facts.listed.files
            if path not in left_out and not is_unlisted(path)
        ]
        records = Records(files, listed.paths, self.calls, self.facts)

        # Begin to read the records that the request names. Meanwhile, search all files.
        records.read_named()
        topic = records.topic(documents.descriptions)
        found_lines = self._search(documents, records, topic.words)
        records.score_words(found_lines)

        # Read the documents about such records in which the best lines were found, then the
        # records with the words, and those that the named records name.
        documents.read_best(records.topic(documents.descriptions), found_lines)
        records.read_found()
        return documents, records

    def _search(
        self, documents: Documents, records: Records, topic_words: Sequence[str]
    ) -> dict[str, str]:
        """Search the workspace for words of the request. Return the found lines by path.

        For "Close l-12 for the late returns":

            /records    l-12, close, late, returns: the ids, and the special words
            /docs       beginnings of words, since a document may have another form, and the folders
                        of records: clos, l-12, late, retu, /records/loans

        `topic_words` also have those by which the rules describe the records of the request. A
        search that fails finds nothing. Without the operation, nothing is searched.
        """
        operation = records.declared.search
        if self.calls.tool_schema.operation(operation) is None:
            return {}

        def send_search(root: str, terms: Sequence[str]) -> CallUnderWay:
            """Send a call that searches the files below `root` for lines with one of the terms."""
            arguments: dict[str, Plain] = {
                "pattern": _lines_pattern(terms),
                "root": root,
                "limit": _MAX_FOUND_LINES,
            }
            return self.calls.send(operation, arguments)

        # 1. A word that is also in the workspace's rules, such as `loan`, is general, and so in too
        #    many records. With `loans` in the rules, `loan` is left out, too.
        folded_rules = self.facts.rules.casefold()
        terms = list(records.ids)
        for word in records.words:
            if word not in terms and beginning_of(word) not in folded_rules:
                terms.append(word)
        searches: list[tuple[str, Sequence[str], CallUnderWay]] = []
        for root in records.declared.roots:
            # Do not search folders that are known to have no files.
            if terms and self.facts.listed.below(root) != []:
                record_terms = terms[:_MAX_SEARCH_TERMS]
                searches.append((root, record_terms, send_search(root, record_terms)))
        beginnings = sorted({beginning_of(word) for word in topic_words})
        if documents.listed.paths and beginnings:
            # A search takes only so many terms, so the fullest folders come first.
            counts = Counter(records.kind_of(path) for path in records.paths)
            folders = [kind for kind, _ in counts.most_common(_MAX_SEARCH_TERMS)]
            root = documents.listed.root
            terms = [*beginnings, *folders]
            searches.append((root, terms, send_search(root, terms)))

        # 2. Wait for the calls. One ended early, before it had reached all files, if some word, such
        #    as `today`, is in too many lines. The rare words tell files apart, so they are searched
        #    once more.
        found: dict[_FoundLine, None] = {}  # keeps the order, and each line once
        for root, sought, call in searches:
            result = call.result()
            found_lines = _lines_of_search(result)
            found |= dict.fromkeys(found_lines)
            if is_truncated(result):
                rare_terms = _rare_terms(sought, found_lines)
                if rare_terms:
                    again = send_search(root, rare_terms).result()
                    found |= dict.fromkeys(_lines_of_search(again))

        lines: dict[str, str] = defaultdict(str)
        for path, _, text in found:
            lines[path] += f"{text}\n"
        return dict(lines)

    def _send_help_calls(self, document_text: str, *, to_all: bool) -> list[SentCall]:
        """Ask tools for their help texts, and return the calls. They may still run.

        `document_text` is the text of the document that fits the request best. With `to_all`, all
        tools are asked, even if there are many. Otherwise they are those that the request, the rules
        or the document name: by "run `/bin/renew --day ...`", or by "I want a renewal".
        """
        # The declared calls for help, by the path of the tool that they are about: `/bin/renew`
        help_calls = {declared.subject: declared for declared in self.batches.helps}
        asks_all = to_all or len(help_calls) <= _MAX_UNNAMED_TOOLS
        facts = self.facts
        texts = f"{facts.instruction}\n{facts.rules}\n{document_text}"
        request_words = {beginning_of(word) for word in words_of(facts.instruction)}
        # The message shows the calls that run tools for their output, so the model knows how to
        # make them.
        shown_paths: set[str] = set()
        for call in single_calls(self.calls.tool_schema):
            if call.kind is not CallKind.ASKS_FOR_HELP:
                shown_paths.add(call.subject)

        asked: list[DeclaredCall] = []
        # The model is not told of a tool that has failed its test.
        for tool in self.working_tool_schema.executables:
            path = tool.path
            name = beginning_of(base_name(path).casefold())
            is_named = path in texts or name in request_words
            is_asked = asks_all or (is_named and path not in shown_paths)
            if is_asked and path in help_calls:
                asked.append(help_calls[path])
        # The initial calls of a trial are limited in number.
        asked = asked[: self.calls.remaining_calls]
        return [self.calls.send_declared(declared) for declared in asked]

    def _is_help_needed(self, sent: SentCall, document_text: str) -> bool:
        """Return True if the result of a call for a tool's help is shown.

        It is not needed if the rules or the best document have an example of the tool in
        backticks: `` `/bin/renew --day 2031-05-02` ``.
        """
        result = sent.call.result()
        if not result or has_error_code(sent.declared.operation, result):
            return True  # The model must know that the tool may be down.
        text = f"{self.facts.rules}\n{document_text}"
        return f"`{sent.declared.subject} " not in text

    def _show_best_files(self) -> None:
        """Write the best files into the message until their room is used.

        Files take their room one after the other, the best first. With a declared room of 10,000
        characters (`ToolSchema.ranked_chars`), of which the last 2,000 are kept for the best document
        and for files with a strong reason, a file of 5,000 characters takes:

        | file | characters |
        |---|---|
        | the best document | 5,160, with its title, or what is left |
        | another document | 5,160, or it is left out |
        | a record that the request names | 4,000, or what is left |
        | another record | 600 (`NamedFiles.each_chars`), or it is left out |

        If a file does not fit into the remaining room, the next one is tried.
        """
        tool_schema = self.calls.tool_schema
        declared_chars = tool_schema.ranked_chars
        # The reserved part is one of the declared room, even if the message has less left.
        remaining_chars = min(declared_chars, self.writer.remaining_chars)
        reserved_chars = int(_RESERVED_PART * declared_chars)
        has_document = False
        selected: list[tuple[Candidate, Operation, CallUnderWay, int]] = []
        for candidate in _wanted_files(self.candidates):
            operation = candidate.read_operation
            reader = FileReader(self.calls, operation)
            call = reader.call_for(candidate.path)
            if operation is None or call is None:
                continue  # The trial had no call left to read the file.
            is_best_document = candidate.is_document and not has_document
            is_named = Reason.NAMED in candidate.reasons

            # 1. How many characters does the file need, and how many may it take?
            text = reader.text(candidate.path) or ""  # empty if the call has failed
            needed_chars = len(compact_lines(text, len(text)).text) + _SECTION_CHARS
            if not candidate.is_document:
                most_chars = declared_records(tool_schema).each_chars
                if is_named:
                    most_chars = int(_MAX_NAMED_RECORD_PART * declared_chars)
                needed_chars = min(needed_chars, most_chars)
            available_chars = remaining_chars
            if not is_best_document and not candidate.has_strong_reason:
                available_chars -= reserved_chars

            # 2. Leave it out if it does not fit, and may not be cut.
            is_too_long = needed_chars > available_chars
            may_be_cut = is_best_document or is_named
            if available_chars < _MIN_CHARS or (is_too_long and not may_be_cut):
                continue
            taken_chars = min(needed_chars, available_chars)
            remaining_chars -= taken_chars
            has_document = has_document or candidate.is_document
            selected.append((candidate, operation, call, taken_chars))

        # Documents come first: if several trials begin with the same text, endpoints can cache it.
        selected.sort(key=lambda file: not file[0].is_document)
        for candidate, operation, call, chars in selected:
            # The file may be a record in JSON, of which more fits without the indentation.
            text = outcome_text(operation, call.outcome())
            start = compact_text_start(text, self.writer.room_for_result(chars))
            remark = candidate.validity_remark
            self.shown[candidate.path] = self.writer.add_result(
                SectionPlace.FITTING, operation, call, start, remark
            )

    def _shorten(self, document_root: str, how_to_read: str) -> None:
        """Leave files out while the message is too long, and tell the model what is not shown.

        The file that fits least is left out first. `how_to_read` is another text to be told.
        """
        may_be_left_out: list[str] = []
        has_document = False
        for candidate in self.candidates:
            if candidate.path not in self.shown:
                continue
            is_best_document = candidate.is_document and not has_document
            has_document = has_document or candidate.is_document
            if not is_best_document and Reason.NAMED not in candidate.reasons:
                may_be_left_out.append(candidate.path)

        other_chars = len(how_to_read) + len(self.end)
        left_out = _files_left_out(self.candidates, self.shown, document_root)
        while may_be_left_out:
            chars = sum(section.chars for section in self.sections)
            if chars + len(left_out) + other_chars <= _MOST_CHARS:
                break
            self.writer.leave_out(self.shown.pop(may_be_left_out.pop()))
            left_out = _files_left_out(self.candidates, self.shown, document_root)
        for text in (left_out, how_to_read):
            if text:
                self.writer.say(text)


def open_first_message(
    instruction: str,
    now: datetime | None,
    recorder: Recorder,
    room: MessageRoom,
    prompt: str,
) -> _FirstMessage:
    """Make the initial calls, write them to the journal, and return the message.

    `room` says how many characters the results may take in the message, and `prompt` is its end, with
    the instruction.
    """
    message = _FirstMessage(instruction, now, recorder, room, prompt)
    try:
        message.write()
        message.write_to_journal()
    finally:
        # If an exception ended the work above, some calls may still run.
        recorder.calls.await_end(message.calls.all_calls)
    return message


def _lines_pattern(terms: Iterable[str]) -> str:
    """Return a regular expression for lines with a word that begins with one of the terms.

    `loan`, `b7` -> `(?i)(?:^|[^0-9A-Za-z])(?:loan|b7)`, which matches in "two Loans" and in
    "book B7-2", but not in "upload".
    """
    alternatives = "|".join(re2.escape(term) for term in terms)
    return f"(?i)(?:^|[^0-9A-Za-z])(?:{alternatives})"


_FoundLine: TypeAlias = tuple[str, str, str]
"""A line that a search has found: its file's path, its number and its text."""


def _lines_of_search(result: Mapping[str, Plain]) -> list[_FoundLine]:
    """Return the lines in the result of a search; none if the search has failed."""
    matches = result.get("matches")
    if not isinstance(matches, list):
        return []
    lines: list[_FoundLine] = []
    for match in matches:
        if isinstance(match, dict):
            number = str(match.get("line"))
            lines.append((str(match.get("path")), number, str(match.get("text", ""))))
    return lines


_MAX_RARE_SHARE: Final = 0.1
"""A term that is in more than this share of the found lines is not rare."""


def _rare_terms(terms: Iterable[str], found_lines: Sequence[_FoundLine]) -> list[str]:
    """Return the terms that are in few of the lines that a search for all terms has found.

    `today`, `loan`, in 50 and 3 of 60 lines, `l-12`, in none -> `loan`, `l-12`
    """
    rare: list[str] = []
    for term in terms:
        pattern = re2.compile(_lines_pattern([term]))
        with_term = [line for line in found_lines if pattern.search(line[2])]
        if len(with_term) <= _MAX_RARE_SHARE * len(found_lines):
            rare.append(term)
    return rare


# Decides which files fit a request well enough to be shown, if there is room.
#
# A file is a document (a text for all requests) or a record (about one case). Its *score* says how
# well it fits. For "Close loan-12",
#
#     /records/loan-12.json                 is wanted for a strong reason: the request names it
#     /docs/loans.md, the best document     is wanted
#     /docs/cards.md, the second, score 0.2 is not: it needs 0.6

_MIN_DOCUMENT_SCORES_BY_RANK: Final = (0.0, 0.6, 0.6, 0.8)
"""The score that a document needs, by its rank: the best one is always shown, the second best
needs 0.6, and the fifth is never shown."""
_MIN_RECORD_WORD_SCORE: Final = 0.5
"""The word score, from 0 to 1, that a record needs."""
_MAX_NEARLY_BEST_RECORDS: Final = 6
"""If more records of one kind fit nearly as well as the best, none of them is distinct."""


def _wanted_files(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the files that fit well enough to be shown if there is room, in their order."""
    distinct_records = _distinct_records(candidates)
    wanted: set[str] = set()
    for candidate in candidates:
        fits = candidate.path in distinct_records
        if candidate.rank is not None:
            min_scores = _MIN_DOCUMENT_SCORES_BY_RANK[candidate.rank :]
            fits = bool(min_scores) and candidate.score >= min_scores[0]
        is_wanted = fits or candidate.has_strong_reason
        if is_wanted and candidate.reasons and not candidate.is_refused:
            wanted.add(candidate.path)
    # A document is not shown without the notices that change it.
    for candidate in candidates:
        if not candidate.is_refused and not wanted.isdisjoint(candidate.changed_paths):
            wanted.add(candidate.path)
    return [candidate for candidate in candidates if candidate.path in wanted]


def _distinct_records(candidates: Iterable[Candidate]) -> set[str]:
    """Return the paths of the records whose words fit better than those of others of their kind.

    | word scores of loans | distinct |
    |---|---|
    | `l-4` 1.0, `l-7` 0.6 | `l-4` |
    | `l-4` 1.0, `l-7` 0.95 | both: they fit nearly equally well |
    | `l-4` 0.4 | none: it hardly fits |
    | 12 loans with 1.0 | none: the words do not tell which one is meant |

    Records that the user who asks must not see are left out.
    """
    scores_by_kind: dict[str, dict[str, float]] = defaultdict(dict)
    for record in candidates:
        is_fitting = record.word_score >= _MIN_RECORD_WORD_SCORE
        if is_fitting and not record.is_document and not record.is_refused:
            scores_by_kind[record.kind][record.path] = record.word_score

    distinct: set[str] = set()
    for scores in scores_by_kind.values():
        best = nearly_best(scores)
        if len(best) <= _MAX_NEARLY_BEST_RECORDS:
            distinct.update(best)
    return distinct


# The room for files in the first message, which they take one after the other.

_RESERVED_PART: Final = 0.2
"""The part of the declared room that only the best document, and files with a strong reason, may use."""
_MIN_CHARS: Final = 250
"""A file is left out if there is room for fewer characters than this."""
_MAX_NAMED_RECORD_PART: Final = 0.4
"""The part of the room for all files that one named record may use."""
_SECTION_CHARS: Final = 160
"""The characters that a file's title, and the note that its text is cut, take in the message."""


def _files_left_out(
    candidates: Iterable[Candidate], shown: Collection[str], document_root: str
) -> str:
    """Return the line that tells the model what is not shown; empty if all is shown.

        (Not shown: 2 documents of /docs; /docs/updates/2031-05-02-keys.md (not begun).)

    The model can read the files itself, so it should know that there are more. Documents that change
    others, or are not in force, are named by their paths, and so are records that the request names
    and that belong to somebody else. Other documents are only counted, and other records are not
    mentioned. `shown` has the paths of the files that are shown.
    """
    document_count = 0
    remarks: list[str] = []
    for candidate in candidates:
        path, reasons = candidate.path, candidate.reasons
        if path in shown:
            continue
        if candidate.is_notice or Reason.NOT_IN_FORCE in reasons:
            remarks.append(path + candidate.validity_remark)
        elif candidate.is_document:
            document_count += 1
        elif Reason.WITHHELD in reasons and Reason.NAMED in reasons:
            remarks.append(f"{path} (it belongs to somebody else)")

    if document_count:
        remarks.insert(0, f"{document_count} documents of {document_root}")
    return f"(Not shown: {'; '.join(remarks)}.)\n" if remarks else ""


# The rows about files in the journal, which say how well each fits a request and if it is shown.
#
# For "Renew my loan l-7":
#
#     RankedFile(path="/loans/l-7.json", score=8.0, reason="named", chars=900)
#     RankedFile(path="/docs/fees.md", score=0.4, reason="words", chars=0)      # not shown

_MAX_ROWS: Final = 40
"""How many files the journal lists for one request, shown or not."""
_MAX_LEFT_OUT_ROWS: Final = 12
"""How many of them may be files that are not shown. The best of these are listed."""


def journal_rows(
    candidates: Iterable[Candidate], shown_chars: Mapping[str, int]
) -> tuple[RankedFile, ...]:
    """Return the rows for the journal: the shown files, then the best of the files left out.

    `shown_chars` has how many characters of each shown file are shown, by path. A file that
    nothing connects with the request has no row.
    """
    rows: dict[bool, list[RankedFile]] = {True: [], False: []}  # by whether it is shown
    for candidate in candidates:
        chars = shown_chars.get(candidate.path, 0)
        if chars or candidate.reasons:
            reason = "+".join(candidate.reasons)
            score = round(candidate.score, 2)
            row = RankedFile(
                path=candidate.path, score=score, reason=reason, chars=chars
            )
            rows[chars > 0].append(row)
    return tuple([*rows[True], *rows[False][:_MAX_LEFT_OUT_ROWS]][:_MAX_ROWS])
