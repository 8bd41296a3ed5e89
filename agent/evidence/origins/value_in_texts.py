"""Decides which text counts for a value, if several have it, and so how far it is trusted.

`send_money(recipient="GB33...")` has an account that a mail names: “Please pay 420 to GB33...”
After an earlier transfer, a list of transfers has it, too, as a field of data. This must not make
it trusted. But if the user's request names the account, this counts. In order:

| | GB33... is | its origin |
|---|---|---|
| 1 | a value that this call may have, wherever it is from | `RECORD`, like a field of data |
| 2 | in the request, or in the workspace's rules | `ASKED`, `RULES` |
| 3 | an untrusted value of an earlier changing call | that of the earlier call |
| 4 | in a field of data, or else only in a mail | `RECORD`, `PROSE` |
"""

from __future__ import annotations

from collections.abc import Set
from typing import Final

from controlplane.agent.evidence.origins.finding import Finding
from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.prose_location import locate
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.origins.values.argument_value import ArgumentValue
from controlplane.agent.evidence.origins.values_without_text import prose_finding

_ORIGINS_OF_ORDERS: Final = (Origin.ASKED, Origin.RULES)


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
    # 1. This call may have it, such as a value of an enum.
    if not allowed_keys.isdisjoint(value.keys):
        return Finding(value, Origin.RECORD)

    # 2. The user or the owner of the workspace wrote it.
    text = provenance.texts.find(value)
    if text is not None and text.origin in _ORIGINS_OF_ORDERS:
        return Finding(value, text.origin)

    # 3. It keeps its origin: a text that has it now may only repeat the earlier call.
    earlier = provenance.untrusted.find(value)
    if earlier is not None:
        # The user may have confirmed the value since then, in another spelling.
        provenance.texts.index_numbers()
        text = provenance.texts.find(value)
        if text is not None and text.origin in _ORIGINS_OF_ORDERS:
            return Finding(value, text.origin)
        if earlier.origin is Origin.MADE:
            return None  # No text had it at that time, so none counts now.
        return earlier

    # 4. No text has it, or a field of data, or only running text.
    if text is None:
        return None
    if text.origin is not Origin.PROSE:
        return Finding(value, text.origin)
    if not with_sentence:
        return prose_finding(value, text.place)
    return Finding(value, Origin.PROSE, locate(text, value))
