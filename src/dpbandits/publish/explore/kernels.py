"""Algorithms as WebAssembly, for the page *Try*, each with native runs to compare with.

An algorithm is offered if its Python is translated (`translate`) and its kernel compiled (`numba2wasm`). In the
browser the page then checks that the bytes of a first run are the native ones. Groups of algorithms are compiled in
jobs of their own (`compile_group`, `compile_companions`), and linked in one (`link_groups`).
"""

from __future__ import annotations

import base64
import hashlib
import inspect
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict, cast, final

import numpy as np

import numba2wasm
from dpbandits.core import mathematics, registry
from dpbandits.core.compiled import KERNELS, inner
from dpbandits.core.fields import Parameter, Parameters
from dpbandits.core.linked import ForKernels
from dpbandits.publish.explore.translate import Call, NotTranslated, Translator
from dpbandits.runs.job import Job, make_job, run
from dpbandits.settings.stochastic.divergences import budget

# Environments of each setting whose arms are numbers that can be dragged: one has five arms; another has two, if
# kernels have a form of their own for two.
MEANS = [0.75, 0.7, 0.65, 0.55, 0.4]
LOSSES = [0.3, 0.45, 0.5, 0.55, 0.7]
# Every action is an expert's advice; one more expert cannot decide between the first two.
ADVICE = [
    *([1.0 if action == expert else 0.0 for action in range(5)] for expert in range(5)),
    [0.5, 0.5, 0, 0, 0],
]
THETA = [0.8, 0.5, 0.2, 0.1, -0.2]
ENVIRONMENTS: Mapping[str, Sequence[Parameters]] = {
    "stochastic": [{"kind": "bernoulli", "means": MEANS}],
    "adversarial": [{"kind": "periodic", "losses": [LOSSES]}, {"kind": "periodic", "losses": [LOSSES[:2]]}],
    "experts": [{"kind": "advice-table", "losses": [LOSSES], "advice": [ADVICE]}],
    "full_information": [{"kind": "bernoulli-losses", "means": LOSSES}],
    "linear": [
        {
            "kind": "actions",
            "actions": [[1.0 if i == j else 0.0 for j in range(5)] for i in range(5)],
            "theta": THETA,
        }
    ],
}
STREAMS = Path(__file__).parent / "templates" / "streams.zig"
# The native run to compare with: of a size that takes no time, and lets every algorithm learn something.
EPSILON, HORIZON, CHECKPOINTS, ROOT_SEED, RUNS = 0.5, 3000, 50, 1, range(20)
# Parameters in place of the defaults: with these some algorithms only explore at so short a horizon.
LEARNING = {"delta": 0.1, "tau": 20, "eta": 0.01, "gamma": 0.25}
PARAMETERS_THAT_LEARN = {"batched-exp4": LEARNING, "batched-exp4-printed": LEARNING}
# Kernels that the page calls beside those of algorithms, by the name that it has for them: module and name.
COMPANIONS = {
    "best": ("settings.adversarial.problem", "_best"),
    "kl": ("settings.stochastic.divergences", "kl"),
    "d_eps": ("settings.stochastic.divergences", "d_eps"),
    "d_eps_upper": ("settings.stochastic.divergences", "d_eps_upper"),
    "play_and_report": ("settings.linear.side_by_side", "play_and_report"),
    "play_out": ("settings.linear.side_by_side", "play_out"),
    "play_best": ("settings.linear.side_by_side", "play_best"),
    "filtered_means": ("settings.linear.spectral_filter", "filtered_means"),
    "binomial": ("core.streams", "binomial"),
    "laplace": ("core.streams", "laplace"),
}


# What the page computes constants with; a browser's own functions could differ in the last bit.
FUNCTIONS: Mapping[str, Callable[..., float]] = {
    **{name: getattr(mathematics, name) for name in ("log", "log2", "log1p", "exp", "expm1", "cbrt", "sin", "cos")},
    "pow": mathematics.power,
}


# What a page's script is given of an algorithm or a run, as JSON.
PageData = Mapping[str, object]


