"""Adapters to functions in public repositories whose authors say whether they keep a claim.

No line of theirs is here. A function is read, unedited, from a copy of its repository at the commit that is named.
Most take answers of queries: a neighbour moves each answer by at most 1 (`all_move`), or one of them (`one_moves`).
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import json
import math
import sys
import types
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from noisetap import Claim, Records

Function = Callable[..., Any]
STATDP = ("cmla-psu/statdp", "d1f1e8fafa1fe15342dc9502654ec241585b9919")
SNIPER = ("eth-sri/dp-sniper", "ee087b2584ca97d1064154db5dd2bda0bb5a8ceb")
IBM = ("IBM/differential-privacy-library", "5d9c9d873c99295f14b0cfb61866fafbf3cc4684")
BOOK = ("uvm-plaid/programming-dp", "bb27a8e52710cf533312dd52acc23d09c2a662a6")
ANSWERS = Records(4, 0.0, 2.0)
KINDS = Records(3, columns={"kind": ("x", "y", "z")})


@dataclass(frozen=True)
class Case:
    """Name one function, its claim, and what its authors say of it.

    Attributes
    ----------
    source : tuple of str
        Repository and commit.
    name : str
        Name of the function there.
    make : callable
        Takes the folder of the copy, returns a function of data.
    sound : bool
        Whether its authors say that it keeps the claim.
    relation : str or callable
        How neighbours differ.
    contradicted : str
        Why the authors' label is not what holds for this claim on these data, by hand; empty if it is.
    """

    source: tuple[str, str]
    name: str
    make: Callable[[Path], Function]
    sound: bool
    relation: Any = "replace-one"
    records: Records = field(default_factory=lambda: Records(3))
    claim: Claim = field(default_factory=lambda: Claim(1.0))
    contradicted: str = ""

    @property
    def keeps(self) -> bool:
        """Whether it keeps the claim, by hand where authors are contradicted."""
        return self.sound != bool(self.contradicted)


def _moved(data: Any, moves: list[tuple[int, ...]]) -> Iterator[Any]:
    for move in moves:
        other = tuple((value + d,) for (value,), d in zip(data, move, strict=True))
        if all(0.0 <= value <= 2.0 for (value,) in other):
            yield other


def all_move(data: Any) -> Iterator[Any]:
    """Move each answer by at most 1."""
    n = len(data)
    ups = [(1,) * n, (1,) + (0,) * (n - 1), (0,) * (n - 1) + (1,), (1,) + (-1,) * (n - 1), (-1,) * (n - 1) + (1,)]
    ups += [tuple(1 if i < n // 2 else -1 for i in range(n)), tuple((-1) ** i for i in range(n))]
    yield from _moved(data, [*ups, *(tuple(-d for d in up) for up in ups)])


def one_moves(data: Any) -> Iterator[Any]:
    """Move one answer by 1."""
    n = len(data)
    ones = [tuple(int(i == at) for i in range(n)) for at in range(n)]
    yield from _moved(data, [*ones, *(tuple(-d for d in one) for one in ones)])


def _file(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _package(place: Path, name: str) -> Any:
    """Import a module of a package from a copy; what other libraries do is stood in for."""
    hashes = types.ModuleType("mmh3")
    hashes.hash = lambda text, seed=0: zlib.crc32(f"{seed} {text}".encode())  # type: ignore[attr-defined]
    sys.modules.setdefault("mmh3", hashes)
    if name.startswith("diffprivlib"):
        utils = types.ModuleType("sklearn.utils")
        utils.check_random_state = lambda seed: np.random if seed is None else seed  # type: ignore[attr-defined]
        sys.modules.setdefault("sklearn", types.ModuleType("sklearn")).__path__ = []  # type: ignore[attr-defined]
        sys.modules.setdefault("sklearn.utils", utils)
        outer = types.ModuleType("diffprivlib")
        outer.__path__ = [str(place / "diffprivlib")]
        sys.modules.setdefault("diffprivlib", outer)
    if str(place) not in sys.path:
        sys.path.insert(0, str(place))
    return importlib.import_module(name)


def _book(place: Path, *chapters: int) -> Any:
    """Take the functions out of notebooks' cells."""
    import random

    made = types.ModuleType("programming_dp")
    vars(made).update(np=np, random=random)
    for chapter in chapters:
        for cell in json.loads((place / "notebooks" / f"ch{chapter}.ipynb").read_text())["cells"]:
            text = "".join(line for line in cell["source"] if not line.startswith(("%", "!")))
            if cell["cell_type"] == "code" and "def " in text:
                body = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
                exec(compile(ast.Module(body, []), f"ch{chapter}.ipynb", "exec"), vars(made))
    return made


