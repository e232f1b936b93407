"""Review of the results: `dpbandits review` makes a random sample again, and compares it with the committed one."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from dpbandits.core import escapes
from dpbandits.core.errors import MissingFile
from dpbandits.core.home import home

# Golden cells that are drawn; an audit and a certificate come with them.
CELLS = 3
AUDITS = Path("docs", "results", "privacy.csv")


class RemadeResult(NamedTuple):
    """One result that was made again.

    Attributes
    ----------
    name
        Name of the result, such as ``audit of dp-imed at ε = 1``.
    committed, remade
        The committed result, and the one that was made again, as text. It is a digest of arrays, an audit's
        verdict and losses, or, of a certificate, ``proved`` or ``FAILED`` with the reason.
    seconds
        Processor time, in seconds, that it took to make it again.
    """

    name: str
    committed: str
    remade: str
    seconds: float

    @property
    def same(self) -> bool:
        """Whether the result that was made again is the committed one."""
        return self.committed == self.remade


def _timed(make: Callable[[], str]) -> tuple[str, float]:
    start = time.process_time()
    return make(), time.process_time() - start


def review_cells(generator: random.Random) -> Iterator[RemadeResult]:
    """Simulate three random cells of ``runs/golden.json`` again, and yield each one's old and new digest.

    A cell is some runs of an algorithm in an environment at one budget; its digest is of all its arrays' bytes.
    ``generator`` draws three different cells.
    """
    from dpbandits.runs.golden import known

    for cell in generator.sample(known(), CELLS):
        yield RemadeResult(f"arrays of {cell.label}, {cell.runs} runs", cell.digest, *_timed(cell.made))


def review_audit(generator: random.Random) -> Iterator[RemadeResult]:
    """Repeat a random audit of ``docs/results/privacy.csv``, and yield the old and the new outcome.

    An outcome is a verdict with three privacy losses: ``consistent: exact none, replayed 1, sampled 0.98``.
    ``generator`` draws the file's row. Outside of a clone, where there is no such file, `MissingFile` is raised.
    """
    from dpbandits.auditing.audit import audit as audit_again
    from dpbandits.auditing.jobs import audit_jobs, definition
    from dpbandits.core.tables import Row, shortened
    from dpbandits.runs import config

    folder = home()
    if not (folder / AUDITS).is_file():
        raise MissingFile(str(folder / AUDITS), "review a clone of the repository")
    checked = config.load(config.shipped(folder / "config"))
    jobs = {(job.algorithm, job.base or "", job.epsilon): job for job in audit_jobs(checked)}
    with (folder / AUDITS).open(encoding="utf-8", newline="") as file:
        rows = [row for row in escapes.read_rows(file) if row["epsilon"]]
    # An algorithm that was added since has no committed row yet; one that is gone has no job.
    known = {key: row for row in rows if (key := (row["algorithm"], row["base"], float(row["epsilon"]))) in jobs}
    key = generator.choice(sorted(known))

    def text(values: Row) -> str:
        """Return verdict and losses with the digits that tables have."""
        losses = {name: values[name] for name in ("exact", "replayed", "sampled")}
        shown = (
            f"{name} {_digits(float(loss)) if loss not in ('', None) else 'none'}" for name, loss in losses.items()
        )
        return f"{values['verdict']}: {', '.join(shown)}"

    def _digits(loss: float) -> str:
        return f"{shortened(loss):.6g}" if math.isfinite(loss) else "unbounded"

    def make() -> str:
        from dpbandits.auditing.table import row_of

        return text(row_of(audit_again(**definition(checked, jobs[key])).data()))

    name = f"{key[0]} of {key[1]}" if key[1] else key[0]
    yield RemadeResult(f"audit of {name} at ε = {key[2]:g}", text(dict(known[key])), *_timed(make))


def review_certificate(generator: random.Random) -> Iterator[RemadeResult]:
    """Prove a random certificate again, and yield the result: ``proved``, or ``FAILED`` and the reason.

    A certificate is a computer-assisted proof of inequalities, a file in ``papers/*/certificates``. ``generator``
    draws it.
    """
    from dpbandits.core import registry
    from dpbandits.products.certify import certify

    name = generator.choice(sorted(registry.modules("certificate")))
    (outcome,) = certify([name])
    made = "proved" if outcome.fault is None else f"FAILED: {outcome.fault}"
    yield RemadeResult(f"certificate {name}: {outcome.title}", "proved", made, outcome.seconds)


def review(seed: int) -> list[RemadeResult]:
    """Draw three cells, an audit and a certificate, make them again, and return five comparisons in this order.

    A cell is some runs of one algorithm, whose digest is committed; a certificate is a computer-assisted proof.

    Parameters
    ----------
    seed
        Seed of the draw alone: the same seed draws the same things on every machine.

    Raises
    ------
    MissingFile
        If ``docs/results/privacy.csv``, the committed table of audits, is not there.
    MissingExtra
        If python-flint, which certificates need, is not installed.
    """
    draw = random.Random(seed)
    return [compared for kind in (review_cells, review_audit, review_certificate) for compared in kind(draw)]


def as_text(results: list[RemadeResult], seed: int) -> str:
    """Return the results of `review` with ``seed`` as a page of text, with ``same`` or ``DIFFERS`` for each."""
    from dpbandits.core.provenance import package_version

    same = sum(compared.same for compared in results)
    lines = [
        f"Review of dpbandits {package_version()}, drawn with seed {seed}: {same} of {len(results)} the same again",
        "",
    ]
    for compared in results:
        lines.append(f"{'same' if compared.same else 'DIFFERS'}  {compared.name} ({compared.seconds:.1f} s)")
        lines.append(f"    committed: {compared.committed}")
        lines += [] if compared.same else [f"    made here: {compared.remade}"]
    lines += [
        "",
        "Arrays are compared by a digest of all their bytes (src/dpbandits/runs/golden.json), the audit with its",
        f"row of {AUDITS}, at the same effort and seed. A certificate is proved again in exact or interval",
        "arithmetic.",
        "Another seed draws others: dpbandits review --seed 7.",
    ]
    return "\n".join(lines)
