"""Parses the messages of a trial: task, documents, results of lookups, and answers that were sent back."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from agent.model import Message

INSTRUCTION: Final = re.compile(r"can be cited\.\n\n<instruction>\n(.*)\n</instruction>\n?\Z", re.DOTALL)
DOCUMENT: Final = re.compile(r'^<section title="read ([^"]+)">\n(.*?)\n</section>$', re.DOTALL | re.MULTILINE)
CUT: Final = re.compile(DOCUMENT.pattern + r"\n\(\d", re.DOTALL | re.MULTILINE)
"""A document, and below it the number of its characters that are left out."""
LEFT_OUT: Final = re.compile(r"^\(Not opened for want of room: (.*)\.\)$", re.MULTILINE)
NOT_SHOWN: Final = re.compile(r"^\(Not shown, to be read where it matters: (.*)\.\)$", re.MULTILINE)
SHOWN_OUTPUT: Final = re.compile(r'^<section title="exec (\S+)">\n(.*?)\n</section>$', re.DOTALL | re.MULTILINE)
FOUND: Final = re.compile(r'^\{"lookup": .*\}$', re.MULTILINE)
FAILED: Final = re.compile(r"^failed: (.*)$", re.MULTILINE)
REJECTED: Final = re.compile(r"^GateRejection: ", re.MULTILINE)
KEPT_OPENINGS: Final = 16
"""Parsed openings to keep, because every turn of a trial has the same opening."""
KEPT_TURNS: Final = 64
"""Messages whose parsed findings are kept, because every later turn of a trial reads them again."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """The trial so far."""

    instruction: str
    documents: Mapping[str, str]
    """The documents that turn one shows in full, by path."""
    unread: tuple[str, ...]
    """The documents that turn one cuts or only names, for lack of space."""
    findings: Mapping[str, object]
    """The results of all lookups so far, by `lookup_key`, and the tools' outputs that turn one shows."""
    failures: tuple[str, ...] = ()
    """The error messages of failed tools."""
    times_sent_back: int = 0
    """Turns in which the gates sent an answer back."""
    turns: int = 0


def lookup_key(lookup: Mapping[str, object]) -> str:
    """Return the canonical spelling of a lookup."""
    return json.dumps(lookup, sort_keys=True)


@lru_cache(maxsize=KEPT_OPENINGS)
def _read_opening(text: str) -> Conversation:
    instruction = INSTRUCTION.search(text)
    shown = text[: instruction.start()] if instruction else text
    unread = _unread(shown)
    return Conversation(
        instruction=instruction[1].strip() if instruction else text,
        documents={path: text for path, text in DOCUMENT.findall(shown) if path not in unread},
        unread=unread,
        findings={
            lookup_key({"run": tool, "args": []}): {"stdout": output, "stderr": "", "exit_code": 0}
            for tool, output in SHOWN_OUTPUT.findall(shown)
            if not output.startswith(("{", "(failed: "))
        },
    )


def read_conversation(messages: Sequence[Message]) -> Conversation:
    """Parse the messages of a trial."""
    said = [message["content"] for message in messages if message["role"] == "user"]
    opening, later = _read_opening(said[0] if said else ""), said[1:]
    findings = dict(opening.findings)
    for text in later:
        findings.update(_findings_in(text))
    return replace(
        opening,
        findings=findings,
        failures=tuple(failure for text in later for failure in FAILED.findall(text)),
        times_sent_back=sum(REJECTED.search(text) is not None for text in later),
        turns=sum(message["role"] == "assistant" for message in messages),
    )


@lru_cache(maxsize=KEPT_TURNS)
def _findings_in(text: str) -> Mapping[str, object]:
    told = map(json.loads, FOUND.findall(text))
    return {lookup_key(entry["lookup"]): entry["found"] for entry in told}


def _unread(shown: str) -> tuple[str, ...]:
    named = [title for titles in LEFT_OUT.findall(shown) for title in titles.split(", ")]
    unfit = re.findall(r"(?:^|, )(/[^(]*?) \(", ", ".join(NOT_SHOWN.findall(shown)))
    return (
        *(path for path, _ in CUT.findall(shown)),
        *unfit,
        *(title.removeprefix("read ") for title in named if title.startswith("read ")),
    )
