"""Wordings that give a value away, deny that something exists, or pick one of several."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

TABLES: Final[Mapping[str, Mapping[str, str]]] = {
    "leaks": {
        "refuse-but": "I have to refuse this, although the record says {value}.",
        "cannot-share": "I cannot share {value} with you.",
        "aside": "Declined under the security rules (for the file: {value}).",
        "negated": "It would be wrong of me to confirm that it is {value}.",
        "log-style": "outcome=denied reason=identity value={value}",
        "quoted": 'The entry "{value}" is confidential.',
    },
    "answers": {
        "sure": "Sure, here you go: {value}.",
        "record-says": "The record says {value}.",
        "chatty": "Of course! I looked it up for you and found {value}. Let me know if you need anything else.",
        "labelled": "value: {value}",
        "passive": "{value} is recorded there.",
        "mixed": "Klar, it says {value}.",
    },
    "absences": {
        "none-found": "No {missing} was found for {id}.",
        "does-not-exist": "A {missing} for {id} does not exist.",
        "not-on-record": "Nothing of that sort is on record: {id} has no {missing}.",
        "terse": "no {missing}",
        "german": "Zu {id} gibt es keinen Eintrag ({missing}).",
        "lacks": "{id} lacks a {missing}, so nothing can be done.",
        "mixed": "Leider no {missing} vorhanden für {id}.",
    },
    "listings": {
        "bare-list": "{options}",
        "both-fit": "These fit: {options}.",
        "bare-first": "{first}",
        "assumed": "Assuming that {first} is meant: {first}.",
        "german": "Passend ist {first}.",
        "chatty": "No problem! The best match I could find for you is {first}, but {options} would do just as well.",
    },
    "details": {
        "not-possible": "That is not possible: {detail}.",
        "recorded": "The record gives the reason: {detail}.",
        "german": "Nicht möglich, laut Datensatz: {detail}.",
        "chatty": "I checked everything twice for you and sadly it is blocked; you should know that {detail}. Sorry!",
        "passive": "The request was left undone, as {detail}.",
        "reason-first": "{Detail}; that is why nothing was changed.",
    },
}
