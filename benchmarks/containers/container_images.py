"""The images of containers: pulled by their names, or built from a folder with a Dockerfile.

An image is the file system and the settings that a container starts with. Many trials
need the same one, so it is pulled or built once.
"""

from __future__ import annotations

import hashlib
import threading
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from controlplane.benchmarks.containers.compose_file import ComposeService
from controlplane.benchmarks.containers.container_runtime import ContainerSettings
from controlplane.benchmarks.containers.dockerfile import (
    DOCKERFILE,
    check_trigger,
    images_of_build,
)
from controlplane.benchmarks.containers.image_commands import (
    ImageCommands,
    ImageDefaults,
)
from controlplane.benchmarks.containers.runtime_program import ContainerError
from controlplane.benchmarks.containers.set_files import SetFileError, SetFiles
from controlplane.sandbox.files import write_whole

BUILT_IMAGES: Final = "localhost/controlplane-task"
"""The repository of the images that are built here."""
_MAX_BYTES: Final = 200_000
"""The most bytes of a Dockerfile."""


class ContainerImages:
    """The images of a run. Many threads share it; each image is built or pulled only once."""

    def __init__(self, commands: ImageCommands, settings: ContainerSettings) -> None:
        self._commands = commands
        self._settings = settings
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        """A lock for each image, held while the image is built or pulled."""
        self._present: set[str] = set()
        """Images known to be on this machine. Later trials need not check again."""
        self._defaults: dict[str, ImageDefaults] = {}

    def ensure_pulled(self, image: str, timeout_s: float) -> None:
        """Pull an image if it is not on this machine.

        Raises `CommandInterrupted`, and `ContainerError`, also if the user's settings do
        not allow to pull images.
        """
        with self._locks[image]:
            if not self._is_present(image):
                if not self._settings.may_pull:
                    msg = f"the image {image} is not on this machine: --set pull=true pulls it"
                    raise ContainerError(msg)
                self._commands.pull(image, timeout_s)
                self._present.add(image)

    def image_of(
        self, service: ComposeService, files: SetFiles, timeout_s: float
    ) -> str:
        """Pull or build the image of a service, if need be, and return its name.

        `files` is the set of tasks to which the service belongs. Raises `ContainerError` and
        `CommandInterrupted`.
        """
        if service.build_folder is None:
            self.ensure_pulled(service.image, timeout_s)
            return service.image
        try:
            return self._built(service, service.build_folder, files, timeout_s)
        except SetFileError as error:
            raise ContainerError(str(error)) from error

    def _built(
        self,
        service: ComposeService,
        folder: Path,
        files: SetFiles,
        timeout_s: float,
    ) -> str:
        """Build the image of a folder with a Dockerfile if necessary, and return its name.

        The name has a hash of the folder and of the build's options, so a changed folder gets a
        new image.
        """
        options = [
            f"--build-arg={name}={value}" for name, value in service.build_arguments
        ]
        if service.build_target:
            options.append(f"--target={service.build_target}")
        digest = hashlib.sha256(files.digest(folder).encode())
        if options or service.dockerfile != DOCKERFILE:
            digest.update(repr((service.dockerfile, options)).encode())
        image = f"{BUILT_IMAGES}:{digest.hexdigest()[:24]}"
        with self._locks[image]:
            is_known = image in self._present
            if not is_known and (
                self._settings.builds_anew or not self._commands.has_image(image)
            ):
                if self._settings.builds_anew:
                    options.append("--no-cache")
                dockerfile = files.read(folder / service.dockerfile, _MAX_BYTES)
                # The program would follow links out of the folder; in a copy there are none.
                with files.copied(folder) as copy:
                    # Beside the copy, because in it a link could stand in its place.
                    place = copy.parent / DOCKERFILE
                    write_whole(place, dockerfile or b"")
                    self._pull_for_build(
                        place, dict(service.build_arguments), timeout_s
                    )
                    self._commands.build(
                        copy,
                        image,
                        timeout_s,
                        has_network=self._settings.build_network,
                        proxies=self._settings.build_proxies,
                        dockerfile=place,
                        options=options,
                    )
            self._present.add(image)
        return image

    def _pull_for_build(
        self, dockerfile: Path, arguments: Mapping[str, str], timeout_s: float
    ) -> None:
        """Have the images on this machine that a Dockerfile names, if the user allows it."""
        needed = images_of_build(
            dockerfile.parent,
            SetFiles.of(dockerfile.parent),
            self._commands.program.name,
            has_network=self._settings.build_network,
            arguments=arguments,
        )
        for name in needed:
            self.ensure_pulled(name, timeout_s)
            self._check_triggers(name)

    def defaults(self, image: str) -> ImageDefaults:
        """Return the working folder and user of an image's programs. Raises `ContainerError`."""
        # Two threads may ask for it at the same time, and get the same.
        if image not in self._defaults:
            self._defaults[image] = self._commands.defaults(image)
        return self._defaults[image]

    def _check_triggers(self, image: str) -> None:
        """Raise `TaskValueError` if an image makes the builds that begin with it fetch something."""
        for trigger in self._commands.triggers(image):
            check_trigger(trigger, has_network=self._settings.build_network)

    def _is_present(self, image: str) -> bool:
        """Return True if an image is on this machine. Once it is, that is remembered."""
        if image not in self._present and self._commands.has_image(image):
            self._present.add(image)
        return image in self._present
