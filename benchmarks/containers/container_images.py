"""The images of containers: pulled by their names, or built from a folder with a Dockerfile.

An image is the file system and the settings that a container starts with. Many trials
need the same one, so it is pulled or built once.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import re2

from controlplane.benchmarks.containers.compose_file import (
    ComposeBuild,
    ComposeService,
)
from controlplane.benchmarks.containers.container_settings import (
    ContainerSettings,
    build_flags_of_proxies,
)
from controlplane.benchmarks.containers.dockerfile import (
    check_trigger,
    has_heredoc,
    images_of_build,
)
from controlplane.benchmarks.containers.runtime_program import (
    ContainerError,
    RuntimeProgram,
    go_on,
    is_gone,
)
from controlplane.benchmarks.containers.set_files import SetFileError, SetFiles
from controlplane.benchmarks.containers.task_values import (
    TaskValueError,
    check_image,
    check_user,
    check_workdir,
)
from controlplane.sandbox.files import write_whole

_BUILT_IMAGES: Final = "localhost/controlplane-task"
"""The repository of the images that are built here."""
_VERSION: Final = re2.compile(r"([0-9]{1,5})\.([0-9]{1,5})")
_FIRST_WITH_HEREDOCS: Final = (4, 8)
"""The first version of podman that builds `RUN <<EOF`."""
_DOCKERFILE: Final = "Dockerfile"
_MAX_BYTES: Final = 200_000
"""The most bytes of a Dockerfile."""
_BUILDER: Final = "CONTROLPLANE_BUILDER"
"""The argument of each build with the number of the process that has begun it. No Dockerfile needs it."""
_MOST_BUILDER_BYTES: Final = 10_000_000
"""The most bytes of podman's file on a container of a build."""


@dataclass(frozen=True, slots=True)
class ImageDefaults:
    """How an image's programs start, unless a task says otherwise."""

    workdir: str
    user: str
    """Empty for root."""
    has_entrypoint: bool
    """True if a program of the image runs first."""


