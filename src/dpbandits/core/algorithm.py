"""Declarations of algorithms. One algorithm is one file that defines ``ALGORITHM``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from dpbandits.core.errors import BadInput, Missing, suggest, within
from dpbandits.core.fields import Parameter, Tuning, Value, Values


class Worst(NamedTuple):
    """The worst exact privacy loss over neighbouring inputs, with what shows it.

    Attributes
    ----------
    loss
        log(p/q), or log((p - delta)/q) under approximate privacy; infinite if q is 0.
    of
        The loss and its inputs, in words: ``"a decision among up to 40 arms of equally many rewards"``.
    one, other
        The two inputs, as JSON data. They are parameters of an environment if it can have them, such as
        ``{"rewards": [[1.0, 0.0]]}``; else facts by name, such as ``{"reward sum of arm 1": 3}``.
    event
        The event, in words, such as ``"arm 1 is chosen"``.
    probabilities
        p and q, the event's probabilities on ``one`` and ``other``.
    """

    loss: float
    of: str
    one: Any
    other: Any
    event: str
    probabilities: tuple[float, float]


class Probe(NamedTuple):
    """Sizes and parameters at which decisions soon depend on the inputs, so that an audit can find a large loss.

    Attributes
    ----------
    rounds, arms
        Number of rounds, and number of arms, of the inputs.
    parameters
        Values of parameters, by name, that the privacy statement does not depend on.
    """

    rounds: int
    arms: int
    parameters: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True)
class Privacy:
    """The privacy statement of an algorithm.

    Attributes
    ----------
    definition
        ``"pure"``: (epsilon, 0)-differential privacy of the action sequence; ``"approximate"``: (epsilon, delta),
        with the parameter ``delta``; ``"local"``: pure, and every single reward or loss is noised before use.
    neighbours
        The neighbouring relation, in words, such as ``"the reward of one round replaced"``.
    mechanism
        Sensitivity, noise and composition, in words: ``"every loss, of sensitivity 1, with Lap(1/epsilon)"``.
    at_most
        The largest budget for which the statement is made.
    tied
        Names of the parameters that the statement depends on. It holds for all values of the others, so an audit
        varies them.
    exact
        ``exact(epsilon, tied)`` returns the largest loss over neighbouring inputs, as a `Worst`, if the law of the
        actions is known in closed form; else ``None``. ``tied`` has the values of the tied parameters by name.
    probes
        Sizes and parameters to audit at; by default the setting's sizes with default parameters.
    effort
        Number of runs on each input that an audit spends on its final bound; ``None`` for the setting's number.
    """

    definition: Literal["pure", "approximate", "local"]
    neighbours: str
    mechanism: str
    at_most: float = 1e100
    tied: tuple[str, ...] = ()
    exact: Callable[[float, Values], Worst] | None = None
    probes: tuple[Probe, ...] = ()
    effort: int | None = None

    @property
    def name(self) -> str:
        """The definition in the usual notation, such as "(epsilon, delta)-DP" or "local epsilon-DP"."""
        return {
            "pure": "epsilon-DP",
            "approximate": "(epsilon, delta)-DP",
            "local": "local epsilon-DP",
        }[self.definition]

    def declaration(self) -> dict[str, Any]:
        """Return JSON data: the attributes from ``definition`` to ``tied``, and ``exact``, whether it is given."""
        stated = ("definition", "neighbours", "mechanism", "at_most", "tied")
        return {**{name: getattr(self, name) for name in stated}, "exact": self.exact is not None}


@dataclass(frozen=True)
class Wrapping:
    """Declaration of a wrapper: an algorithm that runs another one, its base, named by its parameter ``base``.

    Attributes
    ----------
    candidates
        Function that returns the declarations of possible bases by name, such as ``"exp3"``. The wrapper has the
        parameters of the chosen one too.
    default
        Name of the default base.
    tuning
        ``tuning(tuning, parameters)`` returns the base's `Tuning`, with its number of decisions in place of T. The
        arguments are the `Tuning` and the parameters of the wrapper.
    """

    candidates: Callable[[], Mapping[str, Algorithm]]
    default: str
    tuning: Callable[[Tuning, Values], Tuning]


class Resolved(NamedTuple):
    """Parameters of an algorithm with defaults filled in.

    ``values`` has all of them by name. ``notes`` has a text for each default whose formula exceeds its range, as
    ``"gamma: its formula gives 1.7, beyond > 0 and <= 1; 1 is used"``.
    """

    values: dict[str, Value]
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Algorithm:
    """An algorithm's declaration.

    Attributes
    ----------
    title
        Name of the algorithm in figures and tables, as its authors write it.
    source
        Paper, algorithm and equations that the code implements.
    decides
        ``"batches"`` if a run takes a step for each decision, which is for many rounds; ``"rounds"`` if it takes a
        step for each round.
    privacy
        The privacy statement, or ``None`` for an algorithm without privacy: it takes no budget.
    parameters
        The algorithm's parameters, without the budget and those of the environment.
    simulate
        ``simulate(runs, problem, **parameters)`` plays ``runs`` (`dpbandits.core.recording.Runs`) on a problem of
        the setting, and fills in their regret and pulls. A private algorithm gets ``epsilon`` as a parameter too.
    deviations
        Differences of the code from its source, with reasons, in words.
    any_loss
        Whether the algorithm is made for losses of either sign and any size. The conversion (asi2025, Algorithm 1)
        needs such a base.
    wraps
        For an algorithm that runs another one: which ones it may run, and how they are tuned. Else ``None``.
    lanes
        Number of runs side by side at which the kernel takes the least time for each. It is 1 for a kernel that
        computes one run after another.
    """

    title: str
    source: str
    decides: Literal["batches", "rounds"]
    privacy: Privacy | None
    simulate: Callable[..., None]
    parameters: tuple[Parameter, ...] = ()
    deviations: str = "none"
    any_loss: bool = False
    wraps: Wrapping | None = None
    lanes: int = 1

    def resolve(self, given: Values, tuning: Tuning) -> Resolved:
        """Return all parameters, checked, with defaults filled in.

        Parameters
        ----------
        given
            Values that a person gave, by name. Of a wrapper also ``base``, and parameters of that base.
        tuning
            Facts on which defaults and ranges may depend: T, K, the budget and so on.

        Returns
        -------
        Resolved
            All parameters by name, and a note on each default whose formula exceeds the end of its range.

        Raises
        ------
        BadInput
            For an unknown name or a value out of its range.
        """
        values: dict[str, Value] = {}
        notes: list[str] = []
        base: tuple[Parameter, ...] = ()
        if self.wraps is not None:
            candidates = self.wraps.candidates()
            name = given.get("base", self.wraps.default)
            if not isinstance(name, str) or name not in candidates:
                raise BadInput("base", name, suggest(name, candidates))
            base = candidates[name].parameters
            values["base"] = name
        known = [*values, *(parameter.name for parameter in (*self.parameters, *base))]
        for name in given:
            if name not in known:
                allowed = suggest(name, known, empty=f"{self.title} takes no parameters")
                raise BadInput(name, given[name], allowed)

        def add(parameter: Parameter, tuning: Tuning) -> None:
            value, note = parameter.default_at(tuning, values)
            if parameter.name in given:
                with within(parameter.name):
                    chosen = parameter.check(given[parameter.name], tuning)
                # A given value that equals the default keeps the note on the default.
                value, note = chosen, note if chosen == value else ""
            values[parameter.name] = value
            notes.extend([note] if note else [])

        for parameter in self.parameters:
            add(parameter, tuning)
        if self.wraps is not None:
            inner = self.wraps.tuning(tuning, values)
            for parameter in base:
                add(parameter, inner)
        return Resolved(values, tuple(notes))

    def check_epsilon(self, epsilon: object) -> float | None:
        """Return the budget ``epsilon`` as a float, or ``None`` for an algorithm without privacy.

        `BadInput` is raised for a budget given to an algorithm without privacy. For a private one it is raised
        unless the budget is a number from 1e-100 to the largest that the privacy statement covers.
        """
        if self.privacy is None:
            if epsilon is not None:
                raise BadInput((), epsilon, f"no budget: {self.title} is not private")
            return None
        if isinstance(epsilon, bool) or not isinstance(epsilon, int | float):
            given = Missing if epsilon is None else epsilon
            raise BadInput((), given, f"a number > 0: {self.title} needs a privacy budget")
        # Below 1e-100 the noise, above 1e100 its inverse leaves double precision.
        if not 1e-100 <= epsilon <= self.privacy.at_most:
            raise BadInput((), epsilon, f"a number > 0, from 1e-100 to {self.privacy.at_most:g} for {self.title}")
        return float(epsilon)

    def titled(self, parameters: Values) -> str:
        """Return the title; that of a wrapper names its base too, such as "Conversion of HTINF".

        ``parameters`` are all parameters of the algorithm by name.
        """
        if self.wraps is None:
            return self.title
        return f"{self.title} of {self.wraps.candidates()[parameters['base']].title}"

    def declaration(self) -> dict[str, Any]:
        """Return JSON data ``title, source, decides, privacy, bases, parameters, deviations``.

        ``bases`` are the names of a wrapper's bases, else ``None``. ``parameters`` has a text for each by name: its
        type, range, default and meaning.
        """
        return {
            "title": self.title,
            "source": self.source,
            "decides": self.decides,
            "privacy": None if self.privacy is None else self.privacy.declaration(),
            "bases": None if self.wraps is None else list(self.wraps.candidates()),
            "parameters": {
                p.name: f"{p.type.__name__} {p.range}, default {p.default_text}: {p.description}"
                for p in self.parameters
            },
            "deviations": self.deviations,
        }
