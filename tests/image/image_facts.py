"""What an engine says of an image: of docker and podman (a list of one) or of buildah, in the same words.

    image_facts.py IMAGE.json base        the name of the image that it was built on
"""

import json
import sys

BASE = "org.opencontainers.image.base.name"


def facts(path):
    """The image's configuration: User, Env, Entrypoint, Cmd, ExposedPorts, Volumes, Healthcheck, StopSignal, Labels."""
    with open(path, encoding="utf-8") as file:
        told = json.load(file)
    if isinstance(told, list):
        return told[0]["Config"]
    return told["Docker"]["config"]


if __name__ == "__main__":
    print(facts(sys.argv[1])["Labels"][BASE])
