"""The images of containers: pulled by their names, or built from a folder with a Dockerfile.

An image is the file system and the settings that a container starts with. Many trials
need the same one, so it is pulled or built once.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from pathlib import Path

from controlplane.benchmarks.containers.container_runtime import ContainerSettings
from controlplane.benchmarks.containers.dockerfile import (
    check_trigger,
    images_of_build,
)
from controlplane.benchmarks.containers.image_commands import (
    ImageCommands,
    ImageDefaults,
)
from controlplane.benchmarks.containers.runtime_program import ContainerError
from controlplane.benchmarks.containers.set_files import SetFileError, SetFiles


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

    def ensure_built(self, folder: Path, files: SetFiles, timeout_s: float) -> str:
        """Build the image of a folder with a Dockerfile if necessary, and return its name.

        `files` is the set of tasks in which the folder is. The name has a hash of the
        folder, so a changed folder gets a new image. The images that its Dockerfile names
        are pulled first, if the user allows it. Raises `ContainerError` and
        `CommandInterrupted`.
        """
        try:
            digest = files.digest(folder)
            image = f"localhost/controlplane-task:{digest[:24]}"
            with self._locks[image]:
                if not self._is_present(image):
                    # The program would follow links out of the folder; in a copy there are none.
                    with files.copied(folder) as copy:
                        self._build(copy, image, timeout_s)
                    self._present.add(image)
        except SetFileError as error:
            raise ContainerError(str(error)) from error
        return image

    def _build(self, folder: Path, image: str, timeout_s: float) -> None:
        """Build the image of a folder after the images that its Dockerfile names are there."""
        needed = images_of_build(
            folder,
            SetFiles.of(folder),
            self._commands.program.name,
            has_network=self._settings.build_network,
        )
        for name in needed:
            self.ensure_pulled(name, timeout_s)
            self._check_triggers(name)
        self._commands.build(
            folder,
            image,
            timeout_s,
            has_network=self._settings.build_network,
            proxies=self._settings.build_proxies,
        )

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
