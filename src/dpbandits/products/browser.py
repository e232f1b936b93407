"""Products for browsers: kernels of the configured algorithms as WebAssembly, compiled in groups, then linked.

A product is files that are made together. Each has its ``files`` by suffix, ``modules`` that make them, the
``results`` folder, and ``cells`` and ``products`` that it reads. A cell is runs of one algorithm in one environment
at one budget. If a field ``Defines[...]`` changes, the product is made again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, cast

from dpbandits.core import registry
from dpbandits.products.product import Defines, JsonProduct, Products, files_by_suffix

if TYPE_CHECKING:
    from dpbandits.runs.models import Config
    from dpbandits.runs.plan import Cells

# Algorithms of one setting that one job compiles. Neighbours in name often share a kernel, and one has to start.
GROUP = 6


@dataclass(frozen=True, kw_only=True)
class KernelGroup(JsonProduct):
    """JSON file with the kernels of a group of algorithms: simulations compiled to WebAssembly.

    A group without algorithms has the further kernels that pages call. The product is made again if a field
    ``Defines[...]`` changes.

    Attributes
    ----------
    algorithms
        Names of the configured algorithms that each algorithm can run as its base, as a conversion does, by its
        name; empty for an algorithm that takes no base.
    """

    algorithms: Defines[Mapping[str, Sequence[str]]]

    def make(self) -> Mapping[str, object]:
        """Compile the kernels, and return ``kernels``, ``algorithms`` and ``refused``, each by name.

        ``refused`` has the reason why an algorithm cannot run in a browser. If the linker ziglang is not installed,
        the result has one key, ``missing``: this reason in words.
        """
        from dpbandits.publish.explore.kernels import compile_in_child

        return compile_in_child(self.algorithms)


@dataclass(frozen=True, kw_only=True)
class Kernels(JsonProduct):
    """JSON file with all kernels that the page *Try* runs, as one WebAssembly module.

    Attributes
    ----------
    groups
        Paths of the files of all groups.
    """

    groups: Sequence[str]

    def make(self) -> Mapping[str, object]:
        """Link the kernels of all groups, and return the WebAssembly module as ``wasm``, in base 64.

        Further keys are ``entries`` (arguments of its kernels), ``code`` (JavaScript), ``algorithms``, ``refused``,
        and ``reference`` (settings of native runs to compare with). If nothing could be compiled or linked, the
        result has one key, ``missing``: the reason in words.
        """
        from dpbandits.core.files import read_json
        from dpbandits.publish.explore.kernels import Group, NoKernels, link_groups

        groups = [read_json(Path(file)) for file in self.groups]
        return link_groups(cast("list[Group | NoKernels]", groups))


def browser_products(config: Config, planned_cells: Cells) -> Products:
    """Return the products that browsers need: kernels of all configured algorithms, in groups, and all linked.

    Kernels are compiled simulations. Keys are such as ``("kernel_group", "stochastic-1")`` of up to six algorithms,
    ``("kernel_group", "companions")`` of kernels that the page itself calls, and ``("kernels",)`` of the file that
    links all.

    Parameters
    ----------
    config, planned_cells
        The checked configuration, and its cells by paper and experiment. A cell is runs of one algorithm in one
        environment at one budget.
    """
    jobs = [cell.job for of_experiment in planned_cells.values() for cell in of_experiment.values()]
    named = {job.algorithm for job in jobs} | {
        str(job.parameters["base"]) for job in jobs if "base" in job.parameters
    }
    by_setting: dict[str, list[str]] = {}
    for name in sorted(named):
        by_setting.setdefault(registry.setting("algorithm", name), []).append(name)
    groups = {
        f"{setting}-{start // GROUP + 1}": names[start : start + GROUP]
        for setting, names in sorted(by_setting.items())
        for start in range(0, len(names), GROUP)
    }
    results = config.folders.results
    environments = registry.modules("environment").values()
    made: Products = {}
    for group, names in {**groups, "companions": []}.items():
        wrapped = {name: registry.algorithm(name).wraps for name in names}
        made["kernel_group", group] = KernelGroup(
            files=files_by_suffix(f"{results}/kernels/{group}", "json"),
            algorithms={
                name: [] if wraps is None else [base for base in wraps.candidates() if base in named]
                for name, wraps in wrapped.items()
            },
            modules=(
                "dpbandits.publish.explore.kernels",
                *(registry.module("algorithm", name) for name in names),
                *environments,
            ),
            results=results,
        )
    groups_made = tuple(made.values())
    made["kernels",] = Kernels(
        files=files_by_suffix(f"{results}/kernels", "json"),
        modules=("dpbandits.publish.explore.kernels",),
        results=results,
        products=groups_made,
        groups=[group.main for group in groups_made],
    )
    return made