class ContainerImages:
    """The images of this machine. Many threads share it; each image is built or pulled only once."""

    def __init__(
        self,
        program: RuntimeProgram,
        settings: ContainerSettings,
        build_flags: tuple[str, ...] = (),
        notify: Callable[[str], None] = lambda text: None,
    ) -> None:
        """`build_flags` are the user's own. `notify` tells the user of pulls, which use the network."""
        self.program = program
        self.settings = settings
        self.notify = notify
        self._build_flags = build_flags
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        """A lock for each image, held while the image is built or pulled."""
        self._present: set[str] = set()
        """Images known to be on this machine. Later trials need not check again."""
        self._listed: set[str] | None = None
        """The names with tags that podman and docker have listed; None until they are asked for."""
        self._version: str | None = None
        """That of podman; None until a Dockerfile needs it."""
        self._defaults: dict[str, ImageDefaults] = {}

    def has_image(self, image: str) -> bool:
        """Return True if an image is on this machine. Raises `ContainerError`."""
        check_image(image)
        return self.program.run("image", "inspect", image).exit_code == 0

    def had_image(self, image: str) -> bool:
        """Return True if an image was on this machine, as `has_image` would.

        It is asked for the images of many tasks, and one listing answers most of it. Raises
        `ContainerError`.
        """
        if self._listed is None:
            self._listed = set(self.names())
        tagged = image if ":" in image.rpartition("/")[2] else f"{image}:latest"
        prefixes = ("", "localhost/", "docker.io/", "docker.io/library/")
        if any(prefix + tagged in self._listed for prefix in prefixes):
            return True
        # It may have a digest, or a short name of its own.
        return self.has_image(image)

    def names(self) -> list[str]:
        """Return the names of images on this machine: `docker.io/library/debian:12`.

        Raises `ContainerError`.
        """
        arguments = ("images", "--format={{.Repository}}:{{.Tag}}")
        names = self.program.listed("list images", *arguments)
        # An image without a name is shown as `<none>:<none>`.
        return [name for name in names if "<" not in name]

    def needed_by(self, service: ComposeService, files: SetFiles) -> list[str]:
        """Return the images that have to be there before a service starts: its own, or its build's.

        Raises `TaskValueError` for a Dockerfile that reaches more than the user allows, or that
        this version of podman cannot read.
        """
        if service.build is None:
            return [service.image]
        return self._needed_by_build(
            service.build, _dockerfile_of(service.build, files)
        )

    def _needed_by_build(self, build: ComposeBuild, content: bytes) -> list[str]:
        images = images_of_build(
            content,
            self.program.name,
            has_network=self.settings.build_network,
            arguments=build.arguments,
        )
        if has_heredoc(content):
            self._check_heredocs()
        return images

    def _check_heredocs(self) -> None:
        """Raise `TaskValueError` if this is a podman that takes the lines of a heredoc for instructions."""
        if self.program.name != "podman":
            return
        if self._version is None:
            words = ("version", "--format={{.Client.Version}}")
            self._version = self.program.run(*words).stdout.decode("utf-8", "replace")
        match = _VERSION.match(self._version)
        if match is not None and (int(match[1]), int(match[2])) < _FIRST_WITH_HEREDOCS:
            msg = (
                f"the Dockerfile has a heredoc (<<EOF), which podman {self._version.strip()} "
                "cannot build: take podman 4.8 or docker"
            )
            raise TaskValueError(msg)

    def forget(self, images: Iterable[str]) -> None:
        """Ask again whether these are on this machine before their next container starts."""
        self._present.difference_update(images)

    def ensure_pulled(self, image: str, timeout_s: float) -> None:
        """Pull an image if it is not on this machine, and tell the user.

        Raises `CommandInterrupted`, and `ContainerError`, also if the user's settings do
        not allow to pull images.
        """
        with self._locks[image]:
            if image in self._present:
                return
            if not self.has_image(image):
                if not self.settings.may_pull:
                    msg = f"the image {image} is not on this machine: --set pull=true pulls it"
                    raise ContainerError(msg)
                self.notify(f"pulls the image {image}")
                self.program.run_or_raise(
                    f"pull the image {image}",
                    *("pull", image),
                    timeout_s=timeout_s,
                )
            self._present.add(image)

    def image_of(
        self, service: ComposeService, files: SetFiles, timeout_s: float
    ) -> str:
        """Pull or build the image of a service, if need be, and return its name.

        `files` is the set of tasks to which the service belongs. Raises `ContainerError` and
        `CommandInterrupted`.
        """
        if service.build is None:
            self.ensure_pulled(service.image, timeout_s)
            return service.image
        try:
            return self._built(service.build, files, timeout_s)
        except SetFileError as error:
            raise ContainerError(str(error)) from error

    def _built(self, build: ComposeBuild, files: SetFiles, timeout_s: float) -> str:
        """Build the image of a folder with a Dockerfile if necessary, and return its name.

        The name has a hash of the folder and of the build's options, so a changed folder gets a
        new image.
        """
        folder = build.folder
        options = [
            f"--build-arg={name}={value}" for name, value in build.arguments.items()
        ]
        if build.target:
            options.append(f"--target={build.target}")
        digest = hashlib.sha256(files.digest(folder).encode())
        if options or build.inline or build.dockerfile != _DOCKERFILE:
            digest.update(repr((build.inline or build.dockerfile, options)).encode())
        image = f"{_BUILT_IMAGES}:{digest.hexdigest()[:24]}"
        with self._locks[image]:
            is_known = image in self._present
            if not is_known and (
                self.settings.builds_anew or not self.has_image(image)
            ):
                dockerfile = _dockerfile_of(build, files)
                for name in self._needed_by_build(build, dockerfile):
                    self.ensure_pulled(name, timeout_s)
                    self._check_triggers(name)
                # The program would follow links out of the folder; in a copy there are none.
                with files.copied(folder) as copy:
                    # Beside the copy, because in it a link could stand in its place.
                    place = copy.parent / _DOCKERFILE
                    write_whole(place, dockerfile)
                    options += [f"--tag={image}", f"--file={place}", str(copy)]
                    self._build(options, timeout_s)
            self._present.add(image)
        return image

    def _build(self, words: Sequence[str], timeout_s: float) -> None:
        """Build an image by these options and from the folder after them. Pull nothing.

        Raises `ContainerError` and `CommandInterrupted`.
        """
        proxies = self.settings.build_proxies
        flags = [
            *build_flags_of_proxies(self.program.name, proxies),
            *self._build_flags,
        ]
        if self.settings.builds_anew:
            flags.append("--no-cache")
        if not self.settings.build_network:
            flags.append("--network=none")
        if self.program.name == "podman":
            # Docker has no such flag. It would pull a missing base image.
            flags.append("--pull=never")
            flags.append(f"--build-arg={_BUILDER}={os.getpid()}")
        self.program.run_or_raise(
            "build the image", "build", *flags, *words, timeout_s=timeout_s
        )

    def remove_abandoned_builds(self) -> None:
        """Remove the containers of builds whose processes were killed.

        Podman gives them no labels, and lists no argument of a build. It has these in a file of its
        own beside each container. Raises `ContainerError`.
        """
        if self.program.name != "podman":
            return
        form = "--format={{.Store.GraphRoot}} {{.Store.GraphDriverName}}"
        result = self.program.run("info", form)
        root, _, driver = (
            result.stdout.decode("utf-8", "replace").strip().rpartition(" ")
        )
        folder = Path(root, f"{driver}-containers")
        for path in folder.glob("*/userdata/buildah.json") if root else ():
            try:
                with path.open("rb") as file:
                    arguments = json.loads(file.read(_MOST_BUILDER_BYTES))["Args"]
            except (OSError, ValueError, RecursionError, KeyError, TypeError):
                continue
            if isinstance(arguments, dict) and is_gone(str(arguments.get(_BUILDER))):
                name = path.parts[-3]
                self.program.run("rm", "--force", name, while_waiting=go_on)

    def remove_built(self) -> int:
        """Remove the images that were built here and that no container uses. Return how many.

        Raises `ContainerError`.
        """
        count = 0
        for name in self.names():
            is_built = name.rpartition(":")[0] == _BUILT_IMAGES
            if is_built and self.program.run("rmi", name).exit_code == 0:
                count += 1
        return count

    def _check_triggers(self, image: str) -> None:
        """Raise `TaskValueError` if an image makes the builds that begin with it fetch something."""
        for trigger in self._triggers(image):
            check_trigger(trigger, has_network=self.settings.build_network)

    def _triggers(self, image: str) -> list[str]:
        """Return the `ONBUILD` instructions of an image. Raises `ContainerError`.

        `["ADD . /app"]` -> a build that begins with the image copies its folder.
        """
        # Podman does not show them, but names each in the history of the image.
        lists = "[{{json .Config.OnBuild}}]"
        if self.program.name == "podman":
            lists = "[{{range .History}}{{json .CreatedBy}}, {{end}}[]]"
        triggers = []
        for value in self._inspected(image, lists):
            for text in value if isinstance(value, list) else [value]:
                _, is_trigger, trigger = str(text or "").partition("ONBUILD ")
                if is_trigger:
                    triggers.append(trigger)
                elif self.program.name != "podman" and text:
                    triggers.append(str(text))
        return triggers

    def defaults(self, image: str) -> ImageDefaults:
        """Return how an image's programs start unless a task says otherwise. Raises `ContainerError`."""
        # Two threads may ask for it at the same time, and get the same.
        if image not in self._defaults:
            formats = (
                "[{{json .Config.WorkingDir}}, {{json .Config.User}}, "
                "{{json .Config.Entrypoint}}]"
            )
            *texts, entrypoint = self._inspected(image, formats)
            workdir, user = (str(value or "") for value in texts)
            check_workdir(workdir)
            check_user(user)
            defaults = ImageDefaults(workdir or "/", user, bool(entrypoint))
            self._defaults[image] = defaults
        return self._defaults[image]

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


def _dockerfile_of(build: ComposeBuild, files: SetFiles) -> bytes:
    """Return the Dockerfile of a build. Raises `TaskValueError`."""
    try:
        content = build.content(files, _MAX_BYTES)
    except SetFileError as error:
        raise TaskValueError(str(error)) from error
    if content is None:
        msg = "there is no Dockerfile"
        raise TaskValueError(msg)
    return content
