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
    """Read by the sandbox. A call of a script may ask a model, which plays a user, for example.
    If the model gives no reply, the sandbox ends the script, and not only the call."""

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
        """True if all trials meet the error, such as that of a wrong key. The run should pause."""
        self.retry_after_s = retry_after_s
        """Seconds that the endpoint asks to wait before the next request; None if it names none."""
        self.test_reply: Reply | None = None
        """If the endpoint was sent a small request as a test, because it had refused this one:
        the reply to the test, which was paid for. Else None."""


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
