"""The records that fit a request, which are files about one case: found, read and ranked.

Also writes how a script reads tables and folders of records.
"""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from controlplane.agent.opening.calls import FileReader, InitialCalls, result_text
from controlplane.agent.opening.documents import RequestTopic
from controlplane.agent.opening.listing import with_slash
from controlplane.agent.opening.ranking import (
    TitledText,
    beginning_of,
    ranked_texts,
    words_of,
)
from controlplane.agent.opening.request import (
    Asker,
    Candidate,
    FileNames,
    Reason,
    RequestFacts,
    ids_in,
    paths_in,
    request_words,
    scaled_to_best,
)
from controlplane.sandbox.interface import (
    FILE_OPERATIONS,
    NamedFiles,
    RecordOwners,
    ToolSchema,
)
from controlplane.sandbox.interface.foreign_documents import Unreadable, read_json

_MAX_KINDS: Final = 2
"""A request that names no record is about at most this many kinds of records, such as loans."""


def declared_records(schema: ToolSchema) -> NamedFiles:
    """Return the environment's declaration of where its records are, and how they are read."""
    if schema.named_files is None:
        return NamedFiles(roots=(), most=0)
    return schema.named_files


# Reads to whom a record belongs, from its text. A record is a file about one case.
#
# An environment may declare the fields that name the owner:
# `RecordOwners(fields=("owner", "member"), ...)`. The record `{"id": "b7", "member": "u-4"}` then
# belongs to `u-4`.


def _owner_of(owners: RecordOwners, record: str) -> str | None:
    """Return the id of the owner that a JSON record names; None if it names none."""
    try:
        fields = read_json(record)
    except Unreadable:
        # The record may be cut, but its owner is on a line of its own.
        fields = _fields_by_line(record)
    if not isinstance(fields, dict):
        return None
    for name in owners.fields:
        value = fields.get(name)
        if isinstance(value, str) and value:
            return value
    return None


def _fields_by_line(record: str) -> dict[str, str]:
    """Return the text fields of a pretty-printed JSON object, from its lines `"NAME": "VALUE"`."""
    fields: dict[str, str] = {}
    for line in record.splitlines():
        name, colon, value = line.strip().rstrip(",").partition('": "')
        if colon:
            fields.setdefault(name.strip('"'), value.strip('"'))
    return fields


# Finds the records that the first message must not show to the user who asks.
#
# An environment may declare which fields of a record name its owner, and which roles see only
# their own records: `RecordOwners(fields=("owner", "member"), own_only=("reader",), ...)`
#
# | who asks | is shown the record `{"title": "Dune", "member": "u-4"}` |
# |---|---|
# | `u-4` | yes: it is the user's own |
# | `u-17` with the role `reader`, or without a role | no: it is withheld |
# | `u-17` with the roles `reader` and `clerk` | yes: a clerk sees all records |


def _withheld_records(
    owners: RecordOwners, asker: Asker, records: Mapping[str, str]
) -> list[str]:
    """Return the paths of the records that must not be shown. `records` has texts by path.

    They belong to another user than the one who asks. A record without an owner may be shown to
    everybody.
    """
    # One role beside those in `own_only`, such as `clerk`, is enough to see all records.
    wider_roles = asker.roles - set(owners.own_only)
    if wider_roles:
        return []
    own_id = _folded_id(asker.user)
    withheld: list[str] = []
    for path, record in records.items():
        owner = _owner_of(owners, record)
        if owner is not None and _folded_id(owner) != own_id:
            withheld.append(path)
    return withheld


def _folded_id(text: str) -> str:
    """Return an id in lower case and without separators: `U-4` -> `u4`."""
    return text.casefold().replace("-", "").replace("_", "").replace(" ", "")


_NEARLY_BEST: Final = 0.9
"""A record with this share of the best word score of its kind fits nearly as well as the best."""


def nearly_best(word_scores: Mapping[str, float]) -> list[str]:
    """Return the records of one kind that fit nearly as well as the best, in their order.

    `{"l-4": 1.0, "l-7": 0.95, "l-9": 0.6}` -> `l-4`, `l-7`
    """
    min_word_score = _NEARLY_BEST * max(word_scores.values())
    return [path for path, score in word_scores.items() if score >= min_word_score]


