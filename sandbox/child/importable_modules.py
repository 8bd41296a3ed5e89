"""The modules that a script may import, as facades of their listed names.

A facade keeps a script from names that are not the same in every run, and from changes that a later step would see.
"""

import difflib
import importlib
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType
from typing import Any, Final

from sandbox.child.script_errors import ATTRIBUTES_INSTEAD, MODULES_INSTEAD

_TABLE: Final = """
__future__: annotations generator_stop division print_function unicode_literals absolute_import with_statement
abc: ABC ABCMeta abstractmethod
ast: literal_eval
base64: b64encode b64decode standard_b64encode standard_b64decode urlsafe_b64encode urlsafe_b64decode b32encode
  b32decode b32hexencode b32hexdecode b16encode b16decode a85encode a85decode b85encode b85decode encodebytes
  decodebytes
binascii: hexlify unhexlify b2a_hex a2b_hex b2a_base64 a2b_base64 crc32 Error
bisect: bisect bisect_left bisect_right insort insort_left insort_right
calendar: Calendar TextCalendar HTMLCalendar monthrange monthcalendar isleap leapdays weekday month_name month_abbr
  day_name day_abbr timegm calendar month firstweekday setfirstweekday weekheader prmonth prcal MONDAY TUESDAY WEDNESDAY
  THURSDAY FRIDAY SATURDAY SUNDAY January February IllegalMonthError IllegalWeekdayError
cmath: *
collections: Counter OrderedDict defaultdict deque namedtuple ChainMap UserDict UserList UserString abc
collections.abc: AsyncGenerator AsyncIterable AsyncIterator Awaitable Callable Collection Container Coroutine Generator
  Hashable ItemsView Iterable Iterator KeysView Mapping MappingView MutableMapping MutableSequence MutableSet Reversible
  Sequence Set Sized ValuesView ByteString
contextlib: contextmanager suppress nullcontext closing ExitStack ContextDecorator AbstractContextManager
  redirect_stdout redirect_stderr
copy: copy deepcopy Error
csv: reader writer DictReader DictWriter register_dialect unregister_dialect get_dialect list_dialects QUOTE_ALL
  QUOTE_MINIMAL QUOTE_NONE QUOTE_NONNUMERIC Error Sniffer field_size_limit excel excel_tab unix_dialect Dialect
dataclasses: dataclass field fields asdict astuple replace is_dataclass make_dataclass FrozenInstanceError InitVar
  KW_ONLY MISSING Field
datetime: date datetime time timedelta timezone tzinfo MINYEAR MAXYEAR UTC
decimal: Decimal DecimalTuple Context getcontext setcontext localcontext DecimalException Clamped InvalidOperation
  DivisionByZero Inexact Rounded Subnormal Overflow Underflow FloatOperation DivisionImpossible InvalidContext
  ConversionSyntax DivisionUndefined BasicContext ExtendedContext DefaultContext ROUND_CEILING ROUND_DOWN ROUND_FLOOR
  ROUND_HALF_DOWN ROUND_HALF_EVEN ROUND_HALF_UP ROUND_UP ROUND_05UP MAX_PREC MAX_EMAX MIN_EMIN
difflib: SequenceMatcher Differ get_close_matches unified_diff context_diff ndiff restore diff_bytes IS_CHARACTER_JUNK
  IS_LINE_JUNK
enum: Enum IntEnum StrEnum Flag IntFlag ReprEnum auto unique CONFORM EJECT KEEP STRICT property nonmember member verify
  UNIQUE CONTINUOUS NAMED_FLAGS FlagBoundary show_flag_values
fnmatch: fnmatch fnmatchcase filter translate
fractions: Fraction
functools: partial partialmethod reduce lru_cache cache cached_property cmp_to_key total_ordering wraps update_wrapper
  singledispatch singledispatchmethod WRAPPER_ASSIGNMENTS WRAPPER_UPDATES
graphlib: TopologicalSorter CycleError
hashlib: md5 sha1 sha224 sha256 sha384 sha512 sha3_224 sha3_256 sha3_384 sha3_512 blake2b blake2s new shake_128
  shake_256 algorithms_available algorithms_guaranteed pbkdf2_hmac
heapq: heappush heappop heapify heapreplace heappushpop nlargest nsmallest merge
html: escape unescape entities
html.entities: html5 name2codepoint codepoint2name
io: StringIO BytesIO SEEK_SET SEEK_CUR SEEK_END UnsupportedOperation
itertools: accumulate chain combinations combinations_with_replacement compress count cycle dropwhile filterfalse
  groupby islice pairwise permutations product repeat starmap takewhile tee zip_longest
json: dumps loads dump load JSONDecodeError JSONEncoder JSONDecoder decoder encoder
json.decoder: JSONDecodeError JSONDecoder
json.encoder: JSONEncoder
keyword: iskeyword issoftkeyword kwlist softkwlist
math: *
numbers: Number Complex Real Rational Integral
operator: abs add and_ concat contains countOf delitem eq floordiv ge getitem gt iadd iand iconcat ifloordiv ilshift
  imatmul imod imul index indexOf inv invert ior ipow irshift is_ is_not isub itemgetter itruediv ixor le length_hint
  lshift lt matmul mod mul ne neg not_ or_ pos pow rshift setitem sub truediv truth xor attrgetter methodcaller
posixpath: join split splitext basename dirname normpath normcase relpath isabs commonpath commonprefix sep curdir
  pardir
pprint: pprint pformat pp PrettyPrinter isreadable isrecursive saferepr
random: random uniform randint randrange choice choices sample shuffle seed gauss normalvariate expovariate betavariate
  gammavariate lognormvariate triangular paretovariate vonmisesvariate weibullvariate getrandbits randbytes getstate
  setstate Random
re: compile search match fullmatch findall finditer split sub subn escape purge error Pattern Match RegexFlag A ASCII I
  IGNORECASE L LOCALE M MULTILINE S DOTALL U UNICODE X VERBOSE NOFLAG DEBUG
shlex: split quote join
statistics: mean fmean median median_low median_high median_grouped mode multimode pstdev pvariance stdev variance
  harmonic_mean geometric_mean quantiles covariance correlation linear_regression NormalDist StatisticsError
string: ascii_letters ascii_lowercase ascii_uppercase digits hexdigits octdigits punctuation printable whitespace
  capwords Template Formatter
struct: pack pack_into unpack unpack_from iter_unpack calcsize Struct error
sys: argv byteorder exc_info exception exit float_info get_int_max_str_digits getdefaultencoding getrecursionlimit
  getsizeof hash_info int_info intern maxsize maxunicode platform set_int_max_str_digits setrecursionlimit stderr stdin
  stdout version version_info
textwrap: wrap fill dedent indent shorten TextWrapper
time: time time_ns sleep monotonic monotonic_ns perf_counter perf_counter_ns process_time process_time_ns gmtime
  localtime mktime strftime strptime asctime ctime struct_time timezone altzone tzname daylight
traceback: format_exc print_exc format_exception print_exception format_exception_only
types: SimpleNamespace MappingProxyType FunctionType LambdaType MethodType BuiltinFunctionType BuiltinMethodType
  GeneratorType TracebackType NoneType EllipsisType NotImplementedType UnionType
typing: Any Annotated AnyStr AsyncContextManager AsyncGenerator AsyncIterable AsyncIterator Awaitable BinaryIO Callable
  ClassVar Collection Container ContextManager Coroutine Counter DefaultDict Deque Dict Final FrozenSet Generator
  Generic Hashable Iterable Iterator List Literal LiteralString Mapping MutableMapping MutableSequence MutableSet Never
  NamedTuple NewType NoReturn Optional OrderedDict ParamSpec Concatenate Pattern Match Protocol Reversible Self Sequence
  Set Sized SupportsAbs SupportsBytes SupportsComplex SupportsFloat SupportsInt SupportsIndex SupportsRound Text Tuple
  Type TypeAlias TypeGuard TypeVar TypeVarTuple TypedDict Union Unpack Required NotRequired ChainMap AbstractSet
  KeysView ValuesView ItemsView ByteString IO TextIO TYPE_CHECKING assert_never assert_type cast final is_typeddict
  overload reveal_type runtime_checkable no_type_check get_args get_origin get_type_hints
unicodedata: name lookup normalize category bidirectional combining decimal decomposition digit east_asian_width
  is_normalized mirrored numeric unidata_version
urllib: parse
urllib.parse: quote quote_plus quote_from_bytes unquote unquote_plus unquote_to_bytes urlencode urlparse urlsplit
  urlunparse urlunsplit urljoin urldefrag parse_qs parse_qsl ParseResult SplitResult DefragResult
uuid: UUID uuid1 uuid3 uuid4 uuid5 NAMESPACE_DNS NAMESPACE_URL NAMESPACE_OID NAMESPACE_X500 SafeUUID
zoneinfo: ZoneInfo ZoneInfoNotFoundError
"""
"""Every importable module with its names; `*` means all public names. `script_builtins` replaces some of them."""
_NEWER: Final = """
3.12 calendar: Month Day JANUARY FEBRUARY MARCH APRIL MAY JUNE JULY AUGUST SEPTEMBER OCTOBER NOVEMBER DECEMBER
3.12 csv: QUOTE_STRINGS QUOTE_NOTNULL
3.12 itertools: batched
3.12 random: binomialvariate
3.12 typing: override
3.13 base64: z85encode z85decode
3.13 copy: replace
3.13 re: PatternError
3.13 statistics: kde
3.13 typing: ReadOnly TypeIs
3.14 decimal: IEEEContext IEEE_CONTEXT_MAX_BITS
3.14 fnmatch: filterfalse
3.14 functools: Placeholder
3.14 heapq: heapify_max heappop_max heappush_max heappushpop_max heapreplace_max
3.14 io: Reader Writer
3.14 operator: is_none is_not_none
3.14 uuid: uuid6 uuid7 uuid8 NIL MAX
3.15 binascii: a2b_ascii85 a2b_base32 a2b_base85 b2a_ascii85 b2a_base32 b2a_base85
3.15 calendar: standalone_month_name standalone_month_abbr
3.15 math.integer: *
3.15 re: prefixmatch
3.15 typing: NoExtraItems TypeForm disjoint_base
3.15 unicodedata: block grapheme_cluster_break isxidcontinue isxidstart iter_graphemes
"""
"""Names that modules have from a version of Python on. `statistics.kde_random` is left out: it is not pinned."""
_WHOLE: Final = ("dataclasses", "typing")
"""Modules handed out as they are: `dataclass` looks for them among a script's names to read annotations."""
_ENTRY: Final = re.compile(r"^(?:3\.(\d+) )?([\w.]+):((?:.*\n)(?:  .*\n)*)", re.MULTILINE)


