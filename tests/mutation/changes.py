"""What is changed: kinds of small changes, each found by `ast` and made in the text, all else as it was."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, TypeAlias

Place: TypeAlias = tuple[int, int]
"""Where a piece of text begins and ends, in characters."""
Edit: TypeAlias = tuple[ast.AST, Place, str]
"""The node whose lines have to run, the text that goes and what comes in its place."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change of one file; `lines` are those of what is changed, `called` says whether they lie in a function."""

    kind: str
    file: str
    lines: Place
    called: bool
    place: Place
    new: str

    def applied(self, source: str) -> str:
        """The file with the change."""
        return source[: self.place[0]] + self.new + source[self.place[1] :]

    def rows(self, source: str) -> tuple[str, str]:
        """The rows of the file that it touches, before and after, without what stands around them."""
        begin = source.rfind("\n", 0, self.place[0]) + 1
        end = source.find("\n", self.place[1])
        end = len(source) if end < 0 else end
        before, after = source[begin : self.place[0]], source[self.place[1] : end]
        return source[begin:end].strip(), f"{before}{self.new}{after}".strip()


@dataclass
class Source:
    """A file's text and tree, with places in characters: `ast` counts columns in bytes."""

    text: str
    tree: ast.Module = field(init=False)
    statements: frozenset[str] = field(init=False)
    """What is imported from the modules that define statements."""

    def __post_init__(self) -> None:
        self.tree = ast.parse(self.text)
        self._rows = self.text.splitlines(keepends=True)
        self._begins = [0]
        for row in self._rows:
            self._begins.append(self._begins[-1] + len(row))
        self.statements = frozenset(
            name.name
            for node in ast.walk(self.tree)
            if isinstance(node, ast.ImportFrom) and node.module in {"proofs.statement", "proofs.verdict"}
            for name in node.names
        )

    def at(self, line: int, column: int) -> int:
        """A line and column of `ast` in characters."""
        return self._begins[line - 1] + len(self._rows[line - 1].encode()[:column].decode())

    def place(self, node: Any) -> Place:
        """Where a node stands, without parentheses around it."""
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno, node.end_col_offset)

    def of(self, node: ast.AST) -> str:
        """The text of a node."""
        begin, end = self.place(node)
        return self.text[begin:end]

    def operator(self, left: ast.AST, right: ast.AST) -> Place:
        """Where the operator between two operands stands."""
        begin, end = self.place(left)[1], self.place(right)[0]
        words = [found for found in _WORDS.finditer(self.text, begin, end) if found[1]]
        return words[0].start(), words[-1].end()


_WORDS = re.compile(r"#[^\n]*|[()\s\\]+|([^\s()#\\]+)")
"""Between two operands: comments, parentheses and space; what is left is the operator."""


# Arithmetic, comparisons, numbers.

_OPERATORS: Mapping[type[ast.AST], str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "+",
    ast.Div: "*",
    ast.FloorDiv: "%",
    ast.Mod: "//",
    ast.Pow: "*",
    ast.BitAnd: "|",
    ast.BitOr: "&",
}
_COMPARISONS: Mapping[type[ast.AST], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Is: "is not",
    ast.IsNot: "is",
    ast.In: "not in",
    ast.NotIn: "in",
}


def _arithmetic(source: Source, node: ast.AST) -> Iterator[Edit]:
    """Another operator; operands of a matrix product exchanged; a sign lost."""
    match node:
        case ast.BinOp(op=ast.MatMult()):
            yield node, source.place(node), f"({source.of(node.right)}) @ ({source.of(node.left)})"
        case ast.BinOp() if not any(map(_is_text, (node.left, node.right))):
            if new := _OPERATORS.get(type(node.op)):
                yield node, source.operator(node.left, node.right), new
        case ast.AugAssign():
            if new := _OPERATORS.get(type(node.op)):
                yield node, source.operator(node.target, node.value), f"{new}="
        case ast.UnaryOp(op=ast.USub()):
            begin = source.place(node)[0]
            yield node, (begin, begin + 1), ""
        case _:
            pass


def _comparison(source: Source, node: ast.AST) -> Iterator[Edit]:
    """The bound itself let in or kept out; equal and unequal exchanged."""
    if isinstance(node, ast.Compare):
        operands = [node.left, *node.comparators]
        for left, op, right in zip(operands, node.ops, operands[1:], strict=False):
            yield node, source.operator(left, right), _COMPARISONS[type(op)]


