"""Makes the first message of a trial: makes *initial calls*, and shows their results in sections.

Without them, the model would need several turns to find what a request is about. For "Renew my loan
l-7", these calls are made before the model is asked:

1. those that the environment declares for every request: `tree /`, `read /RULES.md`
2. reads of the files that these have listed: `read` each file of `find /policies`
3. reads of the files that fit the request: `read /loans/l-7.json`, `exec /bin/renew --help`
4. a read of one record of each kind: which fields do the files in `/books` have?
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Final

from controlplane.agent.events import (
    CallRecord,
    ConversationOpened,
    RankedFile,
    SaidMessage,
)
from controlplane.agent.evidence.recorder import Recorder
from controlplane.agent.evidence.sent_calls import CallUnderWay
from controlplane.agent.initial_calls.call_batches import single_calls
from controlplane.agent.initial_calls.call_for_each import (
    CallForEach,
    CallKind,
    DeclaredCall,
)
from controlplane.agent.initial_calls.file_reader import InitialCalls
from controlplane.agent.initial_calls.sections import (
    Section,
    SectionWriter,
    SentCall,
    result_text,
)
from controlplane.agent.loop.initial_prompt.shown_results import (
    FIND,
    MessageDraft,
    MessageRoom,
    learn_and_show,
)
from controlplane.agent.loop.session.trial_context import TrialContext
from controlplane.agent.retrieval.document_search import ListedDocuments, RequestFacts
from controlplane.agent.retrieval.file_finder import find_files
from controlplane.agent.retrieval.file_names import paths_in
from controlplane.agent.retrieval.listing import ListedFiles
from controlplane.agent.retrieval.selection import (
    files_left_out,
    is_fitting_left_out,
    journal_rows,
    show_best_files,
)
from controlplane.gates.paths import base_name
from controlplane.sandbox.files.text_words import beginning_of, words_of
from controlplane.sandbox.files.word_ranking import WordRanking
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    CallError,
    EachOf,
    Plain,
    ToolSchema,
)
from controlplane.sandbox.interface.foreign_documents import Unreadable, read_json

# Answers a listing of files from a tree that was listed before, without a call.
#
# An environment may declare that each file of a listing is read, such as the `paths` that `find`
# finds in `/docs`: `EachOf("find", {"name": "*.md", "root": "/docs", ...}, "paths")`. After `tree /`,
# all files are known:
#
#     find("*.md", root="/docs", kind="files", limit=0)   -> ["/docs/a.md", "/docs/b.md"]
#     find("*.md", root="/docs", limit=20)                -> None: which 20 is not known


def _known_files(listing: EachOf, listed: ListedFiles) -> list[str] | None:
    """Return the files of a listing if the listed trees have them all; else None."""
    if not _finds_all_files(listing):
        return None
    root = listing.arguments.get("root")
    pattern = listing.arguments.get("name")
    if not isinstance(root, str) or not isinstance(pattern, str):
        return None
    files = listed.below(root)
    if files is None:  # A tree may have shown only some of the files below this folder.
        return None
    # Like `find`, ignore whether letters are upper or lower case.
    pattern = pattern.lower()
    return [file for file in files if fnmatchcase(base_name(file).lower(), pattern)]


def _finds_all_files(listing: EachOf) -> bool:
    """Return True if a listing asks for all files of a folder whose names fit a pattern.

    The operation `find` has a limit, unless it gets the limit 0.
    """
    arguments = listing.arguments
    has_no_limit = arguments.get("limit") == 0
    finds_files = listing.operation == FIND and arguments.get("kind") == "files"
    return finds_files and has_no_limit


# Reads the values of a listing, for each of which an environment wants a call to be made.
#
# For example, its declaration says "`read` each file that `find("*.md", root="/docs")` lists".
# The values are then `/docs/a.md` and `/docs/b.md`.


def _listed_values(
    listing: EachOf, calls: InitialCalls, listed: ListedFiles
) -> list[Plain]:
    """Return the values of a listing, such as the paths of all files in a folder.

    `listed` has the files of the trees that earlier calls have listed. If a listing asks
    only for such files, its call is not made.
    """
    files = _known_files(listing, listed)
    if files is not None:
        return list(files)

    call = calls.send(listing.operation, listing.arguments)
    return _values_in(call.result().get(listing.field))


def _values_in(entries: Plain) -> list[Plain]:
    """Return the values of a listing's entries. An entry may be an object with a path.

    ["/a.md"]                                              -> ["/a.md"]
    [{"path": "/a.md"}, {"path": "/old", "is_dir": True}]  -> ["/a.md"]
    """
    if not isinstance(entries, list):
        return []
    values: list[Plain] = []
    for entry in entries:
        if not isinstance(entry, dict):
            values.append(entry)
        elif not entry.get("is_dir"):  # A folder cannot be read.
            values.append(entry.get("path"))
    return values


# Sends the declared calls that read files, once it is known which files there are.
#
# The *draft* is the first message to the model, as far as it is written. Calls such as `tree /` and
# `read /RULES.md` were sent for it before. An environment may also declare:
#
# | declared | what is done |
# |---|---|
# | `read /docs/a.md` | the call is sent, unless the file was read before |
# | of `find /docs`, `read` the files that fit the request | the files are only listed |
# | of `find /policies`, `read` each file | the files are listed, and a call is sent for each |


@dataclass(frozen=True, slots=True)
class _SentReads:
    """What is known of the files to show, before it is known which of them fit the request."""

    sent_calls: list[SentCall]
    """The calls that read files for every request. They may still run."""
    documents: ListedDocuments
    """Files of which only those that fit the request are read, once it is known which do."""


def _send_declared_reads(draft: MessageDraft) -> _SentReads:
    """Send the calls that read files for every request, and list the files to choose from."""
    sent_calls: list[SentCall] = []
    documents = ListedDocuments()
    for declared in draft.batches.reads:
        if isinstance(declared, DeclaredCall):
            path = declared.subject
            if not draft.was_read(path, declared.operation):
                sent_calls.append(draft.send(declared))
        elif declared.is_for_fitting_files:
            # An environment declares at most one such call.
            documents = _unread_documents(draft, declared)
        else:
            listing = declared.listing
            for value in _listed_values(listing, draft.calls, draft.facts.listed):
                sent_calls.append(draft.send(declared.call_for(value)))
    return _SentReads(sent_calls, documents)


def _unread_documents(draft: MessageDraft, declared: CallForEach) -> ListedDocuments:
    """Return the files of a call's listing, except those that were read before.

    read each file of `find(root="/docs")`, of which `/docs/a.md` was read
        -> ListedDocuments(read, root="/docs", paths=("/docs/b.md",))
    """
    listing = declared.listing
    read = declared.operation
    paths = map(str, _listed_values(listing, draft.calls, draft.facts.listed))
    unread = [path for path in paths if not draft.was_read(path, read)]
    root = str(listing.arguments.get("root") or "/")
    return ListedDocuments(read, root, tuple(unread))


# Makes the calls that an environment declares for every request, and shows their results.
#
# They may run in parallel. A program that fails may have failed by chance, and later calls need
# its output, so it is run once more:
#
#     sent     tree /, read /RULES.md, exec /bin/whoami
#     failed   exec /bin/whoami, with the exit code 1   -> it is sent again
#     shown    the drawing of the tree, the rules, the output of the second run


def _show_declared_results(draft: MessageDraft) -> None:
    """Send the calls that need no results of others, and show their results."""
    sent_calls: list[SentCall] = []
    for declared in draft.batches.first:
        # With a small context there may be no room at all, not even at the beginning.
        if draft.writer.has_room or declared.kind is CallKind.READS_RULES:
            sent_calls.append(draft.send(declared))

    for sent in sent_calls:
        if sent.has_error_code():  # This waits for the call.
            sent = draft.send_again(sent)
        learn_and_show(draft, sent)


# Finds the tools of an environment that a request may need: those that a text names.
#
# The texts are the request, the workspace's rules and the document that fits best. They name a tool
# by its path, or the request has a word that begins like its name:
#
#     "run `/bin/renew --day ...`" in a document   -> /bin/renew
#     "I want a renewal" in the request            -> /bin/renew


def _named_tools(
    paths: Iterable[str],
    facts: RequestFacts,
    document_text: str,
    tool_schema: ToolSchema,
) -> list[str]:
    """Return those of the tools at `paths` that the request, the rules or the document name."""
    texts = f"{facts.instruction}\n{facts.rules}\n{document_text}"
    request_words = {beginning_of(word) for word in words_of(facts.instruction)}
    # The message shows these calls, so the model knows how to make them.
    shown_paths = _tools_run_for_output(tool_schema)
    named: list[str] = []
    for path in paths:
        name = base_name(path).casefold()
        is_named = path in texts or beginning_of(name) in request_words
        if is_named and path not in shown_paths:
            named.append(path)
    return named


def _tools_run_for_output(tool_schema: ToolSchema) -> set[str]:
    """Return the paths of the tools that declared calls run for their output: `/bin/date`."""
    calls = single_calls(tool_schema)
    return {call.subject for call in calls if call.kind is not CallKind.ASKS_FOR_HELP}


# The help texts of tools in the first message, such as the output of `/bin/renew --help`.
#
# A help text says how to call a tool, so that the model need not ask for it. Two decisions are made
# about a tool: whether it is asked for its help, and then, whether the text is shown. With many tools,
# and the request "Renew my loan l-7",
#
#     /bin/renew   is asked, as the request names it, and shown unless the rules have an example of it
#     /bin/print   is not asked

_MAX_UNNAMED_TOOLS: Final = 3
"""If more tools than this have a help text, a tool is asked for it only if the request, the
workspace's rules or the best document name the tool."""


