"""Adapters to more programs in public repositories: bandits, online learners, aggregations called in a loop.

No line of theirs is here. A stream is a function of data here: it is fed record by record, and its result is all
that it lets out.
"""

from __future__ import annotations

import importlib
import types
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from adapters import Case, Make, nothing, on_path
from copies import standing_in

from noisetap import Claim, Records, Rewards, load

# Lines of this file are not those of a program.
NOISETAP_ADAPTER = True
GATHER = ("sethneel/PrivGath", "abc108a225bc8a60be522e6f02c9da4e8c03460d")
ONLINE = ("shmoradiali/OnlineLearningDP", "f59d65fe7c1a49dd87efde3c5a071350e0c2f7b7")
SWISS = ("yedtoss/swiss-sense-synergy-dp", "b7de4c4fa2623a082a942adcfa7091ac9778f6ca")
SMOOTH = ("jodander/smooth-binary-mechanism", "1795acf00da002fb960eae801d81e0b2099eb403")
CONT = ("dp-cont/dp-cont", "7a1e85adf4b6c974a30993f76d18eb18c424b80c")
PENNER = ("Doran-Penner/diffpriv24", "2ad6d4e20df832497ac5f2ba2ff4973ead87df27")
ALEPH = ("aleph-research/diff-priv-laplace-python", "6bbdd57a8f6b588994f94dadacc4664b148db042")
ZHANG = ("gzhang01/CS227FinalProject", "50cb2215a2c71c348db0924b34a6b03a44a409ce")
LIB = ("HCDM/BanditLib", "63f263b2444d514bfedbafa2a06fddbaad345cc2")
FAIR = ("andrewp2303/DP-GMFBandits", "73ab664555f70b4b63e46ec7d9c1c1d2fdf497b5")
SCO = ("liangzp/DP-Streaming-SCO", "615a971bbb101647852917a94d246e8a4d52c1ed")


@dataclass(frozen=True)
class Stream:
    """Name one program that takes records, its claim, and how it is fed.

    Attributes
    ----------
    source : tuple of str
        Repository and commit.
    file, name : str
        File in the repository, and the class or function in it.
    claim : Claim
        What its text says, with the parameters that are passed.
    records : Records
        What it is fed with.
    relation : str
        How neighbours differ.
    make : callable
        Takes the folder of the copy, returns a function of data.
    stubbed : str
        What stands in for what.
    """

    source: tuple[str, str]
    file: str
    name: str
    claim: Claim
    make: Callable[[Path], Callable[..., Any]]
    stubbed: str
    records: Records = field(default_factory=lambda: Records(6))
    relation: str = "replace-one"


class OldNumPy(types.ModuleType):
    """NumPy that takes a length that is no whole number, as it did before 1.12."""

    def __getattr__(self, name: str) -> Any:
        """Ask NumPy."""
        return getattr(np, name)

    def zeros(self, shape: Any) -> Any:
        """Make zeros."""
        return np.zeros([int(n) for n in shape])


def _empty(*names: str) -> dict[str, types.ModuleType]:
    """Return modules without names, for what is imported and not called."""
    return {name: types.ModuleType(name) for name in names}


def _gathered(keyword: str) -> Callable[[Path], Make]:
    """Call ``priv_bandit_run``; its sampler is replaced by the table."""

    def make(folder: Path) -> Make:
        module = load(str(folder / "bandits.py"), nothing())
        module.print = lambda *_: None  # type: ignore[attr-defined]

        def program(pull: Callable[[Any], Any]) -> None:
            means = module.get_means(0.1, 2)
            module.get_sample = lambda mean: float(pull(means.index(mean)))  # type: ignore[attr-defined]
            module.priv_bandit_run(time_horizon=64, epsilon=1.0, k=2, keyword=keyword)

        return lambda: program

    return make


def _online(module: str) -> Callable[[Path], Any]:
    def read(folder: Path) -> Any:
        with on_path(folder, "binary_tree_mechanism", "privacy_preserving_noise", module):
            return importlib.import_module(module), importlib.import_module("privacy_preserving_noise")

    return read


def _counter(folder: Path) -> Callable[..., Any]:
    """Add the counter's noise to means of what came so far, as the program does for an arm."""
    module = load(str(folder / "bandits.py"), nothing())

    def function(data: list[float], epsilon: float) -> list[float]:
        noise = module.private_counter(1, len(data) + 1, epsilon)[0]
        return [sum(data[:n]) / n + noise[n] for n in range(1, len(data) + 1)]

    return function


