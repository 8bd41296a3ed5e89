"""The calls for the files of a question, such as `harness.read("/a.txt", start_line=5)`.

Each is declared by its parameters, the fields of its result, and a `summary`. A model
reads the summary in its prompt, beside the names of the parameters; `.NAME` in it is a
field of the result. `effect` tells whether a call reads a file or lists a folder. The path
of that file or folder is the parameter `path`, or the one that `subject` names.
"""

from __future__ import annotations

from typing import Final

from controlplane.sandbox.interface import Effect, Operation, Parameter, ResultField

READ: Final = Operation(
    name="read",
    parameters=(
        Parameter("path", "str"),
        Parameter("start_line", "int", 0),
        Parameter("end_line", "int", 0),
        Parameter("start_char", "int", 0),
    ),
    fields=(
        ResultField("path"),
        ResultField("content"),
        ResultField("truncated"),
        ResultField("next_char"),  # Where `content` ends, if it is truncated; else 0.
        ResultField("line"),  # The line on which `content` begins.
        ResultField("notes"),  # What the text cannot show.
        ResultField("sha256"),
    ),
    summary="a file's text, or those lines, or the text from that character on; "
    ".notes tells what the text cannot show, such as merged cells",
    effect=Effect.READS,
    json_field="content",  # A result has a method `.json()`, which parses this field.
    # A text may be too long for one result. The product then reads on by itself, with
    # `start_char` as the result's `next_char`, so that the script gets all of it.
    from_char="start_char",
)
READ_MANY: Final = Operation(
    name="read_many",
    parameters=(
        Parameter("files", "str"),
        Parameter("root", "str", "/"),
        Parameter("start", "int", 0),
    ),
    fields=(
        ResultField("files", ("path", "line", "text")),
        ResultField("total"),  # The number of files that fit.
        # The value of `start` for the next call; 0 after the last one.
        ResultField("next"),
        # The files whose end is missing, because they are too long.
        ResultField("cut"),
        ResultField("truncated"),
    ),
    summary='the texts of all files below root that a glob fits ("*.txt" or a path), in one call; '
    "if they are too long for it, .truncated is true and .next is the start for the next call "
    "(else 0); .cut names files whose end is missing",
    effect=Effect.LISTS,
    subject="root",
)
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
TABLE: Final = Operation(
    name="table",
    parameters=(
        Parameter("path", "str"),
        # The clauses of a query. Or a whole query in `sql`.
        Parameter("where", "str", ""),
        Parameter("columns", "str", "*"),
        Parameter("group", "str", ""),
        Parameter("order", "str", ""),
        Parameter("limit", "int", 100),
        Parameter("sql", "str", ""),
        # How numbers and dates are written, if the file leaves that open. For example,
        # `decimal comma` says that `1,500` is one and a half.
        Parameter("form", "str", ""),
    ),
    fields=(
        ResultField("path"),
        ResultField("content"),  # The rows as CSV.
        ResultField("rows"),  # The rows as dicts.
        ResultField("columns"),  # All columns of the file.
        ResultField("lines"),  # The line of the file for each row.
        # The number of all rows. `rows` may have only the first of them.
        ResultField("total"),
        ResultField("truncated"),
        ResultField("forms"),  # How numbers and dates were read, by column.
        ResultField("assumed"),  # How the file was read, such as its delimiter.
        ResultField("doubts"),  # What may be read wrongly, such as the header.
    ),
    summary="rows of a CSV, TSV, JSONL or sheet as dicts, by DuckDB: "
    'where="amount > 5", columns="city, sum(x)", group="city", '
    """or sql="select ... from t join '/b.csv' b using (id)"; """
    "at most 1,000 of .total rows; .content has them as CSV, .lines their lines in the file, "
    ".forms tells which columns were read as numbers or dates "
    "($1,200 is 1200, 3.4.2025 is 2025-04-03, NA is null), "
    ".assumed and .doubts what was taken for the header and the rows. "
    'Where a form is not certain, say form="decimal comma", "decimal point", "day first" or "month first", '
    'or query the column "COLUMN as number" or "COLUMN as written"',
    effect=Effect.READS,
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
SOURCES: Final = Operation(
    name="sources",
    parameters=(),
    fields=(
        ResultField("left_out"),
        ResultField("versions"),
        ResultField("notes"),
        ResultField("truncated"),
    ),
    summary="what was left out or is not searched, "
    "files that are versions of one another, newest first, "
    "and what the texts of documents cannot show",
    effect=Effect.NONE,
)
EARLIER: Final = Operation(
    name="earlier",
    parameters=(),
    fields=(ResultField("shown"), ResultField("scratchpad")),
    summary="the questions and answers before this one; .scratchpad is what the last scratchpad held",
    effect=Effect.NONE,
    is_prose=True,
)
