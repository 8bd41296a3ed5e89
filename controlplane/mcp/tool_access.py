"""The MCP servers of a run, and the tools of them that scripts may call.

They are never written to the journal, since they may hold secrets.
"""

from __future__ import annotations

import os
import shlex
from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Final

import re2
from pydantic import ValidationError

from controlplane.agent.evidence import ApproveCall
from controlplane.errors import UsageError, as_usage_error, did_you_mean
from controlplane.mcp.server_specs import ServerSpec
from controlplane.sandbox.interface import bounds, parse_json
from controlplane.tools.tool_parameters import script_names

# The MCP servers that a user names by the option `--mcp`, and the checks of any named server.
#
# `--mcp "db=uvx mcp-server-sqlite"` names a program, and `--mcp web=https://example.org/mcp` an address.


def _named_spec(text: str) -> tuple[str, ServerSpec]:
    """Return the name and the server from a value of `--mcp`, such as `db=uvx mcp-server-sqlite`.

    A server at an address gets the token of the variable `MCP_NAME_TOKEN`. Raises `UsageError`.
    """
    name, equals, target = text.partition("=")
    if not equals or not target.strip():
        example = '--mcp "db=uvx mcp-server-sqlite"'
        msg = (
            f"--mcp takes NAME=COMMAND or NAME=https://..., as {example}, not {text!r}"
        )
        raise UsageError(msg)
    fields: dict[str, object] = {}
    if target.startswith(("http://", "https://")):
        fields["url"] = target
        token = os.environ.get(f"MCP_{name.upper()}_TOKEN")
        if token:
            fields["headers"] = {"Authorization": f"Bearer {token}"}
    else:
        with as_usage_error(f"--mcp {name}: the command cannot be read", ValueError):
            fields["command"], *fields["args"] = shlex.split(target)
    return name, _server_spec(name, fields, "--mcp")


_LONGEST_NAME: Final = 60


def _server_spec(name: str, fields: object, source: str) -> ServerSpec:
    """Return a server from its fields: `{"command": "uvx", "args": ["mcp-server-sqlite"]}`.

    Raises `UsageError`, whose message begins with the `source` of the fields, such as `--mcp`.
    """
    if (
        not any(sign.isascii() and sign.isalnum() for sign in name)
        or len(name) > _LONGEST_NAME
    ):
        rule = f"a server's name has letters or digits, and at most {_LONGEST_NAME} characters"
        msg = f"{source}: {rule}: {name!r}"
        raise UsageError(msg)
    try:
        spec = ServerSpec.model_validate(fields)
    except ValidationError as error:
        fault = error.errors()[0]
        key, *places = (str(part) for part in fault["loc"])
        given_keys = [given for given, own in _OWN_KEYS.items() if own == key]
        place = ".".join([" or ".join([key, *given_keys]), *places])
        msg = f"{source}: {name}: {place}: {fault['msg']}"
        raise UsageError(msg) from error
    if bool(spec.command) == bool(spec.url):
        msg = f"{source}: {name}: a server has either a command or a url"
        raise UsageError(msg)
    return spec


# The names of MCP servers: the user's (`brave-search`), and those in scripts (`brave_search`).

_RESERVED: Final = ("answer", "tools", "mcp")
"""Names of `harness` that a server cannot have."""


def _patterns_in_scripts(
    patterns: Iterable[str], names_in_scripts: Mapping[str, str]
) -> tuple[str, ...]:
    """Return patterns of tools with the servers' names in scripts: `a-b.read*` -> `a_b.read*`.

    `names_in_scripts` has each server's name in scripts by the user's name. A pattern may begin
    with either, and may contain a dot: `a.b.read*` fits the servers `a` and `a.b`, and the longer
    name counts. Raises `UsageError` for a pattern that begins with no server's name.
    """
    names = {name: name for name in names_in_scripts.values()}
    names.update(names_in_scripts)
    longest_first = sorted(names, key=len, reverse=True)
    in_scripts = []
    for pattern in patterns:
        for name in longest_first:
            if pattern == name or pattern.startswith(f"{name}."):
                in_scripts.append(names[name] + pattern.removeprefix(name))
                break
        else:
            hint = did_you_mean(pattern.partition(".")[0], names_in_scripts)
            msg = (
                "--allow and --deny name tools as NAME.TOOL of a server of --mcp, "
                f"not {pattern!r}{hint}"
            )
            raise UsageError(msg)
    return tuple(in_scripts)