def _constant(source: Source, node: ast.AST) -> Iterator[Edit]:
    """A whole number one more and one less."""
    if isinstance(node, ast.Constant) and type(node.value) is int:
        for new in (node.value + 1, node.value - 1):
            yield node, source.place(node), str(new) if new >= 0 else f"({new})"


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


# Calls.

_EVEN = {
    "readable",
    "min",
    "max",
    "isinstance",
    "issubclass",
    "gcd",
    "lcm",
    "identical",
    "hypot",
    "zip",
    "getattr",
    "hasattr",
    "add",
    "multiply",
    "multiply_sums",
    "of_symbols",
    "of_terms",
    "word_sizes",
}
"""Calls whose arguments may change places, or may not at all."""
_EVEN_BEHIND_THE_FIRST = {"sizes", "sizes_of_words"}
"""Calls of which all arguments behind the first may: the sizes of several words together."""
_TRANSPOSES = {"transpose", "transposed", "matrix_transpose", "swapaxes"}
_EXTREMES = {
    "min": "max",
    "max": "min",
    "minimum": "maximum",
    "maximum": "minimum",
    "any": "all",
    "all": "any",
    "argmin": "argmax",
    "argmax": "argmin",
}


def _called(node: ast.Call) -> str:
    """The last name of what is called."""
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _swapped(source: Source, node: ast.AST) -> Iterator[Edit]:
    """Two arguments that follow each other change places."""
    if not isinstance(node, ast.Call) or _called(node) in _EVEN:
        return
    args = node.args[: 2 if _called(node) in _EVEN_BEHIND_THE_FIRST else None]
    for left, right in pairwise(args):
        if not any(_is_text(one) or isinstance(one, ast.Starred) for one in (left, right)):
            (begin, middle), (after, end) = source.place(left), source.place(right)
            yield node, (begin, end), source.of(right) + source.text[middle:after] + source.of(left)


def _transpose(source: Source, node: ast.AST) -> Iterator[Edit]:
    """What was to be transposed, as it is."""
    match node:
        case ast.Attribute(attr="T" | "mT"):
            yield node, _after(source, node), ""
        case ast.Call(func=ast.Attribute() as func, args=[]) if func.attr in _TRANSPOSES:
            yield node, (_after(source, func)[0], source.place(node)[1]), ""
        case ast.Call(args=[first, *_]) if _called(node) in _TRANSPOSES:
            yield node, source.place(node), f"({source.of(first)})"
        case _:
            pass


def _after(source: Source, node: ast.Attribute) -> Place:
    """The dot and the name of an attribute."""
    begin, end = source.place(node.value)[1], source.place(node)[1]
    return source.text.index(".", begin, end), end


def _extreme(source: Source, node: ast.AST) -> Iterator[Edit]:
    """The greatest for the least, any for all."""
    if isinstance(node, ast.Name | ast.Attribute):
        name = node.id if isinstance(node, ast.Name) else node.attr
        if new := _EXTREMES.get(name):
            end = source.place(node)[1]
            yield node, (end - len(name), end), new


# Conditions and the flow of a function.


def _condition(source: Source, node: ast.AST) -> Iterator[Edit]:
    """A condition turned round."""
    match node:
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test) | ast.Assert(test=test):
            tests = [test]
        case ast.comprehension(ifs=tests):
            pass
        case _:
            return
    for test in tests:
        if not (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)):
            yield test, source.place(test), f"not ({source.of(test)})"


