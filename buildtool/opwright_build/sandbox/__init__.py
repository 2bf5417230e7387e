"""Cages for code of strangers: what a process may still do once it is in one, in levels.

* **Level 2**: user, mount, network, pid and IPC namespaces, a root that holds the interpreter and nothing else,
  Landlock, and the system call filter where there is one.
* **Level 1**: Landlock and the system call filter, which an unprivileged container allows as well.
* **Level 0**: limits, closed descriptors, an empty environment.

At level 1 and above, what is in the cage cannot read files but those it is given, nor anything of other processes; it
cannot write outside its scratch folder, reach a network or any other process, start a program, or outlive its run.

No version of a kernel is asked what it can do: a level is tried, in a child process, and the attacks of `attacks.py`
are made from inside. A level that cannot be entered, that lets an attack through, or in which honest code does not work
is not claimed, and the next one below is tried. What is claimed is what held.

One mechanism a module: `landlock`, `seccomp`, `namespaces`, `privileges`, upon `kernel` (system calls by number).
`cage` puts them on in order. `fork_server` is the process that tries the levels and then forks children; `client` is
the side that starts it; `levels` is what both know. Standard library alone, since isolated processes run it. All
but `client` and `levels` is for Linux alone.
"""