# The MCP servers in a `mcpServers` file, which `--mcp-config` names. Other programs use the same form.
#
# `{"mcpServers": {"db": {"command": "uvx", "args": ["mcp-server-sqlite", "${DB:-app.db}"]}}}`
#
# Each program has keys of its own, too. What means something is followed or refused by name:
# whoever writes `"disabledTools": ["drop"]` relies on it.

_SERVERS_KEYS: Final = ("mcpServers", "servers")
_VARIABLE: Final = re2.compile(r"\$\{([^{}]*)\}")
"""A variable in a text of a file: `${NAME}`, `${env:NAME}`, with a default `${NAME:-text}`."""
_BARE_VARIABLE: Final = re2.compile(r"\$[A-Z_][A-Z0-9_]*|%[A-Z_][A-Z0-9_]*%")
"""A text that is a variable of a shell, which no shell replaces here: `$TOKEN`."""
_OWN_KEYS: Final = {
    "serverUrl": "url",
    "httpUrl": "url",
    "http_headers": "headers",
    "disabledTools": "withheld_tools",
    "disabled_tools": "withheld_tools",
    "excludeTools": "withheld_tools",
    "enabledTools": "offered_tools",
    "enabled_tools": "offered_tools",
    "includeTools": "offered_tools",
    "tools": "offered_tools",
    "autoApprove": "allowed_tools",
    "alwaysAllow": "allowed_tools",
    "timeout": "call_s",
    "transport": "type",
}
"""Keys of other programs, and what they are called in a `ServerSpec`."""
_LABELS: Final = frozenset(
    {
        "name",
        "title",
        "description",
        "icon",
        "iconPath",
        "note",
        "comment",
        "gallery",
        "version",
    }
)
"""Keys that only tell people something. So do keys that begin with `_` or `//`."""
_SWITCHES: Final = {"disabled": False, "enabled": True}
"""Keys that switch a server off or on, with the value that they have if it is on."""
_KNOWN_KEYS: Final = (*ServerSpec.model_fields, *_SWITCHES, "type", "envFile", "trust")
_TRANSPORTS: Final = {
    "stdio": "command",
    "local": "command",
    "http": "url",
    "streamable-http": "url",
    "streamableHttp": "url",
    "streamable_http": "url",
    "remote": "url",
}
"""The values of `type` or `transport`, and the key that a server of this type has."""
_MOST_ENV_FILE_BYTES: Final = 100_000
_LEAST_MILLISECONDS: Final = 1_000
"""Some programs take a timeout in seconds, and others in milliseconds, which are at least these."""


def _specs_in_file(path: Path) -> dict[str, ServerSpec]:
    """Return the servers of a file by name. Variables in it are replaced from the environment.

    Raises `UsageError` if the file cannot be read, or a variable or a server's field is wrong.
    """
    with (
        as_usage_error(f"--mcp-config {path}: it cannot be read", OSError),
        path.open("rb") as file,
    ):
        content = file.read(bounds.MOST_TEXT_BYTES + 1)

    form_fault = f'--mcp-config {path}: it holds no {{"mcpServers": {{NAME: ...}}}}'
    with as_usage_error(form_fault, ValueError, KeyError, TypeError, AttributeError):
        fields_of_file = parse_json(
            content.removeprefix(BOM_UTF8), most_bytes=bounds.MOST_TEXT_BYTES
        )
        key = next(
            (key for key in _SERVERS_KEYS if key in fields_of_file), "mcpServers"
        )
        servers = dict(fields_of_file[key].items())
    return _configured_specs(servers, f"--mcp-config {path}", path.parent)


