# Clients: other people's programs, unmodified, against a running server. Included by the Makefile.

DEPS_CLIENTS := chromium gdal-bin python3-gdal python3-rasterio minetest-server $(if $(shell command -v npm),,nodejs npm)

.PHONY: clients deps-clients
deps-clients:
	@tests/install-packages $(DEPS_BUILD) $(DEPS_TEST) $(DEPS_CLIENTS)
clients: deps-clients ## map libraries, engines' formats, GDAL and the viewer, in a browser, against the server
	@$(MAKE) wasm
	@$(MAKE) $(BUILD_JOBS) $(OBJ)/terrane
	@TERRANE=$(abspath $(OBJ)/terrane) $(PYTEST) tests/clients
