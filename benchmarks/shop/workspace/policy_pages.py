"""The policies of a shop: which document is about access, which about discounts, and so on.

Shops name their documents as they like. So a policy is recognized by the tool that it names: the
only document that mentions `/bin/discount` is the policy on discounts.

PolicyPages(documents, tools).by_subject
-> {"security": "/docs/security.md", "discounts": "/docs/discounts.md"}
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Final

from controlplane.benchmarks.shop.texts.documents import marked_words, named_paths
from controlplane.benchmarks.shop.workspace.shop_documents import ShopDocuments
from controlplane.benchmarks.shop.workspace.tool_uses import IDENTITY, SUBJECTS
from controlplane.gates.submission import DENIED

SECURITY: Final = "security"
"""The subject of the policy about who may see what."""


class PolicyPages:
    """Finds the policies among a shop's documents by the tools that they name."""

    def __init__(self, documents: ShopDocuments, tools: Mapping[str, str]) -> None:
        self.documents = documents
        self.tools = tools
        """The path of the tool for each subject: `{"discounts": "/bin/discount"}`."""

    @cached_property
    def by_subject(self) -> dict[str, str]:
        """The paths of the policies by subject: `security`, and those of tools (`SUBJECTS`).

        A subject without a certain policy is left out.
        """
        policies = {}
        security_policy = self._security_policy()
        if security_policy is not None:
            policies[SECURITY] = security_policy
        for subject in SUBJECTS:
            policy = self._policy_on_tool(self.tools.get(subject))
            if policy is not None:
                policies[subject] = policy
        return policies

    def _policy_on_tool(self, tool: str | None) -> str | None:
        """Return the only document that names a tool: `/bin/discount` -> `/docs/discounts.md`.

        The result is None if there is no tool, or if no document or several name it.
        """
        if tool is None:
            return None
        pages = []
        for path, text in self.documents.texts.items():
            if tool in named_paths(text):
                pages.append(path)
        return pages[0] if len(pages) == 1 else None

    def _security_policy(self) -> str | None:
        """Return the document about who may see what; None if it is not certain.

        Such a document tells how to find out who asks, and when to deny a request. So it
        is the document which most often puts the identity tool in backticks and, among
        several equal ones, most often the outcome of a denial.
        """
        identity_tool = self.tools.get(IDENTITY, "")
        marks_by_path = {}
        for path, text in self.documents.texts.items():
            words = marked_words(text)  # those in backticks
            if identity_tool in words:
                tool_marks = words.count(identity_tool)
                denial_marks = words.count(DENIED)
                marks_by_path[path] = (tool_marks, denial_marks)
        if not marks_by_path:
            return None
        most_marks = max(marks_by_path.values())  # the tool's marks are compared first
        leaders = [path for path, marks in marks_by_path.items() if marks == most_marks]
        return leaders[0] if len(leaders) == 1 else None

    def text_of(self, subject: str) -> str:
        """Return the text of the policy on a subject; empty if the policy is not certain."""
        path = self.by_subject.get(subject)
        return self.documents.texts[path] if path is not None else ""

    def is_amended(self, policy_path: str) -> bool:
        """Return True if a notice may have changed what the policy at a path says.

        A notice is a document that the shop's rules do not name. It may have changed the policy
        if it mentions the path of the policy or of its tool. Only a model can read whether it
        does, so callers do not rely on such a policy.
        """
        mentions = [re.escape(policy_path)]
        for subject, path in self.by_subject.items():
            if path == policy_path and subject in self.tools:
                mentions.append(re.escape(self.tools[subject]))
        return self.documents.is_in_unnamed_document("|".join(mentions))