def _configured_specs(
    servers: Mapping[str, object], source: str, folder: Path
) -> dict[str, ServerSpec]:
    """Return the servers that a configuration does not switch off, by name. Raises `UsageError`.

    `folder` is that of the configuration, in which files that it names are looked for.
    """
    specs = {}
    for name, fields in servers.items():
        if not isinstance(fields, dict):
            msg = f"{source}: {name}: a server is a table of its command or url"
            raise UsageError(msg)
        place = f"{source}: {name}"
        is_on = True
        for key, value_when_on in _SWITCHES.items():
            value = fields.get(key, value_when_on)
            if not isinstance(value, bool):
                msg = f"{place}: {key} is true or false, not {value!r}"
                raise UsageError(msg)
            is_on = is_on and value is value_when_on
        if is_on:  # Otherwise its variables are not needed.
            own_fields = _own_fields(fields, place, folder)
            specs[name] = _server_spec(name, own_fields, source)
    return specs


def _own_fields(
    fields: Mapping[str, object], place: str, folder: Path
) -> dict[str, object]:
    """Return the fields of a server as `ServerSpec` calls them, with their variables replaced.

    `{"serverUrl": "https://${HOST}/mcp", "disabledTools": ["drop"]}` becomes
    `{"url": "https://example.org/mcp", "withheld_tools": ["drop"]}`. Raises `UsageError`.
    """
    own_fields: dict[str, Any] = {}
    for key, value in fields.items():
        own_key = _OWN_KEYS.get(key, key)
        if own_key in _LABELS or own_key.startswith(("_", "//")):
            continue
        if own_key not in _KNOWN_KEYS:
            hint = did_you_mean(key, (*_KNOWN_KEYS, *_OWN_KEYS))
            msg = f"{place}: {key} is not known here, and no key is ignored: take it out{hint}"
            raise UsageError(msg)
        if own_key in own_fields:
            msg = f"{place}: {key} says again what another key says: keep one of them"
            raise UsageError(msg)
        own_fields[own_key] = _filled(value, f"{place}: {key}")

    # Keys that a `ServerSpec` has in another form
    for key in _SWITCHES:
        own_fields.pop(key, None)
    if "type" in own_fields:
        transport = own_fields.pop("type")
        needed_key = _TRANSPORTS.get(str(transport))
        if needed_key is None:
            known = ", ".join(_TRANSPORTS)
            msg = f"{place}: the transport {transport!r} is not spoken: {known} are"
            raise UsageError(msg)
        if not own_fields.get(needed_key):
            msg = f"{place}: a server of the type {transport!r} needs a {needed_key}"
            raise UsageError(msg)
    if "envFile" in own_fields:
        variables = _variables_in_file(folder / str(own_fields.pop("envFile")), place)
        own_fields["env"] = variables | dict(own_fields.get("env", {}))
    if own_fields.pop("trust", False) is True:
        own_fields["allowed_tools"] = ["*"]
    tools = own_fields.get("offered_tools")
    if isinstance(tools, dict):  # `{"drop": false}`
        del own_fields["offered_tools"]
        own_fields["withheld_tools"] = [tool for tool in tools if tools[tool] is False]
    timeout = own_fields.get("call_s")
    if isinstance(timeout, int | float) and timeout >= _LEAST_MILLISECONDS:
        own_fields["call_s"] = timeout / 1_000
    return own_fields


def _filled(value: object, place: str) -> object:
    """Return a value of a file with the variables in all its texts replaced.

    Raises `UsageError` for one that has neither a value nor a default, or is of another kind.
    """
    if isinstance(value, dict):
        return {key: _filled(item, place) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, place) for item in value]
    if not isinstance(value, str):
        return value
    if _BARE_VARIABLE.fullmatch(value):
        msg = f"{place}: {value} is not replaced: write ${{{value.strip('$%')}}}"
        raise UsageError(msg)
    return _VARIABLE.sub(lambda variable: _value_of(variable[1], place), value)


def _value_of(variable: str, place: str) -> str:
    """Return the value of a variable: `DB`, `env:DB`, `DB:-app.db`, `userHome`.

    Raises `UsageError` if there is none.
    """
    if variable == "userHome":
        return str(Path.home())
    name, has_default, default = variable.removeprefix("env:").partition(":-")
    if not name.isidentifier():
        msg = f"{place}: ${{{variable}}} is not known here: write ${{NAME}} for a variable of the environment"
        raise UsageError(msg)
    value = os.environ.get(name)
    if value is not None:
        return value
    if not has_default:
        msg = f"{place}: the environment has no {name}"
        raise UsageError(msg)
    return default


