"""Adapters to functions of public repositories that were judged before anything was mended for them.

No line of theirs is here. Repositories of `adapters` and `others` are left out. Whether a claim holds was worked
out by hand, from the code, before noisetap saw it.
"""

from __future__ import annotations

import ast
import math
import random
import sys
import types
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from adapters import KINDS, OWN, SMALL, Case, Function, _counts
from copies import standing_in
from others import CATEGORY, COUNTS, PERSON, Make, _from, _with

from noisetap import Claim, Records

GHOBI = ("Ghobi-A/Differential-privacy", "d0005f5c94b3e862333ba9792168edac3503c2ef")
FLIP = ("ryan112358/permute-and-flip", "02c85113831c88b33d261de5d1d89118f29c1c42")
TOPK = ("shekelyan/dptopk", "c4c0c625e9aca8b220558eb3b3141da3bddd73d8")
MINIMAL = ("SandaruJayawardana/minimal-data-ldp", "c46a095d39b5d2d4bdb3891ed3cfe9cefee91018")
DIPPS = ("epfl-dlab/DIPPS", "eaafd4c04c71a4ef4860a5ae148736fae5e017dc")
SHERPA = ("sherpaai/Sherpa.ai-Federated-Learning-Framework", "a30d73a018526f1033ee0ec57489c4c6e2f15b0a")
SYNTHESIZER = ("DataResponsibly/DataSynthesizer", "90722857e7f6ed736aaa25068ecf9e77f34f896a")
TIANRUI = ("TianruiLiu/differential-privacy", "1a1a1e68228071f5d42513c2a2ac1638a9dfbeb1")
BHUMIT = ("BhumitArora/Differential-Privacy", "e7e0f968ca222f2bc95f5169c86e98c9569c2571")
ADAPTIVE = ("omthkkr/empirical_adaptive_data_analysis", "31c63f622f56c66ee1cbd7d943508c6f446736fc")
TUKEY = ("gavinrbrown1/private-tukey", "86732e930f42c85925241d77ec49e01f29624c90")
COMPRESSION = ("facebookresearch/dp_compression", "cb4dc97493b3e532084c374ba7e29ec45abde5fa")
AUDIT = ("hharcolezi/ldp-audit", "5cd1c5d47c089c6ae55292e7ccb75b2677893c9a")
EKTELO = ("ektelo/ektelo", "53129fc417ae9b5a9830beb1229ec3e2611c5534")
JANIC = ("marko-janic/local-differential-privacy-testing", "31b760586ae1bd94756bef52d8e55c2304fde41f")
SKETCH = ("totoiii/dp-sketch", "7ca8837bdeeea7898a0f295edf963d436d20e178")
YUUKOMI = ("yuukomi/Different_Privacy", "2fe570dc091010ab5b0ff4fa568d7e1668e40def")
ALOGGIA = ("aloggia/cs-167-data-privacy-assignment-master", "822713e8e69485d4512d9839430129a625bc077d")
ESTIMATOR = ("xiyangl3/adp-estimator", "f5fe8296beddc7c90c6029c71015eb8c6c88a374")
COCO = ("yzk5145/coco", "be89e04c69ea7f14e86a6e28bb68b3369cb9223d")
KDE = ("MarcJohler/DP-KDE_LSQ", "3ff53f912236eaec07a493fe119eb6e248845994")
LOKE = ("lokeaichirou/differential-privacy", "020d2cc3bbf17151173b410b38fb91812f554b6a")
AYALA = ("Ayalasadi/Data-Anonymization-Tool", "431c633d52d235fb386f48415ef248a5e7bc00c7")
ZZZER = ("zzzer1019/FL_DP", "71fe3c05bc5178751a26f9d817906549de7b5ff9")
SARAVAN = ("saravan-p/dp_project", "b8bca31e2fa9234162fc5cb3b8df46b35a0b7d4d")
RONZADI = ("ronzadi/Differentially-Private-Max-Sum-Diversification", "20bd9a9a0d74ee299b67d1c6bcfe42ac15838b3f")
JHANVI = ("jhanvi1119/DP-Recommendation-System", "ab71677bbb3901db2fd59fdf95a328cd432205a4")
SHIELD = ("Prathamesh-Udoshi/privacy-shield", "ba2e342a3247cdeb59181de09a8b6fbeb40c1b25")
BASTAN = ("Bastandern/differential-privacy-lab", "6779a9d238d6620f78d2fac2bcbfc6721dcee85e")
MOBILITY = ("thomasmarchioro3/human_mobility_ldp", "756ff35f85ed28a20b7509e16db53958785d3e3e")
FURKAN = ("FurkanKarakas/optional-project", "f4afc5416dfe3f3ac259cd955a9e4be164def616")

LOCAL: dict[str, Any] = {"records": Records(1, columns={"kind": ("0", "1")}, make=lambda rows: int(rows[0]))}
HALF = Claim(0.5, 1e-5)
ADDED: dict[str, Any] = {"relation": "add-remove", "records": COUNTS}


def _module(name: str, **names: Any) -> types.ModuleType:
    made = types.ModuleType(name)
    vars(made).update(names)
    return made


def _definitions(file: str) -> Callable[[Path], Any]:
    """Return what takes functions and classes out of a script; its other lines read files and draw figures."""

    def load(place: Path) -> Any:
        made = _module("script", np=np, random=random, Counter=Counter, exp=math.exp, pd=__import__("pandas"))
        body = [node for node in ast.parse((place / file).read_text()).body if hasattr(node, "name")]
        exec(compile(ast.Module(body, []), str(place / file), "exec"), vars(made))
        return made

    return load


def _of(load: Callable[[Path], Any], call: Callable[[Any, Any, float], Any]) -> Make:
    return _with(load, lambda m: lambda data, epsilon: call(m, data, epsilon))


