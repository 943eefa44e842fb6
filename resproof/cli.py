"""The command line: `resproof report`, `resproof prove`, `resproof reproduce`, `resproof list`.

Exit status: 0 every result holds together; 1 a statement FAILED, a required property is absent or the Hessian does not
exist; 2 wrong use or bad input; 3 the program broke, ran out of something or could not confirm what it says of a block;
130 interrupted, 143 terminated. Whatever is not 0 or 1 is told in one line on stderr; RESPROOF_DEBUG=1 adds the
traceback of what is unexpected.
What a command needs is imported when it runs, so that `prove` waits for nothing that it does not use.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from resproof.architectures.errors import OneLine, debugging, one_line, show_traceback
from resproof.architectures.names import printable
from resproof.proofs.formulas import plain
from resproof.proofs.interrupts import Interrupted

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from resproof.proofs.results import Result
    from resproof.proofs.runs import Find
    from resproof.proofs.statement import Context, Statement
    from resproof.proofs.verdict import Part
    from resproof.reporting.statement_record import StatementRecord

HOLDS, FAILED, WRONG_USE, BROKE = 0, 1, 2, 3
_STATUS = {
    "NoHessianError": (FAILED, ""),
    "UnconfirmedReadingError": (BROKE, "not confirmed: "),
    "WorkerError": (BROKE, ""),
}
"""Errors that are about no wrong use, and what is said before them."""
_USAGE_ERROR: Any = typer.BadParameter.__mro__[2]
"""The root of the errors that the argument parser itself raises: BadParameter, UsageError, ClickException."""
_COMPLETE = "_RESPROOF_COMPLETE"
_T = TypeVar("_T")

app = typer.Typer(
    no_args_is_help=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Proofs and numbers for the loss surface of residual networks where training starts.",
)


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"resproof {version('resproof')}")
        raise typer.Exit


@app.callback()
def _options(
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="The version, and no more.")
    ] = False,
) -> None:
    """Proofs and numbers for the loss surface of residual networks where training starts."""


def _whole_number(least: int) -> Callable[[str], int]:
    """A parser of whole numbers that are at least so large."""

    def parse(text: str) -> int:
        if not str(text).isdecimal() or int(text) < least:
            raise typer.BadParameter(f"{text}; expected a whole number, {least} or more")
        return int(text)

    return parse


_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9}


def _bytes(text: str) -> int:
    """A number of bytes with an optional K, M or G.

    Raises:
        BadParameter: it is none.
    """
    number, unit = (text[:-1], text[-1].upper()) if text[-1:].isalpha() else (text, "")
    if not number.isdecimal() or unit not in _UNITS or int(number) < 1:
        raise typer.BadParameter(f"{text}; expected a number of bytes such as 500000000, 512M or 4G")
    return int(number) * _UNITS[unit]


def _seconds(text: str) -> float:
    """A positive number of seconds.

    Raises:
        BadParameter: it is none.
    """
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not (isfinite(found) and found > 0.0):
        raise typer.BadParameter(f"{text}; expected a positive number of seconds")
    return found


_TIMEOUT = "The most seconds, for each statement where there are several; what takes longer is ended, an ERROR."
_Timeout = Annotated[float | None, typer.Option(parser=_seconds, metavar="SECONDS", help=_TIMEOUT)]
_MEMORY = "Memory for intermediate values, such as 512M or 4G; more than it takes is refused."
_Memory = Annotated[int | None, typer.Option(parser=_bytes, metavar="SIZE", help=_MEMORY)]
_Jobs = Annotated[int, typer.Option(parser=_whole_number(1), metavar="N", help="Number of processes.")]
_SCHEDULER = "Of a Dask cluster that runs them, with one thread a worker."
_Scheduler = Annotated[str | None, typer.Option(metavar="ADDRESS", help=_SCHEDULER)]
_Seed = Annotated[int, typer.Option(parser=_whole_number(0), metavar="N", help="Of random initial weights.")]
_DATA = "An .npz file with X and Y; else the embedded digits."
_Data = Annotated[Path | None, typer.Option(metavar="FILE.npz", help=_DATA)]
_Loss = Annotated[str, typer.Option(metavar="NAME", help="squared or cross-entropy.")]
_INPUT = "Of a torch, Flax or JAX module: samples x width, or samples x tokens x width, such as 32x6x8; or an image's."
_Input = Annotated[str | None, typer.Option("--input", metavar="SHAPE", help=_INPUT)]
_Evaluation = Annotated[bool, typer.Option("--evaluation", help="A torch module in evaluation mode.")]
_TARGET = "An expression or a module in a file."
_UNITS_TOLD = "Number of residual units; of a network of several parts that of its own repetitions, unless given."
_NAMED = "From the catalogue, such as n-shortcut."
_SETTING, _SIZE = "A parameter, or the size of a dimension.", "The size of a dimension."
_DRAWS = "Random initial weights: one draw for all units, or one for each; or units that share weights."
_REQUIRE = "order>=K (derivatives 1..K vanish), depth-invariant or strict-saddle; else exit status 1."
_ONLY = "The id of a statement; may be given again."
_WORDS = "Such as eigenvalue, or Theorem 2."
_IMAGES = "MNIST: IDX files, their folder, or an .npz file; else the embedded digits."
_PAPER = "Statements of a paper: one that passes, one to mend."
_PAPER_SCALE = (
    "Depths, seeds and rates as in the papers: a day of one core on the digits, half of it for the convolutions "
    "(DR-F2, DR-F9). On MNIST the linear networks take no longer, those with ReLUs days, the convolutions weeks."
)
_Json = Annotated[str | None, typer.Option(metavar="PATH|-", help="Write the result there, - for stdout.")]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its status."""
    sys.exit(_run(sys.argv[1:] if arguments is None else list(arguments)))


