"""What `dpbandits list` prints."""

from __future__ import annotations

from dpbandits.claims.evidence import claim_test
from dpbandits.core import exhibit, registry
from dpbandits.core.algorithm import Algorithm
from dpbandits.core.files import Json


def inventory() -> Json:
    """Return papers, algorithms, environments, computations, kinds of figures, tables and tests as plain data."""
    return {
        "papers": registry.papers(),
        "algorithms": {
            name: {"setting": registry.setting("algorithm", name), **registry.algorithm(name).declaration()}
            for name in registry.modules("algorithm")
        },
        "environments": {
            name: {
                "setting": registry.setting("environment", name),
                "title": registry.environment(name).title,
                "parameters": dict(registry.environment(name).parameters),
            }
            for name in registry.modules("environment")
        },
        "computations": {name: exhibit.computation(name).title for name in registry.modules("computation")},
        "figures": {name: exhibit.figure(name).title for name in registry.modules("figure")},
        "tables": {name: exhibit.table(name).title for name in registry.modules("table")},
        # By name alone: to read a title is to import what it computes with, which need not be installed.
        "certificates": list(registry.modules("certificate")),
        "tests of claims": {name: claim_test(name).title for name in registry.modules("test")},
    }


def _paragraph(name: str, algorithm: Algorithm) -> list[str]:
    budget = "none" if algorithm.privacy is None else f"{algorithm.privacy.name}; {algorithm.privacy.neighbours}"
    lines = [f"  {name}: {algorithm.title}, {algorithm.source}", f"      privacy: {budget}"]
    if algorithm.privacy is not None:
        lines.append(f"      noise: {algorithm.privacy.mechanism}")
    if algorithm.wraps is not None:
        bases = ", ".join(algorithm.wraps.candidates())
        lines.append(
            f"      --param base={algorithm.wraps.default}: what it runs, whose parameters it takes too ({bases})"
        )
    lines += [f"      --param {p.name}={p.default_text}: {p.description} ({p.range})" for p in algorithm.parameters]
    if algorithm.deviations != "none":
        lines.append(f"      deviations: {algorithm.deviations}")
    return lines


def listing() -> str:
    """Return the same for people."""
    content = inventory()
    lines = ["papers"]
    lines += [f"  {name}: {about['authors']}, {about['title']}" for name, about in content["papers"].items()]
    lines += ["", "algorithms"]
    for name in content["algorithms"]:
        lines += _paragraph(name, registry.algorithm(name))
    lines += ["", "environments"]
    for name, entry in content["environments"].items():
        lines.append(f"  {name}: {entry['title']} ({entry['setting']})")
        lines += [f"      {key}: {text}" for key, text in entry["parameters"].items()]
    for kind in ("computations", "figures", "tables", "tests of claims"):
        lines += ["", kind]
        lines += [f"  {name}: {title}" for name, title in content[kind].items()]
    lines += ["", "certificates", *(f"  {name}" for name in content["certificates"])]
    return "\n".join(lines)
