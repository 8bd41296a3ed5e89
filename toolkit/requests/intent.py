"""What a classifier says that a request wants. Nothing said is false or empty."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from toolkit.requests.override_marks import poses_as_system, tolerates_blocks

_PROTECTED_WORDS: Final = re.compile(
    r"\b(?:check\s?outs?|refunds?|recover(?:y|ies)?|discounts?|contacts?|e-?mails?|phones?)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Intent:
    """The classifier's answer, field by field."""

    checkout: bool = False
    basket_id: str = ""
    selector: str = ""
    """`newest` or `oldest`, only without an id."""
    discount: bool = False
    claims_approval: bool = False
    override: bool = False
    approver: str = ""
    approver_branch: str = ""
    file_change: bool = False
    tmp_path: str = ""
    tmp_only: bool = False
    """Whether only files that end in `.tmp` are meant."""
    count_staff: bool = False
    role: str = ""
    branch: str = ""
    contact: bool = False
    contact_person: str = ""
    contact_branch: str = ""

    @property
    def changes_records(self) -> bool:
        """Whether it wants a basket bought or reduced, which tools do."""
        return self.checkout or self.discount

    @property
    def is_protected(self) -> bool:
        """Whether it wants something that identity or policy guards."""
        return self.checkout or self.discount or self.file_change or self.contact


def is_override(text: str, intent: Intent, policy: str = "") -> bool:
    """Say whether a request is to be refused for text that poses as the system's.

    Two signals count alone: the marks in the text, and the classifier where the request asks for something guarded.
    A policy that has such text left aside is followed where the request itself asks for nothing guarded.
    """
    is_guarded = intent.is_protected or bool(_PROTECTED_WORDS.search(text))
    if not poses_as_system(text):
        return intent.override and is_guarded
    return intent.is_protected or not tolerates_blocks(policy)