def _send_help_calls(
    draft: MessageDraft, document_text: str, *, to_all: bool
) -> list[SentCall]:
    """Ask tools for their help texts, and return the calls. They may still run.

    `document_text` is the text of the document that fits the request best. With `to_all`, all
    tools are asked, even if there are many.
    """
    # The declared calls for help, by the path of the tool that they are about: `/bin/renew`
    help_calls = {declared.subject: declared for declared in draft.batches.helps}
    # The model is not told of a tool that has failed its test.
    working_tools = [tool.path for tool in draft.working_tool_schema.executables]
    paths = [path for path in working_tools if path in help_calls]
    if len(help_calls) > _MAX_UNNAMED_TOOLS and not to_all:
        paths = _named_tools(paths, draft.facts, document_text, draft.calls.tool_schema)
    # The initial calls of a trial are limited in number.
    paths = paths[: draft.calls.remaining_calls]
    return [draft.send(help_calls[path]) for path in paths]


def _is_help_needed(draft: MessageDraft, sent: SentCall, document_text: str) -> bool:
    """Return True if the result of a call for a tool's help is shown.

    It is not needed if the rules or the best document have an example of the tool in
    backticks: `` `/bin/renew --day 2031-05-02` ``.
    """
    if sent.has_failed():
        return True  # The model must know that the tool may be down.
    text = f"{draft.facts.rules}\n{document_text}"
    tool_path = sent.declared.subject
    has_example = f"`{tool_path} " in text
    return not has_example


