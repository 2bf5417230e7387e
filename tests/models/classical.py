"""Estimators and pipelines of scikit-learn, LightGBM and XGBoost, as skl2onnx and onnxmltools convert them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import lightgbm
import numpy as np
import onnxmltools
import xgboost
from numpy.random import Generator
from onnx import ModelProto
from onnxmltools.convert.common.data_types import FloatTensorType as BoostedFloats
from skl2onnx import convert_sklearn
from skl2onnx.common.data_types import FloatTensorType, Int64TensorType, StringTensorType
from sklearn import (
    cluster,
    compose,
    decomposition,
    ensemble,
    feature_extraction,
    feature_selection,
    gaussian_process,
    impute,
    linear_model,
    naive_bayes,
    neighbors,
    neural_network,
    pipeline,
    preprocessing,
    svm,
    tree,
)

from tests.models.model import Feeds, GivenModel, generator_of

WIDTH = 5
# Each with the opset that it is converted for, and whether the dictionary of probabilities stays (ZipMap).
ESTIMATORS: dict[str, tuple[Any, int, bool]] = {
    "logistic": (linear_model.LogisticRegression(), 21, True),
    "ridge": (linear_model.Ridge(), 18, False),
    "sgd": (linear_model.SGDClassifier(loss="log_loss", random_state=0), 15, False),
    "tree": (tree.DecisionTreeClassifier(random_state=0), 21, True),
    "forest": (ensemble.RandomForestRegressor(8, random_state=0), 19, False),
    "extra": (ensemble.ExtraTreesClassifier(6, random_state=0), 17, True),
    "boosting": (ensemble.GradientBoostingClassifier(n_estimators=8, random_state=0), 21, False),
    "isolation": (ensemble.IsolationForest(n_estimators=8, random_state=0), 18, False),
    "bagging": (ensemble.BaggingClassifier(n_estimators=4, random_state=0), 21, False),
    "ada": (ensemble.AdaBoostClassifier(n_estimators=4, random_state=0), 19, False),
    "svc": (svm.SVC(probability=True, random_state=0), 21, True),
    "svr": (svm.SVR(), 18, False),
    "linear_svc": (svm.LinearSVC(random_state=0), 21, False),
    "bayes": (naive_bayes.GaussianNB(), 21, True),
    "neighbours": (neighbors.KNeighborsClassifier(3), 18, False),
    "mlp": (neural_network.MLPClassifier((8, 4), max_iter=60, random_state=0), 21, True),
    "kmeans": (cluster.KMeans(3, n_init=2, random_state=0), 20, False),
    "gaussian": (gaussian_process.GaussianProcessRegressor(), 18, False),
    "pca": (decomposition.PCA(2), 21, False),
    "truncated": (decomposition.TruncatedSVD(2, random_state=0), 14, False),
    "scaled": (pipeline.make_pipeline(preprocessing.StandardScaler(), linear_model.Lasso(0.1)), 21, False),
    "polynomial": (
        pipeline.make_pipeline(preprocessing.PolynomialFeatures(2), linear_model.LinearRegression()),
        18,
        False,
    ),
    "imputed": (pipeline.make_pipeline(impute.SimpleImputer(), preprocessing.MinMaxScaler()), 21, False),
    "bins": (preprocessing.KBinsDiscretizer(4, encode="onehot-dense", quantile_method="linear"), 18, False),
    "selected": (pipeline.make_pipeline(feature_selection.SelectKBest(k=3), preprocessing.Normalizer()), 21, False),
    "power": (preprocessing.PowerTransformer(), 18, False),
    "voting": (
        ensemble.VotingClassifier(
            [("a", linear_model.LogisticRegression()), ("b", tree.DecisionTreeClassifier(random_state=0))],
            flatten_transform=False,
        ),
        21,
        False,
    ),
    "stacked": (
        ensemble.StackingRegressor([("a", linear_model.Ridge()), ("b", tree.DecisionTreeRegressor(random_state=0))]),
        18,
        False,
    ),
}


def models(seed: int) -> Iterator[GivenModel]:
    random = np.random.default_rng(0)
    x = random.standard_normal((90, WIDTH)).astype(np.float32)
    labels = (x[:, 0] + x[:, 1] * 2 > 0).astype(np.int64) + (x[:, 2] > 0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for key, (estimator, opset, zipped) in ESTIMATORS.items():
            estimator.fit(x, labels)
            options = {} if zipped or not hasattr(estimator, "predict_proba") else {id(estimator): {"zipmap": False}}
            declared = [("x", FloatTensorType([None, WIDTH]))]
            model = convert_sklearn(
                estimator, initial_types=declared, target_opset={"": opset, "ai.onnx.ml": 3}, options=options
            )
            yield GivenModel("scikit-learn", f"sklearn_{key}", model, rows(seed, key, "x"))
        yield from texts(seed)
        yield from boosted(seed, x, labels)


def rows(seed: int, key: str, name: str) -> tuple[Feeds, ...]:
    random = generator_of(seed, key)
    return tuple({name: random.standard_normal((count, WIDTH)).astype(np.float32)} for count in (1, 7))


def texts(seed: int) -> Iterator[GivenModel]:
    """Pipelines that take strings."""
    words = np.array(["red", "green", "blue", "cyan", "pink", "grey"])
    random = np.random.default_rng(0)

    def table(random: Generator, count: int) -> Feeds:
        return {
            "colour": random.choice(words, (count, 1)).astype(object),
            "number": random.integers(0, 5, (count, 1)),
            "size": random.standard_normal((count, 2)).astype(np.float32),
        }

    data = table(random, 80)
    mixed = np.hstack([data["colour"], data["number"], data["size"]]).astype(object)
    labels = random.choice(np.array(["yes", "no", "perhaps"]), 80)
    columns = compose.ColumnTransformer(
        [
            ("colour", preprocessing.OneHotEncoder(handle_unknown="ignore"), [0]),
            ("number", preprocessing.OneHotEncoder(handle_unknown="ignore"), [1]),
            ("size", preprocessing.StandardScaler(), [2, 3]),
        ]
    )
    estimator = pipeline.make_pipeline(columns, linear_model.LogisticRegression(max_iter=200)).fit(mixed, labels)
    declared = [
        ("colour", StringTensorType([None, 1])),
        ("number", Int64TensorType([None, 1])),
        ("size", FloatTensorType([None, 2])),
    ]
    random = generator_of(seed, "columns")
    for opset, zipped in ((21, True), (15, False)):
        options = {id(estimator): {"zipmap": zipped}}
        model = convert_sklearn(
            estimator, initial_types=declared, target_opset={"": opset, "ai.onnx.ml": 3}, options=options
        )
        name = f"sklearn_columns_{opset}"
        yield GivenModel("scikit-learn", name, model, (table(random, 1), table(random, 6)))
    lines = [" ".join(random.choice(words, 6)) for _ in range(40)]
    for key, maker in (
        ("count", feature_extraction.text.CountVectorizer(lowercase=False)),
        ("tfidf", feature_extraction.text.TfidfVectorizer(ngram_range=(1, 2), lowercase=False)),
    ):
        both = pipeline.make_pipeline(maker, naive_bayes.MultinomialNB()).fit(lines, np.arange(40) % 2)
        model = convert_sklearn(
            both, initial_types=[("text", StringTensorType([None]))], target_opset={"": 19, "ai.onnx.ml": 3}
        )
        given = np.array([" ".join(random.choice(words, 4)) for _ in range(5)], object)
        yield GivenModel("scikit-learn", f"sklearn_{key}", model, ({"text": given},))
    ordinal = preprocessing.OrdinalEncoder().fit(data["colour"])
    model = convert_sklearn(
        ordinal, initial_types=[("text", StringTensorType([None, 1]))], target_opset={"": 18, "ai.onnx.ml": 3}
    )
    yield GivenModel("scikit-learn", "sklearn_ordinal", model, ({"text": data["colour"][:9]},))


def boosted(seed: int, x: Any, labels: Any) -> Iterator[GivenModel]:
    many = {"n_estimators": 6, "random_state": 0}
    trees: dict[str, Any] = {
        "lightgbm_binary": lightgbm.LGBMClassifier(**many, verbose=-1).fit(x, (labels > 0).astype(int)),
        "lightgbm_classes": lightgbm.LGBMClassifier(**many, verbose=-1).fit(x, labels),
        "lightgbm_regressor": lightgbm.LGBMRegressor(**many, verbose=-1).fit(x, x[:, 0]),
        "lightgbm_forest": lightgbm.LGBMRegressor(
            **many, verbose=-1, boosting_type="rf", bagging_freq=1, bagging_fraction=0.8
        ).fit(x, x[:, 0]),
        "xgboost_binary": xgboost.XGBClassifier(**many, max_depth=3).fit(x, (labels > 0).astype(int)),
        "xgboost_classes": xgboost.XGBClassifier(**many, max_depth=3).fit(x, labels),
        "xgboost_regressor": xgboost.XGBRegressor(**many, max_depth=3).fit(x, x[:, 0]),
        "xgboost_poisson": xgboost.XGBRegressor(**many, objective="count:poisson").fit(x, labels),
    }
    for key, estimator in trees.items():
        convert = onnxmltools.convert_lightgbm if key.startswith("lightgbm") else onnxmltools.convert_xgboost
        for opset in (14, 15):  # it knows none that is newer
            options = {"zipmap": opset == 14} if key.startswith("lightgbm") else {}
            model: ModelProto = convert(
                estimator, initial_types=[("x", BoostedFloats([None, WIDTH]))], target_opset=opset, **options
            )
            yield GivenModel("boosted trees", f"{key}_{opset}", model, rows(seed, key, "x"))
