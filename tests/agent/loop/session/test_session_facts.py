"""What a solver can ask its session about the trial: the request, the tools, and the rules.

A *solver* is what works on a trial, and a user may write one (docs/benchmarks.md). The trial here is in
a workspace with the rules "Renew a loan only once.".
"""

from controlplane.agent.events import TrialEvent
from controlplane.agent.evidence import Tape, new_recorder
from controlplane.agent.loop import TrialSession
from controlplane.sandbox.interface import FILE_OPERATIONS, ToolSchema
from tests.agent.loop.initial_prompt.prompt_shop import Shop
from tests.agent.loop.session.solved_session import TRIAL

RULES = "Renew a loan only once."
TOOL_SCHEMA = ToolSchema(operations=FILE_OPERATIONS, rules_document="/RULES.md")


def session_of_library() -> TrialSession:
    """Return the session of a trial whose workspace has rules."""
    events: list[TrialEvent] = []
    recorder = new_recorder(
        TRIAL.trial_id,
        Shop(TOOL_SCHEMA, files={"/RULES.md": RULES}),
        events.append,
        tape=Tape(),
    )
    return TrialSession(TRIAL, recorder)


def test_a_session_has_the_request_the_trial_and_its_tool_schema() -> None:
    session = session_of_library()

    assert session.instruction == "Check out, and answer with the word only."
    assert session.trial is TRIAL
    assert session.tool_schema == TOOL_SCHEMA


def test_a_session_has_the_rules_once_a_call_has_read_them() -> None:
    session = session_of_library()
    assert session.rules == ""

    session.call("read", {"path": "/RULES.md"})

    assert session.rules == RULES
