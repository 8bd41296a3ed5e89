"""Settings that environment variables give.

`CONTROLPLANE_CONCURRENCY=4` sets `concurrency`. The model and its address have the names that
other programs use: `MODEL_ID` and `OPENAI_BASE_URL`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from controlplane.configuration.config_trust import CONFIG_VARIABLE
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import UsageError, nearest_name

VARIABLE_PREFIX: Final = "CONTROLPLANE_"
VARIABLES: Final = {"model": "MODEL_ID", "base_url": "OPENAI_BASE_URL"}
"""Settings whose environment variable does not consist of the prefix and the setting's name."""
OTHER_VARIABLES: Final = frozenset(
    {"CONTROLPLANE_CALLED_AS", "CONTROLPLANE_SERVE_KEY", CONFIG_VARIABLE}
)
"""Variables of the product that are not settings."""
SETTINGS_WITHOUT_VARIABLE: Final = frozenset({"set", "role"})
"""Settings that are mappings, which the text of one variable cannot express."""


LIKELY_MISSPELT: Final = 0.85
"""The least similarity (0 to 1, difflib) at which a variable counts as a misspelled setting."""


def variable_of(name: str) -> str:
    """Return the environment variable of a setting, such as `CONTROLPLANE_SEED` of `seed`."""
    return VARIABLES.get(name, VARIABLE_PREFIX + name.upper())


def settings_in_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the settings that environment variables set.

    Raises `UsageError` for a variable with the product's
    prefix that looks like a misspelled setting.
    """
    settings_by_variable = {}
    for name in RunSettings.model_fields:
        if name not in SETTINGS_WITHOUT_VARIABLE:
            settings_by_variable[variable_of(name)] = name
    for variable in sorted(environ):
        _check_spelling(variable, settings_by_variable)

    values = {}
    for variable, name in settings_by_variable.items():
        if environ.get(variable):
            values[name] = environ[variable]
    return values


def _check_spelling(variable: str, settings_by_variable: Mapping[str, str]) -> None:
    """Raise `UsageError` for a misspelt variable, such as `CONTROLPLANE_CONCURENCY`.

    It sets nothing, begins as the product's variables do, and resembles one of them.
    """
    if not variable.startswith(VARIABLE_PREFIX):
        return
    if variable in settings_by_variable or variable in OTHER_VARIABLES:
        return

    # The model's variable is MODEL_ID, but users also try CONTROLPLANE_MODEL: suggest MODEL_ID.
    suggestions = {}
    for known_variable, setting in settings_by_variable.items():
        suggestions[known_variable] = known_variable
        suggestions[VARIABLE_PREFIX + setting.upper()] = known_variable
    nearest = nearest_name(variable, suggestions, least=LIKELY_MISSPELT)
    if nearest:
        msg = (
            f"the environment has {variable}, which sets nothing; "
            f"did you mean {suggestions[nearest]}?"
        )
        raise UsageError(msg)
