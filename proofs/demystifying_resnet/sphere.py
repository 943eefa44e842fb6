"""Paths on the unit sphere that keep a distance from obstacles: Lemma 2, run.

A minor arc z(t) = cos t e + sin t f leads from the start to the end. An obstacle p has <p, z(t)> = A cos(t - t0), and
its cap {|z - p| <= r} is the set <p, z> >= h, h = 1 - r^2/2; the arc meets the cap where |t - t0| <= g, cos g = h / A.
There the path follows the cap's boundary instead. With tau = z'(t0), B = sqrt(1 - A^2), p = A z(t0) + B q and
n = B z(t0) - A q the detour is

    h p + sigma (cos u n + sin u tau),    |u| <= u0 <= pi/2,    sigma^2 = 1 - h^2,    tan u0 = A sin g / (B h),

the shorter way round. Head on, B = 0, any q orthogonal to e and f will do: there is one when d >= 3.

The caps have the chord radius r = (rho/2)(1 + rho^2/128), slightly more than rho/2: they are still disjoint where the
obstacles are rho apart, and 2 sigma <= rho still bounds the detours by pi rho/2 (both are proved beside Lemma 2), while
the distance rho/2 is kept with a margin far above rounding. Source: Li et al. 2016, Lemma 2, Figure 10.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]

MARGIN = 1.0 / 128.0
"""Caps have the chord radius (rho/2)(1 + MARGIN rho^2)."""
UNIT_TOLERANCE = 1e-12
"""How far from 1 a norm may be."""
LEAST_RHO = 0.004
"""Below this the caps' margin rho^4 / 512 in inner products is less than some hundred roundings."""
_PARALLEL = 1e-13
"""Below this a direction is rounding, and any other one does as well."""


class PathError(ValueError):
    """The points given admit no such path, or are not what is expected; the message is one line."""


@dataclass(frozen=True, slots=True)
class Arc:
    """centre + radius (cos(t) first + sin(t) second) for begin <= t <= end; `obstacle` is the one it leads round."""

    centre: Array
    radius: float
    first: Array
    second: Array
    begin: float
    end: float
    obstacle: int | None = None

    @property
    def length(self) -> float:
        """radius times angle."""
        return self.radius * (self.end - self.begin)

    def at(self, distance: Array) -> Array:
        """The points at these distances from its beginning, as columns."""
        angle = self.begin + np.asarray(distance) / self.radius
        return (
            self.centre[:, None]
            + self.radius * np.cos(angle) * self.first[:, None]
            + self.radius * np.sin(angle) * self.second[:, None]
        )


@dataclass(frozen=True, slots=True)
class Path:
    """A path on the sphere from `start` to `end`, made of arcs."""

    start: Array
    end: Array
    arcs: tuple[Arc, ...]

    @property
    def length(self) -> float:
        """The sum of the lengths of the arcs."""
        return math.fsum(arc.length for arc in self.arcs)

    @property
    def corners(self) -> int:
        """Where one arc meets the next."""
        return max(len(self.arcs) - 1, 0)

    def points(self, steps: int) -> Array:
        """steps + 1 points at equal distances along the path, as columns; the last one is `end` itself.

        Raises:
            PathError: no step at all.
        """
        if steps < 1:
            raise PathError(f"points: {steps} steps; expected at least one")
        along = np.linspace(0.0, self.length, steps + 1)
        found = np.empty((len(self.start), steps + 1))
        bounds = np.concatenate([[0.0], np.cumsum([arc.length for arc in self.arcs])])
        place = np.searchsorted(bounds[1:-1], along, side="right")
        for k, arc in enumerate(self.arcs):
            here = place == k
            found[:, here] = arc.at(along[here] - bounds[k])
        found /= np.linalg.norm(found, axis=0) if self.arcs else 1.0
        found[:, 0], found[:, -1] = self.start, self.end
        if not self.arcs:
            found[:] = self.end[:, None]
        return found


