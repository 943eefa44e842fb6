"""One more unit after any number of them, against units composed one by one; which sizes are free."""

from __future__ import annotations

import pytest

from resproof.symbolic.index.branches import TENSORS, hessian_forms, one_more, sizes
from resproof.symbolic.index.claims import parse
from resproof.symbolic.index.lift import relabel_unit
from resproof.symbolic.index.series import Sum, add, substitute

FIRST_UNIT = parse("T1[i,a,u] * dw(1)[a]", TENSORS, {"i": -1, "u": -2})


@pytest.mark.parametrize("vanishing", [frozenset[str](), frozenset({"T1"}), frozenset({"S1"})])
def test_a_second_unit_adds_d_and_a_of_two_units(vanishing: frozenset[str]) -> None:
    forms = hessian_forms(2, vanishing)
    added = substitute(one_more(vanishing=vanishing).loss, TENSORS["x"], FIRST_UNIT)
    assert added == add(relabel_unit(forms[1, 1], 1, 2), forms[1, 2])


def test_branches_side_by_side_meet_at_order_one_alone() -> None:
    def both(form: Sum) -> bool:
        return any({"dw(2)", "dv(2)"} <= {t.label for t, _ in factors} for _, factors in form)

    assert both(one_more(("wv",)).loss)
    assert not both(one_more(("wv",), frozenset({"T1"})).loss)
    assert not both(one_more(("wv", "z"), frozenset({"T1"})).loss)


def test_layers_one_after_the_other_are_like_units() -> None:
    one, two = one_more(("w", "v")), one_more(("wv",))
    assert one.first == two.first
    assert one.loss != two.loss


def test_the_number_of_units_is_free_where_units_before_are_arbitrary() -> None:
    added = one_more()
    assert sizes(added.loss).free == ("d", "p", "m")
    assert sizes(*added.before, added.loss).free == ("R", "d", "p", "m")
    assert sizes(hessian_forms(3)[1, 2]).free == ("d", "p", "m")
