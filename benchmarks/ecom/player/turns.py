"""One turn of the player: look up what is missing, or make the changes and answer."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import cache
from importlib.resources import files
from typing import Final

from agent.model import Message
from benchmarks.ecom.player.conversation import Conversation, lookup_key, read_conversation
from benchmarks.ecom.player.intents import rule_for
from benchmarks.ecom.player.knowledge import (
    UNSUPPORTED,
    Conclusion,
    Knowledge,
    Lookup,
    LookupNeeded,
    NotStated,
    finding,
)

MAX_LOOKUP_TURNS: Final = 8
"""Turns after which the player does not look up anything more."""
MOST_TIMES: Final = 3
"""Times that the player gives its answer: it repeats the answer after two objections; a third is final."""


ALWAYS: Final = (finding("who_asks"), finding("workspace_layout"))
"""Lookups that the first script makes besides those of a rule."""


class NoAnswerLeft(Exception):
    """The answer was sent back for good."""


def next_turn(messages: Sequence[Message]) -> str:
    """Return the reply to `messages` as JSON text. Raises `NoAnswerLeft` if the answer was sent back three times.

    The player keeps to its answer: whatever a gate says, the same documents lead to the same conclusion.
    """
    conversation = read_conversation(messages)
    if conversation.times_sent_back >= MOST_TIMES:
        msg = f"the answer by the documents was sent back {MOST_TIMES} times"
        raise NoAnswerLeft(msg)
    known = Knowledge(conversation)
    try:
        conclusion = _conclude(conversation, known)
    except LookupNeeded as unknown:
        return _lookup_turn(conversation, unknown.lookups)
    shown = ", ".join(conclusion.citations) or "nothing"
    return _reply(
        f"settled as {conclusion.outcome}, resting on {shown}"[:400],
        [],
        _concluding_script(conclusion, known),
        done=True,
    )


def _lookup_turn(conversation: Conversation, lookups: Sequence[Lookup]) -> str:
    always = [lookup for lookup in ALWAYS if lookup_key(lookup) not in conversation.findings]
    wanted = [*always, *(lookup for lookup in lookups if lookup not in always)]
    return _reply(
        f"look up: {', '.join(_shown(lookup) for lookup in wanted)}"[:400],
        ["look them up", "decide by the documents", "act and answer"],
        _look_up_script(wanted),
    )


def _shown(lookup: Lookup) -> str:
    what = next(iter(lookup.values()))
    return " ".join(map(str, what)) if isinstance(what, list) else str(what)


def _conclude(conversation: Conversation, known: Knowledge) -> Conclusion:
    """Return the conclusion of the trial. Raises `LookupNeeded` while something must be looked up."""
    try:
        conclusion = rule_for(known.instruction)(known)
    except LookupNeeded:
        if conversation.turns < MAX_LOOKUP_TURNS:
            raise
        conclusion = _give_up(known, "what would decide it cannot be found out")
    except NotStated as missing:
        conclusion = _give_up(known, str(missing))
    if conversation.failures:
        conclusion = replace(_give_up(known, conversation.failures[-1]), citations=conclusion.citations)
    return conclusion


def _give_up(known: Knowledge, why: str) -> Conclusion:
    return Conclusion(f"This cannot be done here: {why}.", UNSUPPORTED, known.cite("agents"))


def _reply(state: str, plan: list[str], code: str, *, done: bool = False) -> str:
    return json.dumps({"state": state, "plan": plan, "done": done, "code": code})


@cache
def _template(name: str) -> str:
    return (files(__package__) / "scripts" / f"{name}.py.txt").read_text("utf-8")


def _concluding_script(conclusion: Conclusion, known: Knowledge) -> str:
    """Return a script that makes the changes, if there are any, and then answers.

    The script reads the cited files that were not read yet, and after changes all cited files that still exist.
    """
    gone = {change.path for change in conclusion.changes if change.action == "delete"}
    paths = {path.partition("#")[0]: None for path in conclusion.citations if path not in gone}
    values = {
        "CHANGES": [asdict(change) for change in conclusion.changes],
        "READ": [path for path in paths if conclusion.changes or not known.was_read(path)],
        "CITATIONS": dict(conclusion.citations),
        "MESSAGE": conclusion.message,
        "OUTCOME": conclusion.outcome,
        "TOKENS": list(conclusion.tokens),
        "WRITTEN": {change.path: change.content for change in conclusion.changes if change.action == "write"},
    }
    parts = ["".join(f"{name} = {_literal(value)}\n" for name, value in values.items()), _template("conclude")]
    if conclusion.changes:
        parts += [_template("change"), 'if scratchpad.get("changes_made", 0) == len(CHANGES):\n    conclude()\n']
    else:
        parts.append("conclude()\n")
    return "\n\n".join(parts)


def _look_up_script(lookups: Sequence[Lookup]) -> str:
    """Return a script that makes every lookup and prints each finding as a line of JSON."""
    kinds = list(dict.fromkeys(next(iter(lookup)) for lookup in lookups))
    functions = _look_ups()
    needed = [functions["content"]] if any("content(" in functions[kind] for kind in kinds) else []
    by_kind = ", ".join(f'"{kind}": {kind}' for kind in kinds)
    look_up = kinds[0] if len(kinds) == 1 else f"{{{by_kind}}}[next(iter(lookup))]"
    parts = [
        f"import json\n\nLOOKUPS = {_literal(list(lookups))}\n",
        *needed,
        *(functions[kind] for kind in kinds),
        f"for lookup in LOOKUPS:\n"
        f"    try:\n"
        f"        found = {look_up}(lookup)\n"
        f"    except FileNotFoundError:\n"
        f"        found = None\n"
        f'    print(json.dumps({{"lookup": lookup, "found": found}}))\n',
    ]
    return "\n\n".join(parts)


@cache
def _look_ups() -> dict[str, str]:
    """Return the lookup functions of scripts by name: a script holds those that it calls."""
    functions = _template("look_ups").split("\n\n\n")
    return {function.removeprefix("def ").partition("(")[0]: function.rstrip("\n") + "\n" for function in functions}


def _literal(value: object) -> str:
    """Return plain data as Python source, with one entry of a collection per line."""
    if isinstance(value, list) and value:
        return "[\n" + "".join(f"    {entry!r},\n" for entry in value) + "]"
    if isinstance(value, Mapping) and value:
        return "{\n" + "".join(f"    {key!r}: {entry!r},\n" for key, entry in value.items()) + "}"
    return repr(value)