def _run(arguments: list[str]) -> int:
    """The status that the command line ends with; what went wrong is told in one line."""
    try:
        status = _invoke(arguments or ["--help"])
        if sys.stdout is not None:
            sys.stdout.flush()
        return status
    except KeyboardInterrupt as error:
        stopped = error if isinstance(error, Interrupted) else Interrupted()
        return _end(stopped.status, f"resproof: {stopped}")
    except _USAGE_ERROR as error:
        return _end(WRONG_USE, f"resproof: {error.format_message()}")
    except Exception as error:
        return _end(*_told(error))


def _invoke(arguments: list[str]) -> int:
    command = typer.main.get_command(app)
    if asked := os.environ.get(_COMPLETE):  # by a shell, of what --install-completion has put there
        from typer.completion import shell_complete

        return shell_complete(command, {}, "resproof", _COMPLETE, asked)
    try:
        with command.make_context("resproof", arguments) as context:
            status = command.invoke(context)
    except typer.Exit as error:
        return error.exit_code
    return status if isinstance(status, int) else HOLDS


def _told(error: Exception) -> tuple[int, str]:
    """The status and the line for an error: about what was given, unless it is one of those that say otherwise."""
    kind = type(error).__name__
    if isinstance(error, OneLine) or kind in _STATUS:
        status, words = _STATUS.get(kind, (WRONG_USE, ""))
        return status, f"resproof: {words}{error}"
    show_traceback(error)
    remedy = "" if debugging() else "; RESPROOF_DEBUG=1 shows where"
    return BROKE, f"resproof: the program broke: {one_line(f'{kind}: {error}'.rstrip(': '), 120)}{remedy}"


def _end(status: int, line: str) -> int:
    """The status, after the line on stderr."""
    try:
        typer.echo(one_line(line, 199), err=True)
    except OSError:  # nobody hears it
        sys.stderr = None
    return status


_OWN = "A file with STATEMENTS of one's own, or an installed paper's name; those of the papers otherwise."
_Own = Annotated[str | None, typer.Argument(metavar="[FILE.py|NAME]", help=_OWN)]


def _ids(typed: str) -> list[str]:
    """The ids of statements that begin so, for the shell's completion."""
    from resproof.reporting.listed import listed

    return [one.id for one in listed() if one.id.startswith(typed)]


def _reached(scheduler: str | None, timeout: float | None = None) -> AbstractContextManager[Executor | None]:
    """The executor of the cluster, or nothing where none is asked for.

    Raises:
        BadParameter: a time limit is asked for as well.
    """
    if scheduler is None:
        return nullcontext()
    if timeout is not None:
        raise typer.BadParameter("--timeout with --scheduler; expected one of them, for a cluster ends no call")
    from resproof.reporting.cluster import cluster

    return cluster(scheduler)


