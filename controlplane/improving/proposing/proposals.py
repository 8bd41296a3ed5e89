"""The proposals of an improvement loop: recorded ones first, then new ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from controlplane.improving.candidates.candidate_id import Texts, id_of
from controlplane.improving.loop_lines import Proposed
from controlplane.improving.loop_record import LoopRecord
from controlplane.improving.proposing.instance_data import InstanceData
from controlplane.improving.proposing.proposal_request import ProposalRequest, Proposer
from controlplane.journal.recorded_trial import RecordedTrial
from controlplane.sandbox.interface import bounds

MAX_VALUES_SHOWN: Final = 5


class Proposals:
    """The proposals of a loop, in order. A resumed loop first gets the recorded ones."""

    def __init__(self, record: LoopRecord, proposer: Proposer) -> None:
        self._record = record
        self._proposer = proposer
        self._instance_data = InstanceData()
        self.taken = 0
        """How many proposals the search has received."""
        self._complaint = ""
        """What was wrong with the last proposal, for the next request; empty if nothing was."""

    def learn_data(self, trials: Iterable[RecordedTrial]) -> None:
        """Note the ids, names and amounts that these trials read. No proposal may contain them."""
        self._instance_data.add_trials(trials)

    def complain(self, fault: str) -> None:
        """Note what is wrong with the last proposal. The next request tells it to the proposer."""
        self._complaint = fault

    def next(
        self, texts: Texts, names: Sequence[str], trials: Sequence[RecordedTrial]
    ) -> Proposed:
        """Return the next proposal: from the record or, if that has no more, from the proposer.

        The proposer may change the `names` among a candidate's `texts`, and sees `trials`
        of the candidate, the worst first. Its proposal, accepted or refused, is recorded.
        Raises `ControlPlaneError` if the proposer fails.
        """
        is_recorded = self.taken < len(self._record.proposals)
        if not is_recorded:
            request = ProposalRequest(texts, names, trials, self._complaint)
            proposed = self._proposer.propose(request)
            self._record.append(self._judged(texts, proposed))
        proposal = self._record.proposals[self.taken]
        self.taken += 1
        self._complaint = proposal.refused  # empty if it was accepted
        return proposal

    def _judged(self, parent: Texts, proposed: Proposed) -> Proposed:
        """Return a proposal as it is recorded: with all texts of the new candidate.

        If it is refused, it has the reason and no texts.
        """
        texts = dict(parent)
        for name, text in proposed.texts.items():
            if name in parent:
                texts[name] = text
        refused = proposed.refused or self._fault_of(parent, texts)
        if refused:
            texts = {}
        update = {"parent": id_of(parent), "refused": refused, "texts": texts}
        return proposed.model_copy(update=update)

    def _fault_of(self, before: Texts, after: Texts) -> str:
        """Return why a proposal has to be refused; empty if it is acceptable.

        `before` and `after` are the texts of the candidate without and with the changes.
        """
        if before == after:
            return "nothing was changed"
        for name, text in after.items():
            if len(text.encode(errors="replace")) > bounds.MOST_TEXT_BYTES:
                return f"{name} has more than {bounds.MOST_TEXT_BYTES:,} bytes"
        values = self._instance_data.added_by(before, after)
        if values:
            shown = ", ".join(values[:MAX_VALUES_SHOWN])
            return (
                f"it holds data of the trials ({shown}), which no other world shares; "
                "write a general rule instead"
            )
        return ""
