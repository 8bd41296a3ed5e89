"""The kinds of fraud in an archived export.

An incident adds fraudulent payments to an export, such as five payments with stolen cards
on one phone. Often honest payments follow a day later that look like them. The kinds follow
the public benchmark's exports.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final

from controlplane.benchmarks.ecom.tasks.payment_exports.account_takeover import (
    add_account_takeover,
)
from controlplane.benchmarks.ecom.tasks.payment_exports.device_ring import (
    add_device_ring,
)
from controlplane.benchmarks.ecom.tasks.payment_exports.equal_amounts import (
    add_equal_amounts,
)
from controlplane.benchmarks.ecom.tasks.payment_exports.export_draft import ExportDraft
from controlplane.benchmarks.ecom.tasks.payment_exports.rapid_burst import (
    add_rapid_burst,
)

INCIDENTS: Final[Sequence[Callable[[ExportDraft, datetime], None]]] = (
    add_rapid_burst,
    add_device_ring,
    add_account_takeover,
    add_equal_amounts,
)
"""Functions that add one incident to an export, from a time on; one for each kind of fraud."""
