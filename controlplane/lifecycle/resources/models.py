"""The models of a run: opening an endpoint or a player, and who asks which model."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import re2

from controlplane.agent.limits.spending import PRICE_REMEDY
from controlplane.agent.model import (
    REVIEWER,
    CachedModel,
    Capabilities,
    Model,
    ModelError,
    ModelRequest,
    PricedModel,
    Reply,
    ReplyMode,
    ScriptedModel,
    public_price_source,
)
from controlplane.benchmark import Benchmark
from controlplane.configuration import named_modules
from controlplane.configuration.model_settings import ModelSettings, variable_in
from controlplane.configuration.run_settings import RunSettings
from controlplane.errors import (
    Unreachable,
    UsageError,
    as_usage_error,
    did_you_mean,
    nearest_name,
)
from controlplane.journal.journal_files import with_home
from controlplane.sandbox.files import check_writable

if TYPE_CHECKING:
    from controlplane.agent.endpoint import Endpoint

# Finds a model in an endpoint's list of models.


_NAME_SEPARATORS: Final = "/:@-_ "
"""Characters between the parts of a name: `vendor/model:free`, `model-2025-08-07`. A dot is none: `m-4.1`
is another model than `m-4`."""
_NAME_WORD: Final = re2.compile(r"\p{L}+|\p{N}+")
"""Matches a word of letters in a name, or a number: `gpt`, `4` and `o` of `gpt-4o`."""
_MIN_MISSPELT_LETTERS: Final = 4
"""Shorter words often tell models apart: `4o`, `8b`, `r`, `it`. So another letter makes them others."""


def _is_listed(name: str, listed_names: Iterable[str]) -> bool:
    """Return True if a name is listed, or differs from a listed one only by whole parts.

    Endpoints often list `vendor/model` or `model-2025-08-07` for `model`.
    """
    for listed_name in listed_names:
        shorter, longer = sorted((name, listed_name), key=len)
        before, found, after = longer.partition(shorter)
        if not found:
            continue
        begins_part = not before or before[-1] in _NAME_SEPARATORS
        ends_part = not after or after[0] in _NAME_SEPARATORS
        if begins_part and ends_part:
            return True
    return False


def _misspelt(name: str, listed_names: Iterable[str]) -> str:
    """Return the listed name that was meant, if an unlisted one has a wrong letter; else empty.

    | unlisted | listed | meant |
    |---|---|---|
    | `gpt-5-minni`, `gtp-5-mini`, `gpt-5-mni` | `gpt-5-mini` | that one |
    | `qwen33`, `qwen2`, `qwen-3`, `Qwen3` | `qwen3` | unknown: the list may lack it |
    | `gpt-4o` | `gpt-4.1` | unknown |
    """
    words = _NAME_WORD.findall(name.casefold())
    for listed_name in listed_names:
        # The vendor may be left out.
        for known_name in (listed_name, listed_name.rpartition("/")[2]):
            known_words = _NAME_WORD.findall(known_name.casefold())
            if len(known_words) != len(words):
                continue
            pairs = zip(words, known_words, strict=True)
            differing = [pair for pair in pairs if pair[0] != pair[1]]
            if len(differing) == 1 and _has_wrong_letter(*differing[0]):
                return listed_name
    return ""


def _has_wrong_letter(word: str, known_word: str) -> bool:
    """Return True for a word with a letter too many or too few, another one, or two swapped."""
    if not (word.isalpha() and known_word.isalpha()):
        return False  # Another number is another model.
    shorter, longer = sorted((word, known_word), key=len)
    for place in range(len(longer)):
        before, after = longer[:place], longer[place + 1 :]
        has_one_more = before + after == shorter
        has_another = shorter.startswith(before) and shorter[place + 1 :] == after
        if has_one_more or has_another:
            return len(longer) >= _MIN_MISSPELT_LETTERS
        if before + after[:1] + longer[place] + after[1:] == shorter:
            return True  # Two neighbours are swapped.
    return False


def _bare(name: str) -> str:
    """Return a name in lower case and without separators: `Qwen-3` -> `qwen3`."""
    return "".join(_NAME_WORD.findall(name.casefold()))


def _hint_at_listed(name: str, listed_names: Sequence[str]) -> str:
    """Return a hint at the listed names, for one that is not listed: `; did you mean 'qwen3'?`"""
    shown_names = [listed[:_MAX_SHOWN_NAME_CHARS] for listed in listed_names]
    for shown_name in shown_names:
        if _bare(shown_name) == _bare(name):
            return f"; did you mean {shown_name!r}?"
    return did_you_mean(name, shown_names, most=_MAX_SHOWN_NAMES)


# Models without an endpoint, by the value of `--model`.
#
# | `--model` | who plays |
# |---|---|
# | not given | the benchmark's player: a program that writes scripts by fixed rules |
# | `baseline` | the same or, if the benchmark has none, the player of the product's own benchmark |
# | a name that the benchmark gives | this player of the benchmark |
# | `scripted:FILE` | the replies in FILE, one after the other |
# | any other name | a model at an endpoint, which is opened elsewhere |

_BASELINE: Final = "baseline"
"""The value of `--model` for the benchmark's player."""
PLAYERS: Final = ("", _BASELINE)
"""The values of `--model` for a player of any benchmark; empty if the option is not given."""


