"""The errors with which a request to a model is given up, after some tries.

Each has the text of the last error, and the reason why there is no further try. If the endpoint
was busy seven times:

    busy; given up at try 7: a step waits 300 s (--model-patience)
"""

from __future__ import annotations

from controlplane.agent.model import ModelError, RetriesExhausted


def no_time_left(error: ModelError, tries: int, limit_s: float) -> ModelError:
    """Return the error of a request that has no time for another try."""
    if isinstance(error, RetriesExhausted):
        # A part of the model has retried, too, and used up the run's retries. It says so already.
        return error
    text = (
        f"{error}; given up at try {tries}: a step waits {limit_s:g} s "
        "(--model-patience)"
    )
    return ModelError(text, retryable=True, affects_all=error.affects_all)


def too_many_bad_replies(error: ModelError, count: int) -> ModelError:
    """Return the error of a request whose replies were malformed this many times."""
    text = f"{error}; given up after {count} such replies"
    return ModelError(text, affects_all=error.affects_all)


def no_retries_left(error: ModelError, max_retries: int) -> RetriesExhausted:
    """Return the error of a request in a run that has used up all of its retries."""
    text = f"{error}; the run has used up its {max_retries} retries (--model-retries)"
    return RetriesExhausted(text, retryable=True, affects_all=True)
