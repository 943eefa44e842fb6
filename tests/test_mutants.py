"""A wrong sign, index or factor in the engines makes a statement FAILED: the verdicts are computed, not typed.

Each row of the table changes one place in an engine (`symbolic`, `numeric`, `architectures`, a paper's own) in a copy
of the packages and runs one part of one statement there, in a process of its own that imports every module anew that
may have anything from there. It has to become FAILED because a computed object differs from its claim, a measurement
exceeds its bound or a neighbouring falsehood is accepted; an exception counts only where the row names it. Unchanged,
the same part of the same statement goes through.

A row whose old text is gone, or occurs more than once, fails: the table follows the code.
"""

import json
import subprocess
import sys
from collections.abc import Collection, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

import pytest

from tests.copies import FORKED, ROOT, changed, copy_packages, environment
from tests.importing import Imports
from tests.run_statement import Outcome

Part: TypeAlias = Literal["exact", "evidence"]

PROVED = {"PROVED", "REFUTED", "REPAIRED"}
OPEN_IN_PART = {"DR-zero", "DR-init"}
"""Statements with an unsettled clause beside those that a mutant would fail."""


class Forks(NamedTuple):
    """The process whose forks run statements with the sources in a folder, and what imports what there."""

    process: subprocess.Popen[str]
    imports: Imports

    def outcome(self, file: str, statement: str, part: str, until: Collection[str] = ()) -> Outcome:
        """What one part of a statement comes to with this file as it is now, or up to a failure of such a kind."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        wanted = {
            "anew": sorted(self.imports.dependents(file)),
            "statement": statement,
            "part": part,
            "until": [*until],
        }
        self.process.stdin.write(json.dumps(wanted) + "\n")
        self.process.stdin.flush()
        done = json.loads(self.process.stdout.readline())
        assert done["status"] == 0, f"{statement} did not run: {done['error']}"
        return json.loads(done["out"])


class Mutant(NamedTuple):
    """A change of one place, and the statement that notices; `raises` names the exception where that is how."""

    file: str
    part: Part
    name: str
    old: str
    new: str
    statement: str
    raises: str = ""

    @property
    def label(self) -> str:
        return f"{Path(self.file).stem}-{self.name}-{self.statement}"


def mutants(file: str, part: Part, *rows: tuple[str, str, str, str] | tuple[str, str, str, str, str]) -> list[Mutant]:
    """Rows (name, old, new, statement) or (name, old, new, statement, exception) that change one file."""
    return [Mutant(file, part, *row) for row in rows]


MUTANTS = (
    *mutants(
        "symbolic/index/remainders.py",
        "exact",
        ("small-is-large", 'and "o" not in kinds)', 'and "O" not in kinds)', "DR-T2S"),
        ("degree-of-opaque", "t.degree if isinstance(t, Opaque) else 0", "0", "DR-T2S"),
        ("bounded-is-small", "tensor(rest(self.rest, f", 'tensor(rest("o", f', "DR-T2.1"),
        ("mid-lost", "u = layer(weight, self.mid.at(u,", "u = layer(weight, (lambda u, _: u)(u,", "DR-T2.2"),
        ("half", "scale(Fraction(1, 2), _curvature_times", "scale(Fraction(1), _curvature_times", "DR-T2.3"),
    ),
    *mutants(
        "proofs/demystifying_resnet/germs.py",
        "exact",
        ("left-for-right", "(self.right, v) if leading > 0", "(self.right, v) if leading != 0", "DR-A3"),
        ("value-lost", "return plus(curve({0: self.value}), *(times", "return plus(*(times", "DR-T2S"),
        ("bounded", "return self._least >= 0", "return self._least >= -2", "DR-T2.1", "AssertionError"),
        ("continuous", "return self._least > 0", "return self._least >= 0", "DR-T2.2", "AssertionError"),
        ("two-slopes", "self.lipschitz and self.right", "self.lipschitz or self.right", "DR-T2.3", "AssertionError"),
    ),
    *mutants(
        "symbolic/index/series.py",
        "exact",
        ("like-terms-lost", "= coefficient if known is None else known + coefficient", "= coefficient", "DR-T2.3"),
        ("right-coefficient-lost", "yield _times(coefficient, other),", "yield coefficient,", "DR-T2.3"),
        ("cauchy-last-term", "(k + 1) if left[i] and right[k - i]", "(k) if left[i] and right[k - i]", "DR-T2.2"),
        ("compose-shifted", "multiply, coefficients(k))", "multiply, coefficients(k + 1))", "DR-T2.2"),
        ("power-count", "= multiply_series(power, increment)", "= multiply_series(increment, increment)", "DR-T2.3"),
        ("lowest-degree", "if k and part), None)", "if k > 1 and part), None)", "DR-L3"),
        ("derivative-transposed", "(slots, free, strict=True))", "(slots, reversed(free), strict=True))", "DR-T2.2e"),
        ("substitute-transposed", "(replacement, marks)", "(replacement, {-1: -2001, -2: -2000})", "DR-T2.2e"),
        ("scale-sign", "{monomial: factor * coefficient for", "{monomial: abs(factor) * coefficient for", "DR-T2.2s"),
        ("dimension-not-counted", "if index not in present]", "if False]", "GEN-1", "AssertionError"),
    ),
    *mutants(
        "symbolic/index/canonical.py",
        "exact",
        ("loss-slots-unsorted", "return (*sorted(slots[:rows]), *slots[rows:])", "return slots", "DR-T2.3"),
        ("powers-overwritten", "powers[name] += power", "powers[name] = power", "DR-T2.3"),
    ),
    *mutants(
        "symbolic/written/names.py",
        "exact",
        ("Q-unsorted", "_derivative_symbol(tuple(sorted(rows)), tag)", "_derivative_symbol(rows, tag)", "DR-T2.3"),
    ),
    *mutants(
        "symbolic/index/lift.py",
        "exact",
        (
            "product-order",
            "(renaming(node, 0), renaming(node, 1))",
            "(renaming(node, 1), renaming(node, 0))",
            "DR-T2.2",
        ),
        ("sum-lost", "add_series(recurse(node.left), recurse(node.right))", "recurse(node.left)", "DR-T2.2"),
        ("taylor-first-only", ".taylor(k)), increment)", ".taylor(min(k, 1))), increment)", "DR-T2.3"),
        (
            "symbol-lost",
            "return multiply(value, symbol(coefficient.symbol)) if coefficient.symbol else value",
            "return value",
            "DR-T2.2",
        ),
        ("value-derivative", "(activation.name, k, freeze", "(activation.name, 0, freeze", "DR-T2.3"),
        ("loss-factorial", "= scale(Fraction(1, factorial(k)), size(SAMPLES, -1))", "= size(SAMPLES, -1)", "DR-T2.3"),
        ("mean-over-samples", "size(SAMPLES, -1))", "size(SAMPLES, -2))", "DR-T2.2"),
        ("loss-slot", "return -11 - j", "return -11", "DR-T2.3"),
        ("loss-last-term", "range(1, order // start + 1)", "range(1, order // start)", "DR-T2.3"),
        ("no-curvature", "if loss.quadratic and k == 2:", "if loss.quadratic and k == 3:", "DR-T2.3"),
        ("unit-number", "s, 2 if r != s else 1)", "s, 2)", "DR-T2.2"),
        ("own-initial", "number if own else None", "None if own else number", "GEN-1"),
        ("passes-always", "return unit_series(unit, stream, perturbed=()) == stream", "return True", "DR-L4"),
        ("order-plus-one", "return order - 1\n    return None", "return order\n    return None", "DR-T2.1"),
        ("horner-lowest", "reversed(range(activation.degree))", "reversed(range(1, activation.degree))", "GEN-2"),
        ("slope-at-data-lost", "if activation.kinks and k > 1:", "if k > 0:", "DR-A3n"),
    ),
    *mutants(
        "architectures/hessian_blocks.py",
        "exact",
        ("A-above", '"A": 1, "A^T": -1}', '"A": -1, "A^T": 1}', "DR-T2.3"),
        ("A-above", '"A": 1, "A^T": -1}', '"A": -1, "A^T": 1}', "DR-T2.3ab"),
        ("A-above", '"A": 1, "A^T": -1}', '"A": -1, "A^T": 1}', "GEN-1"),
        ("form-transposed", '"A": (2, 1), "A^T": (1, 2)}', '"A": (1, 2), "A^T": (2, 1)}', "DR-T2.3"),
        ("form-transposed", '"A": (2, 1), "A^T": (1, 2)}', '"A": (1, 2), "A^T": (2, 1)}', "GEN-1"),
        ("sides-exchanged", "(row > column) - (row < column)", "(row < column) - (row > column)", "DR-T2.3"),
    ),
    *mutants(
        "architectures/hessian_blocks.py",
        "evidence",
        ("A-above-in-products", '"A": 1, "A^T": -1}', '"A": -1, "A^T": 1}', "DR-T2.3"),
        ("form-transposed-in-products", '"A": (2, 1), "A^T": (1, 2)}', '"A": (1, 2), "A^T": (2, 1)}', "DR-T2.3"),
    ),
    *mutants(
        "symbolic/index/lift.py",
        "evidence",
        (
            "map-A-transposed",
            'rows(cross, "A"), rows(cross, "A^T"))',
            'rows(cross, "A^T"), rows(cross, "A"))',
            "DR-T2.3",
        ),
    ),
    *mutants(
        "symbolic/index/paths.py",
        "exact",
        ("negate-even", "coefficient * (-1) ** sum(", "coefficient * 1 ** sum(", "DR-T2.1s"),
        ("along-unit", "= perturbations(unit, number)", "= perturbations(unit, 3 - number)", "DR-T2.2e"),
        ("identity-other-weights", "if other != name]", "if other == name]", "DR-L3"),
        (
            "degrees-swapped",
            "return moved, sum(isinstance(t, Opaque) for t, _ in factors)",
            "return sum(isinstance(t, Opaque) for t, _ in factors), moved",
            "DR-L3",
        ),
        ("layer-at-data", "(unit, series([{}, u], order))", "(unit, series([data(unit), u], order))", "DR-L3"),
    ),
    *mutants(
        "symbolic/index/claims.py",
        "exact",
        ("coefficient-power", "*= Fraction(name) ** power", "*= Fraction(name) ** -power", "DR-T2.3"),
        ("repeated-symbol", "powers[name] = powers.get(name, 0) + power", "powers[name] = power", "DR-T2.1s"),
    ),
    *mutants(
        "symbolic/written/instances.py",
        "exact",
        ("diagonal-factor", "2 if placed[0] == placed[1] else 1)", "1)", "DR-T2.3"),
        (
            "parameter-order",
            "parameter_number(_place(shape, where), sizes)",
            "parameter_number(_place(shape, where)[::-1], sizes)",
            "DR-T2.2",
        ),
        (
            "units-swapped",
            "zip(UNITS[block], (row, column), strict=True)",
            "zip(UNITS[block], (column, row), strict=True)",
            "DR-T2.3",
        ),
        ("gradient-sign", 'here.datum("y", where), Fraction(-1)', 'here.datum("y", where), Fraction(1)', "DR-T2.2"),
        ("size-power", "Fraction(sizes[name]) ** power", "Fraction(sizes[name])", "DR-T2.2"),
        ("softmax-last", ", 1),): Fraction(-1) for k, _ in", ", 1),): Fraction(1) for k, _ in", "GEN-1"),
        ("mean-not-removed", "Fraction(-1, len(line)))", "Fraction(1, len(line)))", "GEN-1"),
    ),
    *mutants(
        "proofs/demystifying_resnet/moving_columns.py",
        "exact",
        ("step-length", 'o["k"] * s**2 *', 'o["k"] * s *', "DR-L1"),
        ("cap-height", "2 * height - 2 * c,", "2 * height - c,", "DR-L2"),
        ("norm-bound", '16 * moved / o["rho"] ** 2)', '8 * moved / o["rho"] ** 2)', "DR-T1"),
        ("label-places", 'o["k"] + 1 + o["after"]', 'o["k"] + o["after"]', "DR-T1a"),
        ("same-point", 'later = first + 1 + o["between"]', 'later = first + o["between"]', "DR-T1a"),
    ),
    *mutants(
        "proofs/demystifying_resnet/sphere.py",
        "evidence",
        ("detour-side", "b * z0 - a * q, tau", "b * z0 + a * q, tau", "DR-L2"),
    ),
    *mutants(
        "proofs/demystifying_resnet/moving_network.py",
        "evidence",
        ("bias", "s * (rho * rho / 8.0 - 1.0)", "s * (rho * rho / 2.0 - 1.0)", "DR-T1"),
    ),
    *mutants(
        "symbolic/index/branches.py",
        "exact",
        ("scale-twice", "factor = symbol(scaled_by) if", "factor = symbol(scaled_by, 2) if", "GEN-9"),
        ("kinds-confused", "known = {**_BRANCHES[letter],", "known = {**_BRANCHES[LETTERS[0]],", "GEN-10"),
        ("shared-once", 'x = multiply(symbol("n"), branch(', "x = multiply(constant(1), branch(", "GEN-12"),
        ("half", "1/2 * T2[i,a,b,u]", "T2[i,a,b,u]", "GEN-2"),
        ("curvature", "1/2 * Q[i,k,u]", "Q[i,k,u]", "GEN-2"),
        ("before-kept", "add(new, scale(-1, old))", "new", "GEN-1"),
        ("beside-lost", "for letter in letters]", "for letter in letters[:1]]", "GEN-6"),
    ),
    *mutants(
        "symbolic/written/explicit.py",
        "exact",
        (
            "every-entry-doubled",
            "{place: value for place, value in total",
            "{place: value + value for place, value in total",
            "DR-spur",
        ),
        ("mean", "tags, made.samples, needed)", "tags, 1, needed)", "DR-T2.2"),
        ("residual-sign", "jets.value(jet) - y", "jets.value(jet) + y", "DR-T2.2"),
        ("half-the-square", "Fraction(1, 2 * samples)", "Fraction(1, samples)", "DR-T2.2"),
        (
            "multi-index-factorial",
            "samples * prod(factorial(count) for count in Counter(rows).values()))",
            "samples)",
            "GEN-1",
        ),
        ("order-plus-one", "StationaryOrder(degree - 1, exact", "StationaryOrder(degree, exact", "DR-T2.1"),
    ),
    *mutants(
        "symbolic/written/jets.py",
        "exact",
        ("outer-order", "key = (a, b) if a <= b else (b, a)", "key = (a, b)", "DR-T2.2"),
        ("square-order", "numbers = sorted(jet.linear)", "numbers = sorted(jet.linear, reverse=True)", "DR-T2.3"),
        ("curvature-lost", "scaled[pair[0]] * values[pair[1]]", "self.ring.zero", "DR-T2.3"),
        ("tied-once", "term = term + term if a == b else term", "pass", "GEN-1"),
        ("square-once", "twice * value for value in values", "factor * value for value in values", "DR-T2.3"),
        ("product-rule", "_add_terms(target.linear, self._multiple(c, right.linear))", "pass", "DR-T2.3"),
        ("quadratic-multiple", "self._multiple(factor, jet.hessian)", "jet.hessian", "DR-T2.2"),
        ("quadratic-product", "self._multiple(c, right.hessian)", "right.hessian", "DR-T2.3"),
        ("least-degree", "1 if jet.linear else 2 if jet.hessian else self", "1 if jet.linear else self", "DR-T2.2"),
        ("compose-square", "jets.add_square(total, coefficients[2], increment, order)", "pass", "DR-T2.3"),
        ("graded-truncation", "if i + j <= order:", "if i + j < order:", "DR-T2.1s"),
    ),
    *mutants(
        "symbolic/written/activation_series.py",
        "exact",
        ("polynomial-index", "comb(j, k) * coefficients[j])", "comb(j, k) * coefficients[j - k])", "DR-T2.2e"),
        ("polynomial-power", "(powers[j - k], comb", "(powers[0], comb", "DR-A3n"),
        ("derivative-mark", ".name}{prime(k)}({argument})", ".name}{prime(0)}({argument})", "DR-T2.3"),
        ("taylor-rational-lost", "ring.symbol(c.symbol) * number)", "ring.symbol(c.symbol))", "DR-T2.3"),
    ),
    *mutants(
        "symbolic/orders.py",
        "exact",
        ("need-one-less", "need[node] - loss)", "need[node] - loss - 1)", "DR-T2.2"),
        (
            "valuation-activation",
            "return int(not activation.has_pole and not activation.taylor(0).rational)",
            "return 1",
            "DR-A3n",
        ),
        ("valuation-random", "return int(weight.initial == zero)", "return 1", "GEN-2"),
        ("valuation-product", "sum(map(recurse, node.operands))", "sum(map(recurse, node.operands), 1)", "DR-T2.2"),
    ),
    *mutants(
        "symbolic/algebra/rings.py",
        "exact",
        ("fraction", "numerator), int(coefficient.denominator)", "denominator), int(coefficient.numerator)", "DR-T2.3"),
        (
            "flint-number",
            "flint.fmpq(value.numerator, value.denominator)",
            "flint.fmpq(value.denominator, value.numerator)",
            "DR-T2.2e",
        ),
        (
            "sympy-number",
            "rationals(value.numerator, value.denominator)",
            "rationals(value.denominator, value.numerator)",
            "GEN-7",
            "ValueError",
        ),
    ),
    *mutants(
        "symbolic/written/coupled.py",
        "exact",
        ("softmax-mean-lost", "_minus(jets, slope, mean)", "slope", "GEN-1"),
        ("softmax-last", "ring.one - sum(free, ring.zero)", "ring.one + sum(free, ring.zero)", "GEN-1"),
        ("root-sign", "ring.zero - value * value", "value * value", "GEN-1"),
        ("half-slope", "ring.number(Fraction(1, 2))), jets.euler(q)", "ring.one), jets.euler(q)", "GEN-1"),
    ),
    *mutants(
        "symbolic/written/forward.py",
        "exact",
        (
            "parameter-order",
            "return [j * rows + i for i",
            "return [i * rows + j for i",
            "DR-T2.2",
        ),
        ("mask-transposed", "*at[-2:])", "*at[:-3:-1])", "GEN-1"),
        ("unit-offset", "= unit * plan.parameters + plan.offsets[weight]", "= plan.offsets[weight]", "DR-T2.2"),
        (
            "expansion-order",
            ", order // jets.least_degree(jet",
            ", (order - 1) // jets.least_degree(jet",
            "DR-T2.3",
            "IndexError",
        ),
    ),
    *mutants(
        "symbolic/written/plans.py",
        "exact",
        ("offsets", "+= prod(_shape(weight.shape, sizes))", "+= sum(_shape(weight.shape, sizes))", "DR-T2.2"),
    ),
    *mutants(
        "symbolic/algebra/matrices.py",
        "exact",
        ("printed-row", "return remainder * d + ceiling", "return ceiling * d + remainder", "DR-T2.2"),
        ("lower-triangle", "block_at(r, s) == block)", "block_at(s, r) == block)", "DR-T2.3ab"),
        ("block-transpose", '"A^T": transpose(below)}', '"A^T": below}', "DR-T2.3ab"),
        (
            "kronecker",
            "tuple(x * y for x in row for y in other) for row in a for other in b)",
            "tuple(x * y for y in other for x in row) for other in b for row in a)",
            "DR-T2.3ab",
        ),
        ("identity-step", "    if left - right:\n", "    if left + right == 0:\n", "DR-T2.2"),
    ),
    *mutants(
        "symbolic/written/reduction.py",
        "exact",
        (
            "parameter-number",
            "_number(weight, place, sizes)\n            for r",
            "_number(weight, place[::-1], sizes)\n            for r",
            "DR-T2.2",
        ),
        ("no-patterns", "for units in ((1, 1), (1, 2)):", "for units in ():", "DR-T2.2"),
        ("one-unit-only", "for units in ((1, 1), (1, 2)):", "for units in ((1, 1),):", "DR-T2.2"),
    ),
    *mutants(
        "numeric/network/evaluate.py",
        "evidence",
        ("shortcut-lost", ".add(values[node.left], values[node.", ".add(values[node.right], values[node.", "DR-T2.2"),
    ),
    *mutants(
        "numeric/network/adjoint.py",
        "evidence",
        (
            "mean",
            "1.0 / samples_first(network.unit, x), ops_of(x)",
            "1.0 / (samples_first(network.unit, x) - 1), ops_of(x)",
            "DR-T2.2",
        ),
        ("curvature-lost", "scale * loss.curvature(ops, f[0], target, f[1])", "None", "DR-T2.3"),
    ),
    *mutants(
        "numeric/network/reverse.py",
        "evidence",
        ("slope", "give(node.operand, of(node.operand).multiply(g, slopes[node]))", "give(node.operand, g)", "GEN-1"),
        (
            "left-factor",
            "matmul(algebra.transpose(left), g)",
            "matmul(left, g)",
            "GEN-1",
            "ValueError",
        ),
        ("broadcast-mean", "= run.ops.xp.sum(", "= run.ops.xp.mean(", "GEN-1"),
        ("accumulate", "algebra.add(waiting[operand], g) if operand in waiting else g", "g", "GEN-1"),
    ),
    *mutants(
        "numeric/network/run.py",
        "evidence",
        ("units-reversed", "for a in reversed(last_first)]", "for a in last_first]", "GEN-1"),
        (
            "value-without-tangent",
            "found[name].append(collected[weight][coefficient])",
            "found[name].append(collected[weight][0])",
            "GEN-1",
        ),
    ),
    *mutants(
        "numeric/network/array_calls.py",
        "evidence",
        ("weight-cotangent", "(g, h[::-1].swapaxes(1, 2), both)", "(g, h.swapaxes(1, 2), both)", "DR-T2.3"),
        (
            "sides-swapped",
            "sides.back if back else self.sides.beside",
            "sides.beside if back else self.sides.back",
            "DR-T2.3",
        ),
    ),
    *mutants(
        "numeric/network/sample_tiles.py",
        "evidence",
        ("transpose", "(k + 1) * rows] = w.mT", "(k + 1) * rows] = w", "DR-T2.3"),
        ("tangent-for-value", "given[::-1], strict=True)", "given, strict=True)", "DR-T2.3"),
    ),
    *mutants(
        "numeric/network/taylor.py",
        "evidence",
        ("half", "0.5 * c for c in products", "1.0 * c for c in products", "DR-T2.1"),
        ("residual-sign", ": Series = (f[0] - y, *f[1:])", ": Series = (f[0] + y, *f[1:])", "DR-T2.1"),
    ),
    *mutants(
        "numeric/network/series.py",
        "evidence",
        ("product-last-term", "min(k, len(a) - 1) + 1)", "min(k, len(a) - 1))", "DR-T2.2"),
        ("product-rule", "else left if right is None else _sum_of_new(left, right)", "else left", "GEN-1"),
        ("slope", "_divided(derivatives[1:])", "_divided(derivatives[:-1])", "GEN-1"),
        ("value", "_divided(derivatives[:-1])", "_divided(derivatives[1:])", "GEN-1"),
        ("norm-mean", "ops.xp.mean(x, axis=axis, keepdims=True)", "ops.xp.sum(x, axis=axis, keepdims=True)", "GEN-1"),
    ),
    *mutants(
        "numeric/spectra/contract.py",
        "evidence",
        ("prefix", "sums[..., :-1, :, :]", "sums[..., 1:, :, :]", "DR-T2.3"),
        ("suffix", "if side < 0:", "if False:", "DR-T2.3"),
        ("A-transposed", "beside[SIDES[block]]", "beside[-SIDES[block]]", "DR-T2.3"),
        ("derivative-order", "(env, argument), order)[order]", "(env, argument), order)[0]", "GEN-1"),
        ("X-for-Y", 'slots(env.x if name == "X" else env.y)', 'slots(env.y if name == "X" else env.x)', "DR-T2.2"),
    ),
    *mutants(
        "numeric/spectra/products.py",
        "evidence",
        ("size-power", "(source.sizes[symbol]) ** power", "(source.sizes[symbol]) ** -power", "DR-T2.2"),
        ("coefficient-lost", "if coefficient == 1:", "if coefficient:", "DR-T2.3"),
        ("sum-overwritten", "= summand if total is None else arithmetic.add(total, summand)", "= summand", "DR-T2.3"),
    ),
    *mutants(
        "numeric/modular/identity.py",
        "evidence",
        ("chunks-overwritten", "[order] = residues.add(totals[order], part)", "[order] = part", "DR-T2.2"),
        ("nothing-compared", "found.coefficients[order], totals[order])", "totals[order], totals[order])", "DR-T2.2"),
    ),
    *mutants(
        "numeric/modular/residues.py",
        "evidence",
        ("half", "._mean(c, Fraction(1, 2)) for c in halves", "._mean(c, Fraction(1)) for c in halves", "DR-T2.2"),
        ("gradient-sign", 'return r.add(x, -self.datum("Y"))', 'return r.add(x, self.datum("Y"))', "DR-T2.2"),
        ("symbol-lost", "if coefficient.symbol is not None:", "if coefficient.symbol is None:", "DR-T2.2"),
        ("function-forgotten", "in table if self._same(known, argument))", "in table if known is found)", "DR-T2.2"),
    ),
    *mutants(
        "numeric/network/arithmetic.py",
        "evidence",
        ("denominator-lost", ".numerator * pow(value.denominator, -1, self.prime))", ".numerator)", "DR-T2.2"),
        ("pieces", "range(longest, inner, longest)", "range(0, inner, longest)", "DR-T2.2"),
    ),
    *mutants(
        "numeric/network/linear.py",
        "evidence",
        ("everything-linear", "return degree if same else None", "return degree", "DR-T2.3"),
    ),
    *mutants(
        "numeric/network/parameters.py",
        "evidence",
        ("initial-not-zero", "return np.zeros(shape)", "return np.full(shape, 1e-4)", "DR-T2.2"),
    ),
    *mutants(
        "numeric/rounding.py",
        "evidence",
        ("unit-roundoff", "UNIT_ROUNDOFF = 2.0**-53", "UNIT_ROUNDOFF = 2.0**-20", "DR-T2.2", "AssertionError"),
    ),
    *mutants(
        "architectures/activations.py",
        "exact",
        ("generic-factorial", "(1, math.factorial(k)), derivative_symbol(", "(1), derivative_symbol(", "DR-T2.3"),
        ("generic-order", "(k)), derivative_symbol(name, k))", "(k)), derivative_symbol(name, k - 1))", "DR-T2.2"),
        ("polynomial-shift", "(coefficients[k] if k < len", "(coefficients[k - 1] if k < len", "DR-T2.2e"),
    ),
    *mutants(
        "architectures/activations.py",
        "evidence",
        ("tanh-flow", "_TANH: Polynomial = (1, 0, -1)", "_TANH: Polynomial = (1, 0, 1)", "GEN-1"),
        ("tanh-slope", "_TANH: Polynomial = (1, 0, -1)", "_TANH: Polynomial = (2, 0, -1)", "DR-T2.1"),
        ("logistic-shift", "return 0.5 * (1.0 + ops.tanh(0.5 * x)", "return 0.5 * (2.0 + ops.tanh(0.5 * x)", "GEN-1"),
        ("log-2", '"log(2)": math.log(2.0)', '"log(2)": math.log10(2.0)', "GEN-1"),
    ),
    *mutants(
        "architectures/losses.py",
        "evidence",
        ("gradient-sign", "gradient=lambda ops, f, y: f - y", "gradient=lambda ops, f, y: y - f", "DR-T2.2e"),
        ("curvature-factor", "curvature=lambda ops, f, y, v: v", "curvature=lambda ops, f, y, v: 2.0 * v", "DR-T2.3"),
    ),
    *mutants(
        "architectures/losses.py",
        "exact",
        ("not-quadratic", "    quadratic=True,\n", "    quadratic=False,\n", "DR-T2.3"),
    ),
    *mutants(
        "architectures/expressions.py",
        "exact",
        ("visit-order", "for operand in reversed(operands(node))", "for operand in operands(node)", "DR-T2.2"),
    ),
    *mutants(
        "architectures/expressions.py",
        "evidence",
        ("weight-order", "return node.operands[::-1]", "return node.operands", "DR-M3"),
    ),
    *mutants(
        "architectures/catalogue.py",
        "exact",
        ("mid-lost", "(_apply(mid, path) if layer else path)", "path", "DR-T2.2"),
        ("post-lost", "return h + _apply(post, path)", "return h + path", "DR-T2.3"),
        ("shortcut-lost", "return h + _apply(post, path)", "return _apply(post, path)", "DR-L4"),
        (
            "gate-at-one",
            "h + a * (w2 @ _apply(activation, w1 @ h))",
            "h + (1 + a) * (w2 @ _apply(activation, w1 @ h))",
            "GEN-1",
        ),
    ),
    *mutants(
        "architectures/catalogue.py",
        "evidence",
        ("value-not-normalised", "(v @ n) @ softmax", "(v @ h) @ softmax", "GEN-1"),
        ("bias-sign", "w1 @ h + b)", "w1 @ h - b)", "GEN-1"),
    ),
    *mutants(
        "architectures/properties.py",
        "evidence",
        (
            "products-keep-apart",
            "APART if apart else ColumnUse.MIXED",
            "APART if apart else ColumnUse.FIXED",
            "GEN-1",
            "DataError",
        ),
        ("sums-keep-apart", "a if a.value >= b.value else b", "b if a.value >= b.value else a", "GEN-1", "DataError"),
    ),
    *mutants(
        "architectures/activations.py",
        "evidence",
        (
            "relu-leaks",
            "return [ops.maximum(x, 0.0 * x), ops.heav",
            "return [ops.maximum(x, 0.1 * x), ops.heav",
            "EX-9",
        ),
    ),
    *mutants(
        "architectures/activations.py",
        "exact",
        ("tanh-derivative", "_TANH: Polynomial = (1, 0, -1)", "_TANH: Polynomial = (1, 0, 1)", "EX-5"),
    ),
    *mutants(
        "architectures/catalogue.py",
        "exact",
        ("shortcut-lost", "return h + _apply(post, path)", "return _apply(post, path)", "EX-2"),
        (
            "gate-open",
            "a * (w2 @ _apply(activation, w1 @ _apply",
            "(1 + a) * (w2 @ _apply(activation, w1 @ _apply",
            "GEN-8",
            "NotIdentityError",
        ),
    ),
    *mutants(
        "proofs/identity_matters/factors.py",
        "evidence",
        ("sign-pair", "sign[2 * k] = -1.0", "sign[2 * k] = 1.0", "IM-1"),
        ("product-of-increments", "away + inner + away @ inner", "away + inner", "IM-1"),
        ("order", "h + batch[k, ...] @ h", "h + h @ batch[k, ...]", "IM-1"),
    ),
    *mutants(
        "proofs/rethinking_skips/lyapunov_gaps.py",
        "exact",
        ("expansion-sign", "(-1) ** (n + 1) * c, 2 * n", "(-1) ** n * c, 2 * n", "RS-LG"),
    ),
    *mutants(
        "proofs/rethinking_skips/perturbed_systems.py",
        "exact",
        ("residual-lost", "add_words(minus_words(fitted, before), moved)", "minus_words(fitted, before)", "RS-P3"),
    ),
    *mutants(
        "proofs/theory/growth.py",
        "exact",
        ("a-tie-leads", "first - other > 0", "first - other >= 0", "GEN-12"),
    ),
    *mutants(
        "proofs/rethinking_skips/dirac.py",
        "exact",
        ("a-not-added", "hidden.append((w + a) * hidden[-1])", "hidden.append(w * hidden[-1])", "RS-DN"),
        ("diagonal-once", "add_sums(by_w, multiply_sums(by_a, _delta()))", "by_w", "RS-DN"),
        ("any-start-is-likely", "all(0 < w < side for w in weights)", "True", "RS-DN", "AssertionError"),
        ("longer-row-longer-gradient", "- r u' u n r", "r u' u n r", "RS-DN2"),
    ),
    *mutants(
        "proofs/rethinking_skips/rescaled.py",
        "evidence",
        ("exponent-lost", "found.exponent + left.exponent + right.exponent", "left.exponent + right.exponent", "RS-R1"),
        ("inverse-order", "multiply(back, product(inverses))", "multiply(back, product(layers))", "RS-R2"),
    ),
    *mutants(
        "proofs/identity_matters/contractions.py",
        "exact",
        ("half-lost", "cross = vu / 2", "cross = vu", "IM-2"),
        ("stretch-lost", "vv - tau**2 * uu, vv * uu", "vv, vv * uu", "IM-2"),
        ("rotation", "((cos, -sin), (sin, cos))", "((cos, sin), (sin, cos))", "IM-1"),
        ("uphill", "sympy.diff(excess, t), -squared)", "sympy.diff(excess, t), squared)", "IM-3"),
        ("no-share", "bound(found.share / found.layers)", "bound(found.share)", "IM-3"),
    ),
    *mutants(
        "proofs/rethinking_skips/random_layers.py",
        "evidence",
        ("one-order-in-all-layers", 'np.abs(mu if order == "mu" else eigenvalues)', "np.abs(mu)", "RS-R2"),
    ),
    *mutants(
        "proofs/rethinking_skips/ball_products.py",
        "evidence",
        ("inverse-left-out", "(_log_norm(gram) + _log_norm(inverse)) / 2", "_log_norm(gram) / 2", "RS-R3"),
    ),
    *mutants(
        "proofs/identity_matters/kinks.py",
        "exact",
        ("left-of-a-zero", "-relu_of(o, -germ.left)", "relu_of(o, -germ.left)", "EX-9"),
        ("clipped", "max(sign(o, value), 0) * value", "value", "EX-9"),
        ("crossing-at-kinks", " and t not in kinks", "", "EX-9"),
        ("nudged-for-nothing", 'o["v"] - delta * o["g"]', 'o["v"]', "EX-9"),
        ("zero-moves-the-other-way", 'return -delta * o["r"]', 'return delta * o["r"]', "EX-9"),
    ),
    *mutants(
        "symbolic/algebra/critical.py",
        "exact",
        ("lowest-degree", "if k and c), None)", "if k > 2 and c), None)", "EX-2"),
    ),
    *mutants(
        "proofs/rethinking_skips/depth_products.py",
        "exact",
        ("gap-squared", "1 - gap)", "1 - gap**2)", "RS-T1"),
        ("telescope", "shifted(closed), closed * factor)", "closed, closed * factor)", "RS-T1"),
        ("series-sign", "(1 / (1 + x) + 1 / (1 - x))", "(1 / (1 + x) - 1 / (1 - x))", "RS-R2", "NotCertified"),
    ),
    *mutants(
        "proofs/rethinking_skips/joint_families.py",
        "exact",
        ("shortcut-not", "constant(int(self.shortcut))", "constant(int(not self.shortcut))", "RS-T2"),
        (
            "shortcut-lost",
            "return [add(one, eye(self.width)) for one in own] if self.shortcut else own",
            "return own",
            "RS-R2",
        ),
    ),
    *mutants(
        "symbolic/index/lift.py",
        "exact",
        ("softmax-unnormalised", "return multiply_series(weighted, inverse)", "return weighted", "GEN-7"),
        ("mask-lost", ".index(axis), mask, tuple(", ".index(axis), None, tuple(", "GEN-7"),
        ("shared-draws", "number if own else None", "None", "GEN-8"),
    ),
    *mutants(
        "symbolic/index/heads.py",
        "exact",
        ("border-lost", 'parse("N[i,b,u] * dc[b]", HEAD, _FREE), first', 'parse("0", HEAD, _FREE), first', "GEN-11"),
    ),
    *mutants(
        "symbolic/algebra/minors.py",
        "exact",
        ("sign", "(-1) ** j * x", "x", "EX-4"),
        ("kernel-sign", "-rows", "rows", "RS-L2"),
    ),
    *mutants(
        "symbolic/index/moments.py",
        "exact",
        ("column-delta", "(col, other_col)", "(other_col, other_col)", "EX-11"),
    ),
    *mutants(
        "symbolic/algebra/powers.py",
        "exact",
        ("exponents-subtracted", "exponent = done.pop()[1] + exponent", "exponent = done.pop()[1] - exponent", "IM-1"),
    ),
    *mutants(
        "symbolic/index/structure.py",
        "exact",
        ("null-weights", "for name in order if name not in seen))", "for name in order if name in seen))", "GEN-7"),
    ),
    *mutants(
        "symbolic/algebra/noncommutative.py",
        "exact",
        ("factors-exchanged", "{left + right: a * b", "{right + left: a * b", "EX-10", "ValueError"),
    ),
    *mutants(
        "proofs/demystifying_resnet/given_weights.py",
        "exact",
        ("paths-alike", 'f"W{r}_{layer}", weight', 'f"W{r}_{layer}", path[0]', "DR-zero"),
        ("mid-lost", "mid=mid, ", "", "DR-zero"),
        (
            "rows-stacked",
            "row[j] for part in parts for j in range(len(part[0])) for row in part",
            "x for part in parts for row in part for x in row",
            "DR-init",
        ),
    ),
    *mutants(
        "proofs/demystifying_resnet/plain_hessian.py",
        "exact",
        ("layers-reversed", "multiply(one, total), weights", "multiply(total, one), weights", "DR-init"),
        ("residual-lost", "half_mean_square((tensor(_G,", "half_mean_square(({} and tensor(_G,", "DR-init"),
    ),
    *mutants(
        "proofs/demystifying_resnet/near_zero.py",
        "exact",
        ("no-change-of-both", "t * t), one.sigma + t * (v1 + v2)", "t * t), one.sigma + t * v1", "DR-zero"),
        ("gap-forgets-zero", "_part(at_zero, 2)), words", "_part(at_zero, 0)), words", "DR-zero"),
        ("residual-stays", '(add_sums(residual, _applied("E")), _applied', "(residual, _applied", "DR-zero"),
    ),
    *mutants(
        "proofs/demystifying_resnet/looking_at_zero.py",
        "exact",
        ("no-fit", "Fraction(k, units + r - 1)", "Fraction(k, units + r)", "DR-zero"),
    ),
)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the packages, compiled, and the scripts that run statements."""
    folder = tmp_path_factory.mktemp("mutants")
    copy_packages(folder)
    return folder


