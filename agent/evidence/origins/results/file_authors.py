"""Tells who wrote the files of a workspace, which decides how far their texts are trusted.

The environment declares which files its owner wrote: a document with rules (`/RULES.md`), and
folders (`/docs/`). What the trial wrote is known from its calls. Any other file may be by
anybody: `/mail/7.md` may be by an attacker.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum, auto
from typing import Final

from controlplane.agent.evidence.log.evidence_log import EvidenceLog
from controlplane.agent.evidence.texts.data_leaves import leaves_of
from controlplane.sandbox.interface import Effect, Operation, Plain, ToolSchema


class Author(Enum):
    """Who wrote a file."""

    OWNER = auto()
    """The workspace's owner. The text is trusted, as rules."""
    TRIAL = auto()
    """A script of the trial, or perhaps one. The text tells nothing about other values: a script
    could make the account GB33... trusted by writing it into a data file."""
    ANYBODY = auto()
    """Not known."""


_EFFECTS_ON_ANY_FILE: Final = (Effect.EXECUTES, Effect.ACTS, Effect.UNDECLARED)
"""The effects of tools that do not declare which files they write."""


class FileAuthors:
    """The authors of the files in one trial's workspace.

    If a tool may have written to a place of the owner, such as `/docs/`, no file counts as the
    owner's from then on.
    """

    def __init__(self, tool_schema: ToolSchema, evidence_log: EvidenceLog) -> None:
        self._evidence_log = evidence_log
        """Knows which files the trial has written."""
        self._rules_document = tool_schema.rules_document
        self._folders = tool_schema.trusted_roots
        """The folders of the owner."""
        places = [place.rstrip("/") for place in (self._rules_document, *self._folders)]
        self._places = [place for place in places if place]
        """The document and the folders as a command may name them: `/RULES.md`, `/docs`."""
        self._may_have_changed = False
        """True once a tool may have written to a file of the owner."""

    def author_of(self, path: str) -> Author:
        """Return who wrote the file at a canonical path: `/mail/7.md` -> `Author.ANYBODY`."""
        if self._evidence_log.is_own(path):
            return Author.TRIAL
        if self._may_have_changed:
            return Author.ANYBODY
        if path == self._rules_document or path.startswith(self._folders):
            return Author.OWNER
        return Author.ANYBODY

    def learn_changing_call(
        self, declared: Operation, arguments: Mapping[str, Plain]
    ) -> None:
        """Note whether a call may have changed a file of the owner: `rm /docs/fees.md`.

        A tool may write to any file that its arguments name. Here, it is in the place `/docs`.
        """
        if declared.effect not in _EFFECTS_ON_ANY_FILE:
            return
        for text in leaves_of(dict(arguments)):
            if any(place in text for place in self._places):
                self._may_have_changed = True
