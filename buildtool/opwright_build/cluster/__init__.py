"""Actions and vectors on the workers of a cluster (ADR 258). Only `dask_cluster` imports packages for that."""
