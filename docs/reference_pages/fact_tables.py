"""The facts of steps, which every table, page and export has.

| fact | what |
| `cost_usd` | its cost in US dollars; ... |
"""

from controlplane.facts.step_facts import sentences
from docs.reference_pages.markdown import code, table


def step_facts() -> str:
    """Return a table of the facts of a step, with the sentence about each."""
    rows = [(code(name), sentence) for name, sentence in sentences().items()]
    return table(("column", "what"), rows)