def _not(source: Source, node: ast.AST) -> Iterator[Edit]:
    """A negation lost."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        begin = source.place(node)[0]
        yield node, (begin, begin + len("not ")), ""


def _return(source: Source, node: ast.AST) -> Iterator[Edit]:
    """A function that ends early: one without a value before any statement, another with what it has so far."""
    if not isinstance(node, ast.FunctionDef):
        return
    own = list(_own(node.body))
    values = [one for one in own if isinstance(one, ast.Return) and one.value is not None]
    if not values:
        for one in own:
            if not isinstance(one, ast.Return | ast.Raise | ast.Pass | ast.Nonlocal | ast.Global) and not _is_doc(one):
                yield one, _before(source, one), _leave(source, one, "")
        return
    match node.body[-1]:
        case ast.Return(value=ast.Name(id=name)) if len(values) == 1:
            known = False
            for one in node.body[:-1]:
                if known:
                    yield one, _before(source, one), _leave(source, one, f" {name}")
                targets = one.targets if isinstance(one, ast.Assign) else []
                known = known or any(isinstance(each, ast.Name) and each.id == name for each in targets)
                known = known or (
                    isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name) and one.target.id == name
                )
        case _:
            pass


def _own(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a function, not those of functions in it."""
    for one in body:
        yield one
        if not isinstance(one, ast.FunctionDef | ast.ClassDef):
            for name in ("body", "orelse", "finalbody"):
                yield from _own(getattr(one, name, []))


def _is_doc(one: ast.stmt) -> bool:
    return isinstance(one, ast.Expr) and _is_text(one.value)


def _before(source: Source, one: ast.stmt) -> Place:
    begin = source.place(one)[0]
    return begin, begin


def _leave(source: Source, one: ast.stmt, value: str) -> str:
    return f"return{value}\n{' ' * one.col_offset}"


# What is offered for a statement.

_BOUNDS = re.compile(r"bound|tolerance|slack")
_NO_NUMBER = re.compile(r"\b(bool|Measurement)\b")
"""What functions return that are called bounds and multiply into something else."""
_NEIGHBOURS = {"Argument": 4, "hessian_arguments": 2, "identity_modulo": 3, "observed_product": 3, "observed_order": 4}
"""The place of the neighbouring falsehoods among the arguments of what makes an argument in proofs/."""
_EVIDENCE = {"floating point", "modular"}
_CERTIFICATES = {"at_least_zero", "above_zero", "identical"}


def _argument(node: ast.Call, position: int, name: str) -> Iterator[ast.expr]:
    """An argument by its position or its name."""
    if len(node.args) > position and not any(isinstance(one, ast.Starred) for one in node.args[: position + 1]):
        yield node.args[position]
    yield from (one.value for one in node.keywords if one.arg == name)


def _bound(source: Source, node: ast.AST) -> Iterator[Edit]:
    """A bound a million times as large."""
    match node:
        case ast.Call() if _called(node) == "Measurement":
            found = list(_argument(node, 2, "bound"))
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if _BOUNDS.search(name):
            found = [value]
        case ast.FunctionDef(name=name, returns=told) if _BOUNDS.search(name) and not _NO_NUMBER.search(_text(told)):
            found = [one.value for one in _own(node.body) if isinstance(one, ast.Return) and one.value is not None]
        case _:
            return
    for one in found:
        # A million times nothing is nothing.
        if not isinstance(one, ast.Lambda) and not (isinstance(one, ast.Constant) and not one.value):
            yield one, source.place(one), f"({source.of(one)}) * 10**6"


def _text(annotation: ast.expr | None) -> str:
    return ast.unparse(annotation) if annotation else ""


def _says(annotation: ast.expr | None, name: str) -> bool:
    return isinstance(annotation, ast.Name) and annotation.id == name


def _certificate(source: Source, node: ast.AST) -> Iterator[Edit]:
    """A check of a certificate switched off."""
    if isinstance(node, ast.Call) and _called(node) in _CERTIFICATES:
        yield node, source.place(node), "None"


def _hypothesis(source: Source, node: ast.AST) -> Iterator[Edit]:
    """A hypothesis or a condition that always holds."""
    for one in _predicates(source, node):
        yield one, source.place(one), "(lambda *_: True)"


def _strawman(source: Source, node: ast.AST) -> Iterator[Edit]:
    """A hypothesis, a condition or a printed conclusion of which nothing is an instance."""
    found = [*_predicates(source, node)]
    # On evidence routes a printed conclusion is a number or a formula, and what differs from it as false.
    if isinstance(node, ast.Call) and _called(node) == "Argument" and not _routes(node) & _EVIDENCE:
        printed = (_without_examples(one) for some in _argument(node, 4, "neighbours") for one in _printed(some))
        # Names of constants are those of values, others of functions.
        found += [
            one for one in printed if isinstance(one, ast.Lambda) or (isinstance(one, ast.Name) and one.id.islower())
        ]
    for one in found:
        yield one, source.place(one), "(lambda *_: False)"