def _at_one(load: Callable[[Path], Any], call: Callable[[Any, Any], Any]) -> Make:
    return _with(load, lambda m: lambda data: call(m, data))


def _frame(**more: Any) -> Callable[[list[Any]], Any]:
    return lambda rows: __import__("pandas").DataFrame({"value": rows, **more})


def _kinds(rows: list[Any]) -> Any:
    return __import__("pandas").DataFrame({"kind": rows})


TABLE = Records(2, make=_frame())
TWO_KINDS = Records(2, columns={"kind": ("x", "y", "z")}, make=_kinds)

# Ghobi-A: a course's package. Its generators are seeded with 42 by default; a seed is taken for a secret here.
_ghobi = _from("src", "dp.mechanisms")
_UNIQUE = (
    "If all labels are equal the function raises an error, and not if one of them differs: that is told with "
    "probability 1."
)
_GHOBI = [
    Case(
        GHOBI,
        "add_laplace_noise",
        _of(_ghobi, lambda m, d, e: m.add_laplace_noise(d, e)["value"].tolist()),
        True,
        records=TABLE,
    ),
    Case(
        GHOBI,
        "add_gaussian_noise",
        _at_one(_ghobi, lambda m, d: m.add_gaussian_noise(d, 1.0)["value"].tolist()),
        True,
        claim=SMALL,
        records=TABLE,
    ),
    Case(
        GHOBI,
        "randomized_response",
        _of(_ghobi, lambda m, d, e: m.randomized_response(d["kind"], e).tolist()),
        True,
        contradicted=_UNIQUE,
        records=Records(2, columns={"kind": ("x", "y")}, make=_kinds),
    ),
    Case(
        GHOBI,
        "exponential_mechanism",
        _of(_ghobi, lambda m, d, e: m.exponential_mechanism(["x", "y", "z"], d, e)),
        True,
        records=COUNTS,
    ),
]

# Permute-and-flip: code beside the paper.
_flip = _from("", "mechanisms")
_FLIP = [
    Case(
        FLIP,
        f"{name}{', monotonic' if m else ''}",
        _of(_flip, call),
        True,
        "add-remove" if m else "replace-one",
        COUNTS,
    )
    for name, m, call in (
        ("em", False, lambda f, d, e: f.em(d, e)),
        ("pf", False, lambda f, d, e: f.pf(d, e)),
        ("em", True, lambda f, d, e: f.em(d, e, monotonic=True)),
        ("pf", True, lambda f, d, e: f.pf(d, e, monotonic=True)),
    )
]
_FLIP += [
    Case(
        FLIP,
        "em, monotonic, replaced",
        _of(_flip, lambda f, d, e: f.em(d, e, monotonic=True)),
        False,
        records=COUNTS,
    ),
    Case(
        FLIP,
        "pf, monotonic, replaced",
        _of(_flip, lambda f, d, e: f.pf(d, e, monotonic=True)),
        False,
        records=COUNTS,
    ),
]


# Top-k by Lipschitz mechanisms: code beside the paper, for counts that one record moves in one direction.
def _topk(name: str, k: int) -> Make:
    def load(place: Path) -> Any:
        # Its other module stays imported, as in a run of theirs: names that it took from `random` are heard then.
        module = _from("", "mechanisms", "mpmath")(place)
        sys.modules["lib"] = sys.modules.get("lib") or _from("", "lib", "mpmath")(place)
        vars(module).update({n: vars(sys.modules["lib"])[n] for n in ("Arithmetic", "Top", "strformat", "between")})
        module.num = module.Arithmetic(256)
        return module

    return _of(load, lambda m, d, e: getattr(m, name)([-math.inf, *map(float, d)], k, e))


_TOPK = [
    Case(TOPK, f"{name}, k = {k}", _topk(name, k), True, **ADDED)
    for name, k in (
        ("peelingExponentialMechanism", 1),
        ("peelingExponentialMechanism", 2),
        ("peelingNoisyReportMax", 1),
        ("peelingNoisyReportMax", 2),
        ("peelingPermuteAndFlip", 1),
        ("gumbelLipschitz", 2),
        ("laplaceLipschitz", 2),
        ("expLipschitz", 2),
    )
]


# Minimal data: local privacy by matrices.
def _minimal(module: str, call: Callable[[Any, Any, float], Any]) -> Make:
    return _of(_from("", f"mechanisms.{module}"), call)


_ALPHABET = ["0", "1", "2"]
_ERRORS = np.ones((3, 3)) - np.eye(3)
_MINIMAL = [
    Case(
        MINIMAL,
        "Randomized_Response",
        _minimal(
            "k_rr.k_rr_mechanism",
            lambda m, d, e: m.Randomized_Response(3, _ALPHABET).gen_random_output(str(d), e)[0],
        ),
        True,
        **CATEGORY,
    ),
    Case(
        MINIMAL,
        "Exponential_mechanism",
        _minimal(
            "exponential.exponential_mechanism",
            lambda m, d, e: m.Exponential_mechanism(None, 3, _ALPHABET, _ERRORS).gen_random_output(str(d), e)[0],
        ),
        True,
        **CATEGORY,
    ),
    *(
        Case(
            MINIMAL,
            f"Rappor_mechanism, {n} reports",
            _minimal(
                "rappor.rappor_mechanism",
                lambda m, d, e, n=n: m.Rappor_mechanism(3, _ALPHABET, collection_count=n).gen_random_output(
                    str(d), e, None, True
                )[0],
            ),
            True,
            **CATEGORY,
        )
        for n in (1, 5)
    ),
]

