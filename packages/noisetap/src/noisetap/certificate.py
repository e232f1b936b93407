"""Certificates of violations by policies, with all that the checker needs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from noisetap.form import FIRST_SEED, FORMAT, PATHS, Certificate, LawPair
from noisetap.judge import Ruling
from noisetap.program import Program
from noisetap.replay import Pair, most_losing_plan, plan_of, replay
from noisetap.tape import Key, Plan, Tape
from noisetap.verdict import Claim


def certify(
    program: Program, claim: Claim, pair: Pair, seed: int, kind: str, ruling: Ruling | None = None
) -> Certificate:
    """Return a certificate of a violation by a policy, as JSON data, of which the caller completes two parts.

    For a claim with a delta it adds ``paths``, further runs, which are empty here. For an infinite loss it adds
    ``decision``, ``tape_y`` and ``coins``: number of the decision that differs, draws of the second run, and keys
    of hidden random choices.

    Parameters
    ----------
    program, claim
        Program that is audited, and claim that is shown to be false.
    pair
        Runs on two neighbouring inputs.
    seed
        Seed of both runs.
    kind
        ``"finite"`` for a loss that is added up, ``"infinite"`` for a decision that differs.
    ruling
        Draws and comparisons that count for a finite loss; by default none, as for an infinite one.
    """
    ruling = ruling or Ruling()
    both = (pair.run.draws, pair.replay.draws)

    def sides(key: Key) -> LawPair:
        return {"x": both[0][key].output_law.as_json(), "y": both[1][key].output_law.as_json()}

    said = [p for p in ruling.parts if p.draw.plan_entry[0] == "said"]
    return {
        "format": FORMAT,
        "kind": kind,
        "claim": {"epsilon": claim.epsilon, "delta": claim.delta},
        "rewards": asdict(program.rewards),
        "seed": seed,
        "row": pair.row,
        "x": pair.x.tolist(),
        "y": pair.y.tolist(),
        "parts": [p.draw.as_json(p.other) for p in ruling.parts if p.draw.plan_entry[0] != "said"],
        "asked": [
            {
                **sides(p.key),
                "key": list(p.key),
                "line": p.line,
                "x_said": p.draw.comparisons,
                "y_said": p.other.comparisons,
            }
            for p in said
        ],
        "pivots": [
            {
                "center": {**sides(e.center), "key": list(e.center)},
                "others": [{**sides(k), "key": list(k), "above": bool(above)} for k, above in e.above.items()],
            }
            for e in ruling.pivots
        ],
        "tape": tape_as_json(pair.run, plan_of(pair.run)),
        "paths": [],
    }


def tape_as_json(tape: Tape, plan: Plan) -> list[list[Any]]:
    """Return the draws of a run as JSON data: rows such as ``["mine.py:11@10", 0, "out", 3.5]``.

    The rows hold the draws in a later run. A row has a draw's place (``file:line@decisions``), its number there,
    how it is held, and to what: by ``out`` its sum with a number, by ``value`` its value, by ``said`` its value and
    its answers to comparisons. The last two entries are those of ``plan``. For a draw that the plan leaves out they
    are its output, value, or value and answers in this run.
    """
    kept = {k: plan.get(k) or d.plan_entry for k, d in tape.draws.items()}
    return [[*k, how, what.tolist() if isinstance(what, np.ndarray) else what] for k, (how, what) in kept.items()]


def further_tapes(program: Program, pair: Pair) -> list[list[list[Any]]]:
    """Return the draws of 12 further runs on the first input of a pair, each run with another seed.

    A claim's delta may excuse one unlikely run. So the checker asks that it excuses none of these runs either. Each
    run is a list of rows such as ``["mine.py:11@10", 0, "out", 3.5]``, as `tape_as_json` returns it. If the first
    draw with a loss is Laplace noise, the run is made again, with its draws moved to where they lose most.
    """
    paths = []
    for seed in range(FIRST_SEED, FIRST_SEED + PATHS):
        run = program.run(pair.x, seed)
        other = replay(program, run, pair.x, pair.y, pair.row, seed)
        if other.parts and other.parts[0].draw.law.kind == "laplace":
            run = program.run(pair.x, seed, most_losing_plan(other, False))
        paths.append(tape_as_json(run, plan_of(run)))
    return paths
