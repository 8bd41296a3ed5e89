"""What one input of the fuzzer may cost the thread that takes it."""

import time
from collections.abc import Callable
from typing import Any


class Measured:
    """The largest CPU time that one input took, over all targets."""

    most_s = 0.25
    """CPU seconds of the calling thread for one input: far above what any takes on a quiet machine."""
    worst_s = 0.0
    worst = ""

    @classmethod
    def take(cls, what: str, work: Callable[[], Any]) -> Any:
        """Do `work` and check its CPU time."""
        started = time.thread_time()
        try:
            return work()
        finally:
            took = time.thread_time() - started
            if took > cls.worst_s:
                cls.worst_s, cls.worst = took, what[:120]
            assert took < cls.most_s, f"{took:.2f} s of CPU: {what[:300]}"
