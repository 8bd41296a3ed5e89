"""Reads the file of a sweep and says which runs it is made of."""

from __future__ import annotations

import itertools
import os
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, ValidationError

from controlplane.configuration.run_settings import RunSettings
from controlplane.configuration.setting_sources import Resolved, fault_text, resolve
from controlplane.errors import UsageError, did_you_mean
from controlplane.journal.journal_lines import key_of

SHARED: Final = frozenset({"benchmark", "set", "seed", "limit", "repeats", "name", "runs_dir"})
"""The settings that all runs of a sweep have in common: they decide which worlds are played, and where journals lie."""
MOST_RUNS: Final = 500


def _of_file_names(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]{0,60}", name):
        msg = "the name of a sweep begins the names of its journals: letters, digits, - and _, at most 61"
        raise ValueError(msg)
    return name


class SweepFile(BaseModel):
    """The whole of a sweep's file."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    name: Annotated[str, AfterValidator(_of_file_names)]
    """The sweep's name; its journals begin with it."""
    one_at_a_time: bool = False
    """Each axis alone against the base; else every combination."""
    max_cost_usd: float | None = Field(None, gt=0)
    """What all of its runs together may cost, in US dollars; each is held to what those before it left."""
    tasks: tuple[str, ...] = ()
    """Tasks or families; empty for all."""
    base: dict[str, JsonValue] = Field(default_factory=dict)
    """Settings of the base run, as in [run] of controlplane.toml."""
    axes: dict[str, tuple[JsonValue, ...]] = Field(default_factory=dict)
    """For each setting that varies, its values beside the base's."""
    runs: tuple[dict[str, JsonValue], ...] = ()
    """Further runs, each with the settings in which it differs from the base."""


@dataclass(frozen=True, slots=True)
class SweepRun:
    """One run of a sweep."""

    run_id: str
    """The id of its journal."""
    label: str
    """What differs from the base, as `model=a, gates=none`; `base` for the base."""
    resolved: Resolved


@dataclass(frozen=True, slots=True)
class SweepPlan:
    """A sweep: its file, and its runs, the base first."""

    file: SweepFile
    runs: tuple[SweepRun, ...]


def read_plan(path: Path, environ: Mapping[str, str] | None = None) -> SweepPlan:
    """Return the plan that the file at `path` describes. Raises `UsageError` naming the file and the key."""
    file = _read(path)
    if not (file.axes or file.runs):
        msg = f"{path}: a sweep varies something: give [axes], or [[runs]]"
        raise UsageError(msg)
    named: list[tuple[str, Iterable[str]]] = [("base", file.base), ("axes", file.axes)]
    for place, names in (*named, *(("runs", each) for each in file.runs)):
        for name in names:
            if name not in RunSettings.model_fields:
                msg = f"{path}: [{place}] there is no setting {name!r}{did_you_mean(name, RunSettings.model_fields)}"
                raise UsageError(msg)
            if (place != "base" and name in SHARED) or name in ("name", "runs_dir"):
                why = "the runs of a sweep share it" if name not in ("name", "runs_dir") else "the sweep sets it"
                msg = f"{path}: [{place}] {name} cannot stand there: {why}"
                raise UsageError(msg)
    found: dict[str, tuple[str, Resolved]] = {}
    for changes in _combinations(file):
        resolved = _resolved(path, file, changes, os.environ if environ is None else environ)
        settings = resolved.settings.model_dump_json(exclude={"name"})
        found.setdefault(settings, (_label(changes), resolved))  # a value of an axis may be the base's
    ids = _run_ids(file.name, [label for label, _ in found.values()])
    runs = [SweepRun(ids[label], label, resolved) for label, resolved in found.values()]
    if len(runs) > MOST_RUNS:
        msg = f"{path}: {len(runs)} runs are more than {MOST_RUNS}; give axes fewer values, or set one_at_a_time = true"
        raise UsageError(msg)
    return SweepPlan(file, tuple(runs))


def _read(path: Path) -> SweepFile:
    try:
        return SweepFile.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        msg = f"cannot read {path}: {error.strerror}"
        raise UsageError(msg) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        msg = f"{path} is no TOML: {error}"
        raise UsageError(msg) from error
    except ValidationError as error:
        fault = error.errors()[0]
        *_, key = (str(each) for each in fault["loc"])
        unknown = f"there is no such key{did_you_mean(key, SweepFile.model_fields)}"
        text = unknown if fault["type"] == "extra_forbidden" else fault_text(fault)
        msg = f"{path}: {'.'.join(str(each) for each in fault['loc'])}: {text}"
        raise UsageError(msg) from error


def _combinations(file: SweepFile) -> Iterator[dict[str, JsonValue]]:
    """Yield what each run changes of the base, the base itself first."""
    yield {}
    yield from _along_axes(file)
    yield from file.runs


def _along_axes(file: SweepFile) -> Iterator[dict[str, JsonValue]]:
    if file.one_at_a_time:
        for name, values in file.axes.items():
            yield from ({name: each} for each in values)
        return
    choices = [[None, *((name, each) for each in values)] for name, values in file.axes.items()]
    for chosen in itertools.islice(itertools.product(*choices), 1, 10 * MOST_RUNS):
        yield dict(each for each in chosen if each is not None)


def _resolved(path: Path, file: SweepFile, changes: Mapping[str, JsonValue], environ: Mapping[str, str]) -> Resolved:
    label = _label(changes)
    given = {**file.base, **changes, "name": f"{file.name} {label}"[:200]}
    try:
        return resolve(given, environ, Path.cwd())
    except UsageError as error:
        msg = f"{path}, {label}: {str(error).removeprefix('--')}"
        raise UsageError(msg) from error


def _label(changes: Mapping[str, JsonValue]) -> str:
    return ", ".join(f"{name}={value}" for name, value in changes.items()) or "base"


def _run_ids(name: str, labels: Iterable[str]) -> dict[str, str]:
    """Return a journal's id for each label; where several read alike, as `+a` and `-a`, a digest tells them apart."""
    slugs = {each: re.sub(r"[^A-Za-z0-9.]+", "-", each).strip("-.")[:80] for each in labels}
    alike = Counter(each.casefold() for each in slugs.values())  # some file systems know no capitals
    return {
        label: f"{name}-{slug}" + (f"-{key_of(label)[:8]}" if alike[slug.casefold()] > 1 else "")
        for label, slug in slugs.items()
    }
