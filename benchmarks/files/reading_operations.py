"""The calls that read files of a question, such as `harness.read("/a.txt", start_line=5)`.

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