def _listed() -> dict[str, str]:
    """Return the names of each module in this version of Python, as one text."""
    listed: dict[str, str] = {}
    for minor, module, names in _ENTRY.findall(_TABLE + _NEWER):
        if not minor or sys.version_info >= (3, int(minor)):
            listed[module] = " ".join([*listed.get(module, "").split(), *names.split()])
    return listed


LISTED: Final = _listed()
_HOMES: Final = ("collections", "dataclasses", "datetime", "decimal", "enum", "fractions", "functools", "typing")
"""Modules whose names seldom mean anything else in a script."""


class Live:
    """A name of a module whose value belongs to the step; one with `write` a script may set."""

    __slots__ = ("read", "write")

    def __init__(self, read: Callable[[], Any], write: Callable[[Any], None] | None = None) -> None:
        self.read = read
        self.write = write


class Facade:
    """A module as a script sees it: its listed names and nothing else. Only live ones with `write` can be set."""

    __slots__ = ("__names", "__title")

    def __init__(self, title: str, names: Mapping[str, Any]) -> None:
        object.__setattr__(self, "_Facade__title", title)
        object.__setattr__(self, "_Facade__names", dict(names))

    def __getattr__(self, name: str) -> Any:
        if name in self.__names:
            found = self.__names[name]
            return found.read() if type(found) is Live else found
        msg = f"module {self.__title!r} has no attribute {name!r} here{_hint(name, self.__names)}"
        raise AttributeError(msg)

    def __setattr__(self, name: str, value: object) -> None:
        if not is_live(self, name):
            self.__delattr__(name)
        self.__names[name].write(value)

    def __delattr__(self, name: str) -> None:
        msg = f"module {self.__title!r} is sealed"
        raise AttributeError(msg)

    def __dir__(self) -> list[str]:
        return sorted(self.__names)

    def __repr__(self) -> str:
        return f"<module {self.__title!r}>"

    def __init_subclass__(cls) -> None:
        msg = "a module cannot be subclassed"
        raise TypeError(msg)

    def __reduce__(self) -> str:
        msg = "a module cannot be copied"
        raise TypeError(msg)


