"""Adapters to functions of twenty more public repositories: sets of planted faults, libraries, textbooks, courses.

No line of theirs is here. Modules that they import and do not need for drawing are stood in for by empty ones.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.machinery
import io
import math
import sys
import types
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from adapters import BOOK, FIRST, IBM, KINDS, OWN, SMALL, THREE, Case, Function, _book, _package

from noisetap import Claim, Records

Make = Callable[[Path], Function]
GOOGLE = ("google/differential-privacy", "b5b0286e313b64a692abfc8c528d54ef47d960a0")
FREEGAP = ("cmla-psu/freegap", "28b53440f10403eb7be395bb8c93a982d8d40017")
SUN = ("forestneo/sunPytools", "487e3c74c19f7c4cd1502e6fa2ecb9ccbbe4506a")
PURE = ("Samuel-Maddock/pure-LDP", "f4dbcd2edb2404b4cb150708fa20b2ab913b7fc8")
MULTI = ("hharcolezi/multi-freq-ldpy", "fd04aefc676046dc839c262862c24ff00b6c5ccb")
DPCOMP = ("dpcomp-org/dpcomp_core", "233cfcc380320860ab957003b7b6271e0c2027c1")
PGM = ("ryan112358/private-pgm", "4d2b3c566b148da3ef800ce76e6189c548f2da22")
HANDS = (
    "Hands-on-Differential-Privacy-Book/hands-on-differential-privacy",
    "5530b021d8be5670dd529e896a2eb45c88035170",
)
WFA = (
    "world-federation-of-advertisers/cardinality_estimation_evaluation_framework",
    "1727e9545a8f219b543c1b67da6b6653e36d931e",
)
PETINA = ("ORNL/PETINA", "2f1ef7d4f7d749587b6a01bc2da9f7d4b4f9792f")
SADI = ("menisadi/pydp", "0119bc961db5052d67588a4dd40cbe659cfa3445")
LHIDER = ("sisinflab/LHider", "c1f06f034c1f0659c4d5f16fcd2b6b36d10802ab")
BALIT = ("Balitskiy-Gleb/local-differential-privacy", "f257ad63bfd7e8672459e094740a5dcd893b0f02")
MBRG = ("mbrg/differential-privacy", "3e0e6a1bd5b554f5e56ee936ff355c522e323ce4")
COVID = (
    "kugur21/comp430-Differential-Privacy-Implementation-for-Covid-19-DataAnalysis",
    "508e37f0d292b5671d72f1668c18a2353be958e7",
)
AWESOME = ("Billy1900/Awesome-Differential-Privacy", "a6c899b1484c49b9177b3515e54ef46fe29b17f8")
GOLSARP = (
    "golsarp/Differential-and-Local-Differential-Privacy-Implementations-",
    "f05e1c23a6ed6b639b3ba01ce4b7e3009feae7cb",
)
VFV = ("VFVrPQ/LDP", "43b96f6cccf6e53049488bbc788bf6aaa01e214a")
WU = ("steven7woo/Accuracy-First-Differential-Privacy", "47c6a596ee945bbda1da8dc3c240a8cd82d1d719")
CENSUS = (
    "fifiteen82726/Laplace-Mechanism-and-Randomized-Response",
    "7126ab16549bb8fa8ebbf38cd890e7b6bf4f198c",
)

# One person's category, as a whole number; one person's number.
CATEGORY: dict[str, Any] = {
    "records": Records(1, columns={"kind": ("0", "1", "2")}, make=lambda rows: int(rows[0])),
}
PERSON: dict[str, Any] = {"records": Records(1, -1.0, 1.0)}
COUNTS = Records(3, columns={"kind": ("0", "1", "2")}, make=lambda rows: np.array([rows.count(k) for k in "012"]))
SMALL_SUM = Claim(1.0, 1e-5)


class Anything(types.ModuleType):
    """Stand in for a module of which nothing draws: any name of it is callable, and returns the same."""

    def __getattr__(self, name: str) -> Any:
        """Return a stand-in for a name."""
        if name.startswith("__"):
            raise AttributeError(name)
        made = Anything(name)
        setattr(self, name, made)
        return made

    def __call__(self, *args: Any, **_: Any) -> Any:
        """Return what was given, so that it can decorate; or itself."""
        return args[0] if len(args) == 1 and callable(args[0]) else self

    def __rshift__(self, other: Any) -> Any:
        """Be chained."""
        return self

    __or__ = __ror__ = __rrshift__ = __rshift__


def _digest(text: Any, seed: int) -> int:
    return int.from_bytes(hashlib.sha256(f"{seed} {text}".encode()).digest()[:4], "big")


def _hashed(text: Any, seed: int = 0) -> Any:
    return types.SimpleNamespace(intdigest=lambda: _digest(text, seed))


def _stubs(*names: str) -> dict[str, types.ModuleType]:
    made: dict[str, types.ModuleType] = {name: Anything(name) for name in names}
    for name in names:
        made[name].__path__ = []  # type: ignore[attr-defined]
        parent, _, child = name.rpartition(".")
        if parent in made:
            setattr(made[parent], child, made[name])
    if "xxhash" in made:
        made["xxhash"].xxh32 = made["xxhash"].xxh64 = _hashed  # type: ignore[attr-defined]
    return made


class _Missing:
    """Find nothing for modules that nobody else finds: what plots, trains and shows progress is not installed."""

    def __init__(self, folder: Path) -> None:
        self.folder = str(folder)

    def find_spec(self, name: str, *_: Any) -> Any:
        """Return a spec for a stand-in, if a file of the copy asks."""
        frame = sys._getframe(1)
        while frame.f_back is not None and "importlib" in frame.f_code.co_filename:
            frame = frame.f_back
        if not frame.f_code.co_filename.startswith(self.folder):
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]

    def create_module(self, spec: Any) -> types.ModuleType:
        """Make a stand-in."""
        return Anything(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """Do nothing."""


@contextmanager
def _at(folder: Path, *stubs: str) -> Any:
    """Import from a folder with modules stood in for, and forget what was imported from it."""
    before = set(sys.modules)
    kept = {name: sys.modules.get(name) for name in stubs}
    sys.modules.update(_stubs(*stubs))
    finder = _Missing(folder)
    sys.meta_path.append(finder)  # type: ignore[arg-type]
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        sys.meta_path.remove(finder)  # type: ignore[arg-type]
        for name, old in kept.items():
            if old is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = old
        for name in set(sys.modules) - before:
            file = getattr(sys.modules[name], "__file__", None) or ""
            if file.startswith(str(folder)) or isinstance(sys.modules[name], Anything):
                sys.modules.pop(name, None)


def _from(folder: str, module: str, *stubs: str) -> Callable[[Path], Any]:
    """Return what imports one module of a copy."""

    def load(place: Path) -> Any:
        with _at(place / folder, *stubs):
            return importlib.import_module(module)

    return load


def _with(load: Callable[[Path], Any], made: Callable[[Any], Function]) -> Make:
    return lambda place: made(load(place))


# DP-Auditorium: mechanisms of which its documentation says whether they are private.
@contextmanager
def _auditorium(place: Path) -> Any:
    """Import modules of DP-Auditorium without its testers, which need TensorFlow."""
    folder = place / "python" / "dp_auditorium"
    with _at(folder):
        package = types.ModuleType("dp_auditorium")
        package.__path__ = [str(folder / "dp_auditorium")]
        sys.modules["dp_auditorium"] = package
        try:
            yield lambda name: importlib.import_module(f"dp_auditorium.{name}")
        finally:
            sys.modules.pop("dp_auditorium")


def _google_mean(kind: str) -> Make:
    def make(place: Path) -> Function:
        with _auditorium(place) as load:
            mean, utils = load("mechanisms.mean"), load("mechanisms.mechanisms_utils")

        def function(data: Any, epsilon: float) -> Any:
            config = utils.default_mean_mechanism_config_generator(kind, epsilon)
            return mean.MeanMechanism(config, np.random.default_rng())(data, 1)

        return function

    return make


def _google_max(place: Path) -> Function:
    with _auditorium(place) as load:
        module = load("mechanisms.noisy_max")

    def function(data: Any, epsilon: float) -> Any:
        config = types.SimpleNamespace(epsilon=epsilon, num_elements=3)
        return module.NoisyMaxMechanism(config, np.random.default_rng())([int(d) for d in data], 1)

    return function


def _google_svt(name: str, query: str, answered: int = 1, queries: int = 3) -> Make:
    def make(place: Path) -> Function:
        with _auditorium(place) as load:
            module, configs = load("mechanisms.sparse_vector_technique"), load("configs.mechanism_config")

        def function(data: Any, epsilon: float) -> Any:
            config = configs.SVTMechanismConfig(
                epsilon=epsilon,
                max_value=1.0,
                min_value=0.0,
                query_type=configs.QueryType["QUERY_TYPE_" + query],
                num_queries=queries,
                threshold=1.0,
                max_answered_queries=answered,
            )
            said = getattr(module, name)(config, np.random.default_rng())(np.asarray(data, float), 1)
            return [getattr(v, "name", v) for v in said[0]]

        return function

    return make


def _one_less(data: Any) -> Any:
    """Remove a record, so that two at least are left: its authors define the queries for two and more."""
    return (data[:i] + data[i + 1 :] for i in range(len(data)) if len(data) > 2)


LAST_TWO: dict[str, Any] = {"relation": _one_less, "records": Records(4)}
_GOOGLE = [
    Case(GOOGLE, "MeanMechanism, private_mean", _google_mean("private_mean"), True, "add-remove"),
    Case(GOOGLE, "MeanMechanism, non_private_mean_v1", _google_mean("non_private_mean_v1"), False, "add-remove"),
    Case(GOOGLE, "MeanMechanism, non_private_mean_v2", _google_mean("non_private_mean_v2"), False, "add-remove"),
    Case(
        GOOGLE,
        "NoisyMaxMechanism",
        _google_max,
        True,
        records=Records(3, columns={"kind": ("0", "1", "2")}),
    ),
    *(
        Case(GOOGLE, f"{name}, sum", _google_svt(name, "SUM"), True, "add-remove", Records(3))
        for name in ("SVT1", "SVT2")
    ),
    *(
        Case(GOOGLE, f"{name}, revealed records", _google_svt(name, "REVEAL_RECORDS"), sound, **LAST_TWO)
        for name, sound in (("SVT1", True), ("SVT2", True), ("SVT5", False))
    ),
    Case(GOOGLE, "SVT3, 5 queries", _google_svt("SVT3", "REVEAL_RECORDS", 1, 5), False, **LAST_TWO),
    Case(GOOGLE, "SVT6, 5 queries", _google_svt("SVT6", "REVEAL_RECORDS", 5, 5), False, **LAST_TWO),
]


# Free gap: queries of counting, with the gaps that selection gives for nothing.
class OldNumPy(types.ModuleType):
    """NumPy, with names of Python's types that it had before 1.24."""

    float, int = float, int

    def __getattr__(self, name: str) -> Any:
        """Ask NumPy."""
        return getattr(np, name)


