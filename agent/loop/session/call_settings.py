"""How a run checks the calls of its trials that change something, as the user has chosen.

A trial calls `send_money(recipient="GB33...")`. If only a mail has this account, its author may
want to trick the model. If the request has it, or another text of the user, the call is sent.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from controlplane.agent.evidence.origins.policy.provenance_policy import (
    ProvenancePolicy,
)
from controlplane.agent.evidence.recorder import Recorder


@dataclass(frozen=True, slots=True)
class CallSettings:
    """How a run checks calls by where the values of their arguments come from."""

    provenance: ProvenancePolicy = field(default_factory=ProvenancePolicy)
    """What happens to a call with a value that only a mail or other running text has. By default,
    it is sent."""
    user_texts: tuple[str, ...] = ()
    """Texts of the user that the model of every trial reads beside its request, such as hints.
    Calls may use values from them, like those from the request."""

    def apply_to(self, recorder: Recorder) -> None:
        """Let the recorder of a trial check its calls like this, from the first one on."""
        recorder.call_origins.policy = self.provenance
        for text in self.user_texts:
            recorder.call_origins.add_request(text)
