"""Images that containers start from: built from a folder, once for each content, or taken by name."""

from __future__ import annotations

import hashlib
import threading
from collections import defaultdict
from pathlib import Path

from controlplane.benchmarks.containers.container_runtime import (
    ContainerError,
    ContainerRuntime,
    ImageDefaults,
)
from controlplane.benchmarks.containers.container_settings import ContainerSettings


class ContainerImages:
    """The images of a run. Called from many threads at once: each image is made once."""

    def __init__(self, runtime: ContainerRuntime, settings: ContainerSettings) -> None:
        self._runtime = runtime
        self._settings = settings
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)
        """By image: it is held while the image is built or pulled."""
        self._present: set[str] = set()
        """Images that this run has seen on this machine: a further trial need not ask again."""
        self._defaults: dict[str, ImageDefaults] = {}

    def pulled(self, image: str, timeout_s: float) -> str:
        """Return the name of an image that is on this machine, and pull it if the user allows that.

        Raises `ContainerError` and `CommandInterrupted`.
        """
        with self._locks[image]:
            if not self._is_present(image):
                if not self._settings.may_pull:
                    msg = f"the image {image} is not on this machine: --set pull=true pulls it"
                    raise ContainerError(msg)
                self._runtime.pull(image, timeout_s)
                self._present.add(image)
        return image

    def built(self, folder: Path, timeout_s: float) -> str:
        """Return the name of the image of a folder with a Dockerfile, and build it if it is new.

        Raises `ContainerError` and `CommandInterrupted`.
        """
        digest = folder_digest(folder)
        image = f"localhost/controlplane-task:{digest[:24]}"
        with self._locks[image]:
            if not self._is_present(image):
                self._runtime.build(
                    folder,
                    image,
                    timeout_s,
                    has_network=self._settings.build_network,
                    may_pull=self._settings.may_pull,
                )
                self._present.add(image)
        return image

    def defaults(self, image: str) -> ImageDefaults:
        """Return where and as whom programs of an image run. Raises `ContainerError`."""
        if image not in self._defaults:
            self._defaults[image] = self._runtime.image_defaults(image)
        return self._defaults[image]

    def _is_present(self, image: str) -> bool:
        if image not in self._present and self._runtime.has_image(image):
            self._present.add(image)
        return image in self._present


def folder_digest(folder: Path) -> str:
    """Return a hash over the paths, modes and contents of a folder's files."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            content = str(path.readlink()).encode()
        elif path.is_file():
            content = path.read_bytes()
        else:
            continue
        mode = path.lstat().st_mode
        digest.update(f"{name}\0{mode:o}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()
