"""Which records a submitted answer cites, and what the reasons of its citations mention.

An answer cites paths with reasons: `/proc/products/AB-1.json`, "the only match". Rules ask which
of the paths are products, and whether a reason contains a word such as "only".
"""

from __future__ import annotations

from typing import Final

import re2

from controlplane.benchmarks.shop.workspace.kinds import Kind, kind_of
from controlplane.gates.paths import record_id, split_fragment
from controlplane.gates.submission import Submission
from controlplane.gates.surrogates import encodable


def cited_records(submission: Submission, kind: Kind) -> list[str]:
    """Return the cited records of a kind, each once, without fragments."""
    records = []
    for path in submission.citations:
        if kind_of(path) is kind:
            records.append(split_fragment(path)[0])
    return list(dict.fromkeys(records))


_KINDS_OF_SEARCHES: Final = frozenset((Kind.PRODUCT, Kind.BRANCH, None))
"""The kinds of files that an answer cites if its agent searched for products.

None is the kind of documents and of other files that are not records.
"""


def products_found(submission: Submission, instruction: str) -> list[str]:
    """Return the paths of the cited products that the agent has found by a search.

    They are those that the request does not name. The list is empty if the answer also cites a
    basket, a receipt or another record that lists products, because then these are from there.
    """
    cited_kinds = {kind_of(path) for path in submission.citations}
    if not cited_kinds <= _KINDS_OF_SEARCHES:
        return []
    products = cited_records(submission, Kind.PRODUCT)
    return [path for path in products if record_id(path) not in instruction]


def reasons_mention(submission: Submission, words: str) -> bool:
    """Return True if the reason of a citation contains one of these words (a pattern)."""
    # The reasons by path, as the agent has written them. They may have any form.
    reasons = submission.refs_why
    if not isinstance(reasons, dict):
        return False
    for reason in reasons.values():
        if isinstance(reason, str) and re2.search(
            rf"(?i)\b(?:{words})\b", encodable(reason)
        ):
            return True
    return False
