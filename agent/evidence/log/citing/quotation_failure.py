"""What a script is told whose quotation does not count, and what it may do instead.

message_of_failure("fee: 7", "/a.md", {Doubt.BY_SCRIPT})
    -> "`fee: 7` was written or computed by a script, and not read: cite without a quotation."
"""

from __future__ import annotations

from collections.abc import Collection

from controlplane.agent.evidence.log.citing.quotation_doubt import Doubt
from controlplane.gates.quoting import quote


def message_of_failure(text: str, path: str, doubts: Collection[Doubt]) -> str:
    """Return the message for a script whose quotation was not found, or only in doubtful texts.

    `doubts` are the reasons why texts with the quotation do not count; empty if no text has it.
    """
    if Doubt.ECHO in doubts:
        # Words that some result had before the script passed them are not the script's own. So
        # another call, which passes only such words, may help.
        return (
            f"{quote(text)} may come from the call's own arguments: ask with words that were read before (of "
            "tables, list them first), quote a longer passage, or cite without a quotation."
        )
    if Doubt.BY_SCRIPT in doubts:
        return f"{quote(text)} was written or computed by a script, and not read: cite without a quotation."
    return (
        f"{quote(text)} is not in what was read of {quote(path)}: quote it as it is written there (blanks "
        "and case aside), or cite without a quotation."
    )
