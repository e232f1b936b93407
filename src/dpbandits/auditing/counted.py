"""Certificates of an event of actions: it is counted on both inputs, in runs that no search has seen."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from dpbandits.auditing.admission import differing_rounds, salt
from dpbandits.auditing.certificate import Certificate, Ruling
from dpbandits.runs.job import Job, fill, make_job, prepare
from noisetap.probabilities import lower, upper

# Probability with which a bound may be false.
RISK = 1e-9
# Searches have smaller root seeds than this, so these runs are fresh.
FRESH = 2**61
# An event is counted up to three times, each time in four times as many runs, up to a largest number.
STAGES, MOST_RUNS = 3, 4 * 10**6


def actions(certificate: Certificate, secret: bytes) -> Ruling:
    """Return the ruling on a certificate of kind ``actions``: its event is counted on both inputs, in fresh runs.

    The certificate is accepted if a lower bound of the privacy loss, false with a probability of some 10^-9,
    exceeds the claimed epsilon. Runs on each input are as many as the certificate has, then 4 and 16 times as many,
    at most 4,000,000. If the inputs do not differ in one round, it is rejected.

    Parameters
    ----------
    certificate
        The event, the two inputs, and the claim.
    secret
        Secret on which the root seed of the runs depends.
    """
    epsilon, delta = certificate["claim"]["epsilon"], certificate["claim"]["delta"]
    job, inputs = certificate["job"], [certificate[side]["environment"] for side in ("one", "other")]
    if len(differing_rounds(certificate, *inputs) or ()) != 1:
        return Ruling(False, 0.0, "the inputs do not differ in one round")
    rounds, root = np.array(certificate["rounds"], dtype=np.int64) - 1, FRESH + salt(certificate, secret)
    wanted = {tuple(sequence) for sequence in certificate["sequences"]}
    jobs = [
        make_job(job["algorithm"], job["parameters"], environment, job["epsilon"], job["horizon"], 1, root)
        for environment in inputs
    ]
    done, counts, ruling = 0, [0, 0], Ruling(False, 0.0, "nothing was run")
    for turn in range(STAGES):
        runs = min(int(certificate["runs"]) * 4**turn, MOST_RUNS)
        for side, made in enumerate(jobs):
            counts[side] += _occurs(made, rounds, wanted, range(done, runs))
        done = runs
        p, q = (
            bound(count / runs, runs, RISK / STAGES) for bound, count in zip((lower, upper), counts, strict=True)
        )
        loss = math.log((p - delta) / q) if p > delta else 0.0
        words = f"the event occurs {counts[0]:,} and {counts[1]:,} times in {runs:,} fresh runs"
        ruling = Ruling(loss > epsilon, loss, words)
        if ruling.accepted:
            break
    return ruling


def _occurs(job: Job, rounds: NDArray[np.int64], wanted: set[tuple[int, ...]], numbers: range) -> int:
    """Return how many of some runs have one of the wanted sequences of actions in some rounds."""
    found = 0
    for start in range(numbers.start, numbers.stop, 1 << 16):
        some, problem = prepare(job, range(start, min(start + (1 << 16), numbers.stop)), kept=job.horizon)
        fill(job, some, problem)
        sequences, number = np.unique(some.played[:, rounds] + 1, axis=0, return_counts=True)
        found += sum(int(n) for s, n in zip(sequences.tolist(), number, strict=True) if tuple(s) in wanted)
    return found
