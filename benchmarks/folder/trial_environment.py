"""The environment of a trial: what scripts can call, and the files that they see.

Most tasks have files and programs (`[[tool]]`). A question that `ask --save-task` has saved
has files and the calls of `ask`, which search them and query tables.
"""

from __future__ import annotations

from typing import Any, Final

from controlplane import BenchmarkError
from controlplane.benchmarks.files.files_environment import FilesEnvironment
from controlplane.benchmarks.files.files_question import Conversation, FilesQuestion
from controlplane.benchmarks.files.sources.file_sources import SourceFiles
from controlplane.benchmarks.folder.folder_runtime import FolderRuntime
from controlplane.benchmarks.folder.folder_schema import tool_schema_of
from controlplane.benchmarks.folder.task_file.task_file import Question
from controlplane.benchmarks.folder.task_folder import FolderTask
from controlplane.local_benchmark.local_environment import LocalEnvironment
from controlplane.sandbox.files import WorldFiles
from controlplane.sandbox.interface import error_codes

WORKER_MODULE: Final = "controlplane.benchmarks.folder.folder_runtime"
"""The module that a trial's worker process imports to run tools."""


def environment_of(task: FolderTask) -> LocalEnvironment:
    """Return the environment of a trial of this task."""
    task_file = task.file
    if task_file.question is not None:
        return _question_environment(task, task_file.question)
    tools: list[Any] = [tool.model_dump(mode="json") for tool in task_file.tool]
    runtime = FolderRuntime(task.files, tools)
    return LocalEnvironment(
        tool_schema_of(task),
        world=WorldFiles(task.files, WORKER_MODULE, data=tools),
        tree=runtime.tree,
        clock=task_file.clock,
        run_tool=runtime.call,
    )


def _question_environment(task: FolderTask, question: Question) -> FilesEnvironment:
    """Return the environment of a saved question, with the conversation before it."""
    earlier = None
    if question.earlier:
        try:
            earlier = Conversation.model_validate_json(question.earlier)
        except ValueError as error:
            msg = f"{task.task_id}: question.earlier: {error}"
            raise BenchmarkError(error_codes.INVALID_ARGUMENT, msg) from error
    sources = SourceFiles.of_texts(task.files)
    instruction = task.file.instruction.strip()
    files_question = FilesQuestion(instruction, sources, question.write, earlier)
    return FilesEnvironment(files_question, task.file.clock)
