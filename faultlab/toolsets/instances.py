"""Machines in regions. What runs in one region is not seen in another, and a key counts in its own region only.

World: `instances` {id: {name, image, region, state, reference}}, `images` {image: {regions}}.

What tells of an effect: `describe_instances` shows those of one region, each with its reference.
"""

from typing import Any

from faultlab.core.tools import Refused, Toolset, tool
from faultlab.core.world import World


@tool(
    scope="region",
    reveals={"run_instances": lambda body: [instance["reference"] for instance in body["instances"]]},
    route="GET /v1/{region}/instances",
)
def describe_instances(world: World, name: str, region: str) -> dict[str, Any]:
    """List the instances of one name in one region, each with the reference given with it."""
    return {"instances": world.rows("instances", name=name, region=region), "complete": True}


@tool(writes=True, identity=["name"], scope="region", route="POST /v1/{region}/instances")
def run_instances(world: World, name: str, image: str, region: str) -> dict[str, Any]:
    """Start an instance in a region. Every executed call starts one more, whatever runs elsewhere."""
    known = world.get("images", image)
    if known is None or region not in known["regions"]:
        raise Refused(404, "not_found", f"there is no image {image} in {region}")
    instance_id = world.new_id("i")
    instance = {
        "id": instance_id,
        "name": name,
        "image": image,
        "region": region,
        "state": "running",
        "reference": world.reference,
    }
    world.put("instances", instance_id, instance)
    return instance


INSTANCES = Toolset.of("instances", describe_instances, run_instances)
