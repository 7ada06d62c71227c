"""Reports: logs of evaluations as tables and plots, beside the figures that the papers publish."""
