"""Search for two neighbouring inputs of a function of data, and a result that a claim does not allow."""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from noisetap.data_search import Search
from noisetap.function import Function, TooManyPaths
from noisetap.records import Records, Relation
from noisetap.rehearsal import NotRepeatable, unheard_kind
from noisetap.results import RARE_NOTE
from noisetap.tape import Refused
from noisetap.verdict import Claim, Verdict

# Relations that are judged side by side if none is named.
COMMON = ("add-remove", "replace-one")


def audit_function(
    function: Callable[..., Any],
    *,
    data: Records | None = None,
    neighbours: Relation | None = None,
    claim: Claim | float = 1.0,
    parameters: Mapping[str, Any] | None = None,
    seed: int = 0,
    effort: int = 7,
    seconds: float = 60.0,
    calls: int = 1,
) -> Verdict:
    """Audit a function of data.

    Parameters
    ----------
    function : callable
        Function that takes data as its first argument; an observer sees what it returns.
    data : Records, optional
        Number, ranges and form of the records, by default five numbers in [0, 1]: an array, or what the function's
        annotation says.
    neighbours : str or callable, optional
        ``add-remove``, ``replace-one`` (or ``one-event``), or ``user`` (all records with the same first column).
        Or a function that takes an input, a tuple of records (tuples), and lists its neighbours, of which 200 are
        taken. Without it the first two are judged side by side.
    claim : Claim or float
        Claim, or its epsilon. A parameter ``epsilon``, ``eps`` or ``privacy_budget`` of the function, if it is not
        in ``parameters``, gets this epsilon. If the verdict is consistent then, a third of it is tried too, unless
        the claim has a rho or an order.
    parameters : mapping, optional
        Other arguments of the function, by name.
    seed, effort, seconds
        Seed of the inputs, number of inputs, and processor time in seconds. The time is shared by relations, calls
        and budgets. If there are too many paths to sum over, a search on half as many records follows, which gets
        its share once more. So does one that repeats a refused search because noise was stored or compared.
    calls : int
        Number of calls of the function on the same data, >= 1. The claim is about all calls.

    Returns
    -------
    Verdict
        Its ``word`` is consistent (no counterexample), refused (something was not recorded or judged), suspicious
        (one relation is consistent, the other violated), or violated. It is violated only with a certificate that
        the checker has accepted.
    """
    if calls > 1:
        return _composed(
            function,
            calls,
            seconds,
            data=data,
            neighbours=neighbours,
            claim=claim,
            parameters=parameters,
            seed=seed,
            effort=effort,
        )
    claim = claim if isinstance(claim, Claim) else Claim(float(claim))
    records = data or Records()
    relations = COMMON if neighbours is None else (neighbours,)
    left = seconds
    verdicts: list[Verdict] = []
    for relation in relations:
        share, began = left / (len(relations) - len(verdicts)), time.process_time()
        verdicts.append(
            _with_second_budget(function, records, relation, claim, parameters or {}, seed, effort, share)
        )
        # A search on fewer records does not take the time of the next relation.
        left -= min(share, time.process_time() - began)
    return verdicts[0] if len(verdicts) == 1 else _side_by_side(verdicts, claim)


def repeated(function: Callable[..., Any], calls: int) -> Callable[..., Any]:
    """Return a function that calls ``function`` ``calls`` times on the same data, and returns the list of results.

    If ``calls`` is 1, ``function`` itself is returned, whose result is not in a list.
    """
    if calls == 1:
        return function

    @functools.wraps(function)
    def every(*args: Any, **more: Any) -> list[Any]:
        return [function(*args, **more) for _ in range(calls)]

    return every


def _composed(function: Callable[..., Any], calls: int, seconds: float, **options: Any) -> Verdict:
    """Judge one call, then two, up to ``calls``; return the last verdict. Stop at one that is not *consistent*."""
    spent: list[float] = []
    for number in range(1, calls + 1):
        verdict = audit_function(repeated(function, number), seconds=seconds / calls, **options)
        spent.append(verdict.loss)
        if verdict.word != "consistent":
            verdict.notes.append(f"after {number} of {calls} calls")
            break
    verdict.spent = spent
    verdict.notes.append("spent after each call: " + ", ".join(f"{loss:.4g}" for loss in spent))
    return verdict