def _freegap(module: str, call: Callable[[Any, Any, float], Any]) -> Make:
    def make(place: Path) -> Function:
        found = _from("", f"freegap.{module}", "numba", "matplotlib", "matplotlib.pyplot")(place)
        found.np = OldNumPy("numpy")
        return lambda data, epsilon: call(found, np.asarray(data, float), epsilon)

    return make


_FREEGAP = [
    Case(
        FREEGAP,
        "gap_sparse_vector, k = 1",
        _freegap("gapestimates", lambda m, q, e: m.gap_sparse_vector(q, e, 1, 1.0)),
        True,
        **OWN,
    ),
    Case(
        FREEGAP,
        "gap_sparse_vector, k = 2",
        _freegap("gapestimates", lambda m, q, e: m.gap_sparse_vector(q, e, 2, 1.0)),
        True,
        **OWN,
    ),
    Case(
        FREEGAP,
        "gap_sparse_vector_exp, k = 1",
        _freegap("gapestimates", lambda m, q, e: m.gap_sparse_vector_exp(q, e, 1, 1.0)),
        True,
        **OWN,
    ),
    Case(
        FREEGAP,
        "gap_sparse_vector_geo, k = 1",
        _freegap("gapestimates", lambda m, q, e: m.gap_sparse_vector_geo(q, e, 1, 1.0)),
        True,
        **OWN,
    ),
    Case(
        FREEGAP,
        "gap_noisy_topk, k = 1",
        _freegap("gapestimates", lambda m, q, e: m.gap_noisy_topk(q, e, 1)),
        True,
        **OWN,
    ),
    Case(
        FREEGAP,
        "gap_noisy_topk, k = 2",
        _freegap("gapestimates", lambda m, q, e: m.gap_noisy_topk(q, e, 2)),
        True,
        **OWN,
    ),
    Case(
        FREEGAP,
        "gap_noisy_topk_exp, k = 2",
        _freegap("gapestimates", lambda m, q, e: m.gap_noisy_topk_exp(q, e, 2)),
        True,
        **OWN,
    ),
    Case(
        FREEGAP,
        "laplace_mechanism, 2 answers",
        _freegap("gapestimates", lambda m, q, e: m.laplace_mechanism(q, e, np.array([0, 1]))),
        True,
        **OWN,
    ),
    Case(
        FREEGAP,
        "adaptive_sparse_vector, k = 1, adaptive answer",
        _freegap("adaptivesvt", lambda m, q, e: m.adaptive_sparse_vector(q, e, 1, 1.0)[0]),
        True,
        **OWN,
    ),
    Case(
        FREEGAP,
        "exponential_mechanism, chosen",
        _freegap("expmech", lambda m, q, e: m.exponential_mechanism(q, e, 1)[0][0]),
        True,
        **OWN,
    ),
]


