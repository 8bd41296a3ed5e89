"""Knows which files of a workspace its owner wrote. Their texts are trusted as rules.

The environment declares them: a document with rules (`/RULES.md`), and folders (`/docs/`). But a
tool that changes something may write to any file that its arguments name, even to these.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controlplane.agent.evidence.texts.plain_texts import texts_in
from controlplane.sandbox.interface import Effect, Operation, Plain, ToolSchema

_EFFECTS_ON_ANY_FILE: Final = (Effect.EXECUTES, Effect.ACTS, Effect.UNDECLARED)
"""The effects of tools that do not declare which files they write."""


class OwnerFiles:
    """The files of the owner of one trial's workspace.

        owner_files.has("/docs/fees.md")     -> True
        owner_files.has("/mail/7.md")        -> False
        owner_files.learn_changing_call(...) # a tool is called with `rm /docs/fees.md`
        owner_files.has("/docs/fees.md")     -> False: no file counts from then on

    So no attacker can have a tool write a text that is trusted.
    """

    def __init__(self, tool_schema: ToolSchema) -> None:
        self._rules_document = tool_schema.rules_document
        self._folders = tool_schema.trusted_roots
        places = [place.rstrip("/") for place in (self._rules_document, *self._folders)]
        self._places = [place for place in places if place]
        """The document and the folders as a command may name them: `/RULES.md`, `/docs`."""
        self._may_have_changed = False
        """True once a tool may have written to one of the files."""

    def has(self, path: str) -> bool:
        """Return True if the owner wrote the file at a canonical path."""
        if self._may_have_changed:
            return False
        return path == self._rules_document or path.startswith(self._folders)

    def learn_changing_call(
        self, declared: Operation, arguments: Mapping[str, Plain]
    ) -> None:
        """Note whether a call may have changed a file: `rm /docs/fees.md` names `/docs`."""
        if declared.effect not in _EFFECTS_ON_ANY_FILE:
            return
        for text in texts_in(dict(arguments)):
            if any(place in text for place in self._places):
                self._may_have_changed = True