@app.command()
def report(
    file: _Own = None,
    out: Annotated[Path, typer.Option(help="Folder for REPORT.md and results.json.")] = Path("reports"),
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    data: _Data = None,
    seed: Annotated[int, typer.Option(parser=_whole_number(0), metavar="N", help="Seed of everything random.")] = 0,
    jobs: _Jobs = 2,
    memory: _Memory = None,
    timeout: _Timeout = None,
    scheduler: _Scheduler = None,
) -> int:
    """Run every statement and write the report."""
    # The matrices are small and the processes several: BLAS threads would wait for each other. Read when NumPy loads.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from resproof.numeric.backend import device as find_device

    chosen = find_device(device)
    context = _context(chosen.name, seed, data, memory)
    if data is not None:
        _ = context.data  # what is refused is refused before what computes is loaded
    among = _among(file)
    every = among(())
    from resproof.reporting.build import build, parts_of
    from resproof.reporting.progress import progress, recorded_seconds
    from resproof.reporting.schema import ledger_of

    parts = parts_of(every, catalogue=file is None)
    with (
        _reached(scheduler, timeout) as executor,
        progress(parts, recorded_seconds(out / "timings.json")) as watch,
    ):
        results = build(
            out,
            every,
            context,
            chosen.description,
            jobs=jobs,
            among=among,
            watch=watch,
            catalogue=file is None,
            timeout=timeout,
            among_papers=None if file is None else ledger_of(printable(Path(file).name), every, printable(file)),
            executor=executor,
        )
    typer.echo(f"{out / 'REPORT.md'}: {_tally(one.verdict for one in results.statements)}")
    return _status(results.statements, "`resproof prove --only` runs it again")


@app.command()
def prove(
    file: _Own = None,
    only: Annotated[list[str] | None, typer.Option(help=_ONLY, autocompletion=_ids)] = None,
    json: Annotated[str | None, typer.Option(metavar="PATH|-", help="Write the results there, - for stdout.")] = None,
    deep: Annotated[bool, typer.Option("--deep", help="Also the evidence at great depth, as in the report.")] = False,
    jobs: _Jobs = 1,
    timeout: _Timeout = None,
    scheduler: _Scheduler = None,
) -> int:
    """Run statements and print their verdicts."""
    among = _among(file)
    chosen = among(only or ())
    _check_json(json)  # what is refused is refused before what computes is loaded
    from resproof.proofs.runs import run_all
    from resproof.reporting.progress import RECORDED, progress, recorded_seconds

    parts: tuple[Part, ...] = ("exact", "evidence", "deep") if deep else ("exact", "evidence")
    with (
        _reached(scheduler, timeout) as executor,
        progress([one.id for one in chosen], recorded_seconds(RECORDED)) as watch,
    ):
        results = run_all(
            chosen,
            jobs=jobs,
            find=among,
            done=lambda one: watch.done(one.id),
            parts=parts,
            timeout=timeout,
            begun=watch.begun,
            executor=executor,
        )

    def proved() -> str:
        from resproof.reporting.statement_record import Proved, records

        return Proved(schema_version=2, statements=records(chosen, results)).to_json()

    def show() -> None:
        for statement, result in zip(chosen, results, strict=True):
            typer.echo(_line(statement, result))

    _tell(json, proved, show)
    return _status(results, "--only runs it again")


def _known(architecture: str | None) -> str | None:
    """An architecture's name, refused before anything else is asked for."""
    if architecture is not None:
        from resproof.architectures.files import require_known

        require_known(architecture)
    return architecture


@app.command()
def spectrum(
    file: Annotated[str | None, typer.Argument(metavar="FILE.py:NAME", help=_TARGET)] = None,
    data: _Data = None,
    units: Annotated[int | None, typer.Option(parser=_whole_number(1), metavar="R", help=_UNITS_TOLD)] = None,
    architecture: Annotated[
        str | None, typer.Option(metavar="NAME", callback=_known, is_eager=True, help=_NAMED)
    ] = None,
    setting: Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help=_SETTING)] = None,
    loss: _Loss = "squared",
    shape: _Input = None,
    evaluation: _Evaluation = False,
    seed: _Seed = 0,
    draws: Annotated[str, typer.Option(metavar="one|each|shared", help=_DRAWS)] = "one",
    json: _Json = None,
    timeout: _Timeout = None,
) -> int:
    """Eigenvalues of the Hessian where training starts, with multiplicities, at any depth."""
    _check_json(json)
    if file is not None and architecture is None:
        _require_file(file)
    from resproof.architectures.importers.modules import Asked
    from resproof.reporting import spectrum as found

    asked = Asked(shape, evaluation)
    given = (file, architecture, setting or (), units, data, loss, seed, asked, draws)
    record = _within(timeout, partial(found.compute, *given))
    _tell(json, record.to_json, partial(found.show, record))
    return HOLDS


