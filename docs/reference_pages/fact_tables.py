"""The facts of runs, trials and steps, each with its docstring.

| field | meaning |
| `cost_usd` | Its cost in US dollars; ... |
"""

from collections.abc import Mapping

from controlplane.commands.arguments.setting_options import field_texts
from controlplane.facts.run_facts import RunRow
from controlplane.facts.step_facts import StepFacts
from controlplane.facts.trial_facts import TrialRow
from docs.reference_pages.markdown import code, table


def run_facts() -> str:
    return _table("field", field_texts(RunRow))


def trial_facts() -> str:
    return _table("field", field_texts(TrialRow))


def step_facts() -> str:
    return _table("column", field_texts(StepFacts))


def _table(head: str, sentences: Mapping[str, str]) -> str:
    rows = [(code(name), sentence) for name, sentence in sentences.items()]
    return table((head, "meaning"), rows)
