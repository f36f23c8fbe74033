"""Quantising: a vector in an eighth of its bits, and how far off a score by it can be.

A vector v of the length 1 is kept as whole numbers c from -127 to 127 and one factor s, so that v = s c + e. For a question q = t d + r, put
the same way, their cosine is

    q v = s t (d c) + q e + r (s c)

of which the first part is a sum of whole numbers, and the rest is at most |e| + |r| (1 + |e|), since no vector is longer than 1. So the
score of every row is known within its own bound, and only those rows whose bounds reach the best ones need their exact score.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numkong
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Codes = NDArray[np.int8]
Rows = NDArray[np.intp]

_STEPS = 127
_ROUNDING = 1e-6
"""For the roundings of single precision on the way, which sum up to less."""


@dataclass(frozen=True, slots=True)
class Quantised:
    """Vectors as codes: `scales` and `errors` have one number a row, the factor s and |e|. A vector of zeros has the scale 0."""

    codes: Codes
    scales: Floats
    errors: Floats


def quantised(vectors: Floats) -> Quantised:
    """Rows of vectors as codes."""
    scales = np.abs(vectors).max(axis=1, initial=0.0) / np.float32(_STEPS)
    codes = np.rint(vectors / np.where(scales > 0, scales, 1)[:, None]).astype(np.int8)
    errors = np.linalg.norm(vectors - codes * scales[:, None], axis=1)
    return Quantised(codes=codes, scales=scales.astype(np.float32), errors=errors.astype(np.float32))


@dataclass(frozen=True, slots=True)
class Question:
    """A question's vector, of the length 1, whole and as codes."""

    vector: Floats
    code: Codes
    scale: float
    error: float

    @classmethod
    def of(cls, vector: Floats) -> Question:
        whole = quantised(vector[None])
        return cls(vector=vector, code=whole.codes, scale=float(whole.scales[0]), error=float(whole.errors[0]))

    def estimates(self, codes: Codes, scales: Floats) -> Floats:
        """The cosine with each row as its codes have it; there must be one."""
        products: NDArray[Any] = np.asarray(numkong.cdist(self.code, codes, "dot"))
        return np.asarray(products.ravel() * (scales * np.float32(self.scale)), dtype=np.float32)

    def bounds(self, errors: Floats) -> Floats:
        """How far each estimate can be from the cosine."""
        return errors * np.float32(1 + self.error) + np.float32(self.error + _ROUNDING)

    def cosines(self, vectors: Floats) -> NDArray[np.float64]:
        """The cosine with each row."""
        return np.asarray(vectors.astype(np.float64) @ self.vector.astype(np.float64))