@pytest.fixture(scope="module")
def forks(copy: Path) -> Generator[Forks]:
    """The process there whose forks run statements."""
    script = [sys.executable, "-B", str(copy / FORKED)]
    pipe = subprocess.PIPE
    with subprocess.Popen(script, stdin=pipe, stdout=pipe, text=True, env=environment(copy), cwd=copy) as process:
        yield Forks(process, Imports.within(copy))


@contextmanager
def mutated(folder: Path, mutant: Mutant) -> Generator[None]:
    """The copy with one place changed, and as it was afterwards."""
    source = (folder / mutant.file).read_text(encoding="utf-8")
    count = source.count(mutant.old)
    assert count == 1, f"{mutant.file} has {mutant.old!r} {count} times; expected once: bring the table up to date"
    with changed(folder, mutant.file, source.replace(mutant.old, mutant.new)):
        yield


def test_unchanged_sources_prove_what_the_mutants_fail() -> None:
    """By the committed report, which `tests/reports/test_render_committed.py` holds against a fresh run."""
    committed = json.loads((ROOT / "reports" / "results.json").read_text(encoding="utf-8"))["statements"]
    verdicts = {one["id"]: one["verdict"] for one in committed}
    for id_ in {mutant.statement for mutant in MUTANTS if mutant.part == "exact"}:
        assert verdicts[id_] in ({"OPEN"} if id_ in OPEN_IN_PART else PROVED), id_


