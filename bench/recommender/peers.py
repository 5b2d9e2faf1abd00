"""Other recommenders, tuned, on one split: python peers.py FOLDER NAME prints one line of JSON.

FOLDER has train.txt and test.txt, and tuning-train.txt and tuning-test.txt, a split of train.txt; each line is `user item item …`.
NAME is als, ease, rp3beta, knn, popularity (see peerModels.py) or gram (R^T R of scipy). Settings are compared by recall@20 + ndcg@20 on
the tuning split: the coarse grid first, then the neighbours of the best setting as long as one is better. Only the best setting is trained on
train.txt and ranked for test.txt, once. cpu_seconds covers this training, tuning_cpu_seconds the search with its lists.
"""
import itertools
import json
import os
import resource
import sys

import numpy as np
import scipy.sparse as sp

from peerModels import models

K = 20
MOST_STEPS = 6
BLOCK = 500


def read(folder, name):
    rows, columns = [], []
    with open(os.path.join(folder, name)) as lines:
        for line in lines:
            user, *items = [int(word) for word in line.split()] or [None]
            rows += [user] * len(items)
            columns += items
    return np.array(rows, dtype=np.int64), np.array(columns, dtype=np.int64)


def to_matrix(entries, shape):
    matrix = sp.csr_matrix((np.ones(len(entries[0]), dtype=np.float32), entries), shape=shape)
    matrix.data[:] = 1
    return matrix


class Split:
    """A binary matrix to train on, and the wanted items of its users. Users without a training row are left out."""

    def __init__(self, train, test, shape):
        self.matrix = to_matrix(train, shape)
        self.wanted = to_matrix(test, shape)
        self.users = np.flatnonzero((np.diff(self.matrix.indptr) > 0) & (np.diff(self.wanted.indptr) > 0))

    def quality(self, score):
        """Means of recall and ndcg over the first K unseen items."""
        gains = 1 / np.log2(np.arange(2, K + 2))
        ideal = np.concatenate([[0], np.cumsum(gains)])
        recall = ndcg = 0.0
        for start in range(0, len(self.users), BLOCK):
            users = self.users[start:start + BLOCK]
            scores = np.array(score(users), dtype=np.float32)
            seen = self.matrix[users].tocoo()
            scores[seen.row, seen.col] = -np.inf
            part = np.argpartition(-scores, K, axis=1)[:, :K]
            first = np.take_along_axis(part, np.argsort(-np.take_along_axis(scores, part, axis=1), axis=1, kind="stable"), axis=1)
            wanted = self.wanted[users].toarray() > 0
            hits = np.take_along_axis(wanted, first, axis=1)
            counts = wanted.sum(axis=1)
            recall += float((hits.sum(axis=1) / counts).sum())
            ndcg += float(((hits * gains).sum(axis=1) / ideal[np.minimum(K, counts)]).sum())
        return recall / len(self.users), ndcg / len(self.users)


def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def neighbours(model, setting):
    """The settings one step away along each parameter whose values have an order."""
    for name, values in model.values.items():
        if name in getattr(model, "unordered", ()):
            continue
        for step in (-1, 1):
            place = values.index(setting[name]) + step
            if 0 <= place < len(values):
                yield setting | {name: values[place]}


def tune(model, split):
    """The best setting on a split, and how many were tried."""
    results = {}

    def gain(setting):
        key = tuple(setting.items())
        if key not in results:
            results[key] = sum(split.quality(model.fit(split.matrix, setting)))
            print(f"{model.title} {json.dumps(setting)} {results[key]:.4f}", file=sys.stderr, flush=True)
        return results[key]

    best = max((dict(zip(model.coarse, values)) for values in itertools.product(*model.coarse.values())), key=gain)
    for _ in range(MOST_STEPS):
        near = max(neighbours(model, best), key=gain, default=best)
        if gain(near) <= gain(best):
            break
        best = near
    return best, len(results)


def measure(name, tuning, final):
    """Figures of one model."""
    if name == "gram":
        before = cpu()
        final.matrix.T @ final.matrix
        return {"name": name, "title": "scipy `R.T@R`", "cpu_seconds": cpu() - before}
    model = models[name]()
    if final.matrix.shape[1] > getattr(model, "most_items", np.inf):
        return {"name": name, "title": f"{model.title}: not run, more than {model.most_items} items"}
    before = cpu()
    setting, tried = tune(model, tuning) if model.values else ({}, 0)
    tuned = cpu()
    score = model.fit(final.matrix, setting)
    trained = cpu()
    recall, ndcg = final.quality(score)
    return {
        "name": name, "title": model.title, "setting": setting, "tried": tried, "tuning_cpu_seconds": tuned - before,
        "cpu_seconds": trained - tuned, f"recall@{K}": recall, f"ndcg@{K}": ndcg,
    }


def main():
    folder, name = sys.argv[1:]
    train, test, tuning_train, tuning_test = (read(folder, f"{part}.txt") for part in ("train", "test", "tuning-train", "tuning-test"))
    parts = (train, test, tuning_train, tuning_test)
    shape = tuple(max(int(part[axis].max()) for part in parts) + 1 for axis in (0, 1))
    final, tuning = Split(train, test, shape), Split(tuning_train, tuning_test, shape)
    print(json.dumps(measure(name, tuning, final)))


main()
