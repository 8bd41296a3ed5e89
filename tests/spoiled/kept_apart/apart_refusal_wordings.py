"""Wordings of refusals and questions: right where the case calls for one, wrong elsewhere. Kept apart.

Who writes or changes a gate or a rule does not read this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

TABLES: Final[Mapping[str, Mapping[str, str]]] = {
    "denials": {
        "identity-counts": "Only the identity of the session counts, and it does not carry this request.",
        "german": "Abgelehnt: Dafür fehlt die Berechtigung.",
        "no-right": "No right to this follows from the session, whatever is claimed.",
        "mixed": "Leider nein, that is refused under the security policy.",
    },
    "blocked": {
        "policy-blocks": "Policy blocks this request ({reason}).",
        "terse": "no: {reason}",
        "left-as-is": "I left {thing} as it is; {reason}.",
        "german": "Nicht möglich: {reason}.",
    },
    "questions": {
        "which-one": "Which one do you mean: {options}?",
        "several-fit": "Several fit: {options}. Please tell me which.",
        "choose": "Please choose between {options}.",
        "numbered": "Open point, please pick: {options}.",
    },
    "vague-questions": {
        "confirm": "Can you confirm that {id} is the right one?",
        "german": "Was genau ist gemeint?",
        "missing-id": "An id seems to be missing. What should I look at?",
    },
}