# sunPytools: local privacy.
def _sun(module: str, call: Callable[[Any, Any, float], Any]) -> Make:
    folder = "dplib/dp_mechanisms" if module.startswith("cdp:") else ""
    folder = "dplib/ldp_mechanisms" if module.startswith("ldp:") else folder
    load = _from(folder, module.split(":")[-1], "matplotlib", "matplotlib.pyplot")
    return _with(load, lambda m: lambda data, epsilon: call(m, data, epsilon))


def _one_hot(kind: int, k: int = 3) -> Any:
    return np.array([int(i == kind) for i in range(k)])


HEAVY = "applications.heavy_hitters."
LDP = "dplib.ldp_mechanisms."
_SUN = [
    Case(
        SUN,
        "LaplaceMechanism",
        _sun("cdp:laplace_mechanism", lambda m, d, e: m.LaplaceMechanism(e).randomize(d[0])),
        True,
        **FIRST,
    ),
    Case(
        SUN,
        "Exponential",
        _sun(
            "cdp:exponential",
            lambda m, d, e: m.Exponential(e, 1, ["x", "y", "z"], lambda k, x: list(x).count(k)).exponential(d),
        ),
        True,
        records=KINDS,
    ),
    Case(
        SUN,
        "DuchiMechanism",
        _sun("ldp:duchi_mechanism", lambda m, d, e: m.DuchiMechanism(e).randomize(d[0])),
        True,
        **PERSON,
    ),
    Case(
        SUN,
        "PMBase.randomize",
        _sun("ldp:piecewise_mechanism", lambda m, d, e: m.PMBase(e).randomize(d[0])),
        True,
        **PERSON,
    ),
    Case(
        SUN,
        "PMBase.randomize2",
        _sun("ldp:piecewise_mechanism", lambda m, d, e: m.PMBase(e).randomize2(d[0])),
        True,
        **PERSON,
    ),
    Case(
        SUN,
        "PiecewiseMechanism on [0, 1]",
        _sun("ldp:piecewise_mechanism", lambda m, d, e: m.PiecewiseMechanism(e, (0, 1)).randomize(d[0])),
        True,
        **FIRST,
    ),
    Case(
        SUN,
        "ldplib.k_random_response",
        _sun(LDP + "ldplib", lambda m, d, e: m.k_random_response(d, [0, 1, 2], e)),
        True,
        **CATEGORY,
    ),
    Case(
        SUN,
        "ldplib.k_random_response_new",
        _sun(LDP + "ldplib", lambda m, d, e: m.k_random_response_new(d, 3, e)),
        True,
        **CATEGORY,
    ),
    Case(
        SUN,
        "ldplib.symmetric_unary_encoding",
        _sun(LDP + "ldplib", lambda m, d, e: m.symmetric_unary_encoding(_one_hot(d), e)),
        True,
        **CATEGORY,
    ),
    Case(
        SUN,
        "ldplib.optimized_unary_encoding",
        _sun(LDP + "ldplib", lambda m, d, e: m.optimized_unary_encoding(_one_hot(d), e)),
        True,
        **CATEGORY,
    ),
    Case(SUN, "meanlib.Duchi", _sun(LDP + "meanlib", lambda m, d, e: m.Duchi(e).encode(d[0])), True, **PERSON),
    Case(
        SUN,
        "meanlib.PiecewiseMechanism",
        _sun(LDP + "meanlib", lambda m, d, e: m.PiecewiseMechanism(e).encode(d[0])),
        True,
        **PERSON,
    ),
    Case(
        SUN,
        "meanlib.PiecewiseMechanism, encode_author",
        _sun(LDP + "meanlib", lambda m, d, e: m.PiecewiseMechanism(e).encode_author(d[0])),
        True,
        **PERSON,
    ),
    Case(SUN, "meanlib.Laplace", _sun(LDP + "meanlib", lambda m, d, e: m.Laplace(e).encode(d[0])), True, **PERSON),
    Case(
        SUN,
        "kvlib.kv_en_state_encoding",
        _sun(LDP + "kvlib", lambda m, d, e: m.kv_en_state_encoding((int(d[0] > -0.5), d[0]), e)),
        True,
        **PERSON,
    ),
    Case(
        SUN,
        "kvlib.kv_en_bisample",
        _sun(LDP + "kvlib", lambda m, d, e: m.kv_en_bisample((int(d[0] > -0.5), d[0]), e)),
        True,
        **PERSON,
    ),
    Case(
        SUN,
        "kvlib.kv_en_onehot",
        _sun(LDP + "kvlib", lambda m, d, e: m.kv_en_onehot((int(d[0] > -0.5), d[0]), e)),
        True,
        **PERSON,
    ),
    Case(
        SUN,
        "kvlib.kv_en_privkv, half each",
        _sun(LDP + "kvlib", lambda m, d, e: m.kv_en_privkv((int(d[0] > -0.5), d[0]), e / 2, e / 2)),
        True,
        **PERSON,
    ),
    Case(
        SUN,
        "mdlib.BiSampleMD",
        _sun("dplib.mdlib", lambda m, d, e: m.BiSampleMD(e).user_encode(d[0])),
        True,
        **PERSON,
    ),
    Case(
        SUN,
        "heavy_hitters.GeneralizedRandomizedResponse",
        _sun(HEAVY + "k_randomized_response", lambda m, d, e: m.GeneralizedRandomizedResponse(3, e).user_encode(d)),
        True,
        **CATEGORY,
    ),
    Case(
        SUN,
        "heavy_hitters.RAPPOR",
        _sun(HEAVY + "rappor", lambda m, d, e: m.RAPPOR(3, e).user_encode(d)),
        True,
        **CATEGORY,
    ),
    Case(
        SUN,
        "heavy_hitters.HR",
        _sun(HEAVY + "hadamard_response", lambda m, d, e: m.HR(3, e).user_encode(d)),
        True,
        **CATEGORY,
    ),
]


# pure-LDP: local privacy; its hash functions are stood in for.
def _pure(module: str, call: Callable[[Any, int, float], Any]) -> Make:
    load = _from("", f"pure_ldp.frequency_oracles.{module}", "xxhash")
    return _with(load, lambda m: lambda data, epsilon: call(m, data + 1, epsilon))


def _tables(k: int, m: int) -> list[Callable[[Any], int]]:
    return [lambda text, s=s: _digest(text, s) % m for s in range(k)]  # type: ignore[misc]


def _pairs(k: int, m: int) -> list[Any]:
    return list(zip(_tables(k, m), _tables(k + 1, 2)[1:], strict=True))


