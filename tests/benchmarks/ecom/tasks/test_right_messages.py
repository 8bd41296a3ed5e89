"""Right messages in many wordings and three languages, which the shop's grader has to accept.

The file `phrasings.txt` has them below what was asked for: a variant of the tasks and, if right messages
differ between its tasks, a situation. `{t...}` stands for a value of the trial `t`, which is graded:

    @ discount-authority: records forbid it; other branch
    {t.basket.id} does not belong to your branch.
    Der Warenkorb {t.basket.id} ist aus einer anderen Filiale.
"""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from controlplane.gates.submission import CLARIFICATION, DENIED, OK, UNSUPPORTED
from tests.benchmarks.ecom.tasks.message_demands import Trial
from tests.benchmarks.ecom.tasks.message_trials import score_of_message, trials_of

MAX_TRIALS_OF_A_SECTION: Final = 3
"""In how many trials, at most, the messages of a section of the file are graded."""


@dataclass(frozen=True)
class Section:
    """A section of the file: right messages about one subject."""

    variant_id: str
    situation: str
    """Empty if the messages are right in every task of the variant."""
    phrasings: list[str]

    def trials(self) -> list[Trial]:
        """Return the trials in which the messages are graded."""
        trials = trials_of(self.variant_id, self.situation)
        return trials[:MAX_TRIALS_OF_A_SECTION]


def read_sections() -> list[Section]:
    """Return the sections of the file `phrasings.txt`."""
    text = Path(__file__).with_name("phrasings.txt").read_text("utf-8")
    sections = []
    for section_text in text.split("@ ")[1:]:
        heading, *phrasings = section_text.strip("\n").split("\n")
        variant_id, _, situation = heading.partition("; ")
        sections.append(Section(variant_id, situation, phrasings))
    return sections


def test_at_most_one_right_message_in_200_is_refused() -> None:
    """The messages are as people wrote them, so a few may be misjudged."""
    refused: list[str] = []
    graded_count = 0
    for section in read_sections():
        for trial in section.trials():
            for phrasing in section.phrasings:
                message = phrasing.format(t=trial)
                graded_count += 1
                if score_of_message(trial, message) < 1.0:
                    refused.append(message)

    assert len(refused) <= graded_count / 200, refused


def test_each_outcome_has_at_least_forty_phrasings() -> None:
    """Otherwise the share of refused messages would say little about denials, for example."""
    phrasings_by_outcome = Counter[str]()
    for section in read_sections():
        first_trial = section.trials()[0]
        phrasings_by_outcome[first_trial.truth.outcome] += len(section.phrasings)

    assert set(phrasings_by_outcome) == {OK, DENIED, UNSUPPORTED, CLARIFICATION}
    assert min(phrasings_by_outcome.values()) >= 40
