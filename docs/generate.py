"""Generates the reference in pages from the code: `python docs/generate.py`.

A test checks that it is up to date.

A page holds its text, and between two marks what a function of `PARTS_OF_PAGES` makes.
`reference.md` has every command with its options, every setting, every event with its
fields and every public name. The journal's JSON schema is made whole.
"""

from __future__ import annotations

import importlib
import inspect
import json
import re
import sys
import typing
from functools import cache, partial
from pathlib import Path

import click
import griffe
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic.json_schema import models_json_schema

sys.path.insert(0, str(Path(__file__).parents[1]))

import controlplane.agent.events
import controlplane.agent.model
from controlplane.agent.events import IN_OWN_LINES, IN_REPLY_LINE, event_classes
from controlplane.command_line import COMMANDS, cli
from controlplane.commands.arguments.field_texts import field_texts
from controlplane.commands.arguments.pair_options import PAIR_FORMS
from controlplane.configuration.environment_settings import variable_of
from controlplane.configuration.model_settings import Profile
from controlplane.configuration.run_settings import RunSettings, settings_with
from controlplane.configuration.setting_uses import Use
from controlplane.journal import run_events
from controlplane.journal.run_events import SCHEMA_VERSION

DOCS = Path(__file__).parent
MADE = re.compile(
    r"(<!-- Made by docs/generate.py: (\w+) -->\n).*?(?=<!-- until here -->)", re.DOTALL
)
SCHEMA_FILE = f"journal-{SCHEMA_VERSION}.schema.json"


def page(name: str) -> str:
    """Return the page with its parts made anew."""
    text = (DOCS / name).read_text(encoding="utf-8")
    return MADE.sub(lambda made: f"{made[1]}\n{PARTS_OF_PAGES[made[2]]()}\n", text)


def command_list() -> str:
    """Return a table of the commands, as `--help` describes them."""
    rows = [f"| `{name}` | {summary} |\n" for name, (_, summary) in COMMANDS.items()]
    return "| command | what |\n|---|---|\n" + "".join(rows)


def commands() -> str:
    """Return every command with its options."""
    context = click.Context(cli, info_name="controlplane")
    pages = []
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command
        pages += _command_pages(context, f"controlplane {name}", command)
    return "\n".join(pages)


def _command_pages(
    context: click.Context, name: str, command: click.Command
) -> list[str]:
    """Return the text of a command: its help, a table of its own
    options, and the names of those that others share."""
    if isinstance(command, click.Group):
        return [
            page
            for key, each in command.commands.items()
            for page in _command_pages(context, f"{name} {key}", each)
        ]
    arguments = [
        each.make_metavar(context)
        for each in command.params
        if isinstance(each, click.Argument)
    ]
    lines = [
        f"### {' '.join([name, *arguments])}",
        "",
        inspect.cleandoc(command.help or "").replace("\b\n", ""),
        "",
    ]
    options = [each for each in command.params if isinstance(each, click.Option)]
    own = [
        each
        for each in options
        if each.name not in (*SHARED, *RunSettings.model_fields)
    ]
    if own:
        records = filter(None, (each.get_help_record(context) for each in own))
        lines += [
            "| option | what |",
            "|---|---|",
            *(f"| `{flags}` | {_cell(text)} |" for flags, text in records),
            "",
        ]
    if shared := [f"`{each.opts[-1]}`" for each in options if each.name in SHARED]:
        lines += [f"Shared options: {' '.join(shared)}", ""]
    if named := [
        f"`{each.opts[0]}`"
        for each in options
        if each.name in RunSettings.model_fields and each.name not in SHARED
    ]:
        every = len(named) > 25 and name == "controlplane run"
        lines += [
            "Settings: every one of a run."
            if every
            else f"Settings: {' '.join(named)}",
            "",
        ]
    return ["\n".join(lines)]


SHARED = (
    "runs_dir",
    "as_json",
    "quiet",
    "is_trusted",
    "junit",
    "mcp",
    "mcp_config",
    "allow",
    "deny",
)
"""Options that several commands have, described once at the top of the page."""


def settings() -> str:
    """Return the table of the settings of a run."""
    table = "| setting | flag | environment | default | what |\n|---|---|---|---|---|\n"
    texts = field_texts(RunSettings)
    for name, each in RunSettings.model_fields.items():
        variable = "" if name in PAIR_FORMS else f"`{variable_of(name)}`"
        flag = (
            ""
            if name in settings_with(Use.NO_FLAG)
            else f"`--{name.replace('_', '-')}`"
        )
        table += f"| `{name}` | {flag} | {variable} | {_default(each)} | {_cell(texts.get(name, ''))} |\n"
    return table


def profile() -> str:
    """Return the names of the fields of a profile, which are settings of a run."""
    assert Profile.model_fields.keys() <= RunSettings.model_fields.keys()
    return ", ".join(f"`{name}`" for name in Profile.model_fields) + ".\n"


def _default(field: FieldInfo) -> str:
    default = (
        None if field.is_required() else field.get_default(call_default_factory=True)
    )
    return "" if default in (None, "", {}) else f"`{default}`"


def events() -> str:
    """Return every event of a journal with the names of its fields."""
    rows = []
    for event in event_classes():
        names = [
            f"`{name}`"
            for name, field in event.model_fields.items()
            if name not in ("type", "at_ms", "trial_id")
            and IN_REPLY_LINE not in field.metadata
        ]
        rows.append(
            f"| `{event.model_fields['type'].default}` | {_cell(_sentence(event))} | {' '.join(names)} |\n"
        )
    return "| event | what | fields |\n|---|---|---|\n" + "".join(rows)


