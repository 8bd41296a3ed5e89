"""What a script may import: the names of each module, the newer ones by version."""

import sys
from typing import Final

LISTED: Final[dict[str, str]] = {
    "__future__": "annotations generator_stop division print_function unicode_literals absolute_import with_statement",
    "abc": "ABC ABCMeta abstractmethod",
    "ast": "literal_eval",
    "base64": (
        "b64encode b64decode standard_b64encode standard_b64decode urlsafe_b64encode urlsafe_b64decode b32encode "
        "b32decode b32hexencode b32hexdecode b16encode b16decode a85encode a85decode b85encode b85decode "
        "encodebytes decodebytes"
    ),
    "binascii": "hexlify unhexlify b2a_hex a2b_hex b2a_base64 a2b_base64 crc32 Error",
    "bisect": "bisect bisect_left bisect_right insort insort_left insort_right",
    "calendar": (
        "Calendar TextCalendar HTMLCalendar monthrange monthcalendar isleap leapdays weekday month_name "
        "month_abbr day_name day_abbr timegm calendar month firstweekday setfirstweekday weekheader prmonth prcal "
        "MONDAY TUESDAY WEDNESDAY THURSDAY FRIDAY SATURDAY SUNDAY January February "
        "IllegalMonthError IllegalWeekdayError"
    ),
    "cmath": "*",
    "collections": "Counter OrderedDict defaultdict deque namedtuple ChainMap UserDict UserList UserString abc",
    "collections.abc": (
        "AsyncGenerator AsyncIterable AsyncIterator Awaitable Callable Collection Container Coroutine Generator "
        "Hashable ItemsView Iterable Iterator KeysView Mapping "
        "MappingView MutableMapping MutableSequence MutableSet Reversible Sequence Set Sized ValuesView "
        "ByteString"
    ),
    "contextlib": (
        "contextmanager suppress nullcontext closing ExitStack ContextDecorator AbstractContextManager "
        "redirect_stdout redirect_stderr"
    ),
    "copy": "copy deepcopy Error",
    "csv": (
        "reader writer DictReader DictWriter register_dialect unregister_dialect get_dialect list_dialects "
        "QUOTE_ALL QUOTE_MINIMAL QUOTE_NONE QUOTE_NONNUMERIC Error Sniffer field_size_limit "
        "excel excel_tab unix_dialect Dialect"
    ),
    "dataclasses": (
        "dataclass field fields asdict astuple replace is_dataclass make_dataclass FrozenInstanceError InitVar "
        "KW_ONLY MISSING Field"
    ),
    "datetime": "date datetime time timedelta timezone tzinfo MINYEAR MAXYEAR UTC",
    "decimal": (
        "Decimal DecimalTuple Context getcontext setcontext localcontext DecimalException Clamped InvalidOperation "
        "DivisionByZero Inexact Rounded Subnormal Overflow Underflow FloatOperation DivisionImpossible "
        "InvalidContext ConversionSyntax DivisionUndefined BasicContext ExtendedContext DefaultContext "
        "ROUND_CEILING ROUND_DOWN ROUND_FLOOR ROUND_HALF_DOWN "
        "ROUND_HALF_EVEN ROUND_HALF_UP ROUND_UP ROUND_05UP MAX_PREC MAX_EMAX MIN_EMIN"
    ),
    "difflib": (
        "SequenceMatcher Differ get_close_matches unified_diff context_diff ndiff restore diff_bytes "
        "IS_CHARACTER_JUNK IS_LINE_JUNK"
    ),
    "enum": (
        "Enum IntEnum StrEnum Flag IntFlag ReprEnum auto unique CONFORM EJECT KEEP STRICT property nonmember "
        "member verify UNIQUE CONTINUOUS NAMED_FLAGS FlagBoundary show_flag_values"
    ),
    "fnmatch": "fnmatch fnmatchcase filter translate",
    "fractions": "Fraction",
    "functools": (
        "partial partialmethod reduce lru_cache cache cached_property cmp_to_key total_ordering wraps "
        "update_wrapper singledispatch singledispatchmethod WRAPPER_ASSIGNMENTS WRAPPER_UPDATES"
    ),
    "graphlib": "TopologicalSorter CycleError",
    "hashlib": (
        "md5 sha1 sha224 sha256 sha384 sha512 sha3_224 sha3_256 sha3_384 sha3_512 blake2b blake2s new "
        "shake_128 shake_256 algorithms_available "
        "algorithms_guaranteed pbkdf2_hmac"
    ),
    "heapq": "heappush heappop heapify heapreplace heappushpop nlargest nsmallest merge",
    "html": "escape unescape entities",
    "html.entities": "html5 name2codepoint codepoint2name",
    "io": "StringIO BytesIO SEEK_SET SEEK_CUR SEEK_END UnsupportedOperation",
    "itertools": (
        "accumulate chain combinations combinations_with_replacement compress count cycle dropwhile filterfalse "
        "groupby islice pairwise permutations product repeat starmap takewhile tee zip_longest"
    ),
    "json": "dumps loads dump load JSONDecodeError JSONEncoder JSONDecoder decoder encoder",
    "json.decoder": "JSONDecodeError JSONDecoder",
    "json.encoder": "JSONEncoder",
    "keyword": "iskeyword issoftkeyword kwlist softkwlist",
    "math": "*",
    "numbers": "Number Complex Real Rational Integral",
    "operator": (
        "abs add and_ concat contains countOf delitem eq floordiv ge getitem gt iadd iand iconcat ifloordiv "
        "ilshift imatmul imod imul index indexOf inv invert ior ipow irshift is_ is_not isub itemgetter itruediv "
        "ixor le length_hint lshift lt matmul mod mul ne neg not_ or_ pos pow rshift setitem sub truediv truth "
        "xor attrgetter methodcaller"
    ),
    "posixpath": (
        "join split splitext basename dirname normpath normcase relpath isabs commonpath commonprefix sep curdir pardir"
    ),
    "pprint": "pprint pformat pp PrettyPrinter isreadable isrecursive saferepr",
    "random": (
        "random uniform randint randrange choice choices sample shuffle seed gauss normalvariate expovariate "
        "betavariate gammavariate lognormvariate triangular paretovariate vonmisesvariate weibullvariate "
        "getrandbits randbytes getstate setstate Random"
    ),
    "re": (
        "compile search match fullmatch findall finditer split sub subn escape purge error Pattern Match "
        "RegexFlag A ASCII I IGNORECASE L LOCALE M MULTILINE S DOTALL U UNICODE X VERBOSE NOFLAG DEBUG"
    ),
    "shlex": "split quote join",
    "statistics": (
        "mean fmean median median_low median_high median_grouped mode multimode pstdev pvariance stdev variance "
        "harmonic_mean geometric_mean quantiles covariance correlation linear_regression NormalDist "
        "StatisticsError"
    ),
    "string": (
        "ascii_letters ascii_lowercase ascii_uppercase digits hexdigits octdigits punctuation printable "
        "whitespace capwords Template Formatter"
    ),
    "struct": "pack pack_into unpack unpack_from iter_unpack calcsize Struct error",
    "sys": (
        "argv byteorder exc_info exception exit float_info get_int_max_str_digits getdefaultencoding getrecursionlimit "
        "getsizeof hash_info int_info intern maxsize maxunicode platform set_int_max_str_digits setrecursionlimit "
        "stderr stdin stdout version version_info"
    ),
    "textwrap": "wrap fill dedent indent shorten TextWrapper",
    "time": (
        "time time_ns sleep monotonic monotonic_ns perf_counter perf_counter_ns process_time process_time_ns "
        "gmtime localtime mktime strftime strptime asctime ctime struct_time timezone altzone tzname daylight"
    ),
    "traceback": "format_exc print_exc format_exception print_exception format_exception_only",
    "types": (
        "SimpleNamespace MappingProxyType FunctionType LambdaType MethodType BuiltinFunctionType BuiltinMethodType "
        "GeneratorType TracebackType NoneType EllipsisType NotImplementedType UnionType"
    ),
    "typing": (
        "Any Annotated AnyStr AsyncContextManager AsyncGenerator AsyncIterable AsyncIterator Awaitable "
        "BinaryIO Callable ClassVar Collection Container ContextManager Coroutine "
        "Counter DefaultDict Deque Dict Final FrozenSet Generator Generic Hashable Iterable Iterator List Literal "
        "LiteralString Mapping MutableMapping MutableSequence MutableSet Never NamedTuple NewType NoReturn "
        "Optional OrderedDict ParamSpec Concatenate Pattern Match Protocol Reversible Self Sequence Set Sized "
        "SupportsAbs SupportsBytes SupportsComplex SupportsFloat SupportsInt SupportsIndex SupportsRound Text "
        "Tuple Type TypeAlias TypeGuard TypeVar TypeVarTuple TypedDict Union Unpack Required NotRequired ChainMap "
        "AbstractSet KeysView ValuesView ItemsView ByteString IO TextIO TYPE_CHECKING assert_never assert_type "
        "cast final is_typeddict overload reveal_type runtime_checkable no_type_check get_args get_origin "
        "get_type_hints"
    ),
    "unicodedata": (
        "name lookup normalize category bidirectional combining decimal decomposition digit east_asian_width "
        "is_normalized mirrored numeric unidata_version"
    ),
    "urllib": "parse",
    "urllib.parse": (
        "quote quote_plus quote_from_bytes unquote unquote_plus unquote_to_bytes urlencode urlparse urlsplit "
        "urlunparse urlunsplit urljoin urldefrag parse_qs parse_qsl ParseResult SplitResult DefragResult"
    ),
    "uuid": "UUID uuid1 uuid3 uuid4 uuid5 NAMESPACE_DNS NAMESPACE_URL NAMESPACE_OID NAMESPACE_X500 SafeUUID",
    "zoneinfo": "ZoneInfo ZoneInfoNotFoundError",
}
"""Every importable module with its names; `*` is all public ones. `replacements` replaces some of them."""