@app.command()
def check(
    file: Annotated[str, typer.Argument(metavar="FILE.py:NAME", help=_TARGET)],
    data: _Data = None,
    loss: _Loss = "squared",
    units: Annotated[
        int, typer.Option("--units", "--depth", parser=_whole_number(1), metavar="R", help="Number of residual units.")
    ] = 100,
    require: Annotated[list[str] | None, typer.Option(metavar="PROPERTY", help=_REQUIRE)] = None,
    setting: Annotated[list[str] | None, typer.Option("--set", metavar="KEY=NUMBER", help=_SIZE)] = None,
    shape: _Input = None,
    evaluation: _Evaluation = False,
    out: Annotated[Path | None, typer.Option(help="A folder for a Markdown page with a figure.")] = None,
    seed: _Seed = 0,
    memory: _Memory = None,
    json: _Json = None,
    timeout: _Timeout = None,
) -> int:
    """What a residual block's loss surface looks like where training starts: exact, proved, and confirmed."""
    _check_json(json)
    if out is not None:
        from resproof.reporting.files import check_writable

        check_writable(out, keep=False)  # what is not written leaves no folder
    _require_file(file)
    from resproof.architectures.importers.modules import Asked
    from resproof.reporting import check as found

    given = (file, setting or (), units, data, loss, require or (), seed, memory, Asked(shape, evaluation))
    record = _within(timeout, partial(found.compute, *given))
    if out is not None:
        from resproof.reporting.check_page import write_page

        typer.echo(f"{write_page(out, record, file)}: written", err=True)
    _tell(json, record.to_json, partial(found.show, record))
    if record.unconfirmed:  # it says nothing of the block
        return _end(BROKE, f"resproof: not confirmed: {record.unconfirmed[0]}")
    return HOLDS if record.holds else FAILED


@app.command()
def reproduce(
    only: Annotated[list[str] | None, typer.Option(help="The id of an experiment; may be given again.")] = None,
    data: Annotated[Path | None, typer.Option(help=_IMAGES)] = None,
    jobs: _Jobs = 2,
    scheduler: _Scheduler = None,
    paper_scale: Annotated[bool, typer.Option("--paper-scale", help=_PAPER_SCALE)] = False,
    out: Annotated[Path, typer.Option(help="Folder for the result files, one a run.")] = Path("reports/experiments"),
) -> int:
    """Run the papers' experiments and print what was observed; what has run before is not run again."""
    # A thread for each process, as in the report.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from resproof.proofs.experiments import find_experiments

    chosen = find_experiments(only or ())  # what is refused is refused before what computes is loaded
    from resproof.reporting import reproduce as runner
    from resproof.reporting.progress import progress

    plan = runner.planned(chosen, data, out, paper=paper_scale)
    if data is not None:
        typer.echo(f"on {plan.data.name}, {' x '.join(map(str, plan.data.X.shape))}", err=True)
    if left := [one.id for one in chosen if one not in plan.experiments]:
        typer.echo(f"{', '.join(left)}: left out, for {plan.data.name} has no square images", err=True)
    with _reached(scheduler if plan.tasks else None) as executor, progress(plan.keys, plan.recorded) as watch:
        results = runner.reproduce(plan, jobs=jobs, executor=executor, watch=watch)
    for line in runner.told(results):
        typer.echo(line)
    return FAILED if any(one.judged.verdict == "FAILED" for one in results) else HOLDS


@app.command()
def new(
    file: Annotated[Path, typer.Argument(metavar="FILE.py", help="The file to be made.")],
    paper: Annotated[bool, typer.Option("--paper", help=_PAPER)] = False,
) -> int:
    """Write a commented template of a block that passes `check`, or of a paper's statements."""
    from resproof.reporting.template_block import write_template

    write_template(file, "paper" if paper else "block")
    following = f"prove {file}" if paper else f"check {file}:block"
    typer.echo(f"{file}: written; next: resproof {following}", err=True)
    return HOLDS


