"""Generates pages from the code: `python docs/generate.py`. A test checks that the pages are up to date.

- commands.md: every command with its options, from the command line
- configuration.md: every setting and profile field, from their models
- journal.md: every event with its fields, from the journal's models
"""

from __future__ import annotations

import ast
import inspect
import itertools
import sys
import types
import typing
from pathlib import Path

import click
from pydantic import BaseModel
from pydantic.fields import FieldInfo

sys.path.insert(0, str(Path(__file__).parents[1]))

from agent.events import BY_NUMBER, JOINED, CallFailure, Judged, VerdictRecord
from agent.events.call_records import Citation, HandedIn
from agent.model.model_protocol import Usage
from controlplane.command_line import COMMANDS, cli
from controlplane.configuration.run_settings import ENVIRONMENT_NAMES, Profile, RunSettings
from controlplane.journal.run_events import SCHEMA_VERSION, AllottedTrial, JournalEvent, Setting, Versions

DOCS = Path(__file__).parent
MADE = "<!-- Made by docs/generate.py from the code; change it there. -->\n"
PARTS = (Setting, Versions, AllottedTrial, CallFailure, Citation, Judged, HandedIn, VerdictRecord, Usage)


def commands() -> str:
    """Return commands.md."""
    context = click.Context(cli, info_name="controlplane")
    pages = [
        f"# Commands\n\n{MADE}\nEvery command takes `--help`; `controlplane --debug COMMAND` shows tracebacks.\n"
        "RUN is a path, an id, the unique beginning of an id, a run's name, or `last`.\n"
    ]
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command
        pages += _command_pages(f"controlplane {name}", command)
    return "\n".join(pages)


def _command_pages(name: str, command: click.Command) -> list[str]:
    if isinstance(command, click.Group):
        return [page for key, each in command.commands.items() for page in _command_pages(f"{name} {key}", each)]
    arguments = " ".join(each.make_metavar(click.Context(command)) for each in command.params if _is_argument(each))
    lines = [f"## {name} {arguments}".rstrip(), "", inspect.cleandoc(command.help or ""), ""]
    options = [each for each in command.params if isinstance(each, click.Option) and not each.hidden]
    if options:
        lines += ["| option | what |", "|---|---|"]
        lines += [f"| `{_flags(each)}` | {_cell(each.help or '')} |" for each in options]
        lines.append("")
    return ["\n".join(lines)]


def _is_argument(parameter: click.Parameter) -> bool:
    return isinstance(parameter, click.Argument)


def _flags(option: click.Option) -> str:
    flags = ", ".join([*option.opts, *option.secondary_opts])
    return flags if option.is_flag or option.secondary_opts else f"{flags} {option.make_metavar(click.Context(cli))}"


def configuration() -> str:
    """Return configuration.md."""
    page = f"""# Configuration

{MADE}
A setting comes from a flag, else from the environment, else from `controlplane.toml` in the working directory, else
from its default; the journal's first event holds each value with its source. Secrets come from the environment alone
(`OPENAI_API_KEY`, or the variable that a profile names; `BITGN_API_KEY`).

```toml
# controlplane.toml
[run]
concurrency = 4
model = "local"

[profiles.local]
model = "qwen3:8b"
base_url = "http://127.0.0.1:11434/v1"
```

## [run]

| setting | flag | environment | default | what |
|---|---|---|---|---|
"""
    for name, each in RunSettings.model_fields.items():
        variable = "" if name == "set" else f"`{ENVIRONMENT_NAMES.get(name, 'CONTROLPLANE_' + name.upper())}`"
        default = each.get_default(call_default_factory=True)
        shown = "" if default in (None, "", {}) else f"`{default}`"
        page += (
            f"| `{name}` | `--{name.replace('_', '-')}` | {variable} | {shown} | {_cell(each.description or '')} |\n"
        )
    page += "\n## [profiles.NAME]\n\n| key | default | what |\n|---|---|---|\n"
    for name, each in Profile.model_fields.items():
        shown = "" if each.default is None or each.is_required() or each.default == "" else f"`{each.default}`"
        page += f"| `{name}` | {shown} | {_cell(each.description or '')} |\n"
    return page


