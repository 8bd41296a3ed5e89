"""Right messages in many wordings and three languages, from the file `phrasings.txt`.

The file has them below what was asked for: a variant of the tasks and, if right messages differ between
its tasks, a situation. `{t...}` stands for a value of the trial `t`, in which the message is graded:

    @ discount-authority: records forbid it; other branch
    {t.basket.id} does not belong to your branch.
    Der Warenkorb {t.basket.id} ist aus einer anderen Filiale.
"""

from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.ecom.tasks.message_trials import Trial, trials_of


@dataclass(frozen=True)
class Section:
    """A section of the file: right messages about one subject."""

    variant_id: str
    situation: str
    """Empty if the messages are right in every task of the variant."""
    phrasings: list[str]

    def trials(self) -> list[Trial]:
        """Return the trials in which the messages are graded: three at most."""
        return trials_of(self.variant_id, self.situation)[:3]


def read_sections() -> list[Section]:
    """Return the sections of the file `phrasings.txt`."""
    text = Path(__file__).with_name("phrasings.txt").read_text("utf-8")
    sections = []
    for section_text in text.split("@ ")[1:]:
        heading, *phrasings = section_text.strip("\n").split("\n")
        variant_id, _, situation = heading.partition("; ")
        sections.append(Section(variant_id, situation, phrasings))
    return sections
