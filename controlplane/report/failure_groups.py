"""Groups failed trials by the grader's words, without the ids and numbers in them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import re2

from controlplane.gates.surrogates import encodable
from controlplane.report.trial_facts import TrialFacts, has_failed
from controlplane.sandbox.interface import bounds
from controlplane.terminal_text import one_line

SILENT: Final = "the grader gave no reason"


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed trial with the grader's exact words, or with why it has no answer."""

    trial: TrialFacts
    words: str


@dataclass(frozen=True, slots=True)
class FailureGroup:
    """Failures with the same words, apart from ids, numbers, paths and quotations."""

    title: str
    failures: tuple[Failure, ...]
    trials_by_run: tuple[int, ...]
    """Number of distinct trials of each run."""

    @property
    def trials(self) -> int:
        """Number of distinct trials."""
        return sum(self.trials_by_run)


def failure_groups(trials: Iterable[TrialFacts], run_count: int) -> list[FailureGroup]:
    """Return the groups, the largest first. A trial with several faults is in several groups.

    The trials belong to `run_count` runs.
    """
    failures_by_kind: dict[str, list[Failure]] = {}
    for trial in trials:
        if not has_failed(trial):
            continue
        for fault in trial.faults or (SILENT,):
            words = one_line(fault)
            failures_by_kind.setdefault(kind_of_fault(words), []).append(
                Failure(trial, words)
            )

    groups = []
    for kind, failures in failures_by_kind.items():
        title = kind
        if len(failures) == 1:
            title = failures[0].words  # A single fault needs no ellipsis.
        groups.append(
            FailureGroup(title, tuple(failures), _trials_by_run(failures, run_count))
        )
    return sorted(groups, key=lambda group: (-group.trials, group.title))


def _trials_by_run(failures: Iterable[Failure], run_count: int) -> tuple[int, ...]:
    """Return for each run the number of its trials with one of these failures."""
    trials_of_runs: list[set[str]] = [set() for _ in range(run_count)]
    for failure in failures:
        # A trial with two of the failures counts once. The anchor (the part of the page's
        # address behind #) identifies it.
        trials_of_runs[failure.trial.run].add(failure.trial.anchor)
    return tuple(len(anchors) for anchors in trials_of_runs)


# --- What varies between trials ---


_QUOTED: Final = r"""'[^']*'|"[^"]*"|`[^`]*`|\[[^\]]*\]"""
"""A quotation, or a list in brackets: `'note b7'`, `[1, 2]`."""
_PATH: Final = (
    r"/(?:"
    r"[^\s,;:)]"  # a character of a name
    r"|[ ][^,;:/]*[^\s,;:/]/"  # a space, and the rest of the folder's name up to its slash
    r")+"
)
"""A path. A space only belongs to it if the folder's slash follows.

`/docs/a b/c.md` is one path, with ` b/` by the second branch; `/docs/a is old` has the
path `/docs/a`.
"""
_LETTER: Final = r"\pL\pM\pN_"
_NUMBER: Final = rf"[-+]?\d[{_LETTER}.,:%-]*"
"""A number with what touches it: `-3.5%`, `12:40`, `3rd`."""
_WORD: Final = rf"[{_LETTER}.]*[{_LETTER}]/*|\.+/*"
"""A word, with the slashes behind it, so that `/or` in `and/or` is not taken for a path."""
_VARYING_OR_WORD: Final = re2.compile(rf"{_QUOTED}|{_PATH}|{_NUMBER}|(?P<word>{_WORD})")
_REPEATED: Final = re2.compile(r"…(?:[\s,;]*(?:and )?…)+")
"""Several ellipses that only commas or `and` set apart: `…, … and …`."""


@lru_cache(maxsize=50_000)  # A page of a growing run is made again and again.
def kind_of_fault(words: str) -> str:
    """Return the grader's words with an ellipsis for everything that varies between trials.

    `note 'b7' has 3 lines` becomes `note … has … lines`.
    """
    shortened: str = _VARYING_OR_WORD.sub(_word_or_ellipsis, encodable(words))
    kind: str = _REPEATED.sub("…", shortened)
    if len(kind) > bounds.SHOWN_TITLE_CHARS:
        return kind[: bounds.SHOWN_TITLE_CHARS - 1] + "…"
    return kind


def _word_or_ellipsis(match: re2._Match[str]) -> str:
    return match["word"] or "…"