_RAPPOR_BITS = (
    "A bit that is 1 stays 1: the function only ever sets bits. A report in which that bit is 0 has probability 0 "
    "for this value and a positive one for a value that does not set it, so that no loss bounds it."
)
_PURE = [
    Case(
        PURE, "UEClient", _pure("unary_encoding", lambda m, d, e: m.UEClient(e, 3).privatise(d)), True, **CATEGORY
    ),
    Case(
        PURE,
        "UEClient, OUE",
        _pure("unary_encoding", lambda m, d, e: m.UEClient(e, 3, use_oue=True).privatise(d)),
        True,
        **CATEGORY,
    ),
    Case(
        PURE, "DEClient", _pure("direct_encoding", lambda m, d, e: m.DEClient(e, 3).privatise(d)), True, **CATEGORY
    ),
    Case(
        PURE,
        "HEClient",
        _pure("histogram_encoding", lambda m, d, e: m.HEClient(e, 3).privatise(d)),
        True,
        **CATEGORY,
    ),
    Case(
        PURE,
        "FastLHClient, 3 hashes",
        _pure("local_hashing", lambda m, d, e: m.FastLHClient(e, 3, 3, 2).privatise(d)),
        True,
        **CATEGORY,
    ),
    Case(
        PURE,
        "CMSClient",
        _pure("apple_cms", lambda m, d, e: m.CMSClient(e, _tables(2, 4), 4).privatise(d)),
        True,
        **CATEGORY,
    ),
    Case(
        PURE,
        "CMSClient, Hadamard",
        _pure("apple_cms", lambda m, d, e: m.CMSClient(e, _tables(2, 4), 4, True).privatise(d)),
        True,
        **CATEGORY,
    ),
    Case(
        PURE,
        "HadamardMechClient, t = 1",
        _pure(
            "hadamard_mechanism.hadamard_mechanism_client",
            lambda m, d, e: list(m.HadamardMechClient(e, 3, 1).privatise(d)),
        ),
        True,
        **CATEGORY,
    ),
    Case(
        PURE,
        "HadamardMechClient, t = 2",
        _pure(
            "hadamard_mechanism.hadamard_mechanism_client",
            lambda m, d, e: list(m.HadamardMechClient(e, 3, 2).privatise(d)),
        ),
        True,
        **CATEGORY,
    ),
    Case(
        PURE,
        "HadamardResponseClient",
        _pure("hadamard_response.hr_client", lambda m, d, e: m.HadamardResponseClient(e, 3, None).privatise(d)),
        True,
        **CATEGORY,
    ),
    Case(
        PURE,
        "PCSClient",
        _pure("priv_count_sketch.pcs_client", lambda m, d, e: m.PCSClient(e, 2, 4, _pairs(2, 4)).privatise(d)),
        True,
        **CATEGORY,
    ),
    Case(
        PURE,
        "RAPPORClient, 5 bits, 1 hash",
        _pure(
            "rappor.rappor_client",
            lambda m, d, e: m.RAPPORClient(2 / (math.exp(e / 2) + 1), 5, [_tables(1, 5)], 1).privatise(d),
        ),
        True,
        contradicted=_RAPPOR_BITS,
        **CATEGORY,
    ),
]


# multi-freq-ldpy: local privacy; numba by nothing.
def _multi(module: str, call: Callable[[Any, int, float], Any]) -> Make:
    load = _from("src", f"multi_freq_ldpy.{module}", "numba", "xxhash")
    return _with(load, lambda m: lambda data, epsilon: call(m, data, epsilon))


POF = "pure_frequency_oracles."
_MULTI = [
    Case(MULTI, "GRR_Client", _multi(POF + "GRR", lambda m, d, e: m.GRR_Client(d, 3, e)), True, **CATEGORY),
    Case(MULTI, "UE_Client, OUE", _multi(POF + "UE", lambda m, d, e: m.UE_Client(d, 3, e)), True, **CATEGORY),
    Case(
        MULTI, "UE_Client, SUE", _multi(POF + "UE", lambda m, d, e: m.UE_Client(d, 3, e, False)), True, **CATEGORY
    ),
    Case(MULTI, "HE_Client", _multi(POF + "HE", lambda m, d, e: m.HE_Client(d, 3, e)), True, **CATEGORY),
    Case(
        MULTI,
        "SS_Client, 6 values",
        _multi(POF + "SS", lambda m, d, e: sorted(int(v) for v in m.SS_Client(d, 6, e))),
        True,
        **CATEGORY,
    ),
    Case(MULTI, "ADP_Client", _multi(POF + "ADP", lambda m, d, e: m.ADP_Client(d, 3, e)), True, **CATEGORY),
    Case(
        MULTI, "ADP_Client, 12 values", _multi(POF + "ADP", lambda m, d, e: m.ADP_Client(d, 8, e)), True, **CATEGORY
    ),
    Case(
        MULTI,
        "L_GRR_Client",
        _multi("long_freq_est.L_GRR", lambda m, d, e: m.L_GRR_Client(d, 3, 2 * e, e)),
        True,
        **CATEGORY,
    ),
    Case(
        MULTI,
        "dBitFlipPM_Client, 2 of 3 bits",
        _multi("long_freq_est.dBitFlipPM", lambda m, d, e: m.dBitFlipPM_Client(d, 3, 3, 2, e)),
        True,
        **CATEGORY,
    ),
    Case(
        MULTI,
        "SMP_GRR_Client, 2 attributes",
        _multi("mdim_freq_est.SMP_solution", lambda m, d, e: m.SMP_GRR_Client((d, 2 - d), (3, 3), 2, e)),
        True,
        **CATEGORY,
    ),
    Case(
        MULTI,
        "SPL_GRR_Client, 2 attributes",
        _multi("mdim_freq_est.SPL_solution", lambda m, d, e: m.SPL_GRR_Client((d, 2 - d), (3, 3), 2, e)),
        True,
        **CATEGORY,
    ),
]


# DPComp: estimates of a histogram, for adding or removing a record.
def _dpcomp(module: str, call: Callable[[Any, Any, float], Any]) -> Make:
    def make(place: Path) -> Function:
        with _at(place):
            package = types.ModuleType("dpcomp_core.algorithm")
            package.__path__ = [str(place / "dpcomp_core" / "algorithm")]
            util = types.ModuleType("dpcomp_core.util")
            util.old_div = lambda x, y: x / y  # type: ignore[attr-defined]
            util.init_params_from_locals = lambda _: {}  # type: ignore[attr-defined]
            core = types.ModuleType("dpcomp_core")
            core.__path__ = [str(place / "dpcomp_core")]
            core.util = util  # type: ignore[attr-defined]
            engine = types.ModuleType("dpcomp_core.algorithm.estimate_engine")
            engine.estimate_engine = object  # type: ignore[attr-defined]
            names = {
                "dpcomp_core": core,
                "dpcomp_core.util": util,
                "dpcomp_core.algorithm": package,
                "dpcomp_core.algorithm.estimate_engine": engine,
            }
            package.estimate_engine = engine  # type: ignore[attr-defined]
            sys.modules.update(names)
            found = importlib.import_module(f"dpcomp_core.algorithm.{module}")
            for name in names:
                sys.modules.pop(name, None)
        return lambda data, epsilon: call(found, data, epsilon)

    return make


