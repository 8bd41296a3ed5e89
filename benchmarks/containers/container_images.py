"""The images of containers: pulled by their names, or built from a folder with a Dockerfile.

An image is the file system and the settings that a container starts with. Many trials
need the same one, so it is pulled or built once.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import platform
import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import re2

from controlplane.benchmarks.containers.compose_file import ComposeBuild, ComposeService
from controlplane.benchmarks.containers.container import RuntimeProgram, go_on, is_gone
from controlplane.benchmarks.containers.container_settings import (
    FILE_TRANSPORTS,
    ContainerError,
    ContainerSettings,
    TaskValueError,
    build_flags_of_proxies,
    check_image,
    check_user,
    check_workdir,
)
from controlplane.benchmarks.containers.set_files import SetFileError, SetFiles
from controlplane.sandbox.files import write_whole

# What a Dockerfile may fetch: the images that it names, and nothing else without a network.
#
#     FROM python:3.13                          # an image, which is pulled if the user allows it
#     ADD https://example.com/data.csv /data/   # refused, unless builds have a network
#
# Podman and docker fetch what `ADD` names themselves, whatever network the build has. Their parsers
# differ between versions (in old ones, the lines of a heredoc are instructions), so each line that
# could be an instruction is checked as one. What cannot be known to be harmless is refused.

_MAX_LINES: Final = 3_000
"""Each line is read as the start of an instruction, so that the work grows with their square."""
_MAX_SHOWN_CHARS: Final = 80
_WITH_FLAGS: Final = ("add", "copy", "from", "run")
_MAX_HEREDOCS: Final = 20
"""The most heredocs of one instruction that are looked for."""

_SPACES: Final = "\t\v\f\r "
"""What parts words. Podman and docker take a no-break space as a letter of a word."""
_DIRECTIVE: Final = re2.compile(r"(?i)\s*(?:#|//)\s*([a-z]+)\s*=\s*(\S+)\s*")
"""A line for the parser above the first instruction: `# syntax=docker/dockerfile:1`."""
_SYNTAX_IMAGE: Final = re2.compile(r"(?:docker\.io/)?docker/dockerfile(?:[:@].*)?")
"""Docker's own parser of Dockerfiles. Docker would run any other image that is named there."""
_HEREDOC: Final = re2.compile(r"<<-?[\"']?([A-Za-z_][A-Za-z0-9_]*)[\"']?")
"""`<<EOF`: the lines up to `EOF` belong to the instruction. The group is that word."""
_VARIABLE: Final = re2.compile(
    r"\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)(?::?-([^${}]*))?\})"
)
"""`$NAME`, `${NAME}` and `${NAME:-default}`. The groups are the name, twice, and the default."""
_PLAIN_NETWORKS: Final = ("none", "default")
"""What `RUN --network=` may say. With `host`, podman would ignore that builds have no network."""
_PLAIN_FLAG: Final = re2.compile(r"--[!#-&(-\[\]-~]+")
"""`--chown=app:app`: ASCII without quotes and backslashes, which podman and docker take out of
`--net"work"=host`."""
_TEMPORARY_MOUNT: Final = re2.compile(
    r"--mount=type=tmpfs,(?:target|dst|destination)=/[A-Za-z0-9_./-]*"
)
"""The one mount that no parser takes for a folder of this machine. Podman 4.3 follows a link in
what `type=bind` names, and `..` in the `id` of a cache, to folders of the host; and a cache is
shared with the user's own builds."""


_WORD: Final = re2.compile(rf"([^{_SPACES}]*)[{_SPACES}]*")
"""A word and the spaces after it. The group is the word."""


@dataclass(frozen=True, slots=True)
class _BuildLine:
    """A line as a part of an instruction."""

    text: str
    """Without the backslash by which the next line belongs to it."""
    continues: bool
    """True if the next line belongs to it."""
    is_skipped: bool
    """True for a comment or an empty line."""
    is_indented: bool
    """True for a comment after spaces, which old parsers take for a part of an instruction."""

    @classmethod
    def of(cls, line: str) -> _BuildLine:
        """Return what a line is: `RUN make \\` is continued."""
        bare = line.strip()
        end = line.removesuffix("\r").rstrip(" \t")
        continues = end.endswith("\\")
        text = end[:-1] if continues else line
        is_indented = bare.startswith("#") and not line.startswith("#")
        return cls(text, continues, not bare or bare.startswith("#"), is_indented)


