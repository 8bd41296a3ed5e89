"""The record of a finished loop, which improved a file of hints from "old" to "new"."""

from pathlib import Path

from controlplane.improving.candidates import id_of
from controlplane.improving.loop_lines import LoopEnded, LoopOpened, Proposed
from controlplane.improving.loop_record import LoopRecord


def record_finished_loop(folder: Path, *, hints_file: Path) -> None:
    """Write the record of a loop to a folder, as `runs/improve-1/loop.jsonl` has it.

    The loop played the task `a` in world 1, a world being what a benchmark makes of a seed.
    """
    old_texts = {"hints.txt": "old\n"}
    new_texts = {"hints.txt": "new\n"}
    task_in_world = (1, "a")
    plan = LoopOpened(
        loop=folder.name,
        settings={},
        sources={},
        origins={"hints.txt": str(hints_file)},
        texts=old_texts,
        proposer="big",
        train=(task_in_world,),
        check=(task_in_world,),
        final=(task_in_world,),
        proposals=1,
        batch=1,
        seed=0,
    )
    record = LoopRecord(folder)
    with record.writing(plan):
        record.append(Proposed(parent=id_of(old_texts), texts=new_texts))
        record.append(LoopEnded(best=id_of(new_texts), is_better=True, text="better"))
