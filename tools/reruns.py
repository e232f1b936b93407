"""Print how many jobs each module reruns: python tools/reruns.py [CONFIGURATION ...]

One row a module, one column a kind of product; counted are jobs that it is a source of, not those that read them.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from dpbandits.core import provenance
from dpbandits.products import Products, catalogue
from dpbandits.publish import texts
from dpbandits.runs import config

Jobs = Sequence[tuple[str, tuple[str, ...]]]


def planned(files: Sequence[Path]) -> Products:
    """Return all products of a configuration that is laid over the shipped one."""
    complete, known = config.planned([*config.shipped(Path("config")), *files])
    return catalogue(complete, known, texts.load(complete))


def jobs(products: Products) -> Jobs:
    """Return the kind of every job, and the modules that make it."""
    made = [(kind, product.modules) for (kind, *_), product in products.items()]
    cells = {id(cell): cell for product in products.values() for cell in product.cells}
    return made + [("cell", cell.job.modules) for cell in cells.values() for _ in cell.files]


def reruns(made: Jobs) -> dict[str, Counter[str]]:
    """Return how many jobs of each kind every module is a source of."""
    counts: dict[str, Counter[str]] = {}
    for (kind, modules), number in Counter(made).items():
        for name in {name for module in modules for name in provenance.transitive_imports(module)}:
            counts.setdefault(name, Counter())[kind] += number
    return counts


def rows(made: Jobs) -> Iterator[str]:
    """Yield the table, in Markdown."""
    jobs_of = Counter(kind for kind, _ in made)
    yield f"| module | {' | '.join(f'{kind} ({number})' for kind, number in jobs_of.items())} |"
    yield f"|---|{'---:|' * len(jobs_of)}"
    for name, counts in sorted(reruns(made).items()):
        shown = ("all" if counts[kind] == number else str(counts[kind] or "") for kind, number in jobs_of.items())
        yield f"| `{name.removeprefix('dpbandits.')}` | {' | '.join(shown)} |"


if __name__ == "__main__":
    print("\n".join(rows(jobs(planned([Path(name) for name in sys.argv[1:]])))))
