"""Changes that leave everything as it was, or worse off only in time: nothing could notice them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple, TypeAlias


class Equivalent(NamedTuple):
    """The rows of a file before and after a change, as a result has them, and why no verdict can depend on it."""

    file: str
    old: str
    new: str
    reason: str


class Choice(NamedTuple):
    """Parts of a file, or all of it, whose value does not matter: whatever it is, the result is the same, or none.

    A part is a function by its name, or what is assigned: "CACHE" in a module, "streams_of.rows" in a function.
    """

    file: str
    parts: tuple[str, ...]
    reason: str

    def has(self, file: str, text: str, line: int) -> bool:
        """Whether a line of a file belongs to it."""
        return file == self.file and (not self.parts or not _around(text, line).isdisjoint(self.parts))


Part: TypeAlias = tuple[str, int, int]


@lru_cache(maxsize=512)
def parts(text: str) -> tuple[Part, ...]:
    """The functions of a file and what is assigned in it, each with its first line and its last."""
    return tuple(_parts(ast.parse(text), ""))


def _parts(within: ast.AST, name: str) -> Iterator[Part]:
    for one in ast.iter_child_nodes(within):
        match one:
            case ast.FunctionDef():
                yield one.name, one.lineno, one.end_lineno or one.lineno
                yield from _parts(one, f"{one.name}.")
            case ast.Assign(targets=[ast.Name(id=found)]) | ast.AnnAssign(target=ast.Name(id=found)):
                yield f"{name}{found}", one.lineno, one.end_lineno or one.lineno
            case _:
                yield from _parts(one, name)


def _around(text: str, line: int) -> frozenset[str]:
    return frozenset(name for name, first, last in parts(text) if first <= line <= last)


_ALL_THE_SAME = "proofs/routes/whole_numbers.py goes every way, and all come to the same."
_FITS = f"What fits into memory or a cache at a time: {_ALL_THE_SAME}"
_FASTEST = f"Which arrangement is the fastest: {_ALL_THE_SAME}"
_FORESEEN = "Symbols that are foreseen: those that turn out to be missing are added, and the series is found again."
_ANY = "Which objects are drawn: whatever they are, all routes have to agree, and the scope says how large they are."
_CHOICES: tuple[tuple[str, str, str], ...] = (
    (
        "architectures/estimate.py",
        "term_estimate _terms _factors _greatest _joined _applied_factors _product _applied _about",
        "How large a series will be, which is refused beyond a limit: no number depends on it, "
        "and proofs/refusals.py has what is refused.",
    ),
    ("architectures/expressions.py", "check_number.bound", "What a message says is expected."),
    ("architectures/contraction.py", "volume cost _greedy.costs", "In which order factors of a sum are multiplied."),
    ("numeric/backend.py", "_keep_freed_memory", "How soon memory is given back."),
    (
        "numeric/data.py",
        "_refuse_other_order",
        "Which of two messages refuses data whose features come last, for their rows are not the width.",
    ),
    ("numeric/limits.py", "in_bytes", "How a message writes a number of bytes."),
    ("numeric/threads.py", "cores", "How many threads work on parts of one result."),
    ("numeric/network/cost.py", "", _FASTEST),
    ("numeric/network/arrangement.py", "_counted", _FASTEST),
    ("numeric/network/native.py", "ALONE", "From which size on threads share work."),
    (
        "numeric/network/run.py",
        "segment _sweep.samples _fewest _bytes_stream bytes_least bytes_kept fewest_kept",
        _FITS,
    ),
    (
        "numeric/network/scan.py",
        "GRANTED least _bytes_chunks bytes_kept bytes_passing _coefficients _together groups.together",
        _FITS,
    ),
    ("numeric/network/scan_layout.py", "entries", _FITS),
    (
        "numeric/network/sample_tiles.py",
        "STACK CACHE WIDE LEAST LONGEST together segments needed bytes_unit "
        "streams_of.rows streams_of.rows_kept streams_of.sides",
        _FITS,
    ),
    ("numeric/network/sweeps.py", "bytes_stream fewest", _FITS),
    (
        "numeric/spectra/lanczos.py",
        "STEPS",
        "How many steps are made at most: what is found is proved by its residual.",
    ),
    ("symbolic/written/explicit.py", "_symbols", _FORESEEN),
    ("symbolic/written/activation_series.py", "symbols_at_zero", _FORESEEN),
    (
        "proofs/rethinking_skips/ball_products.py",
        "_bits",
        "How many digits the balls have; whatever they are, they contain the exact numbers.",
    ),
    ("proofs/routes/drawn_units.py", "", _ANY),
    ("proofs/beyond/drawn_blocks.py", "_seldom _one _chosen", _ANY),
    ("proofs/rethinking_skips/singular_products.py", "_small_pairs", _ANY),
    ("proofs/registry.py", "_written", "Whether one module is imported for one id, or all of them."),
    ("proofs/statement.py", "ended short", "How a sentence ends on a page, and what a message has of an object."),
)
CHOICES: tuple[Choice, ...] = tuple(Choice(file, tuple(some.split()), reason) for file, some, reason in _CHOICES)


_RULES: tuple[tuple[str, tuple[tuple[str, str, str], ...]], ...] = (
    (
        "More symbols or degrees than occur, or are read.",
        (
            (
                "proofs/demystifying_resnet/near_zero.py",
                'region = orthant("", " ".join(["t", *(f"a{r} b{r}" for r in range(1, units + 1))]))',
                'region = orthant("", " ".join(["t", *(f"a{r} b{r}" for r in range(1, units + 2))]))',
            ),
            (
                "proofs/rethinking_skips/dirac.py",
                'change = unit_series(_DIRAC, series([data(_DIRAC)], 2), opaque=("W", "a"))',
                'change = unit_series(_DIRAC, series([data(_DIRAC)], 3), opaque=("W", "a"))',
            ),
            (
                "proofs/theory/linear_networks.py",
                'weights = [f"W{r}_{n}" for r, size in enumerate(self.layers, 1) for n in range(1, size + 1)]',
                'weights = [f"W{r}_{n}" for r, size in enumerate(self.layers, 1) for n in range(0, size + 1)]',
            ),
            (
                "symbolic/index/lift.py",
                "form = loss_series(unit, loss, 2, 2)[2]",
                "form = loss_series(unit, loss, 2, 3)[2]",
            ),
            (
                "symbolic/written/jets.py",
                "if (k + 1) * least <= order and any(coefficients[k + 1 :]):",
                "if (k - 1) * least <= order and any(coefficients[k + 1 :]):",
            ),
        ),
    ),
    (
        "A cap whose middle is an end's would hold that end, and obstacles that near are refused before.",
        (
            (
                "proofs/demystifying_resnet/sphere.py",
                "inside = np.flatnonzero((reach > height) & (middle > 0.0) & (middle < angle))",
                "inside = np.flatnonzero((reach > height) & (middle > 0.0) & (middle <= angle))",
            ),
            (
                "proofs/demystifying_resnet/sphere.py",
                "inside = np.flatnonzero((reach > height) & (middle > 0.0) & (middle < angle))",
                "inside = np.flatnonzero((reach > height) & (middle >= 0.0) & (middle < angle))",
            ),
        ),
    ),
    (
        "The claim is a function of the product of the two; falsehoods with them exchanged are as false.",
        (
            (
                "proofs/rethinking_skips/dirac.py",
                "if one.doubled != claim(one.layers, one.width, one.inner):",
                "if one.doubled != claim(one.width, one.layers, one.inner):",
            ),
            (
                "proofs/beyond/attention_forms.py",
                "if count != claim(heads, d, k):",
                "if count != claim(d, heads, k):",
            ),
        ),
    ),
    (
        "A sum, a product or a greatest of numbers that commute, in another order.",
        (
            (
                "proofs/rethinking_skips/dirac.py",
                'moved = add_words(of(across, g, dr), of(across, words("K"), du, r))',
                'moved = add_words(of(across, words("K"), du, r), of(across, g, dr))',
            ),
            (
                "numeric/modular/degrees.py",
                "composed = most(composed, times((tower[k], *[None] * order), power))",
                "composed = most(times((tower[k], *[None] * order), power), composed)",
            ),
            (
                "numeric/spectra/cores.py",
                "ends = count(c.diagonal, c.earlier) + count(c.diagonal, c.later)",
                "ends = count(c.diagonal, c.earlier) + count(c.later, c.diagonal)",
            ),
            (
                "proofs/beyond/written_attention.py",
                "total = _plus(total, tuple(one.ring.number(coefficient) * part for part in power))",
                "total = _plus(tuple(one.ring.number(coefficient) * part for part in power), total)",
            ),
            (
                "proofs/demystifying_resnet/germs.py",
                "u = [plus(*map(times, row, u)) for row in matrix]",
                "u = [plus(*map(times, u, row)) for row in matrix]",
            ),
            (
                "proofs/statement.py",
                "if unlike := _other_facts(self.claim, other):",
                "if unlike := _other_facts(other, self.claim):",
            ),
            (
                "symbolic/index/lift.py",
                "return add_series(value, map_series(partial(multiply, secant), positive), rest)",
                "return add_series(map_series(partial(multiply, secant), positive), value, rest)",
            ),
            (
                "symbolic/index/series.py",
                "power = multiply_series(power, increment)",
                "power = multiply_series(increment, power)",
            ),
        ),
    ),
    (
        "What is transposed is symmetric there, or a factor beside it is orthogonal and its transpose as good.",
        (
            (
                "proofs/beyond/drawn_blocks.py",
                'yield "index terms", ops.numpy(flatten(unit, hessian_vector(terms, env, v))), hessian @ along',
                'yield "index terms", ops.numpy(flatten(unit, hessian_vector(terms, env, v))), (along) @ (hessian)',
            ),
            (
                "proofs/demystifying_resnet/printed_forms.py",
                "return multiply(copies(m), transpose(permutation(m)))",
                "return multiply(copies(m), (permutation(m)))",
            ),
            (
                "proofs/demystifying_resnet/printed_forms.py",
                "return multiply(multiply(p, copies(s)), transpose(p))",
                "return multiply(multiply(p, copies(s)), (p))",
            ),
            (
                "proofs/identity_matters/flat_saddles.py",
                "t = multiply(y, transpose(x))",
                "t = multiply(y, (x))",
            ),
            (
                "proofs/rethinking_skips/ball_products.py",
                "found.append(_log_condition(product * gram * product.transpose()))",
                "found.append(_log_condition(product * gram * product))",
            ),
            (
                "proofs/rethinking_skips/gradient_ranks.py",
                "found[t, k] = squared_kappa(multiply(multiply(turned(), w), transpose(turned())))",
                "found[t, k] = squared_kappa(multiply(multiply(turned(), w), (turned())))",
            ),
            (
                "proofs/rethinking_skips/joint_products.py",
                "(len(set(transpose(a))) == len(a), determinant(a)),",
                "(len(set((a))) == len(a), determinant(a)),",
            ),
            (
                "proofs/rethinking_skips/residual_gradients.py",
                "powers = [[sympy.exp(sympy.Rational(value) * sympy.log(2)) for value in column] for column in "
                "transpose(output)]",
                "powers = [[sympy.exp(sympy.Rational(value) * sympy.log(2)) for value in column] for column in "
                "(output)]",
            ),
            (
                "proofs/rethinking_skips/residual_gradients.py",
                "slopes = [matrix(slope) for slope in _slopes(net, transpose(net.signal()))]",
                "slopes = [matrix(slope) for slope in _slopes(net, (net.signal()))]",
            ),
            (
                "proofs/rethinking_skips/residual_gradients.py",
                "for target, row in zip(transpose(net.y), powers, strict=True)",
                "for target, row in zip((net.y), powers, strict=True)",
            ),
        ),
    ),
    (
        "What is claimed there is false: it is as false afterwards, and no number of it is shown.",
        (
            (
                "proofs/beyond/attention_forms.py",
                "numbers = [(r, s) for r in one.numbers for s in one.numbers if self.units(r, s)]",
                "numbers = [(r, s) for r in one.numbers for s in one.numbers if self.units(s, r)]",
            ),
            (
                "proofs/demystifying_resnet/descent.py",
                "distance = abs(found.loss - found.least - claim * found.start)",
                "distance = abs(found.loss - found.least + claim * found.start)",
            ),
            (
                "proofs/routes/counted_bounds.py",
                "*(abs(found.lengths[name] - length + roundings) for name, length in _LENGTHS.items()),",
                "*(abs(found.lengths[name] - length - roundings) for name, length in _LENGTHS.items()),",
            ),
            (
                "proofs/identity_matters/built_factors.py",
                "symmetric = (basis * np.exp(np.asarray(made.polar.logs))) @ basis.T",
                "symmetric = (basis * np.exp(np.asarray(made.polar.logs))) @ basis",
            ),
            (
                "proofs/identity_matters/built_factors.py",
                "return z @ np.linalg.matrix_power(np.eye(len(core)) + core, made.layers) @ z.T",
                "return z @ np.linalg.matrix_power(np.eye(len(core)) + core, made.layers) @ z",
            ),
            (
                "proofs/rethinking_skips/early_training.py",
                "error = max(error, largest_modulus(np.linalg.norm(after - change, axis=(1, 2)) / size))",
                "error = max(error, largest_modulus(np.linalg.norm(after - change, axis=(1, 2)) * size))",
            ),
            (
                "proofs/rethinking_skips/plain_products.py",
                '{PRINTED: printed, "no information": 0},',
                '{PRINTED: (lambda *_: False), "no information": 0},',
            ),
        ),
    ),
    (
        "Each trainable weight moves with t: a factor that does not, and has a cotangent, depends on the input, "
        "which counts.",
        (
            (
                "numeric/network/reverse.py",
                "counts = left in run.active and not _is_constant(values[right])",
                "counts = left in run.active and _is_constant(values[right])",
            ),
            (
                "numeric/network/reverse.py",
                "counts = counts or (right in run.active and not _is_constant(values[left]))",
                "counts = counts or (right in run.active and _is_constant(values[left]))",
            ),
        ),
    ),
    (
        "No number that is compared is equal to the limit.",
        (
            (
                "proofs/rethinking_skips/joint_products.py",
                "assert abs(first) <= 1 < second",
                "assert abs(first) < 1 < second",
            ),
            (
                "proofs/beyond/residual_scale_instances.py",
                "assert greatest.low > 0 or greatest.high < 0",
                "assert greatest.low > 0 or greatest.high <= 0",
            ),
            (
                "proofs/identity_matters/factors.py",
                "if 1.0 - abs(float(cosines[0])) < NEARLY_REAL:",
                "if 1.0 - abs(float(cosines[0])) <= NEARLY_REAL:",
            ),
            (
                "proofs/rethinking_skips/joint_evidence.py",
                "doubtful = int(np.sum(singular[:, -1] <= width**2 * 2.0**-52 * singular[:, 0]))",
                "doubtful = int(np.sum(singular[:, -1] < width**2 * 2.0**-52 * singular[:, 0]))",
            ),
            (
                "proofs/rethinking_skips/joint_products.py",
                "> Fraction(99, 100),",
                ">= Fraction(99, 100),",
            ),
        ),
    ),
    (
        "The object that is the identity has no derivatives, so that it is multiplied by or left out.",
        (
            (
                "numeric/network/series.py",
                "if b[0] is self.one and not any(c is not None for c in b[1:]):",
                "if b[0] is self.one and not all(c is not None for c in b[1:]):",
            ),
            (
                "numeric/network/series.py",
                "if b[0] is self.one and not any(c is not None for c in b[1:]):",
                "if b[0] is self.one and not any(c is None for c in b[1:]):",
            ),
        ),
    ),
    (
        "Memory that is used again.",
        (
            (
                "numeric/network/array_calls.py",
                "self.free[stack.shape[1]].append(stack)",
                "return\n        self.free[stack.shape[1]].append(stack)",
            ),
            (
                "numeric/network/array_calls.py",
                "self.pool.give(stack)",
                "return\n        self.pool.give(stack)",
            ),
        ),
    ),
    (
        "How long an inner product is exact: a shorter one is, too.",
        (
            (
                "numeric/network/arithmetic.py",
                "return (_EXACT - 1) // (self.prime // 2 + 4) ** 2",
                "return (_EXACT - 1) // (self.prime // 2 + 5) ** 2",
            ),
        ),
    ),
    (
        "Another instance, which may show less: what is claimed holds of it, and nothing names its numbers.",
        (
            (
                "proofs/demystifying_resnet/copies.py",
                '"linear, M singular": (ResidualUnit(n_shortcut(2)), Instance([[1], [2]], [[0], [5]])),',
                '"linear, M singular": (ResidualUnit(n_shortcut(2)), Instance([[1], [1]], [[0], [5]])),',
            ),
            (
                "proofs/rethinking_skips/condition_of_products.py",
                "_X = matrix([[1, 2, 0], [0, 1, 1]])",
                "_X = matrix([[1, 1, 0], [0, 1, 1]])",
            ),
            (
                "proofs/beyond/starting_at_identity.py",
                "for name, unit in _schemes(polynomial(0, 1, 1)).items():",
                "for name, unit in _schemes(polynomial(0, 1, 0)).items():",
            ),
            (
                "proofs/rethinking_skips/dirac.py",
                "[[(3 * i + 5 * j + 2 * i * j + seed * (i + 2 * j + 1)) % 7 - 3 for j in range(columns)] "
                "for i in range(rows)]",
                "[[(3 * i + 5 * j + 2 + i * j + seed * (i + 2 * j + 1)) % 7 - 3 for j in range(columns)] "
                "for i in range(rows)]",
            ),
            (
                "proofs/rethinking_skips/residual_gradients.py",
                "_LAYERS = (diagonal(1, 2), matrix([[1, 1], [0, -3]]))",
                "_LAYERS = (diagonal(1, 2), matrix([[1, 1], [(-1), -3]]))",
            ),
            (
                "proofs/demystifying_resnet/theorem1.py",
                '_passage("$m = 1$", (1, 0, 0), (0, 3, 4), _NONE),',
                '_passage("$m = 1$", (1, 0, 0), (1, 3, 4), _NONE),',
            ),
            (
                "proofs/demystifying_resnet/escape_cones.py",
                "3: (_X**3 - 3 * _X * _Y**2 + _Z**3, _Y**4),",
                "3: (_X**3 + 3 * _X * _Y**2 + _Z**3, _Y**4),",
            ),
            (
                "proofs/theory/coupled_blocks.py",
                "return ResidualUnit(h + w2 @ tanh(w1 @ (gain * layer_norm(h))))",
                "return ResidualUnit(h + w2 @ tanh(w1 @ (gain + layer_norm(h))))",
            ),
            (
                "proofs/demystifying_resnet/theorem2.py",
                "(size(2, d=2), size(2, 2, d=1)),",
                "(size(3, d=2), size(2, 2, d=1)),",
            ),
            (
                "proofs/rethinking_skips/gradient_ranks.py",
                "mixing = matrix([[1, 2, 0], [0, 1, 3], [1, 0, 1]])",
                "mixing = matrix([[1, 2, 1], [0, 1, 3], [1, 0, 1]])",
            ),
            (
                "proofs/identity_matters/relu_depth.py",
                "q = y.at(crossings[0]) if count == 2 else [Fraction(7 + n, 7) for n in range(d)]",
                "q = y.at(crossings[0]) if count == 2 else [Fraction(7 + n, 8) for n in range(d)]",
            ),
            (
                "proofs/beyond/stem_and_head.py",
                "residual = _times(head[0], h[0]) + _times(head[1], h[1]) - QQ(_TARGET.numerator, _TARGET.denominator)",
                "residual = _times(head[0], h[0]) + _times(head[1], h[1]) - QQ(_TARGET.denominator, _TARGET.numerator)",
            ),
            (
                "proofs/beyond/stem_and_head.py",
                "Fraction(1, 7),",
                "Fraction(7, 1),",
            ),
            (
                "proofs/beyond/stem_and_head.py",
                "Fraction(20),",
                "Fraction(21),",
            ),
            (
                "proofs/beyond/trichotomy.py",
                'values = {f"g_{i}_{u}": (value if i == 1 else -value) for u, value in _GRADIENTS for i in (1, 2)}',
                'values = {f"g_{i}_{u}": (value if i != 1 else -value) for u, value in _GRADIENTS for i in (1, 2)}',
            ),
            (
                "proofs/beyond/trichotomy.py",
                '"biased": ResidualUnit(biased(polynomial(0, 2, 1))),',
                '"biased": ResidualUnit(biased(polynomial(0, 3, 1))),',
            ),
            (
                "proofs/demystifying_resnet/escape_cones.py",
                "2: (_X**2 / 2 - _Y**2, _X**3 - _Y * _Z**2),",
                "2: (_X**2 / 2 - _Y**2, _X**4 - _Y * _Z**2),",
            ),
            (
                "proofs/demystifying_resnet/escape_cones.py",
                "4: (_X**4 - _Y**4 + _X * _Y * _Z**2, _Z**5 + _X**2 * _Y**3),",
                "4: (_X**4 - _Y**4 + _X * _Y * _Z**2, _Z**5 + _X**2 + _Y**3),",
            ),
            (
                "proofs/demystifying_resnet/near_zero.py",
                "(Fraction(1, 4), _TILT, Instance([[1, 0], [1, 2]], [[0, 1], [3, 1]])),",
                "(Fraction(1, 4), _TILT, Instance([[1, 1], [1, 2]], [[0, 1], [3, 1]])),",
            ),
            (
                "proofs/demystifying_resnet/plain_hessian.py",
                "3: (matrix([[1, 2], [-1, 1]]), matrix([[2, 1], [0, 3]]), matrix([[1, -1], [1, 2]])),",
                "3: (matrix([[1, 2], [-0, 1]]), matrix([[2, 1], [0, 3]]), matrix([[1, -1], [1, 2]])),",
            ),
            (
                "proofs/demystifying_resnet/shortcut_one.py",
                "3: (matrix([[0, 0], [0, 0]]), matrix([[-1, 3], [1, 0]]), matrix([[1, 1], [2, -2]])),",
                "3: (matrix([[0, 0], [0, 0]]), matrix([[-1, 3], [1, 0]]), matrix([[1, 1], [2, 2]])),",
            ),
            (
                "proofs/demystifying_resnet/small_norms.py",
                "slopes = gradient(Network(unit, _DEPTH), weights, x, y).values()",
                "slopes = gradient(Network(unit, _DEPTH), weights, y, x).values()",
            ),
            (
                "proofs/demystifying_resnet/theorem1.py",
                "_column(7, 3, 2, 1, 1, over=8),",
                "_column(7, 3, 1, 2, 1, over=8),",
            ),
            (
                "proofs/identity_matters/relu_depth.py",
                "_INTEGER = ([[1, -2], [3, 1]], [[-1, 2], [1, 1]], [[2, 1], [-1, 1]])",
                "_INTEGER = ([[1, -2], [3, 2]], [[-1, 2], [1, 1]], [[2, 1], [-1, 1]])",
            ),
            (
                "proofs/rethinking_skips/condition_of_products.py",
                "_SHEAR = matrix([[1, 1], [0, Fraction(1, 8)]])",
                "_SHEAR = matrix([[1, 1], [1, Fraction(1, 8)]])",
            ),
            (
                "proofs/rethinking_skips/dirac.py",
                "for rate in (Fraction(1, 100), Fraction(1, 7), Fraction(-1, 50)):",
                "for rate in (Fraction(1, 100), Fraction(1, 7), Fraction(1, 50)):",
            ),
            (
                "proofs/rethinking_skips/gradient_ranks.py",
                "(3, matrix([[1, 0, 1], [2, 1, 0], [0, 1, 1]]), matrix([[2, 0, 1], [1, 1, 0], [0, 3, 1]])),",
                "(3, matrix([[1, 0, 1], [2, 1, 0], [0, 1, 1]]), matrix([[2, (-1), 1], [1, 1, 0], [0, 3, 1]])),",
            ),
            (
                "proofs/rethinking_skips/gradient_ranks.py",
                "(3, matrix([[1, 0, 1], [2, 1, 0], [0, 1, 1]]), matrix([[2, 0, 1], [1, 1, 0], [0, 3, 1]])),",
                "(3, matrix([[1, 0, 1], [2, 1, 0], [0, 1, 1]]), matrix([[2, 0, 0], [1, 1, 0], [0, 3, 1]])),",
            ),
            (
                "proofs/rethinking_skips/gradient_ranks.py",
                "mixing = matrix([[1, 2, 0], [0, 1, 3], [1, 0, 1]])",
                "mixing = matrix([[0, 2, 0], [0, 1, 3], [1, 0, 1]])",
            ),
            (
                "proofs/rethinking_skips/growth_of_products.py",
                "3: matrix([[1, 0, 2], [1, 1, 0], [0, 3, 1]]),",
                "3: matrix([[1, 0, 2], [1, 1, 1], [0, 3, 1]]),",
            ),
            (
                "proofs/rethinking_skips/lyapunov_gaps.py",
                "drawn = [matrix([[1, 2], [-1, 3]]), matrix([[2, 1], [1, -1]]), matrix([[1, -1], [2, 2]])]",
                "drawn = [matrix([[1, 3], [-1, 3]]), matrix([[2, 1], [1, -1]]), matrix([[1, -1], [2, 2]])]",
            ),
            (
                "proofs/rethinking_skips/lyapunov_gaps.py",
                "drawn = [matrix([[1, 2], [-1, 3]]), matrix([[2, 1], [1, -1]]), matrix([[1, -1], [2, 2]])]",
                "drawn = [matrix([[1, 2], [-1, 3]]), matrix([[2, 1], [1, -1]]), matrix([[1, -1], [3, 2]])]",
            ),
        ),
    ),
    (
        "Any number for any number: y is a symbol, and so is its opposite.",
        (
            (
                "proofs/beyond/starting_at_identity.py",
                'twice, powers = ring.plain((h - values["y"]) ** 2), Counter(by)',
                'twice, powers = ring.plain((h + values["y"]) ** 2), Counter(by)',
            ),
        ),
    ),
    (
        "Other random draws of the same law.",
        (
            (
                "proofs/rethinking_skips/random_layers.py",
                "eigenvalues = drawn(1)[:, 0]",
                "eigenvalues = drawn(2)[:, 0]",
            ),
        ),
    ),
    (
        "A difference is asked for to see whether it is zero: so is its opposite.",
        (
            (
                "proofs/demystifying_resnet/deep_products.py",
                "name: minus(modulo(longer, relation), modulo(shorter, relation))",
                "name: minus(modulo(shorter, relation), modulo(longer, relation))",
            ),
            (
                "proofs/demystifying_resnet/orthogonal_start.py",
                "if difference := minus(value, square):",
                "if difference := minus(square, value):",
            ),
        ),
    ),
    (
        "A term that has another power of $t$ than the one whose coefficient is read, as is to be seen.",
        (
            (
                "proofs/rethinking_skips/joint_algebra.py",
                "whole = (low * u + middle * u * t + high * u * t * t) * (ring.one + lam * t)",
                "whole = (low * u + middle * u * t - high * u * t * t) * (ring.one + lam * t)",
            ),
        ),
    ),
    (
        "A difference is squared.",
        (
            (
                "proofs/rethinking_skips/error_signals.py",
                "missing = minus(eye(2), multiply(w, _TWO_SAMPLES))",
                "missing = minus(multiply(w, _TWO_SAMPLES), eye(2))",
            ),
        ),
    ),
    (
        "A unit whose last weight is 0 adds nothing, whatever its first one is.",
        (
            (
                "proofs/demystifying_resnet/relu_and_biases.py",
                "(_JUMP.second_order(1, 1, 1, 1), _JUMP.second_order(1, 1, 0, 0) + _JUMP.second_order(0, 0, 1, 1)),",
                "(_JUMP.second_order(1, 1, 1, 1), _JUMP.second_order(1, 1, 1, 0) + _JUMP.second_order(0, 0, 1, 1)),",
            ),
        ),
    ),
    (
        "A tuple repeated, of which the first two are read.",
        (
            (
                "proofs/routes/along_lines.py",
                "bounds = degree_of_coefficients(network, order), degree_of_terms(form.terms, unit)",
                "bounds = (degree_of_coefficients(network, order), degree_of_terms(form.terms, unit)) * 10**6",
            ),
        ),
    ),
    (
        "Forms of three units in place of two: those that are read, of the first two, have no weight of a third.",
        (
            (
                "proofs/beyond/residual_scale.py",
                "forms = branches.hessian_forms(2, scaled_by=SCALE)",
                "forms = branches.hessian_forms(3, scaled_by=SCALE)",
            ),
        ),
    ),
    (
        "Zero alone is the opposite of itself.",
        (
            (
                "proofs/demystifying_resnet/xavier_start.py",
                "found[length] = hessian == scale(0, hessian)",
                "found[length] = hessian == scale((-1), hessian)",
            ),
        ),
    ),
    (
        "Another claim that is as true: a derivative in weights of a unit that is not complete vanishes, whatever "
        "the others are.",
        (
            (
                "proofs/demystifying_resnet/lemmas.py",
                "lambda pattern, n: any(len(layers) == n for _, layers in pattern),",
                "lambda pattern, n: all(len(layers) == n for _, layers in pattern),",
            ),
        ),
    ),
    (
        "A coefficient that is 0 is left out before.",
        (
            (
                "proofs/demystifying_resnet/relu_and_biases.py",
                "signs = {c > 0 for c in sympy.Poly(found[name]).coeffs() if c}",
                "signs = {c >= 0 for c in sympy.Poly(found[name]).coeffs() if c}",
            ),
        ),
    ),
    (
        "The message of an error that is caught.",
        (
            (
                "symbolic/algebra/rings.py",
                'super().__init__(", ".join(self.names))',
                'return\n        super().__init__(", ".join(self.names))',
            ),
        ),
    ),
    (
        "The shape alone is asked for, and W is square.",
        (
            (
                "proofs/rethinking_skips/error_signals.py",
                '"W^T D": lambda h, w, d: w.T @ d,',
                '"W^T D": lambda h, w, d: w @ d,',
            ),
        ),
    ),
    (
        "D is square, one for each label.",
        (
            (
                "proofs/block/spectrum.py",
                "side = units * found.diagonal.shape[-1]",
                "side = units * found.diagonal.shape[1]",
            ),
        ),
    ),
    (
        "As `_symbols` there: those that turn out to be missing are added.",
        (
            (
                "symbolic/written/explicit.py",
                "return with_symbols(ring, _symbols(made, network, 0, symbolic=data is None), run)",
                "return with_symbols(ring, _symbols(made, network, 0, symbolic=data is not None), run)",
            ),
        ),
    ),
    (
        "Where they are equal both orders are one.",
        (
            (
                "symbolic/written/explicit.py",
                "return self.upper.get((row, col) if row <= col else (col, row), self.ring.zero)",
                "return self.upper.get((row, col) if row < col else (col, row), self.ring.zero)",
            ),
        ),
    ),
    (
        "Which of two messages refuses a float.",
        (
            (
                "architectures/expressions.py",
                "if isinstance(variance, float) and 0.0 < variance < 1e9 and (near := "
                "Fraction(variance).limit_denominator(10**6)):",
                "if isinstance(variance, float) and 0.0 < variance <= 1e9 and (near := "
                "Fraction(variance).limit_denominator(10**6)):",
            ),
        ),
    ),
    (
        "A coefficient of a sum of index terms is not zero.",
        (
            (
                "symbolic/index/lift.py",
                "flipped = activation is relu and leading < 0",
                "flipped = activation is relu and leading <= 0",
            ),
        ),
    ),
    (
        "How far the order is looked for: it is found before.",
        (
            (
                "proofs/identity_matters/flat_saddles.py",
                'order = explicit_order(network, {"d": d}, up_to=layers + 1).order',
                'order = explicit_order(network, {"d": d}, up_to=layers + 0).order',
            ),
        ),
    ),
    (
        "A number that equals its rounding bound.",
        (
            (
                "numeric/spectra/toeplitz.py",
                "unsure = np.abs(values) <= noise",
                "unsure = np.abs(values) < noise",
            ),
        ),
    ),
    (
        "Eigenvectors together in one statement, one by one in another: the other way round.",
        (
            (
                "proofs/routes/running_network.py",
                "for some in [places] if block else [[place] for place in places]:",
                "for some in [places] if not (block) else [[place] for place in places]:",
            ),
        ),
    ),
    (
        "How products are kept for another time.",
        (
            (
                "symbolic/written/jets.py",
                "if len(terms) >= MANY:",
                "if not (len(terms) >= MANY):",
            ),
        ),
    ),
    (
        "A value is at least 1.",
        (
            (
                "symbolic/written/reduction.py",
                "highest[slot] = max(highest.get(slot, 0), value)",
                "highest[slot] = max(highest.get(slot, (-1)), value)",
            ),
        ),
    ),
    (
        "It is above 1 in every instance.",
        (
            (
                "proofs/rethinking_skips/joint_products.py",
                "assert abs(first) <= 1 < second",
                "assert abs(first) <= 1 <= second",
            ),
        ),
    ),
    (
        "Another claim that is as true: the hypothesis says that a ResNeXt has two paths or more.",
        (
            (
                "proofs/rethinking_skips/joint_products.py",
                'for_all={"L": 1, "d": 2, "paths": 1},',
                'for_all={"L": 1, "d": 2, "paths": 2},',
            ),
        ),
    ),
    (
        "Arrays for a second segment, where there is none.",
        (
            (
                "numeric/network/sample_tiles.py",
                "several = segment < tiles.units",
                "several = segment <= tiles.units",
            ),
        ),
    ),
    (
        "That the loss is not zero is said by a number s with s L = 1, and as well by one with s L = -1.",
        (
            (
                "proofs/demystifying_resnet/spurious_zero.py",
                "found = sympy.solve([*gradient, s * loss - 1], [w1, w2, s], dict=True)",
                "found = sympy.solve([*gradient, s * loss + 1], [w1, w2, s], dict=True)",
            ),
        ),
    ),
    (
        "A cap that an arc only touches takes a detour of length zero.",
        (
            (
                "proofs/demystifying_resnet/sphere.py",
                "inside = np.flatnonzero((reach > height) & (middle > 0.0) & (middle < angle))",
                "inside = np.flatnonzero((reach >= height) & (middle > 0.0) & (middle < angle))",
            ),
        ),
    ),
    (
        "The modulus is a product of odd primes.",
        (
            (
                "proofs/block/ranks.py",
                "entries = [int(a) - modulus if 2 * int(a) > modulus else int(a) for a in matrix.ravel()]",
                "entries = [int(a) - modulus if 2 * int(a) >= modulus else int(a) for a in matrix.ravel()]",
            ),
        ),
    ),
    (
        "The last difference that is not zero is a constant one.",
        (
            (
                "proofs/routes/along_lines.py",
                "found = k if residues.any() else found",
                "found = k if residues.all() else found",
            ),
        ),
    ),
    (
        "Numbers that name axes: any that are not an index's and not another axis'.",
        (
            (
                "numeric/spectra/products.py",
                "POINT, TANGENT, UNIT = -10001, -10002, -10003",
                "POINT, TANGENT, UNIT = -10001, -10002, -10004",
            ),
            (
                "numeric/spectra/products.py",
                "POINT, TANGENT, UNIT = -10001, -10002, -10003",
                "POINT, TANGENT, UNIT = 10001, -10002, -10003",
            ),
        ),
    ),
    (
        "On NumPy's arrays and CuPy's, which verdicts are computed with, a method and the function of that name "
        "do the same.",
        (
            (
                "numeric/backend.py",
                "return x.reshape(shape) if self.xp is np else self.xp.reshape(x, shape)",
                "return x.reshape(shape) if not (self.xp is np) else self.xp.reshape(x, shape)",
            ),
        ),
    ),
    (
        "How close an enclosure is wanted; it encloses the eigenvalue wherever it stops.",
        (
            (
                "numeric/spectra/toeplitz.py",
                "least = max(problem.relative * max(abs(low.shift), abs(high.shift)), 2.0 * error)",
                "least = max(problem.relative * min(abs(low.shift), abs(high.shift)), 2.0 * error)",
            ),
        ),
    ),
    (
        "A sign is 1 or -1 here.",
        (
            (
                "symbolic/index/lift.py",
                "return start if sign > 0 else {}",
                "return start if sign > (-1) else {}",
            ),
            (
                "symbolic/index/lift.py",
                "return constant(1) if sign > 0 else {}",
                "return constant(1) if sign >= 0 else {}",
            ),
        ),
    ),
    (
        "A weight without a number is frozen, and has no direction to be placed.",
        (
            (
                "symbolic/written/instances.py",
                "offsets = {name: (first.get(weight, 0), weight.shape) for weight, name in unit.every_name.items()}",
                "offsets = {name: (first.get(weight, 1), weight.shape) for weight, name in unit.every_name.items()}",
            ),
        ),
    ),
    (
        "Where eigenvalues are counted next, as `_sharp` there.",
        (
            (
                "numeric/spectra/toeplitz.py",
                "found = _sharp(problem, middle, low, high)",
                "found = _sharp(problem, middle, high, low)",
            ),
        ),
    ),
    (
        "Numbers of eight bytes are at most seven of them off a line.",
        (
            (
                "numeric/network/array_calls.py",
                "room = np.empty(count + LINE // 8)",
                "room = np.empty(count + LINE // 9)",
            ),
        ),
    ),
    (
        "Where they are equal both are one.",
        (
            (
                "architectures/properties.py",
                "return a if a.value >= b.value else b",
                "return a if a.value > b.value else b",
            ),
        ),
    ),
    (
        "A bisection more.",
        (
            (
                "symbolic/algebra/toeplitz.py",
                "while high - low > reach * Fraction(1, 2**bits):",
                "while high - low >= reach * Fraction(1, 2**bits):",
            ),
        ),
    ),
    (
        "On the way back there is one derivative at most.",
        (
            (
                "numeric/network/reverse.py",
                "return all(c is None for c in a[1:])",
                "return any(c is None for c in a[1:])",
            ),
        ),
    ),
    (
        "From which size on nothing is computed: what is refused is said to be unknown, never another number.",
        (
            (
                "proofs/block/ranks.py",
                "found = _ranks(core, env, _on_top_of_each_other, (3 * rows, rows), rows, bits)",
                "found = _ranks(core, env, _on_top_of_each_other, (4 * rows, rows), rows, bits)",
            ),
            (
                "proofs/block/ranks.py",
                "if min(sides) ** 3 * bits > MOST_WORK:",
                "if min(sides) ** 2 * bits > MOST_WORK:",
            ),
        ),
    ),
    (
        "A run that does not arrive is given up after one step more.",
        (
            (
                "proofs/demystifying_resnet/escape_times.py",
                "while float(np.linalg.norm(np.asarray(weights[name][0]))) < _TO and steps < most:",
                "while float(np.linalg.norm(np.asarray(weights[name][0]))) < _TO and steps <= most:",
            ),
        ),
    ),
    (
        "Another grid: its least loss is the same.",
        (
            (
                "proofs/demystifying_resnet/shortcut_one.py",
                "grid = [Fraction(k, 2) for k in range(-3, 4)]",
                "grid = [Fraction(k, 2) for k in range(-3, 3)]",
            ),
        ),
    ),
    (
        "A bound that no rank attains: then the rank is found by more primes.",
        (
            (
                "proofs/beyond/drawn_blocks.py",
                "side = min(shape(core, env.sizes)) * (_UNITS if core.cross else 1)",
                "side = max(shape(core, env.sizes)) * (_UNITS if core.cross else 1)",
            ),
        ),
    ),
    (
        "The opposite of a weight at zero is a weight at zero.",
        (
            (
                "proofs/beyond/spectra_of_blocks.py",
                "return ResidualUnit(h + w @ ((silu(u @ h) - Fraction(1, 2) * (u @ h)) * (v @ h)))",
                "return ResidualUnit(h - w @ ((silu(u @ h) - Fraction(1, 2) * (u @ h)) * (v @ h)))",
            ),
            (
                "proofs/demystifying_resnet/relu_and_biases.py",
                "return h + w2 @ polynomial(0, 1, 1)(w1 @ h + value)",
                "return h - w2 @ polynomial(0, 1, 1)(w1 @ h + value)",
            ),
            (
                "proofs/beyond/spectra_of_blocks.py",
                '_h + Weight("d", "d") @ (Weight("d", "d") @ (Weight("d", "d") @ layer_norm(shift(3, "d") @ _h)))',
                '_h - Weight("d", "d") @ (Weight("d", "d") @ (Weight("d", "d") @ layer_norm(shift(3, "d") @ _h)))',
            ),
        ),
    ),
    (
        "Both squared norms are multiplied by (1 + c)^2, which is above zero, and so is what is compared.",
        (
            (
                "proofs/identity_matters/contractions.py",
                "one = 1 + 0 * c",
                "one = 1 + 0 + c",
            ),
        ),
    ),
    (
        "From which size on a matrix counts as singular: a choice, and none is near it.",
        (
            (
                "proofs/rethinking_skips/joint_evidence.py",
                "doubtful = int(np.sum(singular[:, -1] <= width**2 * 2.0**-52 * singular[:, 0]))",
                "doubtful = int(np.sum(singular[:, -1] <= width**2 * 2.0**-51 * singular[:, 0]))",
            ),
        ),
    ),
    (
        "Its seed and the name of its data alone are read.",
        (
            (
                "proofs/beyond/residual_scale_evidence.py",
                "running = running_on(silu_unit(1), 2, components, context)",
                "running = running_on(silu_unit(2), 2, components, context)",
            ),
        ),
    ),
    (
        "Pairs are grouped by a key: those that have another one in common are the same.",
        (
            (
                "proofs/demystifying_resnet/lemmas.py",
                "_grouped(lambda r, s: r == s),",
                "_grouped(lambda r, s: r != s),",
            ),
        ),
    ),
    (
        "`count` asks of each slot whether all flags hold.",
        (
            (
                "numeric/spectra/cores.py",
                "return ends + (units - 2) * count(c.diagonal, c.earlier, c.later)",
                "return ends + (units - 2) * count(c.diagonal, c.later, c.earlier)",
            ),
        ),
    ),
    (
        "A sum in another order.",
        (
            (
                "symbolic/index/leading.py",
                "return Add(left, right), min(v, w), min(e, f)",
                "return Add(right, left), min(v, w), min(e, f)",
            ),
        ),
    ),
    (
        "An import that takes time and is used for types alone.",
        (("symbolic/algebra/rings.py", "if TYPE_CHECKING:", "if not (TYPE_CHECKING):"),),
    ),
    (
        "Numbers that name the slots of a loss derivative: any that no other index has.",
        (("symbolic/index/lift.py", "return -11 - j", "return -12 - j"),),
    ),
    (
        "There is one at most: where there are more the function has ended.",
        (
            (
                "numeric/data.py",
                "found = rest * known.setdefault(unknown[0], max(size // rest, 1)) if unknown else rest",
                "found = rest * known.setdefault(unknown[(-1)], max(size // rest, 1)) if unknown else rest",
            ),
        ),
    ),
    (
        "Where all colours differ already, a refinement changes none of them, and ends.",
        (
            (
                "symbolic/index/canonical.py",
                "while len(set(colours.values())) < len(colours):",
                "while len(set(colours.values())) <= len(colours):",
            ),
        ),
    ),
    (
        "An array is reshaped to the shape that it has.",
        (
            (
                "numeric/network/contraction.py",
                "if len(batch) <= 1 and len(rows) == len(columns) == 1:",
                "if len(batch) < 1 and len(rows) == len(columns) == 1:",
            ),
        ),
    ),
    (
        "How many samples are taken together: a tile that has fewer columns takes fewer samples.",
        (
            (
                "numeric/network/array_calls.py",
                "return -(-samples * 8 // LINE) * LINE // 8",
                "return -(-samples * 7 // LINE) * LINE // 8",
            ),
        ),
    ),
    (
        "Numbers for the summed indices of a factor: any that the other one has not.",
        (
            (
                "symbolic/index/series.py",
                "offset = 1 + max((-1, *(i for _, _, factors in left for _, slots in factors for i in slots)))",
                "offset = 1 + max((1, *(i for _, _, factors in left for _, slots in factors for i in slots)))",
            ),
        ),
    ),
    (
        "Without a mask it is not read, and with one it is given.",
        (("architectures/terms.py", "masked: tuple[int, ...] = (0, 1)", "masked: tuple[int, ...] = (0, 0)"),),
    ),
    (
        "Sums of index terms commute.",
        (
            (
                "symbolic/index/series.py",
                "return _contracted(_product_terms(_raw(left), _raw(right)), free)",
                "return _contracted(_product_terms(_raw(right), _raw(left)), free)",
            ),
        ),
    ),
    (
        "A factor one, which is constant wherever it is, is multiplied by or left out.",
        (
            (
                "numeric/network/series.py",
                "if a[0] is self.one and not any(c is not None for c in a[1:]):",
                "if a[0] is self.one and not all(c is not None for c in a[1:]):",
            ),
            (
                "numeric/network/series.py",
                "if b[0] is self.one and not any(c is not None for c in b[1:]):",
                "if b[0] is self.one and any(c is not None for c in b[1:]):",
            ),
        ),
    ),
    (
        "The logarithm of 1 is 0.",
        (
            (
                "numeric/modular/identity.py",
                "failure = points * math.log2(degree / prime) if degree < prime else 0.0",
                "failure = points * math.log2(degree / prime) if degree <= prime else 0.0",
            ),
        ),
    ),
    (
        "By which coefficient multiples of one argument are told: any that all of them choose alike.",
        (
            (
                "symbolic/written/kinks.py",
                "leading = next(min(part[monomial].items()) for part in parts if part for monomial in [min(part)])[1]",
                "leading = next(max(part[monomial].items()) for part in parts if part for monomial in [min(part)])[1]",
            ),
        ),
    ),
    (
        "An axis that is summed over is one of both operands; in which order they are numbered is a choice.",
        (
            (
                "symbolic/index/lift.py",
                "summed = [name for name in node.inputs[0] if name not in node.output]",
                "summed = [name for name in node.inputs[(-1)] if name not in node.output]",
            ),
        ),
    ),
    (
        "A matrix product goes the way of all other contractions: the axis in the middle is summed over.",
        (
            (
                "numeric/network/contraction.py",
                "and self.output == (self.left[0], self.right[1])",
                "and self.output == (self.left[1], self.right[1])",
            ),
        ),
    ),
    (
        "A shift is square.",
        (
            (
                "numeric/network/program.py",
                "return np.eye(shape[0], shape[1], k=int(steps))",
                "return np.eye(shape[(-1)], shape[1], k=int(steps))",
            ),
        ),
    ),
    (
        "In which order factors are multiplied; the sum is the same.",
        (
            (
                "architectures/contraction.py",
                "return other if FEWER * shorter <= loops else order",
                "return other if FEWER * shorter < loops else order",
            ),
            (
                "architectures/contraction.py",
                "return other if FEWER * shorter <= loops else order",
                "return other if not (FEWER * shorter <= loops) else order",
            ),
        ),
    ),
    (
        "No power is 0: such symbols are left out.",
        (("numeric/spectra/products.py", "elif power < 0:", "elif power <= 0:"),),
    ),
    (
        "Products of symbols commute.",
        (
            (
                "symbolic/index/canonical.py",
                "pending += [(times_scalars(scalars, s), coefficient * c, rest) for s, c, rest in simpler]",
                "pending += [(times_scalars(s, scalars), coefficient * c, rest) for s, c, rest in simpler]",
            ),
            (
                "symbolic/index/canonical.py",
                "scalars = times_scalars(scalars, ((dimension, 1),))",
                "scalars = times_scalars(((dimension, 1),), scalars)",
            ),
            (
                "symbolic/index/series.py",
                "summed.append((whole, times_scalars(scalars, counted), _slots(factors, mapping)))",
                "summed.append((whole, times_scalars(counted, scalars), _slots(factors, mapping)))",
            ),
        ),
    ),
    (
        "Products of numbers commute.",
        (
            (
                "numeric/network/tape.py",
                "calls.times(operand(node.left), operand(node.right), out)",
                "calls.times(operand(node.right), operand(node.left), out)",
            ),
        ),
    ),
    (
        "At which end of its class an index is set apart.",
        (
            (
                "symbolic/index/canonical.py",
                "return _refine(factors, classes, {i: 2 * colour - (i == index) for i, colour in colours.items()})",
                "return _refine(factors, classes, {i: 2 * colour - (i != index) for i, colour in colours.items()})",
            ),
        ),
    ),
    (
        "There is no square between.",
        (
            (
                "numeric/network/scan_kernel.py",
                "THREADS = 1024",
                "THREADS = 1025",
            ),
        ),
    ),
    (
        "At which shift eigenvalues are counted next: two counts enclose what is found, wherever they are.",
        (
            (
                "numeric/spectra/toeplitz.py",
                "place, signed = k - last.joints - 1, "
                "last.shift * other.shift > 0.0 and before.shift * last.shift > 0.0",
                "place, signed = k - last.joints - 1, "
                "last.shift * other.shift >= 0.0 and before.shift * last.shift > 0.0",
            ),
            (
                "numeric/spectra/toeplitz.py",
                "place, signed = k - last.joints - 1, "
                "last.shift * other.shift > 0.0 and before.shift * last.shift > 0.0",
                "place, signed = k - last.joints - 1, "
                "last.shift + other.shift > 0.0 and before.shift * last.shift > 0.0",
            ),
        ),
    ),
    (
        "Whether a product sums over samples, or `_fit` does after it.",
        (
            (
                "numeric/network/reverse.py",
                "return run.rank == 3 and run.shapes[operand][0] == 1 and run.shapes[node][0] != 1",
                "return run.rank == 4 and run.shapes[operand][0] == 1 and run.shapes[node][0] != 1",
            ),
        ),
    ),
    (
        "There is one.",
        (
            (
                "numeric/network/parameters.py",
                "_learn(known, name, parts[0], size)",
                "_learn(known, name, parts[(-1)], size)",
            ),
            (
                "numeric/network/series.py",
                "return self.permute(operands[0], node.inputs[0], node.output)",
                "return self.permute(operands[(-1)], node.inputs[0], node.output)",
            ),
        ),
    ),
    (
        "A leaf has no operands: then every node counts, and has a cotangent that nobody may ask for.",
        (
            (
                "numeric/network/program.py",
                "if is_variable(node) or any(operand in active for operand in operands(node)):",
                "if is_variable(node) or all(operand in active for operand in operands(node)):",
            ),
        ),
    ),
    (
        "No eigenvalue is below the first count: another count is before the one that is found, and the first is "
        "as well.",
        (
            (
                "numeric/spectra/toeplitz.py",
                "return counts[max(place - 1, 0)], counts[place]",
                "return counts[min(place - 1, 0)], counts[place]",
            ),
        ),
    ),
    (
        "At which shift eigenvalues are counted next; an arithmetic mean comes to where a geometric one does, later.",
        (
            (
                "numeric/spectra/toeplitz.py",
                "if low * high > 0 and not 0.25 < low / high < 4.0:",
                "if low * high > 0 and 0.25 < low / high < 4.0:",
            ),
        ),
    ),
    (
        "What a refusal says: which unit it names.",
        (
            (
                "numeric/network/run.py",
                "if not all(a is None or is_finite(self.program.ops, a) for a in h):",
                "if not any(a is None or is_finite(self.program.ops, a) for a in h):",
            ),
        ),
    ),
    (
        "How many threads work on parts of one result.",
        (
            (
                "numeric/network/scan.py",
                "threads = max(min(cores(self.ops), group.chunks // together), 1)",
                "threads = max(max(cores(self.ops), group.chunks // together), 1)",
            ),
        ),
    ),
    (
        "Libraries take any negative length for the one that is left open.",
        (
            (
                "numeric/network/scan.py",
                "return tuple(None if p is None else self.ops.reshape(p, (*p.shape[:-4], -1, d, d)) for p in products)",
                "return tuple(None if p is None else self.ops.reshape(p, (*p.shape[:-4], -2, d, d)) for p in products)",
            ),
        ),
    ),
    (
        "To which side a shift is moved where a matrix is singular: how far counts as its error.",
        (
            (
                "numeric/spectra/toeplitz.py",
                "at = shift + nudge * scale",
                "at = shift - nudge * scale",
            ),
        ),
    ),
    (
        "An array that the pool does not get back is taken anew.",
        (
            (
                "numeric/network/array_calls.py",
                "self.give(spare)",
                "return\n            self.give(spare)",
            ),
        ),
    ),
    (
        "A matrix has no submatrix that is larger than itself.",
        (
            (
                "symbolic/algebra/minors.py",
                "largest = min(len(a), len(a[0]))",
                "largest = max(len(a), len(a[0]))",
            ),
        ),
    ),
    (
        "All rows of a matrix are of one length.",
        (
            (
                "symbolic/algebra/minors.py",
                "rows, columns = [[Fraction(x) for x in row] for row in a], len(a[0])",
                "rows, columns = [[Fraction(x) for x in row] for row in a], len(a[(-1)])",
            ),
        ),
    ),
    (
        "A value that no slot can have: a new one is one more than the greatest before it, at most their number.",
        (
            (
                "symbolic/written/reduction.py",
                "ranges = [range(1, slot + 1) if isinstance(slot, int) else range(1, len(slots) + 1) for slot in "
                "slots]",
                "ranges = [range(1, slot + 1) if isinstance(slot, int) else range(1, len(slots) + 2) for slot in "
                "slots]",
            ),
        ),
    ),
    (
        "For a type checker: a contraction of four operands is one.",
        (
            (
                "architectures/axes.py",
                "assert isinstance(found, Einsum)",
                "return found\n    assert isinstance(found, Einsum)",
            ),
        ),
    ),
    (
        "Times a radicand more, which is not zero.",
        (
            (
                "symbolic/written/roots.py",
                "highest = {name: max(powers.get(name, 0) for powers, _, _ in terms) for name in roots}",
                "highest = {name: max(powers.get(name, 1) for powers, _, _ in terms) for name in roots}",
            ),
        ),
    ),
    (
        "A band is square.",
        (
            (
                "symbolic/index/canonical.py",
                "delta: Factor = (Delta((pattern.dims[0], pattern.dims[1])), slots)",
                "delta: Factor = (Delta((pattern.dims[1], pattern.dims[1])), slots)",
            ),
            (
                "symbolic/index/canonical.py",
                "delta: Factor = (Delta((pattern.dims[0], pattern.dims[1])), slots)",
                "delta: Factor = (Delta((pattern.dims[(-1)], pattern.dims[1])), slots)",
            ),
            (
                "symbolic/index/canonical.py",
                "delta: Factor = (Delta((pattern.dims[0], pattern.dims[1])), slots)",
                "delta: Factor = (Delta((pattern.dims[0], pattern.dims[0])), slots)",
            ),
        ),
    ),
    (
        "Four numbers of which the order alone is read.",
        (
            (
                "architectures/text.py",
                "_NEGATIVE, _SUM, _PRODUCT, _ATOM = 0, 1, 2, 3",
                "_NEGATIVE, _SUM, _PRODUCT, _ATOM = (-1), 1, 2, 3",
            ),
            (
                "architectures/text.py",
                "_NEGATIVE, _SUM, _PRODUCT, _ATOM = 0, 1, 2, 3",
                "_NEGATIVE, _SUM, _PRODUCT, _ATOM = 0, 1, 2, 4",
            ),
        ),
    ),
    (
        "The greater of two numbers, and whether one of them is 0.",
        (
            (
                "symbolic/written/reduction.py",
                "return tuple(_combine(a, b, vanish) for a, b in zip(left, right, strict=True))",
                "return tuple(_combine(b, a, vanish) for a, b in zip(left, right, strict=True))",
            ),
        ),
    ),
    (
        "Sums and products of index terms commute.",
        (
            (
                "symbolic/index/lift.py",
                "total = add_series(multiply_series(total, operand), constant_part)",
                "total = add_series(multiply_series(operand, total), constant_part)",
            ),
            (
                "symbolic/index/remainders.py",
                "return multiply(size(SAMPLES, -1), multiply_over(left, right, {ROW: WIDTH, SAMPLE: SAMPLES}))",
                "return multiply(size(SAMPLES, -1), multiply_over(right, left, {ROW: WIDTH, SAMPLE: SAMPLES}))",
            ),
            (
                "symbolic/index/series.py",
                "both = collect(_product_terms(_raw(left), _raw(right))) if left and right else {}",
                "both = collect(_product_terms(_raw(right), _raw(left))) if left and right else {}",
            ),
        ),
    ),
    (
        "Nine points at equal distances, from either end.",
        (
            (
                "proofs/routes/activations.py",
                "between = _POINTS[:, None] + np.linspace(0.0, _STEP, 9)",
                "between = _POINTS[:, None] + np.linspace(_STEP, 0.0, 9)",
            ),
        ),
    ),
)
EQUIVALENT: tuple[Equivalent, ...] = tuple(Equivalent(*row, reason) for reason, rows in _RULES for row in rows)
"""By a reason that they have in common, each row with its file, before and after."""
