"""The calls of a question that run in the trial's worker process: `passages` and `table`.

They search or compute over untrusted files. The worker process has limits of time and
memory, and can neither open files nor reach the network.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from controlplane.agent.opening.ranking import (
    TitledText,
    beginning_of,
    comparable_text,
    ranked_texts,
    words_of,
)
from controlplane.benchmarks.files.sources.file_suffixes import TABLE_SUFFIXES, is_table
from controlplane.sandbox.child.worker_process import ask_parent
from controlplane.sandbox.files.file_tree import FileTree
from controlplane.sandbox.interface import (
    CallError,
    Effect,
    Operation,
    Parameter,
    Plain,
    ResultField,
    bounds,
    error_codes,
)

if TYPE_CHECKING:
    from controlplane.benchmarks.files.tables.loaded_table import (
        Table,  # It imports DuckDB.
    )

# Splits texts into passages, which a search compares and shows. No text is left out.
#
# A passage is about a paragraph: long enough to be understood, short enough that twelve of
# them can be shown.

PASSAGE_CHARS: Final = 700
"""The target length: about 170 tokens, one or two paragraphs."""
_MIN_PASSAGE_CHARS: Final = 200
"""The shortest passage that a blank line ends."""
_OVERLAP_CHARS: Final = 100
"""The overlap of the parts of a long line, so that a short sentence is complete in one of them."""
_MIN_PART_CHARS: Final = PASSAGE_CHARS // 2
"""The earliest position at which a part may end at a sentence or word."""
_SENTENCE_ENDS: Final = (". ", "! ", "? ", "; ", "。", "！", "？")


def passages_in(text: str) -> Iterator[tuple[int, str]]:
    """Yield each passage as the number of its first line and its text.

    A passage has one or more paragraphs, with at most about `PASSAGE_CHARS` in total. A
    line that is longer is split.
    """
    lines: list[str] = []  # of the current passage; none between passages
    first_line = 1  # the number of its first line
    chars = 0  # its length
    for number, line in enumerate(text.split("\n"), start=1):
        if lines:
            is_full = chars + len(line) > PASSAGE_CHARS
            is_end_of_paragraph = not line.strip() and chars >= _MIN_PASSAGE_CHARS
            if is_full or is_end_of_paragraph:
                yield first_line, "\n".join(lines).strip("\n")
                lines = []
                chars = 0

        if len(line) > PASSAGE_CHARS:
            for part in _parts_of_line(line):
                yield number, part
        elif lines or line.strip():  # A passage never begins with an empty line.
            if not lines:
                first_line = number
            lines.append(line)
            chars += len(line) + 1
    if lines:
        yield first_line, "\n".join(lines).strip("\n")


def _parts_of_line(line: str) -> Iterator[str]:
    """Yield overlapping parts of a long line. They end with sentences, or else with words."""
    start = 0
    while len(line) - start > PASSAGE_CHARS:
        part = line[start : start + PASSAGE_CHARS]
        ends = []
        for sentence_end in _SENTENCE_ENDS:
            place = part.rfind(sentence_end, _MIN_PART_CHARS)
            if place >= 0:
                ends.append(place + len(sentence_end))
        end_of_word = part.rfind(" ", _MIN_PART_CHARS) + 1
        end = max(ends, default=end_of_word) or len(part)
        yield part[:end].strip()
        # The next part begins with a whole word if possible.
        earliest = end - _OVERLAP_CHARS
        blank = part.find(" ", earliest, end - 1)
        start += earliest if blank < 0 else blank + 1
    yield line[start:].strip()


# The texts of files, for calls that run in a trial's worker process.
#
# The worker has only the files that scripts wrote. It asks its parent process for the texts of
# all others, when a call needs them.

_BATCH_FILES: Final = 200
"""The number of files whose texts are requested from the parent process at once."""


def _texts_of(tree: FileTree, paths: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the path and text of all files that scripts wrote, then of the files at `paths`.

    The first ones are yielded even if `paths` lacks them, because a search looks at them, too.
    A deleted file has an empty text. Texts of the parent process come in batches and are
    not kept.
    """
    for path, text in tree.changes.items():
        yield path, text or ""
    remaining = [path for path in paths if path not in tree.changes]
    while remaining:
        # The texts of the first files of the batch: as many as fit in one message.
        texts = cast("list[str | None]", ask_parent(*remaining[:_BATCH_FILES]))
        for path, text in zip(remaining, texts, strict=False):
            yield path, text or ""
        # Without any, the first text alone is too long for a message. It is left out.
        done_files = len(texts) or 1
        remaining = remaining[done_files:]


def text_of(tree: FileTree, path: str) -> str:
    """Return the text of one file; empty if it is gone, or too long for a message."""
    for yielded_path, text in _texts_of(tree, [path]):
        if yielded_path == path:  # The others are files that scripts wrote.
            return text
    return ""


