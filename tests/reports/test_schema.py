import json
from dataclasses import replace

import pytest
from pydantic import ValidationError

from resproof.proofs.verdict import run
from resproof.reporting.schema import SCHEMA, Results, ledger
from resproof.reporting.statement_record import Proved, record
from tests.proofs.toys import TOYS, floating, returns, toy


def test_the_shipped_schema_is_current() -> None:
    assert SCHEMA.read_text() == Results.described(), "run python -m resproof.reporting.schema"


def test_json_round_trip(results: Results) -> None:
    assert Results.model_validate_json(results.to_json()) == results


def test_a_statement_has_what_other_programs_read(results: Results) -> None:
    first = json.loads(results.to_json())["statements"][0]
    assert {"id", "verdict", "scope", "evidence"} <= set(first)
    assert first["evidence"][0]["measurements"][0]["bound"] == 1e-12


def test_every_toy_is_there_in_order(results: Results) -> None:
    assert [one.id for one in results.statements] == [one.id for one in TOYS]


def test_unknown_keys_are_refused() -> None:
    with pytest.raises(ValidationError):
        Proved.model_validate({"schema_version": 2, "statements": [], "verdict": "PROVED"})


def test_a_failed_measurement_that_is_no_number_stays_valid_json() -> None:
    broken = toy("T", evidence=(replace(floating, compute=returns(float("nan"))),))
    text = Proved(schema_version=2, statements=(record(broken, run(broken)),)).to_json()
    assert Proved.model_validate_json(text).statements[0].verdict == "ERROR"
    json.loads(text, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))


def test_the_ledger_names_each_id_once_and_all_that_is_asked() -> None:
    ids = [entry.id for entry in ledger().entries]
    assert len(ids) == len(set(ids))
    assert {*ledger().asked, *ledger().findings} <= set(ids)
    errata = [entry for entry in ledger().entries if entry.erratum_of]
    assert [entry.id for entry in errata] == ["DR-T1b"]
    assert {entry.erratum_of for entry in errata} <= set(ids)
