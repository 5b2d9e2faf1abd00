"""Other recommenders on the same split: python peers.py TRAIN TEST NAME…, one JSON line for each NAME.

NAME is cosine, bm25 (item-kNN of `implicit` with 200 neighbours), als (256 factors, 15 iterations), gram (R^T R of scipy)
or popularity. cpu_seconds are those of the training alone, of all threads.
"""
import json
import resource
import sys
import time

import numpy as np
import scipy.sparse as sp

K = 20
NEIGHBOURS = 200


def read(path):
    rows, columns = [], []
    with open(path) as lines:
        for line in lines:
            words = line.split()
            rows += [int(words[0])] * (len(words) - 1) if words else []
            columns += [int(word) for word in words[1:]]
    return np.array(rows), np.array(columns)


def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def quality(first, users, wanted):
    """Means of recall and ndcg; `first` has K item numbers for each of `users`, -1 for none."""
    gains = 1 / np.log2(np.arange(2, K + 2))
    ideal = np.concatenate([[0], np.cumsum(gains)])
    recalls, ndcgs = [], []
    for user, items in zip(users, first):
        own = wanted[user]
        hits = np.array([item in own for item in items])
        recalls.append(hits.sum() / len(own))
        ndcgs.append(gains[hits].sum() / ideal[min(K, len(own))])
    return float(np.mean(recalls)), float(np.mean(ndcgs))


def train(name, matrix):
    """A function from user numbers to their first K items."""
    if name == "popularity":
        order = np.argsort(-np.asarray(matrix.sum(axis=0)).ravel(), kind="stable")
        return lambda users: [best_unseen(order, matrix, user) for user in users]
    if name == "gram":
        matrix.T @ matrix
        return None
    from implicit.als import AlternatingLeastSquares
    from implicit.nearest_neighbours import BM25Recommender, CosineRecommender

    model = {
        "cosine": lambda: CosineRecommender(K=NEIGHBOURS),
        "bm25": lambda: BM25Recommender(K=NEIGHBOURS),
        "als": lambda: AlternatingLeastSquares(factors=256, iterations=15, random_state=1),
    }[name]()
    model.fit(matrix, show_progress=False)
    return lambda users: model.recommend(users, matrix[users], N=K, filter_already_liked_items=True)[0]


def best_unseen(order, matrix, user):
    seen = set(matrix.indices[matrix.indptr[user]:matrix.indptr[user + 1]])
    found = []
    for item in order:
        if item not in seen:
            found.append(item)
            if len(found) == K:
                break
    return found


def main():
    train_path, test_path, *names = sys.argv[1:]
    rows, columns = read(train_path)
    test_rows, test_columns = read(test_path)
    wanted = {}
    for user, item in zip(test_rows.tolist(), test_columns.tolist()):
        wanted.setdefault(user, set()).add(item)
    shape = (max(rows.max(), test_rows.max()) + 1, max(columns.max(), test_columns.max()) + 1)
    matrix = sp.csr_matrix((np.ones(len(rows), dtype=np.float32), (rows, columns)), shape=shape)
    matrix.data[:] = 1
    known = np.unique(rows)
    users = np.array([user for user in sorted(wanted) if np.searchsorted(known, user) < len(known) and known[np.searchsorted(known, user)] == user])
    for name in names:
        cpu_before, before = cpu(), time.time()
        recommend = train(name, matrix)
        figures = {"name": name, "cpu_seconds": round(cpu() - cpu_before, 2), "seconds": round(time.time() - before, 2)}
        if recommend is not None:
            recall, ndcg = quality(recommend(users), users, wanted)
            figures |= {f"recall@{K}": round(recall, 4), f"ndcg@{K}": round(ndcg, 4)}
        print(json.dumps(figures), flush=True)


main()
