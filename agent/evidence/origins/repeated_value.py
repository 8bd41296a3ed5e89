"""Decides how far a value is trusted that an untrusted call has sent before.

A mail says “Please pay 420 to GB33...”, and the script pays. Now the list of transfers has the
account, too, but only because of that call. So in the next call, GB33... is as little trusted as
in the first one, unless the user has named it since then: “Yes, pay GB33 BUKB ...”
"""

from __future__ import annotations

from controlplane.agent.evidence.origins.finding import Finding
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.texts.known_texts import KnownTexts
from controlplane.agent.evidence.origins.values.argument_value import ArgumentValue


def finding_of_repeated_value(
    value: ArgumentValue, earlier: Finding, texts: KnownTexts
) -> Finding | None:
    """Return a value with its origin; None if no text counts for it.

    `earlier` is the same value, with the untrusted origin that it had in an earlier call.

    | the value | now |
    |---|---|
    | is in the request or in the rules, in any spelling | `ASKED`, `RULES` |
    | was in no text when the earlier call was made | None: those that have it now repeat it |
    | was only in a mail | as in the earlier call, with the sentence of the mail |
    """
    # The user may write `1,250.00` for the `1250` of a record. Only after this is it found.
    texts.index_numbers()
    text = texts.find(value)
    if text is not None and text.origin.is_instruction:
        return Finding(value, text.origin)
    if earlier.origin is Origin.MADE:
        return None
    return earlier
