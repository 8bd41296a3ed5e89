"""The example of a reply in the system prompt: small models copy it, so it runs in every workspace."""

from __future__ import annotations

import json
from typing import Final

from controlplane.sandbox.interface import Effect, ToolSchema

_LINE_COUNT: Final = """\
text = harness.read("{path}").content
count = len(text.splitlines())
print(count)
scratchpad["answer"] = f"{{count}} lines"
scratchpad["outcome"] = "OUTCOME_OK"
{citation}\
def verify(sp):
    return str(count) in sp["answer"]
harness.answer(scratchpad, verify)"""
"""Reads a file that every trial of the environment has, computes the answer and submits it."""

_CITATION: Final = 'scratchpad.cite("{path}", f"has {{count}} lines")\n'


def example_reply(tool_schema: ToolSchema) -> str:
    """Return a whole reply with the question that it answers, made from the rules document.

    It is the same for every trial of an environment, so that trials share the system prompt in the
    endpoint's cache. Where no document is declared, the example prints what can be called.
    """
    path = tool_schema.rules_document
    if not path or not _can_read(tool_schema):
        action = {
            "state": "nothing is known yet",
            "plan": ["look at what can be called", "answer"],
            "done": False,
            "code": "print(harness)",
        }
        return f"The first reply may be:\n\n{json.dumps(action)}"

    citation = ""
    if tool_schema.citations != "none":
        citation = _CITATION.format(path=path)
    action = {
        "state": f"{path} decides",
        "plan": [],
        "done": True,
        "code": _LINE_COUNT.format(path=path, citation=citation),
    }
    return f'For "How many lines has {path}?" a whole reply is:\n\n{json.dumps(action)}'


def _can_read(tool_schema: ToolSchema) -> bool:
    """Say whether scripts have `harness.read(path).content`."""
    operation = tool_schema.operation("read")
    if operation is None:
        return False
    return operation.effect is Effect.READS and operation.json_field == "content"
