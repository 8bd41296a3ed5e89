"""The policies of a shop: which document is about access, which about discounts, and so on.

Shops name their documents as they like. So a policy is recognized by the tool that it names:
the only document that mentions `/bin/discount` is the policy on discounts.

{"security": "/docs/security.md", "discounts": "/docs/discounts.md"}
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
        """The path of the tool for each use: `{"checkout": "/bin/checkout"}`."""

    @cached_property
    def by_subject(self) -> dict[str, str]:
        """The paths of the policies by subject: `security`, and the uses of tools in `SUBJECTS`.

        The policy for a use is the only document that names the tool for that use.
        """
        policies = {}
        security = self._security_policy()
        if security is not None:
            policies[SECURITY] = security
        for subject in SUBJECTS:
            tool = self.tools.get(subject)
            if tool is None:
                continue
            pages = []
            for path, text in self.documents.texts.items():
                if tool in named_paths(text):
                    pages.append(path)
            if len(pages) == 1:
                policies[subject] = pages[0]
        return policies

    def _security_policy(self) -> str | None:
        """Return the document about who may see what; None if it is not certain.

        Such a document tells how to find out who asks, and when to deny a request. So it
        is the document which most often puts the identity tool in backticks and, among
        several equal ones, most often the outcome of a denial.
        """
        identity_tool = self.tools.get(IDENTITY, "")
        marks_by_path = {}
        for path, text in self.documents.texts.items():
            words = marked_words(text)
            if identity_tool in words:
                tool_marks = words.count(identity_tool)
                denial_marks = words.count(DENIED)
                marks_by_path[path] = (tool_marks, denial_marks)
        if not marks_by_path:
            return None
        most_marks = max(marks_by_path.values())
        leaders = [path for path, marks in marks_by_path.items() if marks == most_marks]
        return leaders[0] if len(leaders) == 1 else None

    def text_of(self, subject: str) -> str:
        """Return the text of the policy on a subject; empty if the policy is not certain."""
        path = self.by_subject.get(subject)
        return self.documents.texts[path] if path is not None else ""

    def is_amended(self, policy: str) -> bool:
        """Return True if a document that the rules do not name mentions a policy or its tool.

        Such a document may be a notice that changes what the policy says. Whether it
        does is for the model to read, so callers do not rely on an amended policy.
        """
        patterns = [re.escape(policy)]
        for use, path in self.by_subject.items():
            if path == policy and use in self.tools:
                patterns.append(re.escape(self.tools[use]))
        return self.documents.is_in_unnamed_document("|".join(patterns))
