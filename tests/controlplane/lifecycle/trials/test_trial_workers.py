"""The threads that play trials, and trials that are given up."""

import threading

import pytest

from controlplane.agent.record.trial_record import TrialRecord
from controlplane.benchmark import TrialStub
from controlplane.lifecycle.trials.trial_workers import Workers


def test_closing_does_not_wait_for_a_given_up_trial_after_an_error_at_another() -> None:
    begun = threading.Semaphore(0)
    goes_on = {name: threading.Event() for name in ("first", "second")}

    def play(stub: TrialStub, record: TrialRecord) -> None:
        begun.release()
        goes_on[stub.trial_id].wait(60)

    def give_up(stub: TrialStub, began_at: float) -> bool:
        if stub.trial_id == "second":
            raise OSError("full")
        return True

    workers = Workers(play, 2)
    for name in goes_on:
        workers.submit(TrialStub(name, "task"), TrialRecord())
        begun.acquire()
    with pytest.raises(OSError, match="full"):
        workers.give_up_stuck_trials(give_up)

    goes_on["second"].set()
    closing = threading.Thread(target=workers.close, daemon=True)
    closing.start()
    closing.join(10)

    assert not closing.is_alive()
    goes_on["first"].set()
