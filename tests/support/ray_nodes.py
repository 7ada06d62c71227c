"""A program: a cluster of Ray with two nodes of one core each on this machine, until its standard input ends.

Writes the address, as one line. What Ray reads when it is imported (`RAY_AUTH_MODE`, …) is in the environment by then.
"""

import sys


def main(logs: str) -> None:
    from ray.cluster_utils import Cluster

    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False, "temp_dir": logs})
    try:
        nodes.add_node(num_cpus=1)
        print(nodes.address, flush=True)
        sys.stdin.read()
    finally:
        nodes.shutdown()


if __name__ == "__main__":
    main(sys.argv[1])
