"""Asks small models for JSON objects; a trial goes on if they fail. One of the models splits texts into arguments.

A call is made as written if the parse of its text adds a word, or loses a number or a negation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from agent.exoskeleton.bindings import TextParse
from agent.exoskeleton.offered_tools import described_fields
from agent.loop.prompt_texts import Prompts
from agent.loop.trial_session import TrialSession
from agent.loop.turn_loop import PatientModel
from agent.model.model_protocol import Abandoned, Message, ModelError, OutOfBudget
from agent.reply.reply_parser import object_of
from sandbox.interface import Plain

PATIENCE_S: Final = 5.0
"""Seconds from the first request during which a transient failure is retried."""
PARSE: Final = "parse"
_WORD: Final = re.compile(r"[^\W_]+")
_RULING_OUT: Final = frozenset(
    {"no", "not", "without", "except", "excluding", "excludes", "neither", "nor", "never", "other"}
)


@dataclass(frozen=True, slots=True)
class HelperModel:
    """The models of the roles other than `solve`, as one trial asks them."""

    session: TrialSession
    model: PatientModel
    prompts: Prompts

    def ask(self, messages: Sequence[Message], role: str, schema: Mapping[str, object]) -> dict[str, Any] | None:
        """Return the object that the model of a role replies; None if there is no object. Raises `OutOfBudget`."""
        complete = partial(self.model.complete, messages, role, schema=schema)
        try:
            return object_of(self.session.ask(complete, messages, role=role).reply)
        except (OutOfBudget, Abandoned):
            raise
        except ModelError as error:
            if self.session.recorded_step is None:
                self.session.notice(f"the model of the role {role} failed, and the trial goes on without it: {error}")
            return None


def helper_of(session: TrialSession, model: PatientModel, prompts: Prompts) -> HelperModel:
    """Return the models of the roles other than `solve`, with a shorter wait."""
    retry = replace(model.retry, wait_s=min(PATIENCE_S, model.retry.wait_s))
    return HelperModel(session, replace(model, retry=retry), prompts)


@dataclass(frozen=True, slots=True)
class TextParser:
    """The texts of an environment's operations that can be split, as one trial splits them."""

    helper: HelperModel
    parses: Mapping[str, TextParse]

    def parsed(self, operation: str, arguments: Mapping[str, Plain]) -> dict[str, Plain] | None:
        """Return a call's arguments with its text split; None if the text stays unchanged. Raises `OutOfBudget`."""
        parse = self.parses.get(operation)
        text = str(arguments.get(parse.parameter, "")) if parse else ""
        if parse is None or len(_words(text)) < parse.from_words or any(arguments.get(name) for name in parse.into):
            return None
        prompts = self.helper.prompts
        asked: list[Message] = [
            {"role": "system", "content": prompts.filled("parse", fields=described_fields(parse.schema))},
            {"role": "user", "content": prompts.filled("parse_request", text=text)},
        ]
        said = self.helper.ask(asked, PARSE, parse.schema) or {}
        taken = {name: said[name] for name in (parse.parameter, *parse.into) if name in said}
        found = {**arguments, **taken}
        return found if found != arguments and _is_faithful(text, taken, parse) else None


def _is_faithful(text: str, taken: Mapping[str, Plain], parse: TextParse) -> bool:
    """Say whether a parse has the right types, only words of the text, all its numbers, and rules out what it does."""
    if not isinstance(taken.get(parse.parameter), str) or not _words(str(taken[parse.parameter])):
        return False
    lists = [taken[name] for name in parse.into if name in taken]
    if not all(isinstance(words, list) and all(isinstance(one, str) for one in words) for words in lists):
        return False
    rules_out = not _words(text).isdisjoint(_RULING_OUT)
    if parse.ruled_out and bool(taken.get(parse.ruled_out)) is not rules_out:
        return False
    said, told = _words(text), {word for value in taken.values() for word in _words_in(value)}
    return told <= said and all(word in told for word in said if any(map(str.isdigit, word)))


def _words_in(value: Plain) -> Iterator[str]:
    for item in value if isinstance(value, list) else [value]:
        yield from _words(str(item))


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))
