"""Tells which files the workspace's owner has written: their text is trusted as rules.

The environment declares them: a document with the rules of the workspace (`/RULES.md`), and
folders with further texts of its owner (`/docs/`).
"""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.evidence.texts.data_leaves import leaves_of
from controlplane.sandbox.interface import Plain, ToolSchema


class RuleFiles:
    """The rules document of a workspace, and the folders of its owner.

    A tool that gets one of these places in its arguments may write there. From then on, no
    file counts as rules.
    """

    def __init__(self, tool_schema: ToolSchema) -> None:
        self._document = tool_schema.rules_document
        """Its path. Empty if the environment has none."""
        self._folders = tool_schema.trusted_roots
        self._may_have_changed = False
        """True once a tool may have written to one of the files."""

    def __contains__(self, path: str) -> bool:
        """Return True if the file at a path counts as rules."""
        if self._may_have_changed:
            return False
        return path == self._document or path.startswith(self._folders)

    def learn_arguments_of_tool(self, arguments: Mapping[str, Plain]) -> None:
        """Note whether a tool that may change something got one of these places.

        `{"command": "rm /docs/fees.md"}` has the place `/docs`.
        """
        places = [place.rstrip("/") for place in (self._document, *self._folders)]
        declared_places = [place for place in places if place]
        for text in leaves_of(dict(arguments)):
            if any(place in text for place in declared_places):
                self._may_have_changed = True