# DIPPS: local mechanisms that its paper compares with.
_dipps = _from("", "hybrid_mechanism")
_DIPPS = [
    Case(
        DIPPS,
        "exponential_mechanism",
        _of(_from("", "exponential_mechanism"), lambda m, d, e: m.exponential_mechanism(np.array([d], float), e)),
        True,
        records=COUNTS,
    ),
    *(
        Case(DIPPS, name, _of(_dipps, lambda m, d, e, name=name: getattr(m, name)(d[0], e)), True, **PERSON)
        for name in ("piecewise_mechanism", "duchi_mechanism", "hybrid_mechanism")
    ),
    Case(
        DIPPS,
        "multi_dim_hybrid_mechanism, 2 values",
        _of(_dipps, lambda m, d, e: m.multi_dim_hybrid_mechanism(d[0], e)),
        True,
        records=Records(1, columns={"a": (-1.0, 1.0), "b": (-1.0, 1.0)}, form="list"),
    ),
]


# Sherpa.ai: a federated learning library. Its packages import TensorFlow; they are stood in for by empty ones.
def _dispatching() -> types.ModuleType:
    found: dict[str, list[Any]] = {}

    def dispatch(*kinds: Any) -> Any:
        def keep(function: Any) -> Any:
            found.setdefault(function.__name__, []).append((kinds, function))
            return lambda self, *args: next(
                one for types_, one in found[function.__name__] if all(map(isinstance, args, types_))
            )(self, *args)

        return keep

    return _module("multipledispatch", dispatch=dispatch)


def _sherpa(module: str) -> Callable[[Path], Any]:
    def load(place: Path) -> Any:
        packages = {name: _module(name) for name in ("shfl", "shfl.differential_privacy", "shfl.private")}
        for name, package in packages.items():
            package.__path__ = [str(place / name.replace(".", "/"))]
        with standing_in(multipledispatch=_dispatching(), **packages):
            return _from("", f"shfl.differential_privacy.{module}")(place)

    return load


_mechanisms = _sherpa("dp_mechanism")


def _sampled(place: Path) -> Function:
    inner, sampling = _mechanisms(place), _sherpa("dp_sampling")(place)
    total = types.SimpleNamespace(get=lambda data: np.sum(data))
    return lambda data: sampling.SampleWithoutReplacement(
        inner.LaplaceMechanism(1, 1.0, total), 2, (len(data),)
    ).apply(np.asarray(data))


_COINS = (
    "The property says log 3 whatever the coins. With a first coin of 1/4 the true bit is told with probability "
    "7/8, and the loss is log 7."
)
_ONE_SIDE = (
    "The check looks at f0/(1 - f1) and f1/(1 - f0), and not at their inverses: with f0 = 0.1 and f1 = 0.2 a 1 has "
    "probability 0.9 and 0.2, and the loss is log 4.5."
)
_SHERPA = [
    Case(
        SHERPA,
        "RandomizedResponseCoins",
        _at_one(_mechanisms, lambda m, d: m.RandomizedResponseCoins().apply(d)),
        True,
        claim=Claim(math.log(3)),
        **LOCAL,
    ),
    Case(
        SHERPA,
        "RandomizedResponseCoins, first coin 1/4",
        _at_one(_mechanisms, lambda m, d: m.RandomizedResponseCoins(0.25).apply(d)),
        True,
        contradicted=_COINS,
        claim=Claim(math.log(3)),
        **LOCAL,
    ),
    Case(
        SHERPA,
        "RandomizedResponseBinary, 0.7 and 0.7",
        _at_one(_mechanisms, lambda m, d: m.RandomizedResponseBinary(0.7, 0.7, 1.0).apply(np.array([d]))),
        True,
        **LOCAL,
    ),
    Case(
        SHERPA,
        "RandomizedResponseBinary, 0.1 and 0.2",
        _at_one(_mechanisms, lambda m, d: m.RandomizedResponseBinary(0.1, 0.2, 1.0).apply(np.array([d]))),
        True,
        contradicted=_ONE_SIDE,
        **LOCAL,
    ),
    Case(
        SHERPA,
        "LaplaceMechanism",
        _of(_mechanisms, lambda m, d, e: m.LaplaceMechanism(1, e).apply(float(np.sum(d)))),
        True,
    ),
    Case(
        SHERPA,
        "LaplaceMechanism, a list",
        _of(_mechanisms, lambda m, d, e: m.LaplaceMechanism(2, e).apply([d.astype(float), d[:1] * 0.0])),
        True,
        records=COUNTS,
    ),
    Case(
        SHERPA,
        "GaussianMechanism",
        _at_one(_mechanisms, lambda m, d: m.GaussianMechanism(1, (0.5, 1e-5)).apply(float(np.sum(d)))),
        True,
        claim=HALF,
    ),
    Case(
        SHERPA,
        "ExponentialMechanism",
        _of(_mechanisms, lambda m, d, e: m.ExponentialMechanism(lambda x, _: x, np.arange(3), 1, e).apply(d)),
        True,
        records=COUNTS,
    ),
    Case(
        SHERPA,
        "SampleWithoutReplacement, 2 of 4",
        _sampled,
        True,
        claim=Claim(math.log(1 + (math.e - 1) / 2)),
        records=Records(4),
    ),
]


# DataSynthesizer: PrivBayes and independent attributes.
def _attribute(m: Any, data: Any, epsilon: float) -> Any:
    attribute = m.AbstractAttribute("kind", False, True, 20, __import__("pandas").Series(data))
    attribute.infer_domain(["x", "y", "z"])
    attribute.infer_distribution()
    attribute.inject_laplace_noise(epsilon, 1)
    return attribute.distribution_probabilities


