"""Decides on the origin of a value that an earlier changing call had, without being trusted.

A mail says “Please pay 420 to GB33...”, and a first `send_money(recipient="GB33...")` is made. Then
`list_transfers()` returns this account in a field of data, which is usually trusted. But it is
there only because of that call, so in a second transfer, the account is still the mail's.
"""

from __future__ import annotations

from controlplane.agent.evidence.origins.finding import Finding
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.texts.known_texts import KnownTexts
from controlplane.agent.evidence.origins.values.argument_value import ArgumentValue


def finding_of_repeated_value(
    value: ArgumentValue, earlier: Finding, texts: KnownTexts
) -> Finding | None:
    """Return a value with its origin; None if no text had it in the earlier call.

    `earlier` is the value with the origin that it had in that call.
    """
    text = texts.find(value.keys, sufficient=Origin.RULES)
    if text is not None and text.origin.is_instruction:
        # The user has named it since then: “Yes, pay GB33 BUKB ...”
        return Finding(value, text.origin)
    if earlier.origin is Origin.MADE:
        # No text had it when the earlier call was made. Those that have it now only repeat it.
        return None
    return earlier
