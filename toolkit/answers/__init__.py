"""Puts an answer together: findings, references, message."""

from toolkit.answers.ledger import BucketRule, Completion, Entry, Ledger
from toolkit.answers.message_guard import formatted_message
from toolkit.answers.recovery import RecoveryAnswer, Review, needs_review, reviewed, with_cap
from toolkit.answers.references import ReferenceCase, final_references
from toolkit.answers.retry_times import record_ids, retry_time, with_retry_time

__all__ = [
    "BucketRule",
    "Completion",
    "Entry",
    "Ledger",
    "RecoveryAnswer",
    "ReferenceCase",
    "Review",
    "final_references",
    "formatted_message",
    "needs_review",
    "record_ids",
    "retry_time",
    "reviewed",
    "with_cap",
    "with_retry_time",
]