# Shows the files that fit a request in the first message, and the help texts of tools.
#
# For "Renew my loan l-7":
#
# | step | finds | because |
# |---|---|---|
# | 1 | `/loans/l-7.json`, `/docs/renewals.md` | the request has its id; shares the most words |
# | 2 | `/bin/renew --help` | the best document, `/docs/renewals.md`, names this tool |
# | 3 | `/docs/fees.md` | the best document names it |


def _show_fitting_files(
    draft: MessageDraft, reads: _SentReads
) -> tuple[RankedFile, ...]:
    """Show files and help texts, and return for the journal how well each file fits.

    `draft` sends calls and shows their results. `reads` are calls that read files for every
    request. They still run, and are shown first.
    """
    with closing(WordRanking()) as ranking:  # an index of words in memory
        # 1. Find files and begin to read them: `found.documents` and records. Meanwhile, show those
        #    that every request gets, and learn facts from them, such as who asks.
        found = find_files(draft.calls, draft.facts, reads.documents, ranking)
        for sent in reads.sent_calls:
            learn_and_show(draft, sent)

        # 2. Rank the documents. The best one may name tools, which are asked for their help
        #    texts. Without documents, nothing says which tools are needed, so all are asked.
        ranked = found.documents.rank()
        are_documents_listed = bool(reads.documents.paths)
        help_calls = _send_help_calls(
            draft, ranked.best_text, to_all=not are_documents_listed
        )

        # 3. The best document may also name documents. `read_linked` reads them into
        #    `found.documents`. Rank again with their texts, and show the best of all files.
        found.documents.read_linked(ranked)
        ranked_again = found.documents.rank()
        candidates = found.best_first(ranked_again)
        shown_chars = show_best_files(candidates, draft.calls, draft.writer)
        left_out = files_left_out(candidates, shown_chars, reads.documents.root)
        if left_out:
            draft.writer.say(left_out)  # "(Not shown: 2 documents of /docs.)"

        # 4. Show the help texts that the model still needs.
        best_text = ranked_again.best_text
        for sent in help_calls:
            if _is_help_needed(draft, sent, best_text):
                learn_and_show(draft, sent)
        return journal_rows(candidates, shown_chars)


