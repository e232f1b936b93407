"""Compare with packaged simulators: the same algorithm, instance and horizon, one run of each after the other.

    python -m venv peers && peers/bin/pip install -r benchmarks/peers.txt
    python benchmarks/peers.py --peers peers/bin/python --output docs/results/peers.json

Each measurement is a process of its own, which plays once before it is measured. Ours and the peer's take turns,
and a ratio is of one such pair. Peers have an environment of their own: SMPyBandits needs an old SciPy. Of Open
Bandit's and contextualbandits' algorithms none is among ours: theirs learn from contexts, or from logs.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

MEANS = [0.75, 0.7, 0.65, 0.55, 0.4]
PAIRS = 7
# Peer and algorithm: what it is called there, here, and the rounds of a run.
COMPARED = {
    "pymab, in Rust": {"KLUCBPolicy": ("kl-ucb", 10**5)},
    "SMPyBandits": {"klUCB": ("kl-ucb", 10**4), "IMED": ("imed", 10**3), "Exp3": ("exp3", 10**4)},
}


def seconds(play: Callable[[int], object], runs: int) -> float:
    """Return the processor time of one run, after one that is not counted."""
    play(1)
    began = time.process_time()
    play(runs)
    return (time.process_time() - began) / runs


def ours(algorithm: str, horizon: int) -> float:
    """Return our seconds for a run."""
    from dpbandits.core import registry
    from dpbandits.runs.job import make_job, run

    environments = {
        "stochastic": {"kind": "bernoulli", "means": MEANS},
        "adversarial": {"kind": "periodic", "losses": [[1.0 - mean for mean in MEANS]]},
    }
    job = make_job(algorithm, {}, environments[registry.setting("algorithm", algorithm)], None, horizon, 20, 0)
    return seconds(lambda runs: run(job, range(runs)), 50)


def pymab(policy: str, horizon: int) -> float:
    """Return pymab's seconds for a run."""
    import numpy as np
    import pymab.policies as policies
    from pymab import BanditEnvironment, Experiment, ExperimentConfig
    from pymab.distributions import BernoulliReward

    def play(runs: int) -> object:
        return Experiment(
            environment=BanditEnvironment(means=np.array(MEANS), reward_model=BernoulliReward()),
            policies={policy: getattr(policies, policy)(n_arms=len(MEANS))},
            config=ExperimentConfig(horizon=horizon, n_replicates=runs, seed=0, backend="rust"),
        ).run()

    return seconds(play, 5)


def smpybandits(policy: str, horizon: int) -> float:
    """Return SMPyBandits' seconds for a run, of its policy alone: rewards are drawn beforehand."""
    import numpy as np
    from SMPyBandits import Policies

    def play(runs: int) -> None:
        rng = np.random.default_rng(0)
        for _ in range(runs):
            rewards = (rng.random((horizon, len(MEANS))) < MEANS).astype(float).tolist()
            player = getattr(Policies, policy)(len(MEANS))
            player.startGame()
            for row in rewards:
                arm = player.choice()
                player.getReward(arm, row[arm])

    return seconds(play, 3)


MEASURE = {"dpbandits": ours, "pymab, in Rust": pymab, "SMPyBandits": smpybandits}


def measured(python: str, package: str, algorithm: str, horizon: int) -> float:
    """Return the seconds for a run, measured in a process of some environment."""
    command = [python, __file__, "--measure", package, algorithm, str(horizon)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    return float(done.stdout.split()[-1])


def compared(peers: str, package: str, policy: str, algorithm: str, horizon: int) -> dict[str, object]:
    """Return both packages' seconds for a run, pair by pair, and the ratios."""
    pairs = [
        (measured(sys.executable, "dpbandits", algorithm, horizon), measured(peers, package, policy, horizon))
        for _ in range(PAIRS)
    ]
    ratios = sorted(theirs / own for own, theirs in pairs)
    return {
        "peer": package,
        "policy": policy,
        "algorithm": algorithm,
        "rounds": horizon,
        "milliseconds": [round(1000 * statistics.median(side), 4) for side in zip(*pairs, strict=True)],
        "ratio": [float(f"{ratio:.3g}") for ratio in (statistics.median(ratios), ratios[0], ratios[-1])],
    }


def main() -> None:
    """Compare all pairs, or measure one side once."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peers", help="Python of the environment with the peers")
    parser.add_argument("--output", type=Path, help="a JSON file")
    parser.add_argument("--measure", nargs=3, metavar=("PACKAGE", "ALGORITHM", "HORIZON"), help="one side once")
    given = parser.parse_args()
    if given.measure:
        package, algorithm, horizon = given.measure
        print(MEASURE[package](algorithm, int(horizon)))
        return
    if not given.peers:
        parser.error("--peers is missing")
    found = [
        compared(given.peers, package, policy, *rest)
        for package, policies in COMPARED.items()
        for policy, rest in policies.items()
    ]
    text = json.dumps(found, indent=1) + "\n"
    if given.output:
        given.output.write_text(text, encoding="utf-8")
    print(text, end="")


if __name__ == "__main__":
    main()