def model_without_endpoint(
    settings: RunSettings,
    benchmark: Benchmark,
    *,
    script: str | None = None,
    plays_scripts: bool = True,
    players: Mapping[str, Model] = MappingProxyType({}),
) -> Model | None:
    """Return the player or the recorded replies that the settings name.

    A player is a program that writes scripts by fixed rules. Returns None if the
    settings name a model at an endpoint.

    - `script`: the text of the file in `scripted:FILE`; None if the file is still to be read.
    - `plays_scripts`: True if the solver runs scripts. A player writes nothing but
      scripts, so it cannot serve another solver.
    - `players`: the benchmark's players that have names, by these names.

    Raises `UsageError`.
    """
    name = settings.model
    named_player = players.get(name)
    if named_player is not None or name in PLAYERS:
        if not plays_scripts:
            msg = (
                f"the solver {settings.agent!r} runs no scripts, which is all that a player by rules writes: name "
                "a model with --model or MODEL_ID, or scripted:FILE"
            )
            raise UsageError(msg)
        return named_player or _player_of(benchmark, settings)

    if name in ("scripted", "scripted:"):
        msg = "--model scripted needs the file of its replies: --model scripted:FILE"
        raise UsageError(msg)
    if name.startswith("scripted:"):
        return scripted_model(name, script)
    return None


def _player_of(benchmark: Benchmark, settings: RunSettings) -> Model:
    """Return the benchmark's player.

    If it has none, and the model is `baseline`, return the player of the embedded
    benchmark. Raises `UsageError`.
    """
    player = benchmark.player()
    if player is None and settings.model == _BASELINE:
        player = named_modules.embedded_player()
    if player is None:
        msg = (
            f"the benchmark {settings.benchmark!r} has no player of its own: name a model with --model or "
            "MODEL_ID (and its endpoint with OPENAI_BASE_URL, its key with OPENAI_API_KEY), or scripted:FILE"
        )
        raise UsageError(msg)
    return player


def scripted_model(name: str, script: str | None = None) -> ScriptedModel:
    """Return the model that `scripted:FILE` names. It replies with the texts of FILE.

    `script` is the file's text, if it was read before. Raises `UsageError`.
    """
    path = Path(with_home(name.removeprefix("scripted:")))
    try:
        return ScriptedModel.from_file(path, script)
    except ValueError as error:
        raise UsageError(str(error)) from error


# Opens the endpoint of a model, with its headers and its key.


@contextlib.contextmanager
def opened_model(settings: ModelSettings) -> Iterator[Model]:
    """Open the model that the settings name, for requests outside of trials.

    Raises `UsageError`.
    """
    if settings.model.startswith("scripted:"):
        yield scripted_model(settings.model)
        return
    with contextlib.closing(open_endpoint(settings)) as endpoint:
        yield PricedModel(endpoint, base_url=settings.base_url, prices=settings.prices)