# What the initial calls of a trial gave for its first message.
#
# The calls were made before the model is asked. Then the message is written: its sections show the
# results, and it ends with the instruction:
#
#     message    "<section ...>", "A key is lent for a day.", "</section>",
#                "<instruction>Renew my loan</instruction>"


@dataclass(frozen=True, slots=True)
class _MessageResults:
    """The results of the initial calls, as far as they are shown, and what is known by them."""

    calls: tuple[CallRecord, ...]
    """All initial calls with their results."""
    sections: list[Section]
    """The sections of the message, in order."""
    tool_schema: ToolSchema
    """The environment's declaration without the tools that do not work."""
    rules: str
    """The text of the workspace's rules, by which answers are judged; empty without rules."""
    files: tuple[RankedFile, ...]
    """How well each file fits the request, and whether it is shown."""
    shortened_for: int
    """The size of the model's context in tokens if it has no room for all that fits; else 0."""

    @property
    def has_citable(self) -> bool:
        """True if the message shows something that can be cited."""
        return bool(self.sections) and self.tool_schema.is_cited

    def opened(
        self,
        trial_id: str,
        system: str,
        message: Sequence[str],
        exchange: Sequence[SaidMessage] = (),
    ) -> ConversationOpened:
        """Return the event that records the start of the conversation, and these results.

        `message` is the whole first message, as texts that are joined without separators. A solver
        may show the results in an `exchange` instead: messages in which the model seems to have
        made the calls.
        """
        return ConversationOpened(
            trial_id=trial_id,
            system=system,
            first_message=tuple(message),
            exchange=tuple(exchange),
            calls=self.calls,
            rules=self.rules,
            files=self.files,
            shortened_for=self.shortened_for,
        )


# The names of a record's fields in one line, and those of a table: the names of its columns.
#
# The first message has them, so that the model need not guess. Long names and lists are cut:
#
#     id,due                 -> "id, due"
#     f1,f2, ... f40         -> "f1, f2, ... f12, …"

_MAX_FIELDS: Final = 12
_MAX_FIELD_CHARS: Final = 30
"""Longer names of fields are cut, and fields after `_MAX_FIELDS` are left out."""
_MAX_PARSED_CHARS: Final = 50_000
"""Longer files are not parsed for the first message."""


def _columns_of(text: str, delimiter: str) -> list[str]:
    """Return the names of a table's columns: `id,due` in its first line -> `["id", "due"]`.

    Empty if they cannot be read.
    """
    header = text.partition("\n")[0][:_MAX_PARSED_CHARS]
    columns: list[str] = []
    with suppress(csv.Error):
        columns = next(csv.reader([header], delimiter=delimiter), [])
    has_names = any(column.strip() for column in columns)
    return columns if has_names else []


