"""Scripts that show what could differ between processes: objects times ways to show them, shuffled with the corpus."""

from __future__ import annotations

import random

from tests.sandbox.script_world import ORDINARY, blocks

PREPARED = """\
import collections, contextlib, csv, dataclasses, datetime, decimal, enum, fractions, functools, hashlib, io
import itertools, json, math, operator, pprint, random, re, statistics, string, struct, textwrap, time, types
import typing, uuid, zoneinfo
def f(x=1): return x
def g():
    yield 1
class A:
    def m(self): pass
    @staticmethod
    def s(): pass
    @classmethod
    def c(cls): pass
    @property
    def p(self): return 1
class B(Exception): pass
class C(collections.UserDict): pass
class E(enum.Enum):
    X = 1
    Y = f
@dataclasses.dataclass(eq=False)
class D:
    v: object = None
P = collections.namedtuple("P", "a b")
"""
"""What the objects below need."""

OBJECTS = """
f; lambda: 0; (lambda: (lambda: 1))(); g(); g; (x for x in ()); [].append; {}.get; "".join; len; print; str.join
dict.fromkeys; (1).__add__; [].__len__; object(); object; int; type; A; A(); A().m; A.m; A.s; A.c; A().c; B; B()
B(A()); B(f, len); Exception(object()); KeyError(f); C; C(); C(a=f); E; E.X; list(E); E.Y; D; D(); D(f); D(D(A())); P
P(f, A()); iter([]); iter(()); iter({}); iter({1}); iter(""); iter(b""); iter(range(3)); iter(range(1 << 80))
iter(f, 1); reversed([]); reversed(()); reversed({}); zip(); zip([1]); map(f, ()); filter(None, ()); enumerate(())
range(3); slice(f); {}.keys(); {1: f}.values(); {1: f}.items(); iter({}.values()); iter({}.items()); memoryview(b"ab")
bytearray(b"x"); itertools.count(); itertools.cycle([1]); itertools.chain(); itertools.repeat(f)
itertools.product([1]); itertools.tee([1]); itertools.groupby([1]); itertools.islice([1], 1)
itertools.accumulate([1]); itertools.permutations([1]); itertools.combinations([1], 1); itertools.starmap(f, [])
itertools.takewhile(f, []); itertools.zip_longest([1]); itertools.pairwise([1]); itertools.compress([1], [1])
itertools.dropwhile(f, []); itertools.filterfalse(f, []); re.compile("a"); re.match("a", "a"); re.finditer("a", "a")
re.compile("a").match; re.match("a", "a").group; re.compile; re.I; re; json; math; collections; math.pi; math.sin
json.dumps; json.JSONEncoder(); json.JSONEncoder().encode; json.JSONDecoder(); io.StringIO(); io.BytesIO()
io.StringIO().write; csv.reader([]); csv.writer(io.StringIO()); csv.DictReader([]); csv.writer(io.StringIO()).writerow
csv.excel; csv.excel(); csv.Sniffer(); random.Random(); random.Random; random.random; random.choice
random.Random(1).random; decimal.getcontext(); decimal.Decimal(1); decimal.localcontext(); decimal.Context()
fractions.Fraction(1, 3); hashlib.md5(); hashlib.sha256(b"a"); hashlib.blake2b(b"a"); hashlib.md5; hashlib.sha3_256()
zoneinfo.ZoneInfo("UTC"); zoneinfo.ZoneInfo; datetime.timezone.utc; datetime.datetime.now(); datetime.date.today
datetime.timedelta(1); datetime.datetime; datetime.timezone(datetime.timedelta(1)); functools.partial(f, A())
functools.partial(len); functools.lru_cache(f); functools.cache(f); functools.cache; functools.cmp_to_key(f)
functools.cmp_to_key(f)(1); functools.partialmethod(f); functools.singledispatch(f); functools.cached_property(f)
functools.reduce; operator.itemgetter(1); operator.attrgetter("a"); operator.methodcaller("a"); operator.add
contextlib.suppress(B); contextlib.nullcontext(f); contextlib.ExitStack(); contextlib.closing(A())
contextlib.contextmanager(g); contextlib.contextmanager(g)(); contextlib.redirect_stdout(io.StringIO()); property(f)
staticmethod(f); classmethod(f); super(A, A()); super; property; None; ...; NotImplemented; True; NotImplementedError
types.SimpleNamespace(a=f, b=A()); types.MappingProxyType({1: f}); types.FunctionType; types.NoneType; types.UnionType
int | str; list[int]; list[A]; dict[A, f]; typing.Optional[A]; typing.Any; typing.TypeVar("T")
typing.NewType("N", int); typing.Callable[[A], B]; typing.Literal[1]; typing.List; typing.Generic; typing.Protocol
typing.get_origin; typing.Union[A, B]; collections.deque([f, A()]); collections.deque([len])
collections.OrderedDict(a=f); collections.Counter([f, f, len]); collections.defaultdict(f)
collections.defaultdict(lambda: 0); collections.ChainMap({1: f}); collections.UserList([A()])
collections.UserString("a"); collections.deque; iter(collections.deque()); collections.OrderedDict().items()
iter(collections.OrderedDict(a=1)); harness; harness.read; harness.list; harness.exec; scratchpad; scratchpad.get
scratchpad.items; console; console.log; harness.stat("/docs"); harness.read("/AGENTS.MD"); harness.list("/docs")
HarnessError; HarnessError("a", "b"); uuid.uuid4(); uuid.uuid1(); uuid.uuid4; uuid.NAMESPACE_DNS; time.time
time.localtime(); time.sleep; time.perf_counter(); struct.Struct("i"); struct.Struct("i").pack
struct.iter_unpack("b", b"a"); string.Template("a"); string.Formatter(); string.Formatter().format
textwrap.TextWrapper(); statistics.NormalDist(); statistics.mean; pprint.PrettyPrinter(); pprint.pformat; type(f)
type(g()); type(A().m); type(len); type(None); type(iter([])); [f, [A(), (len, {1: g})]]; {"a": f, A(): 1}; (f,)
({f}, {A}); {int, str, None}; {len, print, f}; frozenset([A, B, int, g]); {A(), A(), A()}; {B(), B()}; {E.X, E.Y}
{type(x) for x in (1, "a", None, 1.5, [], {}, ())}; {object(), object()}; {lambda: 1, lambda: 2, f}; {A().m, A().m}
{g(), g()}; {re, json, math}; {ValueError, KeyError, TypeError, OSError}; {C: 1}.keys() | {int, str, f}
{list[int], dict[str, int]}; {int | str, int}; {typing.Any, typing.List}; {D(), D(), D()}
{...: 1, NotImplemented: 2}.keys() - {1}; set([math.sin, math.cos, math.tan]); {[].append, {}.get}; {datetime.date, A}
"""
"""Expressions, `;` between them."""

