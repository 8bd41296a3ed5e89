"""What the optimizer `gepa` calls in a search: it plays candidates and asks for changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from controlplane.errors import ControlPlaneError, UsageError
from controlplane.improving.candidate_player import CandidatePlayer
from controlplane.improving.candidates.candidate_id import Texts, id_of
from controlplane.improving.candidates.candidate_journals import loop_score
from controlplane.improving.loop_lines import Instance
from controlplane.improving.loop_record import LoopRecord
from controlplane.improving.proposing.proposals import Proposals
from controlplane.improving.search_progress import SearchProgress
from controlplane.journal.journal_reader import open_journal
from controlplane.journal.recorded_trial import RecordedTrial


class GepaAdapter:
    """Plays candidates and gets proposals for `gepa`.

    In each round, `gepa` calls these methods, and so prescribes their names and parameters:

    1. `evaluate` plays a candidate on a batch.
    2. `make_reflective_dataset` selects the trials to show to the proposer.
    3. `propose_new_texts` returns the changed texts.
    """

    def __init__(
        self,
        record: LoopRecord,
        player: CandidatePlayer,
        proposals: Proposals,
        progress: SearchProgress,
    ) -> None:
        self._record = record
        self._player = player
        self._proposals = proposals
        self._progress = progress
        self.failure: ControlPlaneError | None = None
        """The proposer's error, which ends the search."""

    def evaluate(
        self,
        batch: list[Instance],
        candidate: dict[str, str],
        capture_traces: bool = False,
    ) -> Any:
        """Play a candidate on a batch, and return its scores.

        - A candidate that cannot be played scores 0 everywhere, so `gepa` does not keep it.
        - After a batch of training worlds, the data that the trials have seen is noted: a
          proposal that contains such data is refused.
        """
        from gepa.core.adapter import EvaluationBatch

        try:
            results = self._player.play(candidate, batch)
        except UsageError as error:  # A text or module cannot be loaded.
            is_original = candidate == self._record.plan.texts
            # This fault was there before the search, which cannot go on.
            if is_original:
                raise
            self._report_unplayable(candidate, error)
            return EvaluationBatch([None] * len(batch), [0.0] * len(batch))

        trials: list[RecordedTrial] = []
        if self._is_training(batch):
            trials = self._learned_trials(candidate, batch)
        scores = [loop_score(result) for result in results]
        return EvaluationBatch(results, scores, trials if capture_traces else None)

    def _report_unplayable(self, candidate: Texts, error: UsageError) -> None:
        """Tell the user that a candidate cannot be played, and the proposer with its next request."""
        self._proposals.complain(f"it cannot be played: {error}")
        self._progress.tell(
            f"the candidate {id_of(candidate)} cannot be played: {error}"
        )

    def _is_training(self, batch: Sequence[Instance]) -> bool:
        """Return True for a batch of training worlds, and False for one of check worlds.

        `gepa` never mixes the two.
        """
        check_worlds = set(self._record.plan.check)
        return check_worlds.isdisjoint(batch)

    def _learned_trials(
        self, candidate: Texts, batch: Sequence[Instance]
    ) -> list[RecordedTrial]:
        """Return the trials of a batch from its journal, after noting the data that they have seen."""
        path = self._record.journals.path_of(id_of(candidate), batch)
        trials = list(open_journal(path).trials.values())
        self._proposals.learn_data(trials)
        return trials

    def make_reflective_dataset(
        self,
        candidate: dict[str, str],
        eval_batch: Any,
        components_to_update: list[str],
    ) -> dict[str, list[dict[str, Any]]]:
        """Return the trials of the batch, the worst first, for each file to change.

        `gepa` calls the trials trajectories, and the files components.
        """
        del candidate
        trials = sorted(eval_batch.trajectories, key=lambda trial: trial.score or 0.0)
        rows = [{"trial": trial} for trial in trials]
        return {name: list(rows) for name in components_to_update}

    def propose_new_texts(
        self,
        candidate: dict[str, str],
        reflective_dataset: Mapping[str, Sequence[Mapping[str, Any]]],
        components_to_update: list[str],
    ) -> dict[str, str]:
        """Return the changed texts of a new candidate.

        They are empty if the proposal was refused or the proposer failed.
        """
        # `make_reflective_dataset` has returned the same trials for each file.
        rows = reflective_dataset[components_to_update[0]]
        trials = [row["trial"] for row in rows]
        try:
            proposal = self._proposals.next(candidate, components_to_update, trials)
        except ControlPlaneError as error:
            # `gepa` would catch the error and go on, so the search looks at `failure`.
            self.failure = error
            return {}
        self._progress.tell_figures(proposals=self._proposals.taken)
        return _changed_texts(candidate, proposal.texts)


def _changed_texts(before: Texts, after: Texts) -> dict[str, str]:
    """Return those texts of `after` that differ from `before`."""
    changed = {}
    for name, text in after.items():
        if before[name] != text:
            changed[name] = text
    return changed