_DPCOMP = [
    Case(
        DPCOMP,
        "identity",
        _dpcomp("identity", lambda m, x, e: m.identity_engine().Run(None, x, e, 1)),
        True,
        "add-remove",
        COUNTS,
    ),
    Case(
        DPCOMP,
        "uniform_noisy",
        _dpcomp("uniform", lambda m, x, e: m.uniform_noisy_engine().Run(None, x, e, 1)),
        True,
        "add-remove",
        COUNTS,
    ),
    Case(
        DPCOMP,
        "privelet, 3 cells",
        _dpcomp("privelet", lambda m, x, e: m.privelet_engine().Run(None, x, e, 1)),
        True,
        "add-remove",
        COUNTS,
    ),
    Case(
        DPCOMP,
        "privelet, 32 cells",
        _dpcomp(
            "privelet",
            lambda m, x, e: m.privelet_engine().Run(None, np.tile(x, 11)[:32] * np.array([1] * 3 + [0] * 29), e, 1),
        ),
        True,
        "add-remove",
        COUNTS,
    ),
    Case(DPCOMP, "H2", _dpcomp("HB", lambda m, x, e: m.H2_engine().Run(None, x, e, 1)), True, "add-remove", COUNTS),
    Case(DPCOMP, "HB", _dpcomp("HB", lambda m, x, e: m.HB_engine().Run(None, x, e, 1)), True, "add-remove", COUNTS),
]


# private-pgm: the parts of its mechanisms that draw.
def _pgm(call: Callable[[Any, Any, float], Any]) -> Make:
    load = _from("mechanisms", "mechanism")
    return _with(load, lambda m: lambda data, epsilon: call(m.Mechanism(epsilon, 0, False), data, epsilon))


_PGM = [
    Case(PGM, "exponential_mechanism", _pgm(lambda m, q, e: m.exponential_mechanism(q, e)), True, records=COUNTS),
    Case(PGM, "permute_and_flip", _pgm(lambda m, q, e: m.permute_and_flip(q, e)), True, records=COUNTS),
    Case(
        PGM,
        "generalized_exponential_mechanism",
        _pgm(lambda m, q, e: m.generalized_exponential_mechanism(q, np.array([1.0, 1.0, 1.0]), e)),
        True,
        records=COUNTS,
    ),
    Case(
        PGM,
        "laplace_noise",
        _pgm(lambda m, q, e: q + m.laplace_noise(m.laplace_noise_scale(1.0, e), 3)),
        True,
        "add-remove",
        COUNTS,
    ),
    Case(
        PGM,
        "laplace_noise, replaced",
        _pgm(lambda m, q, e: q + m.laplace_noise(m.laplace_noise_scale(1.0, e), 3)),
        False,
        records=COUNTS,
    ),
]


# Hands-On Differential Privacy: its scripts make measurements of a function and its privacy map.
class Measurement:
    """Stand in for a measurement of OpenDP: its function, and its map."""

    def __init__(self, function: Callable[..., Any], privacy_map: Callable[..., Any]) -> None:
        self.function, self.map = function, privacy_map

    def __call__(self, arg: Any) -> Any:
        """Call the function."""
        return self.function(arg)


def _hands(module: str, made: Callable[[Any], Measurement], call: Callable[[Measurement, Any], Any]) -> Make:
    def make(place: Path) -> Function:
        names = ("opendp", "opendp.prelude", "opendp.core")
        with _at(place / "scripts", *names):
            prelude: Any = sys.modules["opendp.prelude"]
            prelude.m.make_user_measurement = lambda *_, function, privacy_map, **__: Measurement(
                function, privacy_map
            )
            prelude.t.make_user_transformation = lambda *_, function, stability_map, **__: Measurement(
                function, stability_map
            )
            prelude.Queryable = type("Queryable", (), {})
            prelude.new_queryable = lambda transition, **_: transition
            with contextlib.redirect_stdout(io.StringIO()):
                found = importlib.import_module(module)
        measurement = made(found)
        # The module is named so that what it took by name from a generator is listened to.
        return lambda data: call(measurement, data) if found else None

    return make


def _stream(measurement: Measurement, data: Any) -> Any:
    transition, said = measurement(lambda query: float(np.sum(data > query))), []
    for query in (0.8, 0.5, 0.2):
        said.append(transition(query))
        if said[-1]:
            break
    return said


_TEMPERATURE = (
    "With weights exp(t s) a score that moves by 1 changes each weight by at most exp(t), and the sum of them too: "
    "the loss is up to 2 t. The map says 2/t, which is the same for t = 1 alone."
)
_HANDS = [
    Case(
        HANDS,
        "make_randomized_response_multi, p = 0.7",
        _hands(
            "ch04_rr_multi",
            lambda m: m.make_randomized_response_multi(0.7, ["0", "1", "2"]),
            lambda m, d: m(str(d)),
        ),
        True,
        claim=Claim(math.log(0.7 / 0.3 * 2)),
        **CATEGORY,
    ),
    Case(
        HANDS,
        "make_report_noisy_max_gumbel, scale 2",
        _hands("ch04_report_noisy_max", lambda m: m.make_report_noisy_max_gumbel(2.0), lambda m, d: m(d)),
        True,
        records=COUNTS,
    ),
    Case(
        HANDS,
        "make_report_noisy_max_exponential, scale 2",
        _hands("ch04_report_noisy_max", lambda m: m.make_report_noisy_max_exponential(2.0), lambda m, d: m(d)),
        True,
        records=COUNTS,
    ),
    Case(
        HANDS,
        "make_report_noisy_max_gumbel, monotonic, scale 1",
        _hands("ch04_report_noisy_max", lambda m: m.make_report_noisy_max_gumbel(1.0, True), lambda m, d: m(d)),
        True,
        "add-remove",
        COUNTS,
    ),
    Case(
        HANDS,
        "make_finite_exponential_mechanism, temperature 1",
        _hands(
            "ch04_finite_exponential_mechanism",
            lambda m: m.make_finite_exponential_mechanism(1.0),
            lambda m, d: m([float(v) for v in d]),
        ),
        True,
        claim=Claim(2.0),
        records=COUNTS,
    ),
    Case(
        HANDS,
        "make_finite_exponential_mechanism, temperature 2",
        _hands(
            "ch04_finite_exponential_mechanism",
            lambda m: m.make_finite_exponential_mechanism(2.0),
            lambda m, d: m([float(v) for v in d]),
        ),
        True,
        claim=Claim(1.0),
        records=COUNTS,
        contradicted=_TEMPERATURE,
    ),
    Case(
        HANDS,
        "make_above_threshold, scale 2",
        _hands("ch04_stream", lambda m: m.make_above_threshold(2.0, 2.0), _stream),
        True,
    ),
    Case(
        HANDS,
        "make_above_threshold, monotonic, scale 1",
        _hands("ch04_stream", lambda m: m.make_above_threshold(2.0, 1.0, True), _stream),
        True,
        "add-remove",
    ),
]