def cap_radius(rho: float) -> float:
    """The chord radius of the caps that are avoided, slightly more than rho / 2."""
    return 0.5 * rho * (1.0 + MARGIN * rho * rho)


def boundary_radius(rho: float) -> float:
    """sigma, the radius of the circles that the detours follow; at most rho / 2."""
    r = cap_radius(rho)
    return r * math.sqrt(1.0 - 0.25 * r * r)


def length_bound(rho: float, samples: int) -> float:
    """pi (rho (m - 1) / 2 + 1), which no path past m - 1 obstacles exceeds. Source: Li et al. 2016, Lemma 2."""
    return math.pi * (0.5 * rho * (samples - 1) + 1.0)


def minimum_distance(points: Array) -> float:
    """The least distance of two columns, infinite for a single one. Source: Li et al. 2016, Definition 3."""
    count = points.shape[1]
    least = (np.linalg.norm(points[:, i + 1 :] - points[:, i : i + 1], axis=0).min() for i in range(count - 1))
    return float(min(least, default=math.inf))


def shortest_path(start: Array, end: Array, obstacles: Array, rho: float) -> Path:
    """The minor arc from start to end, with a detour round each cap on its way.

    Start, end and the columns of `obstacles` are unit vectors, the obstacles at least rho apart from each other and
    from both ends. Antipodal ends are joined by one of the half circles.

    Raises:
        PathError: vectors that are not of unit norm, obstacles too close, rho below LEAST_RHO beside an obstacle, or
            d = 2 with an obstacle on the way.
    """
    _check(start, end, obstacles, rho)
    e, f, angle = _minor_arc(start, end)
    if angle == 0.0:
        return Path(start, end, ())
    r = cap_radius(rho)
    height, sigma = 1.0 - 0.5 * r * r, boundary_radius(rho)
    arcs: list[Arc] = []
    reached, origin = 0.0, np.zeros_like(start)
    for middle, half, obstacle in _met(e, f, angle, obstacles, height):
        arcs.append(Arc(origin, 1.0, e, f, reached, middle - half))
        arcs.append(_detour(e, f, middle, half, obstacles[:, obstacle], height, sigma, obstacle))
        reached = middle + half
    arcs.append(Arc(origin, 1.0, e, f, reached, angle))
    return Path(start, end, tuple(arcs))


def _check(start: Array, end: Array, obstacles: Array, rho: float) -> None:
    everything = np.concatenate([start[:, None], end[:, None], obstacles], axis=1)
    norms = np.linalg.norm(everything, axis=0)
    if not bool(np.all(np.abs(norms - 1.0) <= UNIT_TOLERANCE)):
        worst = norms[np.argmax(np.abs(norms - 1.0))]
        raise PathError(f"shortest_path: a vector has norm {worst:.6g}; expected unit vectors")
    if not 0.0 < rho <= 2.0:
        raise PathError(f"shortest_path: rho is {rho}; expected 0 < rho <= 2")
    if rho < LEAST_RHO and obstacles.shape[1]:
        raise PathError(f"shortest_path: rho is {rho:.3g}; expected at least {LEAST_RHO} where there are obstacles")
    ends = everything[:, :2]
    nearest = min(minimum_distance(obstacles), *(minimum_distance(_beside(obstacles, x)) for x in ends.T))
    if nearest < rho * (1.0 - UNIT_TOLERANCE):
        raise PathError(f"shortest_path: an obstacle is at distance {nearest:.6g}; expected at least rho = {rho:.6g}")


def _beside(obstacles: Array, point: Array) -> Array:
    return np.concatenate([point[:, None], obstacles], axis=1)


def _minor_arc(start: Array, end: Array) -> tuple[Array, Array, float]:
    """Orthonormal e, f and the angle with start = e and end = cos(angle) e + sin(angle) f."""
    angle = 2.0 * math.atan2(float(np.linalg.norm(end - start)), float(np.linalg.norm(end + start)))
    if angle == 0.0:
        return start, start, 0.0
    e = start / np.linalg.norm(start)
    return e, _direction(end, (e,)), angle


