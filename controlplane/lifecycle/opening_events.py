"""The first events of a new run: its settings and its prompt texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from controlplane.agent.loop import Prompts
from controlplane.configuration.setting_sources import FLAG
from controlplane.journal.run_events import (
    HINTS,
    ParentRun,
    PromptText,
    RunOpened,
    RunPrompts,
    Setting,
)
from controlplane.lifecycle.resources.run_resources import RunResources


def opening_event(
    run_id: str,
    resources: RunResources,
    sources: Mapping[str, str],
    tasks: Sequence[str],
    parent: ParentRun | None,
) -> RunOpened:
    """Return the event with the settings of a new run.

    `sources` says where each setting comes from that is not a default. `tasks` are
    arguments of the command, which are recorded like a setting.
    """
    settings = resources.settings
    return RunOpened(
        run=run_id,
        name=settings.name,
        benchmark=settings.benchmark,
        model=resources.model.name if resources.model else "",
        rule_sets=resources.rule_sets,
        settings=_recorded_settings(resources, sources, tasks),
        versions=resources.versions(),
        parent=parent,
    )


def _recorded_settings(
    resources: RunResources, sources: Mapping[str, str], tasks: Sequence[str]
) -> tuple[Setting, ...]:
    values = resources.settings.model_dump(mode="json")
    # Record the full path of a benchmark that was named by a relative one, for `resume`.
    identity = resources.opened.resume_identity
    if identity is not None:
        values["benchmark"] = identity.spec
        values["set"] = dict(identity.settings)
    values["tasks"] = list(tasks)

    recorded = []
    for name, value in values.items():
        source = sources.get(name, "default")
        if name == "tasks" and tasks:
            source = sources.get(name, FLAG)
        recorded.append(Setting(name=name, value=value, source=source))
    return tuple(recorded)


def prompts_event(prompts: Prompts) -> RunPrompts:
    """Return the event with the prompt texts, and the user's hints if there are any."""
    texts = dict(prompts.texts)
    if prompts.hints:
        texts[HINTS] = prompts.hints
    return RunPrompts(
        texts=tuple(PromptText(name=name, text=text) for name, text in texts.items())
    )