# Finds the passages of files that fit some words.
#
# For `harness.passages("open invoices")`, every passage with one of the words is compared with
# all others: rare words count more than frequent ones. A script need not know in which file, or
# in which form ("invoice"), the words are.

_PATH_WEIGHT: Final = 0.5
"""How much a word in a file's path counts, if a word in a passage counts 1."""


@dataclass(frozen=True, slots=True)
class _Passage:
    """A part of a file, about one paragraph long."""

    path: str
    line: int
    """The line on which it begins."""
    text: str

    @property
    def shown(self) -> str:
        """The passage under its place."""
        return f"[{self.path}, from line {self.line}]\n{self.text}"


def _ranked_passages(
    tree: FileTree, paths: Sequence[str], query: Sequence[str]
) -> list[_Passage]:
    """Return the passages of some files that contain words of the query, best first.

    Files that scripts wrote are searched, too.
    """
    texts: dict[str, TitledText] = {}
    passages = _passages_with_words(tree, paths, query)[: bounds.MOST_COMPARED_PASSAGES]
    for number, passage in enumerate(passages):
        # Include the path, because a file's name often describes its content.
        title = passage.path.replace("/", " ").replace("_", " ")
        texts[str(number)] = TitledText(title, passage.text)
    numbers = ranked_texts(texts, query, title_weight=_PATH_WEIGHT)
    return [passages[int(number)] for number in numbers]


def _passages_with_words(
    tree: FileTree, paths: Sequence[str], query: Sequence[str]
) -> list[_Passage]:
    """Return the passages that have one of the words, or another form of it.

    A word is looked for by its beginning: `pric` for `prices`, which is in `price`, too. The
    search ends as soon as there are more passages than can be compared.
    """
    beginnings = [beginning_of(word) for word in query]
    passages: list[_Passage] = []
    for path, text in _texts_of(tree, paths):
        for line, passage_text in passages_in(text):
            comparable = comparable_text(passage_text)
            if any(beginning in comparable for beginning in beginnings):
                passages.append(_Passage(path, line, passage_text))
        if len(passages) >= bounds.MOST_COMPARED_PASSAGES:
            break
    return passages


def _with_table_heads(best: list[_Passage], heads: list[list[str]]) -> list[_Passage]:
    """Return the first lines of tables, and then the best passages.

    If a passage begins on the first line of such a table, it is used instead, because
    it is longer.
    """
    beginning_of_file = {passage.path: passage for passage in best if passage.line == 1}
    passages = []
    for path, head in heads:
        passages.append(beginning_of_file.get(path, _Passage(path, line=1, text=head)))
    for passage in best:
        if passage not in passages:
            passages.append(passage)
    return passages


# The calls that search the files of a question: for a pattern, and for words.
#
# `harness.search("open|due")` returns lines, and `harness.passages("open invoices")` returns the
# paragraphs that fit the words best. A call is declared by its parameters, the fields of its
# result, and a `summary`, which a model reads in its prompt; `.NAME` in it is a field of the
# result.

SEARCH: Final = Operation(
    name="search",
    parameters=(
        Parameter("pattern", "str"),
        Parameter("root", "str", "/"),
        Parameter("limit", "int", 10),
        Parameter("files", "str", ""),
        Parameter("context", "int", 0),
        Parameter("files_only", "bool", False),
    ),
    fields=(
        # With context, `text` begins on the line `first`. Of a long line, `text` is only a
        # part, which begins at the character `char`.
        ResultField("matches", ("path", "line", "text", "first", "char")),
        ResultField("truncated"),
        ResultField("searched"),  # How many files were searched, of how many.
    ),
    summary="lines below root that a regular expression (RE2) matches, "
    'in files that a glob fits (files="*.py" or a path); '
    "context=2 adds the two lines before and after each, from line .first; "
    "files_only shows only the first match of a file; "
    "a long line is cut to the part around the match, at .char. "
    ".searched says how many files were searched",
    effect=Effect.LISTS,
    subject="root",
)
PASSAGES: Final = Operation(
    name="passages",
    parameters=(Parameter("words", "str"), Parameter("limit", "int", 8)),
    fields=(
        ResultField("matches", ("path", "line", "text")),
        ResultField("shown"),  # The passages as one text.
        ResultField("truncated"),
    ),
    summary="the passages that fit some words best, in all files; .shown has them as text, "
    ".truncated tells that more passages have some of the words. Ask in the words of the files",
    effect=Effect.LISTS,
    # The call has no parameter `root`. So it counts as a listing of `/`: of all files.
    subject="root",
)