_LARGEST = (
    "The table has a row for each code up to the largest of the data, so that its length tells whether the largest "
    "is there: with one record less it can be shorter, with probability 1."
)
_SYNTHESIZER = [
    Case(
        SYNTHESIZER,
        "AbstractAttribute.inject_laplace_noise",
        _of(_from("", "DataSynthesizer.datatypes.AbstractAttribute"), _attribute),
        True,
        records=Records(3, columns={"kind": ("x", "y", "z")}, form="list"),
    ),
    Case(
        SYNTHESIZER,
        "get_noisy_distribution_of_attributes",
        _of(
            _from("", "DataSynthesizer.lib.PrivBayes"),
            lambda m, d, e: m.get_noisy_distribution_of_attributes(["kind"], d, e)["count"].tolist(),
        ),
        True,
        "add-remove",
        Records(3, columns={"kind": (0, 1, 2)}, make=_kinds),
        contradicted=_LARGEST,
    ),
]

# TianruiLiu: queries of a table.
_RANGE = "The scale is the range of the values of this table. If all are equal it is 0, and the answer is told."


def _query(kind: str) -> Make:
    return _at_one(
        _from("", "process_query"),
        lambda m, d: m.processOneQuery(d, ["value > -1", "value < 0.7"], "value", kind, 1),
    )


_TIANRUI = [
    Case(TIANRUI, "processOneQuery, Count", _query("Count"), True, records=Records(3, make=_frame())),
    *(
        Case(
            TIANRUI,
            f"processOneQuery, {kind}",
            _query(kind),
            True,
            contradicted=_RANGE,
            records=Records(3, make=_frame()),
        )
        for kind in ("Sum", "Mean", "Max")
    ),
]

# BhumitArora: a copy of a library's Laplace, whose sampler makes one draw of four uniform ones.
_bhumit = _from("", "laplace")
_BHUMIT = [
    Case(
        BHUMIT,
        "Laplace",
        _of(_bhumit, lambda m, d, e: m.Laplace(epsilon=e, sensitivity=1).randomise(float(np.sum(d)))),
        True,
    ),
]


def _adaptive(place: Path) -> Function:
    module = _from("", "mechanisms", "cw_funcs")(place)

    def function(data: Any) -> Any:
        made = module.Gaussian_Mechanism(0.5)
        made.add_data({"data": data})
        made.add_params(0.1, 0.1, None)
        made.check_for_width = None
        return [answer["answer"] for answer in made.get_answer(lambda values: [np.mean(values)])]

    return function


_ADAPTIVE = [Case(ADAPTIVE, "Gaussian_Mechanism, sigma = 1/2", _adaptive, True, claim=Claim(rho=2 / 9))]

# Tukey depth: code beside the paper.
_R = ("rpy2", "rpy2.robjects", "rpy2.robjects.packages", "rpy2.robjects.numpy2ri")
_TUKEY = [
    Case(
        TUKEY,
        "PTR_test",
        _of(_from("", "utils", *_R), lambda m, d, e: m.PTR_test(int(np.sum(d)), e, 1e-2)),
        True,
        records=Records(3, columns={"bit": (0, 1)}),
    ),
    Case(
        TUKEY,
        "standard_gaussian_mechanism",
        _at_one(
            _from("", "mechanisms", *_R),
            lambda m, d: m.standard_gaussian_mechanism(np.array(d, float).reshape(-1, 1), 1.0, 1e-5, 1.0),
        ),
        True,
        claim=SMALL,
        records=Records(3, 0.1, 1.0),
    ),
]


# Compression: code beside the paper.
def _compression(call: Callable[[Any, Any, float], Any]) -> Make:
    def load(place: Path) -> Any:
        accountants = _module("opacus.accountants", RDPAccountant=object)
        accountants.__path__ = []  # type: ignore[attr-defined]
        with standing_in(**{"opacus.accountants": accountants}):
            return _from("", "mechanisms", "utils", "cvxpy", "opacus", "opacus.accountants.analysis", "tqdm")(place)

    return _of(load, call)


PAIR: dict[str, Any] = {"records": Records(1, columns={"a": (-0.5, 0.5), "b": (-0.5, 0.5)})}
UNIT: dict[str, Any] = {"records": Records(1)}
_COMPRESSION = [
    Case(
        COMPRESSION,
        "CLDPMechanism, linf",
        _compression(lambda m, d, e: m.CLDPMechanism(e, 2, 0.5, "linf").privatize(np.asarray(d[0], float))),
        True,
        **PAIR,
    ),
    Case(
        COMPRESSION,
        "CLDPMechanism, l1",
        _compression(lambda m, d, e: m.CLDPMechanism(e, 2, 1.0, "l1").privatize(np.asarray(d[0], float))),
        True,
        **PAIR,
    ),
    Case(
        COMPRESSION,
        "CLDPMechanism, l2",
        _compression(lambda m, d, e: m.CLDPMechanism(e, 2, 1.0, "l2").privatize(np.asarray(d[0], float))),
        True,
        records=Records(1, columns={"a": (0.1, 0.5), "b": (0.1, 0.5)}),
    ),
    Case(
        COMPRESSION,
        "RandomizedResponseMechanism, 2 bits",
        _compression(lambda m, d, e: m.RandomizedResponseMechanism(2, e).privatize(np.asarray(d, float))),
        True,
        **UNIT,
    ),
    Case(
        COMPRESSION,
        "RAPPORMechanism, 2 bits",
        _compression(lambda m, d, e: m.RAPPORMechanism(2, e, 2).privatize(np.asarray(d, float))),
        True,
        **UNIT,
    ),
]


# LDP-Audit: protocols with a delta; numba by nothing.
def _audited(call: Callable[[Any, Any], Any]) -> Make:
    def load(place: Path) -> Any:
        module = _from("", "ldp_audit.approximate_ldp", "numba", "xxhash")(place)
        module.prange = range
        return module

    return _at_one(load, call)


