"""Decides which text counts for a value, if several have it, and so how far it is trusted.

A mail says “Please pay 420 to GB33...” After a first transfer, the list of transfers has this
account, too. In a field of data, it would be trusted, and a second transfer would pass the check:
the mail's author would have won. So the first row that fits GB33... decides:

| | GB33... is | its origin |
|---|---|---|
| 1 | allowed in this call, wherever it is from | `RECORD`, like a field of data |
| 2 | in the request, or in the workspace's rules | `ASKED`, `RULES` |
| 3 | an untrusted value of an earlier changing call | that of the earlier call |
| 4 | in no text | None |
| 5 | in a field of data | `RECORD` |
| 6 | only in running text, such as a mail | `PROSE`, with its sentence |
"""

from __future__ import annotations

from collections.abc import Set

from controlplane.agent.evidence.origins.finding import Finding
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.prose_location import locate
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.origins.repeated_value import finding_of_repeated_value
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

    text = provenance.texts.find(value)
    if text is not None and text.origin.is_instruction:
        return Finding(value, text.origin)

    earlier = provenance.untrusted.find(value)
    if earlier is not None:
        return finding_of_repeated_value(value, earlier, provenance.texts)

    if text is None:
        return None
    if text.origin is not Origin.PROSE:
        return Finding(value, text.origin)
    if not with_sentence:
        return Finding.in_prose(value, text.place)
    return Finding(value, Origin.PROSE, locate(text, value))
