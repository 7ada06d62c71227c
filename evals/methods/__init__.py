"""What can be measured: the pipeline, its parts, and other detectors, each as a `Method`."""
