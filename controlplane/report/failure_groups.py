"""Groups the trials that failed by what the grader said, quoted values, paths and numbers aside."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from controlplane.report.reported_trial import TrialFacts
from controlplane.view.display_text import one_line

SILENT: Final = "the grader gave no reason"
_PATH: Final = r"(?<![\w/])/(?:[^\s,;:)]|[ ](?=[^,;:/]*[^\s,;:/]/))+"
"""A path; a space belongs to it if more of a path follows at once."""
_VARYING: Final = re.compile(
    rf"""'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]|{_PATH}|(?<![\w.])[-+]?\d[\w.,:%-]*""",
)
_REPEATED: Final = re.compile(r"…(?:[\s,;]*(?:and )?…)+")
_LONGEST: Final = 160
"""Most characters of a group's title."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One trial in a group, with the grader's exact words."""

    trial: TrialFacts
    words: str


@dataclass(frozen=True, slots=True)
class FailureGroup:
    """Failures that were described alike."""

    title: str
    failures: tuple[Failure, ...]
    trials: tuple[int, ...]
    """How many different trials of each run."""


def failure_groups(trials: Iterable[TrialFacts], runs: int) -> list[FailureGroup]:
    """Return the groups, the largest first. A trial with several faults is in several groups."""
    groups: dict[str, list[Failure]] = {}
    for trial in trials:
        if not has_failed(trial):
            continue
        for words in trial.words or (SILENT,):
            line = one_line(words)
            groups.setdefault(kind_of_fault(line), []).append(Failure(trial, line))
    found = [_group(title, failures, runs) for title, failures in groups.items()]
    return sorted(found, key=lambda each: (-sum(each.trials), each.title))


def has_failed(trial: TrialFacts) -> bool:
    """Say whether a trial scored less than 1, or gave no answer of its own; one that goes on or is sealed did not."""
    summary = trial.summary
    if summary.score is not None:
        return summary.score < 1
    return summary.is_over and summary.state != "answered"


def kind_of_fault(words: str) -> str:
    """Return the grader's words with an ellipsis for everything that differs from trial to trial."""
    title = _REPEATED.sub("…", _VARYING.sub("…", words))
    return title if len(title) <= _LONGEST else title[: _LONGEST - 1] + "…"


def _group(title: str, failures: list[Failure], runs: int) -> FailureGroup:
    anchors = {each.trial.anchor: each.trial.run for each in failures}
    counts = tuple(sum(1 for run in anchors.values() if run == place) for place in range(runs))
    # One fault alone needs no ellipsis.
    return FailureGroup(failures[0].words if len(failures) == 1 else title, tuple(failures), counts)
