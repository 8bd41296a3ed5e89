"""One turn: decide on what is known; look up what is missing, or carry the decision out and answer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from importlib.resources import files
from typing import Final

from agent.model import Message
from benchmarks.ecom.player.conclusions import CLARIFICATION, UNSUPPORTED, Conclusion
from benchmarks.ecom.player.conversation import Conversation, read_conversation, wish_key
from benchmarks.ecom.player.intents import rule_for
from benchmarks.ecom.player.known import WHEN, WHO, Known, NotStated, Unknown, Wish

PATIENCE: Final = 6
"""Turns after which nothing more is looked up."""
REPAIRS: Final = 2
"""Objections after which the claim itself is given up."""


def next_turn(messages: Sequence[Message]) -> str:
    """Return the reply to `messages` as JSON text."""
    conversation = read_conversation(messages)
    try:
        conclusion = _conclude(conversation)
    except Unknown as unknown:
        return _look(conversation, unknown.wishes)
    shown = ", ".join(conclusion.citations) or "nothing"
    return _reply(
        f"settled as {conclusion.outcome}, resting on {shown}"[:400],
        [],
        _script(
            "conclude",
            DEEDS=[asdict(each) for each in conclusion.deeds],
            CITATIONS=dict(conclusion.citations),
            MESSAGE=conclusion.message,
            OUTCOME=conclusion.outcome,
            TOKENS=list(conclusion.tokens),
            PROOF=asdict(conclusion.proof) if conclusion.proof else None,
        ),
        done=True,
    )


def _look(conversation: Conversation, wishes: Sequence[Wish]) -> str:
    everyday = [wish for wish in (WHO, WHEN) if wish_key(wish) not in conversation.findings]
    wanted = [*everyday, *(wish for wish in wishes if wish not in everyday)]
    return _reply(
        f"to be looked up: {', '.join(_shown(wish) for wish in wanted)}"[:400],
        ["look them up", "decide by the documents", "act and answer"],
        _script("look", WISHES=wanted),
    )


def _shown(wish: Wish) -> str:
    what = next(iter(wish.values()))
    return " ".join(map(str, what)) if isinstance(what, list) else str(what)


def _conclude(conversation: Conversation) -> Conclusion:
    """Return how to end. Raises `Unknown` while something has to be looked up."""
    known = Known(conversation)
    try:
        conclusion = rule_for(known.instruction)(known)
    except Unknown:
        if conversation.turns < PATIENCE:
            raise
        conclusion = _at_a_loss(known, "what would decide it cannot be found out")
    except NotStated as gap:
        conclusion = _at_a_loss(known, str(gap))
    if conversation.failures:
        conclusion = replace(_at_a_loss(known, conversation.failures[-1]), citations=conclusion.citations)
    return _mended(conclusion, conversation.objections, known)


def _at_a_loss(known: Known, why: str) -> Conclusion:
    return Conclusion(f"This cannot be done here: {why}.", UNSUPPORTED, known.because("agents"))


def _mended(conclusion: Conclusion, objections: Sequence[str], known: Known) -> Conclusion:
    """Return the conclusion with what was objected to left out: first citations and tokens, in the end the claim."""
    if not objections:
        return conclusion
    if len(objections) > REPAIRS:
        message = f"This could not be settled beyond doubt: {conclusion.message}"
        outcome = UNSUPPORTED if len(objections) % 2 else CLARIFICATION
        bare = known.because("agents")
        return replace(conclusion, message=message, outcome=outcome, citations=bare, tokens=(), proof=None)
    kept = {path: reason for path, reason in conclusion.citations.items() if path not in "\n".join(objections)}
    return replace(conclusion, citations=kept or known.because("agents"), tokens=())


def _reply(state: str, plan: list[str], code: str, *, done: bool = False) -> str:
    return json.dumps({"state": state, "plan": plan, "done": done, "code": code})


@cache
def _template(name: str) -> str:
    return (files(__package__) / "scripts" / f"{name}.py.txt").read_text("utf-8")


def _script(template: str, **values: object) -> str:
    """Return a script with the values that it works on written before it."""
    return "\n".join([*(f"{name} = {_literal(value)}" for name, value in values.items()), "", _template(template)])


def _literal(value: object) -> str:
    """Return plain data as Python writes it, one entry of a collection per line."""
    if isinstance(value, list) and value:
        return "[\n" + "".join(f"    {each!r},\n" for each in value) + "]"
    if isinstance(value, Mapping) and value:
        return "{\n" + "".join(f"    {key!r}: {each!r},\n" for key, each in value.items()) + "}"
    return repr(value)