def _sums(folder: Path) -> Callable[..., Any]:
    """Feed the tree, and ask it for all sums that it has; its noise is that of its programs, in one dimension."""
    with on_path(folder, "binary_tree_mechanism", "privacy_preserving_noise"):
        module = importlib.import_module("binary_tree_mechanism")
        noise = importlib.import_module("privacy_preserving_noise")

    def function(data: list[float], epsilon: float) -> list[float]:
        rounds = len(data)
        tree = module.BinaryTreeMechanism(1, rounds, noise.get_laplace_dist(np.log2(rounds) / epsilon))
        sums = []
        for t, record in enumerate(data, 1):
            tree.update(t, np.array([record]))
            sums.append(tree.private_partial_sum(t)[0])
        return sums

    return function


def _experts(folder: Path) -> Make:
    """Call the learner with all losses of a round; its oracle is that of the smallest sum of losses."""
    module, noise = _online("private_ftrl")(folder)

    def program(pull: Callable[[Any], Any]) -> None:
        def oracle(losses: Any, _: float) -> int:
            return int(losses[1] < losses[0])

        rounds = 32
        draw = noise.get_laplace_dist(2 * np.log2(rounds))
        learner = module.AgarwalSinghPrivateFTRL(2, rounds, draw, oracle, 1.0)
        for t in range(1, rounds + 1):
            learner.observe_loss(t, np.asarray(pull(learner.predict(t)), float))

    return lambda: program


def _exp2(folder: Path) -> Make:
    module, noise = _online("private_exp2")(folder)

    def program(pull: Callable[[Any], Any]) -> None:
        learner = module.AgarwalSinghPrivateEXP2(2, 40, noise.get_laplace_dist(1.0), 0.1, 0.3, np.full(2, 0.5))
        for t in range(1, 41):
            learner.observe_loss(t, pull(learner.predict(t)))

    return lambda: program


def _swiss(name: str, told: Callable[[Any, int], bool]) -> Callable[[Path], Callable[..., Any]]:
    def make(folder: Path) -> Callable[..., Any]:
        with on_path(folder, "settings", "utility", "continual_release_dp_algorithms"):
            module: Any = importlib.import_module("continual_release_dp_algorithms")
        module.xrange, module.np = range, OldNumPy("numpy")

        def function(data: list[float], epsilon: float) -> list[float]:
            mechanism, sums = getattr(module, name)(horizon=8, epsilon=epsilon), []
            for t, record in enumerate(data, 1):
                mechanism.observe(record)
                if told(mechanism, t):
                    sums.append(mechanism.sum())
            return sums

        return function

    return make


def _smooth(name: str, rho: float) -> Callable[[Path], Callable[..., Any]]:
    def make(folder: Path) -> Callable[..., Any]:
        module = load(str(folder / "mechanism_noise_generation.py"))

        def function(data: list[float]) -> list[float]:
            total, sums = 0.0, []
            noise = getattr(module, name)(len(data), rho=rho)
            for record, drawn in zip(data, noise, strict=True):
                total += record
                sums.append(total + drawn[0])
            return sums

        return function

    return make


def _continual(call: Callable[[Any, Any, float], Any]) -> Callable[[Path], Callable[..., Any]]:
    def make(folder: Path) -> Callable[..., Any]:
        with on_path(folder, "primitive", "range_estimator", "percentile_estimator", "estimator"):
            found = types.SimpleNamespace(
                primitive=importlib.import_module("primitive"),
                hierarchy=importlib.import_module("range_estimator.basic_hierarchy"),
            )
        return lambda data, epsilon: call(found, np.asarray(data, float), epsilon)

    return make


def _tree_of(found: Any, data: Any, epsilon: float) -> Any:
    users = types.SimpleNamespace(n=len(data), m=0, data=data)
    args = types.SimpleNamespace(range_epsilon=epsilon, hie_fanout=2, m=0)
    return [list(level) for level in found.hierarchy.BasicHierarchy(users, args).est_precise(1.0)]


def _votes(folder: Path) -> Callable[..., Any]:
    """Call the vote of teachers; of the data set it reads how many labels there are."""
    with on_path(folder, "aggregate", "helper", "globals", "privacy_accounting"):
        given = {name: types.ModuleType(name) for name in ("torch", "helper", "globals", "privacy_accounting")}
        for name in ("epsilon_prime", "laplacian_eps_prime"):
            setattr(given["privacy_accounting"], name, None)
        given["helper"].swing_distance = given["helper"].data_dependent_cost = None  # type: ignore[attr-defined]
        module = load(str(folder / "aggregate.py"), given)

    def function(data: list[float], epsilon: float) -> list[float]:
        told = module.NoisyMaxAggregator(1.0 / epsilon, types.SimpleNamespace(num_labels=3))
        return list(told.aggregate(data))

    return function


