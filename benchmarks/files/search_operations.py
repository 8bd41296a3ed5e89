"""The calls that search the files of a question: for a pattern, and for words.

`harness.search("open|due")` returns lines, and `harness.passages("open invoices")` returns the
paragraphs that fit the words best. A call is declared by its parameters, the fields of its
result, and a `summary`, which a model reads in its prompt; `.NAME` in it is a field of the
result.
"""

from __future__ import annotations

from typing import Final

from controlplane.sandbox.interface import Effect, Operation, Parameter, ResultField

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
