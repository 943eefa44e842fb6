"""Inner widths of products, against the shapes that the product is made of."""

from resproof.architectures.forms.terms import COLUMN, ROW, Opaque
from resproof.symbolic.index.series import Sum, add, matrix_product, tensor, transpose
from resproof.symbolic.index.widths import inner_widths


def named(name: str, rows: str, cols: str) -> Sum:
    return tensor(Opaque(name, (rows, cols)), (ROW, COLUMN))


A, B, C = named("A", "d", "k"), named("B", "k", "l"), named("C", "l", "c")


def test_a_product() -> None:
    assert inner_widths(A) == frozenset()
    assert inner_widths(matrix_product(A, B, "k")) == {"k"}
    assert inner_widths(matrix_product(matrix_product(A, B, "k"), C, "l")) == {"k", "l"}


def test_transposed_factors() -> None:
    assert inner_widths(matrix_product(transpose(B), transpose(A), "k")) == {"k"}
    assert inner_widths(matrix_product(transpose(A), A, "d")) == {"d"}


def test_no_single_product() -> None:
    assert inner_widths(add(A, named("E", "d", "k"))) is None
    assert inner_widths({}) is None
    apart = matrix_product(matrix_product(A, transpose(A), "k"), A, "d")
    (((_, factors), _),) = apart.items()
    loose = {((), (*factors[:1], (factors[1][0], (5, 6)))): 1}
    assert inner_widths(loose) is None  # pyright: ignore[reportArgumentType]
