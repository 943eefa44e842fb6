"""One statement in a fresh interpreter: `python run_statement.py ID PART`, the packages lying beside this file.

Prints one JSON line: the verdict, its reason, and for each step that failed how it failed:

    "disagreement"         the computed object differs from the claim, or a measurement exceeds its bound
    "accepted neighbour"   a neighbouring falsehood passed
    "TypeError" and so on  the argument raised

Used by `tests/test_mutants.py`, which copies this file and the packages to another folder.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path

from proofs import verdict as verdicts
from proofs.registry import find
from proofs.results import Outcome

_attempt = verdicts._attempt


def main(id_: str, part: verdicts.Part) -> None:
    """Print the outcome of one part of a statement."""
    here = Path(__file__).resolve().parent
    assert Path(verdicts.__file__).resolve().is_relative_to(here), f"{verdicts.__file__} is not beside {here}"
    failures: list[str] = []

    def noting(action: Callable[[], None]) -> tuple[Outcome, str]:
        def noted() -> None:
            try:
                action()
            except verdicts.Unavailable:
                raise
            except BaseException as error:
                failures.append(_kind(error))
                raise

        return _attempt(noted)

    verdicts._attempt = noting
    result = verdicts.run(find([id_])[0], parts=(part,))
    json.dump({"verdict": result.verdict, "reason": result.reason, "failures": failures}, sys.stdout)


def _kind(error: BaseException) -> str:
    if isinstance(error, verdicts.Disagreement):
        return "disagreement"
    accepted = isinstance(error, AssertionError) and str(error).endswith("was accepted")
    return "accepted neighbour" if accepted else type(error).__name__


if __name__ == "__main__":
    _, statement, offered = sys.argv
    main(statement, offered)  # pyright: ignore[reportArgumentType]
