"""Names for authors of algorithms, environments and mechanisms. They are stable: a file that uses them keeps
working.

An author's file imports from one module: ``dpbandits.settings.<setting>.authoring``. It has all names of this
module and those of the setting. A name is removed or changed only with a new major version, and is deprecated
first.

- Declarations: `Algorithm` with `Parameter`, `Privacy`, `Probe`, `Worst`, `Tuning`,
  `Values` and the default `one_over_horizon`; `Environment` with
  `Parameters`; `Wrapping` for an algorithm that runs another one.
- Checks of an environment's parameters: `complete`, `choice`, `number`, `integer`, `numbers`, `table`,
  `first_rows`, `BadInput`; and `Fixed`, `Neighbours`, `neighbouring` for an environment on which audits run.
- Compiled code: `kernel` for a function that Python calls, `inner` for one that only kernels call.
- Runs: `Runs`, `Clock`, `START`, `pull`, `record`, `keep`.
- Recorder: `release` with Laplace noise and `release_normal` with normal noise; `release_whole` with
  `DISCRETE_LAPLACE` or `DISCRETE_NORMAL`; `respond`, randomised response.
- Selections by the recorder: `offer` and `select` with `LAPLACE`, `GUMBEL` and `EXPONENTIAL`, and `select_gap`;
  `conceal` and `above`, the sparse vector.
- A new problem's calls of the recorder: `record_play`, `read`, `read_between` and `Recorder`.
- Elementary functions with the same bits on every machine: `exp`, `expm1`, `log`, `log1p`, `power`, `cbrt`, `sin`,
  `cos`. Kernels use them instead of `math`.
- Samplers, all from a run's own stream `State`: `bits`, `uniform`, `integer_below`, `shuffle`, `permute`, `argmin`,
  `argmax`, `categorical`, `laplace`, `normal`, `discrete_laplace`, `discrete_normal`, `binomial`, `beta`. And
  `deviation_for`, the smallest deviation of normal noise for an (epsilon, delta) claim.

Parameters of these names mean the same in every function:

- ``state`` is a run's random stream, a `State`; a draw moves it on.
- ``runs`` are the runs to fill, and ``run`` is the number of one of them, from 0 on.
- ``clock`` is a `Clock`: how many rounds were played, and the excess so far.
- ``bandit`` is the environment that is played on.
- ``recorder`` is the run's `Recorder`, or ``None`` outside audits.
- ``given`` are an environment's parameters by name.
- ``key`` is the name of the parameter to check.
- ``tuning`` is a `Tuning`, on which an algorithm's defaults may depend.
- ``x`` is a number.
"""

from dpbandits.core.algorithm import Algorithm, Privacy, Probe, Worst, Wrapping
from dpbandits.core.compiled import inner, kernel
from dpbandits.core.environment import Environment, Fixed, Neighbours, first_rows, neighbouring
from dpbandits.core.errors import BadInput
from dpbandits.core.fields import (
    Parameter,
    Parameters,
    Tuning,
    Values,
    choice,
    complete,
    integer,
    number,
    numbers,
    one_over_horizon,
    table,
)
from dpbandits.core.gaussian import deviation_for, normal
from dpbandits.core.gaussian import release as release_normal
from dpbandits.core.mathematics import cbrt, cos, exp, expm1, log, log1p, power, sin
from dpbandits.core.mechanisms import (
    DISCRETE_LAPLACE,
    DISCRETE_NORMAL,
    above,
    conceal,
    discrete_laplace,
    discrete_normal,
    release_whole,
    respond,
    select_gap,
)
from dpbandits.core.recorder import (
    EXPONENTIAL,
    GUMBEL,
    LAPLACE,
    Recorder,
    read,
    read_between,
    record_play,
    release,
)
from dpbandits.core.recording import START, Clock, Runs, keep, pull, record
from dpbandits.core.selections import offer, select
from dpbandits.core.streams import (
    State,
    argmax,
    argmin,
    beta,
    binomial,
    bits,
    categorical,
    integer_below,
    laplace,
    permute,
    shuffle,
    uniform,
)

__all__ = [
    "DISCRETE_LAPLACE",
    "DISCRETE_NORMAL",
    "EXPONENTIAL",
    "GUMBEL",
    "LAPLACE",
    "START",
    "Algorithm",
    "BadInput",
    "Clock",
    "Environment",
    "Fixed",
    "Neighbours",
    "Parameter",
    "Parameters",
    "Privacy",
    "Probe",
    "Recorder",
    "Runs",
    "State",
    "Tuning",
    "Values",
    "Worst",
    "Wrapping",
    "above",
    "argmax",
    "argmin",
    "beta",
    "binomial",
    "bits",
    "categorical",
    "cbrt",
    "choice",
    "complete",
    "conceal",
    "cos",
    "deviation_for",
    "discrete_laplace",
    "discrete_normal",
    "exp",
    "expm1",
    "first_rows",
    "inner",
    "integer",
    "integer_below",
    "keep",
    "kernel",
    "laplace",
    "log",
    "log1p",
    "neighbouring",
    "normal",
    "number",
    "numbers",
    "offer",
    "one_over_horizon",
    "permute",
    "power",
    "pull",
    "read",
    "read_between",
    "record",
    "record_play",
    "release",
    "release_normal",
    "release_whole",
    "respond",
    "select",
    "select_gap",
    "shuffle",
    "sin",
    "table",
    "uniform",
]
