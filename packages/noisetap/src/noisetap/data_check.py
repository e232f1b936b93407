"""Checker of certificates about functions of data; it knows nothing of the search that found them.

A certificate names two inputs, and values of the noisy numbers that are released: returned, or read as plain ones.
It also names outcomes of comparisons and coins that lead to a result on the first input. The function is run on
both inputs: on the first with these outcomes, on the second with all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from noisetap.approximate import constant_shift, needed_delta, normal_divergence, renyi_divergence
from noisetap.data_form import claim_as_json, fault_of_data_form, relation_as_json
from noisetap.determined import CHECK_STEPS
from noisetap.elsewhere import alternative_line
from noisetap.function import BUDGET_NAMES, Function, TooManyPaths
from noisetap.probabilities import normal_delta
from noisetap.records import Records, Relation, same
from noisetap.remeasure import summed_log_probability
from noisetap.results import (
    LOWEST_LOG,
    Outcome,
    is_unknown,
    loses_infinitely,
    outcomes,
    undetermined_line,
    why_reachable,
)
from noisetap.tape import Refused
from noisetap.verdict import Claim

# Relations that a claim is about if none is named; one event is one record.
COMMON = ("add-remove", "replace-one", "one-event")
# Times that what is accepted is run once more, on both inputs.
REPEATS = 8
# Losses have to exceed a claim by this much: rounding, and sums over cells.
_ROUNDING, _CELLS = 1e-6, 2e-3


def objection(
    certificate: Any,
    function: Callable[..., Any],
    records: Records,
    claim: Claim,
    parameters: Mapping[str, Any] | None = None,
    neighbours: Relation | None = None,
) -> str | None:
    """Return why a certificate does not prove a claim about a function of data false, or ``None`` if it does.

    Parameters
    ----------
    certificate : dict
        Certificate, as `Verdict.save` writes it.
    function, records, claim, parameters
        Function of data, which is run; ranges and form of its data; claim about it; and its other arguments by
        name. A parameter ``epsilon``, ``eps`` or ``privacy_budget`` that is not among these gets the claim's
        epsilon. The certificate has to be about this claim, with records in the ranges, of any number.
    neighbours : str or callable, optional
        Relation that the claim is about: ``add-remove``, ``replace-one``, ``one-event``, ``user``, or a function
        that lists the neighbours of an input. Without it the certificate may be about any of the first three.
    """
    fault = fault_of_data_form(certificate)
    if fault is not None:
        return fault
    x, y = (tuple(tuple(r) for r in certificate[side]) for side in ("x", "y"))
    relation = neighbours if neighbours is not None else certificate["relation"]
    if neighbours is None and relation not in COMMON:
        return f"it is about the relation {relation!r}, which has to be named (--neighbours)"
    if relation_as_json(relation) != certificate["relation"]:
        return f"it is about another relation: {certificate['relation']}"
    fault = _fault_of_inputs(x, y, relation, records)
    if fault is not None:
        return fault
    stated = certificate["claim"]
    if stated != claim_as_json(claim):
        return "it is about another claim"
    try:
        subject = Function(function, records, parameters or {}, certificate["stored"])
        subject = subject.with_budget(claim.epsilon) or subject
        if certificate["parameters"] != {k: v for k, v in subject.parameters.items() if k in BUDGET_NAMES}:
            return "it is about another budget of the function"
        before = _both(certificate, subject, x, y)
        fault = _weighed(certificate, subject, x, y, claim)
        # A function may have a memory, or look at a clock.
        after = [_both(certificate, subject, x, y) for _ in range(REPEATS if fault is None else 0)]
        if not all(same(one, other) for each in after for one, other in zip(before, each, strict=True)):
            return "two runs on one input differ: the function has a memory, or draws unheard"
        return fault
    except Refused as refusal:
        return f"it cannot be checked: {refusal}"
    except TooManyPaths:
        return "the second input has too many paths to be followed"
    except (ArithmeticError, ValueError, KeyError, IndexError, TypeError) as error:
        return f"its numbers cannot be computed with: {error!r}"


def _fault_of_inputs(x: Any, y: Any, relation: Any, records: Records) -> str | None:
    """Return why two inputs are no neighbours under a relation, or not in the range of the data; or ``None``.

    Parameters
    ----------
    x, y
        The two inputs.
    relation, records
        The caller's.
    """
    if not all(records.contains(record) for record in (*x, *y)):
        return "a record leaves the range of the data"
    if x == y:
        return "its two inputs are equal"
    if callable(relation):
        near = any(y == tuple(tuple(r) for r in o) for o in relation(x)) or any(
            x == tuple(tuple(r) for r in o) for o in relation(y)
        )
        return None if near else "its inputs are no neighbours"
    if relation in ("replace-one", "one-event"):
        near = len(x) == len(y) and sum(a != b for a, b in zip(x, y, strict=True)) == 1
    elif relation == "add-remove":
        long, short = (x, y) if len(x) > len(y) else (y, x)
        near = len(long) == len(short) + 1 and any(long[:i] + long[i + 1 :] == short for i in range(len(long)))
    elif relation == "user":
        long, short = (x, y) if len(x) > len(y) else (y, x)
        near = any(tuple(r for r in long if r[0] != user) == short for user in {r[0] for r in long})
    else:
        return f"its relation {relation!r} has no meaning here"
    return None if near else "its inputs are no neighbours"


def _weighed(certificate: Any, function: Function, x: Any, y: Any, claim: Claim) -> str | None:
    """Return why the stated result does not lose more than the claim, or ``None``.

    Parameters
    ----------
    certificate, function, claim
        The certificate, the function that is run, and the claim.
    x, y
        The two inputs.
    """
    outputs = [float(v) for v in certificate["outputs"]]
    if claim.delta > 0 or claim.bounds_divergence:
        shift = constant_shift(function, x, y, outputs)
        if shift is not None:
            return _weighed_normal(certificate, function, x, claim, shift)
    mine: Outcome | None = None
    for script in certificate["scripts"]:
        path, result = function.run(x, script, outputs)
        if [c.taken for c in path.choices] != script:
            return "the function makes other choices than it states"
        if mine is None:
            if not same(result, function.run(x, script, outputs)[1]):
                return "two runs with the same draws differ: the function draws unheard"
            mine = Outcome(result)
        elif not same(mine.result, result):
            return "its choices lead to different results"
        mine.add(path, summed_log_probability(path))
    if mine is None or not mine.paths:
        return "its choices have no probability"
    if any([r.value for r in path.releases] != outputs[: len(path.releases)] for path in mine.paths):
        return "the function lets out other numbers than it states"
    for path in mine.paths[:8]:
        line = undetermined_line(function, x, path, mine.result, CHECK_STEPS)
        if line is not None:
            return f"the result does not tell a number that is let out ({line})"
    line = alternative_line(function, y, mine, outputs, CHECK_STEPS)
    if line is not None:
        return f"the neighbour may return the same by another number, which is read ({line})"
    if mine.integrated and mine.log_p < LOWEST_LOG:
        return "its result is too improbable to be known"
    others = outcomes(function, y, outputs, summed_log_probability)
    if claim.bounds_divergence:
        all_of_x = outcomes(function, x, outputs, summed_log_probability)
        known = None if claim.alpha is None or outputs else renyi_divergence(all_of_x, others, claim.alpha)
        return None if known is not None and known > claim.epsilon + _ROUNDING else "the claim covers it"
    if claim.delta > 0:
        all_of_x = outcomes(function, x, outputs, summed_log_probability)
        over = needed_delta(function, x, y, outputs, all_of_x, others, claim.epsilon, summed_log_probability)
        return None if over is not None and over > claim.delta * 1.01 + 1e-9 else "delta covers it"
    found = [o for o in others if same(o.result, mine.result)]
    if is_unknown(found[0] if found else None, others, claim.epsilon):
        return "the neighbour's result is too improbable to be known"
    if found and found[0].paths and min(mine.dimensions) > min(found[0].dimensions):
        return "the neighbour returns it with a probability, and this input with a density"
    if not found or (found[0].paths and loses_infinitely(mine, found[0])):
        why = why_reachable(function, y, mine, outputs)
        loss = math.inf
    else:
        why = "sums over cells are empty" if found[0].integrated and not math.isfinite(found[0].log_p) else None
        loss = mine.log_p - found[0].log_p
    if why is not None:
        return f"the neighbour may return the same: {why}"
    margin = _CELLS if mine.integrated or any(o.integrated for o in found) else _ROUNDING
    if not loss > claim.epsilon + margin:
        return f"the loss is {loss:.6g}, and the claim allows {claim.epsilon:g}"
    named = math.inf if certificate["loss"] == "infinite" else certificate["loss"]
    near = math.isfinite(loss) and named is not None and abs(named - loss) <= 1e-3 + 1e-3 * abs(loss)
    if named != loss and not near:
        return f"it states a loss of {certificate['loss']}, and the run shows {loss:.6g}"
    return None


def _weighed_normal(certificate: Any, function: Function, x: Any, claim: Claim, shift: float) -> str | None:
    """Weigh normal noise that is moved by one shift, whatever is released."""
    outputs = [float(v) for v in certificate["outputs"]]
    path, result = function.run(x, (), outputs)
    if certificate["scripts"] != [[c.taken for c in path.choices]]:
        return "the function makes other choices than it states"
    if [r.value for r in path.releases] != outputs:
        return "the function lets out other numbers than it states"
    line = undetermined_line(function, x, path, result, CHECK_STEPS)
    if line is not None:
        return f"the result does not tell a number that is let out ({line})"
    if not claim.bounds_divergence:
        over = normal_delta(shift, claim.epsilon)
        return None if over > claim.delta * 1.01 + 1e-9 else "delta covers it"
    found = normal_divergence(claim, shift)
    named = math.inf if certificate["loss"] == "infinite" else certificate["loss"]
    if named is None or (named != found and not abs(named - found) <= 1e-3 + 1e-3 * found):
        return f"it states {certificate['loss']}, and the run shows {found:.6g}"
    return None if found > claim.allowed + _ROUNDING else "the claim covers it"


def _both(certificate: Any, function: Function, x: Any, y: Any) -> list[Any]:
    """Return what both inputs return: the first by the certificate's choices, the second by the first of each."""
    outputs = [float(v) for v in certificate["outputs"]]
    return [function.run(x, certificate["scripts"][0], outputs)[1], function.run(y, [], outputs)[1]]