TENTH = Claim(1.0, 0.1)
_AUDIT = [
    Case(
        AUDIT,
        "GM_Client, analytic scale",
        _audited(lambda m, d: m.GM_Client(d, 3, m.find_scale(1.0, 1e-5, math.sqrt(2)))),
        True,
        claim=SMALL,
        **CATEGORY,
    ),
    Case(AUDIT, "AGRR_Client", _audited(lambda m, d: m.AGRR_Client(d, 3, 1.0, 0.1)), True, claim=TENTH, **CATEGORY),
    Case(AUDIT, "ASUE_Client", _audited(lambda m, d: m.ASUE_Client(d, 3, 1.0, 0.1)), True, claim=TENTH, **CATEGORY),
    Case(
        AUDIT,
        "AGRR_Client, for half its delta",
        _audited(lambda m, d: m.AGRR_Client(d, 3, 1.0, 0.1)),
        False,
        claim=Claim(1.0, 0.05),
        **CATEGORY,
    ),
    Case(
        AUDIT, "ALH_Client", _audited(lambda m, d: m.ALH_Client(d, 1.0, 0.1, False)), True, claim=TENTH, **CATEGORY
    ),
]


# Ektelo: operators.
def _ektelo(module: str) -> Callable[[Path], Any]:
    def load(place: Path) -> Any:
        past = _module("past", __path__=[], utils=_module("past.utils", old_div=lambda x, y: x / y))
        with standing_in(**{"past": past, "past.utils": past.utils}):
            return _from("", f"ektelo.private.{module}")(place)

    return load


class Rows(np.ndarray):
    """A matrix whose rows can be told their number."""


def _worst(matrix: Any, known: Any, kind: str) -> Callable[[Any, Any, float], Any]:
    rows = np.array(matrix).view(Rows)
    return lambda m, d, e: (
        m.WorstApprox(rows, [], np.array(known), e, kind).select(np.asarray(d, float), np.random).mwem_index
    )


_OPPOSED = (
    "Scores are distances to estimates: one more record brings one score up and another down, so that their "
    "difference moves by 2. With noise of scale 1/ε its choice loses more than ε: log(e²/2) = 1.31 at a tie."
)
_EKTELO = [
    Case(
        EKTELO,
        "Laplace, prefix sums",
        _of(
            _ektelo("measurement"),
            lambda m, d, e: m.Laplace(np.tril(np.ones((3, 3))), e).measure(np.asarray(d, float), np.random),
        ),
        True,
        **ADDED,
    ),
    Case(
        EKTELO,
        "WorstApprox, noisy max, cells",
        _of(_ektelo("pselection"), _worst([[1, 0, 0], [0, 1, 1]], [0.0, 0.0, 0.0], "NOISYMAX")),
        True,
        **ADDED,
    ),
    Case(
        EKTELO,
        "WorstApprox, noisy max, opposed",
        _of(_ektelo("pselection"), _worst([[1, 0, 0], [1, 0, 1]], [0.0, 0.0, 5.0], "NOISYMAX")),
        True,
        contradicted=_OPPOSED,
        **ADDED,
    ),
    Case(
        EKTELO,
        "WorstApprox, exponential, opposed",
        _of(_ektelo("pselection"), _worst([[1, 0, 0], [1, 0, 1]], [0.0, 0.0, 5.0], "EXPONENTIAL")),
        True,
        **ADDED,
    ),
]

# marko-janic: local mechanisms of a course.
_BITS = (
    "Each bit of a unary code keeps its value with probability e^ε/(1 + e^ε), and two bits differ: the loss is 2 ε."
)


def _sketched(place: Path) -> Function:
    murmur = _module("murmurhash", hash=lambda value, seed: len(value) + seed)
    with standing_in(murmurhash=murmur):
        module = _from("algorithms", "cms", "matplotlib", "matplotlib.pyplot", "seaborn")(place)
    return lambda data, epsilon: module.CountMeanSketch(2, 4, epsilon).client(data)


_JANIC = [
    Case(
        JANIC,
        "apply_laplace_mechanism",
        _of(
            _from("algorithms", "laplace", "matplotlib", "matplotlib.pyplot"),
            lambda m, d, e: m.apply_laplace_mechanism(d["value"], e).tolist(),
        ),
        True,
        records=TABLE,
    ),
    Case(JANIC, "CountMeanSketch.client", _sketched, True, **CATEGORY),
    Case(
        JANIC,
        "unary_randomized_response",
        _of(
            _definitions("algorithms/unary_encoding_var_epsilon.py"),
            lambda m, d, e: m.unary_randomized_response(m.unary_encode(d, [0, 1, 2]), e)[0],
        ),
        True,
        contradicted=_BITS,
        **CATEGORY,
    ),
    Case(
        JANIC,
        "randomized_response",
        _of(
            _definitions("algorithms/randomized_response_var_epsilon.py"),
            lambda m, d, e: m.randomized_response(d, e),
        ),
        True,
        **LOCAL,
    ),
]

_sketch = _from("", "dp_mechanisms")
_SKETCH = [
    Case(
        SKETCH,
        "exponential_mechanism",
        _of(_sketch, lambda m, d, e: m.exponential_mechanism(d, e)),
        True,
        records=COUNTS,
    ),
    Case(
        SKETCH,
        "joint_exponential_mechanism, 2 of 3",
        _of(_sketch, lambda m, d, e: m.joint_exponential_mechanism(d, 2, e)),
        True,
        records=COUNTS,
    ),
    Case(SKETCH, "laplace_mechanism", _of(_sketch, lambda m, d, e: m.laplace_mechanism(np.sum(d), e)), True),
    Case(
        SKETCH,
        "randomized_response",
        _of(_sketch, lambda m, d, e: m.randomized_response(d, 3, e)),
        True,
        **CATEGORY,
    ),
]

