"""Checks vectors.txt by the description in docs/exact.md, with Python's integers and fractions: `python3 vectors.py vectors.txt`."""
import sys
from fractions import Fraction
from math import isqrt
from struct import pack, unpack

# How struct reads them, number in the format, exponent of the unit.
FLOATS = {"f32": (">f", 0, -149), "f64": (">d", 1, -1074), "f16": (">e", 2, -149), "bf16": (">f", 3, -149)}
INTEGERS, STATES = {"i64": 4, "u64": 5, "i128": 6, "u128": 7}, {"sum": 1, "dot": 2, "moments": 3, "comoments": 4}
# A number is a Fraction. What is none, and -0.0, is a float, and known by its name.
NAMES = ["-0.0", "nan", "inf", "-inf"]
NAN, INFINITY = float("nan"), float("inf")

def element(text, kind):
    if kind in INTEGERS:
        return Fraction(int(text))
    (x,) = unpack(FLOATS[kind][0], bytes.fromhex(text + ("0000" if kind == "bf16" else "")))
    return x if repr(x) in NAMES else Fraction(x)

def product(x, y, is_float):
    if isinstance(x, Fraction) and isinstance(y, Fraction) and (x * y or not is_float):
        return x * y
    signs = [z if isinstance(z, float) else float((z > 0) - (z < 0)) for z in (x, y)]
    return signs[0] * signs[1] if repr(signs[0] * signs[1]) in NAMES else Fraction(0)

def nearest(x, kind):
    """The float nearest to a fraction, as digits."""
    digits, form, least = (24, ">f", -149) if kind in ("f32", "f16", "bf16") else (53, ">d", -1074)
    if isinstance(x, float):
        return pack(form, x).hex()
    last = max(abs(x.numerator).bit_length() - x.denominator.bit_length() - digits, least)
    while abs(x) >= Fraction(2) ** (last + digits):
        last += 1
    mantissa = round(abs(x) / Fraction(2) ** last)
    bits = min((last - least << digits - 1) + mantissa if mantissa else 0, 255 << 23 if digits == 24 else 2047 << 52)
    return f"{bits | (x < 0) << (31 if digits == 24 else 63):0{8 if digits == 24 else 16}x}"

def root(x):
    """The root of a fraction, or a fraction so near that it rounds to the same float."""
    if not isinstance(x, Fraction) or x < 0:
        return x and NAN
    whole = isqrt(int(x * 4**5000))
    return Fraction(2 * whole + (whole * whole != x * 4**5000), 2 << 5000)

def number(x):
    return bytes([x]) if x < 128 else bytes([x % 128 | 128]) + number(x // 128)

def integer(x):
    if not x:
        return number(0)
    zeros = next(k for k in range(600) if x >> 8 * k & 255)
    x >>= 8 * zeros
    length = ((x if x >= 0 else ~x).bit_length() + 8) // 8
    return number(length) + number(zeros) + x.to_bytes(length, "little", signed=True)

class Items(list):
    """Numbers with their weights."""
    def counts(self):
        return [sum(w for _, w in self)] + [sum(w for x, w in self if repr(x) == name) for name in NAMES]
    def bytes(self):
        found = self.counts()
        which = sum((c != 0) << bit for bit, c in enumerate(found))
        return bytes([which]) + b"".join(number(2 * c if c >= 0 else -2 * c - 1) for c in found if c)
    def total(self):
        return sum((x * w for x, w in self if isinstance(x, Fraction)), Fraction(0))
    def special(self):
        """What a sum is that is no number, or -0.0, since all that is in it is."""
        n, zeros, nans, plus, minus = self.counts()
        signs = [1] * (plus > 0 or minus < 0) + [-1] * (minus > 0 or plus < 0)
        zero = -0.0 if n == zeros and not self.total() else None
        return NAN if nans or len(signs) == 2 else signs[0] * INFINITY if signs else zero

def check(line):
    head, inputs, encoded, results = (field.strip() for field in line.split("|"))
    (state, kind), is_float = head.split(), head.split()[1] in FLOATS
    tag, unit = (FLOATS[kind][1], Fraction(2) ** FLOATS[kind][2]) if is_float else (INTEGERS[kind], 1)
    split = [item.rpartition("*") for item in inputs.split()]
    items = [([element(z, kind) for z in text.split(",")], int(weight or 1)) for weight, _, text in split]
    x, y = (Items((v[i], w) for v, w in items) for i in (0, -1))
    xx, yy, xy = (Items((product(v[i], v[j], is_float), w) for v, w in items) for i, j in ((0, 0), (-1, -1), (0, -1)))
    n, sx, sy, sxx, syy, sxy = x.counts()[0], *(items.total() for items in (x, y, xx, yy, xy))
    moments = lambda x, xx: x.bytes() + integer(int(x.total() / unit)) + integer(int(xx.total() / unit**2))
    body = {"sum": x.bytes() + integer(int(sx / unit)), "dot": xy.bytes() + integer(int(sxy / unit**2)), "moments": moments(x, xx),
            "comoments": moments(x, xx) + moments(y, yy) + integer(int(sxy / unit**2))}[state]
    assert (bytes([1, STATES[state] << 4 | tag]) + body).hex() == encoded, line
    is_finite = not x.special() and not y.special()
    ratio = lambda a, b, least=0: None if n <= least or is_finite and not b else a / b if is_finite else NAN
    of = lambda items, value: value if items.special() is None or not is_float else items.special()
    c, cx, cy = n * sxy - sx * sy, n * sxx - sx * sx, n * syy - sy * sy
    mean, correlation = None if n <= 0 else of(x, sx / n), NAN if n > 0 and min(cx, cy) < 0 else root(ratio(c * c, cx * cy))
    variances = ratio(cx, n * n), ratio(cx, n * (n - 1), 1)
    found = {"sum": [of(x, sx), mean], "dot": [of(xy, sxy)], "moments": [mean, *variances, *map(root, variances)],
             "comoments": [ratio(c, n * n), ratio(c, n * (n - 1), 1), correlation and correlation * (-1 if c < 0 else 1),
                           ratio(c, cx), ratio(sy * cx - c * sx, n * cx)]}[state]
    shown = ["none" if x is None else nearest(x, kind) for x in found]
    if state == "sum" and not is_float:
        shown[0] = str(sx) if 0 <= sx + (kind != "u128") * 2**127 < 2**128 else "none"
    assert shown == results.split(), (line, shown)

print(len([check(line) for line in open(sys.argv[1]) if not line.startswith("#")]), "vectors")
