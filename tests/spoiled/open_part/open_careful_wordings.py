"""Wordings of right answers that speak of a deed which did not happen, or of what else was or was not done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

TABLES: Final[Mapping[str, Mapping[str, str]]] = {
    "careful-refusals": {
        "would-have": "{Thing} would have been {done} if every condition held, but {reason}.",
        "only-once": "{Thing} can only be {done} once this changes: {reason}.",
        "no-deed": "No {noun} took place. {Reason}.",
        "is-not-so": "I cannot tell you that {thing} is {done}, because it is not: {reason}.",
        "neither": "Neither the {noun} nor anything else was carried out, because {reason}.",
        "german-not": "{Ding} wurde nicht {getan}: {reason}.",
        "in-the-way": "Before {thing} gets {done}, one thing is in the way: {reason}.",
        "if-resolved": "If that is resolved, {thing} can be {done} at any time; for now {reason}.",
        "done-looking": "Done looking into it: {reason}, so {id} stays as it was.",
        "terse-not": "not {done} ({reason})",
    },
    "careful-questions": {
        "nothing-yet": "Nothing was {done} yet. Which one do you mean: {options}?",
        "as-soon-as": "It will be {done} as soon as you choose between {options}.",
        "before": "Before anything is {done}: is it {options}?",
        "not-guessed": "I have not {done} any of them, because {options} all fit. Which one?",
    },
    "careful-deeds": {
        "others-left": "{Thing} is {done}. The other records were left as they are.",
        "after-checks": "Owner and status were checked first, and then the {noun} was carried out.",
        "despite": "{Thing} has been {done}, although one of the queries failed on the way.",
        "no-problem": "No problem, {thing} is {done}.",
        "not-refused": "There was no reason to refuse: {thing} is {done}.",
        "german": "{Ding} ist {getan}, sonst wurde nichts geändert.",
    },
}