def _names_of_fields(names: Iterable[str]) -> str:
    """Return names of fields in one line: `["id", "due"]` -> "id, due"."""
    all_names = list(names)
    shown_names: list[str] = []
    for name in all_names[:_MAX_FIELDS]:
        one_line = " ".join(name.split())
        shown_names.append(one_line[:_MAX_FIELD_CHARS])
    if len(all_names) > _MAX_FIELDS:
        shown_names.append("…")
    return ", ".join(shown_names)


# Describes a JSON file of records by its fields: `a list of records with id, due`.
#
# The first message has this description, so that the model need not guess the fields. Values
# are not shown, because the user who asks may not be allowed to see them.


def _json_shape(text: str) -> str:
    """Return the description of JSON by its fields; empty if it is not JSON or too long."""
    if len(text.rstrip()) > _MAX_PARSED_CHARS:
        return ""
    try:
        return _shape_of(read_json(text))
    except (Unreadable, RecursionError):
        return ""


def _shape_of(data: object) -> str:
    """Return the description of parsed JSON by its fields.

    {"id": "l-1", "due": "2027-03-02"}          -> "fields id, due"
    [{"id": "l-1", "due": "2027-03-02"}]        -> "a list of records with id, due"
    {"l-1": {"due": "..."}, "l-2": {"due": "..."}}  -> "fields l-1, l-2, each with due"
    """
    if isinstance(data, list):
        if data and isinstance(data[0], dict):
            return f"a list of records with {_names_of_fields(data[0])}"
        return "a list"
    if not isinstance(data, dict) or not data:
        return ""
    shape = f"fields {_names_of_fields(data)}"
    first_value = next(iter(data.values()))
    if isinstance(first_value, dict) and len(data) > 1:
        # The fields are probably ids, each with a record of the same form.
        shape += f", each with {_names_of_fields(first_value)}"
    return shape


# The tables and JSON files of records that the rules or the request name.
#
# A record is about one case, such as a loan. The records are rows of a table, `/loans.csv`, items
# of one JSON file, or JSON files in one folder, `/books/b1.json`.

_MAX_RECORD_FILES: Final = 4
"""How many are told to the model. A workspace with more kinds of records describes them in its
documents."""


@dataclass(frozen=True, slots=True)
class ListedRecordFiles:
    """A table or JSON file of records, or a folder with a JSON file for each record."""

    path: str
    """The path of the file, or of the first file in the folder."""
    folder: str = ""
    """The folder; empty for a single file."""
    count: int = 1
    """The number of the folder's JSON files."""


def record_files(
    named_paths: Iterable[str], files: Sequence[str]
) -> list[ListedRecordFiles]:
    """Return the files and folders of records at the named paths, at most `_MAX_RECORD_FILES`.

    `named_paths` are in the rules or the request: `/loans.csv`, or the folder `/books`, which
    counts if it has JSON files. `files` are all listed files of the workspace.
    """
    found: list[ListedRecordFiles] = []
    for path in dict.fromkeys(named_paths):
        if len(found) == _MAX_RECORD_FILES:
            break
        records = _records_at(path, files)
        if records is not None:
            found.append(records)
    return found


def _records_at(path: str, files: Sequence[str]) -> ListedRecordFiles | None:
    """Return the records at a path, which may be that of a folder; None if there are none.

    "/loans.csv"                      -> RecordFiles("/loans.csv")
    "/books", with two files of JSON  -> RecordFiles("/books/b1.json", "/books", count=2)
    """
    if path in files:
        has_records = path.endswith((".csv", ".tsv", ".json"))
        return ListedRecordFiles(path) if has_records else None
    in_folder = [file for file in files if file.startswith(f"{path}/")]
    json_files = [file for file in in_folder if file.endswith(".json")]
    if not json_files:
        return None
    return ListedRecordFiles(json_files[0], path, len(json_files))


# The Python code by which a script reads a table, a JSON file or a folder of JSON files.
#
# Small models forget to parse the text of a file, so the first message shows them the code:
#
#     /loans.csv    rows = list(csv.DictReader(harness.read("/loans.csv").content.splitlines()))
#     /loans.json   data = harness.read("/loans.json").json()

