"""One trial as the data from which the browser makes its page. Every text passes `sanitize`, as in the terminal.

Long texts are stored once, compressed in packs that a page unpacks when it shows them, and data refers to them by
number. A pack is a JSON list of texts, deflated and in base64, so that the file holds no text of a journal verbatim.
The page inserts texts into the document only as text.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias

from agent.events import CallRecord, Judged, StepDone, VerdictRecord
from controlplane.journal.journal_content import TrialRecord
from controlplane.journal.run_summary import TrialSummary
from controlplane.view.display_text import ending_texts, one_line, sanitize
from controlplane.view.trial_pages import (
    call_texts,
    caught_messages,
    cited_in,
    fields_text,
    figures_text,
    judged_claims,
    quotations,
    quotations_of,
    result_text,
    scratchpad_changes,
    trial_figures_text,
)

Stored: TypeAlias = str | int
"""A short text itself, or the number of a long one."""

LONG: Final = 160
"""Least characters of a text that is kept in a pack."""
PACK_CHARS: Final = 120_000
"""Characters at which a pack is full: small enough to unpack for one trial, large enough to compress well."""
LEVEL: Final = 6


def packed(value: object) -> str:
    """Return `value` as JSON, deflated (zlib's format) and in base64."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode("ascii"), LEVEL)).decode("ascii")


class TextPacks:
    """Stores texts under numbers; equal texts get the same number."""

    def __init__(self) -> None:
        self.packs: list[str] = []
        """The full packs; after `close`, all packs."""
        self.starts: list[int] = []
        """The number of the first text of each pack."""
        self._numbers: dict[bytes, int] = {}
        self._open: list[str] = []
        self._chars = 0

    def put(self, text: str) -> Stored:
        if len(text) < LONG:
            return text
        key = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        number_before = self._numbers.get(key)
        if number_before is not None:
            return number_before
        number = self._numbers[key] = len(self._numbers)
        if not self._open:
            self.starts.append(number)
        self._open.append(text)
        self._chars += len(text)
        if self._chars >= PACK_CHARS:
            self.close()
        return number

    def close(self) -> None:
        """Finish the open pack."""
        if self._open:
            self.packs.append(packed(self._open))
            self._open, self._chars = [], 0


def gate_label(verdict: VerdictRecord) -> str:
    """Return `gate 4: citations were read` for a gate or one of its rules, `rule ecom/policy` for a rule of a pack."""
    name = one_line(verdict.name)
    return f"gate {verdict.gate}: {name}" if verdict.gate else f"rule {name}"


Data: TypeAlias = dict[str, object]


class TrialPages:
    """Turns trials into the data of their pages, with one store of texts for all of them."""

    def __init__(self) -> None:
        self.texts = TextPacks()

    def data_of(self, record: TrialRecord, steps: Sequence[StepDone], summary: TrialSummary) -> Data:
        """Return a trial: its question and the grader's words, its answer, turn one, and its steps."""
        before: Mapping[str, object] = {}
        opened, pages = record.opening, []
        for step in steps:
            pages.append(self._step(step, before))
            before = step.scratchpad
        return {
            "task": one_line(summary.task_id or summary.trial_id),
            "trial": one_line(summary.trial_id),
            "score": summary.score,
            "question": self._text(record.started.instruction if record.started else ""),
            "clock": self._text(record.started.now if record.started else ""),
            "grader": self._all(summary.details),
            "reason": self._text("; ".join(ending_texts(summary))),
            "answer": self._text(summary.answer),
            "claims": [self._all(claim) for claim in judged_claims(record, summary)],
            "outcome": self._text(summary.outcome),
            "state": summary.state,
            "cites": [self._all(cited) for cited in cited_in(summary, before, quotations_of(steps))],
            "figures": trial_figures_text(summary),
            "opening": opened
            and {
                "system": self._text(opened.system),
                "first": self._text("".join(opened.turn_one)),
                "calls": self._calls(opened.calls),
            },
            "steps": pages,
        }

    def _text(self, text: str) -> Stored:
        return self.texts.put(sanitize(text))

    def _all(self, texts: Sequence[str]) -> list[Stored]:
        return [self._text(text) for text in texts]

    def _step(self, step: StepDone, before: Mapping[str, object]) -> Data:
        fields: Data = {
            "state": self._text(step.state),
            "plan": self._all(step.plan),
            "verdicts": [self._judged(judged, step.scratchpad.get("answer")) for judged in step.verdicts],
            "code": self._text(step.code.strip("\n")),
            "reply": "" if step.code else self._text(step.reply),
            "calls": self._calls(step.calls),
            "quotes": self._all([text for _, text in quotations(step)]),
            "output": self._text(step.output.rstrip("\n")),
            "error": self._text(step.error.rstrip("\n")),
            "changes": self._all([change.plain for change in scratchpad_changes(before, step.scratchpad)]),
            "said": self._all(caught_messages(step)),
        }
        # Empty fields are left out: most steps have no verdicts, errors or replies.
        shown = {name: field for name, field in fields.items() if field not in ("", [])}
        return {"n": step.step, "figures": figures_text(step), **shown}

    def _judged(self, judged: Judged, known_answer: object) -> Data:
        return {
            "accepted": judged.accepted,
            "outcome": self._text(judged.outcome),
            "answer": "" if judged.answer == known_answer else self._text(judged.answer),
            "gates": [
                [gate_label(verdict), verdict.result, self._text(verdict.reason), verdict.enforcement]
                for verdict in judged.verdicts
            ],
        }

    def _calls(self, calls: Sequence[CallRecord]) -> list[Data]:
        return [
            {
                "line": self._text(brief),
                "arguments": self._text(fields_text({name: value for name, value in call.arguments.items() if value})),
                "tail": tail.strip(),
                "result": self._text(result_text(call)),
                "failed": call.result is None,
            }
            for call in calls
            for brief, tail in [call_texts(call, is_brief=True)]
        ]