class NativeRun(TypedDict):
    """A native run (by Numba), with which a browser's is compared; only its parameters, by name, are read here."""

    parameters: Mapping[str, object]


class ReferenceRuns(TypedDict):
    """Settings of the native runs (by Numba) with which a browser's are compared; ``runs`` is their number."""

    epsilon: float
    horizon: int
    checkpoints: int
    root_seed: int
    runs: int


class CompiledKernel(TypedDict):
    """A kernel compiled for WebAssembly: ``object``, its object file in base 64; ``entry``, its signature."""

    entry: Mapping[str, object]
    object: str


class OfferedAlgorithm(TypedDict):
    """An algorithm that a reader can run in the browser, on the page *Try*.

    Attributes
    ----------
    about
        Its description for the page: ``title``, ``setting``, ``parameters``, ``references`` (native runs) and more.
    functions
        Its Python functions translated to JavaScript, by the functions' names.
    calls
        Names of the kernels (compiled simulations) that it calls.
    """

    about: PageData
    functions: Mapping[str, str]
    calls: Sequence[str]


@final
class Group(TypedDict):
    """Algorithms that one job compiles, and the kernels (compiled simulations) that they call.

    Attributes
    ----------
    algorithms, refused
        The algorithms that run in a browser, and the reasons why others do not, by name.
    kernels
        All kernels that they call, by name; and kernels that the page itself calls in their settings.
    """

    algorithms: Mapping[str, OfferedAlgorithm]
    refused: Mapping[str, str]
    kernels: Mapping[str, CompiledKernel]


@final
class Kernels(TypedDict):
    """All code that the page *Try* runs, with its description.

    Attributes
    ----------
    wasm
        The WebAssembly module, in base 64.
    entries
        Arguments (``slots``) and kind of ``result`` of each function in it, by name.
    code
        JavaScript of all translated Python functions.
    algorithms, refused
        The algorithms that are offered, and the reasons why others are not, by name.
    reference
        Settings of the native runs (by Numba) with which a browser's are compared.
    """

    wasm: str
    entries: Mapping[str, object]
    code: str
    algorithms: Mapping[str, PageData]
    refused: Mapping[str, str]
    reference: ReferenceRuns


@final
class NoKernels(TypedDict):
    """Result in place of `Kernels` or `Group` if nothing can be compiled; ``missing`` is the reason, in words."""

    missing: str


def reference_run(name: str, environment: Parameters, **base: object) -> PageData:
    """Run an algorithm natively (by Numba), and return data with which a browser's run of it is compared.

    Keys are ``algorithm``, ``parameters``, ``environment``, ``epsilon``, ``horizon``, ``digest`` (of the regret)
    and ``defaults``. Algorithms that would only explore with their defaults run with `PARAMETERS_THAT_LEARN`.

    Parameters
    ----------
    name, environment
        The algorithm, and an environment such as ``{"kind": "bernoulli", "means": [0.9, 0.5]}``.
    **base
        The parameter ``base`` of a conversion; nothing for other algorithms.
    """
    budget = None if registry.algorithm(name).privacy is None else EPSILON

    def job(**parameters: object) -> Job:
        return make_job(name, parameters, environment, budget, HORIZON, CHECKPOINTS, ROOT_SEED)

    taught = job(**base, **PARAMETERS_THAT_LEARN.get(name, {}))
    return {**taught.definition, "digest": regret_digest(taught, RUNS), "defaults": dict(job(**base).parameters)}


def regret_digest(job: Job, runs: range) -> str:
    """Return the SHA-256, in hexadecimal, of the bytes of the regret of ``runs``: an array (runs, checkpoints)."""
    return hashlib.sha256(run(job, runs).regret.tobytes()).hexdigest()


def compile_kernel(name: str, kernel: Any, signature: Sequence[Any]) -> CompiledKernel:
    """Compile a kernel to a WebAssembly object, in the form in which other kernels call it.

    Parameters
    ----------
    name, kernel
        Its name on the page, and a `dpbandits.core.compiled.Kernel`.
    signature
        Numba types of its arguments.
    """
    entry = numba2wasm.entry(name, kernel.linked, signature, pipeline_class=ForKernels)
    return {"entry": entry.data(), "object": base64.b64encode(numba2wasm.assemble(entry)).decode("ascii")}