def _statistic(*names: str) -> Callable[[Path], Callable[..., Any]]:
    def make(folder: Path) -> Callable[..., Any]:
        with on_path(folder, "diffpriv_laplace"):
            module: Any = importlib.import_module("diffpriv_laplace")
        kinds = module.DiffPrivStatisticKind

        def function(data: list[float], epsilon: float) -> Any:
            asked = kinds[names[0]]
            for name in names[1:]:
                asked |= kinds[name]
            (found,) = module.DiffPrivSequentialStatisticsQuery.query(
                np.asarray(data, float)[None], [asked], epsilon, axis=1
            )
            return [found[kinds[name]] for name in names]

        return function

    return make


def _regression(folder: Path) -> Callable[..., Any]:
    module: Any = load(str(folder / "code/privateLogReg.py"))
    module.xrange = range

    def function(data: list[float], epsilon: float) -> Any:
        rows = np.array([[1.0], [-1.0], [0.5], [-0.5]])
        labels = np.array([[1.0 if record > 0.5 else -1.0] for record in data])
        weights, loss = module.privateLogReg(np.matrix(rows), np.matrix(labels), 0.1, 0.0, 1, epsilon, 1e-5, 1.0)
        return [*np.asarray(weights).ravel().tolist(), loss]

    return function


def _article(features: Any) -> Any:
    return types.SimpleNamespace(contextFeatureVector=np.asarray(features, float))


def _linear(method: str) -> Callable[[Path], Make]:
    """Call ``decide`` and ``updateParameters`` for one user; contexts are fixed."""

    def make(folder: Path) -> Make:
        with on_path(folder, "lib", "BaseAlg", "Recommendation"):
            base, package = types.ModuleType("BaseAlg"), types.ModuleType("lib")
            package.__path__ = [str(folder / "lib")]  # type: ignore[attr-defined]

            class Base:
                def __init__(self, given: dict[str, Any]) -> None:
                    vars(self).update(given)

            base.BaseAlg = Base  # type: ignore[attr-defined]
            with standing_in(BaseAlg=base, lib=package):
                module = importlib.import_module("lib.PrivateLinUCB")
        given = {
            "alpha": 0.5, "eps": 1.0, "delta": 0.1, "T": 16, "n_users": 1, "dimension": 2, "lambda_": 1.0,
            "protect_context": False, "noise_type": "laplacian", "noise_method": method,
        }  # fmt: skip

        def program(pull: Callable[[Any], Any]) -> None:
            learner = module.PrivateLinUCBAlgorithm(dict(given))
            pool = [_article([1.0, 0.0]), _article([0.6, 0.8])]
            while True:
                (chosen,) = learner.decide(pool, 0)
                learner.updateParameters(chosen, pull(next(i for i, one in enumerate(pool) if one is chosen)), 0)

        return lambda: program

    return make


def _fair(folder: Path) -> Make:
    """Call ``select_arm`` and ``update_history``; contexts are fixed."""
    module: Any = load(str(folder / "policies.py"), nothing())

    def program(pull: Callable[[Any], Any]) -> None:
        learner = module.PrivateFairGreedy(
            20, 1.0, 0.1, 0.01, 2.0**0.5, 0.1, "gaussian", "zcdp", 1.0, 2, 2, 0.5, 0.5
        )
        contexts = np.array([[1.0, 0.0], [0.6, 0.8]])
        while True:
            arm = learner.select_arm(contexts)
            learner.update_history(contexts, pull(int(arm)), arm)

    return lambda: program


def _streaming(folder: Path) -> Make:
    """Call ``decide`` and ``update``; contexts are fixed."""
    with on_path(folder, "bandit_algo", "utils"):
        module: Any = load(str(folder / "bandit_algo.py"), nothing())
    env = {"d": 2, "T": 10, "s": 1, "k": 2, "p": 1, "test_size": 1, "test_freq": 1, "x_std": 1.0, "y_std": 1.0,
           "lip": 1.0, "random_seed": 0}  # fmt: skip
    algo = {"lr_scale": 1.0, "noise_free": False, "test_flag": False}
    params = {"env": env, "algo": algo, "prv": {"eps": 1.0, "delta": 0.1}, "logger": None}

    def program(pull: Callable[[Any], Any]) -> None:
        learner = module.DPUCB(params)
        contexts = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.6, 0.8]]).T
        for t in range(10):
            arm = int(learner.decide(contexts, t))
            learner.update(contexts[:, [arm]], pull(arm), t)

    return lambda: program


def _powers(_: Any, t: int) -> bool:
    return t & (t - 1) == 0


def _always(_: Any, t: int) -> bool:
    return t > 0


TABLE = "nothing; the table answers"
PYTHON_2 = "xrange by range; np.zeros takes a float, as NumPy did; sums are read"
VOTES = Records(4, columns={"label": ("0", "1", "2")}, make=lambda rows: [int(r) for r in rows])
COUNTS = Records(3, columns={"label": ("0", "1", "2")}, make=lambda rows: [rows.count(k) for k in "012"])

