"""Wordings that give a value away, deny that something exists, or pick one of several. Kept apart.

Who writes or changes a gate or a rule does not read this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

TABLES: Final[Mapping[str, Mapping[str, str]]] = {
    "leaks": {
        "terse": "denied; {value}",
        "german": "Das darf ich nicht sagen, es lautet aber {value}.",
        "chatty": "I wish I could help! Sadly, {value} is nothing that I may give out to you.",
    },
    "answers": {
        "bare": "{value}",
        "it-is": "It is {value}.",
        "german": "Das ist {value}.",
    },
    "absences": {
        "there-is-none": "There is no {missing} for {id}.",
        "chatty": "I searched for you, but unfortunately {id} doesn't seem to have any {missing} at all.",
        "without": "{id} stands without a {missing}.",
        "never": "No {missing} was ever entered for {id}.",
    },
    "listings": {
        "you-have": "You have {options}.",
        "first-taken": "I took {first}, the most likely one.",
        "default": "By default the newest one applies, which is {first}.",
    },
    "details": {
        "because": "It cannot be done because {detail}.",
        "terse": "blocked, {detail}",
        "label": "reason: {detail}",
    },
}