_NEWER: Final[dict[tuple[int, int], dict[str, str]]] = {
    (3, 12): {
        "calendar": ("Month Day JANUARY FEBRUARY MARCH APRIL MAY JUNE JULY AUGUST SEPTEMBER OCTOBER NOVEMBER DECEMBER"),
        "csv": "QUOTE_STRINGS QUOTE_NOTNULL",
        "itertools": "batched",
        "random": "binomialvariate",
        "typing": "override",
    },
    (3, 13): {
        "base64": "z85encode z85decode",
        "copy": "replace",
        "re": "PatternError",
        "statistics": "kde",
        "typing": "ReadOnly TypeIs",
    },
    (3, 14): {
        "decimal": "IEEEContext IEEE_CONTEXT_MAX_BITS",
        "fnmatch": "filterfalse",
        "functools": "Placeholder",
        "heapq": "heapify_max heappop_max heappush_max heappushpop_max heapreplace_max",
        "io": "Reader Writer",
        "operator": "is_none is_not_none",
        "uuid": "uuid6 uuid7 uuid8 NIL MAX",
    },
    (3, 15): {
        "binascii": "a2b_ascii85 a2b_base32 a2b_base85 b2a_ascii85 b2a_base32 b2a_base85",
        "calendar": "standalone_month_name standalone_month_abbr",
        "math.integer": "*",
        "re": "prefixmatch",
        "typing": "NoExtraItems TypeForm disjoint_base",
        "unicodedata": "block grapheme_cluster_break isxidcontinue isxidstart iter_graphemes",
    },
}
"""Names that modules have from a version of Python on. `statistics.kde_random` is not among them: it is not pinned."""
for _version, _added in _NEWER.items():
    for _module, _names in _added.items() if sys.version_info >= _version else ():
        LISTED[_module] = f"{LISTED.get(_module, '')} {_names}".strip()