def journal() -> str:
    """Return journal.md."""
    page = f"""# The journal

{MADE}
`runs/<run>.jsonl` holds one JSON object per line, schema version {SCHEMA_VERSION}. Each line begins with `prev`, the
hash of the line before (zeros in the first), and ends with `hash`: the first 32 hex digits of the SHA-256 of the line's
bytes before `,"hash"`. A text of 200 characters or more is stored once, in an event `text`; other lines refer to it by
`@text:` and its key. A line is written before the next thing happens; the file is synced when a trial ends and before
the run is submitted. A reader accepts only one defect: a last line that is cut off.

`at_ms` is the wall clock in milliseconds since the epoch. Every event of a trial has its `trial_id`.

The journal holds every fact once. A `step` holds the numbers of its calls, citations and submissions, which are lines
of their own with the same `step`; its reply and usage are in its `model_replied`. `conversation_opened` holds the
numbers of the calls of step 0. The reader joins them: `replay --trial ... --json` prints whole steps. A line with the
number of an earlier one replaces it: a call that was cut off is made again. Journals of version 1, whose steps hold
everything themselves, can still be read and replayed.

`replay --verify` runs every script again on the recorded results, and judges the submissions of solvers without scripts
again. Calls, citations and submissions are answered from the record, so a difference in one step changes no other.
Under the recorded versions of gates, evidence and sandbox, a difference ends the command with exit code 5; under other
versions it lists the steps that differ and exits 0. `resume` needs the recorded version of the world.

## Events
"""
    for each in typing.get_args(JournalEvent):
        page += f"\n### {each.model_fields['type'].default}\n\n{_sentence(each)}\n\n{_fields(each)}"
    page += "\n## Parts of events\n"
    for each in PARTS:
        page += f"\n### {each.__name__}\n\n{_sentence(each)}\n\n{_fields(each)}"
    return page


def _sentence(model: type[BaseModel]) -> str:
    return " ".join(inspect.cleandoc(model.__doc__ or "").split())


def _fields(model: type[BaseModel]) -> str:
    texts = _attribute_docstrings(model)
    rows = [
        f"| `{name}` | {_written_type(each)} | {_cell(texts.get(name, ''))} |\n"
        for name, each in model.model_fields.items()
        if name not in ("type", "at_ms", "trial_id") and JOINED not in each.metadata
    ]
    return ("| field | type | what |\n|---|---|---|\n" + "".join(rows)) if rows else ""


def _written_type(field: FieldInfo) -> str:
    return "list of number" if BY_NUMBER in field.metadata else _type_name(field.annotation)


def _attribute_docstrings(model: type[BaseModel]) -> dict[str, str]:
    """Return the docstrings under the fields of a model and its bases, by field."""
    found = {}
    for each in reversed(model.__mro__):
        if each.__module__.split(".")[0] not in ("agent", "controlplane"):
            continue
        (definition,) = ast.parse(inspect.getsource(each)).body
        assert isinstance(definition, ast.ClassDef)
        for field, below in itertools.pairwise(definition.body):
            if (
                isinstance(field, ast.AnnAssign)
                and isinstance(below, ast.Expr)
                and isinstance(below.value, ast.Constant)
            ):
                found[ast.unparse(field.target)] = str(below.value.value)
    return found


def _type_name(annotation: object) -> str:
    if annotation is type(None):
        return "null"
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (types.UnionType, typing.Union):
        return " or ".join(_type_name(each) for each in inner)
    if origin is tuple:
        return f"list of {_type_name(inner[0])}"
    if origin is dict:
        return "object"
    if origin is typing.Literal:
        return ", ".join(f"`{each}`" for each in inner)
    if origin is typing.Annotated:
        return _type_name(inner[0])
    names = {str: "string", int: "integer", float: "number", bool: "boolean"}
    return names.get(annotation, getattr(annotation, "__name__", "any JSON value"))


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


PAGES = {"commands.md": commands, "configuration.md": configuration, "journal.md": journal}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")
