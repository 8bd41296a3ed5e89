"""What benchmarks are given and offer: options, files that users write, and the shop's functions.

| option | values | what |
| `runtime` | `podman`, `docker` | the container runtime; the first one on PATH unless set |
"""

import importlib
import inspect
import json
from collections.abc import Mapping, Sequence
from typing import Any

from controlplane.agent.model.scripted import ScriptedReply
from controlplane.benchmark import BenchmarkOption
from controlplane.benchmarks.bitgn.client.client_settings import ClientSettings
from controlplane.benchmarks.containers import container_settings
from controlplane.benchmarks.ecom import ecom_benchmark
from controlplane.benchmarks.files import (
    files_benchmark,
    files_runtime,
    question_schema,
)
from controlplane.benchmarks.folder import task_file
from controlplane.benchmarks.harbor import harbor_benchmark
from controlplane.benchmarks.inspect import inspect_benchmark
from controlplane.benchmarks.shop.rule_set import RULE_SET
from controlplane.benchmarks.shop.shop_schema import SHOP_TOOLS
from controlplane.sandbox.interface import FILE_OPERATIONS, REQUIRED, Operation
from docs.reference_pages.markdown import cell, code, one_line, table
from docs.reference_pages.public_names import member_text, source_of

OF_CONTAINERS = container_settings.OPTIONS
OPTIONS: Mapping[str, Sequence[BenchmarkOption]] = {
    "Tasks in containers (`harbor`, `inspect`)": OF_CONTAINERS,
    "`harbor`": [
        option for option in harbor_benchmark.OPTIONS if option not in OF_CONTAINERS
    ],
    "`inspect`": [
        option for option in inspect_benchmark.OPTIONS if option not in OF_CONTAINERS
    ],
    "`ecom`": ecom_benchmark.OPTIONS,
    "`files`, the benchmark of `ask`": files_benchmark.OPTIONS,
}
"""The options by the benchmarks that take them."""

TASK_TABLES = {
    "task.toml": task_file.TaskFile,
    "[[tool]]": task_file.FolderTool,
    "[[tool.call]]": task_file.FolderToolCall,
    "[expected]": task_file.Expected,
    "[[expected.change]]": task_file.ExpectedChange,
    "[[outcomes]]": task_file.DeclaredOutcome,
    "[question]": task_file.SavedQuestion,
}


def options() -> str:
    """Return the options that are given as `--set NAME=VALUE`."""
    lines: list[str] = []
    for heading, of_benchmark in OPTIONS.items():
        rows = []
        for option in of_benchmark:
            values = ", ".join(code(value) for value in option.choices)
            meaning = option.description or f"from {option.secret_variable} alone"
            rows.append((code(option.name), values, cell(meaning)))
        lines += [f"{heading}:", "", table(("option", "values", "what"), rows)]
    lines += ["`bitgn`, the remote platform:", "", keys_of(ClientSettings)]
    return "\n".join(lines)


def task_files() -> str:
    """Return the keys of each table of a task.toml."""
    lines: list[str] = []
    for name, documented in TASK_TABLES.items():
        paragraphs = [
            one_line(paragraph)
            for paragraph in (inspect.getdoc(documented) or "").split("\n\n")
            if not paragraph.startswith(" ")  # as an example does
        ]
        lines += [f"#### {name}", "", " ".join(paragraphs), ""]
        lines.append(keys_of(documented))
    return "\n".join(lines)


def scripted_replies() -> str:
    """Return the keys of `[[reply]]`."""
    return keys_of(ScriptedReply)


def keys_of(documented: Any) -> str:
    """Return the table of a class's fields, which are keys of a file."""
    members = source_of(documented).members
    rows = []
    for name, field in documented.model_fields.items():
        default = ""
        if not field.is_required():
            default = field.get_default(call_default_factory=True)
        shown = code(default) if default not in (None, "", (), {}, False) else ""
        rows.append((code(name), shown, member_text(members[name])))
    return table(("key", "default", "what"), rows)


def calls() -> str:
    """Return what scripts call: with files, and in addition for a question of `ask`."""
    of_questions = (
        question_schema.READ,
        question_schema.READ_MANY,
        files_runtime.SEARCH,
        files_runtime.PASSAGES,
        question_schema.TABLE,
        question_schema.SOURCES,
        question_schema.EARLIER,
    )
    heading = "Questions of `ask` have `list`, `tree`, `find`, `stat` and these:"
    return f"{calls_table(FILE_OPERATIONS)}\n{heading}\n\n{calls_table(of_questions)}"


def calls_table(operations: Sequence[Operation]) -> str:
    """Return the table of some calls, as a model is told of them."""
    rows = []
    for operation in operations:
        fields = ", ".join(code(field.name) for field in operation.fields)
        rows.append((code(call_of(operation)), fields, cell(operation.summary)))
    return table(("call", "result", "what"), rows)


def call_of(operation: Operation) -> str:
    """Return how a call is written: `search(pattern, root="/")`."""
    parameters = []
    for parameter in operation.parameters:
        text = parameter.name
        if parameter.default is not REQUIRED:
            default = parameter.default
            shown = json.dumps(default) if isinstance(default, str) else repr(default)
            text += f"={shown}"
        parameters.append(text)
    return f"{operation.name}({', '.join(parameters)})"


def shop_functions() -> str:
    """Return the functions of the shop: how each is called, its value, and what it does."""
    rows = []
    for function in SHOP_TOOLS:
        module, _, name = function.finds.partition(":")
        meaning = first_sentence(getattr(importlib.import_module(module), name))
        rows.append((code(call_of(function)), cell(function.summary), meaning))
    return table(("function", "value", "what"), rows)


def shop_rules() -> str:
    """Return the rules of the rule set, each with what it objects to."""
    rows = [
        (code(f"{RULE_SET.name}/{rule.name}"), first_sentence(rule.fault_of))
        for rule in RULE_SET.rules
    ]
    return table(("rule", "what"), rows)


def first_sentence(documented: Any) -> str:
    """Return the first paragraph of a docstring, which is one sentence."""
    return cell((inspect.getdoc(documented) or "").split("\n\n")[0])