# Cardinality estimation: Laplace and discrete Laplace noise.
def _wfa(name: str) -> Make:
    def make(place: Path) -> Function:
        module = _from(
            "src/common", "noisers", "dp_accounting", "dp_accounting.accountant", "dp_accounting.common"
        )(place)
        return lambda data, epsilon: getattr(module, name)(lambda x: x, 1.0, epsilon)(data)

    return make


_WFA = [
    Case(WFA, "LaplaceMechanism", _wfa("LaplaceMechanism"), True, "add-remove", COUNTS),
    Case(WFA, "GeometricMechanism", _wfa("GeometricMechanism"), True, "add-remove", COUNTS),
]


# PETINA: torch by nothing.
def _petina(module: str, call: Callable[[Any, Any], Any]) -> Make:
    def make(place: Path) -> Function:
        with _at(place, "torch", "PETINA.package", "PETINA.package.csvec", "PETINA.package.csvec.csvec"):
            torch: Any = sys.modules["torch"]
            torch.Tensor = type("Tensor", (), {})
            torch.device = type("device", (), {})
            sys.modules["PETINA.package.csvec.csvec"].CSVec = type("CSVec", (), {})  # type: ignore[attr-defined]
            package = types.ModuleType("PETINA")
            package.__path__ = [str(place / "PETINA")]
            sys.modules["PETINA"] = package
            found = importlib.import_module(module)
            sys.modules.pop("PETINA")
        return lambda data: call(found, data)

    return make


DP, BITS = "PETINA.DP_Mechanisms.core", "PETINA.Encoding_Pertubation.bit_perturbation_and_encoding"
_PETINA = [
    Case(PETINA, "applyDPLaplace", _petina(DP, lambda m, d: m.applyDPLaplace([float(np.sum(d))], 1, 1.0)), True),
    Case(
        PETINA,
        "applyDPExponential",
        _petina(DP, lambda m, d: m.applyDPExponential([float(np.sum(d))], 1.0, 1.0)),
        True,
    ),
    Case(
        PETINA,
        "applyDPGaussian",
        _petina(DP, lambda m, d: m.applyDPGaussian([float(np.sum(d))], 1e-5, 1.0)),
        True,
        claim=SMALL,
    ),
    Case(
        PETINA,
        "applyRDPGaussian, as zCDP",
        _petina(DP, lambda m, d: m.applyRDPGaussian([float(np.sum(d))], 1.0, 10.0, 1.0)),
        True,
        claim=Claim(rho=0.1),
    ),
    Case(
        PETINA,
        "applyPruningDP, 1 value",
        _petina(DP, lambda m, d: m.applyPruningDP([float(d[0])], 0.5, 1.0, 1.0)),
        True,
        **FIRST,
    ),
    Case(
        PETINA,
        "perturb, p = 0.75, q = 0.25",
        _petina(BITS, lambda m, d: m.perturb(m.encode(d, [0, 1, 2]), 0.75, 0.25)),
        True,
        claim=Claim(math.log(9)),
        **CATEGORY,
    ),
    Case(
        PETINA,
        "she_perturbation",
        _petina(BITS, lambda m, d: m.she_perturbation(m.encode(d, [0, 1, 2]), 1.0)),
        True,
        **CATEGORY,
    ),
    Case(
        PETINA,
        "the_perturbation",
        _petina(BITS, lambda m, d: m.the_perturbation(m.encode(d, [0, 1, 2]), 1.0)),
        True,
        **CATEGORY,
    ),
]


# pydp: basic mechanisms; its quality function counts.
def _sadi(call: Callable[[Any, Any, float], Any]) -> Make:
    return _with(_from("src", "basicdp", "gmpy2"), lambda m: lambda data, epsilon: call(m, list(data), epsilon))


def _count(data: Any, kind: Any) -> float:
    return float(list(data).count(kind))


_LARGEST = (
    "The scale of the noise is that of the largest vector of the data, and so tells it: two inputs that differ in "
    "the largest vector have noise of different scales, and far outputs have densities with any ratio."
)
_TIE = (
    "Two counts are equal, and the first is told with probability δ/2, the second never. With one record more of "
    "the second kind it is told where noise of scale 1/ε exceeds log(1/δ)/ε - 1: with probability e^ε δ/2, which "
    "exceeds δ for ε > log 2."
)
_SADI = [
    Case(
        SADI,
        "noisy_max, counts, one more record",
        _sadi(lambda m, d, e: m.noisy_max(d, list("xyz"), _count, e)),
        True,
        "add-remove",
        KINDS,
    ),
    Case(
        SADI,
        "exponential_mechanism",
        _sadi(lambda m, d, e: m.exponential_mechanism(d, list("xyz"), _count, e)),
        True,
        records=KINDS,
    ),
    Case(
        SADI,
        "above_threshold_on_queries",
        _sadi(lambda m, d, e: m.above_threshold_on_queries(np.asarray(d), THREE, 2.0, e)),
        True,
    ),
    Case(
        SADI,
        "a_dist",
        _sadi(lambda m, d, e: m.a_dist(d, list("xyz"), _count, e, 1e-2)),
        True,
        "add-remove",
        KINDS,
        Claim(1.0, 1e-2),
        contradicted=_TIE,
    ),
    Case(
        SADI,
        "a_dist, epsilon = 1/2",
        _sadi(lambda m, d, _: m.a_dist(d, list("xyz"), _count, 0.5, 1e-2)),
        True,
        "add-remove",
        KINDS,
        Claim(0.5, 1e-2),
    ),
    Case(
        SADI,
        "noisy_avg",
        _sadi(lambda m, d, e: m.noisy_avg([(v,) for v in d], lambda _: True, 1, e, 1e-2)),
        True,
        "add-remove",
        claim=Claim(1.0, 1e-2),
        contradicted=_LARGEST,
    ),
]


def _lhider(place: Path) -> Function:
    module = _from("src/exponential_mechanism", "mechanism")(place)
    vars(module).update(tqdm=types.SimpleNamespace(tqdm=lambda x: x))

    class Score:
        sensitivity, range = 1.0, 1.0

        def __init__(self, counts: Any) -> None:
            self.counts = counts

        def __call__(self, at: int) -> float:
            return float(self.counts[at])

    def function(data: Any, epsilon: float) -> Any:
        with contextlib.redirect_stdout(io.StringIO()):
            return module.ExponentialMechanism(Score(data), epsilon).privatize([0, 1, 2])

    return function