# `{}` takes a path in quotation marks.
_CSV_CODE: Final = "rows = list(csv.DictReader(harness.read({}).content.splitlines()))"
_TSV_CODE: Final = (
    "rows = list(csv.DictReader(harness.read({}).content.splitlines(), "
    'delimiter="\\t"))'
)
_JSON_CODE: Final = "data = harness.read({}).json()"
_FOLDER_CODE: Final = (
    'for path in harness.find("*.json", root={}, limit=0).paths: '
    "record = harness.read(path).json()"
)


def _reading_code(records: ListedRecordFiles) -> str:
    """Return the code that reads a file or folder of records in a script."""
    if records.folder:
        return _FOLDER_CODE.format(json.dumps(records.folder))
    path = json.dumps(records.path)
    if records.path.endswith(".json"):
        return _JSON_CODE.format(path)
    if records.path.endswith(".csv"):
        return _CSV_CODE.format(path)
    return _TSV_CODE.format(path)


# The line of the first message about one file or folder of records: its fields, and its code.
#
# Values are not shown, because the user who asks may not be allowed to see them:
#
#     - /loans.csv, columns id, due: `rows = list(csv.DictReader(...))`
#     - /books, 312 JSON files, fields id, title: `for path in harness.find(...).paths: ...`


def reading_line(records: ListedRecordFiles, text: str) -> str:
    """Return the line that tells the model how to read a file or folder of records.

    `text` is the content of the file, or of the first file in the folder. Without fields
    in it, the line is empty.
    """
    fields = _fields_in_words(records.path, text)
    if not fields:
        return ""
    name = records.path
    if records.folder:
        name = f"{records.folder}, {records.count} JSON files"
    return f"- {name}, {fields}: `{_reading_code(records)}`"


def _fields_in_words(path: str, text: str) -> str:
    """Return the fields of a file of records, from its text; empty if there are none.

    `/loans.csv` -> `columns id, due`, `/books/b1.json` -> `fields id, title`
    """
    if path.endswith(".json"):
        return _json_shape(text)
    delimiter = "," if path.endswith(".csv") else "\t"
    columns = _columns_of(text, delimiter)
    if not columns:
        return ""
    return f"columns {_names_of_fields(columns)}"


# The part of the first message that tells the model how to read records.
#
# Without it, models guess the fields or forget to parse the text. Each table or folder of JSON
# files that the rules or the request name is read once, and gets a line:
#
#     How to read the records:
#     - /loans.csv, columns id, due: `rows = list(csv.DictReader(...))`
#     - /books, 312 JSON files, fields id, title: `for path in harness.find(...).paths: ...`

_TITLE: Final = "How to read the records:\n"


def _reading_help(
    calls: InitialCalls, named_paths: Iterable[str], files: Sequence[str]
) -> str:
    """Return the lines about the tables and folders at the named paths; empty without any.

    `named_paths` are in the rules or the request. `files` are all listed files of the
    workspace. One file of each folder is read to find its fields.
    """
    read = calls.tool_schema.operation("read")
    if read is None or read not in FILE_OPERATIONS:
        return ""  # The code in the lines only works with the usual form of `read`.
    lines: list[str] = []
    for records in record_files(named_paths, files):
        if calls.remaining_calls == 0:
            break
        path_argument = {read.subject: records.path}
        call = calls.send(read.name, path_argument)
        line = reading_line(records, result_text(read, call.result()))
        if line:
            lines.append(f"{line}\n")
    if not lines:
        return ""
    return "".join([_TITLE, *lines])


# Shows in the first message how to read the tables and folders of records that a request needs.
#
# If the request or the workspace's rules name the table `/loans.csv`, its first line is read, and the
# message gets this text:
#
#     How to read the records:
#     - /loans.csv, columns id, due: `rows = list(csv.DictReader(...))`


def _show_record_help(
    calls: InitialCalls, facts: RequestFacts, writer: SectionWriter
) -> None:
    """Show how to read the records that the rules or the request name, if they name some.

    `calls` reads one file of each table or folder, to find its fields.
    """
    named = [*paths_in(facts.rules), *paths_in(facts.instruction)]
    text = _reading_help(calls, named, facts.listed.files)
    if text:
        writer.say(text)


