# A cluster of real processes in network namespaces, and what it gains. Included by the Makefile. Files of tests have a
# network each, and go side by side.

.PHONY: cluster cluster-long bench-cluster
cluster: $(OBJ)/terrane ## three nodes, nginx and redis in network namespaces: faults, restarts, what is made once (tests/cluster)
	@printf 'TERRANE=$(abspath $<) $(PYTEST) tests/cluster/test_%s\n' 'nodes.py tests/cluster/test_followers.py' store.py 'front.py tests/cluster/test_compose.py' \
	    | $(SIDE_BY_SIDE)
cluster-long: $(OBJ)/terrane ## ... with full counts
	@TERRANE_TEST_LONG=1 TERRANE=$(abspath $<) $(PYTEST) tests/cluster
bench-cluster: build/terrane ## ... two nodes against one
	@mkdir -p build/bench
	@echo
	@/usr/bin/python3 -B tests/bench/bench_cluster.py --terrane $< --json build/bench/cluster.json $(BENCH_FLAGS)