# Mechanisms for federated learning: one person's vector.
def _balit(module: str, call: Callable[[Any, Any, float], Any]) -> Make:
    return _with(_from("", f"ldp.{module}"), lambda m: lambda data, epsilon: call(m, np.asarray(data), epsilon))


_QUANTILES = (
    "The bounds that values are clipped to, and with them the scale of the noise, are quantiles of the person's "
    "own values. Two persons with different ranges get noise of different scales, which far outputs tell apart."
)
_PEOPLE: dict[str, Any] = {"relation": "replace-one", "records": Records(2, -1.0, 1.0)}


# A course's library: queries of databases over a universe.
def _mbrg(call: Callable[[Any, Any, float], Any]) -> Make:
    def make(place: Path) -> Function:
        with _at(place):
            basic = importlib.import_module("mechanism.basic")
            multi = importlib.import_module("mechanism.multiqueries")
            database, query = importlib.import_module("data.database"), importlib.import_module("data.query")
        parts = types.SimpleNamespace(basic=basic, multi=multi, database=database, query=query)
        parts.universe = database.Universe([0, 1, 2])
        return lambda data, epsilon: call(
            parts, database.Database(np.asarray(data), "histogram", parts.universe), epsilon
        )

    return make


def _asked(p: Any, dim: int = 3) -> Any:
    return p.query.Query(p.universe, lambda db: db.data if dim > 1 else float(db.data[0]), dim=dim, sensitivity=1)


def _at_curator(p: Any, db: Any, epsilon: float) -> list[Any]:
    curator, said = p.multi.AT(db, 3, 1, 1.0, epsilon, 0), []
    for at in range(3):
        query = p.query.Query(p.universe, lambda d, at=at: float(d.data[at]), dim=1, sensitivity=1)
        said.append(curator.value(query))
        if said[-1] is not None:
            break
    return said


def _category_utility(p: Any) -> Any:
    return p.query.Utility(p.universe, [0, 1, 2], lambda db, c: float(db.data[c]), sensitivity=1)


_MBRG = [
    Case(MBRG, "laplace", _mbrg(lambda p, db, e: p.basic.laplace(db, _asked(p), e)), True, "add-remove", COUNTS),
    Case(
        MBRG,
        "exponential",
        _mbrg(lambda p, db, e: p.basic.exponential(db, _category_utility(p), e)),
        True,
        records=COUNTS,
    ),
    Case(
        MBRG,
        "report_noisy_max",
        _mbrg(lambda p, db, e: p.basic.report_noisy_max(db, _asked(p), e)),
        True,
        "add-remove",
        COUNTS,
    ),
    Case(MBRG, "AT, 1 answer", _mbrg(_at_curator), True, "add-remove", COUNTS),
]


def _covid(call: Callable[[Any, Any, float], Any]) -> Make:
    load = _from("privacy", "differential_privacy")
    return _with(load, lambda m: lambda data, epsilon: call(m, list(data), epsilon))


_COVID = [
    Case(COVID, "laplace_mechanism", _covid(lambda m, d, e: m.laplace_mechanism(d, e)), True, "add-remove", COUNTS),
    Case(
        COVID,
        "gaussian_mechanism",
        _covid(lambda m, d, e: m.gaussian_mechanism(d, e)),
        True,
        "add-remove",
        COUNTS,
        SMALL,
    ),
    Case(COVID, "report_noisy_max", _covid(lambda m, d, e: m.report_noisy_max(d, e)), True, "add-remove", COUNTS),
    Case(
        COVID,
        "exponential_mechanism",
        _covid(lambda m, d, e: m.exponential_mechanism(["a", "b", "c"], d, e)),
        True,
        records=COUNTS,
    ),
]


def _awesome(place: Path) -> Function:
    with _at(place / "Laplace&Exponetial"):
        module = importlib.import_module("src.laplace_mechanism")
        at = module.ATTNAME.index("age")

    def function(data: Any, epsilon: float) -> Any:
        records = [[0] * at + [float(age)] for age in data]
        return module.LaplaceMechanism(records).query_with_dp(epsilon, 1)

    return function


_LOCATION = (
    "The first argument of NumPy's laplace is its location: the noise has scale 1, whatever ε, and location s/ε. "
    "Both, and the average, depend on the data; the average moves by more than 1 where ages differ by more than 3."
)


def _golsarp(module: str, call: Callable[[Any, Any, float], Any]) -> Make:
    load = _from(f"src/{module}", f"{module}_skeleton", "matplotlib", "matplotlib.pyplot")
    return _with(load, lambda m: lambda data, epsilon: call(m, data, epsilon))


def _short(m: Any) -> Any:
    m.DOMAIN = [1, 2, 3]
    return m


def _ratings(kinds: Any) -> Any:
    return __import__("pandas").DataFrame(
        {"user_id": range(len(kinds)), **{k: [10 if v == k else 1 for v in kinds] for k in "012"}}
    )


_TWICE = (
    "The exponent is ε·count/1·2, which is 2 ε times the count: one record moves two counts by 1, and the ratio of "
    "two weights by exp(4 ε). With one more record of one kind a weight changes by exp(2 ε)."
)
_GOLSARP = [
    Case(
        GOLSARP,
        "get_dp_histogram",
        _golsarp("dp", lambda m, d, e: m.get_dp_histogram(list(enumerate(d)), e)),
        True,
        records=COUNTS,
    ),
    Case(
        GOLSARP,
        "expo_result",
        _golsarp("dp", lambda m, d, e: m.expo_result(dict(enumerate(d)), e)),
        True,
        records=COUNTS,
    ),
    Case(
        GOLSARP,
        "most_10rated_exponential",
        _golsarp("dp", lambda m, d, e: m.most_10rated_exponential(_ratings(d), e)),
        True,
        contradicted=_TWICE,
        records=Records(2, columns={"kind": ("0", "1", "2")}, form="list"),
    ),
    Case(
        GOLSARP, "perturb_grr", _golsarp("ldp", lambda m, d, e: _short(m).perturb_grr(d + 1, e)), True, **CATEGORY
    ),
    Case(
        GOLSARP,
        "perturb_rappor",
        _golsarp("ldp", lambda m, d, e: _short(m).perturb_rappor(m.encode_rappor(d + 1), e)),
        True,
        **CATEGORY,
    ),
    Case(
        GOLSARP,
        "perturb_oue",
        _golsarp("ldp", lambda m, d, e: _short(m).perturb_oue(m.encode_oue(d + 1), e)),
        True,
        **CATEGORY,
    ),
]


