"""Adds the texts that a call has brought in to what a trial knows.

The author of a file decides what its texts count as. A search finds three lines:

| file | written by | its line counts as |
|---|---|---|
| `/RULES.md` | the workspace's owner | a rule |
| `/note.md` | the trial itself | nothing |
| `/mail/7.md` | anybody | running text, as the search says |
"""

from __future__ import annotations

from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.origins.results.outcome import Outcome
from controlplane.agent.evidence.origins.results.trial_files import Author, TrialFiles
from controlplane.agent.evidence.texts.result_text import ResultText


def add_outcome(outcome: Outcome, files: TrialFiles, provenance: Provenance) -> None:
    """Add the texts of an outcome, and the values by which the call has found a record."""
    authors = {"": Author.ANYBODY}  # A text without a path is by anybody.
    rules: list[ResultText] = []
    others: list[ResultText] = []
    for text in outcome.texts:
        if text.path not in authors:
            authors[text.path] = files.author_of(text.path)
        author = authors[text.path]
        if author is Author.OWNER:
            rules.append(text)
        elif author is Author.ANYBODY:
            others.append(text)

    place = outcome.place
    keys = outcome.passed_keys
    provenance.add(place, rules, Origin.RULES, passed_keys=keys)
    provenance.add(place, others, outcome.origin, passed_keys=keys)
    if outcome.found_values:
        provenance.add_record(outcome.found_values, place)
