"""What the scripts of a trial passed in their calls, and which words of results are their own.

A script could pass a text to a tool, get it back, and cite it as a fact. A tool may store the
text (`OwnWords`), echo it or decode it (`UnprovenWords`). Words that a result had first are not
the script's own (`ResultWords`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from controlplane.agent.evidence.texts.words import forms_of, without_escapes
from controlplane.gates.paths import canonical
from controlplane.gates.text_folding import fold_text, number_key, numbers_of, parts_of
from controlplane.gates.trial import SeenText
from controlplane.sandbox.interface import Effect, Operation, Plain, ToolSchema, bounds

# The arguments of a call: what the script chose, and the texts in it.
#
# A script could have a tool store a text or echo it, and then cite it as found. So the texts of its
# arguments are compared with results:
#
# | call | property | value |
# |---|---|---|
# | `search(path="/docs", pattern=["café", 7], limit=10)` | `inputs` | `{"pattern": ["café", 7]}` |
# | the same: the default of the limit is 10 | `input_texts` | `["café", "7"]` |
# | `write(path="/a.md", content="fee: 7")` | `written_text` | `fee: 7` |
# | `exec(path="/bin/cat", args=["-n", "/a.md"])` | `command_line` | `("-n", "/a.md")` |

# The texts, numbers and names in plain data, such as the arguments of a call.
#
# A script could pass a text to a tool, within a list or a mapping, and cite it from the result as
# found. So each text in the arguments is compared with the result: an echoed text proves nothing.


def texts_in(value: Plain) -> Iterator[str]:
    """Yield the texts, numbers and names in plain data: `{"fee": [7, "eur"]}` -> `fee`, `7`, `eur`.

    If all items are short, a tool may join them to a word, so this is yielded, too:
    `["v", "a", "t"]` -> `vat`, `v`, `a`, `t`.
    """
    items: list[Plain]
    if value is None:
        return
    if isinstance(value, dict):
        items = [*value, *value.values()]  # first the names, then the values
    elif isinstance(value, list):
        items = value
    else:
        yield str(value)
        return

    # `v`, `7` and `au` may be parts of a word.
    are_short = all(
        isinstance(item, str | int) and len(str(item)) <= 2 for item in items
    )
    if len(items) > 1 and are_short:
        yield "".join(str(item) for item in items)
    for item in items:
        yield from texts_in(item)


@dataclass(frozen=True, slots=True)
class CallArguments:
    """The arguments of one call."""

    declared: Operation
    """The declaration of the operation that is called."""
    values: Mapping[str, Plain]
    """All arguments by name: `{"path": "/docs", "pattern": ["café", 7], "limit": 10}`."""

    @property
    def inputs(self) -> dict[str, Plain]:
        """What the script chose, sorted by name: not the path, and no default value."""
        defaults = {
            parameter.name: parameter.default for parameter in self.declared.parameters
        }
        path_name = self.declared.subject  # the name of the argument that has the path
        inputs: dict[str, Plain] = {}
        for name in sorted(self.values):
            value = self.values[name]
            if name != path_name and value != defaults.get(name):
                inputs[name] = value
        return inputs

    @property
    def input_texts(self) -> list[str]:
        """The texts, numbers and names in the inputs, each by itself."""
        return list(texts_in(list(self.inputs.values())))

    @property
    def written_text(self) -> str:
        """The text that a call writes to a file: all its text arguments but the path."""
        path_name = self.declared.subject
        texts: list[str] = []
        for name, value in self.values.items():
            if name != path_name and isinstance(value, str):
                texts.append(value)
        return "\n".join(texts)

    @property
    def command_line(self) -> tuple[str, ...]:
        """The words after a tool's path: `-n`, `/a.md` for `{"args": ["-n", "/a.md"]}`."""
        words = self.values.get("args")
        if not isinstance(words, list):
            return ()
        return tuple(str(word) for word in words)


# Finds which arguments of a call its result may merely echo.
#
# A script calls `search("/docs", pattern="fee is 7", limit=3)`, and the tool answers `no match for:
# fee is 7`. These words are an *echo* of the script's own. They do not prove that the fee is 7, so
# they do not count as evidence:
#
#     echoable_inputs(arguments)   -> ["fee is 7"], but not the 3: tools seldom echo a limit
#     echoable_words(arguments)    -> "fee is 7", in every form in which a tool may print it

_EFFECTS_THAT_SHOW_FILES: Final = frozenset(
    {Effect.READS, Effect.LISTS, Effect.EXECUTES}
)
"""The effects of operations whose results show files. `EXECUTES` runs a program: `grep`."""


