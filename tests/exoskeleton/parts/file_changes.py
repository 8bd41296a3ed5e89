"""Requests to change files, whether they may, and which files: compared with another solver.

A case is what another solver for the shop was recorded to do. `@answers_part` marks the function
that answers the cases of one part: it takes `input` by its keys, and should return `expect`.
`world` has the files of the shop, and `flags` what a model has understood of the request.

    {"part": "temporary_files",
     "input": {"world": {"files": {"/tmp/job/a.tmp": "", "/tmp/job/notes.md": ""}},
               "flags": {"file_change": True, "tmp_path": "/tmp/job", "tmp_only": True}},
     "expect": {"applies": True, "deleted": ["/tmp/job/a.tmp"], "left": ["/tmp/job/notes.md"]}}
"""

from controlplane.benchmarks.shop.preflight import files_to_delete, may_change_files
from tests.exoskeleton.answering_functions import Output, answers_part
from tests.exoskeleton.parts.findings import Flags, World, intent_of, workspace_records


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
