"""The codes of failed calls, as the Connect protocol names them."""

from typing import Final

NOT_FOUND: Final = "not_found"
INVALID_ARGUMENT: Final = "invalid_argument"
FAILED_PRECONDITION: Final = "failed_precondition"
PERMISSION_DENIED: Final = "permission_denied"
RESOURCE_EXHAUSTED: Final = "resource_exhausted"
INTERNAL: Final = "internal"
ALREADY_EXISTS: Final = "already_exists"
UNIMPLEMENTED: Final = "unimplemented"
UNAUTHENTICATED: Final = "unauthenticated"
UNAVAILABLE: Final = "unavailable"
DEADLINE_EXCEEDED: Final = "deadline_exceeded"
CANCELED: Final = "canceled"
UNKNOWN: Final = "unknown"
ABORTED: Final = "aborted"
DATA_LOSS: Final = "data_loss"
