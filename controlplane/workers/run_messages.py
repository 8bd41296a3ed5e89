"""Messages that the workers of a cluster send to the process of a run.

They go through one Dask queue for each run. Most carry an event of a trial, which the
run's process writes to the journal.
"""

from __future__ import annotations

import pickle
from asyncio import CancelledError as AsyncioCancelledError
from dataclasses import dataclass
from typing import Final

from distributed import CancelledError as DaskCancelledError
from distributed import Queue

from controlplane.agent.model import ModelError
from controlplane.errors import ControlPlaneError, Unreachable, UsageError
from controlplane.journal.run_events import JournalEvent

LOST_CONNECTION: Final = (
    OSError,
    RuntimeError,
    TypeError,
    AttributeError,
    LookupError,
    ValueError,
    DaskCancelledError,
    AsyncioCancelledError,
)
"""The exceptions that calls of Dask raise after a scheduler or a worker has gone away.

Dask has no error class for that. Its own code fails on a closed connection or on a
missing entry, so these classes are broad.
"""


OF_WHOLE_RUN: Final = ""
"""Takes the place of a trial's key in a message that is about the whole run."""


class RunLost(ControlPlaneError):
    """The run is over, or can no longer be reached."""


@dataclass(frozen=True)
class Message:
    """A message that a worker sends through the queue of a run."""

    trial_key: str
    """The name of the Dask task that plays the trial, or `OF_WHOLE_RUN`."""
    content: JournalEvent | Exception | None
    """An event for the journal, an error that pauses
    the run, or None as the last message of a trial."""
    is_awaited: bool = False
    """True if the trial waits until the run's process confirms that the event is written."""


def put_message(run_key: str, message: Message) -> None:
    """Put a message into the queue of a run."""
    Queue(run_key).put(pickle.dumps(message))


def portable_error(error: BaseException) -> Exception:
    """Return `error` in a form that every process can unpickle."""
    if isinstance(error, ModelError | UsageError):
        return error
    return Unreachable(str(error))
