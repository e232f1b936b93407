"""Translator from Python to JavaScript, so that no algorithm is written twice for the page *Try*.

It translates formulas of constants, and calls of kernels. A function may have arithmetic, conditions, assignments
and calls. Functions that it calls are translated too. Kernels are not, because the page has them as WebAssembly,
nor the names in `JAVASCRIPT_NAMES`, which `try_worker.js` has. Anything else is refused, and the page then says so.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import json
import math
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from dpbandits.core import mathematics
from dpbandits.core.compiled import Kernel
from dpbandits.settings.adversarial.conversion import bases
from dpbandits.settings.linear.elimination import eliminate
from dpbandits.settings.stochastic.batches import cumulative_pulls, polynomial_pulls

# What JavaScript, the worker or the WebAssembly module have under a name of their own.
JAVASCRIPT_NAMES: Mapping[Any, str] = {
    **{getattr(mathematics, name): f"own.{name}" for name in ("log", "log2", "log1p", "exp", "expm1", "cbrt")},
    **{math.sqrt: "Math.sqrt", math.ceil: "Math.ceil"},
    **{
        mathematics.power: "own.pow",
        math.floor: "Math.floor",
        min: "Math.min",
        max: "Math.max",
        abs: "Math.abs",
        int: "Math.trunc",
    },
    **{float: "Number", round: "own.round", range: "own.range", bool: "Boolean"},
    **{
        np.ceil: "Math.ceil",
        np.maximum: "Math.max",
        np.full: "own.full",
        np.mean: "own.mean",
        np.square: "own.square",
    },
    **{bases: "own.bases", eliminate: "own.eliminate"},
    **{cumulative_pulls: "own.cumulativePulls", polynomial_pulls: "own.polynomialPulls"},
}
OPERATORS: Mapping[type[ast.AST], str] = {
    **{ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"},
    **{ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "===", ast.NotEq: "!=="},
    **{ast.Is: "===", ast.IsNot: "!==", ast.And: "&&", ast.Or: "||"},
    **{ast.USub: "-", ast.UAdd: "+", ast.Not: "!"},
}
# Methods that numbers and records of the page do not have: `x.method(...)` becomes `own.name(x, ...)`.
METHODS = {"get": "own.get", "astype": "own.whole"}


class NotTranslated(Exception):
    """Error of a Python function that cannot be translated; its text names the expression, or another reason."""


@dataclasses.dataclass(frozen=True)
class Call:
    """A kernel's call in Python code that is translated to JavaScript, with its number of arguments.

    ``kernel`` is a `dpbandits.core.compiled.Kernel`.
    """

    kernel: Any
    argument_count: int

    @property
    def name(self) -> str:
        """The kernel's name on the page, from module, function and number: ``stochastic_divergences__kl__2``."""
        function = self.kernel.py_func
        module = function.__module__.removeprefix("dpbandits.settings.").replace(".", "_")
        return f"{module}__{function.__qualname__}__{self.argument_count}"


class Translator:
    """Translator of Python functions to JavaScript; it collects each function once, and the kernels they call.

    Attributes
    ----------
    functions
        JavaScript of the functions translated so far, by name.
    calls
        The calls of kernels (compiled simulations) in them, by name.
    """

    def __init__(self) -> None:
        self.functions: dict[str, str] = {}
        self.calls: dict[str, Call] = {}

    def function(self, function: Callable[..., Any]) -> str:
        """Translate a function and all functions that it calls, and return its name in JavaScript.

        Raises
        ------
        NotTranslated
            If something in it cannot be translated, or it is a closure: it keeps values of the function that made
            it.
        """
        if not isinstance(function, FunctionType):
            raise NotTranslated(f"{function!r} is no function of Python")
        if function.__closure__:
            raise NotTranslated(f"{function.__qualname__} is made by another function")
        module = function.__module__.removeprefix("dpbandits.").replace(".", "_")
        name = f"{module}__{function.__qualname__.replace('.', '__')}"
        if name not in self.functions:
            self.functions[name] = ""
            try:
                (tree,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
                if not isinstance(tree, ast.FunctionDef):
                    raise NotTranslated(f"{function.__qualname__} is no function")
                self.functions[name] = _Body(self, function.__globals__).function(tree, name)
            except NotTranslated:
                del self.functions[name]
                raise
        return name

    def formula(self, formula: Callable[..., Any]) -> str:
        """Translate the function that computes a parameter's default, and return it as a JavaScript expression.

        The expression of a module's function is its name. A closure, such as ``multiple(2.0)`` returns, is written
        out in place, with the numbers that it keeps. `NotTranslated` is raised for what cannot be translated.
        """
        if not isinstance(formula, FunctionType) or not formula.__closure__:
            return self.function(formula)
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(formula))).body
        if not isinstance(tree, ast.FunctionDef):
            raise NotTranslated(f"{formula.__qualname__} is no function")
        cells = zip(formula.__code__.co_freevars, formula.__closure__, strict=True)
        made_with = {name: cell.cell_contents for name, cell in cells}
        return f"({_Body(self, {**formula.__globals__, **made_with}).function(tree, '')})"


