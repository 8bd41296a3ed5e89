"""Has a small model take the text of a call apart into the call's other arguments; what it makes up counts for nothing.

Without a model, or if its parse adds a word, or loses a number or a negation, the call is made as it was written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from agent.exoskeleton.bindings import TextParse
from agent.exoskeleton.helper_model import HelperModel
from agent.exoskeleton.tool_definitions import described_fields
from agent.model.model_protocol import Message
from sandbox.interface import Plain

PARSE: Final = "parse"
_WORD: Final = re.compile(r"[^\W_]+")
_RULING_OUT: Final = frozenset(
    {"no", "not", "without", "except", "excluding", "excludes", "neither", "nor", "never", "other"}
)


@dataclass(frozen=True, slots=True)
class TextParser:
    """The texts of an environment's operations that can be taken apart, as one trial has it done."""

    helper: HelperModel
    parses: Mapping[str, TextParse]

    def parsed(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain] | None:
        """Return a call's arguments with its text taken apart; None if it stays as it is. Raises `OutOfBudget`."""
        parse = self.parses.get(operation)
        text = str(arguments.get(parse.parameter, "")) if parse else ""
        if parse is None or len(_words(text)) < parse.from_words or any(arguments.get(each) for each in parse.into):
            return None
        prompts = self.helper.prompts
        asked: list[Message] = [
            {"role": "system", "content": prompts.filled("parse", fields=described_fields(parse.schema))},
            {"role": "user", "content": prompts.filled("parse_request", text=text)},
        ]
        said = self.helper.ask(asked, PARSE, parse.schema) or {}
        taken = {name: said[name] for name in (parse.parameter, *parse.into) if name in said}
        found = {**arguments, **taken}
        return found if found != arguments and _is_borne_out(text, taken, parse) else None


def _is_borne_out(text: str, taken: Mapping[str, Plain], parse: TextParse) -> bool:
    """Say whether a parse has the right types, only words of the text, all of its numbers, and rules out as it does."""
    if not isinstance(taken.get(parse.parameter), str) or not _words(str(taken[parse.parameter])):
        return False
    lists = [taken[name] for name in parse.into if name in taken]
    if not all(isinstance(each, list) and all(isinstance(one, str) for one in each) for each in lists):
        return False
    rules_out = not _words(text).isdisjoint(_RULING_OUT)
    if parse.ruled_out and bool(taken.get(parse.ruled_out)) is not rules_out:
        return False
    said, told = _words(text), {word for each in taken.values() for word in _words_in(each)}
    return told <= said and all(word in told for word in said if any(map(str.isdigit, word)))


def _words_in(value: Plain) -> Iterator[str]:
    for each in value if isinstance(value, list) else [value]:
        yield from _words(str(each))


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))