def _statdp(name: str, *more: Any) -> Callable[[Path], Function]:
    def make(place: Path) -> Function:
        function = getattr(_file(place / "statdp" / "algorithms.py"), name)
        return lambda data, epsilon: function(np.random, list(data), epsilon, *more)

    return make


def _sniper(module: str, name: str, **more: Any) -> Callable[[Path], Function]:
    def make(place: Path) -> Function:
        mechanism = getattr(_package(place, f"dpsniper.mechanisms.{module}"), name)
        return lambda data, epsilon: mechanism(eps=epsilon, **more).m(np.asarray(data), 1)

    return make


def _wrapped(name: str, *more: Any) -> Callable[[Path], Function]:
    def make(place: Path) -> Function:
        function = getattr(_package(place, "statdpwrapper.algorithms_ext"), name)
        return lambda data, epsilon: function(np.random, list(data), epsilon, *more)

    return make


def _rappor(name: str, **more: Any) -> Callable[[Path], Function]:
    def make(place: Path) -> Function:
        mechanism = getattr(_package(place, "dpsniper.mechanisms.rappor"), name)
        return lambda data: mechanism(**more).m(np.asarray([float(data[0] > 0.5)]), 1)

    return make


def _ibm(name: str, **more: Any) -> Callable[[Path], Function]:
    def make(place: Path) -> Function:
        mechanism = getattr(_package(place, "diffprivlib.mechanisms"), name)
        whole = name.startswith("Geometric") or name == "GaussianDiscrete"
        value = (lambda data: int(data[0] > 0.5)) if whole else (lambda data: float(data[0]))
        return lambda data, epsilon: mechanism(epsilon=epsilon, **more).randomise(value(data))

    return make


def _ibm_delta(name: str, delta: float, **more: Any) -> Callable[[Path], Function]:
    def make(place: Path) -> Function:
        mechanism = getattr(_package(place, "diffprivlib.mechanisms"), name)
        whole = name == "GaussianDiscrete"
        value = (lambda data: int(data[0] > 0.5)) if whole else (lambda data: float(data[0]))
        return lambda data: mechanism(delta=delta, **more).randomise(value(data))

    return make


def _counts(data: Any) -> list[float]:
    return [float(np.sum(data == kind)) for kind in "xyz"]


def _ibm_choice(name: str, **more: Any) -> Callable[[Path], Function]:
    def make(place: Path) -> Function:
        mechanism = getattr(_package(place, "diffprivlib.mechanisms"), name)
        return lambda data, epsilon: mechanism(
            epsilon=epsilon, sensitivity=1, utility=_counts(data), **more
        ).randomise()

    return make


def _ibm_kind(place: Path) -> Function:
    mechanism = _package(place, "diffprivlib.mechanisms").ExponentialCategorical
    pairs = [["x", "y", 1], ["x", "z", 1], ["y", "z", 1]]
    return lambda data, epsilon: mechanism(epsilon=epsilon, utility_list=pairs).randomise(str(data[0]))


def _ibm_binary(place: Path) -> Function:
    mechanism = _package(place, "diffprivlib.mechanisms").Binary
    return lambda data, epsilon: mechanism(epsilon=epsilon, value0="x", value1="y").randomise(
        "x" if data[0] < 0.5 else "y"
    )


def _of_book(chapters: tuple[int, ...], made: Callable[[Any], Function]) -> Callable[[Path], Function]:
    return lambda place: made(_book(place, *chapters))


