"""Commands of podman or docker about images: pull, build and inspect them.

An image is the file system and the settings that a container starts with.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from controlplane.benchmarks.containers.container_variables import (
    build_flags_of_proxies,
)
from controlplane.benchmarks.containers.dockerfile import DOCKERFILE
from controlplane.benchmarks.containers.runtime_program import (
    ContainerError,
    RuntimeProgram,
)
from controlplane.benchmarks.containers.task_values import (
    check_image,
    check_user,
    check_workdir,
)


@dataclass(frozen=True, slots=True)
class ImageDefaults:
    """How an image's programs start, unless a task says otherwise."""

    workdir: str
    user: str
    """Empty for root."""
    has_entrypoint: bool
    """True if a program of the image runs first."""


@dataclass(frozen=True, slots=True)
class ImageCommands:
    """The images of this machine."""

    program: RuntimeProgram
    build_flags: tuple[str, ...] = ()
    """The user's own flags for builds."""
    notify: Callable[[str], None] = lambda text: None
    """Tells the user of a pull, which is the one thing of a task that uses the network unasked."""

    def has_image(self, image: str) -> bool:
        """Return True if an image is on this machine. Raises `ContainerError`."""
        check_image(image)
        return self.program.run("image", "inspect", image).exit_code == 0

    def names(self) -> list[str]:
        """Return the names of images on this machine: `docker.io/library/debian:12`.

        Raises `ContainerError`.
        """
        arguments = ("images", "--format={{.Repository}}:{{.Tag}}")
        names = self.program.listed("list images", *arguments)
        # An image without a name is shown as `<none>:<none>`.
        return [name for name in names if "<" not in name]

    def pull(self, image: str, timeout_s: float) -> None:
        """Pull an image from its registry, and tell the user.

        Raises `ContainerError` and `CommandInterrupted`.
        """
        check_image(image)
        self.notify(f"pulls the image {image}")
        self.program.run_or_raise(
            f"pull the image {image}",
            "pull",
            image,
            timeout_s=timeout_s,
            while_waiting=self.program.raise_if_stopped,
        )

    def build(  # noqa: PLR0913 - each is another flag of the build
        self,
        folder: Path,
        image: str,
        timeout_s: float,
        *,
        has_network: bool,
        proxies: Collection[str],
        dockerfile: Path | None = None,
        options: Sequence[str] = (),
    ) -> None:
        """Build an image from a folder, with these options. Pull nothing.

        Unless a `dockerfile` is given, it is that of the folder. `proxies` are the names of the user's proxies that the build may have. Raises
        `ContainerError` and `CommandInterrupted`.
        """
        place = (dockerfile or folder / DOCKERFILE).absolute()
        # Without `--file`, podman would take a Containerfile that stands beside it.
        arguments = ["build", f"--tag={image}", f"--file={place}"]
        arguments += [*options, *build_flags_of_proxies(self.program.name, proxies)]
        if not has_network:
            arguments.append("--network=none")
        if self.program.name == "podman":
            # Docker has no such flag. It would pull a missing base image.
            arguments.append("--pull=never")
        arguments += [*self.build_flags, str(folder.absolute())]
        self.program.run_or_raise(
            "build the image",
            *arguments,
            timeout_s=timeout_s,
            while_waiting=self.program.raise_if_stopped,
        )

    def remove_built(self, repository: str) -> list[str]:
        """Remove the images of a repository that no container uses, and return their names.

        Raises `ContainerError`.
        """
        removed = []
        for name in self.names():
            if name.rpartition(":")[0] == repository:
                if self.program.run("rmi", name).exit_code == 0:
                    removed.append(name)
        return removed

    def triggers(self, image: str) -> list[str]:
        """Return the `ONBUILD` instructions of an image. Raises `ContainerError`.

        `["ADD . /app"]` -> a build that begins with the image copies its folder.
        """
        # Podman does not show them, but names each in the history of the image.
        lists = "[{{json .Config.OnBuild}}]"
        if self.program.name == "podman":
            lists = "[{{range .History}}{{json .CreatedBy}}, {{end}}[]]"
        values = self._inspected(image, lists)
        triggers = []
        for value in values:
            for text in value if isinstance(value, list) else [value]:
                _, is_trigger, trigger = str(text).partition("ONBUILD ")
                if self.program.name == "podman" and is_trigger:
                    triggers.append(trigger)
                elif self.program.name != "podman" and text:
                    triggers.append(str(text))
        return triggers

    def defaults(self, image: str) -> ImageDefaults:
        """Return how an image's programs start unless a task says otherwise. Raises `ContainerError`."""
        formats = (
            "[{{json .Config.WorkingDir}}, {{json .Config.User}}, "
            "{{json .Config.Entrypoint}}]"
        )
        *texts, entrypoint = self._inspected(image, formats)
        workdir, user = (str(value or "") for value in texts)
        check_workdir(workdir)
        check_user(user)
        return ImageDefaults(workdir or "/", user, bool(entrypoint))

    def _inspected(self, image: str, format_text: str) -> list[Any]:
        """Return the JSON list that this format makes of an image. Raises `ContainerError`.

        The author of the image has written what is in it.
        """
        check_image(image)
        result = self.program.run_or_raise(
            f"inspect the image {image}",
            *("image", "inspect", f"--format={format_text}", image),
        )
        try:
            values = json.loads(result.stdout)
        except (ValueError, RecursionError) as error:
            msg = f"{self.program.name} says nothing usable of the image {image}"
            raise ContainerError(msg) from error
        return list(values)


class PresentImages:
    """The images of this machine, to ask for many by `image in present`."""

    def __init__(self, commands: ImageCommands) -> None:
        self._commands = commands
        self._names: set[str] | None = None
        """Those with tags, as podman and docker list them; None until they are asked for."""
        self._asked: dict[str, bool] = {}

    def __contains__(self, image: str) -> bool:
        """Return True if an image is on this machine. Raises `ContainerError`."""
        if self._names is None:
            self._names = set(self._commands.names())
        tagged = image if ":" in image.rpartition("/")[2] else f"{image}:latest"
        prefixes = ("", "localhost/", "docker.io/", "docker.io/library/")
        if any(prefix + tagged in self._names for prefix in prefixes):
            return True
        # It may have a digest, or a short name of its own.
        if image not in self._asked:
            self._asked[image] = self._commands.has_image(image)
        return self._asked[image]
