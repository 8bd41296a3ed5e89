"""What a read has shown of a file: the texts for which an answer may cite the file.

| call | shows | texts |
|---|---|---|
| `read("/fees.md")` | `Late return: 7 EUR` | this one, the `WHOLE` file |
| `read("/fees.md", start_line=40)` | `---` | none: an excerpt without a word proves nothing |
| `read("/fees.md", start_line=42)` | `Damage: 12 EUR` | this one, an `EXCERPT` from line 42 on |
| a query for `count(*)` of `/fees.csv` | `21` | `count`, a heading; and `21`, which is `COMPUTED` |
"""

from __future__ import annotations

from controlplane.agent.evidence.texts.echoes import echoable_words
from controlplane.agent.evidence.texts.returned_call import ReturnedCall
from controlplane.agent.evidence.texts.shown_lines import (
    columns_of_computed_rows,
    shown_lines,
)
from controlplane.agent.evidence.texts.shown_text import ShownText
from controlplane.agent.evidence.texts.words import has_words
from controlplane.gates.trial.seen_text import SeenText
from controlplane.gates.trial.text_kind import TextKind


def texts_of_read(call: ReturnedCall, shown: ShownText) -> list[SeenText]:
    """Return the texts of a file that a call has read. `shown` is what was shown of its result."""
    kind = TextKind.WHOLE
    if not shown.is_whole or _may_have_left_out_lines(call):
        kind = TextKind.EXCERPT
        if not has_words(shown.text):
            return []

    # The words of the call's arguments. The text may only repeat them, so they prove nothing.
    passed_words = echoable_words(call.arguments)
    # The names of computed columns, such as `count`; empty if the result has lines of the file.
    columns = columns_of_computed_rows(call.result)
    if not columns:
        lines = shown_lines(call.arguments.values, call.result)
        return [SeenText(shown.text, kind, passed_words, lines=lines)]

    # A query may compute any value. Only the names of the columns are surely from the file.
    heading = SeenText(columns, kind, passed_words, lines=())
    rows = SeenText(shown.text, TextKind.COMPUTED, passed_words, lines=())
    return [heading, rows]


def _may_have_left_out_lines(call: ReturnedCall) -> bool:
    """Return True if a result may not have all lines of the file.

    It may say so itself (`truncated`). And any argument but the path may ask for a part: for
    example `start_line=40`.
    """
    is_cut_off = call.result.get("truncated") is True
    has_further_arguments = bool(call.arguments.inputs)
    return is_cut_off or has_further_arguments