def open_endpoint(
    settings: ModelSettings, capabilities: Iterable[Capabilities] = ()
) -> Endpoint:
    """Return the endpoint that the settings name, with its key, which is in the environment.

    `capabilities` is what earlier requests showed about this and other endpoints, such as a
    parameter that is refused. Raises `UsageError` for a missing key, or an invalid setting.
    """
    # Imported here because the HTTP client that they need is slow to import.
    from controlplane.agent.endpoint import Endpoint, EndpointSettings

    secret_headers = _secret_headers(settings.model_headers)
    reply_mode = None
    if settings.reply_mode != "auto":
        reply_mode = ReplyMode(settings.reply_mode)
    endpoint_settings = EndpointSettings(
        model=settings.model,
        base_url=settings.base_url or None,
        api_key=_api_key(settings),
        key_variable=settings.api_key_env,
        api=settings.api,
        reply_mode=reply_mode,
        max_output_tokens=settings.max_output_tokens,
        temperature=settings.temperature,
        top_p=settings.top_p,
        seed=settings.sampling_seed,
        reasoning_effort=settings.reasoning_effort,
        thinking_back=settings.thinking_back,
        timeout_s=settings.model_timeout,
        headers={**settings.model_headers, **secret_headers},
        secrets=tuple(secret_headers.values()),
        body=settings.model_body,
    )
    url = endpoint_settings.shown_url
    learned: Capabilities | None = None
    for known in capabilities:  # what was learned last counts
        if known.endpoint == url and known.model == endpoint_settings.model:
            learned = known
    try:
        return Endpoint(endpoint_settings, learned)
    except ValueError as error:
        raise UsageError(str(error)) from error


def _secret_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers whose values are in variables: `{"X-Key": "$TOKEN"}` -> `{"X-Key": "s3"}`.

    They must not appear in any output. Raises `UsageError` if the variable is not set, or a header
    cannot have its value.
    """
    secrets = {}
    for name, value in headers.items():
        variable = variable_in(value)
        if not variable:
            continue
        secret = os.environ.get(variable, "").strip()
        if not (secret and secret.isascii() and secret.isprintable()):
            msg = f"the header {name} needs {value}: set {variable} in the environment to a header's value"
            raise UsageError(msg)
        secrets[name] = secret
    return secrets


def _api_key(settings: ModelSettings) -> str:
    """Return the endpoint's key from the environment; empty if there is none and none is needed.

    Raises `UsageError`.
    """
    key = os.environ.get(settings.api_key_env, "").strip()
    if not (key.isascii() and key.isprintable()):
        msg = (
            f"{settings.api_key_env} holds characters that no key has (a line break, a letter beyond ASCII); "
            "set it again"
        )
        raise UsageError(msg)
    if not key and not settings.base_url:
        hint = ""
        if nearest_name(settings.model, [_BASELINE]):
            hint = "; or did you mean 'baseline'?"
        msg = (
            f"the model {settings.model!r} needs a key in {settings.api_key_env}, "
            f"or OPENAI_BASE_URL of an endpoint without keys{hint}"
        )
        raise UsageError(msg)
    return key


# The models of a run, opened from its settings and closed at its end.

_SETTINGS_WITHOUT_INFLUENCE: Final = {
    # on costs, waiting and keys
    "api_key_env",
    "model_timeout",
    "model_patience",
    "prices",
    # on messages, which a request contains
    "max_context_tokens",
    "prompt",
    "hints",
}
"""Settings of a model that do not influence its reply to a given request."""


_MAX_SHOWN_NAMES: Final = 5
_MAX_SHOWN_NAME_CHARS: Final = 60
"""How many models of an endpoint's list a notice names, and how much of each name."""