def _variables_in_file(path: Path, place: str) -> dict[str, str]:
    """Return the variables in a file of lines `NAME=VALUE`. Raises `UsageError`.

    A line may begin with `export`, and a value may stand in quotation marks. What a shell would
    replace in a value is refused.
    """
    with (
        as_usage_error(f"{place}: envFile {path} cannot be read", OSError, ValueError),
        path.open("rb") as file,
    ):
        text = file.read(_MOST_ENV_FILE_BYTES).decode("utf-8-sig")
    variables = {}
    for number, line in enumerate(text.splitlines(), start=1):
        assignment = line.strip().removeprefix("export ").strip()
        if not assignment or assignment.startswith("#"):
            continue
        name, equals, value = assignment.partition("=")
        value = value.strip()
        is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
        if is_quoted:
            value = value[1:-1]
        has_comment = " #" in value and not is_quoted
        is_plain = not has_comment and not any(sign in value for sign in "$`\\\"'")
        if not equals or not name.strip().isidentifier() or not is_plain:
            msg = f"{place}: envFile {path}, line {number}: it is no NAME=VALUE without variables"
            raise UsageError(msg)
        variables[name.strip()] = value
    return variables


@dataclass(frozen=True, slots=True)
class ToolAccess:
    """The servers of a run, and the tools of them that scripts may call.

    A tool that only reads may always be called. A tool that may change something needs
    the user's permission: beforehand by `allow`, or by `approve` when it is called. A
    denied tool is not offered at all.
    """

    servers: Mapping[str, ServerSpec]
    """The servers, by their names in scripts."""
    allow: tuple[str, ...] = ()
    """Tools that may be called although they may change something: `NAME.tool` or `NAME.*`."""
    deny: tuple[str, ...] = ()
    """Tools that are never called, in the same form."""
    approve: ApproveCall | None = field(default=None, compare=False)
    """Asks the user about one call; None if the user cannot be asked."""
    user_names: Mapping[str, str] = field(default_factory=dict)
    """The user's names of servers with another name in scripts: `{"a_b": "a-b"}`.

    A name in scripts has to be a name of Python, which `a-b` is not.
    """
    reads: tuple[str, ...] = ()
    """Tools that only read according to the option `--reads`; empty until a trial begins.

    `ServerSpec.read_only` says the same in a configuration file.
    """


def matches_any(patterns: Iterable[str], names: Sequence[str]) -> bool:
    """Return True if any pattern, such as `files.*`, matches any of the names of a tool.

    A tool has several names: the server's own name, and the one in scripts.
    """
    return any(fnmatchcase(name, pattern) for pattern in patterns for name in names)


def tool_access(
    options: dict[str, Any],
    configured: Mapping[str, object] | None = None,
    approve: ApproveCall | None = None,
) -> ToolAccess | None:
    """Return the servers that the user named, with the tools that may be called; None without servers.

    - `options`: the values of the command line's options: `mcp`, `mcp_config`, `allow` and `deny`.
    - `configured`: the servers of controlplane.toml, by name.
    - `approve`: asks the user about one call. None: the user cannot be asked.

    If several places name the same server, `--mcp` counts first, then the file of
    `--mcp-config`, then controlplane.toml. Raises `UsageError`.
    """
    specs = _configured_specs(configured or {}, "controlplane.toml", Path())
    if options["mcp_config"]:
        specs |= _specs_in_file(Path(options["mcp_config"]).expanduser())
    for text in options["mcp"]:
        name, spec = _named_spec(text)
        specs[name] = spec

    names_in_scripts = script_names(specs, reserved=_RESERVED)
    # Check these patterns even if there is no server, so that a wrong one is refused.
    allow = _patterns_in_scripts(options["allow"], names_in_scripts)
    deny = _patterns_in_scripts(options["deny"], names_in_scripts)
    if not specs:
        return None

    # Scripts call a server by a name of Python: `a-b` is `a_b` there.
    servers = {names_in_scripts[name]: spec for name, spec in specs.items()}
    user_names = {
        in_scripts: name
        for name, in_scripts in names_in_scripts.items()
        if in_scripts != name
    }
    return ToolAccess(servers, allow, deny, approve, user_names)
