"""The first message of a trial to its model: the initial prompt.

`first_message_of("How many?", environment).first_message` is its text, in parts.
"""

from controlplane.agent.events import ConversationOpened, TrialEvent
from controlplane.agent.evidence import Environment, Tape, new_recorder
from controlplane.agent.loop import TrialContext
from controlplane.agent.loop.cited_loop import build_initial_prompt


def first_message_of(instruction: str, environment: Environment) -> ConversationOpened:
    """Return the event that opens a trial's conversation; its text is the initial prompt.

    The prompt shows the instruction, and the results of calls that are made before the model's
    first reply, such as `list`.
    """

    def ignore(event: TrialEvent) -> None:
        """Ignore the events of the first calls; a trial would write them to its journal."""

    recorder = new_recorder("preview", environment, ignore, tape=Tape())
    # The calls before the model's first reply count as step 0.
    recorder.step_log.begin(0)
    trial = TrialContext("preview", "preview", instruction, environment.now())
    return build_initial_prompt(trial, recorder)
