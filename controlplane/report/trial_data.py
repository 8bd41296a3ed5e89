"""One trial as the data that its page is made of in the browser. Every text passes `sanitize`, as in the terminal.

Long texts stand as numbers, see `text_packs`. The page puts texts into the document as text alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from agent.events import CallRecord, Judged, StepDone
from controlplane.journal.journal_content import TrialRecord
from controlplane.journal.run_summary import TrialSummary
from controlplane.report.coloured_code import code_marks
from controlplane.report.gate_labels import gate_label
from controlplane.report.text_packs import Stored, TextPacks
from controlplane.view.display_text import count_text, ending_texts, sanitize, span_text, spent_texts
from controlplane.view.walk.step_pages import (
    call_texts,
    fields_text,
    figures_text,
    quotations,
    quotations_of,
    result_text,
    scratchpad_changes,
)

Data: TypeAlias = dict[str, object]

MOST_MARKED: Final = 40_000
"""Characters of a script up to which it is coloured."""


class TrialPages:
    """Turns trials into the data of their pages, with one store of texts for all of them."""

    def __init__(self, texts: TextPacks) -> None:
        self._texts = texts
        self._marks: dict[Stored, str] = {}

    def data_of(self, record: TrialRecord, steps: Sequence[StepDone], summary: TrialSummary) -> Data:
        """Return a trial: its question and the grader's words, its answer, turn one, and its steps."""
        before: Mapping[str, object] = {}
        pages = []
        for step in steps:
            pages.append(self._step(step, before))
            before = step.scratchpad
        reasons, quoted = before.get("refs_why"), quotations_of(steps)
        known = reasons if isinstance(reasons, Mapping) else {}
        return {
            "question": self._text(record.started.instruction if record.started else ""),
            "clock": self._text(record.started.now if record.started else ""),
            "grader": self._all(summary.details),
            "reason": self._text("; ".join(ending_texts(summary))),
            "answer": self._text(summary.answer),
            "outcome": self._text(summary.outcome),
            "state": summary.state,
            "cites": [
                [self._text(each), self._text(str(known.get(each, ""))), self._text(quoted.get(each, ""))]
                for each in summary.refs
            ],
            "figures": " · ".join(
                (
                    count_text(summary.step, "step"),
                    span_text(summary.elapsed_ms),
                    *spent_texts(summary.tokens, summary.cost_usd),
                )
            ),
            "opening": self._opening(record),
            "steps": pages,
        }

    def _text(self, text: str) -> Stored:
        return self._texts.put(sanitize(text))

    def _all(self, texts: Sequence[str]) -> list[Stored]:
        return [self._text(each) for each in texts]

    def _opening(self, record: TrialRecord) -> Data | None:
        opened = record.opening
        if opened is None:
            return None
        first = "".join(opened.turn_one)
        return {"system": self._text(opened.system), "first": self._text(first), "calls": self._calls(opened.calls)}

    def _step(self, step: StepDone, before: Mapping[str, object]) -> Data:
        caught = [each.message for each in step.verdicts if each.message and each.message.strip() not in step.error]
        fields: Data = {
            "state": self._text(step.state),
            "plan": self._all(step.plan),
            "verdicts": [self._judged(each, step.scratchpad.get("answer")) for each in step.verdicts],
            **self._code(step.code),
            "reply": "" if step.code else self._text(step.reply),
            "calls": self._calls(step.calls),
            "exit": self._calls(step.exit_calls),
            "quotes": self._all([text for _, text in quotations(step)]),
            "output": self._text(step.output.rstrip("\n")),
            "error": self._text(step.error.rstrip("\n")),
            "changes": self._all([each.plain for each in scratchpad_changes(before, step.scratchpad)]),
            "said": self._all([each.rstrip("\n") for each in caught]),
        }
        # What is empty is left out: most steps have no verdicts, errors or replies.
        told = {name: each for name, each in fields.items() if each not in ("", [])}
        return {"n": step.step, "figures": figures_text(step), **told}

    def _code(self, code: str) -> Data:
        shown = sanitize(code).strip("\n")
        stored = self._texts.put(shown)
        if stored not in self._marks:
            self._marks[stored] = code_marks(shown) if 0 < len(shown) <= MOST_MARKED else ""
        return {"code": stored, "marks": self._texts.put(self._marks[stored])}

    def _judged(self, judged: Judged, known_answer: object) -> Data:
        return {
            "accepted": judged.accepted,
            "outcome": self._text(judged.outcome),
            "answer": "" if judged.answer == known_answer else self._text(judged.answer),
            "gates": [
                [gate_label(each), each.result, self._text(each.reason), each.enforcement] for each in judged.verdicts
            ],
        }

    def _calls(self, calls: Sequence[CallRecord]) -> list[Data]:
        return [self._call(each) for each in calls]

    def _call(self, call: CallRecord) -> Data:
        brief, tail = call_texts(call, is_brief=True)
        given = {name: value for name, value in call.arguments.items() if value}
        return {
            "line": self._text(brief),
            "arguments": self._text(fields_text(given)),
            "tail": tail.strip(),
            "result": self._text(result_text(call)),
            "failed": call.result is None,
        }