WAYS = {
    "print": "print({0})",
    "repr": "print(repr({0}), str({0}))",
    "length": "print(len(repr({0})), len(str([{0}])))",
    "end": "print(repr({0})[-9:], repr({0})[10:40:3])",
    "format": 'print("{{}} {{!r}}".format({0}, {0}), "%s %r" % (({0}), ({0})), f"{{{0}!r:>90}}")',
    "digest": "print(hashlib.sha256(repr({0}).encode()).hexdigest())",
    "hash": "v = {0}\nprint(hash(v), hash((v, 1)), hash(repr(v)))",
    "id": "v = {0}\nprint(id(v), id(v) == id({0}), hex(id(v)))",
    "set": "v = {0}\nprint({{v, A, B, int, f, len, None, 'a', 1}}, {{repr(v), repr(f), repr(A()), repr(g())}})",
    "sort": "print(sorted([{0}, f, A(), g(), len, object(), lambda: 0], key=repr))",
    "order": "v = [{0}, f, A(), g(), len]\nprint([v.index(x) for x in sorted(v, key=id)])",
    "reuse": "for i in range(4):\n    print({0}, object(), lambda: i)",
    "pprint": "pprint.pprint([{0}] * 3, width=30)\nprint(textwrap.shorten(repr({0}) * 2, 60))",
    "recursion": "v = [{0}]\nv.append(v)\npprint.pprint([{{A(), A(), object(), *v[:1]}}, v])",
    "json": "print(json.dumps({{'a': [{0}, 1]}}, default=repr), json.dumps(repr({0})))",
    "keep": "scratchpad['a'] = [repr({0}), len(repr({0})), repr({0})[-4:]]",
    "error": "raise ValueError({0})",
    "key": "{{}}[{0}]",
    "operator": "{0} + A()",
    "call": "len({0})(1)",
    "keep it": "scratchpad['a'] = {0}",
    "digits": "print([int(x, 16) % 7 for x in re.findall('0x([0-9a-f]+)', repr({0}))])",
}
"""Ways to show an object."""


def objects(listed: str) -> list[str]:
    """Return all expressions of a list."""
    return [each.strip() for line in listed.split("\n") for each in line.split("; ") if each.strip()]


def mixed_scripts(count: int) -> list[tuple[str, str]]:
    """Return (title, source) of as many scripts: a third ordinary ones, the others an object shown in some way."""
    chance = random.Random(13)
    corpus = blocks(*ORDINARY)
    chance.shuffle(corpus)
    found = corpus[: count // 3]
    found += shown_objects(OBJECTS, WAYS, count - len(found))
    chance.shuffle(found)
    return found


def shown_objects(listed: str, known: dict[str, str], count: int) -> list[tuple[str, str]]:
    """Return (title, source) of as many scripts that show each object in another way."""
    ways = sorted(known)
    things = objects(listed)
    found = []
    for number in range(count):
        thing, way = things[number % len(things)], ways[(number + number // len(things)) % len(ways)]
        found.append((f"{way}: {thing}", PREPARED + known[way].format(thing)))
    return found