@dataclass(frozen=True, slots=True)
class _BuildInstruction:
    """A line of a Dockerfile with those that continue it."""

    keyword: str
    """In small letters: `from`. That of what `ONBUILD` holds back is the held one."""
    text: str
    """What follows the keyword."""
    flags: tuple[str, ...]
    """Its first words that begin with two dashes."""
    rest: str
    """What follows the flags."""
    has_heredoc: bool = False
    """True if the lines after it belong to it, up to a word that it names."""

    @classmethod
    def of(cls, line: str) -> _BuildInstruction | None:
        """Return the instruction in a joined line; None for a comment or an empty line."""
        keyword, text = _split(line)
        if keyword == "onbuild":  # It is held back until a build begins with the image.
            keyword, text = _split(text)
        if not keyword or keyword.startswith("#"):
            return None
        flags = []
        rest = text
        # Docker takes all spaces of Unicode out before a flag.
        while keyword in _WITH_FLAGS and rest.lstrip().startswith("--"):
            flag, rest = _first_word(rest.lstrip())
            flags.append(flag)
        return cls(keyword, text, tuple(flags), rest)

    @property
    def words(self) -> list[str]:
        """The words after the flags."""
        words = []
        rest = self.rest
        while rest:
            word, rest = _first_word(rest)
            words.append(word)
        return words

    @property
    def copied_from(self) -> list[str]:
        """The stages and images from which it takes files: `--from=build`."""
        if self.keyword not in ("add", "copy"):
            return []
        pairs = [flag.partition("=") for flag in self.flags]
        return [value for name, _, value in pairs if name.lower() == "--from"]


def images_of_build(
    content: bytes,
    runtime: str,
    *,
    has_network: bool,
    arguments: Mapping[str, str] | None = None,
) -> list[str]:
    """Return the images that a build needs, by the names in its Dockerfile.

    `arguments` are those of the build. Raises `TaskValueError` for an instruction that reaches files
    of this machine, or, without a network, the network.
    """
    texts = _lines_of(content)
    syntax = _syntax_image(texts)
    lines = [_BuildLine.of(text) for text in texts]
    instructions = list(_instructions(lines))
    for instruction in _possible_instructions(lines):
        _check(instruction, instructions, has_network=has_network)

    images = _named_images(instructions, arguments or {})
    if syntax and runtime == "docker":  # Podman takes the line for a comment.
        images.append(syntax)
    for image in images:
        check_image(image)
    return list(dict.fromkeys(images))


def has_heredoc(content: bytes) -> bool:
    """Return True if lines of a Dockerfile belong to an instruction: `RUN <<EOF`, up to `EOF`.

    Raises `TaskValueError` for a file that cannot be read.
    """
    lines = [_BuildLine.of(text) for text in _lines_of(content)]
    return any(part.has_heredoc for part in _instructions(lines))


def check_trigger(text: str, *, has_network: bool) -> None:
    """Raise `TaskValueError` for an `ONBUILD` instruction of an image that reaches too much."""
    instruction = _BuildInstruction.of(text)
    if instruction is not None:
        _check(instruction, (), has_network=has_network)


def _lines_of(content: bytes) -> list[str]:
    """Return the lines of a Dockerfile. Raises `TaskValueError` if there are too many."""
    try:
        # Old parsers take single bytes for spaces, such as A0, that are no character of UTF-8.
        lines = content.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        msg = "the Dockerfile is not in UTF-8"
        raise TaskValueError(msg) from error
    if len(lines) > _MAX_LINES:
        msg = f"the Dockerfile has more than {_MAX_LINES:,} lines"
        raise TaskValueError(msg)
    return lines


