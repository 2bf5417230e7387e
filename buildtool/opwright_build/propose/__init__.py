"""What a proposal of a function-op to the ONNX standard has to bring, made from a spec: a module for each artefact.

`subject` says what is proposed, `bodies` and `conditions` which body a call means, the others make one file or a few
each, and `assemble` puts them together. All of it is text and bytes in memory: the command writes them.
"""
