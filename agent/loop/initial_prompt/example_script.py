"""The script of the example reply in the system prompt.

It answers an invented question about invented files, and shows all that a script may do: it reads
files, cites them, and submits an answer with its `verify`.
"""

from __future__ import annotations

from typing import Final

QUESTION: Final = "How many parcels are late? Answer with [LATE:%d]."

_SCRIPT_START: Final = """\
late = []
for path in harness.find("*.json", root="/parcels", limit=0).paths:
    parcel = harness.read(path).json()
    if parcel["status"] == "late":
        late.append(parcel["id"])
"""
"""Reads the records of a folder."""
_CITATION: Final = """\
        scratchpad.cite(path, f"{parcel['id']} is late")
"""
"""Cites each record, inside of the loop. Left out if an environment has no citations."""
_SCRIPT_END: Final = """\
answer = "[LATE:%d]" % len(late)
scratchpad["answer"] = answer
scratchpad["outcome"] = "OUTCOME_OK"
def verify(sp):
    return sp["answer"] == answer
harness.answer(scratchpad, verify)"""
"""Computes the answer and submits it. `verify` is the script's own check of what it
submits. A real one may compute the answer in a second way; this is the shortest form."""


def example_script(*, is_cited: bool) -> str:
    """Return the script. Without citations (`is_cited` is false), it cites nothing."""
    if is_cited:
        return _SCRIPT_START + _CITATION + _SCRIPT_END
    return _SCRIPT_START + _SCRIPT_END
