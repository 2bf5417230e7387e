"""Syntax tree to IR: one function, for one opset and one set of facts.

`function` lowers one; eager mode takes single steps (`calls`, `arithmetic`, `subscripts`), and nothing is imported here
so that its first one does not wait for the rest.
"""
