"""What a Dockerfile may fetch: the images that it names, and nothing else without a network.

    FROM python:3.13                          # an image, which is pulled if the user allows it
    ADD https://example.com/data.csv /data/   # refused, unless builds have a network

Podman and docker fetch what `ADD` names themselves, whatever network the build has. Their parsers
differ between versions (in old ones, the lines of a heredoc are instructions), so each line that
could be an instruction is checked as one. What cannot be known to be harmless is refused.
"""

from __future__ import annotations

import itertools
import json
import platform
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import re2

from controlplane.benchmarks.containers.task_values import (
    FILE_TRANSPORTS,
    TaskValueError,
    check_image,
)

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

    Comments and empty lines between them do not count; indented comments do for old parsers.
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
