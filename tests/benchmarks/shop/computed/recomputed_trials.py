"""Judges answers of played trials by one rule that reads."""

from __future__ import annotations

from benchmarks.shop import PACK
from gates import Case, Submission, Verdict
from gates.reading import Reader
from tests.spoiled.played_trial import Pad, Play
from tests.support.answered_reader import answered

RULES = {each.name: each for each in PACK.recomputations}


def verdict_of(rule: str, play: Play, pad: Pad, instruction: str = "") -> Verdict:
    """Return what a rule says of a scratchpad at the end of a play."""
    case = Case(instruction or play.truth.instruction, play.prompt.rules, play.recorder.surface.rules_document)
    submission, evidence = Submission.from_scratchpad(pad, None), play.recorder.evidence_log.view()

    def judged(reader: Reader) -> Verdict:
        return RULES[rule].judge(PACK.name, submission, evidence, case, reader)

    return answered(play.environment, judged)


def reason_of(rule: str, play: Play, pad: Pad, instruction: str = "") -> str:
    """Return why a rule rejects a scratchpad at the end of a play, or its result if it does not."""
    found = verdict_of(rule, play, pad, instruction)
    return found.reason if found.rejects else found.result
