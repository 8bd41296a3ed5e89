"""The data that gates work on: submission, evidence and verdict, and the canonical forms of paths and words."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gates.types.canonical_paths import base_name as base_name
    from gates.types.canonical_paths import canonical as canonical
    from gates.types.canonical_paths import nearest as nearest
    from gates.types.canonical_paths import spelling_key as spelling_key
    from gates.types.canonical_paths import split_fragment as split_fragment
    from gates.types.evidence import CALL_FAILED as CALL_FAILED
    from gates.types.evidence import Action as Action
    from gates.types.evidence import Change as Change
    from gates.types.evidence import Evidence as Evidence
    from gates.types.evidence import Execution as Execution
    from gates.types.evidence import Failure as Failure
    from gates.types.evidence import LookUp as LookUp
    from gates.types.evidence import Reference as Reference
    from gates.types.evidence import SeenText as SeenText
    from gates.types.evidence import Touch as Touch
    from gates.types.evidence import seen_text as seen_text
    from gates.types.plain_data import Foreign as Foreign
    from gates.types.plain_data import quote as quote
    from gates.types.submission import SUBMITTED_KEYS as SUBMITTED_KEYS
    from gates.types.terms import reason_tokens as reason_tokens
    from gates.types.verdict import MAX_REASON_CHARS as MAX_REASON_CHARS
    from gates.types.verdict import PACK_GATE as PACK_GATE

_HOMES = {
    "canonical_paths": (
        "base_name",
        "canonical",
        "nearest",
        "spelling_key",
        "split_fragment",
    ),
    "evidence": (
        "CALL_FAILED",
        "Action",
        "Change",
        "Evidence",
        "Execution",
        "Failure",
        "LookUp",
        "Reference",
        "SeenText",
        "Touch",
        "seen_text",
    ),
    "plain_data": (
        "Foreign",
        "quote",
    ),
    "submission": ("SUBMITTED_KEYS",),
    "terms": ("reason_tokens",),
    "verdict": (
        "MAX_REASON_CHARS",
        "PACK_GATE",
    ),
}


def __getattr__(name: str) -> object:
    """Import a public name at its first use, so that nobody waits for what is not needed."""
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{home}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
