# The viewer: its packages, its bundle, and what the program carries of it. Included by the Makefile.
#
# Everything lands in build/: build/web-npm holds the packages of the lockfile, build/web the files that are served. A
# source archive has these in server/web/built: who changes the viewer there removes that folder.
#
# Where the npm package `terrane` has been built (make wasm) the viewer carries it, and makes tiles in the browser. build/site is the
# viewer without a server.

WEB_TERRANE := $(wildcard build/js/package.json)
WEB_SRC := $(wildcard server/web/src/*.js server/web/src/*.css server/web/src/*.html server/web/src/*.svg) \
           $(wildcard lib/js/three*.js example/walk/*.js example/walk/*.css example/walk/*.html) lib/js/objects.js lib/js/picture.js lib/js/water.js
WEB_NPM := build/web-npm/node_modules/.package-lock.json
WEB_TESTS := $(wildcard server/web/test/*.test.js)

$(WEB_NPM): server/web/package.json server/web/package-lock.json server/web/.npmrc
	@command -v node >/dev/null && command -v npm >/dev/null || { \
	    echo 'terrane needs node and npm to build its viewer. On Debian: make deps' >&2; exit 1; }
	@mkdir -p build/web-npm
	@echo '  NPM   build/web-npm'
	$(Q)cp $^ build/web-npm/ && (cd build/web-npm && $(CURDIR)/tests/thrice npm ci --ignore-scripts --no-audit --no-fund --loglevel=error) || { \
	    echo 'npm could not fetch what server/web/package-lock.json names; the viewer needs it' >&2; exit 1; }
	@touch $@

ifneq ($(WEB_BUILT),)
build/web/list.inc: $(WEB_BUILT)
	$(Q)mkdir -p build && rm -rf build/web && cp -R server/web/built build/web && touch $@
else
build/web/list.inc: server/web/build.mjs $(WEB_NPM) $(WEB_SRC) $(WEB_TERRANE)
	@echo '  WEB   build/web$(if $(WEB_TERRANE),, (without the package: make wasm))'
	$(Q)node server/web/build.mjs build/web-npm build/web $(WEB_TERRANE:%/package.json=%)
endif

$(OBJ)/server/http/route_viewer.o: build/web/list.inc

.PHONY: web web-test site
site: wasm ## the viewer without a server, as static files: every recipe, every layer, made in the browser, into build/site/
	@$(MAKE) $(BUILD_JOBS) build/terrane
	@node server/web/site.mjs build/web build/site build/terrane

web: build/web/list.inc ## build the viewer alone, into build/web/
# A test that fails may leave a server open, and node waits for that: each file has a limit, and its output tells which test was last.
web-test: ## the viewer's own tests (node)
	@printf 'timeout -v 300 node --test %s\n' $(WEB_TESTS) | $(SIDE_BY_SIDE)
