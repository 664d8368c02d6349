"""Prints src/constants.rs: `python3 coefficients.py`, with mpmath from PyPI.

A polynomial has the least squares of its error at the zeros of a Chebyshev polynomial, in 500 bits: its greatest error is within a
small factor of the least possible. Its lowest coefficient is rounded to the format, then the others are computed again for what is
left of the function, and so on. The degree is the least whose error is a small part of a unit in the last place.
"""

import struct

from mpmath import atanh, cos, exp, floor, frexp, ldexp, log, lu_solve, matrix, mp, mpf, pi, sqrt, tanh

mp.prec = 500


def rounded(x, bits):
    """The nearest number of so many significant bits."""
    if x == 0:
        return mpf(0)
    mantissa, exponent = frexp(x)
    return ldexp(floor(ldexp(mantissa, bits) + mpf(1) / 2), exponent - bits)


def on_grid(x, places):
    """The nearest multiple of 2^-places."""
    return ldexp(floor(ldexp(x, places) + mpf(1) / 2), -places)


def fitted(function, low, high, powers):
    """The coefficients of these powers, with the least squares at the zeros of a Chebyshev polynomial."""
    n = 4 * len(powers) + 20
    nodes = [(low + high) / 2 + (high - low) / 2 * cos(pi * (2 * i + 1) / (2 * n)) for i in range(n)]
    return lu_solve(matrix([[x**k for k in powers] for x in nodes]), matrix([function(x) for x in nodes]))


def polynomial(function, low, high, degree, bits):
    """Coefficients from the lowest, each a number of so many bits."""
    found = []
    for k in range(degree + 1):
        rest = lambda x: function(x) - sum(c * x**i for i, c in enumerate(found))
        found.append(rounded(fitted(rest, low, high, range(k, degree + 1))[0], bits))
    return found


def quotient(numerator, series, power):
    """`numerator(x) / x^power`, by the series near zero."""
    return lambda x: numerator(x) / x**power if abs(x) > mpf(2) ** -20 else series(x)


ln2 = log(2)
half = ln2 / 2 * (1 + mpf(2) ** -10)
of_exp = quotient(lambda r: exp(r) - 1 - r - r**2 / 2, lambda r: mpf(1) / 6 + r / 24 + r**2 / 120 + r**3 / 720, 3)
of_exp2 = quotient(lambda r: mpf(2)**r - 1 - r * ln2, lambda r: ln2**2 / 2 + r * ln2**3 / 6 + r**2 * ln2**4 / 24, 2)
of_log = lambda z: (2 * atanh(sqrt(z)) / sqrt(z) - 2) / z if z > mpf(2) ** -40 else mpf(2) / 3 + 2 * z / 5 + 2 * z**2 / 7
of_tanh = lambda z: (tanh(sqrt(z)) / sqrt(z) - 1) / z if z > mpf(2) ** -40 else -mpf(1) / 3 + 2 * z / 15 - 17 * z**2 / 315
s = (sqrt(mpf(2)) - 1) / (sqrt(mpf(2)) + 1) * (1 + mpf(2) ** -10)

# Bits of a number; bits of log2 e's first part; places of ln 2's high part, and of its head; degrees.
formats = {
    "f32": dict(bits=24, log2e=8, ln2=16, two=13, exp=4, exp2=5, log=3, tanh=2),
    "f64": dict(bits=53, log2e=11, ln2=42, two=27, exp=9, exp2=10, log=7, tanh=5),
}


def literal(x, name):
    """The shortest decimal that is read as this number."""
    if name == "f64":
        text = repr(float(x))
    else:
        exact = float(x)
        text = next(t for n in range(1, 20) for t in [f"{exact:.{n}g}"] if struct.unpack("f", struct.pack("f", float(t)))[0] == exact)
    if "e" in text:
        mantissa, exponent = text.split("e")
        text = f"{mantissa}e{int(exponent)}"
    return text if any(c in text for c in ".e") else text + ".0"


print("//! Polynomials and parts of constants, for each format. Written by `coefficients.py`, which says how they are made.\n")
print("use crate::float::Constants;\n")
for name, f in formats.items():
    bits = f["bits"]
    put = lambda key, value: print(f"    const {key}: Self = {literal(value, name)};")

    def many(key, values):
        print(f"    const {key}: &'static [Self] = &[{', '.join(literal(v, name) for v in values)}];")

    print(f"impl Constants for {name} {{")
    high = on_grid(ln2, f["ln2"])
    put("LN_2_HIGH", high)
    put("LN_2_LOW", rounded(ln2 - high, bits))
    high = on_grid(ln2, f["two"])
    put("LN_2_HEAD", high)
    put("LN_2_TAIL", rounded(ln2 - high, bits))
    log2e = 1 / ln2
    high = rounded(log2e, f["log2e"])
    put("LOG2_E_HEAD", high)
    put("LOG2_E_TAIL", rounded(log2e - high, bits))
    many("EXP", polynomial(of_exp, -half, half, f["exp"], bits))
    many("EXP2", polynomial(of_exp2, -mpf(1) / 2, mpf(1) / 2, f["exp2"], bits))
    many("LOG", polynomial(of_log, mpf(0), s * s, f["log"], bits))
    many("TANH", polynomial(of_tanh, mpf(0), mpf(1) / 1024, f["tanh"], bits))
    # A first guess, so only some bits matter.
    many("RSQRT", [rounded(c, bits) for c in fitted(lambda x: 1 / sqrt(x), 1 / sqrt(mpf(2)), 2 * sqrt(mpf(2)), range(4))])
    print("}\n")
