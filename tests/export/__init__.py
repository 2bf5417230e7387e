"""Whole models through torch's own exporter with our functions, beside torch: `nox -s export-torch`.

`zoo`, `zoo_vision`, `zoo_text` and `zoo_more` hold the models, `judging` says what must hold of each, `__main__` runs
them. All need torch; transformers gives the architectures that it is known for, with random weights.
"""
