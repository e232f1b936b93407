"""Admission of a certificate: its shape, and that it states what the program that it names claims.

A certificate is a file that anybody may have written. What is checked here needs no run of the program.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import re
from collections.abc import Mapping
from typing import Any

from dpbandits.auditing.candidates import fixed_environment
from dpbandits.auditing.certificate import Certificate
from dpbandits.core import registry
from dpbandits.core.errors import BadInput, Missing
from dpbandits.core.fields import Parameters
from noisetap.shapes import Shape, anything, finite, flag, many, record, row, table, text, unfit, whole

FORM = "a certificate that an audit has written"
# Number of a pull that no run has: witnesses end ranges there.
MOST = 2**62
# Names of the inputs of every setting.
TABLES = ("rewards", "losses")


def _side(x: Any) -> bool:
    return isinstance(x, dict) and isinstance(x.get("environment"), dict)


def _word(x: Any) -> bool:
    return isinstance(x, str) and re.fullmatch("[0-9a-f]{16}", x) is not None


def _state(x: Any) -> bool:
    """Tell whether a value is a state of the stream; of zeros alone every draw is the same."""
    return row(_word, _word, _word, _word)(x) and any(int(word, 16) for word in x)


def _share(x: Any) -> bool:
    return finite(x) and 0.0 <= x <= 1.0


def _rising(least: int, step: int, size: int | None = None) -> Shape:
    """Return the shape of whole numbers that rise by a step at least."""
    numbers = many(whole(least, MOST))
    return lambda x: numbers(x) and size in (None, len(x)) and all(a + step <= b for a, b in itertools.pairwise(x))


def _by_arm(of: Shape) -> Shape:
    return lambda x: many(of)(x) and len(x) > 0


# What every certificate has, what those of each kind have, and what each side of a run is paid.
COMMON: dict[str, Shape] = {
    "claim": record(epsilon=finite, delta=finite),
    "job": record(algorithm=text, parameters=table(anything), epsilon=anything, horizon=whole(1)),
    "one": _side,
    "other": _side,
}
OF_RUNS: dict[str, Shape] = {
    "together": flag,
    "origin": _state,
    "stream": _state,
    "forced": many(lambda x: isinstance(x, list) and many(whole(1))(x[:1]) and _state(x[1:])),
    "tape": many(finite),
    "events": whole(1),
}
KINDS: dict[str, dict[str, Shape]] = {
    "transcript": OF_RUNS,
    "reused noise": OF_RUNS | {"rows": _rising(0, 1, 2)},
    "actions": {"rounds": many(whole(1)), "sequences": anything, "runs": whole(1)},
}
PAID: dict[str, Shape] = {
    "rates": _by_arm(row(_share, _share)),
    "flipped_ranges": _by_arm(_rising(0, 0, 2)),
    "flipped_pulls": _by_arm(_rising(1, 1)),
}


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
    name = unfit(certificate, COMMON | KINDS[kind])
    if name is None and kind == "actions":
        of_all = row(*[whole(1)] * len(certificate["rounds"]))
        within = many(whole(1, certificate["job"]["horizon"]))
        name = unfit(certificate, {"rounds": within, "sequences": many(of_all)})
    if name is not None:
        raise BadInput(("certificate", name), certificate.get(name, Missing), FORM)
    for side in ("one", "other") if kind != "actions" else ():
        name = unfit(certificate[side], PAID)
        if name is not None:
            words = "a row for each arm, as an audit writes it"
            raise BadInput(("certificate", side, name), certificate[side].get(name), words)


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

    ``None`` if they differ in anything but rows of ``rewards``, ``losses`` or a table that the claim of the
    certificate's program names, or if such tables differ in length.
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
    tried without running the algorithm once.
    """
    text = json.dumps(certificate, sort_keys=True, default=lambda value: value.item()).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=7, key=secret).digest(), "big")