def echoable_inputs(arguments: CallArguments) -> list[Plain]:
    """Return the inputs of a call that its result may echo. For most operations, these are all.

    A result that shows files may echo texts, such as the pattern of a search: `["fee is 7"]`. It
    does not echo numbers: after a read from line 3 on, a 3 in the text is from the file.
    """
    inputs = list(arguments.inputs.values())
    if arguments.declared.effect not in _EFFECTS_THAT_SHOW_FILES:
        return inputs
    texts: list[Plain] = []
    for value in inputs:
        items = value if isinstance(value, list) else [value]
        texts += [item for item in items if isinstance(item, str)]
    return texts


def echoable_words(arguments: CallArguments) -> str:
    """Return the texts in these inputs, in every form in which a tool may echo them.

    There is one in each line. For `café`, a line `"caf\\u00e9"` is among them: a tool may return
    it as JSON.
    """
    forms: list[str] = []
    for text in texts_in(echoable_inputs(arguments)):
        forms.extend(forms_of(text))
    distinct_forms = dict.fromkeys(forms)  # in their order, each once
    return "\n".join(distinct_forms)


# A call that has returned, with what an answer may cite of its result.
#
# After `read("/a.md", start_line=3)`, with the result `{"path": "/a.md", "content": "fee: 7"}`:
#
#     call.requested_path     -> "/a.md", which an answer may cite
#     call.shown_text()       -> "fee: 7", the text for which it may cite the path
#     call.arguments.inputs   -> {"start_line": 3}

# Finds the text in the result of a call.
#
# An answer may cite a file for the text that a call has returned of it. A result has other fields,
# too, such as the path and the hash of the file, which are not its text:
#
# | result | text |
# |---|---|
# | `{"path": "/a.md", "content": "fee: 7"}` | `fee: 7` |
# | `{"page": "fee: 7"}`, where `page` is declared as the field with the text | `fee: 7` |
# | `{"rows": [{"fee": 7}, "late"], "truncated": false}` | `7` and `late`, one in each line |

_FIELDS_ABOUT_FILES: Final = frozenset(
    {"path", "sha256", "content_type", "name", "truncated", "exit_code", "call_path"}
)
"""Result fields that describe a file or a call, and are not text of the file."""


def _text_of_result(result: Mapping[str, Plain], field_name: str) -> str:
    """Return the text in a field of a result, or else in the field `content`.

    `field_name` is empty if no field is declared. If the result has neither, all its texts and
    numbers are joined, without the fields that describe files.
    """
    for name in (field_name, "content"):
        text = result.get(name)
        if isinstance(text, str):
            return text
    return "\n".join(_texts_in(result))


def _texts_in(value: object) -> list[str]:
    """Return the texts and numbers in a result, without the fields that describe files."""
    if isinstance(value, str | int | float):
        return [str(value)]
    texts: list[str] = []
    if isinstance(value, list):
        for item in value:
            texts += _texts_in(item)
    elif isinstance(value, Mapping):
        for name, item in value.items():
            if name not in _FIELDS_ABOUT_FILES:
                texts += _texts_in(item)
    return texts


# The part of a result's text that was shown: an answer may only cite this part.
#
# A script gets the whole result of its call. But the initial prompt, which has results of calls, too,
# may show only the first characters of a long one:
#
#     ShownText.of("fee: 7", shown_chars=None)   -> ShownText("fee: 7", is_whole=True)
#     ShownText.of("fee: 7", shown_chars=3)      -> ShownText("fee", is_whole=False)


@dataclass(frozen=True, slots=True)
class ShownText:
    """The text of a result, as far as it was shown."""

    text: str
    is_whole: bool
    """False if the end of the result's text was truncated."""

    @classmethod
    def of(cls, text: str, shown_chars: int | None) -> ShownText:
        """Return the first `shown_chars` characters of a text; None stands for all of it."""
        if shown_chars is None:
            return cls(text, is_whole=True)
        shown = text[: max(shown_chars, 0)]
        return cls(shown, is_whole=len(shown) == len(text))