def _with_second_budget(
    function: Callable[..., Any],
    records: Records,
    relation: Relation,
    claim: Claim,
    parameters: Mapping[str, Any],
    seed: int,
    effort: int,
    seconds: float,
) -> Verdict:
    """Judge at the claim; a function whose budget is a parameter is judged at a third of it too.

    Parameters
    ----------
    function, records, relation, claim, parameters, seed, effort, seconds
        As `audit_function` takes them, for one relation.
    """
    try:
        subject = Function(function, records, parameters)
        budgeted = subject.with_budget(claim.epsilon)
    except Refused as refusal:
        return Verdict("refused", f"not heard: {refusal}", math.nan)
    twice = budgeted is not None and not claim.bounds_divergence and claim.epsilon > 0
    began = time.process_time()
    # The second search has half the inputs, and so at least half the time of the first.
    first = _judged(budgeted or subject, relation, claim, seed, effort, seconds * 2 / 3 if twice else seconds)
    if not twice or first.word != "consistent":
        return first
    third = replace(claim, epsilon=claim.epsilon / 3)
    left = max(seconds - (time.process_time() - began), seconds / 3)
    second = _judged(
        subject.with_budget(third.epsilon) or subject, relation, third, seed, max(effort // 2, 3), left
    )
    if second.word != "violated":
        _note_what_is_rare(first, [second])
        first.notes.append(f"at a third of the budget: {second.word}, {second.loss:.4g} of {third.epsilon:.4g}")
        return first
    second.why = f"{second.why}; at epsilon = {claim.epsilon:g} it was {first.loss:.4g}"
    return second


def _judged(
    function: Function, relation: Relation, claim: Claim, seed: int, effort: int, seconds: float
) -> Verdict:
    """Judge on fewer records if there are too many paths to be summed over.

    Parameters
    ----------
    function
        The function with its data, and its budget.
    relation, claim, seed, effort, seconds
        As `audit_function` takes them.
    """
    notes: list[str] = []
    while True:
        try:
            verdict = _searched(function, relation, claim, seed, effort, seconds)
            if (
                verdict.word == "refused"
                and not function.stores_noise
                and (function.most_outputs or "ufunc" in verdict.why)
            ):
                # Perhaps noise was stored in an array of floats, and so was released, or was added to it in place.
                function = Function(function.function, function.records, function.parameters, stores_noise=True)
                again = _searched(function, relation, claim, seed, effort, seconds)
                verdict = verdict if again.word == "refused" else again
            if verdict.word == "refused" and claim.bounds_divergence:
                # Normal noise that is compared, to be clipped: one who sees it before learns as much or more.
                told = Function(
                    function.function, function.records, function.parameters, function.stores_noise, True
                )
                again = _searched(told, relation, claim, seed, effort, seconds)
                verdict = again if again.word == "consistent" else verdict
            verdict.notes += notes
            return verdict
        except NotRepeatable as refusal:
            return Verdict("refused", f"not heard: {refusal}", math.nan, heard={"draws": function.most_draws})
        except TooManyPaths as late:
            number = function.records.number
            if number == 1:
                why = f"not heard: {late}"
                return Verdict("refused", why, math.nan, heard={"records": 1, "draws": function.most_draws})
            fewer = replace(function.records, number=number // 2)
            notes = [f"{fewer.number} records: of more, {late}"]
            function = Function(function.function, fewer, function.parameters, function.stores_noise)


def _searched(
    function: Function, relation: Relation, claim: Claim, seed: int, effort: int, seconds: float
) -> Verdict:
    """Search; refuse a function that does by its own randomness what no run did that was heard.

    Parameters
    ----------
    function
        The function with its data, and its budget.
    relation, claim, seed, effort, seconds
        As `audit_function` takes them.
    """
    search = Search(function, relation, claim, seed, seconds)
    with function:
        verdict = search.run(effort)
    if verdict.word != "consistent":
        return verdict
    other = unheard_kind(function, next(function.records.inputs(search.rng, 1)), search.kinds)
    if other is None:
        return verdict
    why = f"not heard: by its own randomness the function returns {other}, and never while it was heard"
    return replace(verdict, word="refused", why=why, loss=math.nan)


def _note_what_is_rare(kept: Verdict, others: list[Verdict]) -> None:
    """Give the verdict that is kept the note of others, if any of them left out improbable results."""
    if RARE_NOTE not in kept.notes and any(RARE_NOTE in other.notes for other in others):
        kept.notes.append(RARE_NOTE)


def _side_by_side(verdicts: list[Verdict], claim: Claim) -> Verdict:
    """Put the verdicts on the two common relations into one."""
    one, other = verdicts
    if one.word == other.word:
        worst = max(verdicts, key=lambda v: -1.0 if math.isnan(v.loss) else v.loss)
        _note_what_is_rare(worst, verdicts)
        worst.notes.append(f"{COMMON[verdicts.index(worst)]}; the other of the two common relations agrees")
        return worst
    named = ", ".join(
        f"{v.word} by {how} ({'infinite' if math.isinf(v.loss) else f'{v.loss:.3g}'} of {claim.epsilon:g})"
        for v, how in zip(verdicts, ("adding or removing a record", "replacing one"), strict=True)
    )
    worst = max(verdicts, key=lambda v: ("consistent", "refused", "suspicious", "violated").index(v.word))
    word = "suspicious" if {one.word, other.word} == {"consistent", "violated"} else worst.word
    why = f"{named}: name the relation that is meant (--neighbours)"
    return replace(worst, word=word, why=why, notes=[*worst.notes, worst.why])
