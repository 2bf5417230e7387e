"""Bodies as models, run on the cases by runtimes, in processes of their own."""
