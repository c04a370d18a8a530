"""What viewers notice when the shared tier stops, hangs, vanishes, or is started anew: nothing."""

import pytest
from http_client import wait_for
from walk import Walk, reference


@pytest.mark.parametrize("fault", ["kill", "freeze", pytest.param("cut", marks=pytest.mark.long)])  # which looks as a frozen one
def test_store_gone_and_back(cluster, known, fault, figures):
    """In the midst of a cold walk; afterwards nodes use it again, without a restart."""
    with Walk(cluster.front.address, known, tag=fault) as walk:
        walk.further(len(known) // 4)
        getattr(cluster.store, fault)()
        walk.further(len(known))
    cluster.mend()
    figures(walk.check())
    before = cluster.count("terrane_shared_stores_total")
    with Walk(cluster.front.address, known, tag=f"after-{fault}") as walk:
        wait_for(lambda: cluster.count("terrane_shared_stores_total") > before, "entries that are stored again")
    walk.check()


def test_lease_of_a_dead_node(cluster, figures):
    """It ends by itself, and others make what the dead one had begun."""
    first, second = cluster.nodes[:2]
    targets = [f"/tile/91/2/{x}/{y}.png" for x in range(8) for y in range(4)]
    known = reference(cluster.lone, targets)
    with Walk((first.host.address, 8080), known, clients=32, rounds=1):
        leases = wait_for(lambda: cluster.store.ask("KEYS", "terrane:*:lease"), "leases")
        first.kill()
    left = [ms for ms in cluster.store.ask_all([("PTTL", key) for key in leases]) if ms != -2]
    assert left and all(0 < ms <= 6000 for ms in left), left
    with Walk((second.host.address, 8080), known, clients=8, rounds=1) as walk:
        walk.join()
    figures(f"{len(left)} leases left; {walk.check()}")
    wait_for(lambda: not cluster.store.ask("KEYS", "terrane:*:lease"), "leases that have ended")
