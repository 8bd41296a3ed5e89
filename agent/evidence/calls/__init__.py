"""The step that a trial is at, and its calls, from their beginning to their outcomes.

    planned_call   returns a call before it is made
    StepLog        gives each call its number in the step: a NumberedCall
    LiveCalls      begins a call in the environment: a RunBesideOthers or a RunWhenNeeded
    CallUnderWay   waits for the outcome of a call that was sent
    CallLearner    learns from the outcome
    StoppedCalls   remembers the calls that were not sent, because a check objected

Most calls are made one after the other. Reads may run side by side, or begin early, if the
environment allows it.
"""