def _without_examples(node: ast.expr) -> ast.expr:
    match node:
        case ast.Call(func=ast.Call() as made, args=[predicate]) if _called(made) == "property_of":
            return predicate
        case _:
            return node


def _routes(node: ast.Call) -> set[object]:
    return {one.value for one in _argument(node, 1, "route") if isinstance(one, ast.Constant)}


def _predicates(source: Source, node: ast.AST) -> Iterator[ast.expr]:
    name = {"Hypothesis": "predicate", "Condition": "holds"}
    if isinstance(node, ast.Call) and (called := _called(node)) in name and called in source.statements:
        yield from _argument(node, 1 if called == "Hypothesis" else 0, name[called])


def _evidence(source: Source, node: ast.AST) -> Iterator[Edit]:
    """A measured value that is zero."""
    if isinstance(node, ast.Call) and _called(node) == "Measurement":
        for one in _argument(node, 1, "value"):
            yield one, source.place(one), f"0 * ({source.of(one)})"


def _scope(source: Source, node: ast.AST) -> Iterator[Edit]:
    """A size that ran over a list, no longer said."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="Scope"), attr="over"), args=[]):
            sizes = [source.place(one) for one in node.keywords]
            for k, (one, (begin, end)) in enumerate(zip(node.keywords, sizes, strict=True)):
                first, last = (begin, sizes[k + 1][0]) if k + 1 < len(sizes) else (sizes[k - 1][1] if k else begin, end)
                if one.arg is not None:
                    yield node, (first, last), ""
        case _:
            pass


KINDS: Mapping[str, Callable[[Source, ast.AST], Iterator[Edit]]] = {
    "arithmetic": _arithmetic,
    "comparison": _comparison,
    "constant": _constant,
    "swapped": _swapped,
    "transpose": _transpose,
    "extreme": _extreme,
    "condition": _condition,
    "not": _not,
    "return": _return,
    "bound": _bound,
    "certificate": _certificate,
    "hypothesis": _hypothesis,
    "strawman": _strawman,
    "evidence": _evidence,
    "scope": _scope,
}


# All changes of a file.

_TEXTS = {"shown", "latex", "explanation", "sentence", "title", "derivation", "notes", "name"}
"""Keyword arguments and variables that are shown and compared with nothing."""
_PICTURES = {"picture", "show"}
"""Those that draw or write out an instance, which decides nothing."""
_SHOWN = re.compile(r"latex|^_?shown?_|^_shown$")
"""Functions that make such a text."""


def changes(file: str, text: str, kinds: tuple[str, ...] = tuple(KINDS)) -> list[Change]:
    """Every change of these kinds of one file, in the order of the file."""
    source = Source(text)
    found: list[Change] = []
    for node, called in _walk(source.tree, called=False, false=_false_parts(source.tree)):
        for kind in kinds:
            for where, place, new in KINDS[kind](source, node):
                if source.text[place[0] : place[1]] != new:
                    within = called or isinstance(node, ast.FunctionDef)
                    found.append(Change(kind, file, _lines(where), within, place, new))
    return found


def _lines(node: Any) -> Place:
    """The lines of an expression; the first one of a statement, which may hold others."""
    return node.lineno, node.lineno if isinstance(node, ast.stmt) else node.end_lineno


def _walk(node: ast.AST, *, called: bool, false: frozenset[ast.AST] = frozenset()) -> Iterator[tuple[ast.AST, bool]]:
    """The nodes that compute, and whether they do when a function is called rather than where a module is imported.

    `false` are the parts that make falsehoods alone. A decorator says how a function is kept, not what it is.
    """
    if _only_told(node) or node in false:
        return
    yield node, called
    told = _told_by_place(node)
    for name, value in ast.iter_fields(node):
        if name not in {"annotation", "returns", "decorator_list"}:
            within = called or (name == "body" and isinstance(node, ast.FunctionDef | ast.Lambda))
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and child is not told:
                    yield from _walk(child, called=within, false=false)


def _false_parts(tree: ast.Module) -> frozenset[ast.AST]:
    """The neighbours that come to an argument by a name, and the private functions that make falsehoods alone.

    What is printed is a neighbour that says something: another is not as good.
    """
    false = frozenset(_named_neighbours(tree))
    private = {one.name: one for one in tree.body if isinstance(one, ast.FunctionDef) and one.name.startswith("_")}
    every = _names(ast.walk(tree), private)
    wanted = private.keys() - _names((each for one in _printed(tree) for each in ast.walk(one)), private)
    while True:
        # What is still walked through with those left out names each function that is used otherwise.
        used = _names((node for node, _ in _walk(tree, called=False, false=false)), private)
        more = false | {private[name] for name in wanted if name in every and name not in used}
        if more == false:
            return false
        false = more


def _named_neighbours(tree: ast.Module) -> Iterator[ast.AST]:
    """The values of dictionaries that reach an argument's neighbours by a name: a parameter, or an assigned one."""
    functions = {one.name: one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef)}
    calls = [one for one in ast.walk(tree) if isinstance(one, ast.Call)]
    within = {id(node): one for one in functions.values() for node in ast.walk(one)}
    waiting = [(within.get(id(call)), each) for call in calls for each in _neighbours(call)]
    seen = set[int]()
    while waiting:
        function, one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        match one:
            case ast.Dict():
                for key, value in zip(one.keys, one.values, strict=True):
                    if key is None:
                        waiting.append((function, value))
                    elif not _is_printed(key):
                        yield value
            case ast.Name(id=name):
                place = _parameter(function, name)
                if function is None or place is None:
                    body = ast.walk(function) if function else iter(tree.body)
                    waiting += [(function, value) for value in _assigned(body, name)]
                    waiting += [(None, value) for value in _assigned(tree.body, name)] if function else []
                else:
                    named = [call for call in calls if _called(call) == function.name]
                    waiting += [(within.get(id(call)), each) for call in named for each in _argument(call, place, name)]
            case _:
                pass