# Writes the initial calls of a trial to the journal, with how much of each result is shown.
#
# An answer may only cite what the model has seen. So this comes last, when it is known how much of
# each result the first message shows:
#
#     read /docs/a.md, of which a part is shown     7,000 characters may be cited
#     read /docs/b.md, which fits too little        nothing may be cited: it is not shown
#     find *, which returned paths                  all of them: the drawing of the files has them


def _write_results(
    calls: Iterable[CallUnderWay],
    citable_chars: Mapping[int, int],
    recorder: Recorder,
) -> None:
    """Write all initial calls to the journal, and add what is shown of them to the evidence.

    `citable_chars` says how many characters of a result are shown, by the number of the call. A
    call that is not in it is not shown (0), or is drawn as a tree of files (None: all is shown).
    """
    for sent in calls:
        shown_chars: int | None = citable_chars.get(sent.number, 0)
        if sent.call.operation == FIND and sent.number not in citable_chars:
            shown_chars = None  # The drawing of the files shows all of it.
        # `receive` awaits the result and writes the call. It raises the error of a failed call,
        # once that is written, too.
        with suppress(CallError):
            recorder.calls.receive(sent, shown_chars=shown_chars)


# Finds out whether a model's context is too small for all files that fit the request.
#
# The user is told then, because a model with a larger context would see more. But a file may also be
# left out because of the environment's own limit for all of these files, such as 8,000 characters:
#
# | room that is left in the message | the message was shortened |
# |---|---|
# | 0 characters | yes |
# | 9,000 | no: the files could take all of their 8,000 characters |
# | 3,000 | only if a file that fits the request was left out |


def _context_that_shortens(
    room: MessageRoom, writer: SectionWriter, files: Iterable[RankedFile]
) -> int:
    """Return the size of the context in tokens if it has shortened the message; else 0.

    `room` is what the message had at first, and `writer` knows what is left of it. `files` says
    which files are shown. `room.limiting_tokens` is 0 if not the context, but a setting of the run
    limits the message: the user wanted that.
    """
    return room.limiting_tokens if _is_shortened(writer, files) else 0


def _is_shortened(writer: SectionWriter, files: Iterable[RankedFile]) -> bool:
    """Return True if a file that fits the request is left out because the message is full."""
    if not writer.has_room:
        return True
    most_chars_of_files = writer.tool_schema.ranked_chars
    if writer.remaining_chars >= most_chars_of_files:
        return False
    return any(is_fitting_left_out(file) for file in files)


def open_first_message(
    trial: TrialContext, recorder: Recorder, room: MessageRoom
) -> _MessageResults:
    """Make the initial calls, write them to the journal, and return what they gave.

    `room` says how many characters the results may take in the message.
    """
    draft = MessageDraft(trial, recorder, room.chars)
    try:
        files = write_batches(draft)
        # An answer may cite only what the message shows of each result.
        _write_results(draft.calls.all_calls, draft.writer.citable_chars, recorder)
    finally:
        # If an exception ended the work above, some calls may still run.
        recorder.calls.await_end(draft.calls.all_calls)
    return _MessageResults(
        calls=tuple(recorder.current_step.calls),
        sections=draft.writer.sections,
        tool_schema=draft.working_tool_schema,  # without tools that failed a test
        rules=draft.facts.rules,
        files=files,
        shortened_for=_context_that_shortens(room, draft.writer, files),
    )


def write_batches(draft: MessageDraft) -> tuple[RankedFile, ...]:
    """Make the calls, and write a section of the message for each result to show.

    Once the message has no room, no further calls are made. Only the rules, a call of batch 1, are
    always read: the checks of the answer need them. Returns how well each file fits.
    """
    files: tuple[RankedFile, ...] = ()
    writer = draft.writer
    _show_declared_results(draft)  # batch 1
    if writer.has_room:
        # The calls of batch 2 run while batch 3 searches. Then the results of both are shown.
        reads = _send_declared_reads(draft)
        files = _show_fitting_files(draft, reads)
        _show_record_help(draft.calls, draft.facts, draft.writer)  # batch 4
    if not writer.has_room:
        writer.say("(There was no room to open everything.)\n")
    return files
