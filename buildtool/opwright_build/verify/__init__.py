"""Verification: vectors become cases, which run on bodies and runtimes and are judged.

Plain values that all rooms speak of stand here: `case_model`, `items`, `dtypes`. The rooms, each of which knows those
before it alone:

* `facts`: what is known of runtimes and of exactness, in reviewed files: gaps, refusals, measured errors.
* `judge`: whether an output is right, and the findings that a run comes to.
* `cases`: rows, stored tensors and the standard's suite as cases, with what oracles expect.
* `run`: bodies as models, in sessions of runtimes, in processes of their own; what was made before is kept.
* `mutants`: bodies changed for the worse, which vectors ought to notice.
"""
