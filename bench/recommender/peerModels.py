"""Other recommenders with the grids in which peers.py tunes them.

Each model has `values`, all values of each parameter in order; `coarse`, the values with which a search begins; and
`fit(matrix, setting)`, which returns a function from user numbers to dense scores of all items. `matrix` is users x items, binary.
"""
import numpy as np
import scipy.linalg as la
import scipy.sparse as sp


class Als:
    """Matrix factorisation for implicit feedback (Hu, Koren, Volinsky 2008), of the package `implicit`."""

    title = "ALS of `implicit`, 15 iterations"
    values = {"factors": [64, 128, 256], "alpha": [1, 2, 5, 10, 20, 40, 80], "regularization": [0.01, 0.1, 1, 3, 10, 30, 100, 300]}
    coarse = {"factors": [128], "alpha": [2, 10, 40], "regularization": [3, 30]}

    @staticmethod
    def fit(matrix, setting):
        from implicit.als import AlternatingLeastSquares

        model = AlternatingLeastSquares(**setting, iterations=15, random_state=1)
        model.fit(matrix, show_progress=False)
        return lambda users: model.user_factors[users] @ model.item_factors.T


class Ease:
    """Ridge regression of items on items without a diagonal (Steck 2019), with LAPACK in single precision."""

    title = "EASE"
    most_items = 20_000
    values = {"lambda": [3, 10, 30, 100, 200, 500, 1000, 2000, 5000]}
    coarse = {"lambda": [30, 200, 1000]}

    @staticmethod
    def fit(matrix, setting):
        gram = np.asarray((matrix.T @ matrix).toarray(), dtype=np.float32, order="F")
        diagonal = np.arange(gram.shape[0])
        gram[diagonal, diagonal] += setting["lambda"]
        factor, failed = la.lapack.spotrf(gram, overwrite_a=True)
        inverse, failed_too = la.lapack.spotri(factor, overwrite_c=True)
        if failed or failed_too:
            raise RuntimeError(f"EASE: the matrix with lambda {setting['lambda']} is not positive definite")
        # LAPACK fills the upper triangle only.
        for start in range(0, len(diagonal), 512):
            end = min(start + 512, len(diagonal))
            inverse[end:, start:end] = inverse[start:end, end:].T
            block = inverse[start:end, start:end]
            inverse[start:end, start:end] = np.triu(block) + np.triu(block, 1).T
        inverse /= -inverse[diagonal, diagonal].copy()
        inverse[diagonal, diagonal] = 0
        return lambda users: np.asarray(matrix[users] @ inverse)


class Rp3Beta:
    """Random walks of three steps, with items divided by a power of their popularity (Paudel et al. 2017)."""

    title = "RP3beta"
    values = {
        "alpha": [0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.6, 1.8], "beta": [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9],
        "neighbours": [50, 100, 200, 400, 800, 1600],
    }
    coarse = {"alpha": [0.6, 1, 1.4], "beta": [0.2, 0.4, 0.6, 0.8], "neighbours": [200]}

    def __init__(self):
        self.walks = None

    def fit(self, matrix, setting):
        key = (id(matrix), setting["alpha"])
        if self.walks is None or self.walks[0] != key:
            up = powered(normalised(matrix.T.tocsr()), setting["alpha"])
            down = powered(normalised(matrix), setting["alpha"])
            self.walks = (key, without_diagonal((up @ down).tocsr()))
        popularity = np.maximum(np.asarray(matrix.sum(axis=0)).ravel(), 1)
        similarity = self.walks[1] @ sp.diags(popularity ** -setting["beta"]).astype(np.float32)
        return scorer(matrix, largest(similarity.tocsr(), setting["neighbours"]))


class ItemKnn:
    """Sums of similarities between the history and other items."""

    title = "item-kNN"
    values = {
        "similarity": ["cosine", "jaccard", "tf-idf", "bm25"], "shrink": [0, 2, 5, 10, 20, 50, 100, 200, 500],
        "neighbours": [20, 50, 100, 200, 400, 800, 1600],
    }
    coarse = {"similarity": ["cosine", "jaccard", "tf-idf", "bm25"], "shrink": [0, 20], "neighbours": [100, 400]}
    unordered = ("similarity",)

    def __init__(self):
        self.products = None

    def fit(self, matrix, setting):
        key = (id(matrix), setting["similarity"])
        if self.products is None or self.products[0] != key:
            weighted = weigh(matrix, setting["similarity"])
            self.products = (key, without_diagonal((weighted.T @ weighted).tocsr()), np.asarray(weighted.multiply(weighted).sum(axis=0)).ravel())
        _, product, squares = self.products
        similarity = product.copy()
        rows = np.repeat(np.arange(product.shape[0]), np.diff(product.indptr))
        if setting["similarity"] == "jaccard":
            divisor = squares[rows] + squares[product.indices] - product.data
        elif setting["similarity"] == "bm25":
            divisor = np.ones(len(rows))  # Its weights contain the length of the item's column already.
        else:
            divisor = np.sqrt(squares[rows] * squares[product.indices])
        similarity.data = (product.data / (divisor + setting["shrink"])).astype(np.float32)
        return scorer(matrix, largest(similarity, setting["neighbours"]))


class Popularity:
    """The items with the most users first."""

    title = "popularity"
    values = {}
    coarse = {}

    @staticmethod
    def fit(matrix, _):
        popularity = np.asarray(matrix.sum(axis=0)).ravel()
        return lambda users: np.tile(popularity, (len(users), 1))


models = {"als": Als, "ease": Ease, "rp3beta": Rp3Beta, "knn": ItemKnn, "popularity": Popularity}


def weigh(matrix, similarity):
    """Users weighted by how few items they have, and with BM25 items by how few users they have."""
    if similarity in ("cosine", "jaccard"):
        return matrix
    length = np.maximum(np.asarray(matrix.sum(axis=1)).ravel(), 1)
    rarity = np.sqrt(np.log1p(matrix.shape[1] / length)) if similarity == "tf-idf" else np.log1p(matrix.shape[1] / length)
    weighted = sp.diags(rarity).astype(np.float32) @ matrix
    if similarity == "bm25":
        users = np.asarray(matrix.sum(axis=0)).ravel()
        k1, b = 1.2, 0.75
        weighted = weighted @ sp.diags((k1 + 1) / (1 + k1 * (1 - b + b * users / users.mean()))).astype(np.float32)
    return weighted.tocsr()


def normalised(matrix):
    """Rows that sum to 1."""
    return sp.diags(1 / np.maximum(np.asarray(matrix.sum(axis=1)).ravel(), 1)).astype(np.float32) @ matrix


def powered(matrix, exponent):
    result = matrix.tocsr().copy()
    result.data = result.data ** np.float32(exponent)
    return result


def without_diagonal(matrix):
    matrix.setdiag(0)
    matrix.eliminate_zeros()
    return matrix


def largest(matrix, count):
    """The `count` largest entries of each row."""
    kept = []
    for row in range(matrix.shape[0]):
        start, end = matrix.indptr[row], matrix.indptr[row + 1]
        if end - start <= count:
            kept.append(np.arange(start, end))
        else:
            kept.append(start + np.argpartition(matrix.data[start:end], -count)[-count:])
    pointer = np.concatenate([[0], np.cumsum([len(part) for part in kept])])
    entries = np.concatenate(kept)
    return sp.csr_matrix((matrix.data[entries], matrix.indices[entries], pointer), shape=matrix.shape)


def scorer(matrix, similarity):
    return lambda users: (matrix[users] @ similarity).toarray()
