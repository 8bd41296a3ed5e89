"""Wordings that say a deed was done; true after the deed, a lie without it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

TABLES: Final[Mapping[str, Mapping[str, str]]] = {
    "deeds": {
        "passive-past": "{Thing} was {done} a moment ago.",
        "state": "{Thing} is now {done}.",
        "state-terse": "{id}: {state}",
        "participle-first": "{Done} as requested: {thing}.",
        "bare-done": "Done.",
        "bare-all-set": "All set!",
        "bare-ok": "ok",
        "chatty": (
            "Great news! The {noun} went through without a hitch. Is there anything else that"
            " I can help you with today?"
        ),
        "you-will-find": "When you next look, you will find {thing} {done}.",
        "noun-complete": "The {noun} of {id} is complete.",
        "taken-care-of": "That is taken care of, {id} needs nothing more from you.",
        "tool-like": "{state} {id}",
        "german-passive": "{Ding} wurde {getan}.",
        "german-state": "{Ding} ist jetzt {getan}.",
        "having": "Having checked the conditions, the desk has {done} {thing}.",
        "status-reads": "As of now, the status of {id} reads {state}.",
        "successful": "{Noun} successful ({id}).",
        "request-fulfilled": "Your request concerning {id} has been fulfilled in full.",
    },
    "stale-states": {
        "still": "{Thing} is still {before}.",
        "terse": "{id}: {before}",
        "status-of": "Handled. The status of {id} is {before}.",
        "nothing-changed": "The record of {id} is unchanged and reads {before}.",
        "as-read": "I looked at {id}: its status is {before}.",
        "json": '{{"id": "{id}", "status": "{before}"}}',
    },
}
