"""What requests ask for, and which of them are refused whatever they ask."""

from toolkit.requests.answer_template import asked_template, filled_template
from toolkit.requests.change_permission import may_change_files
from toolkit.requests.cleanup_request import files_to_delete
from toolkit.requests.intent import Intent, is_override
from toolkit.requests.override_marks import poses_as_system, tolerates_blocks
from toolkit.requests.security_checks import Refusal, SecurityCase, security_refusal

__all__ = [
    "Intent",
    "Refusal",
    "SecurityCase",
    "asked_template",
    "files_to_delete",
    "filled_template",
    "is_override",
    "may_change_files",
    "poses_as_system",
    "security_refusal",
    "tolerates_blocks",
]
