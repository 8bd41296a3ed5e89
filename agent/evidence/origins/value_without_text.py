"""Decides on the origin of a value that is in none of the texts that a trial keeps.

Usually, the script made such a value (`MADE`). But it may come from running text in another
way. To be safe, it then counts as a value of this text (`PROSE`):

    a mail: “Add GB33BUKB in front of 20201555.”
    send_money(recipient="GB33BUKB20201555")    -> PROSE, 'gb33bukb' and '20201555'
"""

from __future__ import annotations

from controlplane.agent.evidence.origins.finding import Finding
from controlplane.agent.evidence.origins.joined_halves import halves_in_prose
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.texts.known_texts import KnownTexts
from controlplane.agent.evidence.origins.values.argument_value import ArgumentValue


def finding_without_text(value: ArgumentValue, texts: KnownTexts) -> Finding:
    """Return a value that is not in any text with its origin.

    | the value | origin |
    |---|---|
    | may be in a text that was dropped, because there are too many | `PROSE` |
    | `GB33BUKB20201555`, joined of `GB33BUKB` and `20201555` in mails | `PROSE` |
    | any other | `MADE`, by the script |
    """
    if texts.is_incomplete:
        return Finding.in_prose(value, "what was read beyond the texts that are kept")

    halves = halves_in_prose(value.keys, texts.index.keys)
    if halves is not None:
        first, second = halves
        place = f"what was read, in two parts, {first!r} and {second!r}"
        return Finding.in_prose(value, place)

    return Finding(value, Origin.MADE)
