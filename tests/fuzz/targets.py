"""All targets of the fuzzer, by name.

A fuzzer plays random inputs against a program until one breaks it. A target is a part of the
product that gets such inputs. It raises `AssertionError` if the product, given a random input,
raises anything but its own errors, takes more than 0.25 s of CPU time, or afterwards handles an
ordinary input otherwise than before.
"""

from collections.abc import Callable

from tests.fuzz.cpu_meter import CpuMeter
from tests.fuzz.evidence_target import Evidence
from tests.fuzz.folder_target import Folder
from tests.fuzz.frame_targets import ScriptFrames, WorkerFrames
from tests.fuzz.journal_targets import Exports, Journals, Reports
from tests.fuzz.shop_target import Shop
from tests.fuzz.target import Target
from tests.fuzz.task_text_target import TaskTexts
from tests.fuzz.wire_target import WireRequests

TARGETS: dict[str, Callable[[CpuMeter], Target]] = {
    "shop": Shop,
    "folder": Folder,
    "script-frames": ScriptFrames,
    "worker-frames": WorkerFrames,
    "evidence": Evidence,
    "wire-requests": WireRequests,
    "task-texts": TaskTexts,
    "journals": Journals,
    "reports": Reports,
    "exports": Exports,
}
"""The targets by the names that `python -m tests.fuzz --target NAME` takes."""