@dataclass(frozen=True, slots=True)
class ReturnedCall:
    """One call with its arguments and result."""

    arguments: CallArguments
    """The arguments, and which of them the script chose."""
    result: Mapping[str, Plain]
    """The fields of the result: `{"path": "/a.md", "content": "fee: 7"}`."""
    shown_chars: int | None = None
    """How many characters of the text the initial prompt shows; None for a call of a script."""

    @property
    def declared(self) -> Operation:
        """The declaration of the operation that was called."""
        return self.arguments.declared

    @property
    def requested_path(self) -> str:
        """The path argument in canonical form. Empty if the call has no path."""
        path = self.arguments.values.get(self.declared.subject)
        return canonical(path) if isinstance(path, str) and path else ""

    @property
    def target_path(self) -> str:
        """The path to which a call moves a file: `/b.md` of `move("/a.md", to="/b.md")`.

        Empty for any other call.
        """
        if self.declared.target not in self.arguments.values:
            return ""
        return canonical(str(self.arguments.values[self.declared.target]))

    @property
    def is_of_initial_prompt(self) -> bool:
        """True if the initial prompt shows the result. False for a call of a script."""
        return self.shown_chars is not None

    def shown_text(self, field_name: str = "") -> ShownText:
        """Return the text of the result, which is in the field `field_name` if one is declared."""
        text = _text_of_result(self.result, field_name)
        return ShownText.of(text, self.shown_chars)


# Words and numbers in the form in which results are compared with what scripts passed.
#
# A script passes `1250` to a tool, and a later result has `1,250.00`. The result may only echo
# the script's number, so both formats must be found equal. Therefore a text has a key for each of
# its numbers, beside its words. It is the number without marks, and without zeros at its ends:
#
#     comparable_words("1250")           -> {"1250", "#125"}
#     comparable_words("Fee 1,250.00")   -> {"fee", "1", "250", "00", "#125"}


def comparable_words(text: str) -> set[str]:
    """Return the words of a text in small letters, and the key of each number."""
    folded = fold_text(text)
    words = set(parts_of(folded))
    words.update(_key_of_number(number) for number in numbers_of(folded))
    return words


def words_among(compared: set[str], folded_text: str) -> set[str]:
    """Return the words and numbers of a text that are among comparable words.

    `compared` are such words, for example `fee` and `#125`. Of the folded text `fee 1,250.00
    eur`, `fee` and `1,250.00` are returned: numbers as they are written in the text.
    """
    words = compared.intersection(parts_of(folded_text))
    for number in numbers_of(folded_text):
        if _key_of_number(number) in compared:
            words.add(number)
    return words


def _key_of_number(number: str) -> str:
    """Return the key of a number: `1,250.00` -> `#125`. The `#` tells it from a word.

    125 has the same key, because nothing shows what a mark means: `12.50` may be 12.5 or 1250. A
    trial seldom has both numbers.
    """
    return f"#{number_key(number)}"


# The words at the two ends of an argument, which a script may have split over two calls.
#
# A script could make up the word `vault`, and pass it in two pieces: `the vau` in one call, and
# `lt of gold.` in the next. A tool that appends each text to a file then has the whole word, which no
# single argument had. So the last word of an argument is *pending*: the next argument may go on with
# it. The joined word is the script's own, so a file that has it later proves nothing:
#
# | pending before | argument | first word | pending after |
# |---|---|---|---|
# | nothing | `the vau` | `the` | `vau` |
# | `vau` | `lt of gold.` | `vault` | nothing, since the full stop ends `gold` |
# | `vau` | `lt` | `vault` | `vault`, which may become `vaults` |
# | `vau` | ` lt` | `vau` | `lt`, since a blank has ended `vau` |
# | `vau` | an empty one | none | `vau`, since nothing was appended |

_MAX_WORD_CHARS: Final = 100
"""How many characters of a pending word are kept: its last ones. Real words are shorter."""


class _EndWords(NamedTuple):
    """The words at the two ends of an argument."""

    first: str
    """The first word, joined to the pending one before it; empty if there is no word."""
    pending: str
    """The last word, if no other character follows it in the argument; otherwise empty."""


def _end_words(pending: str, argument: str) -> _EndWords:
    """Return the words at the ends of an argument that follows a `pending` word, or none: `""`."""
    folded = fold_text(without_escapes(argument))
    if not folded:
        return _EndWords(first="", pending=pending)

    words = parts_of(pending + folded)  # `vault of gold.` -> `vault`, `of`, `gold`
    if not words:
        return _EndWords(first="", pending="")
    ends_within_word = folded[-1:].isalnum()
    if ends_within_word:
        return _EndWords(words[0], pending=words[-1][-_MAX_WORD_CHARS:])
    return _EndWords(words[0], pending="")


# The words that a trial's calls have returned, to tell which words its scripts made up.
#
# A word that a result has before any script passes it to a tool is the environment's. Any other
# word in a result may only echo what a script passed, and so proves nothing:
#
#     a result has `vault`, then a script passes `vault`    the environment's
#     a script passes `vault`, then a result has `vault`    made up by the script

