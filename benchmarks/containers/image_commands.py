"""Commands of podman or docker about images: pull, build and inspect them.

An image is the file system and the settings that a container starts with.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from controlplane.benchmarks.containers.runtime_program import RuntimeProgram


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
        """Return True if an image is on this machine."""
        return self.program.run("image", "inspect", image).exit_code == 0

    def pull(self, image: str, timeout_s: float) -> None:
        """Pull an image from its registry. Raises `ContainerError` and `CommandInterrupted`."""
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
    ) -> None:
        """Build an image from a folder that has a Dockerfile.

        Raises `ContainerError` and `CommandInterrupted`.
        """
        arguments = ["build", "--tag", image]
        if not has_network:
            arguments += ["--network", "none"]
        if self.program.name == "podman":
            # Docker has no such flag. It always pulls a missing base image.
            arguments += ["--pull=missing" if may_pull else "--pull=never"]
        # Otherwise podman would prefer a Containerfile.
        arguments += ["--file", str(folder / "Dockerfile")]
        arguments += [*self.build_flags, str(folder)]
        self.program.run_or_raise(
            "build the image",
            *arguments,
            timeout_s=timeout_s,
            while_waiting=self.program.raise_if_stopped,
        )

    def defaults(self, image: str) -> ImageDefaults:
        """Return the working folder and user of an image's programs. Raises `ContainerError`."""
        format_text = "{{.Config.WorkingDir}}\n{{.Config.User}}"
        result = self.program.run_or_raise(
            f"inspect the image {image}",
            "image",
            "inspect",
            "--format",
            format_text,
            image,
        )
        workdir, _, user = result.stdout.decode("utf-8", "replace").partition("\n")
        return ImageDefaults(workdir.strip() or "/", user.strip())
