"""A solver that asks its model two questions in each of two steps. The model replies with the question.

    solver = TwoStepSolver()
    events_of(solver)   # the events of a trial
    solver.asked        # -> ["1.a", "1.b", "2.a", "2.b"]

A resumed trial, `events_of(TwoStepSolver(), recorded)`, asks only for replies that are not recorded.
"""

from controlplane.agent.events import StepDone
from controlplane.agent.loop import TrialSession
from controlplane.agent.model import ModelRequest, Reply
from tests.agent.loop.session.solved_session import TRIAL


class TwoStepSolver:
    """Asks its model two questions in each of two steps. The model replies with the question."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        """The questions for which the model was asked: `["1.a", "1.b", "2.a", "2.b"]`."""

    def __call__(self, session: TrialSession) -> None:
        for number in (1, 2):
            with session.step() as step:
                first_reply = self.reply_to(session, f"{number}.a")
                second_reply = self.reply_to(session, f"{number}.b")
                step.done = StepDone(
                    trial_id=TRIAL.trial_id,
                    step=step.number,
                    output=f"{first_reply} {second_reply}",
                )

    def reply_to(self, session: TrialSession, question: str) -> str:
        def ask_model(request: ModelRequest) -> Reply:
            self.asked.append(question)
            return Reply(text=question)

        request = ModelRequest([{"role": "user", "content": question}])
        return session.ask(ask_model, request).reply