BANDITS = [
    Case(GATHER, "bandits.py", "priv_bandit_run, privgreed", Claim(1.0), Rewards(64, 2), _gathered("privgreed"),
         "matplotlib and print by nothing; get_sample by the table"),
    Case(GATHER, "bandits.py", "priv_bandit_run, privucb", Claim(1.0), Rewards(64, 2), _gathered("privucb"),
         "matplotlib and print by nothing; get_sample by the table"),
    Case(ONLINE, "private_exp2.py", "AgarwalSinghPrivateEXP2", Claim(1.0), Rewards(40, 2), _exp2, TABLE),
    Case(ONLINE, "private_ftrl.py", "AgarwalSinghPrivateFTRL", Claim(1.0), Rewards(32, 2, row=True), _experts,
         "its oracle by the expert of the smaller sum; the table answers"),
    *(Case(LIB, "lib/PrivateLinUCB.py", f"PrivateLinUCBAlgorithm, {method}", Claim(1.0), Rewards(16, 2),
           _linear(method), "BaseAlg by what it keeps; contexts fixed; the table answers")
      for method in ("every", "once", "tree")),
    Case(FAIR, "policies.py", "PrivateFairGreedy", Claim(1.0, 0.1), Rewards(20, 2), _fair,
         "tqdm by nothing; contexts fixed; the table answers"),
    Case(SCO, "bandit_algo.py", "DPUCB", Claim(1.0, 0.1), Rewards(10, 2), _streaming,
         "matplotlib by nothing; contexts fixed; the table answers"),
]  # fmt: skip

STREAMS = [
    Stream(GATHER, "bandits.py", "private_counter", Claim(1.0), _counter, "matplotlib by nothing; means are added",
           Records(7)),
    Stream(ONLINE, "binary_tree_mechanism.py", "BinaryTreeMechanism", Claim(1.0), _sums, "nothing; sums are read",
           Records(4)),
    Stream(SWISS, "continual_release_dp_algorithms.py", "LogarithmMechanism, at powers of two", Claim(1.0),
           _swiss("LogarithmMechanism", _powers), PYTHON_2),
    Stream(SWISS, "continual_release_dp_algorithms.py", "BinaryMechanism", Claim(1.0),
           _swiss("BinaryMechanism", _always), PYTHON_2),
    Stream(SWISS, "continual_release_dp_algorithms.py", "HybridMechanism", Claim(1.0),
           _swiss("HybridMechanism", _always), PYTHON_2),
    *(Stream(SMOOTH, "mechanism_noise_generation.py", f"{name}, rho = {rho:g}", Claim(rho=rho), _smooth(name, rho),
             "prefix sums are added to its noise", Records(7))
      for name in ("smooth_binary_mechanism_noise", "binary_mechanism_noise") for rho in (0.5, 8.0)),
    Stream(CONT, "range_estimator/hierarchy.py", "BasicHierarchy", Claim(1.0), _continual(_tree_of),
           "users and arguments by their fields", Records(4)),
    Stream(CONT, "primitive.py", "nm", Claim(1.0),
           _continual(lambda f, data, e: int(f.primitive.nm(data, e))), "nothing", COUNTS, "add-remove"),
    Stream(CONT, "primitive.py", "sr", Claim(1.0),
           _continual(lambda f, data, e: list(f.primitive.sr(data, 0.0, 1.0, e))), "nothing", Records(2)),
    Stream(CONT, "primitive.py", "pm", Claim(1.0),
           _continual(lambda f, data, e: list(f.primitive.pm(data, 0.0, 1.0, e))), "nothing", Records(1)),
    Stream(PENNER, "aggregate.py", "NoisyMaxAggregator", Claim(1.0), _votes, "torch, helpers by nothing", VOTES,
           "add-remove"),
    Stream(ALEPH, "diffpriv_laplace/query/sequential_statistics.py", "DiffPrivSequentialStatisticsQuery, count",
           Claim(1.0), _statistic("count"), "nothing", Records(4)),
    Stream(ALEPH, "diffpriv_laplace/query/sequential_statistics.py",
           "DiffPrivSequentialStatisticsQuery, count and mean", Claim(1.0), _statistic("count", "mean"), "nothing",
           Records(4)),
    Stream(ALEPH, "diffpriv_laplace/query/sequential_statistics.py", "DiffPrivSequentialStatisticsQuery, sum",
           Claim(1.0), _statistic("sum"), "nothing", Records(4)),
    Stream(ZHANG, "code/privateLogReg.py", "privateLogReg", Claim(1.0, 1e-5), _regression, "xrange by range",
           Records(4)),
]  # fmt: skip
