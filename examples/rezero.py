"""What ReZero says of its start, re-derived: `resproof prove examples/rezero.py`.

Bachlechner et al., ReZero is all you need (arXiv 2003.04887): x + a F(x) with a scalar gate a that starts at zero. Here
F(x) = W2 s(W1 x), with any smooth s and any initial W1, W2. Copy this file to begin with a paper of your own.
"""

from resproof.architectures.activations import generic
from resproof.architectures.forms.terms import Opaque, Perturbation
from resproof.architectures.losses import squared
from resproof.architectures.networks import Network
from resproof.architectures.nodes import Input, Weight
from resproof.architectures.stages import ResidualUnit
from resproof.architectures.values import normal
from resproof.proofs.statement import Argument, Computed, Scope, Source, Statement
from resproof.symbolic.index import sizes
from resproof.symbolic.index.claims import show
from resproof.symbolic.index.expansion import expansion
from resproof.symbolic.index.lift import data, hessian_form, layout, unit_series
from resproof.symbolic.index.series import series, tensor, thaw
from resproof.symbolic.written.explicit import (
    hessian_at_initial_point,
    loss_series,
    output_at_initial_point,
    parameter_labels,
)

h, a = Input("d"), Weight(1, 1, name="a")
W1 = Weight("k", "d", initial=normal("1/d"), name="W1")
W2 = Weight("d", "k", initial=normal("1/k"), name="W2")
UNIT = ResidualUnit(h + a * (W2 @ generic("s", at_zero=None)(W1 @ h)))
SIZES = {"R": 1, "d": 1, "k": 1, "m": 1}


def printed(number: str, quote: str) -> Source:
    """A place in the paper; its text is not at hand, so that no digest is given."""
    return Source("Bachlechner et al.: ReZero is all you need (arXiv 2003.04887)", number, quote, "")


# The first claim: at the start every unit, so the network, maps x to x, and so does its Jacobian.


def image(_context: object) -> Computed:
    """What a unit makes of X + u at its initial point, degree by degree in the perturbation u."""
    free = layout(UNIT).output
    perturbed = series([data(UNIT), tensor(Opaque("u", tuple(free.values()), degree=1), tuple(free))], 2)
    found = tuple(map(show, unit_series(UNIT, perturbed, perturbed=())))
    return Computed(found, sizes.of_unit(UNIT))


def images_of_small_networks(_context: object) -> Computed:
    """Whether one to three units with symbolic data return their input, entry by entry."""
    inputs = [[{((f"x_{i}_1", 1),): 1}] for i in (1, 2)]
    found = {units: output_at_initial_point(Network(UNIT, units), {"d": 2, "k": 1}) == inputs for units in (1, 2, 3)}
    return Computed(found, Scope.of("R=1..3, d=2, k=1, m=1"))


ISOMETRY = Statement(
    id="RZ-1",
    title="ReZero satisfies initial dynamical isometry",
    source=printed("abstract", "satisfies initial dynamical isometry"),
    sentence="At $a = 0$ a network of any depth maps $X + u$ to $X + u$, so that every singular value of its "
    "input-output Jacobian is one.",
    latex=r"f(X + u) = X + u \quad (a = 0)",
    for_all=SIZES,
    arguments=(
        Argument(
            "One unit on an arbitrary perturbed input",
            "index notation",
            image,
            ("X[i,u]", "u[i,u]", "0"),
            {
                "a perturbation is doubled": ("X[i,u]", "2 * u[i,u]", "0"),
                "it is lost": ("X[i,u]", "0", "0"),
                "the branch is there": ("X[i,u] + W2[i,a] * s(W1[i,a] * X[a,u])[a,u]", "u[i,u]", "0"),
            },
            explanation="What one unit returns unchanged, so does any number of them, one after the other.",
        ),
        Argument(
            "Small networks, entry by entry",
            "explicit",
            images_of_small_networks,
            dict.fromkeys((1, 2, 3), True),
            {"only a single unit": {1: True, 2: False, 3: False}},
        ),
    ),
)

# The second: which weights have a gradient there.


def degrees(_context: object) -> Computed:
    """The least degree of a term of the branch in which each weight occurs."""
    return Computed(dict(expansion(UNIT).entering), sizes.of_unit(UNIT))