def _syntax_image(lines: Sequence[str]) -> str:
    """Return the image that parses the file: `docker/dockerfile:1`; empty if none is named."""
    for line in lines:
        text = line.strip()
        if text.startswith("{"):  # Docker reads the directives of a JSON file, too.
            msg = "the Dockerfile begins as JSON"
            raise TaskValueError(msg)
        match = _DIRECTIVE.fullmatch(line)
        if match is not None and match[1].lower() == "escape" and match[2] != "\\":
            msg = "the Dockerfile chooses another character than \\ to continue lines"
            raise TaskValueError(msg)
        if match is not None and match[1].lower() == "syntax":
            image = str(match[2])
            if _SYNTAX_IMAGE.fullmatch(image) is None:
                msg = f"the Dockerfile names a parser of its own: {image[:_MAX_SHOWN_CHARS]!a}"
                raise TaskValueError(msg)
            return image
        if text and not text.startswith(("#", "//")):
            break
    return ""


def _joined(
    lines: Sequence[_BuildLine], start: int, *, skips_indented: bool = True
) -> tuple[str, int]:
    """Return a line with those that continue it, and the number of the next line.

    Comments and empty lines between them are left out. Old parsers keep indented comments, and with
    `skips_indented=False` so does this.
    """
    if lines[start].is_skipped:
        return "", start + 1
    pieces = []
    number = start
    while number < len(lines):
        line = lines[number]
        number += 1
        if line.is_skipped and (skips_indented or not line.is_indented):
            continue
        pieces.append(line.text)
        if not line.continues:
            break
    return "".join(pieces), number


def _split(text: str) -> tuple[str, str]:
    """Return the first word in small letters, and the rest."""
    word, rest = _first_word(text.lstrip().rstrip(_SPACES))
    # Podman and docker are programs in Go, for which this letter is an `I`.
    return word.replace("\u0130", "i").lower(), rest


def _first_word(text: str) -> tuple[str, str]:
    """Return the first word and what follows it, without the spaces between them."""
    match = _WORD.match(text)
    return match[1], text[match.end() :]


def _possible_instructions(lines: Sequence[_BuildLine]) -> Iterator[_BuildInstruction]:
    """Yield what each line is if an instruction begins with it, for new and old parsers."""
    for number in range(len(lines)):
        new = _joined(lines, number)[0]
        old = _joined(lines, number, skips_indented=False)[0]
        for text in {new, old}:
            instruction = _BuildInstruction.of(text)
            if instruction is not None:
                yield instruction


def _instructions(lines: Sequence[_BuildLine]) -> Iterator[_BuildInstruction]:
    """Yield the instructions of a file, as today's podman and docker read them."""
    number = 0
    while number < len(lines):
        text, number = _joined(lines, number)
        instruction = _BuildInstruction.of(text)
        if instruction is None:
            continue
        start = number
        if instruction.keyword in ("add", "copy", "run"):
            matches = _HEREDOC.finditer(instruction.text)
            for match in itertools.islice(matches, _MAX_HEREDOCS):
                number = _after_heredoc(lines, number, str(match[1]))
        yield replace(instruction, has_heredoc=number > start)


def _after_heredoc(lines: Sequence[_BuildLine], start: int, word: str) -> int:
    """Return the number of the line after a heredoc; `start` if it does not end."""
    for number in range(start, len(lines)):
        if lines[number].text.strip() == word:
            return number + 1
    return start


def _check(
    instruction: _BuildInstruction,
    known: Collection[_BuildInstruction],
    *,
    has_network: bool,
) -> None:
    """Raise `TaskValueError` for an instruction that reaches more than it may.

    Only for an instruction of which all parsers know, variables are filled in later.
    """
    reason = _excess(instruction, has_network=has_network)
    images = instruction.copied_from
    if instruction.keyword == "from":
        images = instruction.words[:1]
    is_hidden = instruction.keyword != "from" or instruction not in known
    if is_hidden and "$" in "".join(images):
        reason = reason or "an image that a variable names"
    if instruction.keyword == "arg":
        images = [word.partition("=")[2] for word in instruction.words]
    # What podman may read as the kind of a file: `oci` of `oci:/tmp/x`.
    kinds = {image.strip("\"'").partition(":")[0].lower() for image in images}
    if kinds & FILE_TRANSPORTS:
        reason = reason or "an image that may be files of this machine"
    if reason:
        shown = f"{instruction.keyword.upper()} {instruction.text}"
        msg = f"the Dockerfile has {shown[:_MAX_SHOWN_CHARS]!a}: {reason}"
        raise TaskValueError(msg)


