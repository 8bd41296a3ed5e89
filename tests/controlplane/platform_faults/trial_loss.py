"""The loss of one trial of a run: from one of its calls on, the platform refuses all calls about it.

    loss = LossOfThirdTrial(at="Write", refusal=BROKEN)
    loss(call)  # BROKEN for the first write of the third trial and all its later calls, otherwise None

It is the rule of a relay, a server between the run and the platform, which asks it about each call.
"""

import json

from tests.support.relay.relayed_calls import RelayedCall


class LossOfThirdTrial:
    """The rule of a relay by which the platform loses the third trial that a run starts.

    `LossOfThirdTrial(at="Write", refusal=BROKEN)`: the first write of this trial, and all its calls
    afterwards, are refused. Its earlier calls, and those of other trials, are passed on.
    """

    def __init__(self, *, at: str, refusal: bytes) -> None:
        self.method = at
        self.refusal = refusal
        self.trial_id = ""
        """The id of the trial, once it has started."""
        self.is_lost = False

    def __call__(self, call: RelayedCall) -> bytes | None:
        if call.method == "StartTrial" and call.number == 3:
            self.trial_id = trial_id_in(call)
        if trial_id_in(call) != self.trial_id:
            return None
        if call.method == self.method:
            self.is_lost = True
        return self.refusal if self.is_lost else None


def trial_id_in(call: RelayedCall) -> str | None:
    """Return the id of the trial that a call is about, or None if it is about the whole run.

    POST /trials/x9f2/bitgn.vm.ecom.EcomRuntime/Write       -> "x9f2"
    POST /bitgn.harness.HarnessService/EndTrial
    {"trialId": "x9f2"}                                     -> "x9f2"
    """
    head, _, body = call.request.partition(b"\r\n\r\n")
    _, path, _ = head.decode().split(" ", 2)
    if path.startswith("/trials/"):
        return path.split("/")[2]
    trial_id: str | None = json.loads(body).get("trialId")
    return trial_id