CHAIN = {
    "prev": {
        "type": "string",
        "pattern": "^[0-9a-f]{32}$",
        "description": "The hash of the line before.",
    },
    "hash": {
        "type": "string",
        "pattern": "^[0-9a-f]{32}$",
        "description": "The hash of this line.",
    },
    "mark": {
        "type": "string",
        "pattern": "^[0-9a-f]{32}$",
        "description": "The keyed mark of the user who wrote it.",
    },
}


def schema() -> str:
    """Return the JSON schema of a journal's line, as it stands
    in the file: a step holds the numbers of its calls."""
    kinds = event_classes()
    _, made = models_json_schema(
        [(each, "validation") for each in kinds], ref_template="#/$defs/{model}"
    )
    parts = made["$defs"]
    models = (
        vars(controlplane.agent.model)
        | vars(controlplane.agent.events)
        | vars(run_events)
    )
    for name, part in parts.items():
        if isinstance(model := models[name], type):
            _describe(model, part, is_line=model in kinds)
    lines = {each.__name__ for each in kinds}
    while (
        others := parts.keys()
        - lines
        - {*re.findall(r'"#/\$defs/(\w+)"', json.dumps(parts))}
    ):
        parts = {name: part for name, part in parts.items() if name not in others}
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_FILE,
        "title": f"One line of a journal of the grounded control plane, schema version {SCHEMA_VERSION}",
        "description": "A string `@text:KEY` stands for the text of the earlier line of type `text` with that key.",
        "oneOf": [{"$ref": f"#/$defs/{each.__name__}"} for each in kinds],
    }
    return json.dumps({**head, "$defs": dict(sorted(parts.items()))}, indent=1) + "\n"


def _describe(
    model: type[BaseModel], part: dict[str, typing.Any], *, is_line: bool
) -> None:
    """Give the schema of a model its sentences,
    and that of a line the form in which it is written."""
    texts = field_texts(model)
    part["description"] = _sentence(model)
    fields = part.get("properties", {})
    for name, field in model.model_fields.items():
        if IN_REPLY_LINE in field.metadata:
            del fields[name]
            continue
        if IN_OWN_LINES in field.metadata:
            fields[name] = {"type": "array", "items": {"type": "integer"}}
        fields[name].pop("title", None)
        if texts.get(name):
            fields[name]["description"] = " ".join(texts[name].split())
    if is_line:
        part["properties"] = CHAIN | fields
        part["required"] = list(
            dict.fromkeys(["prev", "hash", "at_ms", "type", *part.get("required", ())])
        )


def _sentence(model: type[BaseModel]) -> str:
    return " ".join(inspect.cleandoc(model.__doc__ or "").split())


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


PUBLIC = {
    "Running": "controlplane: run solve open_run RunReport TrialSummary Spent inspect_agent",
    "Tasks": "controlplane: Task Tool TaskEnvironment ToolBenchmark Truth ModelUser Grade EnvironmentCall",
    "Benchmarks": "controlplane: Benchmark BenchmarkContext BenchmarkOption OpenedBenchmark Description ListedTask "
    "RunRequest TaskTry StartedRun PlannedTrial Trial TrialScore RunResult RunState BenchmarkError",
    "Environments": "controlplane.agent.evidence: Environment; controlplane.sandbox.interface: ToolSchema Operation Parameter ResultField Effect "
    "Executable CallError",
    "Models": "controlplane.agent.model: Model ModelRequest Reply ToolCall ModelError",
    "Gates": "controlplane.gates.submission: Submission Case; controlplane.gates.evidence: Evidence; controlplane.gates.rules: RuleSet Rule",
    "Journals": "controlplane: open_journal Journal RecordedTrial; controlplane.journal.journal_scan: JournalScan",
}
"""The public names, by heading: each face or module with its names."""


def public() -> str:
    """Return every public name with its signature, its docstring, its fields and its methods."""
    lines: list[str] = []
    for heading, places in PUBLIC.items():
        lines += [f"### {heading}", ""]
        for module, names in (place.split(":") for place in places.split("; ")):
            for name in names.split():
                lines += _documented(
                    f"{module}.{name}", getattr(importlib.import_module(module), name)
                )
    return "\n".join(lines)


_package = cache(griffe.load)


def _documented(called: str, thing: typing.Any) -> list[str]:
    """Return the text on a class or function, as its source
    has it; a data class is told by its fields."""
    package, _, place = f"{thing.__module__}.{thing.__name__}".partition(".")
    found: typing.Any = _package(package)[place]
    signature = "" if "dataclass" in found.labels else found.signature()
    lines = [
        f"#### {called}",
        "",
        *([f"`{signature}`", ""] if signature else []),
        found.docstring.value,
        "",
    ]
    rows = []
    for name, each in found.members.items() if found.is_class else ():
        kind = (
            ""
            if each.is_function or each.annotation is None
            else f": {each.annotation}"
        )
        value = (
            f" = {each.value}"
            if "class-attribute" in each.labels and each.value
            else ""
        )
        shown = each.signature() if each.is_function else f"{name}{kind}{value}"
        if not name.startswith("_"):
            rows.append(
                f"| `{_cell(shown)}` | {_cell(each.docstring.value if each.docstring else '')} |"
            )
    return [*lines, *(["| member | what |", "|---|---|", *rows, ""] if rows else [])]


PARTS_OF_PAGES = {
    each.__name__: each
    for each in (command_list, commands, settings, profile, events, public)
}

PAGES = {
    each: partial(page, each)
    for each in ("commands.md", "configuration.md", "reference.md")
}
PAGES[SCHEMA_FILE] = schema

if __name__ == "__main__":
    for name, made in PAGES.items():
        (DOCS / name).write_text(made(), encoding="utf-8")
