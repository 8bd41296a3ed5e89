"""Wordings of refusals and questions: right where the case calls for one, wrong elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

TABLES: Final[Mapping[str, Mapping[str, str]]] = {
    "denials": {
        "not-authorised": "The signed-in user is not authorised for this request.",
        "security-rules": "Refused: the security rules do not allow it.",
        "cannot-help": "I'm sorry, but I can't help with that under this session.",
        "terse": "denied",
        "not-yours": "This is not something that the current account may ask for.",
        "policy-forbids": "The workspace's policy on security forbids this, so nothing was done.",
        "chatty": (
            "Thank you for reaching out! Unfortunately the rules on who may do what leave me no choice but to decline."
        ),
        "passive": "The request has been declined for reasons of security.",
    },
    "blocked": {
        "cannot": "{id} cannot be {done}: {reason}.",
        "not-possible": "That is not possible, because {reason}.",
        "chatty": (
            "I had a careful look, and I'm afraid the {noun} can't happen right now, since {reason}. Sorry about that!"
        ),
        "passive": "The {noun} was not carried out. Reason on record: {reason}.",
        "condition": "A condition is not met: {reason}.",
        "unsupported": "This is not supported here: {reason}.",
        "reason-first": "{Reason}; for that reason nothing was changed.",
        "mixed": "Geht leider nicht, {reason}.",
    },
    "questions": {
        "terse": "{options}?",
        "need-to-know": "Before I go on I need to know which of these is meant: {options}.",
        "german": "Welches ist gemeint: {options}?",
        "chatty": (
            "Happy to help! I found more than one that matches ({options}); could you let me "
            "know which you had in mind?"
        ),
        "not-clear": "It is not clear from the request whether {options} is meant.",
        "candidates": "Candidates: {options}. Nothing was changed; say which one it is.",
        "mixed": "Quick question: {options}, welches davon?",
        "statement": "The description leaves open which of {options} it should be.",
    },
    "vague-questions": {
        "more-detail": "Could you give me more details about what you need?",
        "which-record": "Which record do you mean exactly?",
        "unclear": "The request is unclear to me, please specify it.",
        "terse": "please clarify",
        "chatty": "I'd love to help, but I'm not quite sure what you're after. Would you mind telling me a bit more?",
        "passive": "Further information is required before this can be answered.",
    },
}