class RunModels:
    """Opens the models of one run, and closes their endpoints at the end of the run."""

    def __init__(
        self,
        settings: RunSettings,
        capabilities: Iterable[Capabilities],
        stop: threading.Event,
    ) -> None:
        """Open no model yet.

        - `capabilities`: what earlier requests showed, such as a parameter that is refused.
        - `stop`: set when the run should stop, which cuts off its requests.
        """
        self._settings = settings
        self._capabilities = tuple(capabilities)
        self._stop = stop
        self.endpoints: list[Endpoint] = []
        """The endpoints of the models that are open."""
        self.context_tokens: int | None = None
        """The size of the context of the solver's model, as its endpoint lists it.

        None if it is unknown, or before `check_models` has read the list."""
        self.unlisted_notices: list[str] = []
        """What the user should know: a model that its endpoint does not list. Then only a request
        shows whether it can be used."""

    def open_model(self, settings: ModelSettings) -> Model:
        """Open a model. Raises `UsageError`.

        `settings` are those of the run, or of one role such as `solve`. A model at an endpoint
        computes the cost of its replies, and takes them from the run's cache (the folder of
        `--cache`) if the same request was made before.
        """
        run_settings = self._settings
        # Each limit needs the model's price. The message names only the first one.
        if run_settings.run_cost:
            _check_price(settings, "--run-cost")
        elif run_settings.trial_cost:
            _check_price(settings, "--trial-cost")

        if settings.model.startswith("scripted:"):
            return scripted_model(settings.model)

        endpoint = open_endpoint(settings, self._capabilities)
        endpoint.abort_at(self._stop)
        self.endpoints.append(endpoint)
        model = PricedModel(
            endpoint, base_url=settings.base_url, prices=settings.prices
        )
        if not run_settings.cache:
            return model

        folder = Path(run_settings.cache)
        with as_usage_error(f"--cache: cannot write to {folder}", OSError):
            check_writable(folder / "reply")
        names = set(ModelSettings.model_fields) - _SETTINGS_WITHOUT_INFLUENCE
        return CachedModel(
            model, folder, settings.model_dump(mode="json", include=names)
        )

    def check_models(self) -> None:
        """Check by the endpoints' lists of models whether the models can be used.

        Raises `Unreachable` if an endpoint refuses the key, or if a name is a listed one with a
        wrong letter: `gpt-5-minni`. Any other unlisted name is noted in `unlisted_notices`, because
        endpoints do not list presets, aliases and deployments. Sets `context_tokens`.
        """
        # The role `solve` writes the scripts. It has the run's model, unless it has its own.
        solve_settings = self._settings.role.get("solve", self._settings)
        for endpoint in self.endpoints:
            try:
                models = endpoint.listed_models()
            except ModelError as error:
                raise Unreachable(str(error)) from error
            if endpoint.name == solve_settings.model:
                for model in models:
                    # A server of a single model, such as llama.cpp, accepts any name.
                    if model.model_id == endpoint.name or len(models) == 1:
                        self.context_tokens = model.context_tokens
                        break

            listed_names = [model.model_id for model in models]
            if not listed_names or _is_listed(endpoint.name, listed_names):
                continue
            meant_name = _misspelt(endpoint.name, listed_names)
            if meant_name:
                msg = (
                    f"the endpoint has no model {endpoint.name!r}; did you mean {meant_name!r}?; "
                    "name one of its models with --model"
                )
                raise Unreachable(msg)
            hint = _hint_at_listed(endpoint.name, listed_names)
            self.unlisted_notices.append(
                f"the endpoint does not list the model {endpoint.name!r}{hint}; "
                "the first request shows whether it can be used"
            )

    def close(self) -> None:
        """Close the connections to the endpoints."""
        for endpoint in self.endpoints:
            endpoint.close()


def _check_price(settings: ModelSettings, limit: str) -> None:
    """Raise `UsageError` if the price of replies is unknown, since a limit in USD needs it.

    `limit` is the option that sets the limit, such as `--run-cost`.
    """
    host = urlsplit(settings.base_url).hostname or ""
    if host.endswith("openrouter.ai"):
        return  # Its replies contain their cost.
    if settings.prices or public_price_source(settings.model, settings.base_url):
        return
    msg = f"{limit}: the price of {settings.model} is unknown, so the limit cannot be kept; {PRICE_REMEDY}"
    raise UsageError(msg)


# The models that others than the solver ask: a grader, a simulated user, a second reader.
#
# Each asks in a *role*, such as `grade`. By `--role grade=PROFILE`, the user names the model.


@dataclass(frozen=True, slots=True)
class SideModels:
    """The models of the benchmark's grader, its simulated user, and the second reader of answers."""

    by_role: Mapping[str, Model] = field(default_factory=dict)
    """The model that answers requests in a role, such as `grade`."""

    @property
    def has_reader(self) -> bool:
        """True if a second reader reads answers."""
        return REVIEWER in self.by_role

    def reply_to(self, request: ModelRequest) -> Reply:
        """Return the reply to a request.

        Raises `ModelError`, or `UsageError`
        if the user has named no model for the role.
        """
        model = self.by_role.get(request.role)
        if model is None:
            msg = f"the benchmark asks a model ({request.role}): name one with --role {request.role}=PROFILE"
            raise UsageError(msg)
        return model.reply_to(request)
