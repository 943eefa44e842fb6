"""The command line: `resproof report`, `resproof prove`, `resproof spectrum`, `resproof list`.

Exit status: 0 every result holds together, 1 a statement FAILED or the Hessian does not exist, 2 wrong use or bad
input, told in one line on stderr.
What a command needs is imported when it runs, so that `prove` waits for nothing that it does not use.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

if TYPE_CHECKING:
    from proofs.parts import Context, Statement
    from proofs.results import Result

HOLDS, FAILED, WRONG_USE, INTERRUPTED = 0, 1, 2, 130

app = typer.Typer(
    add_completion=False,
    no_args_is_help=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Proofs and numbers for the loss surface of residual networks where training starts.",
)

Done = Callable[["Result"], None]


def _whole_number(least: int) -> Callable[[str], int]:
    """A parser of whole numbers that are at least so large."""

    def parse(text: str) -> int:
        if not str(text).isdecimal() or int(text) < least:
            raise typer.BadParameter(f"{text}; expected a whole number, {least} or more")
        return int(text)

    return parse


_MEMORY = "Memory for intermediate values, such as 512M or 4G; more than it takes is refused."
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


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its status."""
    try:
        status = app(list(arguments) if arguments is not None else None, standalone_mode=False)
    except _usage_error() as error:
        _refuse(error.format_message())
    except (KeyboardInterrupt, typer.Abort):
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        sys.stdout = None
        sys.exit(HOLDS)
    except Exception as error:
        if not _is_bad_input(error):
            raise
        _refuse(str(error))
    sys.exit(status if isinstance(status, int) else HOLDS)


@app.command()
def report(
    out: Annotated[Path, typer.Option(help="Folder for REPORT.md and results.json.")] = Path("reports"),
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    data: Annotated[Path | None, typer.Option(help="An .npz file with X and Y; the digits otherwise.")] = None,
    seed: Annotated[int, typer.Option(parser=_whole_number(0), metavar="N", help="Seed of everything random.")] = 0,
    jobs: Annotated[int, typer.Option(parser=_whole_number(1), metavar="N", help="Number of processes.")] = 2,
    memory: Annotated[int | None, typer.Option(parser=_bytes, metavar="SIZE", help=_MEMORY)] = None,
) -> int:
    """Run every statement and write the report."""
    # The matrices are small and the processes several: BLAS threads would wait for each other. Read when NumPy loads.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from numeric.backend import device as find_device
    from proofs.statements import statements
    from reports.build import build

    chosen = find_device(device)
    context = _context(chosen.name, seed, data, memory)
    every = statements()
    with _progress(len(every)) as done:
        results = build(out, every, context, chosen.description, jobs=jobs, done=done, catalogue=True)
    typer.echo(f"{out / 'REPORT.md'}: {_tally(one.verdict for one in results.statements)}")
    return _status(one.verdict for one in results.statements)


@app.command()
def prove(
    only: Annotated[list[str] | None, typer.Option(help="The id of a statement; may be given again.")] = None,
    json: Annotated[str | None, typer.Option(metavar="PATH|-", help="Write the results there, - for stdout.")] = None,
    deep: Annotated[bool, typer.Option("--deep", help="Also the evidence at great depth, as in the report.")] = False,
) -> int:
    """Run statements and print their verdicts."""
    from proofs.runs import run_all
    from proofs.statements import find

    chosen = find(only or ())
    if json not in {None, "-"}:
        from reports.files import check_target

        check_target(Path(json or ""))
    with _progress(len(chosen)) as done:
        results = run_all(chosen, done=done, parts=("exact", "evidence", *(("deep",) if deep else ())))
    if json is not None:
        _write_json(json, chosen, results)
    if json != "-":
        for statement, result in zip(chosen, results, strict=True):
            typer.echo(_line(statement, result))
    return _status(result.verdict for result in results)


@app.command()
def spectrum(
    data: Annotated[Path, typer.Option(help="An .npz file with X and Y.")],
    units: Annotated[int, typer.Option(parser=_whole_number(1), metavar="R", help="Number of residual units.")],
    file: Annotated[str | None, typer.Argument(metavar="FILE.py:NAME", help="An expression in a file.")] = None,
    architecture: Annotated[
        str | None, typer.Option(metavar="NAME", help="From the catalogue, such as n-shortcut.")
    ] = None,
    setting: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="A parameter, or the size of a dimension.")
    ] = None,
    loss: Annotated[str, typer.Option(help="squared or cross-entropy.")] = "squared",
    seed: Annotated[int, typer.Option(parser=_whole_number(0), metavar="N", help="Of random initial weights.")] = 0,
    json: Annotated[str | None, typer.Option(metavar="PATH|-", help="Write the result there, - for stdout.")] = None,
) -> int:
    """Eigenvalues of the Hessian where training starts, with multiplicities, at any depth."""
    from proofs.analysis import NoHessianError
    from reports import spectrum as found

    if json not in {None, "-"}:
        from reports.files import check_target

        check_target(Path(json or ""))
    try:
        record = found.compute(file, architecture, setting or (), units, data, loss, seed)
    except NoHessianError as error:
        typer.echo(f"resproof: {error}", err=True)
        return FAILED
    if json is not None:
        _write_text(json, found.to_json(record))
    if json != "-":
        found.show(record)
    return HOLDS


