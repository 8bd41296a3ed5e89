"""The verdict of a second reader on an answer in English to a request that wants German.

    review('{"against": ["Answer in German."]}').result == "reject"

The reader is a model that reads an accepted answer before it is sent, and quotes what speaks against
it. The answer "Until May." cites the file `/docs/Loans.md`.
"""

from controlplane.agent.model import ModelError, ModelRequest, Reply
from controlplane.agent.second_reader import review_of
from controlplane.gates.submission import Case, Submission
from controlplane.gates.verdicts import Verdict
from tests.gates.recorded_calls import CallsOfTrial


def review(reply: str | ModelError) -> Verdict:
    """Return the verdict of a reader with this reply on the answer "Until May.".

    An error instead of a reply is raised, as if the reader's model were down.
    """

    def ask_reader(request: ModelRequest) -> Reply:
        if isinstance(reply, ModelError):
            raise reply
        return Reply(text=reply)

    calls = CallsOfTrial()
    calls.read_text("/docs/Loans.md", "A loan runs 21 days.")
    submission = Submission(
        answer="Until May.",
        outcome="OUTCOME_OK",
        refs_why={"/docs/Loans.md": "a loan runs 21 days"},
    )
    case = Case(
        instruction="Until when may loan-02 be kept? Answer in German.",
        rules="Name the fee, too.",
    )
    return review_of(ask_reader, submission, calls.evidence, case)