class _Body:
    """A function's body: what its names mean, and its text."""

    def __init__(
        self, translator: Translator, names: Mapping[str, object], local: frozenset[str] = frozenset()
    ) -> None:
        self.translator, self.names, self.local = translator, names, local

    def function(self, tree: ast.FunctionDef | ast.Lambda, name: str) -> str:
        """Return a function's JavaScript; arguments that have to be named become one object, the last argument."""
        given = tree.args
        positional = [each.arg for each in (*given.posonlyargs, *given.args)]
        named = [each.arg for each in given.kwonlyargs]
        if given.vararg or any(given.kw_defaults):
            raise NotTranslated(f"the arguments of {name or 'a function'}")
        defaults: list[ast.expr | None] = [None] * (len(positional) - len(given.defaults)) + list(given.defaults)
        inside = _Body(self.translator, self.names, self.local | self._assigned(tree))
        texts = [
            each if default is None else f"{each} = {self.expression(default)}"
            for each, default in zip(positional, defaults, strict=True)
        ]
        rest = [f"...{given.kwarg.arg}"] if given.kwarg else []
        if named or rest:
            texts.append(f"{{{', '.join([*named, *rest])}}}")
        if isinstance(tree, ast.Lambda):
            return f"(({', '.join(texts)}) => {inside.expression(tree.body)})"
        declared = sorted(self._assigned(tree) - {*positional, *named, *(r.removeprefix("...") for r in rest)})
        body = "".join(inside.statement(each) for each in tree.body)
        let = f"let {', '.join(declared)}; " if declared else ""
        return f"function {name}({', '.join(texts)}) {{ {let}{body}}}"

    @staticmethod
    def _assigned(tree: ast.FunctionDef | ast.Lambda) -> frozenset[str]:
        """Return the names that a function assigns: its arguments, variables and inner functions."""
        given = tree.args
        own = {each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
        own |= {given.kwarg.arg} if given.kwarg else set()
        body = tree.body if isinstance(tree.body, list) else []
        for node in (inner for statement in body for inner in ast.walk(statement)):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                own.add(node.id)
            if isinstance(node, ast.FunctionDef):
                own.add(node.name)
        return frozenset(own)

    def statement(self, node: ast.stmt) -> str:
        """Return a statement's text."""
        match node:
            case ast.Return(value=None):
                return "return; "
            case ast.Return(value=value):
                assert value is not None
                return f"return {self.expression(value)}; "
            case ast.Assign(targets=[target], value=value):
                return f"{self.target(target)} = {self.expression(value)}; "
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                return f"{self.target(target)} = {self.expression(value)}; "
            case ast.If(test=test, body=body, orelse=orelse):
                then, other = ("".join(map(self.statement, part)) for part in (body, orelse))
                return f"if ({self.expression(test)}) {{ {then}}} else {{ {other}}} "
            case ast.Expr(value=ast.Constant()) | ast.Assert():
                return ""
            case ast.Expr(value=value):
                return f"{self.expression(value)}; "
            case ast.FunctionDef():
                inside = _Body(self.translator, self.names, self.local | {node.name})
                return f"{node.name} = {inside.function(node, '')}; "
        raise NotTranslated(f"the statement `{ast.unparse(node)}`")

    def target(self, node: ast.expr) -> str:
        """Return the text of what is assigned to."""
        match node:
            case ast.Name(id=name):
                return name
            case ast.Tuple(elts=elements):
                return f"[{', '.join(map(self.target, elements))}]"
        raise NotTranslated(f"an assignment to `{ast.unparse(node)}`")

    def known(self, node: ast.expr) -> tuple[bool, Any]:
        """Return whether an expression has a value before any code runs, and that value, else ``None``."""
        match node:
            case ast.Name(id=name) if name not in self.local:
                if name in self.names:
                    return True, self.names[name]
                builtins = self.names["__builtins__"]
                found = builtins if isinstance(builtins, dict) else vars(builtins)
                return name in found, found.get(name)
            case ast.Attribute(value=value, attr=attribute):
                is_known, of = self.known(value)
                if is_known and (isinstance(of, ModuleType) or dataclasses.is_dataclass(of)):
                    return True, getattr(of, attribute)
            case ast.Subscript(value=value, slice=ast.Constant(value=key)):
                is_known, of = self.known(value)
                if is_known and isinstance(of, Mapping):
                    return True, of[key]
        return False, None

    def expression(self, node: ast.expr) -> str:
        """Return an expression's text."""
        is_known, value = self.known(node)
        if is_known:
            return self.value(value, node)
        match node:
            case ast.Constant(value=constant):
                return self.value(constant, node)
            case ast.Name(id=name):
                return name
            case ast.BinOp(left=left, op=ast.Pow(), right=right):
                return f"own.pow({self.expression(left)}, {self.expression(right)})"
            case ast.BinOp(left=left, op=ast.FloorDiv(), right=right):
                return f"Math.floor({self.expression(left)} / {self.expression(right)})"
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in OPERATORS:
                return f"({self.expression(left)} {OPERATORS[type(operator)]} {self.expression(right)})"
            case ast.BoolOp(op=operator, values=values):
                return f"({f' {OPERATORS[type(operator)]} '.join(map(self.expression, values))})"
            case ast.UnaryOp(op=operator, operand=operand):
                return f"({OPERATORS[type(operator)]}{self.expression(operand)})"
            case ast.Compare(left=left, ops=operators, comparators=comparators):
                return self._compare([left, *comparators], operators)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return f"({self.expression(test)} ? {self.expression(body)} : {self.expression(orelse)})"
            case ast.Attribute(value=value, attr=attribute):
                return f"{self.expression(value)}.{attribute}"
            case ast.Subscript(value=value, slice=key):
                return f"{self.expression(value)}[{self.expression(key)}]"
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                return f"[{', '.join(map(self.expression, elements))}]"
            case ast.Lambda():
                return self.function(node, "")
            case ast.Call():
                return self.call(node)
        raise NotTranslated(f"the expression `{ast.unparse(node)}`")

    def _compare(self, terms: Sequence[ast.expr], operators: Sequence[ast.cmpop]) -> str:
        """Return the text of a chain of comparisons."""
        if any(type(operator) not in OPERATORS for operator in operators):
            raise NotTranslated(f"the comparison `{ast.unparse(terms[0])} ...`")
        texts = list(map(self.expression, terms))
        pairs = zip(texts, operators, texts[1:], strict=False)
        return f"({' && '.join(f'{a} {OPERATORS[type(operator)]} {b}' for a, operator, b in pairs)})"

    def value(self, value: Any, node: ast.expr) -> str:
        """Return the JavaScript of a value that is known before any code runs; errors name ``node``."""
        if value is None or isinstance(value, bool | str):
            return json.dumps(value)
        if isinstance(value, int | float):
            return {math.inf: "Infinity", -math.inf: "(-Infinity)"}.get(value) or repr(value)
        try:
            if value in JAVASCRIPT_NAMES:
                return JAVASCRIPT_NAMES[value]
        except TypeError:
            pass
        if isinstance(value, Kernel):
            raise NotTranslated(f"a kernel that is not called: `{ast.unparse(node)}`")
        if isinstance(value, FunctionType):
            return self.translator.function(value)
        if value is np.int64:
            return '"int64"'
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            fields = zip(value._fields, value, strict=True)
            return f"{{{', '.join(f'{field}: {self.value(each, node)}' for field, each in fields)}}}"
        raise NotTranslated(f"`{ast.unparse(node)}`")

    def call(self, node: ast.Call) -> str:
        """Return a call's text."""
        if any(isinstance(each, ast.Starred) for each in node.args):
            raise NotTranslated(f"the call `{ast.unparse(node)}`")
        given = list(map(self.expression, node.args))
        named = {each.arg: each.value for each in node.keywords if each.arg is not None}
        rest = [f"...{self.expression(each.value)}" for each in node.keywords if each.arg is None]
        is_known, called = self.known(node.func)
        if is_known and isinstance(called, Kernel):
            return self._kernel(called, given, node)
        if is_known and isinstance(called, type) and called not in JAVASCRIPT_NAMES:
            return self._record(called, given, named, node)
        if isinstance(node.func, ast.Attribute) and not is_known:
            of, method = self.expression(node.func.value), node.func.attr
            if method == "_replace":
                return f"({{...{of}, {', '.join(self._named(named))}}})"
            if method in METHODS:
                return f"{METHODS[method]}({', '.join([of, *given])})"
        if is_known and isinstance(called, FunctionType):
            given = list(self._in_order(called, given, named, node))
        if named or rest:
            given.append(f"{{{', '.join([*self._named(named), *rest])}}}")
        return f"{self.expression(node.func)}({', '.join(given)})"

    def _named(self, named: Mapping[str, ast.expr]) -> Iterator[str]:
        for name, value in named.items():
            yield f"{name}: {self.expression(value)}"

    def _in_order(
        self, called: FunctionType, given: list[str], named: dict[str, ast.expr], node: ast.Call
    ) -> Iterator[str]:
        """Yield a call's arguments by their order, also named ones that have a place in it.

        Parameters
        ----------
        called, node
            The function that is called, and the call.
        given
            Texts of the arguments that stand by their order.
        named
            Arguments by name; those that are yielded are taken out.
        """
        places = [
            name
            for name, each in inspect.signature(called).parameters.items()
            if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)
        ]
        yield from given
        for name in places[len(given) :]:
            if name in named:
                yield self.expression(named.pop(name))
            elif any(later in named for later in places):
                raise NotTranslated(f"the call `{ast.unparse(node)}`")
            else:
                break

    def _kernel(self, called: Any, given: list[str], node: ast.Call) -> str:
        """Return the text of a call of a kernel, which is noted with its number of arguments."""
        if node.keywords:
            raise NotTranslated(f"the call `{ast.unparse(node)}`")
        call = Call(called, len(given))
        self.translator.calls[call.name] = call
        return f'own.kernel("{call.name}", [{", ".join(given)}])'

    def _record(self, made: Any, given: list[str], named: Mapping[str, ast.expr], node: ast.Call) -> str:
        """Return the text of a named tuple, or of a data class, with its defaults.

        Parameters
        ----------
        made, node
            The class, and the call.
        given, named
            Texts of arguments by their order, and arguments by name.
        """
        if not (dataclasses.is_dataclass(made) or hasattr(made, "_fields")):
            raise NotTranslated(f"`{ast.unparse(node.func)}`")
        fields: Sequence[str]
        if dataclasses.is_dataclass(made):
            fields = [each.name for each in dataclasses.fields(made)]
            defaults = {
                each.name: each.default
                for each in dataclasses.fields(made)
                if each.default is not dataclasses.MISSING
            }
        else:
            fields, defaults = made._fields, made._field_defaults
        texts = {name: self.value(value, node) for name, value in defaults.items()}
        texts |= dict(zip(fields, given, strict=False))
        texts |= {name: self.expression(value) for name, value in named.items()}
        return f"({{{', '.join(f'{name}: {text}' for name, text in texts.items())}}})"
