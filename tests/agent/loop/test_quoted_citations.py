"""A script cites a file with the words in it that support the answer.

`scratchpad.cite("/note.txt", reason, quote="the word is heron")` is refused if the words are not in
what the script has read of the file. The journal has each citation, with the line of its quotation.
"""

from __future__ import annotations

import pytest

from controlplane.agent.events import StepDone
from controlplane.agent.loop import BudgetLimits
from controlplane.sandbox import FileTree, ForkServer
from tests.support.counting_environment import FILES
from tests.support.effect_counter import EffectCounterBenchmark
from tests.support.single_trial import solve_trial, step_reply

NOTE = "a note\n\nthe word\nis heron\n"
"""The quoted words begin in its line 3 and go on after a line break."""
CITES_NOTE_TWICE = step_reply(
    "harness.read('/note.txt')\n"
    "try:\n"
    "    scratchpad.cite('/note.txt', 'steht dort oben', quote='the word is crane')\n"
    "except CitationError as error:\n"
    "    print(error)\n"
    "scratchpad.cite('/note.txt', 'steht dort oben', quote='WORD  is heron')\n"
    "scratchpad['answer'] = 'heron'\n"
    "scratchpad['outcome'] = 'OUTCOME_OK'\n"
    "harness.answer(scratchpad, lambda sp: sp['answer'] == 'heron')"
)
"""Cites the note with a wrong quotation and then with a right one, and answers."""


@pytest.fixture
def citing_step(server: ForkServer) -> StepDone:
    """Return the only step of a trial whose script cites the note twice."""
    benchmark = EffectCounterBenchmark(1)
    benchmark.start_trial("run1-0")
    benchmark.worlds["run1-0"].tree = FileTree({**FILES, "/note.txt": NOTE})
    budget = BudgetLimits(max_steps=3, extra_steps=0)
    solved = solve_trial(benchmark, "run1-0", [CITES_NOTE_TWICE], server, budget=budget)
    (step,) = solved.steps
    return step


def test_a_wrong_quotation_is_refused_and_journalled_without_a_line(
    citing_step: StepDone,
) -> None:
    """The note says "the word is heron", and the script quotes "the word is crane"."""
    message = "`the word is crane` is not in what was read of `/note.txt`"
    assert message in citing_step.output
    wrong_citation, _right_citation = citing_step.citations
    assert wrong_citation.quote == "the word is crane"
    assert wrong_citation.line == 0
    assert wrong_citation.error


def test_a_right_quotation_is_journalled_with_its_line(citing_step: StepDone) -> None:
    """The quotation begins in line 3 of the note."""
    _wrong_citation, right_citation = citing_step.citations
    assert right_citation.quote == "WORD  is heron"
    assert right_citation.line == 3
    assert not right_citation.error


def test_a_quotation_justifies_a_citation_whose_reason_names_nothing(
    citing_step: StepDone,
) -> None:
    """The reason is German, so that gate 5 finds nothing of the note in it."""
    (judged,) = citing_step.verdicts
    results = {verdict.key: verdict.result for verdict in judged.verdicts}
    reason_gate = "5"
    assert results[reason_gate] == "pass"
