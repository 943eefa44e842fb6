"""Changes that leave everything as it was, or worse off only in time: nothing could notice them."""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import NamedTuple


class Equivalent(NamedTuple):
    """The rows of a file before and after a change, as a result has them, and why no verdict can depend on it."""

    file: str
    old: str
    new: str
    reason: str


class Choice(NamedTuple):
    """Functions of a file, or all of it, that choose among ways to the same result, or refuse what is too large."""

    file: str
    functions: tuple[str, ...]
    reason: str

    def has(self, file: str, text: str, line: int) -> bool:
        """Whether a line of a file belongs to it."""
        return file == self.file and (not self.functions or not _around(text, line).isdisjoint(self.functions))


@lru_cache(maxsize=512)
def functions(text: str) -> tuple[tuple[str, int, int], ...]:
    """The functions of a file, each with its first line and its last."""
    found = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef))
    return tuple((one.name, one.lineno, one.end_lineno or one.lineno) for one in found)


def _around(text: str, line: int) -> frozenset[str]:
    return frozenset(name for name, first, last in functions(text) if first <= line <= last)


_SAME = "What fits into memory or a cache at a time: every choice comes to the same (proofs/routes/whole_numbers.py)."
CHOICES: tuple[Choice, ...] = (
    Choice(
        "architectures/estimate.py",
        (),
        "How many terms there will be refuses what is too large; no number depends on it.",
    ),
    Choice(
        "architectures/contraction.py",
        ("volume", "cost"),
        "In which order factors are multiplied; the sum is the same.",
    ),
    Choice(
        "numeric/network/cost.py",
        (),
        "Which arrangement is the fastest: all come to the same (proofs/routes/whole_numbers.py).",
    ),
    Choice("numeric/threads.py", ("cores",), "How many threads work on parts of one result."),
    Choice(
        "numeric/network/run.py",
        ("segment", "_fewest", "_bytes_stream", "bytes_least", "bytes_kept", "fewest_kept"),
        _SAME,
    ),
    Choice(
        "numeric/network/scan.py",
        ("least", "_bytes_chunks", "bytes_kept", "bytes_passing", "_coefficients", "_together"),
        _SAME,
    ),
    Choice("numeric/network/sample_tiles.py", ("together", "segments", "needed", "bytes_unit"), _SAME),
    Choice("numeric/network/sweeps.py", ("bytes_stream", "fewest"), _SAME),
    Choice(
        "symbolic/written/explicit.py",
        ("_symbols",),
        "The symbols that are foreseen: those that turn out to be missing are added, and the series is found again.",
    ),
    Choice(
        "symbolic/written/activation_series.py", ("symbols_at_zero",), "As `_symbols` in symbolic/written/explicit.py."
    ),
    Choice(
        "proofs/demystifying_resnet/sphere.py",
        ("_check",),
        "What is refused before a path is looked for; test_sphere.py has each refusal.",
    ),
    Choice(
        "proofs/statement.py", ("ended", "short"), "How a sentence ends on a page, and what a message has of an object."
    ),
    Choice(
        "numeric/spectra/toeplitz.py",
        ("_around", "_interpolated", "_sharp", "_middle"),
        "Where eigenvalues are counted next: whichever points are taken, the counts there enclose the one "
        "that is sought.",
    ),
    Choice(
        "numeric/network/arrangement.py",
        ("_is_pair", "_counted"),
        "As numeric/network/cost.py.",
    ),
    Choice("numeric/network/sample_tiles.py", ("streams_of",), _SAME),
    Choice("numeric/network/scan_layout.py", ("entries",), _SAME),
    Choice("numeric/backend.py", ("_keep_freed_memory",), "How soon memory is given back."),
    Choice("architectures/contraction_names.py", (), "The words that a reader is shown for a contraction."),
    Choice("architectures/text.py", ("_number", "_filled", "_bracketed"), "How an expression is shown to a reader."),
    Choice(
        "proofs/rethinking_skips/ball_products.py",
        ("_bits",),
        "How many digits the balls have; whatever they are, they contain the exact numbers.",
    ),
    Choice("proofs/routes/drawn_units.py", (), "Which units are drawn: whatever they are, all routes have to agree."),
    Choice("proofs/beyond/drawn_blocks.py", ("_seldom", "_one", "_chosen"), "Which units, likewise."),
    Choice(
        "proofs/rethinking_skips/singular_products.py",
        ("_small_pairs",),
        "Which small pairs.",
    ),
    Choice(
        "numeric/data.py",
        ("_refuse_other_order",),
        "Which of two messages refuses data whose features come last, for their rows are not the width.",
    ),
    Choice("numeric/limits.py", ("in_bytes",), "How a message writes a number of bytes."),
    Choice("proofs/told.py", (), "What a page shows of a computed object."),
    Choice("proofs/written.py", (), "Whether a page shows what was computed or what was typed."),
)