def _direction(vector: Array, basis: Sequence[Array]) -> Array:
    """The unit vector along `vector` orthogonal to an orthonormal basis; any orthogonal one where none is left.

    Raises:
        PathError: the basis leaves no direction.
    """
    remainder = _reject(vector, basis)
    if float(np.linalg.norm(remainder)) <= _PARALLEL:
        axes = [_reject(axis, basis) for axis in np.eye(len(vector))]
        remainder = max(axes, key=lambda axis: float(np.linalg.norm(axis)))
    if float(np.linalg.norm(remainder)) <= _PARALLEL:
        raise PathError(f"shortest_path: an obstacle is on the way in d = {len(vector)}; expected d >= 3")
    # Once more, as the first remainder may be small and so far from orthogonal.
    again = _reject(remainder / np.linalg.norm(remainder), basis)
    return again / np.linalg.norm(again)


def _reject(vector: Array, basis: Sequence[Array]) -> Array:
    for e in basis:
        vector = vector - np.dot(vector, e) * e
    return vector


def _met(e: Array, f: Array, angle: float, obstacles: Array, height: float) -> list[tuple[float, float, int]]:
    """(t0, g, obstacle) for the caps that the arc enters, in its order."""
    x, y = e @ obstacles, f @ obstacles
    reach, middle = np.hypot(x, y), np.arctan2(y, x)
    inside = np.flatnonzero((reach > height) & (middle > 0.0) & (middle < angle))
    return sorted((float(middle[k]), math.acos(height / min(float(reach[k]), 1.0)), int(k)) for k in inside)


def _detour(
    e: Array, f: Array, middle: float, half: float, p: Array, height: float, sigma: float, obstacle: int
) -> Arc:
    """The shorter arc of the cap's boundary between the points where the great arc enters and leaves the cap.

    Raises:
        PathError: d = 2, where the boundary is two points.
    """
    if len(p) < 3:
        raise PathError(f"shortest_path: an obstacle is on the way in d = {len(p)}; expected d >= 3")
    z0 = math.cos(middle) * e + math.sin(middle) * f
    tau = math.cos(middle) * f - math.sin(middle) * e
    q = _direction(p, (e, f))
    a, b = float(np.dot(p, z0)), float(np.dot(p, q))
    turn = math.atan2(a * math.sin(half), max(b, 0.0) * height)
    return Arc(height * p, sigma, b * z0 - a * q, tau, -turn, turn, obstacle)


@dataclass(frozen=True, slots=True)
class Picture:
    """What a figure of one path for d = 3 shows; points as columns, `circles` one boundary circle for each obstacle."""

    start: Array
    end: Array
    obstacles: Array
    path: Array
    great_arc: Array
    circles: tuple[Array, ...]
    rho: float
    length: float
    bound: float


def picture(start: Array, end: Array, obstacles: Array, rho: float, resolution: int = 400) -> Picture:
    """The path past the obstacles, the great arc without detours and the caps' boundary circles, for d = 3.

    Raises:
        PathError: d is not 3, or the points admit no path.
    """
    if len(start) != 3:
        raise PathError(f"picture: d = {len(start)}; expected 3")
    path = shortest_path(start, end, obstacles, rho)
    direct = shortest_path(start, end, obstacles[:, :0], rho)
    r, around = cap_radius(rho), np.linspace(0.0, 2.0 * math.pi, resolution)
    circles = []
    for p in obstacles.T:
        first = _direction(np.array([1.0, 0.0, 0.0]), (p,))
        second = np.cross(p, first)
        sigma = boundary_radius(rho)
        circles.append(Arc((1.0 - 0.5 * r * r) * p, sigma, first, second, 0.0, 2.0 * math.pi).at(sigma * around))
    bound = length_bound(rho, obstacles.shape[1] + 1)
    return Picture(
        start,
        end,
        obstacles,
        path.points(resolution),
        direct.points(resolution),
        tuple(circles),
        rho,
        path.length,
        bound,
    )
