"""Description of a violation: a sentence, and the line to blame."""

from __future__ import annotations

import math
from dataclasses import dataclass

from noisetap.form import Certificate
from noisetap.function import Function, noise_widths
from noisetap.judge import Ruling
from noisetap.program import Program
from noisetap.records import Data
from noisetap.replay import Pair, Part
from noisetap.results import Outcome
from noisetap.tape import plan_from_json
from noisetap.verdict import Claim


@dataclass
class WeighedResult:
    """A result of a function, and its privacy loss on a pair of neighbouring inputs.

    Attributes
    ----------
    loss
        Log ratio of the result's probabilities (or densities) on the two inputs. Under a claim of zCDP it is rho,
        under a Rényi claim the divergence, and under a claim with a delta NaN.
    outcome, other
        The result on the first input, with its probability and the runs that lead to it; and the same result on
        the neighbour, ``None`` if no run there leads to it.
    outputs
        Values of the noisy numbers that are released (returned, or read as plain numbers), in order.
    needed_delta
        Smallest delta with which the claimed epsilon would hold, if the claim has a delta; else -inf.
    """

    loss: float
    outcome: Outcome
    other: Outcome | None
    outputs: list[float]
    needed_delta: float = -math.inf


def loss_in_words(epsilon: float, ruling: Ruling, loss: float, worst: Part | None) -> str:
    """Return a sentence about a policy's finite loss: "loss 2 of 1: the reward enters one output (mine.py:9)".

    The reason after the colon may also be that the noise's scale depends on rewards, or that comparisons tell more
    than is claimed.

    Parameters
    ----------
    epsilon
        Claimed epsilon.
    ruling
        What counts for the loss: draws, as ``parts``, and comparisons between outputs, as ``pivots``.
    loss
        Loss of the run.
    worst
        Draw that adds most to the loss; ``None`` if only comparisons between outputs add to it.
    """
    lines = sorted({p.line for p in ruling.parts})
    told = f"loss {loss:.4g} of {epsilon:g}"
    if worst is not None and worst.scale_differs:
        return f"{told}: the scale of the noise depends on rewards"
    if ruling.pivots:
        return f"{told}: comparisons with noise tell more than is claimed"
    outputs = "one output" if len(ruling.parts) == 1 else f"{len(ruling.parts)} outputs"
    return f"{told}: the reward enters {outputs} ({', '.join(lines)})"


def line_of_difference(program: Program, pair: Pair, seed: int, certificate: Certificate) -> str:
    """Return the ``file:line`` where two runs part: the last line that both ran before they decide differently.

    Lines are compared from the decision before on. If the runs part at once, it is the first line of the first run;
    ``?`` if that ran none.

    Parameters
    ----------
    program, pair
        Program, and its two runs on neighbouring inputs.
    seed
        Seed of draws that no tape holds.
    certificate
        Certificate of an infinite loss, which has the number of the decision that differs, and the draws of each
        run.
    """
    at, paths = certificate["decision"], []
    for table, tape in ((pair.x, certificate["tape"]), (pair.y, certificate["tape_y"])):
        trace: list[tuple[int, str]] = []
        program.run(table, seed, plan_from_json(tape), trace=trace)
        paths.append([where for decided, where in trace if decided == at])
    line = paths[0][0] if paths[0] else "?"
    for p, q in zip(*paths, strict=False):
        if p != q:
            break
        line = p
    return line


def result_in_words(claim: Claim, found: WeighedResult) -> str:
    """Return a sentence that sets the loss of a function's result against the claim, such as "rho 0.5 of 0.1".

    Under a claim of epsilon alone it is such as "loss 2 of 1: the density of 3.5 is that much larger".
    """
    if claim.delta > 0:
        return f"delta would have to be {found.needed_delta:.4g}, and {claim.delta:g} is claimed"
    if claim.alpha is not None:
        return f"Rényi divergence {found.loss:.4g} of order {claim.alpha:g}, of {claim.epsilon:g}"
    if claim.rho is not None:
        return f"rho {found.loss:.4g} of {claim.rho:g}"
    text = str(found.outcome.result)
    text = text if len(text) <= 60 else text[:57] + "…"
    if math.isinf(found.loss):
        return f"infinite loss: it can return {text}, and on the neighbour it cannot"
    p = found.outcome.log_p
    chance = f"probability {math.exp(p):.3g}" if not found.outcome.dimensions - {0} else "density"
    return f"loss {found.loss:.4g} of {claim.epsilon:g}: the {chance} of {text} is that much larger"


def blamed_line(function: Function, x: Data, y: Data, found: WeighedResult) -> str:
    """Return the ``file:line`` to blame for a loss.

    For a finite loss it is the line of the released number that differs most between the inputs, in widths of its
    noise. If none differs, it is the first comparison whose threshold does. Else, and for an infinite loss, it is
    the last line before the two runs part, or the last of a run; ``?`` if none was run.

    Parameters
    ----------
    function
        Function of data.
    x, y
        The two inputs.
    found
        Result that loses.
    """
    path = found.outcome.paths[0]
    script = [c.taken for c in path.choices]
    other, _ = function.run(y, script, found.outputs)
    losses = [
        (abs(a.affine.offset - b.affine.offset) / w, a.line)
        for a, b, w in zip(path.releases, other.releases, noise_widths(path), strict=False)
    ]
    if losses and max(losses)[0] > 1e-9 and math.isfinite(found.loss):
        return max(losses)[1]
    for a, b in zip(path.bounds, other.bounds, strict=False):
        if math.isfinite(found.loss) and abs(a.affine.offset - b.affine.offset) > 1e-9:
            return a.line
    traces: tuple[list[str], list[str]] = ([], [])
    for data, trace in zip((x, y), traces, strict=True):
        function.run(data, script, found.outputs, trace=trace)
    line = traces[0][-1] if traces[0] else "?"
    for p, q in zip(*traces, strict=False):
        if p != q:
            return line
        line = p
    return line
