"""Plays a task of the embedded shop in fresh copies of its world, and asks exit and grader about submissions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from agent.evidence import Recorder
from agent.loop.initial_prompt import InitialPromptLimits, build_initial_prompt
from benchmarks.ecom.runtime.record_names import RecordNames
from benchmarks.ecom.runtime.shop_environment import EcomEnvironment
from benchmarks.ecom.runtime.workspace import Workspace
from benchmarks.ecom.solutions.reference_client import Answer, ReferenceClient, Solution
from benchmarks.ecom.solutions.reference_solutions import reference_of
from benchmarks.ecom.tasks.grader import grade
from benchmarks.ecom.tasks.task import Task, Truth
from benchmarks.ecom.world.profiles import WorldSettings
from benchmarks.local.end_state_grader import GivenAnswer
from gates.judging import judge
from gates.rules import load_pack
from gates.submission import Case, Submission
from gates.verdict import Judgement
from tests.benchmarks.ecom.variants import pose_variant
from tests.gates.sample_trials import Verify

PACK: Final = load_pack("ecom")
OWN: Final = WorldSettings(names="own")
"""The worlds in which tests of single rules play."""
Pad = Mapping[str, object]
"""What a script leaves in its scratchpad."""
FIRST_STEP: Final = 1


def pad_of(answer: Answer) -> dict[str, object]:
    """Return the scratchpad of an answer: what it says, what it cites, and what it changed."""
    pad: dict[str, object] = {
        "answer": answer.message,
        "outcome": answer.outcome,
        "refs_why": dict(answer.citations),
        "tokens": list(answer.tokens),
    }
    if answer.changes:
        pad["changes"] = [{"path": path, "action": action} for path, action in answer.changes]
    return pad


class Play:
    """One copy of a task's world in which a script was played, with the evidence that a live trial would have."""

    def __init__(self, task: Task, workspace: Workspace, opening_chars: int) -> None:
        self.truth: Truth = task.truth
        self.environment = EcomEnvironment(workspace)
        self.recorder = Recorder("spoiled", self.environment, lambda event: None)
        self.recorder.begin_step(0)
        limits = InitialPromptLimits(total_chars=opening_chars)
        self.prompt = build_initial_prompt(task.instruction, self.recorder, limits)
        self.recorder.begin_step(FIRST_STEP)
        self.answer: Answer | None = None

    @cached_property
    def pad(self) -> dict[str, object]:
        """The scratchpad of the answer that the played script gave."""
        assert self.answer is not None
        return pad_of(self.answer)

    def has_touched(self, path: str) -> bool:
        """Say whether the trial read, wrote, deleted or executed `path`."""
        return path in self.recorder.evidence_log.view().touches

    def judge(self, pad: Pad) -> Judgement:
        """Judge a submission at the end of this trial, as its exit would at first."""
        surface, now = self.recorder.surface, self.environment.workspace.clock.isoformat()
        case = Case(self.truth.instruction, self.prompt.rules, surface.rules_document, now=now)
        evidence = self.recorder.evidence_log.view()
        return judge(Submission.from_scratchpad(pad, Verify()), evidence, case, packs=(PACK,))

    def is_right(self, pad: Pad) -> bool:
        """Say whether the world's grader takes this submission for a right one."""
        refs = pad["refs_why"]
        assert isinstance(refs, dict)
        given = GivenAnswer(str(pad["answer"]), str(pad["outcome"]), tuple(refs))
        self.environment.submission = given
        return grade(self.truth, self.environment).score >= self.truth.reachable


@dataclass
class PlayedTrial:
    """A posed task, and the plays of it, each made when it is first asked for."""

    variant_id: str
    seed: str
    task: Task
    workspace: Workspace
    _plays: dict[Hashable, Play] = field(default_factory=dict)

    @classmethod
    def pose(cls, variant_id: str, seed: str, *, settings: WorldSettings = OWN) -> PlayedTrial:
        """Pose a task in the world of a seed."""
        task = pose_variant(variant_id, seed, settings)
        return cls(variant_id, seed, task, task.world.workspace())

    @property
    def family(self) -> str:
        """The family's name."""
        return self.truth.family

    @property
    def truth(self) -> Truth:
        """How the trial must end."""
        return self.task.truth

    @cached_property
    def reference(self) -> Solution:
        """The solution that scores 1.0."""
        return reference_of(self.truth.family)

    def play(
        self,
        name: Hashable,
        solution: Solution,
        *,
        client: Callable[[Recorder, RecordNames], ReferenceClient] = ReferenceClient,
        truth: Truth | None = None,
        opening_chars: int = InitialPromptLimits().total_chars,
    ) -> Play:
        """Return the play of this name; it is made by running `solution` with `client` in a fresh copy of the world.

        Another `truth` misleads the solution; the grader keeps to the real one.
        """
        if name not in self._plays:
            play = Play(self.task, self.workspace, opening_chars)
            play.answer = solution(client(play.recorder, self.truth.names), truth or self.truth)
            self._plays[name] = play
        return self._plays[name]

    @property
    def right(self) -> Play:
        """The play of the reference solution."""
        return self.play("right", self.reference)

    @staticmethod
    def dry_client(recorder: Recorder, names: RecordNames) -> ReferenceClient:
        """Return a client that makes no change."""
        return ReferenceClient(recorder, names, is_dry_run=True)

    @property
    def idle(self) -> Play:
        """The play of the reference solution with every change left out."""
        return self.play("idle", self.reference, client=self.dry_client)