EQUIVALENT: tuple[Equivalent, ...] = (
    Equivalent(
        "proofs/demystifying_resnet/looking_at_zero.py",
        "if [c for c in (found - sympy.Poly(claim * d**2, *found.gens)).coeffs() if c < 0]:",
        "if [c for c in (found - sympy.Poly(claim * d**2, *found.gens)).coeffs() if c <= 0]:",
        "The coefficients that a polynomial lists are not 0.",
    ),
    Equivalent(
        "proofs/demystifying_resnet/escape_cones.py",
        "2: (_X**2 / 2 - _Y**2, _X**3 - _Y * _Z**2),",
        "2: (_X**2 / 2 - _Y**2, _X**4 - _Y * _Z**2),",
        "Another instance, as good as the one that is there.",
    ),
    Equivalent(
        "proofs/demystifying_resnet/near_zero.py",
        'region = orthant("", " ".join(["t", *(f"a{r} b{r}" for r in range(1, units + 1))]))',
        'region = orthant("", " ".join(["t", *(f"a{r} b{r}" for r in range(1, units + 2))]))',
        "A region with more symbols than occur.",
    ),
    Equivalent(
        "proofs/demystifying_resnet/plain_hessian.py",
        "3: (matrix([[1, 2], [-1, 1]]), matrix([[2, 1], [0, 3]]), matrix([[1, -1], [1, 2]])),",
        "3: (matrix([[1, 2], [-0, 1]]), matrix([[2, 1], [0, 3]]), matrix([[1, -1], [1, 2]])),",
        "Another instance, as good as the one that is there.",
    ),
    Equivalent(
        "proofs/demystifying_resnet/sphere.py",
        "inside = np.flatnonzero((reach > height) & (middle > 0.0) & (middle < angle))",
        "inside = np.flatnonzero((reach > height) & (middle > 0.0) & (middle <= angle))",
        "A cap whose middle is an end's would hold that end, and obstacles that near are refused before.",
    ),
    Equivalent(
        "proofs/demystifying_resnet/small_norms.py",
        "slopes = gradient(Network(unit, _DEPTH), weights, x, y).values()",
        "slopes = gradient(Network(unit, _DEPTH), weights, y, x).values()",
        "Other data: the gradient vanishes for n = 2, 3 whatever they are, and for n = 1 for neither.",
    ),
    Equivalent(
        "proofs/demystifying_resnet/shortcut_one.py",
        "3: (matrix([[0, 0], [0, 0]]), matrix([[-1, 3], [1, 0]]), matrix([[1, 1], [2, -2]])),",
        "3: (matrix([[0, 0], [0, 0]]), matrix([[-1, 3], [1, 0]]), matrix([[1, 1], [2, 2]])),",
        "Another instance, as good as the one that is there.",
    ),
    Equivalent(
        "proofs/demystifying_resnet/sphere.py",
        "inside = np.flatnonzero((reach > height) & (middle > 0.0) & (middle < angle))",
        "inside = np.flatnonzero((reach > height) & (middle >= 0.0) & (middle < angle))",
        "A cap whose middle is an end's would hold that end, and obstacles that near are refused before.",
    ),
    Equivalent(
        "proofs/demystifying_resnet/xavier_start.py",
        "found[length] = hessian == scale(0, hessian)",
        "found[length] = hessian == scale((-1), hessian)",
        "Zero alone is the opposite of itself.",
    ),
    Equivalent(
        "proofs/demystifying_resnet/moving_columns.py",
        "return (determinant > 0) - (determinant < 0)",
        "return (determinant >= 0) - (determinant < 0)",
        "Three different points of a circle are not on a line, and that they differ is claimed beside it.",
    ),
    Equivalent(
        "proofs/demystifying_resnet/moving_columns.py",
        "return (determinant > 0) - (determinant < 0)",
        "return (determinant > 0) - (determinant <= 0)",
        "Three different points of a circle are not on a line, and that they differ is claimed beside it.",
    ),
    Equivalent(
        "proofs/demystifying_resnet/lemmas.py",
        "lambda pattern, n: any(len(layers) == n for _, layers in pattern),",
        "lambda pattern, n: all(len(layers) == n for _, layers in pattern),",
        "As true: a derivative in weights of a unit that is not complete vanishes, whatever the others are.",
    ),
    Equivalent(
        "proofs/demystifying_resnet/germs.py",
        "u = [plus(*map(times, row, u)) for row in matrix]",
        "u = [plus(*map(times, u, row)) for row in matrix]",
        "The product of two curves is commutative.",
    ),
    Equivalent(
        "proofs/demystifying_resnet/relu_and_biases.py",
        "signs = {c > 0 for c in sympy.Poly(found[name]).coeffs() if c}",
        "signs = {c >= 0 for c in sympy.Poly(found[name]).coeffs() if c}",
        "A coefficient that is 0 is left out before.",
    ),
    Equivalent(
        "proofs/demystifying_resnet/near_zero.py",
        "(Fraction(1, 4), _TILT, Instance([[1, 0], [1, 2]], [[0, 1], [3, 1]])),",
        "(Fraction(1, 4), _TILT, Instance([[1, 1], [1, 2]], [[0, 1], [3, 1]])),",
        "Another instance, as good as the one that is there.",
    ),
    Equivalent(
        "proofs/demystifying_resnet/theorem2.py",
        "signs = Counter({-1: 0, 0: 0, 1: 0})",
        "signs = Counter({-1: 0, 0: 0, 2: 0})",
        "A Counter has zero for what it was not given.",
    ),
    Equivalent(
        "proofs/demystifying_resnet/printed_forms.py",
        "return multiply(copies(m), transpose(permutation(m)))",
        "return multiply(copies(m), (permutation(m)))",
        "P exchanges vec(V) and vec(V^T), so that it is its own inverse and its own transpose.",
    ),
    Equivalent(
        "numeric/network/scan.py",
        "return self.bytes_kept * (2 * (self.units // length + 1) + self.units % length)",
        "return self.bytes_kept * (2 * (self.units // length + 1) + self.units // length)",
        "An estimate of memory decides how many units are in hand at a time, and no number depends on that.",
    ),
    Equivalent(
        "symbolic/index/lift.py",
        "form = loss_series(unit, loss, 2, 2)[2]",
        "form = loss_series(unit, loss, 2, 3)[2]",
        "A degree more is expanded, and the second is read.",
    ),
    Equivalent(
        "proofs/theory/critical_points.py",
        'layers = f"R={len(self.units)}, n={self.units[0]}" if self.shortcut else f"l={self.units[0]}"',
        'layers = f"R={len(self.units)}, n={self.units[0]}" if not (self.shortcut) else f"l={self.units[0]}"',
        "What an instance is called.",
    ),
    Equivalent(
        "proofs/rethinking_skips/joint_products.py",
        "(len(set(transpose(a))) == len(a), determinant(a)),",
        "(len(set((a))) == len(a), determinant(a)),",
        "The matrix is symmetric.",
    ),
    Equivalent(
        "architectures/estimate.py",
        "total = (total[0] + power[0], total[1] + power[1], total[2] + power[2])",
        "total = (total[0] + power[0], total[1] - power[1], total[2] + power[2])",
        "An estimate of how many terms there will be refuses what is too large, and no number depends on it.",
    ),
    Equivalent(
        "architectures/estimate.py",
        "if count > MOST_TERMS:",
        "if count >= MOST_TERMS:",
        "The limit itself is a round number of terms, a choice.",
    ),
    Equivalent(
        "numeric/network/sample_tiles.py",
        "return min(max(STACK // (8 * self.depth * self.streams.widest), WIDE), samples)",
        "return min(min(STACK // (8 * self.depth * self.streams.widest), WIDE), samples)",
        "How many samples go through at a time: each by itself comes to the same.",
    ),
    Equivalent(
        "symbolic/written/explicit.py",
        "sparse = order <= 2 if graded is None else not graded",
        "sparse = order <= 2 if graded is None else graded",
        "Which of two ways a series is expanded: both come to the same.",
    ),
    Equivalent(
        "symbolic/algebra/rings.py",
        'super().__init__(", ".join(self.names))',
        'return\n        super().__init__(", ".join(self.names))',
        "The message of an error that is caught.",
    ),
    Equivalent(
        "proofs/theory/linear_networks.py",
        'weights = [f"W{r}_{n}" for r, size in enumerate(self.layers, 1) for n in range(1, size + 1)]',
        'weights = [f"W{r}_{n}" for r, size in enumerate(self.layers, 1) for n in range(0, size + 1)]',
        "A polynomial ring with more symbols than occur.",
    ),
    Equivalent(
        "proofs/identity_matters/built_factors.py",
        "symmetric = (basis * np.exp(np.asarray(made.polar.logs))) @ basis.T",
        "symmetric = (basis * np.exp(np.asarray(made.polar.logs))) @ basis",
        "A factor of two products that are false: another falsehood is as false.",
    ),
    Equivalent(
        "proofs/rethinking_skips/error_signals.py",
        '"W^T D": lambda h, w, d: w.T @ d,',
        '"W^T D": lambda h, w, d: w @ d,',
        "The shape alone is asked for, and W is square.",
    ),
    Equivalent(
        "proofs/rethinking_skips/residual_gradients.py",
        "powers = [[sympy.exp(sympy.Rational(value) * sympy.log(2)) for value in column] "
        "for column in transpose(output)]",
        "powers = [[sympy.exp(sympy.Rational(value) * sympy.log(2)) for value in column] for column in (output)]",
        "The matrix is symmetric.",
    ),
    Equivalent(
        "proofs/rethinking_skips/residual_gradients.py",
        "slopes = [matrix(slope) for slope in _slopes(net, transpose(net.signal()))]",
        "slopes = [matrix(slope) for slope in _slopes(net, (net.signal()))]",
        "The matrix is symmetric.",
    ),
    Equivalent(
        "proofs/rethinking_skips/gradient_ranks.py",
        "found[t, k] = _squared_kappa(multiply(multiply(turned(), w), transpose(turned())))",
        "found[t, k] = _squared_kappa(multiply(multiply(turned(), w), (turned())))",
        "An orthogonal factor changes no singular value.",
    ),
    Equivalent(
        "proofs/block/spectrum.py",
        "if any(not 2.0**-1000 < scaled(value, exponent) < 2.0**1000 for value in moduli):",
        "if any(not 2.0**-1000 <= scaled(value, exponent) < 2.0**1000 for value in moduli):",
        "The limit itself is a round number, a choice.",
    ),
    Equivalent(
        "numeric/spectra/toeplitz.py",
        "return (a + a.T) / 2",
        "return (a + a) / 2",
        "What is symmetrised is symmetric but for rounding.",
    ),
    Equivalent(
        "proofs/rethinking_skips/ball_products.py",
        "found.append(_log_condition(product * gram * product.transpose()))",
        "found.append(_log_condition(product * gram * product))",
        "The layers have one orthonormal basis of eigenvectors, so that their product is symmetric.",
    ),
    Equivalent(
        "proofs/demystifying_resnet/printed_forms.py",
        "return multiply(multiply(p, copies(s)), transpose(p))",
        "return multiply(multiply(p, copies(s)), (p))",
        "P is its own transpose.",
    ),
    Equivalent(
        "symbolic/algebra/toeplitz.py",
        "counts = _about(real_rooted(multiply(transpose(a), a)), bound)",
        "counts = _about(real_rooted(multiply((a), a)), bound)",
        "It is asked of Hessians alone, which are symmetric.",
    ),
    Equivalent(
        "proofs/identity_matters/flat_saddles.py",
        "t = multiply(y, transpose(x))",
        "t = multiply(y, (x))",
        "X is the identity.",
    ),
    Equivalent(
        "proofs/demystifying_resnet/deep_products.py",
        "p, q = (matrix([[(3 * i + 5 * j + k) % 7 - 2 for j in range(rank)] for i in range(3)]) for k in (0, 4))",
        "p, q = (matrix([[(3 * i + 5 * j + k) % 7 - 2 for j in range(rank)] for i in range(2)]) for k in (0, 4))",
        "Another instance, as good as the one that is there.",
    ),
    Equivalent(
        "proofs/rethinking_skips/eigenvector_claims.py",
        "layers = ((3, 1), (2, 3))",
        "layers = ((4, 1), (2, 3))",
        "Another instance, as good as the one that is there.",
    ),
    Equivalent(
        "proofs/beyond/attention_forms.py",
        "if count != claim(heads, d, k):",
        "if count != claim(d, heads, k):",
        "The claim is a multiple of the product of all three.",
    ),
    Equivalent(
        "proofs/beyond/stem_and_head.py",
        "residual = _times(head[0], h[0]) + _times(head[1], h[1]) - QQ(_TARGET.numerator, _TARGET.denominator)",
        "residual = _times(head[0], h[0]) + _times(head[1], h[1]) - QQ(_TARGET.denominator, _TARGET.numerator)",
        "Another instance, as good as the one that is there.",
    ),
    Equivalent(
        "proofs/beyond/trichotomy.py",
        'values = {f"g_{i}_{u}": (value if i == 1 else -value) for u, value in _GRADIENTS for i in (1, 2)}',
        'values = {f"g_{i}_{u}": (value if i != 1 else -value) for u, value in _GRADIENTS for i in (1, 2)}',
        "Another instance, as good as the one that is there.",
    ),
    Equivalent(
        "proofs/demystifying_resnet/documents.py",
        'number = f"{number} ({version})" + (f"; {iclr} (ICLR)" if iclr else "")',
        'number = f"{number} ({version})" + (f"; {iclr} (ICLR)" if not (iclr) else "")',
        "How a page calls the place in a paper.",
    ),
    Equivalent(
        "proofs/beyond/written_attention.py",
        "total = _plus(total, tuple(one.ring.number(coefficient) * part for part in power))",
        "total = _plus(tuple(one.ring.number(coefficient) * part for part in power), total)",
        "A sum of series, degree by degree.",
    ),
    Equivalent(
        "proofs/block/ritz.py",
        "if name not in joined and not any((name, other) in pairs for other in (*chosen, name)):",
        "if name not in joined and not all((name, other) in pairs for other in (*chosen, name)):",
        "R (|N| - |S|) zeros are certain for every set N of weights that A does not join: it is a choice.",
    ),
    Equivalent(
        "proofs/block/spectrum.py",
        "side = units * found.diagonal.shape[-1]",
        "side = units * found.diagonal.shape[1]",
        "D is square, one for each label.",
    ),
    Equivalent(
        "proofs/beyond/depth_evidence.py",
        "return tuple(int(np.count_nonzero(c)) for c in (values < -zero, np.abs(values) <= zero, values > zero))",
        "return tuple(int(np.count_nonzero(c)) for c in (values <= -zero, np.abs(values) <= zero, values > zero))",
        "No computed eigenvalue is a rounding bound to the last bit, and no bound is zero.",
    ),
    Equivalent(
        "architectures/networks.py",
        "named = {w: replace(w, name=name) for w, name in names.items() if not w.trainable and w.name != name}",
        "named = {w: replace(w, name=name) for w, name in names.items() if w.trainable and w.name != name}",
        "What frozen weights are called.",
    ),
    Equivalent(
        "numeric/spectra/toeplitz.py",
        "if widest is not None and d.shape[0] - lost > widest:",
        "if widest is not None and d.shape[0] - lost >= widest:",
        "The limit itself is a round number, a choice.",
    ),
    Equivalent(
        "numeric/spectra/lanczos.py",
        "STEPS = 200",
        "STEPS = 199",
        "How many steps are made at most, a choice; what is found is proved by its residual.",
    ),
    Equivalent(
        "numeric/spectra/balanced.py",
        "largest = max(part.exponent for part in parts)",
        "largest = min(part.exponent for part in parts)",
        "By which power of two numbers are divided: no digit depends on it.",
    ),
    Equivalent(
        "symbolic/written/explicit.py",
        "return with_symbols(ring, _symbols(made, network, 0, symbolic=data is None), run)",
        "return with_symbols(ring, _symbols(made, network, 0, symbolic=data is not None), run)",
        "As `_symbols` there: those that turn out to be missing are added.",
    ),
    Equivalent(
        "symbolic/written/explicit.py",
        "return self.upper.get((row, col) if row <= col else (col, row), self.ring.zero)",
        "return self.upper.get((row, col) if row < col else (col, row), self.ring.zero)",
        "Where they are equal both orders are one.",
    ),
    Equivalent(
        "architectures/expressions.py",
        "if isinstance(variance, float) and 0.0 < variance < 1e9 and (near := "
        "Fraction(variance).limit_denominator(10**6)):",
        "if isinstance(variance, float) and 0.0 < variance <= 1e9 and (near := "
        "Fraction(variance).limit_denominator(10**6)):",
        "Which of two messages refuses a float.",
    ),
    Equivalent(
        "architectures/expressions.py",
        "if not isinstance(power, int) or isinstance(power, bool) or not 1 <= power <= MOST_POWER:",
        "if not isinstance(power, int) or isinstance(power, bool) or not 1 <= power < MOST_POWER:",
        "The limit itself is a round number, a choice.",
    ),
    Equivalent(
        "numeric/spectra/cores.py",
        "ends = count(c.diagonal, c.earlier) + count(c.diagonal, c.later)",
        "ends = count(c.diagonal, c.earlier) + count(c.later, c.diagonal)",
        "`count` asks of each slot whether all flags hold.",
    ),
    Equivalent(
        "numeric/spectra/toeplitz.py",
        "middle = min(max(middle, low.shift + least / 4), high.shift - least / 4)",
        "middle = min(max(middle, low.shift + least / 4), high.shift + least / 4)",
        "Where eigenvalues are counted next, as `_middle` there.",
    ),
    Equivalent(
        "symbolic/index/lift.py",
        "return add_series(value, map_series(partial(multiply, secant), positive), rest)",
        "return add_series(map_series(partial(multiply, secant), positive), value, rest)",
        "A sum in another order.",
    ),
    Equivalent(
        "symbolic/index/lift.py",
        "product = multiply_series(product, map_series(partial(rename, mapping=moved), increment))",
        "product = multiply_series(map_series(partial(rename, mapping=moved), increment), product)",
        "Sums of index terms commute.",
    ),
    Equivalent(
        "symbolic/index/lift.py",
        "flipped = activation is relu and leading < 0",
        "flipped = activation is relu and leading <= 0",
        "A coefficient of a sum of index terms is not zero.",
    ),
    Equivalent(
        "numeric/modular/degrees.py",
        "composed = most(composed, times((tower[k], *[None] * order), power))",
        "composed = most(times((tower[k], *[None] * order), power), composed)",
        "The greater of two degrees, in either order.",
    ),
    Equivalent(
        "symbolic/written/jets.py",
        "if (k + 1) * least <= order and any(coefficients[k + 1 :]):",
        "if (k - 1) * least <= order and any(coefficients[k + 1 :]):",
        "A power more is made, and nothing asks for it.",
    ),
    Equivalent(
        "proofs/verdict.py",
        "several = type(instance) is tuple and type(others) is tuple and all(map(is_dataclass, (*instance, *others)))",
        "several = type(instance) is tuple and type(others) is tuple and any(map(is_dataclass, (*instance, *others)))",
        "No tuple holds networks and something else.",
    ),
    Equivalent(
        "proofs/statement.py",
        "if unlike := _other_facts(self.claim, other):",
        "if unlike := _other_facts(other, self.claim):",
        "What only one of two has is the same from either side.",
    ),
    Equivalent(
        "proofs/identity_matters/flat_saddles.py",
        'order = explicit_order(network, {"d": d}, up_to=layers + 1).order',
        'order = explicit_order(network, {"d": d}, up_to=layers + 0).order',
        "How far the order is looked for: it is found before.",
    ),
    Equivalent(
        "numeric/spectra/toeplitz.py",
        "unsure = np.abs(values) <= noise",
        "unsure = np.abs(values) < noise",
        "A number that equals its rounding bound.",
    ),
    Equivalent(
        "numeric/network/reverse.py",
        "counts = left in run.active and not _is_constant(values[right])",
        "counts = left in run.active and _is_constant(values[right])",
        "Where both sides depend on t the next line says so too; else more is worked out than is read.",
    ),
    Equivalent(
        "proofs/demystifying_resnet/theorem1.py",
        "(_E1, _column(3, 4, 0, over=5), _column(0, 0, 1)), (_column(0, 1, 0), _column(0, -1, 0), _column(-1, 0, 0))",
        "(_E1, _column(3, 0, 4, over=5), _column(0, 0, 1)), (_column(0, 1, 0), _column(0, -1, 0), _column(-1, 0, 0))",
        "Other unit columns, as far apart.",
    ),
    Equivalent(
        "proofs/routes/running_network.py",
        "for some in [places] if block else [[place] for place in places]:",
        "for some in [places] if not (block) else [[place] for place in places]:",
        "Eigenvectors together or one by one.",
    ),
    Equivalent(
        "numeric/network/scan.py",
        "together = max(all_in_hand, (free - at_work * self.bytes_passing) // self.bytes_kept, 1)",
        "together = max(all_in_hand, (free + at_work * self.bytes_passing) // self.bytes_kept, 1)",
        "How many units are in hand at a time.",
    ),
    Equivalent(
        "numeric/network/run.py",
        "least = min(samples, LEAST)",
        "least = max(samples, LEAST)",
        "How many samples have to fit at a time.",
    ),
    Equivalent(
        "proofs/identity_matters/factors.py",
        "if 1.0 - abs(float(cosines[0])) < NEARLY_REAL:",
        "if 1.0 - abs(float(cosines[0])) <= NEARLY_REAL:",
        "A number that equals a limit of choice.",
    ),
    Equivalent(
        "numeric/spectra/cores.py",
        "exponent = max((one.exponent for one in entries if np.any(env.ops.numpy(one.array))), default=0)",
        "exponent = max((one.exponent for one in entries if np.all(env.ops.numpy(one.array))), default=0)",
        "By which power of two a matrix is scaled.",
    ),
    Equivalent(
        "architectures/values.py",
        "return not moduli or (min(moduli) >= 1 / _LARGEST and max(moduli) <= _LARGEST)",
        "return moduli or (min(moduli) >= 1 / _LARGEST and max(moduli) <= _LARGEST)",
        "Whether numbers are looked at at once or one by one.",
    ),
    Equivalent(
        "numeric/network/sample_tiles.py",
        "CACHE = 2**22",
        "CACHE = 2*22",
        "What fits into a cache at a time.",
    ),
    Equivalent(
        "proofs/demystifying_resnet/spurious_zero.py",
        "_LINEAR = Minimal(identity_activation, identity_activation, 1, 2)",
        "_LINEAR = Minimal(identity_activation, identity_activation, 1, 3)",
        "Another instance, as good as the one that is there.",
    ),
    Equivalent(
        "numeric/network/series.py",
        "if b[0] is self.one and not any(c is not None for c in b[1:]):",
        "if b[0] is self.one and not all(c is not None for c in b[1:]):",
        "A factor one is multiplied by or left out.",
    ),
    Equivalent(
        "numeric/network/series.py",
        "if b[0] is self.one and not any(c is not None for c in b[1:]):",
        "if b[0] is self.one and not any(c is None for c in b[1:]):",
        "A factor one is multiplied by or left out.",
    ),
    Equivalent(
        "numeric/network/native.py",
        "ALONE = 2**22",
        "ALONE = 1**22",
        "From which size on threads share work.",
    ),
    Equivalent(
        "numeric/network/array_calls.py",
        "self.free[stack.shape[1]].append(stack)",
        "return\n        self.free[stack.shape[1]].append(stack)",
        "Memory that is used again.",
    ),
    Equivalent(
        "symbolic/written/jets.py",
        "if len(terms) >= MANY:",
        "if not (len(terms) >= MANY):",
        "How products are kept for another time.",
    ),
    Equivalent(
        "symbolic/written/reduction.py",
        "highest[slot] = max(highest.get(slot, 0), value)",
        "highest[slot] = max(highest.get(slot, (-1)), value)",
        "No value is negative.",
    ),
    Equivalent(
        "numeric/network/reverse.py",
        "counts = counts or (right in run.active and not _is_constant(values[left]))",
        "counts = counts or (right in run.active and _is_constant(values[left]))",
        "Where the left factor moves and the right one does not, the right one depends on the input, which counts.",
    ),
    Equivalent(
        "proofs/rethinking_skips/gradient_ranks.py",
        "(3, matrix([[1, 0, 1], [2, 1, 0], [0, 1, 1]]), matrix([[2, 0, 1], [1, 1, 0], [0, 3, 1]])),",
        "(3, matrix([[1, 0, 1], [2, 1, 0], [0, 1, 1]]), matrix([[2, (-1), 1], [1, 1, 0], [0, 3, 1]])),",
        "Another instance, as good as the one that is there.",
    ),
    Equivalent(
        "proofs/rethinking_skips/gradient_ranks.py",
        "(3, matrix([[1, 0, 1], [2, 1, 0], [0, 1, 1]]), matrix([[2, 0, 1], [1, 1, 0], [0, 3, 1]])),",
        "(3, matrix([[1, 0, 1], [2, 1, 0], [0, 1, 1]]), matrix([[2, 0, 0], [1, 1, 0], [0, 3, 1]])),",
        "Another instance, as good as the one that is there.",
    ),
    Equivalent(
        "proofs/rethinking_skips/gradient_ranks.py",
        "mixing = matrix([[1, 2, 0], [0, 1, 3], [1, 0, 1]])",
        "mixing = matrix([[0, 2, 0], [0, 1, 3], [1, 0, 1]])",
        "Another instance, as good as the one that is there.",
    ),
    Equivalent(
        "proofs/rethinking_skips/lyapunov_gaps.py",
        "drawn = [matrix([[1, 2], [-1, 3]]), matrix([[2, 1], [1, -1]]), matrix([[1, -1], [2, 2]])]",
        "drawn = [matrix([[1, 3], [-1, 3]]), matrix([[2, 1], [1, -1]]), matrix([[1, -1], [2, 2]])]",
        "Another instance, as good as the one that is there.",
    ),
    Equivalent(
        "proofs/rethinking_skips/lyapunov_gaps.py",
        "drawn = [matrix([[1, 2], [-1, 3]]), matrix([[2, 1], [1, -1]]), matrix([[1, -1], [2, 2]])]",
        "drawn = [matrix([[1, 2], [-1, 3]]), matrix([[2, 1], [1, -1]]), matrix([[1, -1], [3, 2]])]",
        "Another instance, as good as the one that is there.",
    ),
    Equivalent(
        "proofs/rethinking_skips/growth_of_products.py",
        "3: matrix([[1, 0, 2], [1, 1, 0], [0, 3, 1]]),",
        "3: matrix([[1, 0, 2], [1, 1, 1], [0, 3, 1]]),",
        "Another instance, as good as the one that is there.",
    ),
    Equivalent(
        "proofs/rethinking_skips/random_layers.py",
        "eigenvalues = drawn(1)[:, 0]",
        "eigenvalues = drawn(2)[:, 0]",
        "Another draw from the same law.",
    ),
    Equivalent(
        "proofs/rethinking_skips/dirac.py",
        "for rate in (Fraction(1, 100), Fraction(1, 7), Fraction(-1, 50)):",
        "for rate in (Fraction(1, 100), Fraction(1, 7), Fraction(1, 50)):",
        "Another instance, as good as the one that is there.",
    ),
    Equivalent(
        "proofs/rethinking_skips/dirac.py",
        'change = unit_series(_DIRAC, series([data(_DIRAC)], 2), opaque=("W", "a"))',
        'change = unit_series(_DIRAC, series([data(_DIRAC)], 3), opaque=("W", "a"))',
        "A degree more is expanded, and the first is read.",
    ),
    Equivalent(
        "proofs/rethinking_skips/joint_products.py",
        "> Fraction(99, 100),",
        ">= Fraction(99, 100),",
        "The limit itself is a round number, a choice.",
    ),
    Equivalent(
        "proofs/rethinking_skips/joint_products.py",
        "assert abs(first) <= 1 < second",
        "assert abs(first) <= 1 <= second",
        "The error that is claimed grows, with the square of what the second exceeds 1 by.",
    ),
    Equivalent(
        "proofs/rethinking_skips/joint_evidence.py",
        "doubtful = int(np.sum(singular[:, -1] <= width**2 * 2.0**-52 * singular[:, 0]))",
        "doubtful = int(np.sum(singular[:, -1] < width**2 * 2.0**-52 * singular[:, 0]))",
        "The limit itself is a round number, a choice.",
    ),
    Equivalent(
        "proofs/rethinking_skips/condition_of_products.py",
        'scope = sizes(_SHAPES, words(h), words(back), remainder, products={inner: "L"})',
        'scope = sizes(_SHAPES, words(h), remainder, words(back), products={inner: "L"})',
        "Sizes of several words together, in any order.",
    ),
    Equivalent(
        "proofs/rethinking_skips/growth_of_products.py",
        "term = term * at[name] ** power",
        "term = term * at[name] * power",
        "The output of a linear network is affine in every entry: each power is one.",
    ),
    Equivalent(
        "proofs/rethinking_skips/residual_gradients.py",
        "for target, row in zip(transpose(net.y), powers, strict=True)",
        "for target, row in zip((net.y), powers, strict=True)",
        "Y is the identity.",
    ),
    Equivalent(
        "proofs/rethinking_skips/joint_products.py",
        'for_all={"L": 1, "d": 2, "paths": 1},',
        'for_all={"L": 1, "d": 2, "paths": 2},',
        "The hypothesis says it too: a ResNeXt has two paths or more.",
    ),
    Equivalent(
        "numeric/network/native.py",
        "ALONE = 2**22",
        "ALONE = 2**21",
        "From which size on a second thread helps: the same tiles come to the same.",
    ),
    Equivalent(
        "architectures/expressions.py",
        "counts = isinstance(value, int) and not isinstance(value, bool) and 1 <= value < 10**9",
        "counts = isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 10**9",
        "The limit itself is a round number, a choice.",
    ),
    Equivalent(
        "numeric/network/sample_tiles.py",
        "several = segment < tiles.units",
        "several = segment <= tiles.units",
        "Arrays for a second segment, where there is none.",
    ),
    Equivalent(
        "proofs/demystifying_resnet/spurious_zero.py",
        "found = sympy.solve([*gradient, s * loss - 1], [w1, w2, s], dict=True)",
        "found = sympy.solve([*gradient, s * loss + 1], [w1, w2, s], dict=True)",
        "That the loss is not zero is said by a number s with s L = 1, and as well by one with s L = -1.",
    ),
    Equivalent(
        "proofs/demystifying_resnet/sphere.py",
        "inside = np.flatnonzero((reach > height) & (middle > 0.0) & (middle < angle))",
        "inside = np.flatnonzero((reach >= height) & (middle > 0.0) & (middle < angle))",
        "A cap that an arc only touches takes a detour of length zero.",
    ),
    Equivalent(
        "proofs/identity_matters/relu_depth.py",
        "_INTEGER = ([[1, -2], [3, 1]], [[-1, 2], [1, 1]], [[2, 1], [-1, 1]])",
        "_INTEGER = ([[1, -2], [3, 2]], [[-1, 2], [1, 1]], [[2, 1], [-1, 1]])",
        "Another instance, as good as the one that is there.",
    ),
    Equivalent(
        "proofs/demystifying_resnet/theorem1.py",
        "_column(7, 3, 2, 1, 1, over=8),",
        "_column(7, 3, 1, 2, 1, over=8),",
        "Another instance, as good as the one that is there.",
    ),
    Equivalent(
        "proofs/rethinking_skips/condition_of_products.py",
        "_SHEAR = matrix([[1, 1], [0, Fraction(1, 8)]])",
        "_SHEAR = matrix([[1, 1], [1, Fraction(1, 8)]])",
        "Another instance, as good as the one that is there.",
    ),
    Equivalent(
        "proofs/beyond/stem_and_head.py",
        "Fraction(1, 7),",
        "Fraction(7, 1),",
        "Another instance, as good as the one that is there.",
    ),
    Equivalent(
        "proofs/block/ranks.py",
        "if sides[0] * sides[1] > MOST_ENTRIES:",
        "if sides[0] * sides[1] >= MOST_ENTRIES:",
        "The limit itself is a round number, a choice.",
    ),
    Equivalent(
        "proofs/block/ranks.py",
        "if min(sides) ** 3 * bits > MOST_WORK:",
        "if max(sides) ** 3 * bits > MOST_WORK:",
        "How much work is refused, and the rank not known: a choice.",
    ),
    Equivalent(
        "proofs/block/ranks.py",
        "entries = [int(a) - modulus if 2 * int(a) > modulus else int(a) for a in matrix.ravel()]",
        "entries = [int(a) - modulus if 2 * int(a) >= modulus else int(a) for a in matrix.ravel()]",
        "The modulus is a product of odd primes.",
    ),
    Equivalent(
        "proofs/routes/along_lines.py",
        "found = k if residues.any() else found",
        "found = k if residues.all() else found",
        "The last difference that is not zero is a constant one.",
    ),
    Equivalent(
        "proofs/identity_matters/built_factors.py",
        "return z @ np.linalg.matrix_power(np.eye(len(core)) + core, made.layers) @ z.T",
        "return z @ np.linalg.matrix_power(np.eye(len(core)) + core, made.layers) @ z",
        "A falsehood: another is as false.",
    ),
    Equivalent(
        "proofs/rethinking_skips/plain_products.py",
        '{PRINTED: printed, "no information": 0},',
        '{PRINTED: (lambda *_: False), "no information": 0},',
        "What is printed is a number there, which no function equals either.",
    ),
    Equivalent(
        "proofs/demystifying_resnet/theorem1.py",
        "(100, 1000, 10_000, 100_000),",
        "(100, 1000, 10_000, 100001),",
        "Another depth, as good as the one that is there.",
    ),
    Equivalent(
        "proofs/demystifying_resnet/escape_cones.py",
        "4: (_X**4 - _Y**4 + _X * _Y * _Z**2, _Z**5 + _X**2 * _Y**3),",
        "4: (_X**4 - _Y**4 + _X * _Y * _Z**2, _Z**5 + _X**2 + _Y**3),",
        "Another instance, as good as the one that is there.",
    ),
    Equivalent(
        "proofs/beyond/trichotomy.py",
        '"biased": ResidualUnit(biased(polynomial(0, 2, 1))),',
        '"biased": ResidualUnit(biased(polynomial(0, 3, 1))),',
        "Another instance, as good as the one that is there.",
    ),
    Equivalent(
        "proofs/beyond/stem_and_head.py",
        "Fraction(20),",
        "Fraction(21),",
        "Another instance, as good as the one that is there.",
    ),
    Equivalent(
        "proofs/demystifying_resnet/copies.py",
        "_CURVED = ResidualUnit(n_shortcut(2, polynomial(0, 1, 2), polynomial(0, 3, 1), polynomial(0, 2, 1)))",
        "_CURVED = ResidualUnit(n_shortcut(2, polynomial(0, 0, 2), polynomial(0, 3, 1), polynomial(0, 2, 1)))",
        "Another instance, as good as the one that is there.",
    ),
    Equivalent(
        "proofs/rethinking_skips/early_training.py",
        "error = max(error, float(np.max(np.linalg.norm(after - change, axis=(1, 2)) / size)))",
        "error = max(error, float(np.max(np.linalg.norm(after - change, axis=(1, 2)) * size)))",
        "What is printed fails the more.",
    ),
    Equivalent(
        "numeric/spectra/products.py",
        "POINT, TANGENT, UNIT = -10001, -10002, -10003",
        "POINT, TANGENT, UNIT = -10001, -10002, -10004",
        "Numbers that name axes: any that are not an index's and not another axis'.",
    ),
    Equivalent(
        "symbolic/index/structure.py",
        "label_dims = tuple(dims[names[0]][a[names[0]]] for a in labels)",
        "label_dims = tuple(dims[names[(-1)]][a[names[0]]] for a in labels)",
        "An index that several weights share has one dimension in all of them.",
    ),
    Equivalent(
        "symbolic/index/series.py",
        "power = multiply_series(power, increment)",
        "power = multiply_series(increment, power)",
        "Sums of index terms commute.",
    ),
    Equivalent(
        "numeric/network/array_calls.py",
        "self.pool.give(stack)",
        "return\n        self.pool.give(stack)",
        "Memory that is used again.",
    ),
    Equivalent(
        "numeric/network/scan.py",
        "groups = self.groups(max(GRANTED, self.least))",
        "groups = self.groups(min(GRANTED, self.least))",
        "How many units are in hand at a time.",
    ),
    Equivalent(
        "architectures/contraction.py",
        "costs = {(j, i): cost(i, j) for j in left for i in left if i < j}",
        "costs = {(j, i): cost(j, i) for j in left for i in left if i < j}",
        "The cost of a product does not depend on the order of its factors.",
    ),
    Equivalent(
        "numeric/network/sample_tiles.py",
        "STACK = 3 * 2**16",
        "STACK = 3 * 2*16",
        "How much is in hand at a time: each sample by itself comes to the same.",
    ),
    Equivalent(
        "numeric/backend.py",
        "return x.reshape(shape) if self.xp is np else self.xp.reshape(x, shape)",
        "return x.reshape(shape) if not (self.xp is np) else self.xp.reshape(x, shape)",
        "A method of an array and the function of that name do the same.",
    ),
    Equivalent(
        "numeric/spectra/toeplitz.py",
        "w, k = (a + a.T) / 2, (a.T - a) / 2",
        "w, k = (a + a) / 2, (a.T - a) / 2",
        "W is made symmetric once more in the basis of the range of K; without it, too, but for rounding.",
    ),
    Equivalent(
        "numeric/spectra/toeplitz.py",
        "least = max(problem.relative * max(abs(low.shift), abs(high.shift)), 2.0 * error)",
        "least = max(problem.relative * min(abs(low.shift), abs(high.shift)), 2.0 * error)",
        "How close an enclosure is wanted; it encloses the eigenvalue wherever it stops.",
    ),
    Equivalent(
        "symbolic/index/lift.py",
        "return start if sign > 0 else {}",
        "return start if sign > (-1) else {}",
        "A sign is 1 or -1 here.",
    ),
    Equivalent(
        "symbolic/written/instances.py",
        "offsets = {name: (first.get(weight, 0), weight.shape) for weight, name in unit.every_name.items()}",
        "offsets = {name: (first.get(weight, 1), weight.shape) for weight, name in unit.every_name.items()}",
        "A weight without a number is frozen, and has no direction to be placed.",
    ),
    Equivalent(
        "numeric/network/arithmetic.py",
        "return (_EXACT - 1) // (self.prime // 2 + 4) ** 2",
        "return (_EXACT - 1) // (self.prime // 2 + 5) ** 2",
        "How long an inner product is exact: a shorter one is, too.",
    ),
    Equivalent(
        "numeric/spectra/toeplitz.py",
        "found = _sharp(problem, middle, low, high)",
        "found = _sharp(problem, middle, high, low)",
        "Where eigenvalues are counted next, as `_sharp` there.",
    ),
    Equivalent(
        "numeric/network/array_calls.py",
        "room = np.empty(count + LINE // 8)",
        "room = np.empty(count + LINE // 9)",
        "Numbers of eight bytes are at most seven of them off a line.",
    ),
    Equivalent(
        "architectures/properties.py",
        "return a if a.value >= b.value else b",
        "return a if a.value > b.value else b",
        "Where they are equal both are one.",
    ),
    Equivalent(
        "symbolic/algebra/toeplitz.py",
        "while high - low > reach * Fraction(1, 2**bits):",
        "while high - low >= reach * Fraction(1, 2**bits):",
        "A bisection more.",
    ),
    Equivalent(
        "numeric/network/reverse.py",
        "return all(c is None for c in a[1:])",
        "return any(c is None for c in a[1:])",
        "On the way back there is one derivative at most.",
    ),
    Equivalent(
        "numeric/network/scan.py",
        "GRANTED = 2**26",
        "GRANTED = 1**26",
        "How many units are in hand at a time.",
    ),
    Equivalent(
        "numeric/network/scan.py",
        "GRANTED = 2**26",
        "GRANTED = 2**27",
        "How many units are in hand at a time.",
    ),
    Equivalent(
        "architectures/values.py",
        "if (isinstance(given, float) and not math.isfinite(given)) or not 1 / _LARGEST <= abs(given) <= _LARGEST:",
        "if (isinstance(given, float) and not math.isfinite(given)) or not 1 / _LARGEST < abs(given) <= _LARGEST:",
        "The limit itself is a round number, a choice.",
    ),
    Equivalent(
        "architectures/terms.py",
        '_FREE_NAMES = {ROW: "i", COLUMN: "j", SAMPLE: "u", -4: "k", -5: "l"}',
        '_FREE_NAMES = {ROW: "i", COLUMN: "j", SAMPLE: "u", 4: "k", -5: "l"}',
        "By which letter a free index is shown: i4 for k.",
    ),
    Equivalent(
        "symbolic/index/lift.py",
        "return constant(1) if sign > 0 else {}",
        "return constant(1) if sign >= 0 else {}",
        "A sign is 1 or -1 here.",
    ),
    Equivalent(
        "numeric/spectra/cores.py",
        "return ends + (units - 2) * count(c.diagonal, c.earlier, c.later)",
        "return ends + (units - 2) * count(c.diagonal, c.later, c.earlier)",
        "`count` asks of each slot whether all flags hold.",
    ),
    Equivalent(
        "architectures/expressions.py",
        "return Add(self, -as_expression(other))",
        "return Add(-as_expression(other), self)",
        "A sum in another order.",
    ),
    Equivalent(
        "symbolic/algebra/rings.py",
        "if TYPE_CHECKING:",
        "if not (TYPE_CHECKING):",
        "An import that takes time and is used for types alone.",
    ),
    Equivalent(
        "symbolic/index/lift.py",
        "return -11 - j",
        "return -12 - j",
        "Numbers that name the slots of a loss derivative: any that no other index has.",
    ),
    Equivalent(
        "numeric/data.py",
        "found = rest * known.setdefault(unknown[0], max(size // rest, 1)) if unknown else rest",
        "found = rest * known.setdefault(unknown[(-1)], max(size // rest, 1)) if unknown else rest",
        "There is one at most: where there are more the function has ended.",
    ),
    Equivalent(
        "symbolic/index/canonical.py",
        "while len(set(colours.values())) < len(colours):",
        "while len(set(colours.values())) <= len(colours):",
        "Where all colours differ already, a refinement changes none of them, and ends.",
    ),
    Equivalent(
        "numeric/network/contraction.py",
        "if len(batch) <= 1 and len(rows) == len(columns) == 1:",
        "if len(batch) < 1 and len(rows) == len(columns) == 1:",
        "An array is reshaped to the shape that it has.",
    ),
    Equivalent(
        "numeric/network/array_calls.py",
        "return -(-samples * 8 // LINE) * LINE // 8",
        "return -(-samples * 7 // LINE) * LINE // 8",
        "How many samples are taken together: a tile that has fewer columns takes fewer samples.",
    ),
    Equivalent(
        "symbolic/index/series.py",
        "offset = 1 + max((-1, *(i for _, factors in left for _, slots in factors for i in slots)))",
        "offset = 1 + max((1, *(i for _, factors in left for _, slots in factors for i in slots)))",
        "Numbers for the summed indices of a factor: any that the other one has not.",
    ),
    Equivalent(
        "numeric/spectra/toeplitz.py",
        "if not low.shift < middle < high.shift:",
        "if not low.shift <= middle < high.shift:",
        "The middle is off the ends unless it rounds to one: a count there once more encloses as well.",
    ),
    Equivalent(
        "architectures/terms.py",
        "masked: tuple[int, ...] = (0, 1)",
        "masked: tuple[int, ...] = (0, 0)",
        "Without a mask it is not read, and with one it is given.",
    ),
    Equivalent(
        "symbolic/index/series.py",
        "return _contracted(_product_terms(left, right), free) if left and right else {}",
        "return _contracted(_product_terms(right, left), free) if left and right else {}",
        "Sums of index terms commute.",
    ),
    Equivalent(
        "architectures/networks.py",
        "return rebuilt(root, leaf) if named else root",
        "return rebuilt(root, leaf) if not (named) else root",
        "What frozen weights are called.",
    ),
    Equivalent(
        "numeric/network/native.py",
        "ALONE = 2**22",
        "ALONE = 2*22",
        "From which size on threads share work.",
    ),
    Equivalent(
        "numeric/network/series.py",
        "if a[0] is self.one and not any(c is not None for c in a[1:]):",
        "if a[0] is self.one and not all(c is not None for c in a[1:]):",
        "A factor one is multiplied by or left out.",
    ),
    Equivalent(
        "numeric/modular/identity.py",
        "failure = points * math.log2(degree / prime) if degree < prime else 0.0",
        "failure = points * math.log2(degree / prime) if degree <= prime else 0.0",
        "The logarithm of 1 is 0.",
    ),
    Equivalent(
        "symbolic/written/kinks.py",
        "leading = next(min(part[monomial].items()) for part in parts if part for monomial in [min(part)])[1]",
        "leading = next(max(part[monomial].items()) for part in parts if part for monomial in [min(part)])[1]",
        "By which coefficient multiples of one argument are told: any that all of them choose alike.",
    ),
    Equivalent(
        "symbolic/index/lift.py",
        "summed = [name for name in node.inputs[0] if name not in node.output]",
        "summed = [name for name in node.inputs[(-1)] if name not in node.output]",
        "An axis that is summed over is one of both operands; in which order they are numbered is a choice.",
    ),
    Equivalent(
        "numeric/network/contraction.py",
        "and self.output == (self.left[0], self.right[1])",
        "and self.output == (self.left[1], self.right[1])",
        "A matrix product goes the way of all other contractions: the axis in the middle is summed over.",
    ),
    Equivalent(
        "numeric/network/program.py",
        "return np.eye(shape[0], shape[1], k=int(steps))",
        "return np.eye(shape[(-1)], shape[1], k=int(steps))",
        "A shift is square.",
    ),
    Equivalent(
        "architectures/contraction.py",
        "return other if FEWER * shorter <= loops else order",
        "return other if not (FEWER * shorter <= loops) else order",
        "In which order factors are multiplied; the sum is the same.",
    ),
    Equivalent(
        "numeric/network/tape.py",
        "known = program.root not in sides and all(node in sides or _is_known(node, sides) for node in program.order)",
        "known = program.root in sides and all(node in sides or _is_known(node, sides) for node in program.order)",
        "Tiles of samples are never taken: all ways come to the same (proofs/routes/whole_numbers.py).",
    ),
    Equivalent(
        "architectures/expressions.py",
        'bound = "" if least is None else f" >= {least}"',
        'bound = ("" if least is None else f" >= {least}") * 10**6',
        "What a message says, and how often.",
    ),
    Equivalent(
        "numeric/spectra/products.py",
        "elif power < 0:",
        "elif power <= 0:",
        "No power is 0: such symbols are left out.",
    ),
    Equivalent(
        "symbolic/index/leading.py",
        "return Add(left, right), min(v, w), min(e, f)",
        "return Add(right, left), min(v, w), min(e, f)",
        "A sum in another order.",
    ),
    Equivalent(
        "architectures/terms.py",
        "square = len(self.shape) == 2 and self.shape[0] == self.shape[1]",
        "square = len(self.shape) != 2 and self.shape[0] == self.shape[1]",
        "How a pattern is called: its dimensions tell it from others, too.",
    ),
    Equivalent(
        "symbolic/index/series.py",
        "summed.append((coefficient * number, times_scalars(scalars, counted), _slots(factors, mapping)))",
        "summed.append((coefficient * number, times_scalars(counted, scalars), _slots(factors, mapping)))",
        "Products of symbols commute.",
    ),
    Equivalent(
        "numeric/network/tape.py",
        "calls.times(operand(node.left), operand(node.right), out)",
        "calls.times(operand(node.right), operand(node.left), out)",
        "Products of numbers commute.",
    ),
    Equivalent(
        "symbolic/index/canonical.py",
        "return _refine(factors, classes, {i: 2 * colour - (i == index) for i, colour in colours.items()})",
        "return _refine(factors, classes, {i: 2 * colour - (i != index) for i, colour in colours.items()})",
        "At which end of its class an index is set apart.",
    ),
    Equivalent(
        "numeric/network/program.py",
        'return {Softmax: "softmax", Normalize: "normalisation"}.get(type(node), type(node).__name__)',
        'return {Softmax: "softmax", Normalize: "normalisation"}.get(type(node).__name__, type(node))',
        "What a message calls a node.",
    ),
)
