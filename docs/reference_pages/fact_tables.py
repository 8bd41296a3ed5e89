"""The facts of runs, trials and steps, each with its sentence.

| field | meaning |
| `cost_usd` | its cost in US dollars; ... |
"""

from controlplane.facts.fact_fields import sentences_of
from controlplane.facts.run_facts import RunFacts
from controlplane.facts.step_facts import StepFacts
from controlplane.facts.trial_facts import TrialFacts
from docs.reference_pages.markdown import code, table


def run_facts() -> str:
    return _table("field", sentences_of(RunFacts))


def trial_facts() -> str:
    return _table("field", sentences_of(TrialFacts))


def step_facts() -> str:
    return _table("column", sentences_of(StepFacts))


def _table(head: str, sentences: dict[str, str]) -> str:
    rows = [(code(name), sentence) for name, sentence in sentences.items()]
    return table((head, "meaning"), rows)
