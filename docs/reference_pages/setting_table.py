"""The settings of a run: flag, environment variable, default and meaning of each."""

from pydantic.fields import FieldInfo

from controlplane.commands.arguments.options import PAIR_FORMS
from controlplane.commands.arguments.setting_options import field_texts
from controlplane.configuration.model_settings import Profile, Use
from controlplane.configuration.run_settings import RunSettings, settings_with
from controlplane.configuration.setting_sources import variable_of
from docs.reference_pages.markdown import cell, code, table


def settings() -> str:
    """Return the table of the settings."""
    texts = field_texts(RunSettings)
    rows = []
    for name, field in RunSettings.model_fields.items():
        row = (
            code(name),
            flag_of(name),
            environment_variable_of(name),
            default_of(field),
            cell(texts.get(name, "")),
        )
        rows.append(row)
    return table(("setting", "flag", "environment", "default", "what"), rows)


def flag_of(name: str) -> str:
    """Return `max_calls` as `--max-calls`; empty for a setting that only a file can give."""
    if name in settings_with(Use.NO_FLAG):
        return ""
    return code(f"--{name.replace('_', '-')}")


def environment_variable_of(name: str) -> str:
    """Return a setting's variable; empty for one of pairs (`--set a=1`), which has none."""
    if name in PAIR_FORMS:
        return ""
    return code(variable_of(name))


def default_of(field: FieldInfo) -> str:
    """Return the default; empty if there is none, or an empty one."""
    if field.is_required():
        return ""
    default = field.get_default(call_default_factory=True)
    if default in (None, "", {}):
        return ""
    return code(default)


def profile() -> str:
    """Return the names of the fields of a profile, which are settings of a run."""
    assert Profile.model_fields.keys() <= RunSettings.model_fields.keys()
    names = [code(name) for name in Profile.model_fields]
    return ", ".join(names) + ".\n"
