"""A script cites a file with the words in it that support the answer.

`scratchpad.cite("/note.txt", reason, quote="the word is heron")` is refused if the words are not in
what the script has read of the file. The journal has each citation, with the line of its quotation.
"""

from __future__ import annotations

from controlplane.agent.events import StepDone
from controlplane.agent.loop import BudgetLimits
from controlplane.sandbox import FileTree, ForkServer
from tests.support.counting_environment import FILES
from tests.support.effect_counter import EffectCounterBenchmark
from tests.support.single_trial import solve_trial, step_reply


def only_step(server: ForkServer, script: str, *, note: str) -> StepDone:
    """Return the step of a trial whose script works on a file /note.txt with this text."""
    benchmark = EffectCounterBenchmark(1)
    benchmark.start_trial("run1-0")
    benchmark.worlds["run1-0"].tree = FileTree({**FILES, "/note.txt": note})
    one_step = BudgetLimits(max_steps=1, extra_steps=0)
    solved = solve_trial(
        benchmark, "run1-0", [step_reply(script)], server, budget=one_step
    )
    (step,) = solved.steps
    return step


def test_a_wrong_quotation_is_refused_and_journalled_without_a_line(
    server: ForkServer,
) -> None:
    step = only_step(
        server,
        """
harness.read("/note.txt")
try:
    scratchpad.cite("/note.txt", "it says so", quote="the word is crane")
except CitationError as error:
    print(error)
""",
        note="the word is heron\n",
    )

    assert "`the word is crane` is not in what was read of `/note.txt`" in step.output
    (citation,) = step.citations
    assert citation.quote == "the word is crane"
    assert citation.line == 0
    assert citation.error != ""


def test_a_right_quotation_is_journalled_with_the_line_in_which_it_begins(
    server: ForkServer,
) -> None:
    """It may have other capital letters, blanks and line breaks than the file."""
    step = only_step(
        server,
        """
harness.read("/note.txt")
scratchpad.cite("/note.txt", "it says so", quote="WORD  is heron")
""",
        note="a note\n\nthe word\nis heron\n",
    )

    (citation,) = step.citations
    assert citation.quote == "WORD  is heron"
    assert citation.line == 3
    assert citation.error == ""


def test_a_quotation_justifies_a_citation_whose_reason_names_nothing(
    server: ForkServer,
) -> None:
    """The reason is German, so that gate 5, "citations are justified", finds nothing of the note in
    it."""
    step = only_step(
        server,
        """
harness.read("/note.txt")
scratchpad.cite("/note.txt", "steht dort oben", quote="the word is heron")
scratchpad["answer"] = "heron"
scratchpad["outcome"] = "OUTCOME_OK"
harness.answer(scratchpad, lambda sp: sp["answer"] == "heron")
""",
        note="the word is heron\n",
    )

    (judged,) = step.verdicts
    results = {verdict.name: verdict.result for verdict in judged.verdicts}
    assert results["citations are justified"] == "pass"
