"""Tells which files the workspace's owner has written: their text is trusted."""

from __future__ import annotations

from collections.abc import Mapping

from controlplane.agent.evidence.texts.data_leaves import leaves_of
from controlplane.sandbox.interface import Plain, ToolSchema


class RuleFiles:
    """The rules document of a workspace, and the folders of its owner.

    A tool that is told one of these places may write there. From then on, no file
    counts as rules.
    """

    def __init__(self, tool_schema: ToolSchema) -> None:
        self._document = tool_schema.rules_document
        self._folders = tool_schema.trusted_roots
        self._may_have_changed = False

    def __contains__(self, path: str) -> bool:
        """Return True if the file at a path counts as rules."""
        if self._may_have_changed:
            return False
        return path == self._document or path.startswith(self._folders)

    def learn_arguments_of_tool(self, arguments: Mapping[str, Plain]) -> None:
        """Learn the arguments of a tool that may change something, such as files."""
        places = [place.rstrip("/") for place in (self._document, *self._folders)]
        for text in leaves_of(dict(arguments)):
            if any(place and place in text for place in places):
                self._may_have_changed = True