_yuukomi = _from("", "differential_privacy")
_YUUKOMI = [
    Case(
        YUUKOMI,
        "NoiseGenerator.laplace_noise",
        _of(_yuukomi, lambda m, d, e: np.sum(d) + m.NoiseGenerator.laplace_noise(1.0, e)),
        True,
    ),
    Case(
        YUUKOMI,
        "NoiseGenerator.gaussian_noise",
        _at_one(_yuukomi, lambda m, d: np.sum(d) + m.NoiseGenerator.gaussian_noise(1.0, 0.5)),
        True,
        claim=HALF,
    ),
]

_ALOGGIA = [
    Case(
        ALOGGIA,
        "anonymize_age_data",
        _at_one(
            _from("", "differential_privacy"),
            lambda m, d: [row[1] for row in m.anonymize_age_data([["", "", ""], *([0, age, ""] for age in d)])[1:]],
        ),
        True,
        claim=Claim(0.5),
        records=Records(2, columns={"age": (20, 21)}),
    )
]


# Estimator of budgets: planted faults after StatDP's, changed.
def _estimated(call: Callable[[Any, Any, float], Any]) -> Make:
    return _of(_from("", "mechanisms"), call)


WHOLE: dict[str, Any] = {
    "records": Records(1, columns={"answer": (0, 1, 2)}),
    "relation": lambda data: (((v,),) for v in (data[0][0] - 1, data[0][0] + 1) if 0 <= v <= 2),
}
_ESTIMATOR = [
    Case(ESTIMATOR, "noisy_max_v1a", _estimated(lambda m, d, e: m.noisy_max_v1a(list(d), e)), True, **OWN),
    Case(ESTIMATOR, "noisy_max_v2b", _estimated(lambda m, d, e: m.noisy_max_v2b(list(d), e)), False, **OWN),
    Case(
        ESTIMATOR,
        "laplace_mechanism, a count",
        _estimated(lambda m, d, e: m.laplace_mechanism(list(d), e)),
        True,
        **OWN,
    ),
    Case(ESTIMATOR, "SVT, N = 1", _estimated(lambda m, d, e: m.SVT(list(d), e, 1, 1.0)), True, **OWN),
    Case(ESTIMATOR, "iSVT2", _estimated(lambda m, d, e: m.iSVT2(list(d), e, 1.0)), False, **OWN),
    Case(ESTIMATOR, "iSVT3, N = 1", _estimated(lambda m, d, e: m.iSVT3(list(d), e, 1, 1.0)), False, **OWN),
    Case(ESTIMATOR, "iSVT4, N = 1", _estimated(lambda m, d, e: m.iSVT4(list(d), e, 1, 1.0)), False, **OWN),
    Case(ESTIMATOR, "Sparse, N = 1", _estimated(lambda m, d, e: m.Sparse(list(d), e, 1, 1.0, 0)), True, **OWN),
    Case(
        ESTIMATOR,
        "truncated_geometric, delta = 0.1",
        _with(_from("", "mechanisms"), lambda m: lambda data: m.truncated_geometric(list(data), 1.0, 0.1)),
        True,
        claim=TENTH,
        **WHOLE,
    ),
    Case(
        ESTIMATOR,
        "histogram_eps, first cell",
        _estimated(lambda m, d, e: m.histogram_eps(list(d), e)),
        False,
        **OWN,
    ),
]

_coco = _from("", "mechanisms")
_COCO = [
    Case(
        COCO,
        f"{name}_mechanism",
        _of(
            _coco,
            lambda m, d, e, name=name: getattr(m, f"{name}_mechanism")(
                true_answer=d, budget=e, sensitivity=1, prng=np.random
            ),
        ),
        True,
        **ADDED,
    )
    for name in ("laplace", "geometric")
]

# MarcJohler: density estimates with private bounds.
_LOCAL_SENSITIVITY = "The scale is the distance of the two lowest values of this very data set, and tells it."
_kde = _from("", "differential_privacy")
COLUMN = Records(3, make=lambda rows: np.array(rows, float).reshape(-1, 1))
_KDE = [
    Case(
        KDE,
        "compute_private_row_count",
        _of(_kde, lambda m, d, e: m.compute_private_row_count(d, e)),
        True,
        "add-remove",
        COLUMN,
    ),
    Case(
        KDE,
        "compute_private_sum",
        _of(_kde, lambda m, d, e: m.compute_private_sum(d, (0, 1), e)),
        True,
        "add-remove",
        COLUMN,
    ),
    Case(
        KDE,
        "compute_private_mean, replaced",
        _of(_kde, lambda m, d, e: m.compute_private_mean(d, (0, 1), e)),
        True,
        records=COLUMN,
    ),
    Case(
        KDE,
        "compute_private_extremal_points",
        _of(_kde, lambda m, d, e: m.compute_private_extremal_points(d, e)),
        True,
        contradicted=_LOCAL_SENSITIVITY,
        records=COLUMN,
    ),
]


# lokeaichirou: a library after another's; its module of helpers is not in the repository.
def _loke(module: str) -> Callable[[Path], Any]:
    def load(place: Path) -> Any:
        helpers = _module(
            "utils",
            check_random_state=lambda seed, _: np.random if seed is None else seed,
            copy_docstring=lambda _: lambda function: function,
        )
        with standing_in(utils=helpers):
            return _from("", f"mechanisms.{module}")(place)

    return load


