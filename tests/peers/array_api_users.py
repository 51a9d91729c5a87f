"""Functions of SciPy and scikit-learn by the array API, of gpukit's tensors and of NumPy's arrays.

`python -m peers.array_api_users DEVICE` in tests/ prints as JSON what is wrong by name. A process
of its own, since SciPy reads SCIPY_ARRAY_API once, when it is imported.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any

os.environ["SCIPY_ARRAY_API"] = "1"

import numpy as np
from scipy import cluster, differentiate, fft, integrate, ndimage, optimize, signal, special, stats
from sklearn import config_context
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import Ridge
from sklearn.metrics import accuracy_score, mean_squared_error, pairwise, r2_score
from sklearn.preprocessing import MinMaxScaler, Normalizer, StandardScaler

import gpukit

_RNG = np.random.default_rng(0)
X, Y, V = _RNG.random((6, 8)), _RNG.random((6, 8)), _RNG.random(16)
S = _RNG.standard_normal((60, 5))
T = S @ np.arange(5.0) + 0.1 * _RNG.standard_normal(60)
C = (T > 0).astype(np.int64)

KERNELS = """
euclidean_distances
cosine_similarity
linear_kernel
rbf_kernel
polynomial_kernel
sigmoid_kernel
cosine_distances
chi2_kernel
laplacian_kernel
manhattan_distances
""".strip().splitlines()

# Each is called with a function that makes an array of the library.
EVERYWHERE: dict[str, Callable[[Any], Any]] = {
    "special.xlogy": lambda a: special.xlogy(a(X), a(Y)),
    "special.rel_entr": lambda a: special.rel_entr(a(X), a(Y)),
    "special.logsumexp": lambda a: special.logsumexp(a(X), axis=1),
    "special.softmax": lambda a: special.softmax(a(X), axis=1),
    "special.log_softmax": lambda a: special.log_softmax(a(X), axis=1),
    "stats.zscore": lambda a: stats.zscore(a(X), axis=1),
    "stats.skew": lambda a: stats.skew(a(X), axis=1),
    "stats.kurtosis": lambda a: stats.kurtosis(a(X), axis=1),
    "stats.moment": lambda a: stats.moment(a(X), order=3, axis=1),
    "stats.variation": lambda a: stats.variation(a(X), axis=1),
    "stats.gmean": lambda a: stats.gmean(a(X), axis=1),
    "stats.hmean": lambda a: stats.hmean(a(X), axis=1),
    "stats.pmean": lambda a: stats.pmean(a(X), 2, axis=1),
    "stats.circmean": lambda a: stats.circmean(a(X), axis=1),
    "stats.directional_stats": lambda a: stats.directional_stats(a(X)).mean_direction,
    "cluster.whiten": lambda a: cluster.vq.whiten(a(X)),
    "signal.fftconvolve": lambda a: signal.fftconvolve(a(V), a(V)),
    "signal.oaconvolve": lambda a: signal.oaconvolve(a(V), a(V)),
    "signal.hilbert": lambda a: signal.hilbert(a(V)),
    "fft.fft": lambda a: fft.fft(a(V)),
    "fft.rfftn": lambda a: fft.rfftn(a(X)),
    "integrate.trapezoid": lambda a: integrate.trapezoid(a(X), axis=1),
    "integrate.cumulative_trapezoid": lambda a: integrate.cumulative_trapezoid(a(X), axis=1),
    "optimize.rosen": lambda a: optimize.rosen(a(V)),
    **{
        f"pairwise.{name}": lambda a, name=name: getattr(pairwise, name)(a(np.abs(S)))
        for name in KERNELS
    },
    "StandardScaler": lambda a: StandardScaler().fit(a(S)).transform(a(S)),
    "MinMaxScaler": lambda a: MinMaxScaler().fit(a(S)).transform(a(S)),
    "Normalizer": lambda a: Normalizer().fit(a(S)).transform(a(S)),
    "mean_squared_error": lambda a: mean_squared_error(a(T), a(T) * 1.1),
    "r2_score": lambda a: r2_score(a(T), a(T) * 1.1),
    "accuracy_score": lambda a: accuracy_score(a(C), a(1 - C)),
}
# SciPy computes parts of these in NumPy or on the CPU; scikit-learn's need LAPACK.
ON_THE_CPU: dict[str, Callable[[Any], Any]] = {
    "special.erf": lambda a: special.erf(a(X)),
    "special.gammaln": lambda a: special.gammaln(a(X)),
    "special.betainc": lambda a: special.betainc(a(X), a(Y), a(X)),
    "stats.entropy": lambda a: stats.entropy(a(X), axis=1),
    "stats.pearsonr": lambda a: stats.pearsonr(a(X), a(Y), axis=1).statistic,
    "stats.ttest_1samp": lambda a: stats.ttest_1samp(a(X), 0.5, axis=1).pvalue,
    "stats.rankdata": lambda a: stats.rankdata(a(X), axis=1),
    "stats.bartlett": lambda a: stats.bartlett(a(X), a(Y), axis=1).statistic,
    "stats.chisquare": lambda a: stats.chisquare(a(X), axis=1).statistic,
    "cluster.vq": lambda a: cluster.vq.vq(a(X), a(Y))[1],
    "signal.detrend": lambda a: signal.detrend(a(X)),
    "signal.convolve": lambda a: signal.convolve(a(V), a(V)),
    "signal.lfilter": lambda a: signal.lfilter(a(V[:3]), a(V[3:6]), a(V)),
    "ndimage.gaussian_filter": lambda a: ndimage.gaussian_filter(a(X), 1.0),
    "fft.dct": lambda a: fft.dct(a(V)),
    "differentiate.derivative": lambda a: differentiate.derivative(lambda t: t**3, a(V)).df,
    "integrate.cubature": lambda a: (
        integrate.cubature(lambda t: t[..., 0] ** 2, a(np.zeros(1)), a(np.ones(1))).estimate
    ),
    "integrate.tanhsinh": lambda a: (
        integrate.tanhsinh(lambda t: t**2, a(np.array(0.0)), a(np.array(1.0))).integral
    ),
    "Ridge": lambda a: Ridge(solver="svd").fit(a(S), a(T)).coef_,
    "LinearDiscriminantAnalysis": lambda a: (
        LinearDiscriminantAnalysis().fit(a(S), a(C)).transform(a(S))
    ),
    "PCA full": lambda a: PCA(3, svd_solver="full").fit(a(S)).transform(a(S)),
    "PCA covariance_eigh": lambda a: PCA(3, svd_solver="covariance_eigh").fit_transform(a(S)),
}


def fault(function: Callable[[Any], Any], device: gpukit.device) -> str:
    """What is wrong with a function's result; empty where nothing is."""
    want = function(np.asarray)
    try:
        got = function(lambda array: gpukit.tensor(array, device=device))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if not isinstance(want, np.ndarray) and isinstance(got, float):
        return "" if np.isclose(got, want, 1e-9) else f"{got}, of NumPy {want}"
    if not isinstance(got, gpukit.Tensor) or got.device != device:
        return f"a {type(got).__name__}, not a tensor on {device}"
    found = got.cpu().numpy()
    same = found.shape == np.shape(want) and np.allclose(found, want, 1e-9, 1e-11)
    return "" if same else f"{found}, of NumPy {want}"


def main() -> None:
    """The faults of all functions that run on a device."""
    device = gpukit.device(sys.argv[1])
    rows = EVERYWHERE | (ON_THE_CPU if device.type == "cpu" else {})
    with config_context(array_api_dispatch=True):
        found = {name: fault(function, device) for name, function in rows.items()}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
