"""Finds contradictions between a journal's lines that need no scripts: between replies and their steps, submissions
and the answer sent, the end of a trial and its score.

A chain of hashes reveals accidents; a forger can make a new chain. These checks find forgeries that leave a
contradiction.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from agent.events import AnswerSent, Judged, ModelReplied, StepDone
from agent.evidence import Difference, StepRecord
from agent.reply import Action, Unusable, action_of
from controlplane.journal.journal_content import Journal, RecordedTrial, TrialRecord
from controlplane.journal.run_events import RunSubmitted, Scored, TrialEnded
from gates.submission import INTERNAL, OUTCOMES

_GRADED_HERE: Final = ("ecom", "folder")
"""Benchmarks whose score of a run is the mean of its trials."""
_UNPAID: Final = ("baseline", "scripted:")
"""Prefixes of model names without an endpoint."""


def contradictions(trial: RecordedTrial) -> Iterator[Difference]:
    """Yield contradictions between a trial's lines: the recorded value, and the value that other lines imply."""
    record, answers, scores = TrialRecord(), list[AnswerSent](), list[Scored]()
    ended: TrialEnded | None = None
    is_unpaid = trial.journal.opened.model.startswith(_UNPAID)
    for event in trial.events():
        record.take(event)
        match event:
            case ModelReplied():
                usage = event.usage
                tokens = max(event.tokens, usage.cached_tokens, usage.reasoning_tokens)
                if (is_unpaid or event.cached) and (tokens or event.cost_usd):
                    told = f"{tokens} tokens"
                    yield Difference(event.step, "usage", told, "no tokens, as no endpoint was asked")
                elif usage.cached_tokens > usage.prompt_tokens:
                    yield Difference(event.step, "usage", f"{usage.cached_tokens} cached tokens", usage.prompt_tokens)
            case AnswerSent():
                answers.append(event)
            case TrialEnded():
                ended = event
            case Scored():
                scores.append(event)
    reads_replies = trial.journal.setting("agent") in (None, "cited")
    for before, step in zip((None, *record.steps), record.steps, strict=False):
        replies = record.replies.get(step.step, ())
        yield from _of_replies(step, replies, before.scratchpad if before else {}, reads_replies=reads_replies)
    judged = [(step.step, one) for step in record.steps for one in step.verdicts]
    judged += [(record.open_step.number, one) for one in record.open_step.submissions]
    for answer in answers:
        yield from _of_answer(answer, judged)
    if ended is not None:
        implied = "unanswered" if not answers else "fallback" if answers[-1].fallback else "answered"
        if ended.how != implied and (record.answer is not None or ended.how != "unanswered"):
            yield Difference(0, "end", ended.how, implied)
    for scored in scores:
        assert scored.score is not None
        if not 0 <= scored.score <= 1:
            yield Difference(0, "score", scored.score, "0 to 1")
        elif scored.score and not answers:
            yield Difference(0, "score", scored.score, 0)


def contradiction_of_run(journal: Journal) -> Difference | None:
    """Return the contradiction between a run's score and its trials'; None if they agree or one is unknown."""
    if journal.opened.benchmark.partition(":")[0] not in _GRADED_HERE:
        return None
    scores = [trial.score for trial in journal.trials.values()]
    known = [score for score in scores if score is not None]
    told = [event.score for event in journal.events_of_run() if isinstance(event, RunSubmitted)]
    if not known or len(known) < len(scores) or not told or told[-1] is None:
        return None
    mean = math.fsum(known) / len(known)
    return None if math.isclose(mean, told[-1], abs_tol=1e-6) else Difference(0, "score of the run", told[-1], mean)


def _of_replies(
    step: StepDone, replies: Sequence[ModelReplied], scratchpad: Mapping[str, object], *, reads_replies: bool
) -> Iterator[Difference]:
    """Yield what differs from the replies; without a script, the scratchpad stays as it was."""
    implied: dict[str, object] = {**StepRecord(replies=list(replies)).told} if replies else {}
    if reads_replies:
        asked = [(reply.reply, reply.finish_reason) for reply in replies if reply.role == "solve"]
        if step.reply and not replies:  # In journals of the first version, steps hold their replies.
            asked = [(step.reply, "stop")]
        action = action_of(*asked[-1]) if asked else None
        if isinstance(action, Action):
            implied |= {name: getattr(action, name) for name in ("code", "state", "plan", "done")} | {"fault": ""}
        else:
            implied |= {"code": "", "output": "", "ending": "", "scratchpad": scratchpad}
        if isinstance(action, Unusable):
            implied |= {"state": "", "plan": (), "done": False, "fault": action.fault}
    for name, value in implied.items():
        if getattr(step, name) != value and not (name == "fault" and not step.fault):
            yield Difference(step.step, name, getattr(step, name), value)


def _of_answer(answer: AnswerSent, judged: Sequence[tuple[int, Judged]]) -> Iterator[Difference]:
    if answer.fallback:
        sendable = (
            one for _, one in reversed(judged) if one.outcome in {*OUTCOMES} - {INTERNAL} and one.answer.strip()
        )
        last = next(sendable, None)
        if answer.outcome != INTERNAL and (
            last is None or (answer.message, answer.outcome) != (last.answer, last.outcome)
        ):
            yield Difference(answer.step, "answer", answer.message, last.answer if last else "no submission")
        refs, keys = (last.refs, [verdict.key for verdict in last.rejections]) if last else ((), [])
        if not set(answer.refs) <= set(refs):
            yield Difference(answer.step, "citations", answer.refs, sorted(refs))
        if not set(answer.failed) <= set(keys):
            yield Difference(answer.step, "failed", answer.failed, keys)
        return
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
