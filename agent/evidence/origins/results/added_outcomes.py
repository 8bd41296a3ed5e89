"""Adds the texts that a call has returned to what a trial knows.

The values of later calls are looked up there, and the author of a text decides how far they are
trusted. A search finds three lines:

| file | written by | its line is added as |
|---|---|---|
| `/RULES.md` | the workspace's owner | a rule |
| `/mail/7.md` | anybody | running text, which may lie: the origin of the search's results |
| `/note.md` | the trial itself | nothing |
"""

from __future__ import annotations

from controlplane.agent.evidence.origins.origin import Origin
from controlplane.agent.evidence.origins.provenance import Provenance
from controlplane.agent.evidence.origins.results.outcome import Outcome
from controlplane.agent.evidence.origins.results.trial_files import Author, TrialFiles
from controlplane.agent.evidence.texts.result_text import ResultText


def add_outcome(outcome: Outcome, files: TrialFiles, provenance: Provenance) -> None:
    """Add the texts of a call's outcome, and the values by which it has found a record: an id."""
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
        # A text that the trial wrote is not added: the script could make any value trusted.

    place = outcome.place
    # What the call itself has passed is not trusted because its result repeats it.
    keys = outcome.passed_keys
    provenance.add(place, rules, Origin.RULES, passed_keys=keys)
    provenance.add(place, others, outcome.origin, passed_keys=keys)
    if outcome.found_values:
        provenance.add_record(outcome.found_values, place)
