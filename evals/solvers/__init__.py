"""Methods of the papers that solve tasks: the plain model, the baselines, their compounds, and GAMA."""
