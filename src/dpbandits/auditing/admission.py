"""Admission of a certificate: its shape, and that it states what the program that it names claims.

A certificate is a file that anybody may have written. What is checked here needs no run of the program.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from dpbandits.auditing.candidates import fixed_environment
from dpbandits.auditing.certificate import Certificate
from dpbandits.core import registry
from dpbandits.core.errors import BadInput, Missing
from dpbandits.core.fields import Parameters

FORM = "a certificate that an audit has written"
# Names of the inputs of every setting.
TABLES = ("rewards", "losses")
# Keys that every certificate has, and those of each kind.
COMMON = ("claim", "job", "one", "other")
OF_RUNS = ("together", "origin", "stream", "forced", "tape", "events")
KINDS = {
    "transcript": OF_RUNS,
    "reused noise": (*OF_RUNS, "rows"),
    "actions": ("rounds", "sequences", "runs"),
}
# A state of the stream: its number of words, and the form of each, in hexadecimal.
WORDS, WORD = 4, "[0-9a-f]{16}"
# The largest integer that a certificate may have.
MOST = 2**62


def admit(certificate: Mapping[str, Any]) -> None:
    """Refuse data that do not have the form of a certificate: keys, types and ranges.

    Parameters
    ----------
    certificate
        JSON data that anybody may have written.

    Raises
    ------
    BadInput
        With the key of the first value that no certificate has there.
    """
    if not isinstance(certificate, Mapping):
        raise BadInput("certificate", certificate, FORM)
    if certificate.get("format") != "dpbandits 1" or str(certificate.get("kind")) not in KINDS:
        raise BadInput("certificate", certificate.get("format"), FORM)
    kind = str(certificate["kind"])
    for key in (*COMMON, *KINDS[kind]):
        if key not in certificate:
            raise BadInput(("certificate", key), Missing, FORM)
    claim, job = certificate["claim"], certificate["job"]
    _check_value("claim", claim, dict, lambda c: set(c) == {"epsilon", "delta"} and all(map(_finite, c.values())))
    _check_value("job", job, dict, lambda j: set(j) == {"algorithm", "parameters", "epsilon", "horizon"})
    _check_value("job", job, dict, lambda j: isinstance(j["parameters"], dict) and isinstance(j["algorithm"], str))
    for side in ("one", "other"):
        _check_value(side, certificate[side], dict, lambda s: isinstance(s.get("environment"), dict))
    if kind == "actions":
        horizon = job["horizon"]
        _check_value("rounds", certificate["rounds"], list, lambda rows: all(_whole(t, 1, horizon) for t in rows))
        width = len(certificate["rounds"])
        _check_value(
            "sequences",
            certificate["sequences"],
            list,
            lambda rows: all(_list(row, lambda a: _whole(a, 1)) and len(row) == width for row in rows),
        )
        _check_value("runs", certificate["runs"], int, lambda runs: _whole(runs, 1))
        return
    _check_value("together", certificate["together"], bool, lambda _: True)
    for key in ("origin", "stream"):
        _check_value(key, certificate[key], list, _state)
    _check_value(
        "forced",
        certificate["forced"],
        list,
        lambda rows: all(isinstance(row, list) and _whole(row[0], 1) and _state(row[1:]) for row in rows),
    )
    _check_value("tape", certificate["tape"], list, lambda tape: all(map(_finite, tape)))
    _check_value("events", certificate["events"], int, lambda events: _whole(events, 1))
    if kind == "reused noise":
        _check_value(
            "rows", certificate["rows"], list, lambda r: len(r) == 2 and _whole(r[0]) and _whole(r[1], r[0] + 1)
        )
    for side in ("one", "other"):
        paid = certificate[side]
        for key, fits in (("rates", _rate), ("flipped_ranges", _range), ("flipped_pulls", _pulls)):
            rows = paid.get(key)
            if not isinstance(rows, list) or not rows or not all(map(fits, rows)):
                raise BadInput(("certificate", side, key), rows, "a row for each arm, as an audit writes it")


def contradiction(certificate: Certificate) -> str:
    """Return the reason to refuse a certificate that says something else than its program; empty if there is none.

    Claim, environment and neighbouring relation must be those that the program declares. Rewards are 0 or 1: a pull
    that is flipped twice would pay something else.
    """
    job, claim = certificate["job"], certificate["claim"]
    declared = registry.algorithm(job["algorithm"])
    if declared.privacy is None:
        return "the program claims no privacy"
    own = float(job["parameters"].get("delta", 0.0)) if declared.privacy.definition == "approximate" else 0.0
    if claim["epsilon"] != job["epsilon"] or claim["delta"] != own:
        return f"the program claims epsilon = {job['epsilon']:g}, delta = {own:g}, not what is said to be false"
    name, environment = fixed_environment(registry.setting("algorithm", job["algorithm"]))
    assert environment.fixed is not None
    environments = [certificate[side]["environment"] for side in ("one", "other")]
    if environments[0] != environments[1] and any(each.get("kind") != name for each in environments):
        return f"inputs are neighbours in {name} alone"
    if certificate["kind"] == "actions":
        # It counts runs on its environments, and has none of what is checked below.
        return ""
    if certificate["together"] != environment.fixed.together:
        return "inputs of one round are taken together where the setting does not, or the other way round"
    for side in ("one", "other"):
        paid = certificate[side]
        sizes = {len(paid["rates"]), len(paid["flipped_ranges"]), len(paid["flipped_pulls"])}
        arms = registry.environment(paid["environment"]["kind"]).arms(paid["environment"])
        if sizes != {arms}:
            return f"rewards are not those of {arms} arms"
        ranges = zip(paid["flipped_ranges"], paid["flipped_pulls"], strict=True)
        if any(first < pull <= last for (first, last), pulls in ranges for pull in pulls):
            return "a reward is flipped twice"
    if certificate["kind"] == "reused noise" and (
        certificate["forced"] or certificate["stream"] != certificate["origin"]
    ):
        return "draws are forced, so that equal ones say nothing of the program"
    return ""


def differing_rounds(certificate: Certificate, one: Parameters, other: Parameters) -> set[int] | None:
    """Return the rounds, from 1, in which two environments differ.

    ``None`` if they differ in more than rows of a table that the program's claim allows to differ.
    """
    privacy = registry.algorithm(certificate["job"]["algorithm"]).privacy
    rounds: set[int] = set()
    for name in {*one, *other}:
        a, b = one.get(name), other.get(name)
        if a != b:
            # Beside rewards or losses, neighbours differ in what the claim names.
            stated = name in TABLES or (privacy is not None and name in privacy.neighbours.split())
            if not stated or not isinstance(a, list) or not isinstance(b, list) or len(a) != len(b):
                return None
            rounds |= {t + 1 for t in range(len(a)) if a[t] != b[t]}
    return rounds


def salt(certificate: Mapping[str, Any], secret: bytes) -> int:
    """Return a number that depends on all of a certificate and on a secret: the seed of what the checker draws.

    Without the secret an author could alter a field until the draws suit the certificate: 10^5 variants can be
    tried without a single run.
    """
    text = json.dumps(certificate, sort_keys=True, default=lambda value: value.item()).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=7, key=secret).digest(), "big")


def _check_value(key: str, value: Any, kind: type, fits: Callable[[Any], bool]) -> None:
    """Refuse a value that is not of its type, or does not fit."""
    try:
        good = isinstance(value, kind) and fits(value)
    except (TypeError, ValueError, LookupError):
        good = False
    if not good:
        raise BadInput(("certificate", key), value, FORM)


def _finite(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _whole(value: Any, least: int = 0, most: int = MOST) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def _list(value: Any, fits: Callable[[Any], bool]) -> bool:
    return isinstance(value, list) and all(map(fits, value))


def _state(words: Any) -> bool:
    """Tell whether words are a state of the stream; of zeros alone every draw is the same."""
    good = isinstance(words, list) and len(words) == WORDS and all(re.fullmatch(WORD, w) for w in words)
    return good and any(int(w, 16) for w in words)


def _rate(row: Any) -> bool:
    return _list(row, _finite) and len(row) == 2 and 0.0 <= row[0] <= 1.0 and 0.0 <= row[1] <= 1.0


def _range(row: Any) -> bool:
    return isinstance(row, list) and len(row) == 2 and _whole(row[0]) and _whole(row[1], row[0])


def _pulls(row: Any) -> bool:
    return _list(row, lambda pull: _whole(pull, 1)) and all(a < b for a, b in itertools.pairwise(row))
