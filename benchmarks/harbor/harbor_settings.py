"""The `--set` options of `harbor:DIR`, such as `--set lost_container=restart`.

Those for containers are shared with other benchmarks, in `ContainerSettings`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controlplane.benchmarks.containers.container_settings import ContainerSettings
from controlplane.score_scale import ANY_NUMBER, UNIT_SCALE, ScoreScale


@dataclass(frozen=True, slots=True)
class HarborSettings:
    """The options of the user."""

    containers: ContainerSettings
    restarts_lost_trials: bool
    """What a resumed run does if a trial's container is gone: True to start the trial again.

    False to repeat its recorded calls in a new container.
    """
    reward: str
    """The key in reward.json whose value is the score; empty for the default."""
    scale: ScoreScale
    """Which rewards are scores."""

    @classmethod
    def parse(
        cls, options: Mapping[str, str], environment: Mapping[str, str]
    ) -> HarborSettings:
        """Return the settings for these options. Raises `BenchmarkError`."""
        return cls(
            containers=ContainerSettings.parse(options, environment),
            restarts_lost_trials=options.get("lost_container") == "restart",
            reward=options.get("reward", ""),
            scale=ANY_NUMBER if options.get("scale") == "any" else UNIT_SCALE,
        )