def _excess(instruction: _BuildInstruction, *, has_network: bool) -> str:
    """Return how an instruction itself reaches files or a network of this machine; empty if it does not."""
    keyword = instruction.keyword
    for flag in instruction.flags:
        if _PLAIN_FLAG.fullmatch(flag) is None:
            return "write its flags without quotes"
        name, _, value = flag.lower().partition("=")
        if keyword != "run":
            continue
        if name.startswith("--mount") and _TEMPORARY_MOUNT.fullmatch(flag) is None:
            return (
                "a mount may reach files of this machine. COPY takes files of the task, and a "
                "build works without caches"
            )
        is_plain = value in _PLAIN_NETWORKS or (has_network and value == "private")
        if (name == "--network" and not is_plain) or name in ("--security", "--device"):
            return f"{name} may reach this machine"
    if keyword == "add" and not has_network:
        sources = instruction.words[:-1]
        if instruction.rest.startswith("["):
            sources = _json_words(instruction.rest)[:-1] or sources
        for source in sources:
            bare = source.replace('"', "").replace("'", "").lower()
            is_address = ":" in bare or bare.startswith(("github.com/", "git@"))
            if is_address or "$" in bare or "\\" in bare:
                return (
                    "it may be an address, and builds have no network: "
                    "--set build_network=task allows it"
                )
    return ""


def _json_words(text: str) -> list[str]:
    """Return the texts of a JSON list, which something may follow; empty for anything else."""
    try:
        value: Any = json.JSONDecoder().raw_decode(text)[0]
    except (ValueError, RecursionError):
        return []
    is_list = isinstance(value, list) and all(isinstance(word, str) for word in value)
    return value if is_list else []


def _named_images(
    instructions: Sequence[_BuildInstruction], given: Mapping[str, str]
) -> list[str]:
    """Return the images that instructions name: those of `FROM`, and those to copy from."""
    images: list[str] = []
    stages = {"scratch"}
    arguments = _arguments_of_machine()
    stage_count = 0
    for instruction in instructions:
        words = [word.strip("\"'") for word in instruction.words]
        if instruction.keyword == "arg" and stage_count == 0:
            for word in words:
                name, has_default, value = word.partition("=")
                if name in given:
                    arguments[name] = given[name]
                elif has_default:  # `ARG NAME` keeps what an earlier one has said.
                    arguments[name] = _filled_in(value.strip("\"'"), arguments)
        if instruction.keyword == "from":
            image = _filled_in(words[0] if words else "", arguments)
            if image.lower() not in stages:
                images.append(image)
            if len(words) == 3 and words[1].lower() == "as":
                stages.add(words[2].lower())
            stages.add(str(stage_count))
            stage_count += 1
        images += [
            source for source in instruction.copied_from if source.lower() not in stages
        ]
    return images


def _arguments_of_machine() -> dict[str, str]:
    """Return the arguments that each build has: `TARGETARCH` is `amd64`, or `arm64`."""
    machine = platform.machine().lower()
    architecture = {"x86_64": "amd64", "aarch64": "arm64"}.get(machine, machine)
    arguments = {}
    for prefix in ("TARGET", "BUILD"):
        arguments[f"{prefix}OS"] = "linux"
        arguments[f"{prefix}ARCH"] = architecture
        arguments[f"{prefix}PLATFORM"] = f"linux/{architecture}"
    return arguments


def _filled_in(text: str, arguments: Mapping[str, str]) -> str:
    """Return a text in which arguments are filled in: `python:${VERSION:-3.13}`.

    A variable in another form, such as `${VERSION%.*}`, stays.
    """

    def value_of(match: Any) -> str:
        name = match[1] or match[2]
        return arguments.get(name) or str(match[3] or "")

    return str(_VARIABLE.sub(value_of, text))


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
