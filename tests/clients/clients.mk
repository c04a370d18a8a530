# Clients: other people's programs, unmodified, against a running server. Included by the Makefile.

DEPS_CLIENTS := chromium gdal-bin python3-gdal python3-rasterio minetest-server godot3-server libsdl2-dev $(if $(shell command -v npm),,nodejs npm)

.PHONY: clients deps-clients bench-walk bench-views
deps-clients:
	@tests/install-packages $(DEPS_BUILD) $(DEPS_TEST) $(DEPS_CLIENTS)
clients: deps-clients ## map libraries, engines' formats, GDAL and the viewer, in a browser, against the server
	@$(MAKE) wasm
	@$(MAKE) $(BUILD_JOBS) $(OBJ)/terrane
	@TERRANE=$(abspath $(OBJ)/terrane) $(PYTEST) tests/clients

bench-walk: deps-clients build/terrane ## ... a minute's walk in three.js at 100 m/s: tiles that are late (chromium)
	@$(MAKE) wasm
	@mkdir -p build/bench
	@cd tests/clients && /usr/bin/python3 -B -c 'import conftest; conftest.npm_packages()'
	@/usr/bin/python3 -B tests/bench/bench_walk.py --terrane build/terrane --json build/bench/walk.json $(BENCH_FLAGS)

bench-views: deps-clients build/terrane ## ... the viewer's first view and jumps to other zooms, cold (chromium)
	@mkdir -p build/bench
	@cd tests/clients && /usr/bin/python3 -B -c 'import conftest; conftest.npm_packages()'
	@/usr/bin/python3 -B tests/bench/bench_views.py --terrane build/terrane --json build/bench/views.json $(BENCH_FLAGS)