def compile_group(algorithms: Mapping[str, Sequence[str]]) -> Group:
    """Compile algorithms and the kernels that they call; the process must have called no kernel before.

    Algorithms that cannot be translated or compiled are returned as ``refused``, with reasons.

    Parameters
    ----------
    algorithms
        Names of the base algorithms with which each algorithm is offered, by its name; empty if it takes no base.
    """
    offered: dict[str, OfferedAlgorithm] = {}
    refused: dict[str, str] = {}
    calls: dict[str, Call] = {}
    for name, bases in algorithms.items():
        translator = Translator()
        try:
            about = _describe(name, bases, translator)
        except NotTranslated as fault:
            refused[name] = f"its Python has {fault}, which is not translated"
            continue
        over: list[dict[str, object]] = [{"base": base} for base in bases] or [{}]
        environments = ENVIRONMENTS[registry.setting("algorithm", name)]
        references = [reference_run(name, environment, **base) for base in over for environment in environments]
        calls |= {call: made for call, made in translator.calls.items() if call not in calls}
        offered[name] = {
            "about": {**about, "references": references},
            "functions": translator.functions,
            "calls": list(translator.calls),
        }
    kernels: dict[str, CompiledKernel] = {}
    for name, call in calls.items():
        try:
            types = numba2wasm.types_of_first_call(call.kernel, call.argument_count)
            kernels[name] = compile_kernel(name, call.kernel, types)
        except numba2wasm.NotCompiled as fault:
            for each in [each for each, about in offered.items() if name in about["calls"]]:
                refused[each] = f"its kernel cannot be compiled for browsers: {fault}"
                del offered[each]
    settings = {registry.setting("algorithm", name) for name in offered}
    for name, (module, function) in COMPANIONS.items():
        kernel = KERNELS.get((f"dpbandits.{module}", function))
        # Those of other settings were not called here, and those with examples are not asked for.
        if (
            name not in _examples()
            and module.split(".")[1] in settings
            and kernel is not None
            and kernel.signatures
        ):
            kernels[name] = compile_kernel(name, kernel, numba2wasm.types_of_first_call(kernel))
    return {"algorithms": offered, "refused": refused, "kernels": kernels}


def compile_companions() -> Group:
    """Compile kernels that the page itself calls, such as ``kl`` and ``own_log``: a group without algorithms."""
    kernels = {
        name: compile_kernel(name, KERNELS[f"dpbandits.{module}", function], numba2wasm.types_of(example))
        for name, example in _examples().items()
        for module, function in [COMPANIONS[name]]
    }
    for name, own in FUNCTIONS.items():
        arguments = (1.0,) * len(inspect.signature(own).parameters)
        kernels[f"own_{name}"] = compile_kernel(f"own_{name}", inner(own), numba2wasm.types_of(arguments))
    return {"algorithms": {}, "refused": {}, "kernels": kernels}


def _describe(name: str, bases: Sequence[str], translator: Translator) -> PageData:
    """Return what the page has to know of an algorithm."""
    declared = registry.algorithm(name)
    wraps, privacy = declared.wraps, declared.privacy
    return {
        "title": declared.title,
        "source": declared.source,
        "setting": registry.setting("algorithm", name),
        "decides": declared.decides,
        "deviations": declared.deviations,
        "any_loss": declared.any_loss,
        "private": None if privacy is None else privacy.name,
        "most_epsilon": None if privacy is None else privacy.at_most,
        "parameters": [_parameter(each, translator) for each in declared.parameters],
        "simulate": translator.function(declared.simulate),
        "bases": None if wraps is None else list(bases),
        "base": None if wraps is None else wraps.default if wraps.default in bases else bases[0],
        "tuning": None if wraps is None else translator.function(wraps.tuning),
    }


