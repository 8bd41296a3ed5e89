"""A process that has made all its changes is killed before it removes the list of its steps.

The list is removed last. The next process finds it, and must not take the new file for the old version.
"""

from controlplane.file_changes import PreparedChanges, StepList, finish_changes
from tests.controlplane.file_changes.text_folder import TextFolder


def test_old_versions_stay_if_only_the_list_of_steps_was_left(
    folder: TextFolder,
) -> None:
    folder.write(one="old\n")
    prepared = PreparedChanges(folder.old_versions)
    prepared.prepare(folder.prepared(one="new\n"), new_bytes={"/one.txt": b"new\n"})
    step_list = StepList("changes", folder.old_versions)
    steps = step_list.read()
    prepared.make()
    step_list.write(steps)  # as if it had been killed before it removed the list

    assert finish_changes(folder.old_versions)

    assert folder.texts() == {"one": "new\n"}
    assert folder.old_texts() == {"one": "old\n"}
    assert not prepared.exist
