"""Commands of podman or docker about images: pull, build and inspect them.

An image is the file system and the settings that a container starts with.
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from controlplane.benchmarks.containers.container_variables import (
    build_flags_of_proxies,
)
from controlplane.benchmarks.containers.runtime_program import (
    ContainerError,
    RuntimeProgram,
)
from controlplane.benchmarks.containers.task_values import (
    check_image,
    check_user,
    check_workdir,
)

DOCKERFILE: Final = "Dockerfile"


@dataclass(frozen=True, slots=True)
class ImageDefaults:
    """The folder and user of an image's programs, unless a task names others."""

    workdir: str
    user: str
    """Empty for root."""


@dataclass(frozen=True, slots=True)
class ImageCommands:
    """The images of this machine."""

    program: RuntimeProgram
    build_flags: tuple[str, ...] = ()
    """The user's own flags for builds."""

    def has_image(self, image: str) -> bool:
        """Return True if an image is on this machine. Raises `ContainerError`."""
        check_image(image)
        return self.program.run("image", "inspect", image).exit_code == 0

    def pull(self, image: str, timeout_s: float) -> None:
        """Pull an image from its registry. Raises `ContainerError` and `CommandInterrupted`."""
        check_image(image)
        self.program.run_or_raise(
            f"pull the image {image}",
            "pull",
            image,
            timeout_s=timeout_s,
            while_waiting=self.program.raise_if_stopped,
        )

    def build(
        self,
        folder: Path,
        image: str,
        timeout_s: float,
        *,
        has_network: bool,
        may_pull: bool,
        proxies: Collection[str],
    ) -> None:
        """Build an image from a folder that has a Dockerfile.

        `proxies` are the names of the user's proxies that the build may have. Raises
        `ContainerError` and `CommandInterrupted`.
        """
        folder = folder.absolute()
        # Without `--file`, podman would take a Containerfile that stands beside it.
        arguments = ["build", f"--tag={image}", f"--file={folder / DOCKERFILE}"]
        arguments += build_flags_of_proxies(self.program.name, proxies)
        if not has_network:
            arguments.append("--network=none")
        if self.program.name == "podman":
            # Docker has no such flag. It always pulls a missing base image.
            arguments += ["--pull=missing" if may_pull else "--pull=never"]
        arguments += [*self.build_flags, str(folder)]
        self.program.run_or_raise(
            "build the image",
            *arguments,
            timeout_s=timeout_s,
            while_waiting=self.program.raise_if_stopped,
        )

    def defaults(self, image: str) -> ImageDefaults:
        """Return the working folder and user of an image's programs. Raises `ContainerError`."""
        check_image(image)
        format_text = "[{{json .Config.WorkingDir}}, {{json .Config.User}}]"
        result = self.program.run_or_raise(
            f"inspect the image {image}",
            "image",
            "inspect",
            f"--format={format_text}",
            image,
        )
        # The author of the image has written both.
        try:
            workdir, user = json.loads(result.stdout)
        except (ValueError, RecursionError, TypeError) as error:
            msg = f"{self.program.name} says nothing usable of the image {image}"
            raise ContainerError(msg) from error
        workdir, user = str(workdir or "/"), str(user or "")
        check_workdir(workdir)
        check_user(user)
        return ImageDefaults(workdir, user)
