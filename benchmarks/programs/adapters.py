"""Adapters to private bandits in public repositories: how each is called, and with what it is answered.

No line of theirs is here. A program is read, unedited, from a copy of its repository at the commit that is named,
and its file has to have the digest that is named. What stands in for something else is listed in ``stubbed``.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from noisetap import Claim, Rewards, load
from noisetap.stand_ins import listening
from noisetap.tape import Tape

# Lines of this file are not those of a program.
NOISETAP_ADAPTER = True
Make = Callable[[], Any]
NCB = ("NP-Hardest/DP-NCB", "48397512ffb0c93137f73a6607f6004a508b1e0c")
BAI = ("achraf-azize/DP-BAI", "c8d8be282e19e4d74dc9c5f670c68ec3ae7e4f97")
KEIRP = ("keirp/private-bandits", "e6662803fd99da40505fd255b89e311fb2a08b1f")
SAYAK = ("sayakrc/Differentially-Private-Bandits", "ea7503bcaddd7491a187252d5bbd6608414cb96f")
LIANG = ("liangzp/LDP-Bandit", "62d909365bd0694dec66579d7035bcb3888d46df")
REN = ("WenboRen/Multi-armed-Bandits-with-Local-Differential-Privacy", "5b4dd4b0d0748410dd0d8c1457f6ce884a0b8611")
MIFA = ("MIFA-Lab/LDPbandit2020", "54f0c05441fdcff819176cc393a9bc99aca52b66")


@dataclass(frozen=True)
class Case:
    """Name one program, its claim, and how it is run.

    Attributes
    ----------
    source : tuple of str
        Repository and commit.
    file, name : str
        File in the repository, and the class or function in it.
    claim : Claim
        What its text says, with the parameters that are passed.
    rewards : Rewards
        Its inputs; a neighbour is another reward in one round, whichever arm was played.
    make : callable
        Takes the folder of the copy, returns a maker of policies.
    stubbed : str
        What stands in for what.
    """

    source: tuple[str, str]
    file: str
    name: str
    claim: Claim
    rewards: Rewards
    make: Callable[[Path], Make]
    stubbed: str
    effort: int = 6


def nothing() -> dict[str, ModuleType]:
    """Return modules that do nothing, for what plots, compiles and shows progress."""
    made = {}
    for name in ("numba", "tqdm", "matplotlib", "matplotlib.pyplot"):
        made[name] = ModuleType(name)
    made["numba"].njit = lambda f=None, **_: f if f is not None else (lambda g: g)  # type: ignore[attr-defined]
    made["tqdm"].tqdm = lambda x, **_: x  # type: ignore[attr-defined]
    made["matplotlib"].pyplot = made["matplotlib.pyplot"]  # type: ignore[attr-defined]
    return made


@contextmanager
def on_path(folder: Path, *packages: str) -> Iterator[None]:
    """Import packages of a copy while listening, and forget them afterwards."""
    sys.path.insert(0, str(folder))
    try:
        with listening(Tape(0)):
            yield
    finally:
        sys.path.remove(str(folder))
        for name in [m for m in sys.modules if m.split(".")[0] in packages]:
            del sys.modules[name]


def by_means(file: str, play: Callable[[ModuleType, Any], Any]) -> Callable[[Path], Make]:
    """Call a function that draws its own rewards; its sampler is replaced by the table."""

    def make(folder: Path) -> Make:
        module = load(str(folder / file), nothing())

        def program(pull: Callable[[Any], Any]) -> None:
            means = np.array([0.25, 0.75])
            module.sample_reward = lambda mean, _: pull(int(mean > 0.5))  # type: ignore[attr-defined]
            play(module, means)

        return lambda: program

    return make


def by_bandit(file: str, name: str, config: dict[str, Any]) -> Callable[[Path], Make]:
    """Call ``run(bandit)`` with a bandit that asks the table; the answer in the end is a decision too."""

    def make(folder: Path) -> Make:
        with on_path(folder, "bandit"):
            module = load(str(folder / file))

        def program(pull: Callable[[Any], Any]) -> None:
            algorithm = getattr(module, name)(dict(config, name="x", exp_name="x"))
            algorithm.save_logs = lambda: None
            _, best = algorithm.run(SimpleNamespace(pull=pull))
            pull(int(best))

        return lambda: program

    return make


def by_step(module_name: str, name: str, *args: Any) -> Callable[[Path], Make]:
    """Call ``step(last reward, last arm)``."""

    def make(folder: Path) -> Make:
        with on_path(folder, "private_bandits"):
            module = importlib.import_module(f"private_bandits.solvers.private.{module_name}")

        def program(pull: Callable[[Any], Any]) -> None:
            solver = getattr(module, name)(*args)
            reward = arm = None
            while True:
                arm = solver.step(reward, arm)
                reward = pull(arm)

        return lambda: program

    return make


def by_round(file: str, name: str, environment: dict[str, Any], params: dict[str, Any], **names: Any):
    """Call ``get_arm(t)`` and ``update(t, arm, reward)``."""

    def make(folder: Path) -> Make:
        module = load(str(folder / file))
        vars(module).update(names)

        def program(pull: Callable[[Any], Any]) -> None:
            algorithm = getattr(module, name)(SimpleNamespace(**environment), 40, dict(params))
            for t in range(10**6):
                arm = algorithm.get_arm(t)
                algorithm.update(t, arm, pull(int(arm)))

        return lambda: program

    return make


class Numbers(np.ndarray[Any, Any]):
    """Take an array of one number for a number, as NumPy did before 2.4."""

    def __setitem__(self, at: Any, value: Any) -> None:
        """Set an element."""
        super().__setitem__(at, np.ravel(value)[0])


def by_pull(method: str, epsilon: float) -> Callable[[Path], Make]:
    """Call a method that draws two rewards: that of its arm, and one for the regret, which no decision reads."""

    def make(folder: Path) -> Make:
        module = load(str(folder / "DPclass.py"), nothing())

        def program(pull: Callable[[Any], Any]) -> None:
            bandit = module.ucb_bandit(2, 1, [0.25, 0.75], epsilon)
            bandit.k_reward = np.zeros(2).view(Numbers)
            asked = []

            def generate_reward(mean: float) -> Any:
                asked.append(mean)
                return np.array([pull(int(mean > 0.5))]) if len(asked) % 2 else np.zeros(1)

            bandit.generate_reward = generate_reward
            while True:
                getattr(bandit, method)()

        return lambda: program

    return make


def by_server(epsilon: float, delta: float) -> Callable[[Path], Make]:
    """Call server, mechanism and server in turn, with contexts that are fixed."""

    def make(folder: Path) -> Make:
        with on_path(folder / "Scheme1", "mechanisms", "servers"):
            mechanisms = importlib.import_module("mechanisms.LDP")
            servers = importlib.import_module("servers.LDP_servers")
        params = {
            "mechanism": {"epsilon": epsilon, "delta": delta},
            "env": {"dimension": 2, "time_horizon": 30, "instance_variance": 1.0, "n_action": 2},
            "fail_prob": 0.1,
        }

        def program(pull: Callable[[Any], Any]) -> None:
            server, mechanism = servers.LDPUCBServer(params), mechanisms.OLSMechanism(params)
            contexts = np.array([[1.0, 0.6], [0.0, 0.8]])
            for t in range(10**6):
                chosen, context = server.decide(contexts)
                server.update(t, mechanism.pack(context, pull(int(chosen)), server))

        return lambda: program

    return make


def by_construct(epsilon: float, delta: float) -> Callable[[Path], Make]:
    """Call a class that is given the rewards of all arms and reads that of one."""

    def make(folder: Path) -> Make:
        module = load(str(folder / "src/linucb.py"))

        def program(pull: Callable[[Any], Any]) -> None:
            user = module.LinUCB(2, epsilon=epsilon, delta=delta, T=30)
            last: Any = np.zeros(2)
            for t in range(10**6):
                user.update_status(t)
                xx, xy, arm = user.construct(np.array([[1.0, 0.0], [0.6, 0.8]]), last)
                user.server_update(xx, xy)
                last = pull(int(arm))

        return lambda: program

    return make


SHORT = Rewards(40, 2)
LINEAR = {"X": np.array([[1.0, 0.0], [0.6, 0.8]]), "epsilon": 1.0, "delta": 0.1, "BatchSize": 4}
MAB = {"K": 2, "epsilon": 1.0}
NO_PLOTS = "numba, tqdm, matplotlib by nothing; sample_reward by the table"
REN_STUBS = "matplotlib by nothing; generate_reward by the table; k_reward takes arrays of one number, as NumPy did"
CALLS = "nothing; the table answers"

CASES = [
    Case(NCB, "algorithms/AdaPUCB.py", "adap_ucb_single", Claim(1.0), SHORT,
         by_means("algorithms/AdaPUCB.py", lambda m, mu: m.adap_ucb_single(mu, 1.0, 41, 3.1, 0)), NO_PLOTS),
    Case(NCB, "algorithms/GDPNCB.py", "GDP_NCB_single", Claim(1.0), Rewards(3000, 2),
         by_means("algorithms/GDPNCB.py", lambda m, mu: m.GDP_NCB_single(mu, 3.0, 1.0, 3.1, 55, 3001, 0)),
         NO_PLOTS, 4),
    Case(NCB, "algorithms/LDPNCB.py", "LDP_NCB_single", Claim(0.2), SHORT,
         by_means("algorithms/LDPNCB.py", lambda m, mu: m.LDP_NCB_single(mu, 3.0, 41, 7, 0.2, 3.1, 0)), NO_PLOTS),
    Case(NCB, "algorithms/LDPUCB.py", "LDP_UCB_L_single", Claim(1.0), SHORT,
         by_means("algorithms/LDPUCB.py", lambda m, mu: m.LDP_UCB_L_single(mu, 1.0, 41, 0)), NO_PLOTS),
    Case(BAI, "algorithms/adapTT.py", "AdaPTopTwo", Claim(1.0), SHORT,
         by_bandit("algorithms/adapTT.py", "AdaPTopTwo", {"K": 2, "eps": 1.0, "delta": 0.1, "beta": 0.5}),
         "bandit by the table; save_logs by nothing"),
    Case(BAI, "algorithms/dp_se.py", "DPSE", Claim(1.0), Rewards(1600, 2),
         by_bandit("algorithms/dp_se.py", "DPSE", {"K": 2, "eps": 1.0, "delta": 0.1}),
         "bandit by the table; save_logs by nothing", 4),
    *(Case(KEIRP, f"private_bandits/solvers/private/{module}.py", name, Claim(1.0), rewards,
           by_step(module, name, *args), CALLS, effort)
      for module, name, args, rewards, effort in [
          ("private_ucb", "PrivateUCBSolver", (2, 1.0, 64, 0.1), SHORT, 6),
          ("private_ucb_boundless", "PrivateUCBBoundlessSolver", (2, 64, 1.0), SHORT, 6),
          ("dp_ucb", "DPUCBSolver", (2, 1.0), SHORT, 6),
          ("dp_ucb_bound", "DPUCBBoundSolver", (2, 1.0), SHORT, 6),
          ("dp_softmax", "DPSoftmaxSolver", (2, 1.0, 40), SHORT, 6),
          ("dp_binary_softmax", "DPBinarySoftmaxSolver", (2, 1.0, 64), SHORT, 6),
          ("dp_log_softmax", "DPLogSoftmaxSolver", (2, 1.0, 64), SHORT, 6),
          ("dp_successive_elimination", "DPSuccessiveEliminationSolver", (2, 1.0, 0.1), Rewards(1600, 2), 4),
      ]),
    Case(SAYAK, "MABPrivate.py", "DPSE", Claim(1.0), Rewards(1400, 2),
         by_round("MABPrivate.py", "DPSE", MAB, {"crs": 1, "delta": 0.1, "dc": 2}), CALLS, 4),
    Case(SAYAK, "MABPrivate.py", "BatchSEDistDP", Claim(1.0), SHORT,
         by_round("MABPrivate.py", "BatchSEDistDP", MAB, {"crs": 1, "delta": 0.1, "dc": 4}), CALLS),
    Case(SAYAK, "MABPrivate.py", "BatchSEDistRDP", Claim(1.0), SHORT,
         by_round("MABPrivate.py", "BatchSEDistRDP", MAB, {"crs": 1, "delta": 0.1, "dc": 4, "scale": 10}), CALLS),
    *(Case(SAYAK, "LinBanditPrivate.py", name, Claim(1.0, 0.1), Rewards(10, 2),
           by_round("LinBanditPrivate.py", name, LINEAR, {}, d=2), "the global d by 2; the table answers")
      for name in ("LDPLinUCB", "JDPLinUCB", "SDPLinUCBPAmp", "SDPLinUCBPVec")),
    Case(LIANG, "Scheme1/mechanisms/LDP.py", "OLSMechanism", Claim(1.0, 0.1), Rewards(20, 2), by_server(1.0, 0.1),
         "contexts fixed; its server LDPUCBServer; the table answers"),
    Case(REN, "DPclass.py", "pull_CTL", Claim(1.0), SHORT, by_pull("pull_CTL", 1.0),
         REN_STUBS, 2),
    Case(REN, "DPclass.py", "pull_CTB", Claim(1.0), SHORT, by_pull("pull_CTB", 1.0),
         REN_STUBS, 2),
    Case(MIFA, "src/linucb.py", "LinUCB", Claim(1.0, 0.1), Rewards(20, 2, row=True), by_construct(1.0, 0.1), CALLS),
]  # fmt: skip