def _vfv(name: str) -> Make:
    load = _from("", f"{name}.{name}")
    return _with(load, lambda m: lambda data, epsilon: getattr(m, name)(3, epsilon, 1).PE(data + 1))


_AGAIN = (
    "A bit that was 1 and is set to 0 is then looked at as a 0, and set again with probability q = 1/(e^ε + 1). It "
    "stays 1 with probability p = (1 + q)/2, so that the loss is log(p (1 - q)/(q (1 - p))) = log(e^ε + 2)."
)


def _wu(call: Callable[[Any, Any, float], Any], module: str = "sparsevec") -> Make:
    return _with(_from("code", module), lambda m: lambda data, epsilon: call(m, np.asarray(data), epsilon))


def _census(place: Path) -> Function:
    module = _from("exercise1", "laplace", "matplotlib", "matplotlib.pyplot")(place)

    def function(data: Any) -> Any:
        records = [[0.0] * 4 + [20.0] + [0] * 9 + ["<=50K" if v > 0.5 else ">50K"] for v in data]
        dataset = types.SimpleNamespace(records=records)
        mechanism = module.Laplace()
        return mechanism.lapmech(dataset, mechanism.threshold_query(dataset), 1.0)

    return function


_COUNT = (
    "The query is a count, which one record moves by 1. The scale is 1/(n ε), which would fit a share of n: the "
    "loss is n ε for n records, 3 ε here."
)

# More of the library and of the book.
CLIPPED = Records(3, make=lambda rows: np.array(rows, float))


def _ibm_tool(call: Callable[[Any, Any, float], Any]) -> Make:
    return lambda place: (lambda tools: lambda data, epsilon: call(tools, data, epsilon))(
        _package(place, "diffprivlib.tools")
    )


def _ibm_noise(place: Path) -> Function:
    mechanism = _package(place, "diffprivlib.mechanisms").LaplaceBoundedNoise
    return lambda data: mechanism(epsilon=1.0, delta=0.1, sensitivity=1).randomise(float(data[0]))


def _ibm_hierarchy(place: Path) -> Function:
    mechanism = _package(place, "diffprivlib.mechanisms").ExponentialHierarchical
    return lambda data, epsilon: mechanism(epsilon=epsilon, hierarchy=[["0", "1"], ["2", "3"]]).randomise(str(data))


def _pandas(rows: list[Any]) -> Any:
    return __import__("pandas").Series(rows, dtype=float)


_SERIES = Records(3, make=_pandas)
_PTR = (
    "The noisy distance has scale 1/ε and passes log(2/δ)/(2 ε) with probability (δ/2)^(1/2)/2 where the distance "
    "is 0: far more than δ. Then a mean that one record moves by far more than b is told with noise of scale b/ε."
)
_MORE = [
    Case(IBM, "LaplaceBoundedNoise", _ibm_noise, True, claim=Claim(1.0, 0.1), **FIRST),
    Case(
        IBM,
        "ExponentialHierarchical",
        _ibm_hierarchy,
        True,
        records=Records(1, columns={"kind": ("0", "1", "2", "3")}, make=lambda rows: rows[0]),
    ),
    Case(
        IBM,
        "tools.count_nonzero",
        _ibm_tool(lambda t, d, e: t.count_nonzero(d > 0.5, epsilon=e)),
        True,
        records=CLIPPED,
    ),
    Case(IBM, "tools.mean", _ibm_tool(lambda t, d, e: t.mean(d, epsilon=e, bounds=(0, 1))), True, records=CLIPPED),
    Case(IBM, "tools.sum", _ibm_tool(lambda t, d, e: t.sum(d, epsilon=e, bounds=(0, 1))), True, records=CLIPPED),
    Case(
        IBM,
        "tools.histogram",
        _ibm_tool(lambda t, d, e: t.histogram(d, epsilon=e, bins=2, range=(0, 1))[0]),
        True,
        "add-remove",
        CLIPPED,
    ),
    Case(
        IBM, "tools.median", _ibm_tool(lambda t, d, e: t.median(d, epsilon=e, bounds=(0, 1))), True, records=CLIPPED
    ),
    Case(
        BOOK,
        "ptr_avg",
        lambda place: (lambda b: lambda data: b.ptr_avg(data, 1.0, 0.1, 1.0, 1e-5))(_book(place, 7)),
        True,
        "add-remove",
        Records(3, columns={"age": (0.0, 1.0)}, make=_pandas),
        SMALL,
        contradicted=_PTR,
    ),
    Case(
        BOOK,
        "gaussian_mech",
        lambda place: (lambda b: lambda data: b.gaussian_mech(np.sum(data), 1.0, 1.0, 1e-5))(_book(place, 12)),
        True,
        claim=SMALL,
    ),
    Case(
        BOOK,
        "gaussian_mech_RDP_vec, as zCDP",
        lambda place: (lambda b: lambda data: b.gaussian_mech_RDP_vec([np.sum(data)], 1.0, 10.0, 1.0))(
            _book(place, 8)
        ),
        True,
        claim=Claim(rho=0.1),
    ),
]

OTHERS = [
    *_GOOGLE,
    *_MORE,
    *_FREEGAP,
    *_SUN,
    *_PURE,
    *_MULTI,
    *_DPCOMP,
    *_PGM,
    *_HANDS,
    *_WFA,
    *_PETINA,
    *_SADI,
    Case(LHIDER, "ExponentialMechanism", _lhider, True, records=COUNTS),
    Case(
        BALIT,
        "HarmonyLDP, 1 of 2 values",
        _balit("harmony", lambda m, d, e: m.HarmonyLDP(e, modified=False, norm_input=False).encode(d)),
        True,
        **_PEOPLE,
    ),
    Case(
        BALIT,
        "LaplaceLDP",
        _balit("laplace", lambda m, d, e: m.LaplaceLDP(e).encode(d)),
        True,
        contradicted=_QUANTILES,
        **_PEOPLE,
    ),
    *_MBRG,
    *_COVID,
    Case(AWESOME, "LaplaceMechanism", _awesome, True, records=Records(3, 26.0, 90.0), contradicted=_LOCATION),
    *_GOLSARP,
    Case(VFV, "OUE", _vfv("OUE"), True, contradicted=_AGAIN, **CATEGORY),
    Case(VFV, "SHE", _vfv("SHE"), True, **CATEGORY),
    Case(WU, "below_threshold", _wu(lambda m, d, e: m.below_threshold(d, THREE, 2.0, e, 1.0)), True),
    Case(
        WU,
        "noise_reduc.gen_list, 2 steps",
        _wu(lambda m, d, e: m.gen_list(np.array([float(np.sum(d))]), 1.0, [e / 2, e]), "noise_reduc"),
        True,
    ),
    Case(CENSUS, "Laplace.lapmech", _census, True, contradicted=_COUNT),
]
