"""Whether a step's sizes are those of what it compares: both are made of one object, followed through the source.

In `Computed(value, sizes.of_terms(*found))` the value has to be made of `found` as well, or of what `found` is made of. A
value that shares no object with what says the sizes has them from something else, as 1 + 1 = 2 "for every network". Names
are followed through assignments, loops and the functions of a module. What is imported is an object where it is a constant
or is made without arguments, and a tool, as an engine is, where it is a function of what it is given.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TypeAlias

_Function: TypeAlias = ast.FunctionDef | ast.Lambda
_Around: TypeAlias = tuple[_Function, ...]
_Place: TypeAlias = tuple[_Function | None, str]
"""A name, and the function that binds it; none where the module does, or what it imports from."""
_Made: TypeAlias = dict[str, list[ast.expr]]
"""What each name is made of: the expressions that are bound to it, run over for it or added to it."""

_FIXED = frozenset({"Scope", "Scope.over", "Scope.of"})
"""What makes a scope of numbers, which a step says itself."""
_CONTEXT = ("_", "context")


def require_own_sizes(source: str) -> None:
    """Pass when each value in a source has the sizes of something that it is made of, or numbers.

    Raises:
        ValueError: one has not; the message says where.
        SyntaxError: the source is no Python.
    """
    module = _Module(ast.parse(source))
    for call, around in _calls(module.tree, ()):
        if (sized := _sized(call)) is None or module.is_fixed(sized[1]):
            continue
        if module.objects(sized[0], around).isdisjoint(module.objects(sized[1], around)):
            value, scope = map(ast.unparse, sized)
            raise ValueError(
                f"line {call.lineno}: {value} with the sizes {scope}; expected those of what it is made of"
            )


def _calls(node: ast.AST, around: _Around) -> Iterator[tuple[ast.Call, _Around]]:
    """Each call, with the functions that it stands in."""
    if isinstance(node, ast.Call):
        yield node, around
    inner = (*around, node) if isinstance(node, _Function) else around
    for child in ast.iter_child_nodes(node):
        yield from _calls(child, inner)


def _sized(call: ast.Call) -> tuple[ast.expr, ast.expr] | None:
    """The value and the scope of `Computed(value, scope)` or of `replace(computed, scope=scope)`.

    None where both are unpacked from one object.
    """
    given = {one.arg: one.value for one in call.keywords}
    value = call.args[0] if call.args else given.get("value")
    match ast.unparse(call.func).rpartition(".")[2]:
        case "Computed":
            scope = call.args[1] if len(call.args) > 1 else given.get("scope")
        case "replace":
            scope = given.get("scope")
        case _:
            return None
    return None if value is None or scope is None or isinstance(value, ast.Starred) else (value, scope)


class _Module:
    """What the names of a module are made of."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.functions = {one.name: one for one in tree.body if isinstance(one, ast.FunctionDef | ast.ClassDef)}
        self.made = _bindings([one for one in tree.body if not isinstance(one, ast.FunctionDef | ast.ClassDef)])
        self._locals: dict[_Function, _Made] = {}

    def is_fixed(self, scope: ast.expr) -> bool:
        """Whether it is made of numbers, here or where its name is."""
        if isinstance(scope, ast.Name) and len(self.made.get(scope.id, ())) == 1:
            (scope,) = self.made[scope.id]
        return isinstance(scope, ast.Call) and ast.unparse(scope.func) in _FIXED

    def objects(self, expression: ast.expr, around: _Around) -> set[_Place]:
        """The objects that an expression is made of; of those within functions, the ones of the functions around it."""
        found = set[_Place]()
        todo: list[tuple[ast.AST, _Around]] = [(expression, around)]
        while todo:
            node, inside = todo.pop()
            for one in ast.walk(node):
                if isinstance(one, ast.Call) and not (one.args or one.keywords):
                    found.add((None, ast.unparse(one)))
                if isinstance(one, ast.Name):
                    place, parts, where = self._look_up(one.id, inside)
                    todo += [] if place in found else [(part, where) for part in parts]
                    found.add(place)
        return {
            (f, name) for f, name in found if (f in around if f else self._is_object(name)) and name not in _CONTEXT
        }

    def _look_up(self, name: str, around: _Around) -> tuple[_Place, Iterable[ast.AST], _Around]:
        """Where a name is bound, what it is made of there, and the functions around that."""
        for depth in range(len(around), 0, -1):
            if name in (made := self._made_in(around[depth - 1])):
                return (around[depth - 1], name), made[name], around[:depth]
        if body := self.functions.get(name):
            return (None, name), ast.iter_child_nodes(body), (body,) if isinstance(body, ast.FunctionDef) else ()
        return (None, name), self.made.get(name, ()), ()

    def _made_in(self, function: _Function) -> _Made:
        """What the names that a function binds are made of; its parameters of nothing."""
        if function not in self._locals:
            body = function.body if isinstance(function, ast.FunctionDef) else [function.body]
            given = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
            given += [one for one in (function.args.vararg, function.args.kwarg) if one]
            self._locals[function] = {**{one.arg: [] for one in given}, **_bindings(body)}
        return self._locals[function]

    def _is_object(self, name: str) -> bool:
        """A constant, here or imported, or what is made without arguments."""
        return name in self.made or (name.isupper() and name not in self.functions) or name.endswith("()")


def _bindings(nodes: Iterable[ast.AST]) -> _Made:
    made = defaultdict[str, list[ast.expr]](list)
    for node in (inner for one in nodes for inner in ast.walk(one)):
        for target, value in _bound(node):
            for name in ast.walk(target):
                if isinstance(name, ast.Name):
                    made[name.id].append(value)
    return dict(made)


def _unpacked(target: ast.expr, value: ast.expr) -> Iterable[tuple[ast.expr, ast.expr]]:
    """a and b, each with what it is made of, in a, b = x, y."""
    match target, value:
        case ast.Tuple(elts=names), ast.Tuple(elts=values) if len(names) == len(values):
            return zip(names, values, strict=True)
        case _:
            return ((target, value),)


def _bound(node: ast.AST) -> Iterator[tuple[ast.AST, ast.expr]]:
    match node:
        case ast.Assign():
            yield from (pair for target in node.targets for pair in _unpacked(target, node.value))
        case ast.AugAssign() | ast.NamedExpr():
            yield node.target, node.value
        case ast.AnnAssign(value=ast.expr() as value):
            yield node.target, value
        case ast.For() | ast.comprehension():
            yield node.target, node.iter
        case ast.withitem(optional_vars=ast.expr() as target):
            yield target, node.context_expr
        case ast.Call(func=ast.Attribute(value=ast.Name() as changed)):  # found.append(one)
            yield from ((changed, argument) for argument in node.args)
        case _:
            return
