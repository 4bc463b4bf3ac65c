"""Clusters by k-means; crates/darray/examples/kmeans.rs."""
from harness import arguments, library, run

chosen = arguments("kmeans", 100_000, 10)
np = library(chosen)
import numpy

points = np.asarray(numpy.random.default_rng(23).random((chosen.n, 4)).astype(chosen.element))


def step(centers, points):
    offset = points[:, None, :] - centers
    nearest = (offset * offset).sum(2).argmin(1)
    member = (nearest[:, None] == np.arange(len(centers))).astype(chosen.element)
    count = member.sum(0)[:, None]
    mean = member.T @ points / np.where(count > 0.0, count, 1.0)
    return (np.where(count > 0.0, mean, centers),)


def checksum(centers):
    wide = centers.astype("float64")
    return [wide.sum(), (wide * wide).sum()]


run(chosen, lambda: (points[:8],), step, checksum, (points,))