_MOST_READ_CHARS: Final = bounds.MOST_EVIDENCE_BYTES
"""How many characters of results are read, so that this does not take too long. A word that only
later results have counts as made up once a script passes it."""


class ResultWords:
    """The words that one trial's results have had so far, except those that scripts passed."""

    def __init__(self, texts: Sequence[SeenText]) -> None:
        """`texts` is the list of the trial's seen texts. The owner of the list adds to it."""
        self._texts = texts
        self._read_count = 0
        """How many of the texts have been read."""
        self._room_chars = _MOST_READ_CHARS
        """How many more characters may be read."""
        self._words: set[str] = set()

    def so_far(self) -> set[str]:
        """Return the words. First read the texts that are new since the last time."""
        for text in self._texts[self._read_count :]:
            # A text that is no proof, such as a file that a script wrote, is left out.
            if text.is_proof and self._room_chars > 0:
                self._room_chars -= len(text.text)
                # Neither are words that scripts have passed, to this call or to an earlier one: the
                # result may only echo them.
                words = comparable_words(text.text)
                self._words |= words - comparable_words(text.unproven_words)
        self._read_count = len(self._texts)
        return self._words


# The words that the scripts of a trial were given, such as those of the task.
#
# A script could make up `fee is 7`, send it encoded, as `ZmVlIGlzIDc=`, to a server that decodes it,
# and cite the result as found. A word that the script was given is not made up. So only the words
# that nothing has given are counted as text that may be encoded (`_new_chars`):
#
# | word | is given by |
# |---|---|
# | `select` | query languages |
# | `wiki`, `search`, `pages` | the declaration of a tool |
# | `loans` | the task, which is added by `add_text` |
# | `fee` | an earlier result |
# | `zmvliglzidc` | nothing: it may be an encoded text |

_QUERY_WORDS: Final = (
    "select from where and or not in is null like between order group by having limit offset join "
    "left inner on as distinct count sum avg min max case when then else end asc desc union all "
    "cast true false with id"
)
"""Words of query languages, and the usual name of a key. Scripts need them to query a database."""
_MIN_PLURAL_CHARS: Final = 5
"""The shortest plural, in characters: `loans`. In shorter words,
such as `his`, an `s` at the end seldom makes a plural."""


class GivenWords:
    """The words, in small letters, that the scripts of one trial were given."""

    def __init__(self, tool_schema: ToolSchema, result_words: ResultWords) -> None:
        self._result_words = result_words
        """Has the words that calls have returned so far."""
        self._other_words = set(_QUERY_WORDS.split())
        """The words from everywhere else."""
        for operation in tool_schema.operations:
            # Only calls of a server's tools, which return something (`wiki.search`) or do something
            # (`mail.send`), send texts to a server. The others are about files.
            if operation.effect in (Effect.RETURNS, Effect.ACTS):
                self.add_text(operation.name)
                self.add_text(operation.summary)
                for parameter in operation.parameters:
                    self.add_text(parameter.name)

    def add_text(self, text: str) -> None:
        """Learn that scripts were given a text, such as the task."""
        self._other_words.update(parts_of(fold_text(text)))

    def has(self, word: str) -> bool:
        """Return True if scripts were given a word."""
        return word in self._other_words or word in self._result_words.so_far()

    def has_word_or_singular(self, word: str) -> bool:
        """Return True if scripts were given a word, or the same one without its last letter.

        Scripts often search for `loans` after they were given `loan`. Any last letter will do, as
        one letter hides next to nothing.
        """
        if self.has(word):
            return True
        return len(word) >= _MIN_PLURAL_CHARS and self.has(word[:-1])


# How much new text a call has sent to a server, and how much new text its result has.
#
# A script could send a text in an encoding that only the server knows, and cite the plain words that
# the server returns. `UnprovenWords` compares the lengths of the two. Only what may be encoded text,
# or decoded from it, is counted:
#
# | part | counts | since |
# |---|---|---|
# | sent `😀😺` | 2 characters | a text may be encoded in signs that queries do not use |
# | sent `ZmVlIGlzIDc=` | 11, without the sign | nobody gave this word to the script |
# | sent `select late loans` | 0 | the words are those of a query and of the task |
# | returned `fee 7`, after `fee` was sent | 1 | `fee` was not decoded |

_QUERY_SIGNS: Final = frozenset("'\"=,();*.-_:/%<>[]{}?#@!")
"""Signs of query languages. They hide nothing."""


