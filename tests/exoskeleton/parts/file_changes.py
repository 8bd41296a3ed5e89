"""Answers to recorded cases about requests to change files: whether they may, and which files.

    temporary_files   "Clean up /tmp/job", whose flags are {"tmp_path": "/tmp/job", "tmp_only": True}
                      -> deletes /tmp/job/a.tmp, leaves /tmp/job/notes.md

A case is a recorded input of another solver with its output. `@answers_part` marks the function that
answers the cases of one part: it gets the input by its keys, and returns this project's output.
"""

from controlplane.benchmarks.shop.preflight.file_wishes import may_change_files
from controlplane.benchmarks.shop.preflight.temporary_files import files_to_delete
from tests.exoskeleton.parts.flags import Flags, intent_of
from tests.exoskeleton.parts.worlds import World, workspace_records
from tests.exoskeleton.recorded_cases import Output, answers_part


@answers_part("write_guard")
def guard_writes(text: str, flag: bool) -> Output:
    """Tell whether a request permits changing files: reading and reporting do not.

    `flag` says whether the classifier takes it for a request to change files.
    """
    return {"allowed": may_change_files(text, is_requested=flag)}


@answers_part("temporary_files")
def delete_temporary_files(world: World, flags: Flags) -> Output:
    """Tell which files a clean-up of a folder deletes, and which it leaves.

    The flag `tmp_only` leaves all files but those that end with `.tmp`; without it, all are deleted.
    """
    paths = list(workspace_records(world).files.paths)
    intent = intent_of(flags)
    extension = ".tmp" if intent.tmp_only else ""
    deleted_paths = files_to_delete(intent, paths, extension)
    if not deleted_paths:
        return {"applies": False}
    remaining_paths = sorted(set(paths) - set(deleted_paths))
    return {"applies": True, "deleted": deleted_paths, "left": remaining_paths}
