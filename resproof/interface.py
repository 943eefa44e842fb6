"""The verbs of `import resproof`: what the commands of the same names do, from Python, with frozen results.

Results show themselves: as Markdown in a notebook, `.to_json()` as data, and `.plot()` where there is something to
draw.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from resproof.architectures.errors import ArchitectureError
from resproof.architectures.files import Given, is_expression, require_dimensions
from resproof.architectures.importers.modules import Asked
from resproof.architectures.losses import loss as loss_of
from resproof.architectures.networks import Stack
from resproof.architectures.nodes import Expression
from resproof.architectures.stages import ResidualUnit
from resproof.proofs.block.modules import Imported, from_target, of_value, refuse_for_expression
from resproof.proofs.registry import find
from resproof.proofs.registry import statements as registered
from resproof.proofs.runs import run_all
from resproof.proofs.statement import Context, Statement
from resproof.reporting import check as checks
from resproof.reporting import spectrum as spectra
from resproof.reporting.check_record import CheckRecord
from resproof.reporting.spectrum import Arrays
from resproof.reporting.spectrum_record import SpectrumRecord

if TYPE_CHECKING:
    from resproof.proofs.verdict import Part
    from resproof.reporting.experiment_records import ExperimentResult
    from resproof.reporting.schema import Results
    from resproof.reporting.statement_record import StatementRecord

Block: TypeAlias = "Expression | ResidualUnit | Stack | str | Any"
"""An expression, a unit, a network with stem and head, a torch, Flax or Equinox module, or "FILE.py:NAME"."""


def check(
    block: Block,
    *,
    data: Arrays = None,
    loss: str = "squared",
    units: int = 100,
    sizes: Mapping[str, int] | None = None,
    require: Sequence[str] = (),
    seed: int = 0,
    name: str = "block",
    example_input: Any = None,
    evaluation: bool = False,
) -> CheckRecord:
    """Where a residual block starts: order, regime, Hessian and spectrum, proved for every depth, confirmed on numbers.

    Args:
        block: An expression h + branch(h; w), a unit, a Network, or "FILE.py:NAME". A Network has a loss and a depth of
            its own; with stem or head it asks for data: Y of the shape of what the head gives, or labels. Of units of
            several kinds the shortest pattern that repeats is looked at, and each kind in it.
        data: (X, Y) with the samples as columns, d x m each, or m x d x t for a block that mixes columns; Y may be
            labels under cross-entropy. Or the path of an .npz file. The embedded digits otherwise.
        loss: "squared" (the mean over samples of half the squared distance) or "cross-entropy".
        units: Depth R of the networks that the numbers come from; what is proved holds for every depth.
        sizes: Sizes of named inner dimensions, such as {"k": 8}; the width otherwise.
        require: Properties that are asked for: "order>=2", "depth-invariant", "strict-saddle". Where one is absent,
            `holds` is False and `requirements` say why: `assert check(block, require=["depth-invariant"]).holds`.
        seed: Of random initial weights.
        name: What the block is called in sentences. Its weights are W1, W2, ... unless they have names, as
            Weight("d", "k", name="V") has; those of "FILE.py:NAME" have the names of their variables.
        example_input: For a module: an input with samples first, or its shape, such as (32, 8) or (32, 6, 8).
        evaluation: Take a torch module in evaluation mode.

    Returns:
        A frozen record: `verdict` in words, `regime`, `branch_order`, `stationary_order`, `diagonal` and `cross` (the
        forms of D and A), `spectrum`, `weights`, `statements`, `requirements`.

    Raises:
        ArchitectureError: the block is no residual unit, or a size or requirement is unknown.
        DataError: data that cannot be used.
        UnconfirmedReadingError: a module, and the expression read from it is not confirmed.

    >>> from resproof import Input, Weight, check, tanh
    >>> h, W1, W2, W3 = Input("d"), Weight("d", "d"), Weight("d", "d"), Weight("d", "d")
    >>> check(h + W3 @ tanh(W2 @ tanh(W1 @ h)), name="three").regime
    'flat'
    """
    _require_whole("units", units, 1)
    _require_whole("seed", seed, 0)
    if isinstance(require, str):
        raise ArchitectureError(f"require={require!r}: is one word; expected a list, [{require!r}]")
    asked = Asked(example_input, evaluation)
    (given, module), chosen = _given(block, name, sizes, asked), loss_of(loss)
    return checks.of_target(given, module, units, data, chosen, require, Context(seed=seed))


def spectrum(
    block: Block,
    units: int | None = None,
    *,
    data: Arrays = None,
    loss: str = "squared",
    sizes: Mapping[str, int] | None = None,
    seed: int = 0,
    draws: Literal["one", "each", "shared"] = "one",
    name: str = "block",
    example_input: Any = None,
    evaluation: bool = False,
) -> SpectrumRecord:
    """Eigenvalues of the Hessian where training starts, with multiplicities, at depth `units`; arguments as in `check`.

    A Network has a depth of its own, and `units`, where given, says how many times its unit or pattern is repeated.
    `draws`: one draw of random initial weights for all units, one for "each", or "shared": one set of weights for all
    units, in which the Hessian is taken.

    Raises:
        ArchitectureError: as in `check`, or a block without `units`.
        DataError: as in `check`.
        NoHessianError: the loss has no Hessian at the initial point; the message names the node.

    >>> from resproof import n_shortcut, spectrum, tanh
    >>> found = spectrum(n_shortcut(2, mid=tanh), units=1000)
    >>> found.strict_saddle, found.negative == found.positive
    (True, True)
    """
    _require_whole("seed", seed, 0)
    (given, _), chosen = _given(block, name, sizes, Asked(example_input, evaluation)), loss_of(loss)
    if units is not None:
        _require_whole("units", units, 1)
    elif given.stack is None:
        raise ArchitectureError(f"{name}: no units; expected how many there are")
    return spectra.of_target(given, units, data, chosen, seed, draws)


def statements() -> tuple[Statement, ...]:
    """Every statement of the papers and beyond them, in the order of the report.

    >>> from resproof import statements
    >>> statements()[0].id
    'DR-M1'
    """
    return registered()


def prove(*which: str | Statement, deep: bool = False, jobs: int = 1) -> tuple[StatementRecord, ...]:
    """Run statements, by id or of one's own, all registered ones where none is given, and record what came out.

    Args:
        which: Ids such as "DR-T2.2c", or Statement objects.
        deep: Also the evidence at great depth, which takes seconds.
        jobs: Number of processes.

    Raises:
        UnknownStatementError: an id is unknown; the message suggests the nearest ones.

    >>> from resproof import prove
    >>> [(one.verdict, one.scope) for one in prove("DR-L4")]
    [('PROVED', 'all n, R, d, m')]
    """
    from resproof.reporting.statement_record import records

    own = [one for one in which if isinstance(one, Statement)]
    ids = [one for one in which if isinstance(one, str)]
    chosen = (*(find(ids) if ids or not own else ()), *own)
    parts: tuple[Part, ...] = ("exact", "evidence", "deep") if deep else ("exact", "evidence")
    return records(chosen, run_all(chosen, jobs=jobs, parts=parts))


def report(folder: str | Path = "reports", *, seed: int = 0, jobs: int = 2, device: str = "cpu") -> Results:
    """Run every statement and write the report: REPORT.md, the pages that it leads to, figures and results.json.

    Raises:
        OutputError: the folder cannot be written to.
        DeviceError: the device is not there.
    """
    from resproof.numeric.backend import device as find_device
    from resproof.reporting.build import build

    chosen = find_device(device)
    context = Context(chosen.name, seed)
    return build(Path(folder), registered(), context, chosen.description, jobs=jobs, catalogue=True)


def reproduce(
    *which: str,
    data: str | Path | None = None,
    folder: str | Path = "reports/experiments",
    jobs: int = 1,
    paper_scale: bool = False,
) -> tuple[ExperimentResult, ...]:
    """Run experiments of the papers, all of them where none is named; a run that is in the folder is not made again.

    Args:
        which: Ids such as "DR-F4".
        data: MNIST: IDX files, their folder, or an .npz file; the embedded digits otherwise.
        folder: Where each run's file is kept.
        jobs: Number of processes.
        paper_scale: Depths, seeds and rates as in the papers: hours, on MNIST days to weeks.

    Returns:
        The experiments with their verdicts; one that needs images is left out where the data have none.

    Raises:
        UnknownStatementError: an id is unknown; the message suggests the nearest ones.
        DataError: the data cannot be read, no experiment is left, or JAX is not installed.
        OutputError: the folder cannot be written to.

    >>> from tempfile import mkdtemp
    >>> from resproof import reproduce
    >>> (found,) = reproduce("IM-F3", folder=mkdtemp())
    >>> found.id, found.judged.verdict
    ('IM-F3', 'OBSERVED')
    """
    from resproof.proofs.experiments import find_experiments
    from resproof.reporting.reproduce import planned
    from resproof.reporting.reproduce import reproduce as run

    path = None if data is None else Path(data)
    return tuple(run(planned(find_experiments(which), path, Path(folder), paper=paper_scale), jobs=jobs))


def _require_whole(name: str, value: object, least: int) -> None:
    """Pass when it is a whole number, at least so large.

    Raises:
        ArchitectureError: it is none.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ArchitectureError(f"{name}={value!r}; expected a whole number, {least} or more")


def _given(block: Block, name: str, sizes: Mapping[str, int] | None, asked: Asked) -> tuple[Given, Imported | None]:
    """What is asked about, by its first unit where it is a network; the module that it was read from.

    Raises:
        ArchitectureError: it is none.
    """
    if isinstance(block, str):
        settings = [f"{key}={size}" for key, size in (sizes or {}).items()]
        return from_target(block, settings, every=True, networks=True, asked=asked)
    if isinstance(block, Stack) or is_expression(block):
        refuse_for_expression(name, asked)
    if isinstance(block, Stack):
        require_dimensions(name, [d for stage in block.stages.values() for d in stage.dimensions], sizes or {})
        return Given(name, block.residual_units[0], dict(sizes or {}), block), None
    read = None if is_expression(block) else of_value(block, name, sizes or {}, asked)
    if read is not None:
        return read
    unit = block if isinstance(block, ResidualUnit) else ResidualUnit(block)
    require_dimensions(name, unit.dimensions, sizes or {})
    return Given(name, unit, dict(sizes or {})), None
