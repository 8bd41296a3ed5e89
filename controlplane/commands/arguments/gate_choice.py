"""The gates and rule sets by which the command `judge` judges recorded answers.

The user names them, or those of each recorded run are used. A rule set is code: the one that a
journal names is imported only if the journal is the user's own, or trusted.
"""

from __future__ import annotations

from dataclasses import dataclass

from controlplane.agent.submission import GateSettings
from controlplane.configuration.recorded_settings import check_own
from controlplane.journal.journal_reader import Journal
from controlplane.lifecycle.resources.gate_policies import gate_policy
from controlplane.lifecycle.resources.rule_set_choice import (
    rule_set_names,
    rule_sets_here,
)


@dataclass(frozen=True, slots=True)
class GateChoice:
    """The gates and rules that the user chose, and the ones that follow for each recorded run."""

    gates: str
    """The value of `--gates`."""
    rule_sets: str
    """The values of `--rule-sets`, separated by commas: `ecom,desk=off`.

    If it names no rule set, those of each run are used.
    """
    is_trusted: bool
    """True if the user accepts journals that somebody else may have written."""

    def settings_for(self, journal: Journal) -> GateSettings:
        """Return the gates and rules for a run. Raises `UsageError`."""

        def rule_sets_of_run() -> tuple[str, ...]:
            return self._recorded_rule_sets(journal)

        names = rule_set_names(self.rule_sets, rule_sets_of_run)
        # `--rule-sets` may also say how rules are enforced: `desk=off`.
        policy = gate_policy(self.gates, self.rule_sets, names)
        return GateSettings(policy, names)

    def _recorded_rule_sets(self, journal: Journal) -> tuple[str, ...]:
        """Return the rule sets that a run had.

        A rule set is code that is imported. So if another user's journal names one that
        is not the product's, this raises `UsageError`.
        """
        recorded = journal.opened.rule_sets
        trusted = rule_sets_here(journal)  # of another user's run, only the product's
        if trusted != recorded:
            check_own(journal, is_trusted=self.is_trusted)
        return recorded