# The calls of one trial, with the tables that its queries use.
#
# A script queries a file by `harness.table("/sales.csv", where="amount > 5")`. The file is
# loaded as a table of DuckDB, and stays loaded while the next queries use it, too. Other tables only
# take memory.


class _FilesTools:
    """The calls that run in the worker. Created once for each trial."""

    def __init__(self, tree: FileTree) -> None:
        self.tree = tree
        self._tables: dict[tuple[str, str, int], Table] = {}
        """The tables that the last query used, by what they depend on: the path, the stated form of
        numbers and dates, and the number of changes to the trial's files before a table was loaded.
        After one more, the file may have another text."""

    def call(self, operation: str, arguments: Mapping[str, Any]) -> dict[str, Plain]:
        """Return the result of `passages` or `table`. Raises `CallError`."""
        if operation == PASSAGES.name:
            return self.passages(**arguments)
        return self.table(**arguments)

    def table(
        self, path: str, form: str, sql: str, limit: int, **clauses: str
    ) -> dict[str, Plain]:
        """Return the rows of a table that a query selects.

        The query is `sql`, or else made of the clauses `columns`, `where`, `group` and
        `order`: `where="amount > 5"`. `form` says how the numbers and dates of its tables are
        written, if the files leave that open: `decimal comma, day first`. It may be empty.
        """
        # DuckDB is imported only in workers.
        from controlplane.benchmarks.files.tables.loaded_table import Table
        from controlplane.benchmarks.files.tables.tables import (
            query_table,
            select_statement,
        )

        used_keys = set()

        def open_table(named_path: str) -> Table:
            """Return the table of this call, or one that its SQL names: `from '/b.csv'`."""
            full_path = self._table_path(named_path)
            key = (full_path, form, self.tree.version)
            used_keys.add(key)
            if key not in self._tables:
                self._tables[key] = Table(
                    full_path, text_of(self.tree, full_path), form
                )
            return self._tables[key]

        statement = sql if sql.strip() else select_statement(**clauses)
        try:
            return query_table(open_table(path), statement, limit, open_table)
        finally:
            for key in self._tables.keys() - used_keys:
                self._tables.pop(key).drop()

    def _table_path(self, path: str) -> str:
        """Return the full path of a table: `/sales.csv` for `sales.csv`.

        For a workbook with one sheet, it is the path of the sheet, which is a CSV file
        below it: `/sales.xlsx/Sheet1.csv`. Raises `CallError`.
        """
        path = str(self.tree.stat(path)["path"])  # `/sales.csv` for `sales.csv`.
        sheets = []
        for path_below in self.tree.paths(path):
            if path_below != path and path_below.endswith(".csv"):
                sheets.append(path_below)
        if len(sheets) > 1:
            msg = f"{path} has several tables: name {', '.join(sheets[:-1])} or {sheets[-1]}"
            raise CallError(error_codes.INVALID_ARGUMENT, msg)
        if sheets:
            return sheets[0]
        if not is_table(path):
            suffixes = ", ".join(TABLE_SUFFIXES)
            msg = f"{path} is not a table: table reads {suffixes} and the sheets of workbooks"
            raise CallError(error_codes.INVALID_ARGUMENT, msg)
        return path

    def passages(
        self, words: str, limit: int, paths: list[str], table_heads: list[list[str]]
    ) -> dict[str, Plain]:
        """Return the best passages for some words, after the first lines of tables that fit them.

        A script gives only `words` and `limit`. The parent process, which has all files, adds

        - `paths`: the files to search, those that most likely have the words first.
        - `table_heads`: the path and first lines of each table whose name or columns have
          the words, such as `["/sales.csv", "city,amount\\nBerlin,5"]`.
        """
        query = words_of(words)[: bounds.MOST_QUERY_WORDS]
        max_passages = bounds.SHOWN_PASSAGES
        if limit > 0:
            max_passages = min(limit, max_passages)

        ranked = _ranked_passages(self.tree, paths, query)
        # The tables come first, so they may push out the last of the best passages.
        with_tables = _with_table_heads(ranked[:max_passages], table_heads)
        has_more = len(ranked) > max_passages or len(with_tables) > max_passages
        passages = with_tables[:max_passages]
        matches: list[Plain] = []
        for passage in passages:
            matches.append(
                {"path": passage.path, "line": passage.line, "text": passage.text}
            )
        shown = "\n\n".join(passage.shown for passage in passages)
        return {
            "matches": matches,
            "shown": shown or "no passage holds these words",
            "truncated": has_more,
        }


def open_tools(
    files: Mapping[str, str], directories: tuple[str, ...], data: Plain
) -> _FilesTools:
    """Return the tools for a question's files, in a worker.

    The sandbox passes these parameters to every benchmark's module. A question needs only
    `files`.
    """
    return _FilesTools(FileTree(files))
