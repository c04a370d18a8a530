"""glTF: the Khronos validator finds nothing in .glb tiles and models, neither errors nor warnings."""

import pytest

TARGETS = ["/tile/42/6/-24/8.glb", "/tile/42/6/-24/8.glb?enc=quantised", "/tile/42/0/-1486/522.glb?size=65",
           "/tile/42/9/0/-1.glb?size=257", "/tile/42/6/-24/8.glb?layer=surface", "/tile/42/0/0/0.glb?size=3",
           "/tile/42/6/-24/8.glb?texture=relief",
           "/tile/42/6/-24/8.glb?enc=quantised&texture=relief&layer=surface", "/3dtiles/42/0/0/0.glb?texture=relief",
           "/tile/42/2/3/1.glb?layer=cave&recipe=wayfarer", "/tile/42/2/0/2.glb?size=257&recipe=wayfarer",
           "/tile/42/1/-246/740.glb?layer=objects", "/tile/42/2/-123/370.glb?layer=objects",
           *(f"/model/{name}.glb?seed={seed}" for name in ("conifer", "broadleaf", "palm", "shrub", "cactus", "dead-tree", "boulder")
             for seed in (0, 5, 15))]


@pytest.fixture(scope="module")
def reports(node, modules, server):
    return dict(zip(TARGETS, node("gltf/validate.mjs", modules, *(server.url + target for target in TARGETS))))


@pytest.mark.parametrize("target", TARGETS)
def test_valid(reports, target):
    issues = reports[target]["issues"]
    assert issues["numErrors"] == issues["numWarnings"] == 0, f"gltf-validator of {target}: {issues['messages'][:5]}"
    info = reports[target]["info"]
    assert info["totalVertexCount"] > 0 and info["totalTriangleCount"] > 0, f"gltf-validator of {target}: {info}"
