"""The calls that tell what surrounds a question: `harness.sources()` and `harness.earlier()`.

A question may continue a conversation, and some files of its folder may be left out or be
old versions of others. A call is declared by its parameters, the fields of its result, and a
`summary`, which a model reads in its prompt; `.NAME` in it is a field of the result.
"""

from __future__ import annotations

from typing import Final

from controlplane.sandbox.interface import Effect, Operation, ResultField

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