@pytest.mark.parametrize(
    ("statement", "file"), sorted({m.statement: m.file for m in MUTANTS if m.part == "evidence"}.items())
)
def test_unchanged_sources_are_confirmed_in_a_fork(forks: Forks, statement: str, file: str) -> None:
    found = forks.outcome(file, statement, "evidence")
    assert (found["verdict"], found["failures"]) == ("OBSERVED", []), found


@pytest.mark.parametrize(
    "file",
    [
        "architectures/hessian_blocks.py",
        "numeric/spectra/contract.py",
        "proofs/demystifying_resnet/germs.py",
        "symbolic/index/series.py",
    ],
)
def test_unchanged_sources_go_through_a_fork(forks: Forks, file: str) -> None:
    found = forks.outcome(file, "DR-T2.3", "exact")
    assert (found["verdict"] in PROVED, found["failures"]) == (True, []), found


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.label)
def test_a_mutant_fails_its_statement(copy: Path, forks: Forks, mutant: Mutant) -> None:
    noticed = {mutant.raises} if mutant.raises else {"disagreement", "accepted neighbour"}
    with mutated(copy, mutant):
        found = forks.outcome(mutant.file, mutant.statement, mutant.part, until=noticed)
    # An exception alone is an ERROR.
    verdicts = {"FAILED", "ERROR"} if mutant.raises else {"FAILED"}
    assert found["verdict"] in verdicts, f"{mutant.new!r} survived: {found}"
    assert noticed & set(found["failures"]), found


def test_the_table_is_wide() -> None:
    assert len(MUTANTS) >= 45
    assert len({mutant.label for mutant in MUTANTS}) == len(MUTANTS)
    assert {Path(mutant.file).parts[0] for mutant in MUTANTS} == {"symbolic", "numeric", "architectures", "proofs"}
    assert all(mutant.old != mutant.new for mutant in MUTANTS)


def test_a_row_that_no_longer_fits_the_source_is_an_error(copy: Path) -> None:
    row = Mutant("symbolic/index/series.py", "exact", "gone", "no such line", "", "DR-T2.2")
    with pytest.raises(AssertionError, match="0 times; expected once"), mutated(copy, row):
        pass


def test_the_copy_is_restored(copy: Path) -> None:
    path = copy / MUTANTS[0].file
    before = path.read_bytes()
    with mutated(copy, MUTANTS[0]):
        assert path.read_bytes() != before
    assert path.read_bytes() == before
