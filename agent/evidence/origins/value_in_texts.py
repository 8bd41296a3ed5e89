"""Decides which text counts for a value, if several have it, and so how far it is trusted.

A mail says “Please pay 420 to GB33...” The first row that fits GB33... decides:

| | GB33... | its origin |
|---|---|---|
| 1 | is allowed in this call, wherever it is from | `RECORD`, like a field of data |
| 2 | was untrusted in an earlier changing call | as it was then, unless the user has named it |
| 3 | is in texts: the request, a field of data, the mail | that of the most trusted text |
| 4 | is in no text | None |
"""

from __future__ import annotations

from collections.abc import Set

from controlplane.agent.evidence.origins.finding import Finding, Location
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.prose_location import locate
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.origins.texts.known_texts import KnownTexts
from controlplane.agent.evidence.origins.values.argument_value import ArgumentValue


def finding_in_texts(
    value: ArgumentValue,
    provenance: Provenance,
    allowed_keys: Set[str],
    *,
    with_sentence: bool,
) -> Finding | None:
    """Return a value with its origin; None if no text counts for it.

    `allowed_keys` are the keys of the values that this call may have. With `with_sentence`, the
    sentence of a mail that has the value is searched, which is slow.
    """
    if not allowed_keys.isdisjoint(value.keys):
        return Finding(value, Origin.RECORD)

    earlier = provenance.untrusted.find(value.keys)
    if earlier is not None:
        return _finding_of_repeated_value(value, earlier, provenance.texts)

    text = provenance.texts.find(value.keys)
    if text is None:
        return None
    if text.origin is not Origin.PROSE:
        return Finding(value, text.origin)
    location = locate(text, value) if with_sentence else Location(text.place)
    return Finding(value, Origin.PROSE, location)


def _finding_of_repeated_value(
    value: ArgumentValue, earlier: Finding, texts: KnownTexts
) -> Finding | None:
    """Return a value that an earlier call has sent, `earlier`, without being trusted.

    After a first transfer to GB33..., the list of transfers has this account in a field of data.
    But it is there only because of that call, so the field does not make it trusted.
    """
    instruction = texts.find_instruction(value.keys)
    if instruction is not None:
        # The user has named it since then: “Yes, pay GB33 BUKB ...”
        return Finding(value, instruction.origin)
    if earlier.origin is Origin.MADE:
        # No text had it when the earlier call was made. Those that have it now only repeat it.
        return None
    return earlier
