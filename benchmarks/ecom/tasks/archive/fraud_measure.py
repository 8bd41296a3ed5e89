"""The score of an answer that cites the fraudulent rows of an archived payment export.

Of EUR 1,000 of fraud, an answer cites EUR 800, and honest payments of EUR 200 as well. It
has caught 80 % of the fraud, and 80 % of what it cites is fraud: its score is 0.64. The
answer also states the total of the cited rows; a wrong sum scores 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from controlplane.benchmarks.ecom.tasks.truth import Measured
from controlplane.benchmarks.ecom.world.wordings import euros


@dataclass(frozen=True)
class FraudMeasure:
    """Scores the rows that an answer cites.

    The score is the caught share of the fraudulent amount (recall), times the
    fraudulent share of the cited amount (precision). The public benchmark scores the
    recall alone. The score is 0 if a cited row does not exist, or if the stated total
    is neither the sum of the cited rows nor the right total.
    """

    file: str
    """The path of the export. Answers cite its rows as `FILE#row=ID`."""
    amounts: Mapping[str, int]
    """The amount of each row in cents, by its id."""
    fraud: frozenset[str]
    """The ids of the fraudulent rows."""

    def measure(self, message: str, refs: Sequence[str]) -> Measured:
        """Return the score of the cited rows, with its explanation."""
        prefix = f"{self.file}#row="
        cited = {ref.removeprefix(prefix) for ref in refs if ref.startswith(prefix)}
        existing = cited & self.amounts.keys()
        fraud_cents = self._cents_of(self.fraud)
        cited_cents = self._cents_of(existing)
        caught_cents = self._cents_of(existing & self.fraud)

        stated_total = message.strip()
        is_right_total = stated_total == euros(fraud_cents)
        is_sum_of_cited_rows = stated_total == euros(cited_cents)
        faults = []
        if not is_right_total and not is_sum_of_cited_rows:
            total = euros(cited_cents)
            faults.append(f"answer is not the sum of the cited rows, {total}, alone")
        if cited - existing:
            faults.append(f"{len(cited - existing)} cited rows do not exist")

        recall = caught_cents / fraud_cents
        false_rows = _vague_count(len(existing - self.fraud))
        # The public benchmark explains its scores in these words.
        lines = [
            f"answer amount {'matched' if is_right_total else 'mismatch'}",
            f"archive fraud refs recovered ~{recall:.0%} EUR from fraud amount, "
            f"and also marked {false_rows} payments as false positives.",
        ]
        score = 0.0
        if cited_cents and not faults:
            # Recall times precision. Another order of operations would round
            # differently from scores that were recorded.
            score = caught_cents / fraud_cents * caught_cents / cited_cents
        return Measured(score, (*lines, *faults))

    def _cents_of(self, rows: Iterable[str]) -> int:
        return sum(self.amounts[row] for row in rows)


def _vague_count(rows: int) -> str:
    """Return how many rows: `a few` for 3. The public benchmark tells only this much."""
    if rows == 0:
        return "no"
    if rows <= 5:
        return "a few"
    if rows <= 10:
        return "up to ten"
    return "more than ten"