def _neighbours(call: ast.Call) -> Iterator[ast.expr]:
    if place := _NEIGHBOURS.get(_called(call)):
        yield from _argument(call, place, "neighbours")


def _parameter(function: ast.FunctionDef | None, name: str) -> int | None:
    """The place of a parameter; those that are given by their name alone come after all others."""
    given = [one.arg for one in (*function.args.args, *function.args.kwonlyargs)] if function else []
    return given.index(name) if name in given else None


def _assigned(nodes: Iterable[ast.AST], name: str) -> Iterator[ast.expr]:
    for one in nodes:
        match one:
            case ast.Assign(targets=[ast.Name(id=found)], value=value) if found == name:
                yield value
            case ast.AnnAssign(target=ast.Name(id=found), value=ast.expr() as value) if found == name:
                yield value
            case _:
                pass


def _is_printed(key: ast.expr) -> bool:
    return isinstance(key, ast.Name) and key.id == "PRINTED"


def _printed(tree: ast.AST) -> Iterator[ast.expr]:
    """What stands for the printed conclusion among neighbours."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if key is not None and _is_printed(key):
                    yield value


def _names(nodes: Iterable[ast.AST], wanted: Collection[str]) -> set[str]:
    """Which of these names are read there."""
    return {one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load) and one.id in wanted}


def _told_by_place(node: ast.AST) -> ast.expr | None:
    """The neighbours that an argument is given by their place, and what is shown of what is computed."""
    match node:
        case ast.Call() if _called(node) in _NEIGHBOURS:
            return next(_neighbours(node), None)
        case ast.Call(args=[_, _, told, *_]) if _called(node) == "Computed":
            return told
        case _:
            return None


def _only_told(node: ast.AST) -> bool:
    """Whether a node is text, a type, a falsehood or an example: messages, imports, annotations, neighbours."""
    match node:
        case ast.Raise() | ast.JoinedStr() | ast.Import() | ast.ImportFrom():
            return True
        case ast.AnnAssign(annotation=told) if _says(told, "TypeAlias"):
            return True
        case ast.keyword(arg=str(name)):
            # Another falsehood is as false, another object to be rejected or accepted as good.
            return name in _TEXTS | _PICTURES | {"neighbours", "fails_on", "holds_on"}
        case ast.Call():
            return _called(node) == "property_of"
        case ast.FunctionDef(name=name):
            return bool(_SHOWN.search(name))
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return "neighbour" in name.lower() or name in _TEXTS - {"name"}
        case _:
            return False
