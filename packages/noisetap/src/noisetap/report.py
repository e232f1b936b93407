"""A verdict for machines and for readers: JSON, SARIF, one page of HTML.

A ``program`` is given as on the command line, ``FILE.py:NAME``.
"""

from __future__ import annotations

import html
import json
import math
from typing import Any

from noisetap.verdict import Verdict

_LEVELS = {"violated": "error", "suspicious": "warning", "refused": "warning", "consistent": "none"}


def to_json(verdict: Verdict) -> str:
    """Return a verdict as JSON text: its attributes by name, and ``format``, the version of this form.

    An infinite loss is ``"infinite"``, and one that is unknown is ``null``.
    """
    loss, spent = _written(verdict.loss), [_written(of) for of in verdict.spent]
    keys = ("word", "why", "line", "round", "record", "runs", "seconds", "heard", "notes", "certificate")
    return json.dumps(
        {"format": "noisetap verdict 1", "loss": loss, "spent": spent} | {k: getattr(verdict, k) for k in keys},
        indent=1,
    )


def _written(loss: float) -> float | str | None:
    return None if math.isnan(loss) else "infinite" if math.isinf(loss) else loss


def sarif(verdict: Verdict, program: str) -> str:
    """Return a verdict as text in SARIF 2.1.0, a form of JSON that code hosts show beside the line.

    The verdict *consistent* has an empty list of results. ``program`` is as on the command line: ``FILE.py:NAME``.
    """
    file, _, number = (verdict.line or "").rpartition(":")
    path = program.rpartition(":")[0]
    # Only the program's path is known; another file is given by its name.
    uri = path if path.endswith(file) else file
    where = {
        "physicalLocation": {
            "artifactLocation": {"uri": uri or path},
            "region": {"startLine": int(number) if number.isdigit() else 1},
        }
    }
    result = {
        "ruleId": f"noisetap/{verdict.word}",
        "level": _LEVELS[verdict.word],
        "message": {"text": str(verdict)},
        "locations": [where],
    }
    driver = {"name": "noisetap", "rules": [{"id": f"noisetap/{word}"} for word in _LEVELS]}
    run = {"tool": {"driver": driver}, "results": [result] if verdict.word != "consistent" else []}
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return json.dumps({"$schema": schema, "version": "2.1.0", "runs": [run]}, indent=1)


def to_html(verdict: Verdict, program: str) -> str:
    """Return a report on a verdict as one page of HTML.

    If there is a certificate, the page shows its two inputs, and the numbers that came out; for a policy also their
    laws on the two inputs. ``program`` is as on the command line: ``FILE.py:NAME``.
    """
    certificate: Any = verdict.certificate or {}
    rows = []
    for number, (a, b) in enumerate(_pairs(certificate.get("x", []), certificate.get("y", [])), 1):
        mark = ' class="differs"' if a != b else ""
        rows.append(f"<tr{mark}><td>{number}</td><td>{_cell(a)}</td><td>{_cell(b)}</td></tr>")
    sums = [
        f"<tr><td>{_cell(p['line'])}</td><td>{_cell(p['said'])}</td><td>{_law(p['x'])}</td><td>{_law(p['y'])}</td></tr>"
        for p in certificate.get("parts", [])
    ]
    sums += [f"<tr><td></td><td>{_cell(v)}</td><td></td><td></td></tr>" for v in certificate.get("outputs", [])]
    heard = ", ".join(f"{n:,} {what}" for what, n in verdict.heard.items())
    notes = "".join(f"<p>Note: {html.escape(note)}.</p>" for note in verdict.notes)
    inputs = (
        "<h2>Two inputs</h2><table><tr><th></th><th>one</th><th>its neighbour</th></tr>"
        + "".join(rows)
        + "</table>"
    )
    out = (
        "<h2>What came out</h2><table><tr><th>line</th><th>number</th><th>law on one</th><th>on the neighbour</th>"
        "</tr>"
        + "".join(sums)
        + "</table><p>The loss is the logarithm of the ratio of the two probabilities of what "
        "came out. Laplace noise of scale b behind v and w: a number y adds (|y - w| - |y - v|)/b.</p>"
    )
    return (
        '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>noisetap</title><style>'
        "body{font:16px/1.5 sans-serif;max-width:46em;margin:2em auto;padding:0 1em}"
        "td,th{border:1px solid #bbb;padding:.2em .6em;text-align:left}table{border-collapse:collapse}"
        ".differs{background:#fde3c8}</style>"
        f"<h1>{html.escape(program)}: {verdict.word}</h1><p>{html.escape(str(verdict))}</p>{notes}"
        f"<p>Heard: {heard}, in {verdict.runs:,} runs.</p>"
        f"{inputs if rows else ''}{out if sums else ''}</html>"
    )


def _pairs(x: list[Any], y: list[Any]) -> list[tuple[Any, Any]]:
    size = max(len(x), len(y))
    return [(x[i] if i < len(x) else "", y[i] if i < len(y) else "") for i in range(size)]


def _cell(value: Any) -> str:
    text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
    return html.escape(text)


def _law(law: Any) -> str:
    return html.escape(f"{law['kind']}, location {law['place']:g}, scale {abs(law['size']):g}")
