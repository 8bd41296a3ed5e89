"""Compares lines of a trial that follow from others, without running its scripts: steps from replies, the answer sent
from the submissions, and the way in which the trial ended from its answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from agent.events import AnswerSent, Judged, ModelReplied, StepDone
from agent.evidence import Difference
from agent.reply import Action, Unusable, action_of
from controlplane.journal.journal_content import RecordedTrial, TrialRecord
from controlplane.journal.run_events import TrialEnded
from gates.submission import INTERNAL, OUTCOMES


def differences_between_lines(trial: RecordedTrial) -> Iterator[Difference]:
    """Yield contradictions between a trial's lines: the recorded value, and the value that other lines imply."""
    record, answers, ended = TrialRecord(), list[AnswerSent](), None
    for event in trial.events():
        record.take(event)
        if isinstance(event, AnswerSent):
            answers.append(event)
        elif isinstance(event, TrialEnded):
            ended = event
    if trial.journal.setting("agent") in (None, "cited"):
        for before, step in zip((None, *record.steps), record.steps, strict=False):
            yield from _of_replies(step, record.replies.get(step.step, ()), before.scratchpad if before else {})
    judged = [(step.step, one) for step in record.steps for one in step.verdicts]
    judged += [(record.open_step.number, one) for one in record.open_step.submissions]
    for answer in answers:
        yield from _of_fallback(answer, judged) if answer.fallback else _of_answer(answer, judged)
    if ended is not None:
        implied = "unanswered" if not answers else "fallback" if answers[-1].fallback else "answered"
        if ended.how != implied and (record.answer is not None or ended.how != "unanswered"):
            yield Difference(0, "end", ended.how, implied)


def _of_replies(
    step: StepDone, replies: Sequence[ModelReplied], scratchpad: Mapping[str, object]
) -> Iterator[Difference]:
    """Yield what differs from the step's replies; without a script, the scratchpad stays as it was."""
    implied: dict[str, object]
    texts = [(reply.reply, reply.finish_reason) for reply in replies if reply.role == "solve"]
    action = action_of(*texts[-1]) if texts else None
    if isinstance(action, Action):
        implied = {name: getattr(action, name) for name in ("code", "state", "plan", "done")} | {"fault": ""}
    else:
        implied = {"code": "", "output": "", "ending": "", "scratchpad": scratchpad}
    if isinstance(action, Unusable):
        implied |= {"state": "", "plan": (), "done": False, "fault": action.fault}
    for name, value in implied.items():
        if getattr(step, name) != value:
            yield Difference(step.step, name, getattr(step, name), value)


def _of_answer(answer: AnswerSent, judged: Sequence[tuple[int, Judged]]) -> Iterator[Difference]:
    accepted = next((one for step, one in reversed(judged) if step == answer.step and one.accepted), None)
    if accepted is None:
        yield Difference(answer.step, "answer", answer.message, "no accepted submission")
        return
    pairs = (
        ("answer", answer.message, accepted.answer),
        ("outcome", answer.outcome, accepted.outcome),
        ("citations", answer.refs, accepted.refs),
        ("failed", answer.failed, ()),
    )
    for name, recorded, implied in pairs:
        if recorded != implied:
            yield Difference(answer.step, name, recorded, implied)


def _of_fallback(answer: AnswerSent, judged: Sequence[tuple[int, Judged]]) -> Iterator[Difference]:
    """Yield what differs from the last submission that a fallback may repeat."""
    sendable = (one for _, one in reversed(judged) if one.outcome in {*OUTCOMES} - {INTERNAL} and one.answer.strip())
    last = next(sendable, None)
    if answer.outcome != INTERNAL and (last is None or (answer.message, answer.outcome) != (last.answer, last.outcome)):
        yield Difference(answer.step, "answer", answer.message, last.answer if last else "no submission")
    refs, keys = (last.refs, [verdict.key for verdict in last.rejections]) if last else ((), [])
    if not set(answer.refs) <= set(refs):
        yield Difference(answer.step, "citations", answer.refs, sorted(refs))
    if not set(answer.failed) <= set(keys):
        yield Difference(answer.step, "failed", answer.failed, keys)
