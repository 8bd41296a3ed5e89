"""A trial whose initial calls have been made, so that its model gets the first message.

Before a model is asked, the product makes the *initial calls* that an environment declares, and
shows their results in the first message: the tree of files, the rules, and what fits the request.
The environment here is the invented shop of `prompt_shop.py`.
"""

from datetime import datetime

from controlplane.agent.events import TrialEvent
from controlplane.agent.evidence import new_recorder
from controlplane.agent.evidence.tape import Tape
from controlplane.agent.loop import LoopSettings, TrialContext
from controlplane.agent.loop.cited_loop import build_initial_prompt
from tests.agent.loop.initial_prompt.prompt_shop import Shop


class OpenedTrial:
    """A trial whose initial calls have been made, so that its model gets the first message.

    `OpenedTrial("Check out cart-1.").message` has the record of cart-1 in a section:

        <section title="read /data/carts/cart-1.json">
        {"id":"cart-1","owner":"cust-1","item":"ITEM-A-1"}
        </section>
    """

    def __init__(
        self,
        request: str,
        shop: Shop | None = None,
        *,
        settings: LoopSettings | None = None,
        now: datetime | None = None,
    ) -> None:
        """`now` is the trial's time."""
        self.events: list[TrialEvent] = []
        self.recorder = new_recorder(
            "t", shop or Shop(), self.events.append, tape=Tape()
        )
        self.recorder.step_log.begin(0)  # Step 0 is before the model's first reply.
        trial = TrialContext("t", "shop", instruction=request, now=now)
        opened = build_initial_prompt(trial, self.recorder, settings)
        self.calls = self.recorder.current_step.calls
        self.message = "".join(opened.first_message)
        self.instruction = opened.first_message[-1]
        """The last part of the message."""
        self.files = opened.files
        """The files that fit the request, each with the reason."""
        self.system_prompt = opened.system
        self.shortened_for = opened.shortened_for
        """The tokens of the model's context, if the message was shortened to them; else 0."""

    def section(self, title: str) -> list[str]:
        """Return the lines of a section of the message; none if it has no such section."""
        _, _, text = self.message.partition(f'<section title="{title}">\n')
        return text.partition("\n</section>")[0].splitlines()

    def check_citation(self, path: str, reason: str) -> str:
        """Return the path of a file that a script may cite. Raises `ValueError` if it may not."""
        return self.recorder.evidence_log.citations.check(path, reason).spelling