def _parameter(parameter: Parameter, translator: Translator) -> PageData:
    """Return what the page has to know of a parameter."""
    default, largest = parameter.default, type(parameter).largest
    return {
        "name": parameter.name,
        "whole": parameter.type is int,
        "description": parameter.description,
        "default_text": parameter.default_text,
        "default": translator.formula(default) if callable(default) else repr(default),
        "range": parameter.range,
        "at_most_horizon": parameter.at_most_horizon,
        "largest": None if largest is Parameter.largest else translator.function(largest),
        # Infinity is no JSON.
        **{bound: _finite(getattr(parameter, bound)) for bound in ("above", "at_least", "below", "at_most")},
    }


def _finite(value: float) -> float | None:
    return value if abs(value) < float("inf") else None


def _examples() -> Mapping[str, tuple[Any, ...]]:
    """Return arguments of those kernels of `COMPANIONS` that nothing calls from Python but the theory."""
    state, privacy = np.zeros(4, dtype=np.uint64), budget(1.0)
    return {
        "kl": (0.4, 0.5),
        "d_eps": (0.4, 0.5, privacy),
        "d_eps_upper": (0.4, 0.5, privacy),
        "binomial": (state, 1, 0.5),
        "laplace": (state, 1.0),
    }


def link_groups(groups: Sequence[Group | NoKernels]) -> Kernels | NoKernels:
    """Link the kernels of all groups into one WebAssembly module; if that fails, return why, as ``missing``."""
    made: list[Group] = []
    for each in groups:
        if "missing" in each:
            return each
        made.append(each)
    algorithms = {name: offered for each in made for name, offered in each["algorithms"].items()}
    # Several groups may have compiled one kernel: the first one counts.
    kernels = {name: kernel for each in reversed(made) for name, kernel in each["kernels"].items()}
    objects = {name: base64.b64decode(kernels[name]["object"]) for each in made for name in each["kernels"]}
    try:
        module = numba2wasm.link(objects, [STREAMS], ["start_streams"])
    except numba2wasm.NotCompiled as fault:
        return {"missing": f"the kernels could not be linked: {fault}"}
    functions = {name: text for offered in algorithms.values() for name, text in offered["functions"].items()}
    return {
        "wasm": base64.b64encode(module).decode("ascii"),
        "entries": {name: kernels[name]["entry"] for name in objects},
        "code": "\n".join(functions.values()),
        "algorithms": {
            name: _with_offered_bases(algorithms, offered["about"]) for name, offered in sorted(algorithms.items())
        },
        "refused": {name: reason for each in made for name, reason in each["refused"].items()},
        "reference": {
            "epsilon": EPSILON,
            "horizon": HORIZON,
            "checkpoints": CHECKPOINTS,
            "root_seed": ROOT_SEED,
            "runs": len(RUNS),
        },
    }


def _with_offered_bases(algorithms: Mapping[str, OfferedAlgorithm], about: PageData) -> PageData:
    """Return the page's data of an algorithm; of a conversion only those bases stay that are offered themselves."""
    if about["bases"] is None:
        return about
    bases = [base for base in cast(list[str], about["bases"]) if base in algorithms]
    references = [
        native for native in cast(list[NativeRun], about["references"]) if native["parameters"]["base"] in bases
    ]
    return {**about, "bases": bases, "references": references}


def compile_in_child(algorithms: Mapping[str, Sequence[str]]) -> Group | NoKernels:
    """Call `compile_group`, or `compile_companions` if ``algorithms`` is empty, in a process of its own.

    In this one, kernels may have been compiled for other arguments. Without a linker the reason is returned.
    """
    if not numba2wasm.has_linker():
        return {"missing": "the package ziglang, which is the linker, is not installed"}
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "kernels.json")
        subprocess.run([sys.executable, "-m", __name__, json.dumps(algorithms), str(made)], check=True)
        found: Group = json.loads(made.read_text(encoding="utf-8"))
        return found


if __name__ == "__main__":
    asked = json.loads(sys.argv[1])
    made = compile_group(asked) if asked else compile_companions()
    Path(sys.argv[2]).write_text(json.dumps(made), encoding="utf-8")
