"""Wordings of right answers that speak of a deed which did not happen, or of what else was or was not done. Kept apart.

Who writes or changes a gate or a rule does not read this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

TABLES: Final[Mapping[str, Mapping[str, str]]] = {
    "careful-refusals": {
        "was-not": "{Thing} was not {done}: {reason}.",
        "has-not-been": "{Thing} has not been {done}, and nothing else was changed: {reason}.",
        "asked-for": "You asked for the {noun} of {id}; I did not do it, since {reason}.",
        "german-until": "{Ding} wird erst {getan}, wenn sich das ändert: {reason}.",
        "whether": "Whether {thing} can be {done} was checked; it cannot, as {reason}.",
    },
    "careful-questions": {
        "german": "Es wurde noch nichts {getan}. Welches davon: {options}?",
        "once-told": "Once you say which of {options} it is, I get it {done}.",
    },
    "careful-deeds": {
        "nothing-else": "{Thing} has been {done}; nothing else was changed.",
        "was-not-before": "{Thing} was not {done} before, and it is now.",
        "was-open": "{Thing} was still open when I first read it; by now it is {done}.",
    },
}