def _queries(levels: tuple[float, ...]) -> list[Callable[[Any], float]]:
    return [lambda data, level=level: float(np.sum(np.asarray(data) > level)) for level in levels]  # type: ignore[misc]


THREE = _queries((0.8, 0.5, 0.2))
OWN: dict[str, Any] = {"relation": all_move, "records": ANSWERS}
ONE: dict[str, Any] = {"relation": one_moves, "records": ANSWERS}
FIRST: dict[str, Any] = {"records": Records(1)}
SMALL = Claim(1.0, 1e-5)

# The loss of this algorithm grows with the number of queries; four do not exceed the claim.
_FOUR_ANSWERS = (
    "Given the noise of the bar, an answer is a number with noise of scale c/eps2 = 4, told or compared. "
    "One that moves by 1 changes its probability or density by at most exp(1/4): four lose at most 1."
)
CASES: list[Case] = [
    Case(STATDP, "noisy_max_v1a", _statdp("noisy_max_v1a"), True, **OWN),
    Case(STATDP, "noisy_max_v1b", _statdp("noisy_max_v1b"), False, **OWN),
    Case(STATDP, "noisy_max_v2a", _statdp("noisy_max_v2a"), True, **OWN),
    Case(STATDP, "noisy_max_v2b", _statdp("noisy_max_v2b"), False, **OWN),
    Case(STATDP, "histogram", _statdp("histogram"), True, **ONE),
    Case(STATDP, "histogram_eps", _statdp("histogram_eps"), False, **ONE),
    Case(STATDP, "SVT", _statdp("SVT", 1, 1.0), True, **OWN),
    Case(STATDP, "SVT, N = 2", _statdp("SVT", 2, 1.0), True, **OWN),
    Case(STATDP, "iSVT1", _statdp("iSVT1", 1, 1.0), False, **OWN),
    Case(STATDP, "iSVT2", _statdp("iSVT2", 1, 1.0), False, **OWN),
    Case(STATDP, "iSVT3", _statdp("iSVT3", 1, 1.0), False, **OWN),
    Case(STATDP, "iSVT4", _statdp("iSVT4", 1, 1.0), False, **OWN),
    Case(SNIPER, "NoisyHist1", _sniper("noisy_hist", "NoisyHist1"), True, **ONE),
    Case(SNIPER, "NoisyHist2", _sniper("noisy_hist", "NoisyHist2"), False, **ONE),
    Case(SNIPER, "LaplaceMechanism", _sniper("laplace", "LaplaceMechanism"), True, **FIRST),
    Case(SNIPER, "LaplaceFixed", _sniper("laplace", "LaplaceFixed"), True, **FIRST),
    Case(SNIPER, "LaplaceParallel, 3", _sniper("parallel", "LaplaceParallel", n_parallel=3), False, **FIRST),
    Case(SNIPER, "PrefixSum", _sniper("prefix_sum", "PrefixSum"), True, **ONE),
    *(
        Case(SNIPER, f"ReportNoisyMax{i}", _sniper("report_noisy_max", f"ReportNoisyMax{i}"), i < 3, **OWN)
        for i in (1, 2, 3, 4)
    ),
    *(
        Case(
            SNIPER,
            f"SparseVectorTechnique{i}, c = {c}",
            _sniper("sparse_vector_technique", f"SparseVectorTechnique{i}", **({"c": c} if c else {})),
            i < 3,
            contradicted=_FOUR_ANSWERS if (i, c) == (3, 2) else "",
            **OWN,
        )
        for i in (1, 2, 3, 4, 5, 6)
        for c in (1, 2)
    ),
    Case(SNIPER, "NumericalSVT", _sniper("sparse_vector_technique", "NumericalSVT", c=1), True, **OWN),
    Case(SNIPER, "SVT34Parallel", _sniper("parallel", "SVT34Parallel", c=1), False, **OWN),
    Case(SNIPER, "statdpwrapper laplace_mechanism", _wrapped("laplace_mechanism"), True, **FIRST),
    Case(SNIPER, "statdpwrapper laplace_parallel, 2", _wrapped("laplace_parallel", 2), False, **FIRST),
    Case(SNIPER, "statdpwrapper noisy_hist_1_sorted", _wrapped("noisy_hist_1_sorted"), True, **ONE),
    Case(SNIPER, "statdpwrapper SVT2", _wrapped("SVT2", 1, 1.0), True, **OWN),
    Case(SNIPER, "statdpwrapper prefix_sum", _wrapped("prefix_sum"), True, **ONE),
    Case(SNIPER, "statdpwrapper numerical_svt", _wrapped("numerical_svt", 1, 1.0), True, **OWN),
    # Erlingsson, Pihur & Korolova (2014), Theorem 1: 2 h log((1 - f/2) / (f/2)).
    Case(
        SNIPER,
        "OneTimeRappor, f = 0.95, h = 1",
        _rappor("OneTimeRappor", n_hashes=1, filter_size=3, f=0.95),
        True,
        claim=Claim(2 * math.log(0.525 / 0.475)),
        **FIRST,
    ),
    Case(
        SNIPER,
        "OneTimeRappor, f = 0.95, h = 1, half",
        _rappor("OneTimeRappor", n_hashes=1, filter_size=3, f=0.95),
        False,
        claim=Claim(math.log(0.525 / 0.475)),
        **FIRST,
    ),
    Case(
        SNIPER,
        "Rappor, f = 0.75, h = 1",
        _rappor("Rappor", n_hashes=1, filter_size=3, f=0.75, p=0.45, q=0.55),
        True,
        claim=Claim(2 * math.log(0.625 / 0.375)),
        **FIRST,
    ),
    Case(IBM, "Binary", _ibm_binary, True, **FIRST),
    Case(IBM, "Laplace", _ibm("Laplace", sensitivity=1), True, **FIRST),
    Case(IBM, "LaplaceTruncated", _ibm("LaplaceTruncated", sensitivity=1, lower=0, upper=2), True, **FIRST),
    Case(IBM, "LaplaceFolded", _ibm("LaplaceFolded", sensitivity=1, lower=0, upper=2), True, **FIRST),
    Case(IBM, "LaplaceBoundedDomain", _ibm("LaplaceBoundedDomain", sensitivity=1, lower=0, upper=1), True, **FIRST),
    Case(IBM, "Geometric", _ibm("Geometric"), True, **FIRST),
    Case(IBM, "GeometricTruncated", _ibm("GeometricTruncated", lower=0, upper=2), True, **FIRST),
    Case(IBM, "GeometricFolded", _ibm("GeometricFolded", lower=0, upper=2), True, **FIRST),
    Case(IBM, "Staircase", _ibm("Staircase", sensitivity=1), True, **FIRST),
    Case(IBM, "Exponential", _ibm_choice("Exponential"), True, records=KINDS),
    Case(IBM, "Exponential, monotonic", _ibm_choice("Exponential", monotonic=True), True, "add-remove", KINDS),
    Case(IBM, "Exponential, monotonic, replaced", _ibm_choice("Exponential", monotonic=True), False, records=KINDS),
    Case(IBM, "PermuteAndFlip", _ibm_choice("PermuteAndFlip"), True, records=KINDS),
    Case(IBM, "ExponentialCategorical", _ibm_kind, True, records=Records(1, columns={"kind": ("x", "y", "z")})),
    Case(IBM, "Gaussian", _ibm_delta("Gaussian", 1e-5, epsilon=1.0, sensitivity=1), True, claim=SMALL, **FIRST),
    Case(
        IBM,
        "GaussianAnalytic",
        _ibm_delta("GaussianAnalytic", 1e-5, epsilon=1.0, sensitivity=1),
        True,
        claim=SMALL,
        **FIRST,
    ),
    Case(
        IBM,
        "GaussianAnalytic for half the sensitivity",
        _ibm_delta("GaussianAnalytic", 1e-5, epsilon=1.0, sensitivity=0.5),
        False,
        claim=SMALL,
        **FIRST,
    ),
    Case(IBM, "Uniform", _ibm_delta("Uniform", 0.1, sensitivity=1), True, claim=Claim(0.0, 0.1), **FIRST),
    Case(IBM, "Snapping", _ibm("Snapping", sensitivity=1, lower=0, upper=1), True, **FIRST),
    Case(
        BOOK,
        "laplace_mech of a sum",
        _of_book((5,), lambda b: lambda data, epsilon: b.laplace_mech(np.sum(data), 1, epsilon)),
        True,
        "add-remove",
    ),
    Case(
        BOOK,
        "avg_attack, 3 answers",
        _of_book((6,), lambda b: lambda data, epsilon: b.avg_attack(float(np.sum(data)), epsilon, 3)),
        False,
        "add-remove",
    ),
    Case(
        BOOK,
        "gs_avg",
        _of_book((7,), lambda b: lambda data: b.gs_avg(data, 1.0, 1.0)),
        True,
        "add-remove",
        Records(3, columns={"age": (0.0, 1.0)}, make=lambda rows: __import__("pandas").Series(rows, dtype=float)),
    ),
    Case(
        BOOK,
        "exponential",
        _of_book(
            (9,), lambda b: lambda d, epsilon: b.exponential(d, list("xyz"), lambda x, r: sum(x == r), 1, epsilon)
        ),
        True,
        records=KINDS,
    ),
    Case(
        BOOK,
        "report_noisy_max, add-remove",
        _of_book(
            (9,), lambda b: lambda d, epsilon: b.report_noisy_max(d, "xyz", lambda x, r: sum(x == r), 1, epsilon)
        ),
        True,
        "add-remove",
        KINDS,
    ),
    Case(
        BOOK,
        "above_threshold",
        _of_book((5, 10), lambda b: lambda data, epsilon: b.above_threshold(THREE, data, 1, epsilon)),
        True,
    ),
    Case(
        BOOK,
        "above_threshold_fail_signal",
        _of_book((5, 10), lambda b: lambda data, epsilon: b.above_threshold_fail_signal(THREE, data, 2, epsilon)),
        True,
        "add-remove",
    ),
    Case(
        BOOK,
        "naive_above_threshold, for |queries| epsilon",
        _of_book((5, 10), lambda b: lambda data: b.naive_above_threshold(THREE, data, 2, 1 / 3)),
        True,
    ),
    Case(
        BOOK,
        "sparse, c = 2",
        _of_book((5, 10), lambda b: lambda data, epsilon: b.sparse(THREE, data, 2, 1, epsilon)),
        True,
    ),
    Case(
        BOOK,
        "rand_resp_sales",
        _of_book((13,), lambda b: lambda data: b.rand_resp_sales("Sales" if data[0] > 0.5 else "Other")),
        True,
        claim=Claim(math.log(3)),
        **FIRST,
    ),
    Case(
        BOOK,
        "rand_resp_sales, for epsilon = 1",
        _of_book((13,), lambda b: lambda data: b.rand_resp_sales("Sales" if data[0] > 0.5 else "Other")),
        False,
        **FIRST,
    ),
    Case(
        BOOK,
        "perturb of a unary code, log 9",
        _of_book((13,), lambda b: lambda data: b.perturb([int(data[0] == k) for k in "xyz"])),
        True,
        records=Records(1, columns={"kind": ("x", "y", "z")}),
        claim=Claim(math.log(9)),
    ),
    Case(
        BOOK,
        "gaussian_mech_vec, norm 1",
        _of_book(
            (12,),
            lambda b: lambda data: b.gaussian_mech_vec([np.sum(data) / 2, np.sum(data) / 2], 0.7072, 1.0, 1e-5),
        ),
        True,
        claim=SMALL,
    ),
    Case(
        BOOK,
        "gaussian_mech_zCDP_vec",
        _of_book((8,), lambda b: lambda data: b.gaussian_mech_zCDP_vec([np.sum(data)], 1.0, 0.5)),
        True,
        claim=Claim(rho=0.5),
    ),
]