def _new_chars(
    arguments: Iterable[str], result: str, given: GivenWords
) -> tuple[int, int]:
    """Return how many characters of new text a script has sent, and how many the result has."""
    sent_text = fold_text("\n".join(arguments))
    sent_words = set(parts_of(sent_text))
    returned_words = set(parts_of(fold_text(result)))

    # The server has returned the words in both as they were sent, without decoding them.
    only_sent = sent_words - returned_words
    only_returned = returned_words - sent_words
    maybe_encoded = [word for word in only_sent if not given.has_word_or_singular(word)]
    maybe_decoded = [word for word in only_returned if not given.has(word)]

    unusual_signs = 0  # such as emojis, which queries do not use
    for char in sent_text:
        is_usual = char.isalnum() or char.isspace() or char in _QUERY_SIGNS
        if not is_usual:
            unusual_signs += 1
    return unusual_signs + _count_chars(maybe_encoded), _count_chars(maybe_decoded)


def _count_chars(words: Iterable[str]) -> int:
    """Return how many characters words have in all."""
    return sum(len(word) for word in words)


# The words that only a trial's own scripts have used, and that so prove nothing.
#
# A script could make up a fact and cite it: it passes the note `fee is 7` to a tool, which stores the
# note, and a later search returns it like the text of a file. So a word is an *own word* if no
# result had it when a script passed it to a call that may change something:
#
#     add(["fee is 7"])
#     words   -> {"fee", "is", "7", "#7"}, where `#7` stands for 7, 7.00 and so on


class OwnWords:
    """The own words of one trial."""

    def __init__(self, result_words: ResultWords) -> None:
        self._result_words = result_words
        """The words that results have had so far. They are not the script's."""
        self._pending_word = ""
        """The last word of the last argument, in this or an earlier call: `vau`. The next argument
        may go on with it: a tool may append `lt` to `the vau`, and so have the word `vault`."""
        self.words: set[str] = set()
        """In small letters, as `comparable_words` returns them."""

    @property
    def is_full(self) -> bool:
        """True if there are too many own words to keep. From then on, any word may be one."""
        return len(self.words) > bounds.MOST_OWN_WORDS

    def add(self, arguments: Iterable[str]) -> None:
        """Add the words of the arguments of a call that may change something."""
        words_of_results = self._result_words.so_far()
        for argument in arguments:
            if self.is_full:
                return
            # The argument as it is, and as a tool may decode it before it stores it.
            words: set[str] = set()
            for form in forms_of(argument):
                words |= comparable_words(form)
            # After `the vau`, the argument `lt of gold.` has the first word `vault`. It ends with
            # a full stop, so no word is pending.
            ends = _end_words(self._pending_word, argument)
            self._pending_word = ends.pending
            if ends.first:
                words.add(ends.first)
            self.words |= words - words_of_results


# Which words of a server's result may be the script's own, and so prove nothing.
#
# A script could send `fee is 7` to a server, and cite the reply that echoes it. It could also send it
# encoded, as `ZmVlIGlzIDc=`, to a server that decodes base64. There are too many encodings to try them
# all, so lengths are compared. A short result may be what the script has sent, decoded. A result that
# is longer than this can be is the server's own text:
#
#     wiki.add("ZmVlI")      -> "ok"             all words are unproven
#     wiki.add("GlzIDc=")    -> "fee is 7"       all, since the script has sent more than this in all
#     wiki.search("late")    -> a long page      only `late` is
#
# After such a long result, the sent characters are counted from 0 again. Otherwise, a script that
# searches often would at last have sent more than any page is long, and could cite none.

_MOST_DECODED_PER_SENT: Final = 1.5
"""How many characters of the decoded text one sent character may stand for. In base64, it is 0.75:
four sent characters for three. The limit has room for encodings that shorten a text."""


class UnprovenWords:
    """Finds the unproven words in the results of one trial's calls of servers."""

    def __init__(self, given_words: GivenWords) -> None:
        self._given_words = given_words
        """The words that scripts were given. They hide nothing, so they do not count."""
        self._sent_chars: dict[str, int] = {}
        """By server, how many characters of new text scripts have sent to it, since its last
        result that was too long to be this text."""

    def of_next_call(self, arguments: CallArguments, result: str) -> str:
        """Return a text with the unproven words in the result of the trial's next call."""
        server = arguments.declared.name.partition(".")[0]  # `wiki` of `wiki.search`
        new_sent_chars, returned_chars = _new_chars(
            arguments.input_texts, result, self._given_words
        )
        sent_chars = self._sent_chars.get(server, 0) + new_sent_chars
        if returned_chars <= _MOST_DECODED_PER_SENT * sent_chars:
            # The result may be text that the script has sent.
            self._sent_chars[server] = sent_chars
            return result
        self._sent_chars[server] = 0
        return echoable_words(arguments)  # the words of the arguments
