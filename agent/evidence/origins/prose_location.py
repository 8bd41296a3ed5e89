"""Finds the place and the sentence of a value in running text, to show them in messages.

The call `send_money(recipient="GB33BUKB20201555555555")` may be held because only a mail has the
account. The message says where: `/mail/7.md, line 3`, “Please pay 420 to GB33 BUKB 2020 1555
5555 55.” If the search would take too long, it names the mail alone.
"""

from __future__ import annotations

from controlplane.agent.evidence.origins.finding import Location
from controlplane.agent.evidence.origins.prose_passages import passages_to_search
from controlplane.agent.evidence.origins.texts.known_text import KnownText
from controlplane.agent.evidence.origins.value_sentence import (
    has_value,
    sentence_with,
)
from controlplane.agent.evidence.origins.values.argument_value import ArgumentValue


def locate(known: KnownText, value: ArgumentValue) -> Location:
    """Return where a value is in a text that has it, with the sentence.

    | the text | place |
    |---|---|
    | the file `/mail/7.md` | `/mail/7.md, line 3` |
    | the result of a call, which is not a file | `call 3 of search` |
    | one that is too long to search | `/mail/7.md`, without a sentence |
    """
    for passage in passages_to_search(known.text, value.text.casefold()):
        if has_value(passage.text, value):
            place = known.place
            if known.path:
                place += f", line {passage.line_number}"
            return Location(place, sentence_with(value, passage.text))
    return Location(known.place)