@app.command()
def check(
    file: Annotated[str, typer.Argument(metavar="FILE.py:NAME", help="An expression in a file.")],
    data: Annotated[Path | None, typer.Option(help="An .npz file with X and Y; else the embedded digits.")] = None,
    loss: Annotated[str, typer.Option(help="squared or cross-entropy.")] = "squared",
    depth: Annotated[int, typer.Option(parser=_whole_number(1), metavar="N", help="Number of residual units.")] = 100,
    require: Annotated[
        list[str] | None,
        typer.Option(help="order>=K (derivatives 1..K vanish), depth-invariant or strict-saddle; else exit status 1."),
    ] = None,
    setting: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=NUMBER", help="The size of a dimension.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="A folder for a Markdown page with a figure.")] = None,
    seed: Annotated[int, typer.Option(parser=_whole_number(0), metavar="N", help="Of random initial weights.")] = 0,
    memory: Annotated[int | None, typer.Option(parser=_bytes, metavar="SIZE", help=_MEMORY)] = None,
    json: Annotated[str | None, typer.Option(metavar="PATH|-", help="Write the result there, - for stdout.")] = None,
) -> int:
    """What a residual block's loss surface looks like where training starts: exact, proved, and confirmed."""
    from reports import check as found
    from reports.files import check_target
    from reports.schema import to_json

    if json not in {None, "-"}:
        check_target(Path(json or ""))
    record = found.compute(file, setting or (), depth, data, loss, require or (), seed, memory)
    if out is not None:
        from reports.check_page import write_page

        write_page(out, record)
    if json is not None:
        _write_text(json, to_json(record))
    if json != "-":
        found.show(record)
    return HOLDS if record.holds and all(one.holds for one in record.requirements) else FAILED


@app.command()
def new(file: Annotated[Path, typer.Argument(metavar="FILE.py", help="The file to be made.")]) -> int:
    """Write a commented template of a block that passes `check`."""
    from reports.template_block import write_template

    write_template(file)
    typer.echo(f"{file}: written; next: resproof check {file}:block", err=True)
    return HOLDS


@app.command(name="list")
def list_() -> int:
    """List the statements: id and title."""
    from proofs.statements import statements

    for statement in statements():
        typer.echo(f"{statement.id:<12} {statement.title}")
    return HOLDS


def _context(device: str, seed: int, data: Path | None, memory: int | None) -> Context:
    from functools import partial

    from proofs.parts import Context

    if data is None:
        return Context(device, seed, memory=memory)
    from reports.data import read_npz

    return Context(device, seed, partial(read_npz, data), memory)


def _write_json(target: str, statements: Sequence[Statement], results: Sequence[Result]) -> None:
    from reports.schema import Proved, record, to_json

    records = tuple(record(statement, result) for statement, result in zip(statements, results, strict=True))
    _write_text(target, to_json(Proved(schema_version=1, statements=records)))


def _write_text(target: str, text: str) -> None:
    from reports.files import write

    if target == "-":
        typer.echo(text, nl=False)
    else:
        write({Path(target): text})


def _line(statement: Statement, result: Result) -> str:
    from proofs.scopes import widest

    scope = f" for {widest(result.scope)}" if result.scope else ""
    reason = f": {result.reason}" if result.reason else ""
    return f"{result.verdict:<8} {statement.id:<12} {statement.title}{scope}{reason} ({result.seconds:.2f} s)"


def _status(verdicts: Iterable[str]) -> int:
    return FAILED if "FAILED" in verdicts else HOLDS


def _tally(verdicts: Iterable[str]) -> str:
    from collections import Counter

    found = Counter(verdicts)
    return ", ".join(f"{number} {verdict}" for verdict, number in sorted(found.items())) or "no statements"


@contextmanager
def _progress(total: int) -> Generator[Done]:
    """A bar on stderr that advances with each result; nothing where stderr is no terminal."""
    if not sys.stderr.isatty() or total < 2:
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("statements", total=total)
        yield lambda result: bar.update(task, advance=1, description=result.id)


def _usage_error() -> Any:
    """The root of the errors that the argument parser itself raises: BadParameter, UsageError, ClickException."""
    return typer.BadParameter.__mro__[2]


def _is_bad_input(error: Exception) -> bool:
    from architectures.errors import ArchitectureError
    from numeric.backend import DeviceError
    from numeric.data import DataError
    from proofs.statements import UnknownStatementError
    from reports.files import OutputError

    return isinstance(error, ArchitectureError | DeviceError | DataError | UnknownStatementError | OutputError)


def _refuse(message: str) -> NoReturn:
    typer.echo(f"resproof: {' '.join(message.split())}", err=True)
    sys.exit(WRONG_USE)