def gradients(_context: object) -> Computed:
    """The parameters of a small network in which the loss has a first derivative that is not zero, by name."""
    network, dims = Network(UNIT, 2), {"d": 2, "k": 1}
    labels = parameter_labels(network, dims)
    found = sorted(labels[i] for (i,) in loss_series(network, dims).parts[1])
    return Computed(found, Scope.of("R=2, d=2, k=1, m=1"))


GRADIENTS = Statement(
    id="RZ-2",
    title="Initially the gradients for all parameters of $F$ vanish",
    source=printed("section 3", "Initially the gradients for all parameters defining F vanish"),
    sentence="At $a = 0$ the weights of $F$ occur in terms of degree two and more only, so that the gradient in them "
    "is zero; the gate occurs in degree one.",
    latex=r"\nabla_{W_1} L = \nabla_{W_2} L = 0 \quad (a = 0)",
    for_all=SIZES,
    arguments=(
        Argument(
            "Degrees in which each weight occurs",
            "index notation",
            degrees,
            {"a": 1, "W1": 2, "W2": 2},
            {
                "the last layer has a gradient": {"a": 1, "W1": 2, "W2": 1},
                "the gate has none": {"a": 2, "W1": 2, "W2": 2},
            },
        ),
        Argument(
            "First derivatives of a small network",
            "explicit",
            gradients,
            ["a(1)_1_1", "a(2)_1_1"],
            {"only the last gate's": ["a(2)_1_1"], "no gradient at all": []},
        ),
    ),
)

# And a question of our own: what does the Hessian couple there?


def couplings(_context: object) -> Computed:
    """The pairs of weights in the forms D, of one unit, and A, of a later and an earlier one."""
    form = hessian_form(UNIT, squared)
    found = {
        tuple(sorted(tensor.label for tensor, _ in factors if isinstance(tensor, Perturbation)))
        for one in (thaw(form.diagonal), thaw(form.cross))
        for _, factors in one
    }
    return Computed(found, sizes.of_unit(UNIT))


def entries(_context: object) -> Computed:
    """The pairs of weights of a small network with an entry of the Hessian that is not zero."""
    network, dims = Network(UNIT, 2), {"d": 2, "k": 1}
    names = [label.partition("_")[0] for label in parameter_labels(network, dims)]
    hessian = hessian_at_initial_point(network, dims)
    found = {tuple(sorted((names[i], names[j]))) for i, j in hessian.entries()}
    return Computed(found, Scope.of("R=2, d=2, k=1, m=1"))


def weights(*pairs: str, prefix: str = "") -> set[tuple[str, ...]]:
    """Pairs such as "a(1) W1(1)"; `prefix` is what the forms put before the names."""
    return {tuple(sorted(f"{prefix}{name}" for name in pair.split())) for pair in pairs}


WITHIN = ("a(1) a(1)", "a(1) W1(1)", "a(1) W2(1)")
SECOND = ("a(2) a(2)", "a(2) W1(2)", "a(2) W2(2)")
BETWEEN = "a(1) a(2)"

COUPLING = Statement(
    id="RZ-3",
    title="ReZero at its start: the gates of all units interact",
    source=None,
    sentence="With the squared loss the Hessian at $a = 0$ couples each gate with itself, with the weights of its own "
    "$F$, and with the gates of all other units, and nothing else. So units interact, unlike in a 2-shortcut network.",
    latex=r"H_{W W} = 0,\quad H_{a_r W_s} = 0\ (r \ne s)",
    for_all=SIZES,
    arguments=(
        Argument(
            "The forms of two units",
            "index notation",
            couplings,
            weights(*WITHIN, BETWEEN, prefix="d"),
            {
                "units do not interact": weights(*WITHIN, prefix="d"),
                "a gate and the weights of another unit": weights(*WITHIN, BETWEEN, "a(2) W1(1)", prefix="d"),
            },
        ),
        Argument(
            "Every entry of a small Hessian",
            "explicit",
            entries,
            weights(*WITHIN, *SECOND, BETWEEN),
            {
                "units do not interact": weights(*WITHIN, *SECOND),
                "the weights of F among themselves": weights(*WITHIN, *SECOND, BETWEEN, "W1(1) W2(1)"),
            },
        ),
    ),
)

STATEMENTS = (ISOMETRY, GRADIENTS, COUPLING)
