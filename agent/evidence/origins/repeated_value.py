"""Finds the origin of an untrusted value that an earlier call has put into the data.

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
    """Return a value with its origin; None if no text has it but those that repeat it.

    `earlier` is the value with the origin that it had in the earlier call: here, the mail.
    """
    # The user's request and the rules are instructions. Does one of them have the value?
    text = texts.find(value.keys, sufficient=Origin.RULES)
    if text is not None and text.origin.is_instruction:
        # The user has named it since then: “Yes, pay GB33 BUKB ...”
        return Finding(value, text.origin)
    if earlier.origin is Origin.MADE:
        # The script made it up for the earlier call. Texts that have it now only repeat it.
        return None
    return earlier