_LOKE = [
    Case(
        LOKE,
        "Laplace",
        _of(_loke("laplace"), lambda m, d, e: m.Laplace(epsilon=e, sensitivity=1).randomise(float(np.sum(d)))),
        True,
    ),
    Case(
        LOKE,
        "LaplaceTruncated",
        _of(
            _loke("laplace"),
            lambda m, d, e: m.LaplaceTruncated(epsilon=e, sensitivity=1, lower=0, upper=2).randomise(
                float(np.sum(d))
            ),
        ),
        True,
    ),
    Case(
        LOKE,
        "LaplaceFolded",
        _of(
            _loke("laplace"),
            lambda m, d, e: m.LaplaceFolded(epsilon=e, sensitivity=1, lower=0, upper=2).randomise(float(np.sum(d))),
        ),
        True,
    ),
    Case(
        LOKE,
        "Exponential",
        _of(
            _loke("exponential"),
            lambda m, d, e: m.Exponential(epsilon=e, sensitivity=1, utility=_counts(d)).randomise(),
        ),
        True,
        records=KINDS,
    ),
]

_ayala = _from("", "dp_mechanisms")
_AYALA = [
    Case(
        AYALA, "laplace_dp_mechanism", _of(_ayala, lambda m, d, e: m.laplace_dp_mechanism(d.mean(), 1 / 3, e)), True
    ),
    Case(
        AYALA,
        "gaussian_dp_mechanism",
        _at_one(_ayala, lambda m, d: m.gaussian_dp_mechanism(d.mean(), 1 / 3, 1.0, 1e-5)),
        True,
        claim=SMALL,
    ),
]

_ZZZER = [
    Case(
        ZZZER,
        "RR, 3 clients",
        _of(_from("", "randomized_response"), lambda m, d, e: m.RR(3, 1, [i for i in range(3) if d[i]], e)[2]),
        True,
        records=Records(3, columns={"bit": (0, 1)}, form="list"),
    )
]

_THERE = (
    "A name is among the candidates only if a record has it: what is never told with one record less is told here."
)
_WORDS = (
    "A text can have two of the words. Then it moves two counts by 1, each with noise for one: the loss is 2 ε."
)
_SARAVAN = [
    Case(
        SARAVAN,
        "apply_laplace_noise",
        _of(
            _definitions("differential_privacy.py"),
            lambda m, d, e: m.apply_laplace_noise(d["value"], e).tolist(),
        ),
        True,
        records=TABLE,
    ),
    Case(
        SARAVAN,
        "planar_laplace_noise",
        _of(_definitions("location_dp.py"), lambda m, d, e: m.planar_laplace_noise(d[0], e, 2.0)),
        True,
        records=Records(1, columns={"x": (0.0, 1.0), "y": (0.0, 1.0)}, form="list"),
    ),
    Case(
        SARAVAN,
        "exponential_mechanism of names",
        _of(_definitions("user_id_dp.py"), lambda m, d, e: m.exponential_mechanism(d, m.utility_function, e, 1)),
        True,
        contradicted=_THERE,
        records=Records(
            2,
            columns={"name": ("a", "b", "c")},
            make=lambda rows: __import__("pandas").DataFrame({"User_ID": rows}),
        ),
    ),
    Case(
        SARAVAN,
        "laplace_mechanism of words",
        _of(
            _definitions("communication_dp.py"),
            lambda m, d, e: [
                m.laplace_mechanism(m.count_keywords(d, {"good", "luck"})[word], e, 1) for word in ("good", "luck")
            ],
        ),
        True,
        "add-remove",
        Records(2, columns={"text": ("good", "good luck", "no")}, form="list"),
        contradicted=_WORDS,
    ),
]

_RONZADI = [
    Case(
        RONZADI,
        "exp_mech",
        _of(_from("src", "dp_mechanisms"), lambda m, d, e: m.exp_mech(dict(enumerate(d)), e, 1.0)),
        True,
        records=COUNTS,
    )
]

_TELLS = "It returns the probabilities beside what was chosen, and they are computed from the data."
_JHANVI = [
    Case(
        JHANVI,
        "exponential_mechanism",
        _of(_from("", "gaussian"), lambda m, d, e: m.exponential_mechanism(np.asarray(d), [0.25, 0.75], e)),
        True,
        contradicted=_TELLS,
    ),
    Case(
        JHANVI,
        "exponential_mechanism, what is chosen",
        _of(_from("", "gaussian"), lambda m, d, e: m.exponential_mechanism(np.asarray(d), [0.25, 0.75], e)[0]),
        True,
    ),
    Case(
        JHANVI,
        "gaussian_mechanism",
        _at_one(_from("", "laplace"), lambda m, d: m.gaussian_mechanism(np.sum(d), 1.0, 1.0)),
        True,
        claim=SMALL,
    ),
    Case(
        JHANVI,
        "laplace_mechanism",
        _of(_from("", "randomized_response"), lambda m, d, e: m.laplace_mechanism(np.sum(d), 1.0, e)),
        True,
    ),
]


# privacy-shield: columns of a table, by inverse distribution functions.
def _shield(module: str, call: Callable[[Any, Any, float], Any]) -> Make:
    return _of(_from("", f"dp.{module}"), call)


def _columns(m: Any) -> Any:
    return m.DPMechanisms(m.PrivacyBudget(10.0))


