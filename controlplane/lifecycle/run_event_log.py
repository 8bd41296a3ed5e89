"""Takes every event of a run: into the journal, the totals and the spending."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from controlplane.agent.events import ModelAsked, ModelReplied
from controlplane.agent.limits.spending import Spending
from controlplane.agent.limits.spending_limits import EarlierSpending
from controlplane.agent.model import Abandoned
from controlplane.journal.journal_writer import JournalWriter
from controlplane.journal.run_events import (
    JournalEvent,
    TrialEnded,
    TrialFailed,
    TrialLeftOpen,
)
from controlplane.journal.totals.run_folding import fold_event
from controlplane.journal.totals.run_summary import RunSummary
from controlplane.lifecycle.trials.trial_watch import TrialWatch


@dataclass(slots=True)
class RunEventLog:
    """Takes the events of a run, from the threads of all its trials.

    An event goes into the journal first, then into the totals and the spending. So whatever is
    counted can be counted again from the journal when the run is resumed.
    """

    journal: JournalWriter
    summary: RunSummary
    """The totals of the whole journal, including those of earlier processes."""
    spending: Spending
    """What models cost, for the limits of the run."""
    watch: TrialWatch
    """Learns from the events which trials are not stuck."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        # A resumed run: what earlier processes have spent counts towards its limits, too. The
        # dearest reply so far tells what one more may cost.
        spent = self.summary.spent
        self.spending.take_over(
            EarlierSpending(
                spent.known_usd, spent.tokens, spent.dearest_usd, spent.most_tokens
            )
        )

    def emit(self, event: JournalEvent) -> None:
        """Write an event to the journal, and add it to the totals.

        Raises `Abandoned` for an event of a trial that was given up: its thread may
        still come back, and has to stop then.
        """
        trial_id = getattr(event, "trial_id", "")
        if self.watch.has_given_up(trial_id):
            msg = f"the trial {trial_id} was given up"
            raise Abandoned(msg)
        self.watch.note(trial_id, asks_model=isinstance(event, ModelAsked))
        self.journal.write(event)
        if isinstance(event, TrialEnded):
            self.journal.sync()
        self.count(event)

    def count(self, event: JournalEvent) -> None:
        """Add an event to the totals, and to the spending if it is about a model."""
        with self._lock:
            fold_event(self.summary, event)
        match event:
            case ModelAsked():
                self.spending.count_request(event.trial_id)
            case ModelReplied() if not event.cached:
                self.spending.count_reply(
                    event.trial_id, event.known_cost_usd, event.tokens
                )
            case ModelReplied():  # A reply from the cache costs nothing.
                self.spending.end_request(event.trial_id)
            case TrialEnded() | TrialFailed() | TrialLeftOpen():
                # A request that is still open will get no reply.
                self.spending.end_request(event.trial_id)
            case _:
                pass