Facade.__name__ = Facade.__qualname__ = "module"
Facade.__module__ = "builtins"
Modules = dict[str, Any]
"""What import statements bind, by module name."""


def is_live(module: Any, name: str) -> bool:
    """Say whether a script may set this name of a module."""
    found = module._Facade__names.get(name)
    return type(found) is Live and found.write is not None


def names_of(module: str) -> frozenset[str] | None:
    """Return the names that a script may import from `module`, or None if it may not import the module."""
    listed = LISTED.get(module)
    if listed == "*":
        return frozenset(name for name in vars(importlib.import_module(module)) if not name.startswith("_"))
    return None if listed is None else frozenset(listed.split())


def import_refusal(module: str, name: str | None) -> str:
    """Return why a script cannot import `module`, or `name` from it, with what to use instead; empty if it can."""
    names = names_of(module)
    if names is None:
        instead = MODULES_INSTEAD.get(module) or MODULES_INSTEAD.get(module.split(".")[0])
        return f"module {module!r} cannot be imported; {instead or 'there are ' + ', '.join(offered())}"
    if name is not None and name not in names and f"{module}.{name}" not in LISTED:
        return f"{name!r} cannot be imported from {module!r}{_hint(name, names)}"
    return ""


def import_hint(name: str) -> str:
    """Return how a script imports a name that it uses but does not have; empty if the name may mean something else."""
    ways = [f"`import {name}`"] if name in LISTED else []
    ways += [f"`from {home} import {name}`" for home in _HOMES if name in LISTED[home].split()][:1]
    return f"imports end with their step; write {' or '.join(ways)} here" if ways else ""


