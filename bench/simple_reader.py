"""The widely copied recipe, to compare with: find blobs, call them pips, cluster them into dice, count."""

import cv2
import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import DBSCAN

# As the tutorials have it.
MIN_INERTIA = 0.6


def read_simply(image_bgr: NDArray[np.uint8], die_px: float) -> tuple[int, ...]:
    """The faces, sorted: the sizes of the clusters of round blobs.

    The tutorials tell the reader to find the clusters' distance by trying; three quarters of a die's edge joins the two
    pips of a Two.
    """
    params = cv2.SimpleBlobDetector.Params()
    params.filterByInertia = True
    params.minInertiaRatio = MIN_INERTIA
    blobs = cv2.SimpleBlobDetector.create(params).detect(cv2.medianBlur(image_bgr, 7))
    centres_px = np.array([blob.pt for blob in blobs if blob.pt])
    if not len(centres_px):
        return ()
    labels = DBSCAN(eps=0.75 * die_px, min_samples=1).fit_predict(centres_px)
    return tuple(sorted(int(count) for count in np.bincount(labels)))
