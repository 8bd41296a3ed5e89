"""What the messages of a trial say, taken apart: the task, the documents, what was found, what gates objected to."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agent.model import Message

INSTRUCTION: Final = re.compile(r"<instruction>\n(.*)\n</instruction>\n\nWhat follows", re.DOTALL)
DOCUMENT: Final = re.compile(r'^<section title="read ([^"]+)">\n(.*?)\n</section>$', re.DOTALL | re.MULTILINE)
CUT: Final = re.compile(r"^\(\d+ characters of read (.+) are not shown", re.MULTILINE)
LEFT_OUT: Final = re.compile(r"^\(Not opened for want of room: (.*)\.\)$", re.MULTILINE)
FOUND: Final = re.compile(r'^\{"wish": .*\}$', re.MULTILINE)
FAILED: Final = re.compile(r"^failed: (.*)$", re.MULTILINE)
OBJECTION: Final = re.compile(r"^<(?:gates|error)>\n(.*?)\n</(?:gates|error)>$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Conversation:
    """A trial so far."""

    instruction: str
    documents: Mapping[str, str]
    """The texts that turn one shows in full, by path."""
    unread: tuple[str, ...]
    """Paths of the documents that turn one shows in part, or only names, for want of room."""
    findings: Mapping[str, object]
    """What scripts found, by the wish that was sent (as `wish_key` writes it)."""
    failures: tuple[str, ...]
    """What tools said when they did not do what they were told."""
    objections: tuple[str, ...]
    """What gates or errors said, one per turn that met any."""
    turns: int
    """Turns taken so far."""


def wish_key(wish: Mapping[str, object]) -> str:
    """Return the one spelling of a wish."""
    return json.dumps(wish, sort_keys=True)


def read_conversation(messages: Sequence[Message]) -> Conversation:
    """Return what the messages say."""
    said = [each["content"] for each in messages if each["role"] == "user"]
    opening = said[0] if said else ""
    instruction = INSTRUCTION.search(opening)
    shown = opening[instruction.end() :] if instruction else opening
    unread = _unread(shown)
    later = said[1:]
    findings: dict[str, object] = {}
    for text in later:
        for line in FOUND.findall(text):
            found = json.loads(line)
            findings[wish_key(found["wish"])] = found["found"]
    return Conversation(
        instruction=instruction[1].strip() if instruction else opening,
        documents={path: text for path, text in DOCUMENT.findall(shown) if path not in unread},
        unread=unread,
        findings=findings,
        failures=tuple(failure for text in later for failure in FAILED.findall(text)),
        objections=tuple("\n".join(found) for text in later if (found := OBJECTION.findall(text))),
        turns=sum(1 for each in messages if each["role"] == "assistant"),
    )


def _unread(shown: str) -> tuple[str, ...]:
    named = [title for titles in LEFT_OUT.findall(shown) for title in titles.split(", ")]
    return (*CUT.findall(shown), *(each.removeprefix("read ") for each in named if each.startswith("read ")))
