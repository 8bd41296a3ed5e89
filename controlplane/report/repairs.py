"""Counts how often each gate and rule sent a submission back, and what became of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from controlplane.report.reported_trial import TrialFacts


@dataclass(slots=True)
class Repairs:
    """What one gate or rule did."""

    label: str
    sent_back: int = 0
    """Submissions."""
    mended: int = 0
    """Of them, those whose next submission it did not send back."""
    repeated: int = 0
    """Of them, those whose next submission it sent back again."""
    protested: int = 0
    """Of them, those whose next submission it still objected to, without rejecting it."""
    trials: list[TrialFacts] = field(default_factory=list)
    """The trials, each once."""

    @property
    def given_up(self) -> int:
        """Submissions that no other followed."""
        return self.sent_back - self.mended - self.repeated - self.protested

    @property
    def outcome_texts(self) -> list[str]:
        """What became of them, in words."""
        counted = (
            (self.mended, "mended"),
            (self.repeated, "sent back again"),
            (self.protested, "under protest"),
            (self.given_up, "without a next try"),
        )
        return [f"{count} {what}" for count, what in counted if count]

    @property
    def accepted(self) -> int:
        """Trials whose last submission was accepted."""
        return sum(1 for each in self.trials if not each.submissions[-1])

    @property
    def right(self) -> int:
        """Trials that scored 1 in the end."""
        return sum(1 for each in self.trials if each.summary.score is not None and each.summary.score >= 1)

    @property
    def scored(self) -> int:
        """Trials whose score is known."""
        return sum(1 for each in self.trials if each.summary.score is not None)


def repairs_of(trials: Iterable[TrialFacts]) -> list[Repairs]:
    """Return what each gate and rule did, the one that sent back most often first."""
    found: dict[str, Repairs] = {}
    for trial in trials:
        for place, labels in enumerate(trial.submissions):
            following = trial.submissions[place + 1] if place + 1 < len(trial.submissions) else None
            for label in labels:
                repairs = found.setdefault(label, Repairs(label))
                repairs.sent_back += 1
                if following is not None:
                    is_protested = any(label in protests for protests in trial.protests[place + 1 : place + 2])
                    repairs.repeated += label in following
                    repairs.protested += is_protested
                    repairs.mended += label not in following and not is_protested
                if not repairs.trials or repairs.trials[-1] is not trial:
                    repairs.trials.append(trial)
    return sorted(found.values(), key=lambda each: (-each.sent_back, each.label))
