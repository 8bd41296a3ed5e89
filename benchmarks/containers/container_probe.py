"""Finds out for `doctor` whether containers can start here, by starting one.

Podman may be installed and list images, although the machine lets it start nothing: a runtime is
missing, or it is itself in a container. Only a start shows that. It needs an image that is on
this machine, since `doctor` downloads nothing.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from typing import Final

from controlplane.benchmark import MachineFinding
from controlplane.benchmarks.containers.container_runtime import (
    OWNER_LABEL,
    ContainerRuntime,
    owner,
)
from controlplane.benchmarks.containers.container_settings import ContainerSettings
from controlplane.benchmarks.containers.container_spec import ContainerSpec
from controlplane.benchmarks.containers.runtime_program import ContainerError

MAX_STARTS: Final = 3
"""The most images that are tried: one may lack a shell, without which none starts here."""


def container_finding(
    runtime: ContainerRuntime, settings: ContainerSettings, images: Iterable[str]
) -> MachineFinding:
    """Return whether a container starts with these settings. `images` are those of the tasks.

    If none of them is on this machine, another image takes its place. Without any image, it is
    unknown.
    """
    fault = ""
    try:
        own = [
            image for image in dict.fromkeys(images) if runtime.images.has_image(image)
        ]
        others = [image for image in runtime.images.names() if image not in own]
        for image in [*own, *others][:MAX_STARTS]:
            fault = _start_fault(runtime, settings, image)
            if not fault:
                return MachineFinding(True, f"{runtime.name} starts one of {image}")
            if image in own:
                break
    except ContainerError as error:
        return MachineFinding(False, _line(str(error)), f"repair {runtime.name}")
    if fault:
        remedy = f"see whether `{runtime.name} run IMAGE true` works; docs/harbor.md has the flags"
        return MachineFinding(False, fault, remedy)
    text = (
        f"whether {runtime.name} can start one is unknown: no image is on this machine"
    )
    return MachineFinding(None, text, "pull an image, and ask again")


def _start_fault(
    runtime: ContainerRuntime, settings: ContainerSettings, image: str
) -> str:
    """Start a container of an image and remove it. Return why that fails; empty if it does not."""
    spec = ContainerSpec(
        image=image,
        name=f"controlplane-doctor-{os.getpid()}-{secrets.token_hex(4)}",
        labels={OWNER_LABEL: owner()},
        limits=settings.limits(task_memory="", task_cpus=0.0),
    )
    try:
        container = runtime.start(spec)
        result = container.script("exit 0")
    except ContainerError as error:
        return _line(str(error))
    finally:
        runtime.remove(spec.name)
    if result.exit_code != 0:
        return f"a command in a container of {image} ends with {result.exit_code}"
    return ""


def _line(text: str) -> str:
    """Return a message of several lines as one."""
    return ": ".join(line.strip() for line in text.splitlines() if line.strip())
