"""Names of `intent.recognise.bayes`."""

from intent.recognise.bayes import (
    SMALLEST_EPS,
    eps_nodes,
    estimate_eps,
    log_evidence,
    lowest_point,
    normalise,
    posterior_paths,
    trajectory_likelihood,
)

__all__ = [
    "SMALLEST_EPS",
    "eps_nodes",
    "estimate_eps",
    "log_evidence",
    "lowest_point",
    "normalise",
    "posterior_paths",
    "trajectory_likelihood",
]