# Finds, reads and scores the records for one request.
#
# A record is a file about one case, such as `/records/loans/l-12.json`. For "Close l-12":
#
#     records.read_named()               sends the call for `/records/loans/l-12.json`
#     records.score_words(found_lines)   `/records/loans/l-4.json` has words of the request
#     records.read_found()               waits, and sends the calls for `l-4`, and for
#                                        `/records/books/b7.json`, which `l-12` names
#     records.rank(asker)                waits for all
#
# | record | reason and its points | score |
# |---|---|---|
# | `/records/loans/l-12.json` | `NAMED` 8: the request names it | 8 |
# | `/records/books/b7.json` | `LINKED` 1.5: `l-12` names it, as in `{"book": "b7"}` | 1.5 |
# | `/records/loans/l-4.json` | `WORDS` 0, and its word score 1: it has words of the request | 1 |

_CALLS_KEPT_FOR_LATER: Final = 4
"""So many of the trial's calls are not used for records: linked documents and the help texts
of tools are read later."""
_MIN_WORD_SCORE: Final = 0.25
"""The word score that a record needs to become a candidate."""
_COMMON_SHARE: Final = 0.5
"""If this share of a kind's records fits equally, the request's words tell none of them apart."""
_MAX_LINKS: Final = 8
"""A record that names more files than this is a list, such as that of all members. The files
on it are not read."""