_SHIELD = [
    Case(
        SHIELD,
        "add_laplace_noise",
        _shield("laplace", lambda m, d, e: m.add_laplace_noise(float(np.sum(d)), 1, e)),
        True,
    ),
    Case(
        SHIELD,
        "add_laplace_noise, an array",
        _shield("laplace", lambda m, d, e: m.add_laplace_noise(np.asarray(d), 1, e)),
        True,
        records=Records(2),
    ),
    Case(
        SHIELD,
        "add_bounded_laplace_noise",
        _shield("laplace", lambda m, d, e: m.add_bounded_laplace_noise(float(np.sum(d)), 1, e, 0, 3)),
        True,
    ),
    Case(
        SHIELD,
        "add_discrete_laplace_noise",
        _shield("laplace", lambda m, d, e: m.add_discrete_laplace_noise(int(np.sum(d)), 1, e)),
        True,
        records=Records(3, columns={"bit": (0, 1)}),
    ),
    Case(
        SHIELD,
        "add_scaled_laplace_noise",
        _shield("laplace", lambda m, d, e: m.add_scaled_laplace_noise(float(np.sum(d)), 1, e, 100.0)),
        True,
    ),
    Case(
        SHIELD,
        "add_gaussian_noise",
        _at_one(_from("", "dp.gaussian"), lambda m, d: m.add_gaussian_noise(float(np.sum(d)), 1.0, 1.0, 1e-5)),
        True,
        claim=SMALL,
    ),
    Case(
        SHIELD,
        "add_bounded_gaussian_noise, an array",
        _at_one(
            _from("", "dp.gaussian"),
            lambda m, d: m.add_bounded_gaussian_noise(np.asarray(d), 1.0, 1.0, 1e-5, 0, 1),
        ),
        True,
        claim=SMALL,
        records=Records(2),
    ),
    Case(
        SHIELD,
        "DPMechanisms.apply_boolean_noise",
        _shield("mechanisms", lambda m, d, e: _columns(m).apply_boolean_noise(d, {"epsilon": e})),
        True,
        **LOCAL,
    ),
    Case(
        SHIELD,
        "DPMechanisms.apply_boolean_noise, an array",
        _shield("mechanisms", lambda m, d, e: _columns(m).apply_boolean_noise(np.asarray(d), {"epsilon": e})),
        True,
        records=Records(2, columns={"bit": (0, 1)}),
    ),
    Case(
        SHIELD,
        "DPMechanisms.apply_categorical_noise",
        _shield("mechanisms", lambda m, d, e: _columns(m).apply_categorical_noise(str(d), ["0", "1", "2"], e)),
        True,
        **CATEGORY,
    ),
]

_bastan = _from("", "dp_utils")
_BASTAN = [
    Case(BASTAN, "laplace_mechanism", _of(_bastan, lambda m, d, e: m.laplace_mechanism(np.sum(d), 1, e)), True),
    Case(BASTAN, "randomized_response", _of(_bastan, lambda m, d, e: m.randomized_response(d, e)), True, **LOCAL),
    Case(
        BASTAN,
        "unary_encoding_perturb",
        _of(_bastan, lambda m, d, e: m.unary_encoding_perturb(d, 3, e)),
        True,
        contradicted=_BITS,
        **CATEGORY,
    ),
]

_mobility = _from("", "dp_utils")
_DWELLS = Records(
    2,
    columns={"top_category": ("x", "y"), "minimum_dwell": (0.0, 240.0)},
    form="frame",
)
_MOBILITY = [
    Case(
        MOBILITY,
        "randomized_response",
        _of(_mobility, lambda m, d, e: m.randomized_response(d, "kind", e, ["x", "y", "z"])["kind"].tolist()),
        True,
        records=TWO_KINDS,
    ),
    Case(
        MOBILITY,
        "laplace_randomizer",
        _of(_mobility, lambda m, d, e: m.laplace_randomizer(d, "value", e, 0.0, 1.0)["value"].tolist()),
        True,
        records=TABLE,
    ),
    Case(
        MOBILITY,
        "randomize_dataset",
        _of(_mobility, lambda m, d, e: m.randomize_dataset(d, e, ["x", "y"]).to_dict("list")),
        True,
        records=_DWELLS,
    ),
]

# FurkanKarakas: a course's project. A table of counts has a cell for each of eight sets of symptoms.
EIGHT: dict[str, Any] = {
    "relation": "add-remove",
    "records": Records(
        2,
        columns={"cell": ("0", "3", "7")},
        make=lambda rows: np.array([rows.count(str(k)) for k in range(8)]),
    ),
}
_furkan = _from("", "implementations")
_FURKAN = [
    *(
        Case(FURKAN, name, _of(_furkan, lambda m, d, e, name=name: getattr(m, name)(d, e)), True, **EIGHT)
        for name in ("LaplaceCount1", "LaplaceCount2", "LaplaceCountHistogram", "ExponentialMechanism")
    ),
    Case(
        FURKAN,
        "FakeBloomFilter, f = 1/2, 3 bits",
        _at_one(_from("", "rappor"), lambda m, d: m.FakeBloomFilter(np.eye(3, dtype=int)[d], 0.5)),
        True,
        claim=Claim(2 * math.log(3)),
        **CATEGORY,
    ),
    Case(
        FURKAN,
        "RandomizedResponse, 3/4 and 1/4, 3 bits",
        _at_one(_from("", "rappor"), lambda m, d: m.RandomizedResponse(np.eye(3, dtype=int)[d], 0.75, 0.25)),
        True,
        claim=Claim(2 * math.log(3)),
        **CATEGORY,
    ),
]

UNSEEN = [
    *_GHOBI,
    *_FLIP,
    *_TOPK,
    *_MINIMAL,
    *_DIPPS,
    *_SHERPA,
    *_SYNTHESIZER,
    *_TIANRUI,
    *_BHUMIT,
    *_ADAPTIVE,
    *_TUKEY,
    *_COMPRESSION,
    *_AUDIT,
    *_EKTELO,
    *_JANIC,
    *_SKETCH,
    *_YUUKOMI,
    *_ALOGGIA,
    *_ESTIMATOR,
    *_COCO,
    *_KDE,
    *_LOKE,
    *_AYALA,
    *_ZZZER,
    *_SARAVAN,
    *_RONZADI,
    *_JHANVI,
    *_SHIELD,
    *_BASTAN,
    *_MOBILITY,
    *_FURKAN,
]
