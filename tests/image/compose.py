"""Reads docker-compose.yml as far as that goes without an engine.

Prints the services in the order in which they start, one a line: the name, the health check and
the command, separated by tabs. Ends with an error if something in there cannot work.
"""

import sys

import yaml

# A key that is not in here may be a typing error, which an engine would refuse.
KNOWN = set(
    "build cap_drop command depends_on healthcheck image ports read_only restart security_opt"
    " stop_grace_period volumes".split()
)


def check(holds, sentence):
    if not holds:
        sys.exit(f"docker-compose.yml: {sentence}")


with open("docker-compose.yml", encoding="utf-8") as file:
    compose = yaml.safe_load(file)
services = compose["services"]
started = []

for name, service in services.items():
    unknown = set(service) - KNOWN
    check(not unknown, f"{name} has unknown keys {unknown}")
    check(service["image"] == services["primary"]["image"], f"{name} has another image")
    [volume] = service["volumes"]
    check(volume.split(":")[0] in compose["volumes"], f"{name} has a volume that is not declared")
    check(volume.endswith(":/data"), f"{name} has its volume in another place")
    [port] = service["ports"]
    check(port.startswith("127.0.0.1:"), f"{name} can be reached from other machines")
    test = service["healthcheck"]["test"]
    check(test[0] == "CMD", f"{name} has a health check for a shell")
    for other, depends in service.get("depends_on", {}).items():
        check(other in started, f"{name} starts before {other}")
        check(depends["condition"] == "service_healthy", f"{name} does not wait for {other}")
    started.append(name)
    print(name, " ".join(test), " ".join(service.get("command", [])), sep="\t")

check(started == ["primary", "replica"], f"the services are {started}")
