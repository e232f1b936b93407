"""Linear algebra of small matrices, of IEEE operations in a fixed order: the same bytes on every processor.

BLAS and LAPACK choose their kernels, and with them the order of sums, by processor and number of threads. So code
that regret depends on calls neither: every sum is written out here. Still, `dot` and loops without sums are
vectorised.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.compiled import inner, kernel

Floats = NDArray[np.float64]

# Rows whose cosine is at most this count as orthogonal; most sweeps over all pairs of rows until all are.
ORTHOGONAL, SWEEPS = 1e-13, 60
# Most steps to the largest eigenvalue, and the smallest step, as a part of it. Usually four to eight are enough.
STEPS, STEP = 200, 1e-15
# How far above the largest eigenvalue inverse iteration shifts, in parts of it.
ABOVE = 4e-15
# Every iteration divides the part of the next axis by their eigenvalues' distance over that of the shift.
ITERATIONS = 3


@inner
def dot(x: Floats, y: Floats, n: int) -> float:
    """Return the inner product of the first ``n`` elements of the vectors ``x`` and ``y``.

    It is the sum of eight partial sums, which processors with vector instructions compute at once.
    """
    s0, s1, s2, s3, s4, s5, s6, s7 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    whole = n - n % 8
    for i in range(0, whole, 8):
        s0 += x[i] * y[i]
        s1 += x[i + 1] * y[i + 1]
        s2 += x[i + 2] * y[i + 2]
        s3 += x[i + 3] * y[i + 3]
        s4 += x[i + 4] * y[i + 4]
        s5 += x[i + 5] * y[i + 5]
        s6 += x[i + 6] * y[i + 6]
        s7 += x[i + 7] * y[i + 7]
    for i in range(whole, n):
        s0 += x[i] * y[i]
    return ((s0 + s4) + (s1 + s5)) + ((s2 + s6) + (s3 + s7))


@kernel
def product(points: Floats, x: Floats) -> Floats:
    """Return ``points`` @ ``x``, shapes (K, d) and (d,)."""
    found = np.empty(points.shape[0])
    for k in range(points.shape[0]):
        found[k] = dot(points[k], x, x.size)
    return found


@kernel
def products(a: Floats, b: Floats) -> Floats:
    """Return ``a`` @ ``b``, shapes (K, d) and (d, n)."""
    found = np.zeros((a.shape[0], b.shape[1]))
    for k in range(a.shape[0]):
        for p in range(a.shape[1]):
            row, factor = b[p], a[k, p]
            for i in range(b.shape[1]):
                found[k, i] += factor * row[i]
    return found


@kernel
def squared_lengths(points: Floats) -> Floats:
    """Return the squared Euclidean length of each row of ``points``, shape (K, d)."""
    found = np.empty(points.shape[0])
    for k in range(points.shape[0]):
        found[k] = dot(points[k], points[k], points.shape[1])
    return found


@kernel
def moments(points: Floats, weights: Floats) -> Floats:
    """Return the sum of w x x^T over rows x of ``points``, shape (K, d), with their ``weights`` w, shape (K,)."""
    d = points.shape[1]
    found = np.zeros((d, d))
    for k in range(points.shape[0]):
        if weights[k] != 0.0:
            x = points[k]
            for p in range(d):
                row, factor = found[p], weights[k] * x[p]
                for q in range(p + 1):
                    row[q] += factor * x[q]
    for p in range(d):
        for q in range(p):
            found[q, p] = found[p, q]
    return found


@kernel
def cholesky(a: Floats) -> Floats:
    """Return the lower triangular L with L L^T = ``a``, shape (d, d), for a positive definite ``a``.

    For another ``a`` the diagonal of L has a NaN or, where a pivot is exactly 0, a 0.
    """
    d = a.shape[0]
    root = np.zeros((d, d))
    for p in range(d):
        for q in range(p):
            root[p, q] = (a[p, q] - dot(root[p], root[q], q)) / root[q, q]
        root[p, p] = math.sqrt(a[p, p] - dot(root[p], root[p], p))
    return root


@kernel
def solved(root: Floats, points: Floats) -> Floats:
    """Return L^-1 x for every row x of ``points``, shape (K, d); L is the lower triangular ``root``."""
    found = np.empty(points.shape)
    for k in range(points.shape[0]):
        x = found[k]
        for p in range(points.shape[1]):
            x[p] = (points[k, p] - dot(root[p], x, p)) / root[p, p]
    return found


@kernel
def orthogonalise(rows: Floats) -> None:
    """Rotate ``rows``, shape (d, n), in place, in pairs until all are orthogonal: one-sided Jacobi (Hestenes 1958).

    Each row is then a singular value times its right singular vector, to nearly full relative precision.
    """
    d, n = rows.shape
    for _ in range(SWEEPS):
        turned = False
        squares = squared_lengths(rows)
        for p in range(d - 1):
            for q in range(p + 1, d):
                x, y = rows[p], rows[q]
                product = dot(x, y, n)
                if abs(product) > ORTHOGONAL * math.sqrt(squares[p]) * math.sqrt(squares[q]):
                    turned = True
                    ratio = (squares[q] - squares[p]) / (2.0 * product)
                    tangent = math.copysign(1.0 / (abs(ratio) + math.sqrt(1.0 + ratio * ratio)), ratio)
                    cosine = 1.0 / math.sqrt(1.0 + tangent * tangent)
                    sine = cosine * tangent
                    squares[p] = max(0.0, squares[p] - tangent * product)
                    squares[q] += tangent * product
                    for i in range(n):
                        left, right = x[i], y[i]
                        x[i] = cosine * left - sine * right
                        y[i] = sine * left + cosine * right
        if not turned:
            break


class Scratch(NamedTuple):
    """Scratch arrays of `leading`, and the eigenvector that it finds.

    Attributes
    ----------
    matrix, mirrors : ndarray of float64, shape (d, d)
        The matrix while it is made tridiagonal; and, in row k of ``mirrors``, the vector x of reflection k, which
        is I - x x^T.
    diagonal, beside, image : ndarray of float64, shape (d,)
        The tridiagonal matrix's diagonal; its d - 1 elements beside the diagonal; and scratch space.
    axis : ndarray of float64, shape (d,)
        The eigenvector, of length 1, of the largest eigenvalue.
    """

    matrix: Floats
    mirrors: Floats
    diagonal: Floats
    beside: Floats
    image: Floats
    axis: Floats


@kernel
def scratch(d: int) -> Scratch:
    """Return new scratch arrays for `leading` and matrices of ``d`` rows; their contents do not matter."""
    return Scratch(np.empty((d, d)), np.empty((d, d)), np.empty(d), np.zeros(d), np.empty(d), np.empty(d))


@kernel
def leading(a: Floats, scratch: Scratch) -> float:
    """Return the largest eigenvalue of a matrix, and write its eigenvector of length 1 to ``scratch.axis``.

    Householder reflections make the matrix tridiagonal; Laguerre's method goes down to the largest eigenvalue; and
    inverse iteration finds the eigenvector. A matrix whose trace is not positive counts as zero: it has the
    eigenvalue 0 and the first unit vector.

    Parameters
    ----------
    a : ndarray of float64, shape (d, d)
        The matrix: symmetric, and positive semidefinite but for rounding.
    scratch
        Scratch arrays for matrices of d rows, which are overwritten.
    """
    d = a.shape[0]
    trace = 0.0
    for p in range(d):
        trace += a[p, p]
    if not trace > 0.0:
        for p in range(d):
            scratch.axis[p] = 1.0 if p == 0 else 0.0
        return 0.0
    # Squares of its elements have to be numbers.
    for p in range(d):
        for q in range(d):
            scratch.matrix[p, q] = a[p, q] / trace
    _tridiagonalise(scratch)
    value = _largest(scratch.diagonal, scratch.beside)
    _axis(scratch, value)
    return value * trace


@inner
def _tridiagonalise(scratch: Scratch) -> None:
    """Take ``matrix`` to a tridiagonal one by reflections, each of which leaves zeros in one column."""
    t, y, d = scratch.matrix, scratch.image, scratch.axis.size
    for k in range(d - 2):
        x = scratch.mirrors[k]
        below = 0.0
        for p in range(k + 1, d):
            x[p] = t[p, k]
        for p in range(k + 2, d):
            below += x[p] * x[p]
        if below == 0.0:
            scratch.beside[k] = x[k + 1]
            for p in range(k + 1, d):
                x[p] = 0.0
            continue
        alpha = -math.copysign(math.sqrt(below + x[k + 1] * x[k + 1]), x[k + 1])
        scratch.beside[k] = alpha
        x[k + 1] -= alpha
        factor = math.sqrt(2.0 / (below + x[k + 1] * x[k + 1]))
        for p in range(k + 1, d):
            x[p] *= factor
            y[p] = 0.0
        for q in range(k + 1, d):
            row, factor = t[q], x[q]
            for p in range(k + 1, d):
                y[p] += row[p] * factor
        along = 0.0
        for p in range(k + 1, d):
            along += x[p] * y[p]
        for p in range(k + 1, d):
            y[p] -= 0.5 * along * x[p]
        for q in range(k + 1, d):
            row, one, other = t[q], x[q], y[q]
            for p in range(k + 1, d):
                row[p] -= one * y[p] + other * x[p]
    for p in range(d):
        scratch.diagonal[p] = t[p, p]
    if d > 1:
        scratch.beside[d - 2] = t[d - 1, d - 2]


@inner
def _largest(diagonal: Floats, beside: Floats) -> float:
    """Return the largest eigenvalue of a tridiagonal matrix, by Laguerre's method from Gershgorin's bound.

    From above it comes down to the largest root of the characteristic polynomial, whose roots are all real, and
    never below it; it converges cubically, and fast where many eigenvalues are close. With the pivots q of the
    matrix less x, the polynomial is their product: G = sum of q'/q and H = sum of (q'/q)^2 - q''/q.
    """
    d = diagonal.size
    value = 0.0
    for p in range(d):
        around = (abs(beside[p - 1]) if p > 0 else 0.0) + (abs(beside[p]) if p < d - 1 else 0.0)
        value = max(value, diagonal[p] + around)
    value *= 1.0 + 1e-12
    for _ in range(STEPS):
        pivot, slope, bend = diagonal[0] - value, -1.0, 0.0
        share = slope / pivot
        g, h = share, share * share
        for p in range(1, d):
            if not pivot < 0.0:
                break
            ratio = beside[p - 1] / pivot
            square = ratio * ratio
            bend = square * (bend - 2.0 * slope * share)
            slope = -1.0 + square * slope
            pivot = diagonal[p] - value - ratio * beside[p - 1]
            share = slope / pivot
            g += share
            h += share * share - bend / pivot
        # By rounding the root was reached.
        if not pivot < 0.0:
            break
        move = d / (g + math.sqrt(max(0.0, (d - 1.0) * (d * h - g * g))))
        if not move > STEP * value:
            break
        value -= move
    return value


@inner
def _axis(scratch: Scratch, value: float) -> None:
    """Fill in the eigenvector of the largest eigenvalue ``value``: inverse iteration, and the reflections back.

    From just above the matrix less the shift is definite, so that its factors need no exchanges of rows.
    """
    diagonal, beside, u, y, d = scratch.diagonal, scratch.beside, scratch.axis, scratch.image, scratch.axis.size
    shift = value * (1.0 + ABOVE) + 1e-300
    # The signs are those of the eigenvector itself: what is looked for is a large part of this.
    u[0] = 1.0
    for p in range(1, d):
        u[p] = math.copysign(1.0, beside[p - 1]) * u[p - 1]
    for _ in range(ITERATIONS):
        y[0] = min(diagonal[0] - shift, -1e-16 * shift)
        for p in range(1, d):
            ratio = beside[p - 1] / y[p - 1]
            y[p] = min(diagonal[p] - shift - ratio * beside[p - 1], -1e-16 * shift)
            u[p] -= ratio * u[p - 1]
        u[d - 1] /= y[d - 1]
        most = abs(u[d - 1])
        for p in range(d - 2, -1, -1):
            u[p] = (u[p] - beside[p] * u[p + 1]) / y[p]
            most = max(most, abs(u[p]))
        for p in range(d):
            u[p] /= most
    for k in range(d - 3, -1, -1):
        x = scratch.mirrors[k]
        along = 0.0
        for p in range(k + 1, d):
            along += x[p] * u[p]
        for p in range(k + 1, d):
            u[p] -= along * x[p]
    length = math.sqrt(dot(u, u, d))
    for p in range(d):
        u[p] /= length
