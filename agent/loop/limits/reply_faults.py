"""The faults of a model's last replies, and the words for them.

The fault of a reply says why it has no action, such as a script: it is empty, cut off, or
plain text.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from controlplane.agent.reply.fault import FAULT_TEXTS


@dataclass(frozen=True, slots=True)
class ReplyFaults:
    """The faults of the unusable replies since the last usable one."""

    faults: tuple[str, ...] = ()
    """The faults in order; empty if the last reply was usable."""
    any_was_usable: bool = False
    """True if any reply of the trial was usable."""

    def followed_by(self, fault: str) -> ReplyFaults:
        """Return the faults after one more reply. Its fault is empty if it was usable."""
        if not fault:
            return ReplyFaults((), any_was_usable=True)
        return ReplyFaults((*self.faults, fault), self.any_was_usable)

    @property
    def in_words(self) -> str:
        """What was wrong with the last replies; empty if the last one was usable.

        the last reply was empty
        each of the last 3 replies was unusable: 2 was empty, 1 was a refusal
        every reply was a refusal         (even if there was only one)
        """
        if not self.faults:
            return ""
        if not self.any_was_usable:
            replies = "every reply"
        elif len(self.faults) == 1:
            replies = "the last reply"
        else:
            replies = f"each of the last {len(self.faults)} replies"
        return f"{replies} {faults_in_words(self.faults)}"


def faults_in_words(faults: tuple[str, ...]) -> str:
    """Return the predicate of a sentence about replies with these faults.

    `was empty`, or, if they differ, `was unusable: 2 was empty, 1 was a refusal`. Each text
    is written for one reply ("the reply was empty"), and is not put into the plural.
    """
    texts = Counter(FAULT_TEXTS.get(fault, "was unusable") for fault in faults)
    if len(texts) == 1:
        (text,) = texts
        return text
    counts = [f"{times} {text}" for text, times in texts.most_common()]
    return f"was unusable: {', '.join(counts)}"
