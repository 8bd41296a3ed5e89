"""More of `pinned_scripts`, written after what pins addresses and hashes was finished; nothing was changed for them
before they were first played."""

APART = """
complex(1, 2); 1e300 * 10; float("nan"); {float("nan"), 1}; hash(float("inf")); divmod(7, -2); (1).bit_length; 1 .real
ArithmeticError; StopIteration(f); ExceptionGroup("a", [B(A())]); ExceptionGroup("a", [ValueError(f)]).exceptions
AssertionError(A(), g()); UnicodeError("x"); LookupError(len); BaseException; TimeoutError(C()); B().args; B
A().__class__; A.__name__; A().m.__name__; f.__doc__; A.__mro__; E.__members__; E.X.name; E["X"]; E(1); D.__doc__
dataclasses.fields(D); dataclasses.asdict(D(1)); dataclasses.replace(D(f), v=len); dataclasses.is_dataclass; D(v=[D()])
dataclasses.make_dataclass("M", ["q"])(A()); P._fields; P(1, 2)._asdict(); P(f, f)._replace(a=g); P._make([A(), B])
enum.auto(); enum.Flag("W", "R G")(3); enum.IntEnum("I", "A B").B; list(enum.Enum("Q", "M N")); enum.unique
functools.partial(f, x=A()).keywords; functools.partial(f, A()).args; functools.wraps(f)(lambda: 0)
functools.total_ordering; functools.reduce(lambda a, b: [a, b], [A(), f, g]); functools.lru_cache(maxsize=3)(g)
itertools.count(A and 3, 2); itertools.chain.from_iterable([[f]]); list(itertools.permutations([A(), f]))
[*itertools.groupby([A(), A()], key=type)]; list(itertools.product([A(), g], repeat=2)); list(zip([A()], [f]))
dict(enumerate([A(), f, len])); dict.fromkeys([A(), A(), f]); {A(): A() for _ in range(3)}; [A()] * 2; (A(), A())
max([A(), A()], key=id); min([f, g, len], key=repr); sorted([A(), B(), C], key=hash); sum([[A()], [f]], [])
next(iter({A(), B, len, 1, "a"})); list({A(), B(), D()}); set(map(type, [1, "a", A(), B(), D()])); {f} | {g, len}
{1: A()} | {2: f}; {A(), 1} - {1}; frozenset({f, g}) & {f}; {*"determinism"}; {str(A()), repr(g())}
{(A(), 1), (B(), 2)}
collections.Counter(map(type, [A(), 1, "a"])).most_common(); collections.ChainMap({f: 1}, {A(): 2}).maps
collections.defaultdict(A)["a"]; collections.deque([A()] * 3, maxlen=2); collections.namedtuple("N", "x")(A())
collections.UserDict({A(): f}).data; collections.OrderedDict([(A(), 1), (f, 2)]).popitem(); collections.abc.Mapping
re.compile("(?P<a>.)").match("xy").groupdict; re.search("b", "abc"); re.split("b", "abc"); re.Pattern; re.Match
re.sub("a", lambda m: repr(m), "banana"); [*re.finditer("an", "banana")]; re.compile("a", re.I | re.M).flags; re.error
json.JSONDecodeError("m", "d", 1); json.loads("[1, {}]"); json.loads('{"a": NaN}'); json.dumps({1: None}, indent=1)
decimal.Decimal("1.10").as_tuple(); decimal.Decimal("NaN"); decimal.ROUND_HALF_UP; decimal.Context(prec=3).divide(1, 3)
fractions.Fraction("3/9").limit_denominator; statistics.NormalDist(1, 2).inv_cdf(0.3); statistics.mode([1, 1, 2])
statistics.quantiles([1, 2, 3, 4]); math.nan; hash(math.inf); math.isclose; math.fsum([0.1] * 10); math.prod
datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc); datetime.date.today().isocalendar(); datetime.time(1, 2)
datetime.datetime.now().astimezone(zoneinfo.ZoneInfo("Asia/Tokyo")); hash(datetime.date(2026, 1, 1)); time.gmtime(0)
zoneinfo.ZoneInfo("Europe/Vienna").utcoffset; {datetime.date(2026, 1, d) for d in range(1, 9)}; time.strftime("%Z")
hash(datetime.timedelta(days=3)); datetime.datetime.min; time.perf_counter_ns(); time.monotonic(); time.ctime()
hash(decimal.Decimal("1.5")); hash(fractions.Fraction(1, 7)); hash("text"); hash(b"bytes"); hash((1, "a", None))
hash(A); hash(f); hash(len); hash(A().m); hash(E.X); hash(P(1, 2)); hash(frozenset({A, B})); hash(type); hash(...)
random.sample(range(99), 5); random.shuffle([1, 2]); random.gauss(0, 1); random.getrandbits(80); random.uniform(1, 2)
random.Random("seed").choices("abc", k=4); random.randbytes(4); random.getstate()[1][:3]; uuid.UUID(int=5); uuid.uuid3
uuid.uuid5(uuid.NAMESPACE_URL, "a"); uuid.uuid4().hex; uuid.uuid1().node; hashlib.new("sha1", b"x"); hashlib.sha1
hashlib.sha256(b"").hexdigest(); hashlib.blake2s(b"k", key=b"q"); hashlib.algorithms_guaranteed; io.TextIOWrapper
io.BytesIO(b"a").getvalue(); io.BytesIO(b"ab").getbuffer(); io.StringIO("a\\nb").readlines(); io.StringIO("x").read
csv.DictWriter(io.StringIO(), ["a"]); csv.DictReader(["a,b", "1,2"]).fieldnames; csv.list_dialects(); csv.unix_dialect
string.ascii_letters; string.Template("$a").substitute(a=A()); textwrap.wrap(repr(A()) * 3, 30); textwrap.dedent
types.SimpleNamespace(x=types.SimpleNamespace(y=f)); types.GeneratorType; types.MethodType(f, A()); types.new_class
typing.NamedTuple("T", [("a", int)])(f); typing.Annotated[A, f]; typing.Tuple[A, ...]; typing.ClassVar[A]; typing.cast
typing.TypedDict("Z", {"a": int}); typing.get_type_hints(f); typing.Union[int, None]; list[dict[str, A]]; A | None
operator.attrgetter("m")(A()); operator.itemgetter(0, 1)([A(), f]); operator.methodcaller("m")(A()); operator.concat
contextlib.contextmanager(g)().__enter__; contextlib.ExitStack().enter_context; contextlib.AbstractContextManager
struct.pack("d", 1.5); struct.calcsize("q"); memoryview(bytearray(b"ab")).tolist; bytes(A() is None for _ in "ab")
(lambda *a, **k: (a, k))(A(), z=f); (lambda: (yield))(); [lambda i=i: i for i in range(2)]; f.__call__; A.__init__
type("Dyn", (), {})(); type("Dyn", (A,), {"__repr__": lambda s: "<%x>" % id(s)})(); type("H", (), {"__hash__": None})
scratchpad.keys(); scratchpad.pop; scratchpad.setdefault("q", [1]); harness.find; harness.search; console.log("x")
harness.stat("/docs").path; harness.list("/docs").entries[0]; harness.read("/AGENTS.MD").content[:9]; dir(harness)
dir(A()); dir(A)[:3]; vars(A()); vars(D(f)); callable(A); isinstance(A(), A); id(A()) == id(A()); id(None); id(f) % 97
repr(A())[::-1]; ascii(A()); str(f).encode(); f"{A()!s:.12}"; "%-40r|" % A(); "{0!a}".format(g); repr([A(), A()])[5:]
"""
WAYS_APART = {
    "join": 'print(", ".join(map(str, [{0}, f, A()])))',
    "compare": "v, w = {0}, {0}\nprint(repr(v) == repr(w), repr(v) < repr(w), str(v) in repr([v]))",
    "zip longest": "print(list(itertools.zip_longest([{0}], [A(), B()], fillvalue=f)))",
    "count": "print(collections.Counter(repr({0})).most_common(4), sum(map(ord, repr({0}))))",
    "write": "harness.write('/out.txt', repr({0}))\nprint(harness.read('/out.txt').content)",
    "chained": "try:\n    raise KeyError({0})\nexcept KeyError as e:\n    raise B(repr(e.args)) from e",
    "table": "for row in [[{0}, 1], [f, 22]]:\n    print('|'.join(f'{{str(c):<30}}' for c in row))",
    "dict order": "print(list({{repr({0}): 1, 'b': 2, A(): 3, f: 4}}.items()))",
    "class attribute": "class K:\n    held = {0}\nprint(K.held, K, K(), vars(K).get('held'))",
    "generator": "def gen():\n    yield {0}\n    yield gen\nprint(list(gen()), gen())",
}
"""Ways to show an object."""