class Records:
    """The records of a workspace, and how well they fit a request."""

    def __init__(
        self,
        files: Sequence[str],
        documents: Collection[str],
        calls: InitialCalls,
        facts: RequestFacts,
    ) -> None:
        """`files` are all that may be read, except the `documents`."""
        self.declared = declared_records(calls.tool_schema)
        """In which folders records are, by which operations they are read and searched, and how
        many are read at once."""
        folders = tuple(with_slash(root) for root in self.declared.roots)
        self.paths = [path for path in files if path.startswith(folders)]
        self.names = FileNames(files, folders)
        """Finds the files that a text names: a record by its id or path, any other file by its path."""
        request = facts.instruction
        # The other lines may quote somebody else.
        first_line = request.strip().partition("\n")[0]
        named_paths = paths_in(first_line)
        # What tools have printed, such as `member: m-17` by `/bin/whoami`
        outputs = "\n".join(facts.outputs)
        self.words = request_words(first_line)
        """The words of the request by which other files are searched: `close`, `late`."""
        self.named_documents = [path for path in documents if path in named_paths]
        """The listed documents that the request names, by their paths."""
        self.named_records = self.names.files_named_in(request)
        """The records that the request names, by their paths or ids."""
        self.asker_records = self.names.files_named_in(outputs)
        """The records of the user who asks: `/records/members/m-17.json`."""
        self.ids = ids_in(request if self.named_records else f"{request}\n{outputs}")
        """The ids, such as `loan-12`. If no record is named, also the ids that tools have printed,
        because they may say which record is meant."""
        self.word_scores: dict[str, float] = {}
        """The records that have words of the request, and were not named, the best first."""
        self._linked: list[str] = []
        self._owners = calls.tool_schema.record_owners
        self._reader = FileReader(
            calls, calls.tool_schema.operation(self.declared.read)
        )

    def kind_of(self, record: str) -> str:
        """Return the folder with all records of the same kind; empty for other files.

        If the environment declares that `/data` and `/letters` have records:

            /data/places/Delft/s-1.json    `/data/places`, the folder below the declared one
            /letters/l-1.txt               `/letters`, as there is no folder between
        """
        for root in self.declared.roots:
            folder = with_slash(root)
            if record.startswith(folder):
                subfolder, slash, _ = record.removeprefix(folder).partition("/")
                return folder + subfolder if slash else root.rstrip("/")
        return ""

    def read_named(self) -> None:
        """Send calls for the records that the request names, and for those of its author."""
        records = [*self.named_records, *self.asker_records]
        self._reader.send(records, self.declared.most)

    def score_words(self, found_lines: Mapping[str, str]) -> None:
        """Score the records by the words of the request, in their paths and the found lines.

        For "Which loan is late?", if a search has found the line `"state": "late"` in one of three:

            /records/loans/l-4.json     `loan` in its path, `late` in the found line    1.0
            /records/loans/l-12.json    `loan` in its path       0.49, as a share of the best score
            /records/books/b7.json      no word                                        none

        Records that the request names, and those of the user who asks, are shown anyway.
        """
        # The search has looked for words and ids. So only the paths are looked at here. A word may
        # be there in another form, so its beginning is compared: `retur` of `returned`.
        beginnings = [beginning_of(word) for word in self.words]
        texts: dict[str, TitledText] = {}
        for path in self.paths:
            title = path.casefold()
            has_word = any(beginning in title for beginning in beginnings)
            if has_word or path in found_lines:
                texts[path] = TitledText(path, found_lines.get(path, ""))

        # A word counts more if few of all texts have it. But `texts` has only records with words.
        # So as many empty texts are added as there are records: a word is then rare among all.
        words = [*self.words, *self.ids]
        scores = ranked_texts(texts, words, empty_texts=len(self.paths))
        for path in (*self.named_records, *self.asker_records):
            scores.pop(path, None)
        for path, score in scaled_to_best(scores).items():
            if score >= _MIN_WORD_SCORE:
                self.word_scores[path] = score

    def read_found(self) -> None:
        """Wait for the named records. Send calls that read what they name, and the best others."""
        named_texts = self._reader.texts(self.named_records)
        for text in named_texts.values():
            self._linked += self._links_in(text)
        remaining_calls = self._reader.calls.remaining_calls - _CALLS_KEPT_FOR_LATER
        most_files = min(self.declared.most, remaining_calls)
        self._reader.send([*self._linked, *self.word_scores], most_files)

    def _links_in(self, record: str) -> list[str]:
        """Return the files that a record names: `{"book": "b7"}` -> `/records/books/b7.json`.

        An environment may declare that links of JSON records are not followed, because the model
        has functions that look up what these records name.
        """
        is_json = record.startswith(("{", "["))
        if is_json and not self.declared.follows_records:
            return []
        links = self.names.files_named_in(record)
        return links if len(links) <= _MAX_LINKS else []

    def topic(self, descriptions: Mapping[str, str]) -> RequestTopic:
        """Return what the request is about, by the records that it names.

        By the rule "/records/loans: lent books", which `descriptions` has, `loan-12.json` is about
        `lent` and `books`. A request that names no record is about the best of those that have
        words of it.
        """
        records: Sequence[str] = self.named_records
        if not records:
            records = self._distinct_by_kind()[:_MAX_KINDS]
        words = list(self.words)
        for path, description in descriptions.items():
            if any(record.startswith(f"{path}/") for record in records):
                words += words_of(description)
        return RequestTopic(
            request_words=self.words,
            words=words,
            record_folders={self.kind_of(record) for record in records},
            named_documents=self.named_documents,
        )

    def _distinct_by_kind(self) -> list[str]:
        """Return the best record of each kind by its words, the best first.

        Left out are kinds of which half of the records fit equally: if `Harbour Library` stands in
        each branch, a request with this name is not about a branch.
        """
        scores_by_kind: dict[str, dict[str, float]] = defaultdict(dict)
        for record, score in self.word_scores.items():
            scores_by_kind[self.kind_of(record)][record] = score
        kind_sizes = Counter(self.kind_of(path) for path in self.paths)
        distinct: list[str] = []
        for kind, scores in scores_by_kind.items():
            best = nearly_best(scores)
            if len(best) == 1 or len(best) < _COMMON_SHARE * kind_sizes[kind]:
                distinct.append(best[0])
        return distinct

    def rank(self, asker: Asker) -> list[Candidate]:
        """Wait for the calls, and return the found records with their scores.

        Those that belong to somebody else than `asker`, the user who asks, may be withheld.
        """
        candidates: dict[str, Candidate] = {}
        for reason, paths in (
            (Reason.NAMED, self.named_records),
            (Reason.ASKER, self.asker_records),
            (Reason.LINKED, self._linked),
            (Reason.WORDS, self.word_scores),
        ):
            for path in paths:
                if path not in candidates:
                    candidates[path] = Candidate(
                        path=path,
                        read_operation=self._reader.operation,
                        kind=self.kind_of(path),
                    )
                candidates[path].add(reason)
        for path, score in self.word_scores.items():
            candidates[path].word_score = score
            candidates[path].score += score
        if self._owners is not None:
            texts = self._reader.texts(candidates)  # waits
            for path in _withheld_records(self._owners, asker, texts):
                candidates[path].add(Reason.WITHHELD)
        return list(candidates.values())


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


