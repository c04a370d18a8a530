"""What viewers notice when the shared tier stops, hangs, vanishes, is full, lies, or is started anew: nothing."""

import pytest
from http_client import wait_for
from walk import Walk, reference


@pytest.mark.parametrize("fault", ["kill", "freeze", "cut"])
def test_store_gone_and_back(shared, known, fault, full, figures):
    """In the midst of a cold walk; afterwards nodes use it again, without a restart."""
    if fault == "cut" and not full:
        pytest.skip("long: to nodes it looks as a frozen one")
    with Walk(shared.front.address, known, tag=fault) as walk:
        walk.further(len(known) // 4)
        getattr(shared.store, fault)()
        walk.further(len(known))
    shared.mend()
    figures(walk.check())
    before = shared.count("terrane_shared_stores_total")
    with Walk(shared.front.address, known, tag=f"after-{fault}") as walk:
        wait_for(lambda: shared.count("terrane_shared_stores_total") > before, "entries that are stored again")
    walk.check()


def test_lease_of_a_dead_node(shared, figures):
    """It ends by itself, and others make what the dead one had begun."""
    first, second = shared.nodes[:2]
    targets = [f"/tile/91/2/{x}/{y}.png" for x in range(8) for y in range(4)]
    known = reference(shared.lone, targets)
    with Walk((first.host.address, 8080), known, clients=32, rounds=1):
        leases = wait_for(lambda: shared.store.ask("KEYS", "terrane:*:lease"), "leases")
        first.kill()
    left = [ms for ms in shared.store.ask_all([("PTTL", key) for key in leases]) if ms != -2]
    assert left and all(0 < ms <= 6000 for ms in left), left
    with Walk((second.host.address, 8080), known, clients=8, rounds=1) as walk:
        walk.join()
    figures(f"{len(left)} leases left; {walk.check()}")
    wait_for(lambda: not shared.store.ask("KEYS", "terrane:*:lease"), "leases that have ended")
