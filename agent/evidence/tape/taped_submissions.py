"""Writes citations and submissions to the journal, unless they are recorded on the tape.

A script asks to cite `/docs/fees.md`, or submits an answer. The outcome says if that is
accepted. A trial that is resumed after its process was killed repeats its recorded steps
(the *tape*), and so does a *replay*, which compares them. Both make the same requests again:

| the request now | a resumed trial | a replay |
|---|---|---|
| is not recorded | is written, and its outcome counts | notes a difference |
| is the recorded one | the recorded outcome counts, even if a gate decides otherwise today | the same |
| is another one | ends with `RecordDiverged` | notes a difference |
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from controlplane.agent.events import (
    Citation,
    CitationAnswered,
    Emit,
    Judged,
    SubmissionJudged,
)
from controlplane.agent.evidence.tape.tape import Tape, entry_at
from controlplane.gates.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class TapedSubmissions:
    """Writes the citations and submissions of one trial, unless they are recorded on its tape.

    Each method returns the event with the outcome that counts: usually the recorded one, if
    there is one.
    """

    tape: Tape
    """The recorded steps. Empty in a new trial."""
    write: Emit
    """Writes an event to the journal."""

    def write_citation(self, event: CitationAnswered) -> CitationAnswered:
        """Write a citation unless it is recorded. Return it with the outcome that counts.

        | the tape has here | outcome |
        |---|---|
        | nothing | the new one |
        | a citation of the same | the recorded one |
        | another citation, in a replay | the new one: the recorded one is about another path |
        """
        recorded = entry_at(self.tape.step(event.step).citations, event.number)
        new = event.citation
        name = f"citations[{event.number}]"
        if recorded is None:
            self._write(event, name, new)
            return event
        if _requested_citation(new) != _requested_citation(recorded):
            self.tape.comparison.note_or_raise(event.step, name, recorded, new)
            return (
                event  # In a resumed trial, the line above has raised `RecordDiverged`.
            )
        self.tape.comparison.note_if_different(event.step, name, recorded, new)
        return event.model_copy(update={"citation": recorded})

    def write_submission(self, event: SubmissionJudged) -> SubmissionJudged:
        """Write a judged submission unless it is recorded. Return it with the verdicts that count.

        | the tape has here | verdicts |
        |---|---|
        | nothing | the new ones |
        | a submission | the recorded ones, even if a replay submits another answer now |

        The recorded verdicts decided if the recorded trial ended here, and a replay has to end
        at the same place.
        """
        recorded = entry_at(self.tape.step(event.step).submissions, event.number)
        new = event.judged
        name = "verdicts"
        if recorded is None:
            self._write(event, name, new)
            return event
        if _submitted(new) != _submitted(recorded):
            self.tape.comparison.note_or_raise(event.step, name, recorded, new)
        else:
            self.tape.comparison.note_if_different(event.step, name, recorded, new)
        return event.model_copy(update={"judged": recorded})

    def review(
        self, step: int, number: int, ask: Callable[[], Verdict | None]
    ) -> Verdict | None:
        """Return the second reader's verdict on a submission; None if there is none.

        The second reader is a model that reviews answers. `ask` asks it now, or returns None
        if the trial has no such reader. If the submission is recorded, nobody is asked.
        `number` is its position in its step.
        """
        recorded = entry_at(self.tape.step(step).submissions, number)
        if recorded is None:
            return ask()
        if recorded.review is None:
            return None  # The second reader was not asked.
        return Verdict(**recorded.review.model_dump())

    def _write(
        self, event: CitationAnswered | SubmissionJudged, name: str, new: object
    ) -> None:
        """Write an event that is not recorded. `name` and `new` are shown in a message about it.

        A complete recorded step has all that its script asked for, so it accepts nothing new.
        """
        if self.tape.accepts_new(event.step, name, new):
            self.write(event)


def _requested_citation(citation: Citation) -> tuple[str, str, str]:
    """Return what the script asked to cite. The other fields are the outcome."""
    return citation.path, citation.reason, citation.quote


def _submitted(judged: Judged) -> tuple[object, ...]:
    """Return what the script submitted. The other fields are the verdicts."""
    return judged.answer, judged.outcome, judged.refs