def _columns_of(text: str, delimiter: str) -> str:
    """Return the names of a table's columns: `id,due` in its first line -> `columns id, due`.

    Empty if they cannot be read.
    """
    header = text.partition("\n")[0][:_MAX_PARSED_CHARS]
    columns: list[str] = []
    with suppress(csv.Error):
        columns = next(csv.reader([header], delimiter=delimiter), [])
    has_names = any(column.strip() for column in columns)
    return f"columns {_names_of_fields(columns)}" if has_names else ""


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


# How a script reads the tables and JSON files of records that the rules or the request name.
#
# A record is about one case, such as a loan. The records are rows of a table, `/loans.csv`, items
# of one JSON file, or JSON files in one folder, `/books/b1.json`. Small models guess the fields, or
# forget to parse the text, so the first message has a line for each table or folder:
#
#     How to read the records:
#     - /loans.csv, columns id, due: `rows = list(csv.DictReader(...))`
#     - /books, 312 JSON files, fields id, title: `for path in harness.find(...).paths: ...`
#
# Values are not shown, because the user who asks may not be allowed to see them.

_MAX_RECORD_FILES: Final = 4
"""How many are told to the model. A workspace with more kinds of records describes them in its
documents."""
_TITLE: Final = "How to read the records:\n"

# The Python code by which a script reads them. `{}` takes a path in quotation marks.
_CODE_BY_EXTENSION: Final = {
    "csv": "rows = list(csv.DictReader(harness.read({}).content.splitlines()))",
    "tsv": (
        "rows = list(csv.DictReader(harness.read({}).content.splitlines(), "
        'delimiter="\\t"))'
    ),
    "json": "data = harness.read({}).json()",
}
_FOLDER_CODE: Final = (
    'for path in harness.find("*.json", root={}, limit=0).paths: '
    "record = harness.read(path).json()"
)


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

    `named_paths` are in the rules or the request, and `files` are all listed files:

        "/loans.csv"                      -> ListedRecordFiles("/loans.csv")
        "/books", with two files of JSON  -> ListedRecordFiles("/books/b1.json", "/books", count=2)
    """
    found: list[ListedRecordFiles] = []
    for path in dict.fromkeys(named_paths):
        if path in files:
            if _extension(path) in _CODE_BY_EXTENSION:
                found.append(ListedRecordFiles(path))
            continue
        in_folder = [file for file in files if file.startswith(f"{path}/")]
        json_files = [file for file in in_folder if _extension(file) == "json"]
        if json_files:
            found.append(ListedRecordFiles(json_files[0], path, len(json_files)))
    return found[:_MAX_RECORD_FILES]


def _extension(path: str) -> str:
    """Return the extension of a file: `/loans.csv` -> `csv`."""
    return path.rpartition(".")[2]


def reading_line(records: ListedRecordFiles, text: str) -> str:
    """Return the line that tells the model how to read a file or folder of records.

    `text` is the content of the file, or of the first file in the folder. Without fields
    in it, the line is empty.
    """
    extension = _extension(records.path)
    if extension == "json":
        fields = _json_shape(text)
    else:
        fields = _columns_of(text, "," if extension == "csv" else "\t")
    if not fields:
        return ""
    if records.folder:
        code = _FOLDER_CODE.format(json.dumps(records.folder))
        return f"- {records.folder}, {records.count} JSON files, {fields}: `{code}`"
    code = _CODE_BY_EXTENSION[extension].format(json.dumps(records.path))
    return f"- {records.path}, {fields}: `{code}`"


def reading_help(
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
        call = calls.send(read.name, {read.subject: records.path})
        line = reading_line(records, result_text(read, call.result()))
        if line:
            lines.append(f"{line}\n")
    return "".join([_TITLE, *lines]) if lines else ""