def offered() -> list[str]:
    """Return the importable modules, sorted."""
    return sorted(name for name in LISTED if not name.startswith("_"))


def _hint(name: str, names: Iterable[str]) -> str:
    if name in ATTRIBUTES_INSTEAD:
        return f"; {ATTRIBUTES_INSTEAD[name]}"
    near = difflib.get_close_matches(name, names, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def build(replaced: Mapping[str, Mapping[str, Any]]) -> Modules:
    """Return what import statements bind, by module name; `replaced` holds replacements of real names."""
    made: Modules = {}
    for title in sorted(LISTED, key=lambda dotted: -dotted.count(".")):
        swaps = replaced.get(title, {})
        listed = sorted(names_of(title) or ())
        module = importlib.import_module(title) if set(listed) - set(swaps) else None
        names: dict[str, Any] = {}
        for name in listed:
            if name in swaps:
                names[name] = swaps[name]
                if type(swaps[name]) is FunctionType:  # Messages use the name that scripts know.
                    swaps[name].__name__ = swaps[name].__qualname__ = name
            elif f"{title}.{name}" in made:
                names[name] = made[f"{title}.{name}"]
            elif hasattr(module, name):
                names[name] = getattr(module, name)
        made[title] = module if title in _WHOLE else Facade(title, names)
    return made