@app.command()
def show(
    statement: Annotated[str, typer.Argument(metavar="ID", help="Such as DR-T2.2c.", autocompletion=_ids)],
    file: _Own = None,
    run: Annotated[bool, typer.Option("--run", help="Run the proof now, as for a file it always is.")] = False,
) -> int:
    """What a statement says, where it is printed, and its proof: as it is shipped, or run now."""
    from resproof.reporting.statement_record import record, shipped
    from resproof.show import shown

    if run or file is not None:
        from resproof.proofs.verdict import run as ran

        (chosen,) = _among(file)([statement])
        one = record(chosen, ran(chosen, parts=("exact",)))
    else:
        one = shipped(statement)
    typer.echo(shown(one))
    return _status([one], f"show {one.id} --run runs it again")


@app.command("list", help="List the statements, id and title; with words, those that say all of them.")
def list_(
    words: Annotated[list[str] | None, typer.Argument(metavar="[WORDS]...", help=_WORDS)] = None,
) -> int:
    """List the statements, id and title; with words, those that say all of them.

    Raises:
        UnknownStatementError: no statement does.
    """
    from resproof.reporting.listed import listed

    wanted = " ".join(words or ()).casefold().split()
    found = [one for one in listed() if not wanted or one.says(wanted)]
    if not found:
        from resproof.proofs.registry import UnknownStatementError

        raise UnknownStatementError(f"no statement says {' and '.join(wanted)}; `resproof list` shows them all")
    for one in found:
        typer.echo(f"{one.id:<12} {plain(one.title)}")
    return HOLDS


def _among(file: str | None) -> Find:
    """Where statements are looked up by their ids: in a file, an installed paper, or the registry."""
    if file is None:
        from resproof.proofs.registry import find

        return find
    from resproof.proofs.own import find_in

    return partial(find_in, file)


def _context(device: str, seed: int, data: Path | None, memory: int | None) -> Context:
    from resproof.proofs.statement import Context

    if data is None:
        return Context(device, seed, memory=memory)
    from resproof.reporting.data import remembered

    return Context(device, seed, partial(remembered, data), memory)


def _require_file(target: str) -> None:
    """What is refused is refused before what computes is loaded."""
    from resproof.architectures.files import require_file

    require_file(target)


def _check_json(target: str | None) -> None:
    """See whether the results can be written there before the work for them is done."""
    if target not in {None, "-"}:
        from resproof.reporting.files import check_target

        check_target(Path(target or ""))


def _tell(target: str | None, text: Callable[[], str], show: Callable[[], None]) -> None:
    """Write the JSON where it is asked for, and show the rest unless the JSON is on standard output.

    Raises:
        OutputError: standard output is closed.
    """
    if target != "-":
        if target is not None:
            from resproof.reporting.files import write

            write({Path(target): text()})
        show()
        return
    from resproof.reporting.files import OutputError, encoded

    if sys.stdout is None:
        raise OutputError("standard output is closed; expected a file after --json")
    typer.echo(encoded(text()), nl=False)  # JSON is UTF-8 whatever the terminal has


def _line(statement: Statement, result: Result) -> str:
    from resproof.reporting.scopes import shortened

    unsaid = " for no sizes: it names none in for_all" if result.verdict in ("PROVED", "REPAIRED") else ""
    scope = f" for {shortened(result.scope)}" if result.scope else unsaid
    reason = f": {result.reason}" if result.reason else ""
    return f"{result.verdict:<8} {statement.id:<12} {plain(statement.title)}{scope}{reason} ({result.seconds:.2f} s)"


def _status(results: Sequence[Result | StatementRecord], remedy: str) -> int:
    """What was found false outweighs what broke; which ones broke is told."""
    broken = [one for one in results if one.verdict == "ERROR"]
    status = FAILED if any(one.verdict == "FAILED" for one in results) else BROKE if broken else HOLDS
    if not broken:
        return status
    others = f" and {len(broken) - 1} more are" if len(broken) > 1 else " is"
    return _end(status, f"resproof: {broken[0].id}{others} ERROR ({broken[0].reason}); {remedy}")


def _within(timeout: float | None, function: Callable[[], _T]) -> _T:
    """What the function returns, in a process of its own where there is a time limit."""
    if timeout is None:
        return function()
    from resproof.proofs.workers import call

    return call(function, timeout)


def _tally(verdicts: Iterable[str]) -> str:
    from collections import Counter

    found = Counter(verdicts)
    return ", ".join(f"{number} {verdict}" for verdict, number in sorted(found.items())) or "no statements"
