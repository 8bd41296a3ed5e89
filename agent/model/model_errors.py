"""Why a model gave no reply.

ModelError
├── BadReply            the endpoint's reply is malformed
├── RetriesExhausted    the run has used up its retries
├── OutOfBudget         the trial or its run has spent what it may
├── OutOfTime           the trial's time was over before the reply came
└── Abandoned           the reply is no longer wanted
"""

from __future__ import annotations

from controlplane.agent.model.reply import Reply


class ModelError(Exception):
    """A model gave no reply. The run may retry the request, or pause."""

    leaves_step = True
    """True, so that an error inside an environment call ends the whole step instead of
    failing the call. An environment may ask a model, for example to play a user."""

    def __init__(
        self,
        message: str,
        *,
        retryable: bool = False,
        affects_all: bool = False,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message)
        self.retryable = retryable
        """True if the failure is transient: the same request may succeed later."""
        self.affects_all = affects_all
        """True if all trials meet the error, as with a wrong key. The run should pause."""
        self.retry_after_s = retry_after_s
        """Seconds that the endpoint asks to wait before the next request; None if it names none."""
        self.paid: Reply | None = None
        """A reply that was paid for before the error, such as one to a test of the endpoint;
        None if there is none."""


class BadReply(ModelError):
    """The endpoint's reply is malformed. Asking again may help."""


class RetriesExhausted(ModelError):
    """The run has used up its retries."""


class OutOfBudget(ModelError):
    """The trial or its run has spent its whole budget."""


class OutOfTime(ModelError):
    """The trial's time was over before the reply came."""


class Abandoned(ModelError):
    """The trial was told to stop while it waited for the reply."""
