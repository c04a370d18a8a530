# terrane. `make help` lists the targets.
#
# Everything is built under build/. Objects of different flags, compilers or sanitizers live in directories of their
# own (build/obj/<checksum of the flags>), so they never mix; build/terrane and build/libterrane.a are the last ones made.
#
#   CC CFLAGS CPPFLAGS LDFLAGS    as usual; CFLAGS is added last and wins        SAN=address,undefined | thread
#   PREFIX=/usr/local DESTDIR=    where `make install` goes                      WERROR=1   warnings are errors

MAKEFLAGS += -rR --no-print-directory
.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all
SHELL := /bin/bash

# Make's own defaults are not ours; with -R they are not even set.
ifneq ($(filter default undefined,$(origin CC)),)
CC := gcc
endif
ifneq ($(filter default undefined,$(origin AR)),)
AR := ar
endif
CFLAGS ?= -O3 -g
PREFIX ?= /usr/local
SAN ?=
V ?=
Q := $(if $(V),,@)

comma := ,
ifneq ($(filter-out address undefined thread,$(subst $(comma), ,$(SAN))),)
$(error SAN=$(SAN): allowed are address, undefined, address,undefined and thread)
endif

# ---- What it needs --------------------------------------------------------------------------------------------------

# The viewer's files, built, as a source archive has them (make dist): no npm is asked.
WEB_BUILT := $(wildcard server/web/built/list.inc)

DEPS_BUILD := gcc make pkg-config libc6-dev binutils libmicrohttpd-dev libgnutls28-dev libuv1-dev libpng-dev \
              libdeflate-dev libzstd-dev libjansson-dev libsqlite3-dev libxxhash-dev libsystemd-dev libtiff-dev libjpeg-dev libwebp-dev \
              libhiredis-dev libopenexr-dev libcurl4-gnutls-dev \
              zlib1g-dev $(if $(WEB_BUILT)$(shell command -v npm),,nodejs npm)
DEPS_TEST := clang g++ cmake curl coinor-libclp-dev libcmocka-dev python3 python3-pytest python3-numpy python3-pil python3-jsonschema \
             python3-yaml python3-pytest-xdist openssl python3-gdal python3-openimageio redis-server nginx iproute2 zstd
# clang, lld, and of wasi-libc what the library calls: malloc, free, mem... and str....
DEPS_WASM := clang lld wasi-libc libclang-rt-14-dev-wasm32 $(if $(shell command -v node),,nodejs)
DEPS_PAGE := $(DEPS_WASM) $(if $(wildcard /usr/bin/chromium),,chromium-headless-shell)
# It compiles the unit tests, too.
DEPS_LINT := clang clang-format clang-tidy cppcheck shellcheck libcmocka-dev python3
DEPS_BENCH := g++ libnoise-dev wrk nginx minetest-server python3
DEPS_CROSS := gcc-aarch64-linux-gnu gcc-s390x-linux-gnu libc6-dev-arm64-cross libc6-dev-s390x-cross qemu-user-static
DEPS_FUZZ := clang libclang-rt-14-dev
# What `terrane analyze` draws with; and real coasts and ground for --paper, and what reads the coasts.
DEPS_ANALYZE := python3-numpy python3-matplotlib
DEPS_ANALYZE_DATA := python3-gdal gmt-gshhg-high python-matplotlib-data

# Goals that are made on a machine that may have nothing but git and make: what each of them needs is installed first, before
# the compiler is asked anything. Targets with deps-... among their prerequisites do that themselves; those that only build say
# what is missing (check-deps).
NEEDS_TEST := unit unit-debug strict golden golden-% reference http survive survive-% cluster cluster-% gallery fuzz-replay mutants \
              optimum test-optimum test-analyze test-wasm web-test check-isa check-includes check-example first-views
NEEDS_PAGE := test-page
NEEDS_LINT := format
NEEDS_FUZZ := fuzz fuzz-long
NEEDS_BENCH := $(filter-out bench-deps bench-run,$(filter bench-%,$(MAKECMDGOALS)))
ifeq ($(MAKELEVEL),0)
WANTED := $(strip $(foreach of,TEST PAGE LINT FUZZ BENCH,$(if $(filter $(NEEDS_$(of)),$(MAKECMDGOALS)),$(DEPS_$(of)))))
ifneq ($(WANTED),)
ifneq ($(shell tests/install-packages $(sort $(DEPS_BUILD) $(WANTED)) >&2 && echo done),done)
$(error what $(MAKECMDGOALS) needs is not there)
endif
endif
endif

# ---- Flags ----------------------------------------------------------------------------------------------------------

WARN := -Wall -Wextra -Wshadow -Wconversion -Wmissing-prototypes -Wstrict-prototypes -Wvla -Wundef -Wcast-qual \
        -Wpointer-arith -Wformat=2 -Wimplicit-fallthrough $(if $(WERROR),-Werror)
# Of the program and the library, not of tests: who adds a member of an enum is told of every switch over it.
SWITCH := -Wswitch-enum -Werror=switch-enum -Werror=switch
# -ffp-contract=off: contraction into fused multiply-add is the one change of values that compilers make by default.
# -fno-math-errno lets sqrt be the instruction, which IEEE 754 defines to the last bit, and -fno-trapping-math lets compilers make
# vectors of rows that compare floats: nobody asks for exceptions. It has to come after what would turn it off again.
NO_TRAPS := -fno-trapping-math
EXACT := -ffp-contract=off -fno-fast-math -fno-math-errno $(NO_TRAPS) -fno-lto
HARDEN := -fstack-protector-strong -fPIE $(if $(SAN),,-D_FORTIFY_SOURCE=2)
SANFLAGS := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer)
BASE := -std=c17 $(WARN) $(HARDEN) $(SANFLAGS) -MMD -MP

PKGS := libmicrohttpd gnutls libuv libpng libtiff-4 libjpeg libwebp zlib libdeflate libzstd jansson sqlite3 libxxhash hiredis libsystemd libcurl OpenEXR
PKG_CFLAGS = $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
# Of OpenEXR the C interface alone, which has no module of its own.
PKG_LIBS = $(filter-out -lOpenEXR -lOpenEXR-% -lOpenEXRUtil% -lIex% -lIlmThread% -lImath%,$(shell pkg-config --libs $(PKGS) 2>/dev/null))

# Fortification needs optimisation: a build with -O0 goes without.
ifneq ($(filter -O0,$(CFLAGS)),)
HARDEN := $(filter-out -D_FORTIFY_SOURCE=2,$(HARDEN))
endif

# A program or a shared library may have the library in it.
LIB_FLAGS = $(BASE) -fPIC -fno-semantic-interposition $(SWITCH) $(EXACT)
SERVER_FLAGS = $(BASE) $(SWITCH) -D_GNU_SOURCE -ffp-contract=off $(NO_TRAPS) -pthread $(PKG_CFLAGS)
LINK_FLAGS = $(SANFLAGS) -pie -Wl,-z,relro,-z,now -pthread $(LDFLAGS)

CONF := $(shell printf '%s' '$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(SAN) $(WERROR)' | cksum | cut -d' ' -f1)
OBJ := build/obj/$(CONF)

# The one place where the version stands.
VERSION = $(shell sed -n 's/^\#define TERRANE_VERSION "\(.*\)"/\1/p' lib/terrane.h)

# ---- Sources --------------------------------------------------------------------------------------------------------

MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null)
ifneq ($(filter s390x%,$(MACHINE)),)
# GCC's ISO C mode computes float in double there; lib/base/lane.h refuses to be compiled so.
EXACT += -fexcess-precision=fast
endif
KERNELS := scalar
ifneq ($(filter x86_64%,$(MACHINE)),)
KERNELS += sse2 avx2 avx512
FLAGS_kernel_avx2 := -mavx2
FLAGS_kernel_avx512 := -mavx512f -mavx512bw -mavx512dq -mavx512vl -mprefer-vector-width=512
FLAGS_erode_avx2 := $(FLAGS_kernel_avx2)
FLAGS_erode_avx512 := $(FLAGS_kernel_avx512)
endif
ifneq ($(filter aarch64%,$(MACHINE)),)
KERNELS += neon
endif

# of lib/kernel one file a set of instructions, of those that the machine may have
LIB_SRC := $(filter-out lib/kernel/% lib/js/%,$(wildcard lib/*/*.c)) lib/kernel/dispatch.c \
           $(KERNELS:%=lib/kernel/kernel_%.c) $(KERNELS:%=lib/kernel/erode_%.c)
SERVER_SRC := $(wildcard server/*.c server/*/*.c)
UNIT_SRC := $(wildcard patch/test/test_*.c)

LIB_OBJ := $(LIB_SRC:%.c=$(OBJ)/%.o)
SERVER_OBJ := $(SERVER_SRC:%.c=$(OBJ)/%.o)
PART_OBJ := $(filter-out $(OBJ)/server/main.o,$(SERVER_OBJ))
UNIT_BIN := $(UNIT_SRC:%.c=$(OBJ)/%)

.PHONY: all
all: build/terrane build/analyze build/libterrane.a ## build the programs and the library, into build/

include tests/tests.mk patch/patch.mk analyze/analyze.mk server/web/web.mk tests/clients/clients.mk docker/image.mk docker/cluster.mk debian/package.mk lib/js/wasm.mk

$(LIB_OBJ) $(SERVER_OBJ): Makefile

$(OBJ)/lib/kernel/%.o: lib/kernel/%.c
	@mkdir -p $(@D)
	@echo '  CC    $<'
	$(Q)$(CC) $(CPPFLAGS) $(LIB_FLAGS) $(CFLAGS) $(FLAGS_$*) -c $< -o $@

$(OBJ)/lib/%.o: lib/%.c
	@mkdir -p $(@D)
	@echo '  CC    $<'
	$(Q)$(CC) $(CPPFLAGS) $(LIB_FLAGS) $(CFLAGS) -c $< -o $@

$(OBJ)/server/%.o: server/%.c
	@mkdir -p $(@D)
	@echo '  CC    $<'
	$(Q)$(CC) $(CPPFLAGS) $(SERVER_FLAGS) $(CFLAGS) -c $< -o $@

# The built-in recipes and interface description are the files themselves.
$(OBJ)/server/http/openapi.o: $(OBJ)/server/http/openapi.json
$(OBJ)/server/http/openapi.o: SERVER_FLAGS += -Wa,-I$(OBJ)/server/http
$(OBJ)/server/recipe/book_builtin.o: $(wildcard config/worlds/*.json config/worlds/*/*.json)
$(OBJ)/lib/read/recipe_default.o: config/worlds/continents.json

# ... and for compilers that know no .incbin, numbers.
build/recipe_default.inc: config/worlds/continents.json
	@mkdir -p $(@D)
	$(Q)od -An -v -tu1 $< | sed 's/\([0-9]\) /\1,/g; s/$$/,/' >$@

# The interface description, with the version, the layers and the formats that there are.
ENDINGS = $(shell sed -n 's/^FORMAT.[A-Z0-9]*, "\([a-z0-9]*\)", ENDING.*/\1/p' server/tile/formats.inc)
NOTHING :=
$(OBJ)/server/http/openapi.json: server/http/openapi.json lib/terrane.h server/tile/layers.inc server/tile/formats.inc
	@mkdir -p $(@D)
	@sed -n 's/^LAYER([A-Z0-9]*, \("[a-z]*"\).*/\1, /p' server/tile/layers.inc | tr -d '\n' | fold -sw 104 | \
	    sed -e '$$s/, $$//; s/ $$//; s/^/          /' -e '$$a\' | sed -e '/"\$$layers"/{r /dev/stdin' -e 'd}' \
	    -e 's/"\$$version"/"$(VERSION)"/' \
	    -e 's/"\$$formats"/$(subst $(NOTHING) $(NOTHING),$(comma) ,$(ENDINGS:%="%"))/' \
	    -e 's/\$$formats/$(subst $(NOTHING) $(NOTHING),|,$(ENDINGS))/' server/http/openapi.json >$@

$(OBJ)/libterrane.a: $(LIB_OBJ)
	@echo '  AR    $@'
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(OBJ)/terrane: $(SERVER_OBJ) $(OBJ)/libterrane.a
	@echo '  LINK  $@'
	$(Q)$(CC) $(LINK_FLAGS) $^ $(PKG_LIBS) -lm -o $@

# What an embedder of the library writes: any layer and variant of a tile, by one call.
.PHONY: example
example: build/terrane-example ## build/terrane-example RECIPE.json SEED LEVEL X Y LAYER VARIANT: a tile's samples
$(OBJ)/terrane-example: example/example.c $(OBJ)/libterrane.a
	@echo '  LINK  $@'
	$(Q)$(CC) $(CPPFLAGS) $(BASE) -Ilib $(CFLAGS) $(LINK_FLAGS) $^ -o $@

# ... and a flight over a world that is made on the way, in a window of SDL2.
.PHONY: example-fly deps-example
deps-example:
	@tests/install-packages $(DEPS_BUILD) libsdl2-dev
example-fly: deps-example ## build/terrane-fly: fly over a world that is made in the program itself, with SDL2
	@$(MAKE) build/terrane-fly
$(OBJ)/terrane-fly: $(wildcard example/fly/*.[ch]) $(OBJ)/libterrane.a
	@echo '  LINK  $@'
	$(Q)$(CC) $(CPPFLAGS) $(BASE) -Ilib $(CFLAGS) $(filter %.c %.a,$^) $(LINK_FLAGS) $$(pkg-config --cflags --libs sdl2) -o $@

# Compared each time, so that a build of other flags never leaves a stale pair behind.
.PHONY: build/terrane build/libterrane.a build/terrane-example build/terrane-fly
build/terrane build/libterrane.a build/terrane-example build/terrane-fly: build/%: $(OBJ)/%
	@cmp -s $< $@ || { cp $< $@.new && mv -f $@.new $@; }

# Says what is missing before the compiler does.
$(SERVER_OBJ): | check-deps

-include $(LIB_OBJ:.o=.d) $(SERVER_OBJ:.o=.d) $(UNIT_BIN:=.d)

# ---- Installing what it needs ---------------------------------------------------------------------------------------

.PHONY: check-deps deps deps-test deps-lint deps-bench deps-cross deps-fuzz
check-deps:
	@pkg-config --exists $(PKGS) 2>/dev/null && command -v $(firstword $(CC)) >/dev/null || { \
	    echo 'terrane needs a C compiler, pkg-config and: $(PKGS). On Debian: make deps' >&2; exit 1; }

deps: ## install what building needs (Debian packages; as root or through sudo)
	@tests/install-packages $(DEPS_BUILD)
deps-test: ## ... what `make test` needs
	@tests/install-packages $(DEPS_BUILD) $(DEPS_ANALYZE) $(DEPS_ANALYZE_DATA) $(DEPS_TEST) $(DEPS_PAGE) $(if $(CHANGED),$(DEPS_LINT))
deps-lint: ## ... what `make lint` needs
	@tests/install-packages $(DEPS_BUILD) $(DEPS_LINT)
deps-bench: ## ... what `make bench` compares with
	@tests/install-packages $(DEPS_BUILD) $(DEPS_BENCH)
deps-cross: ## ... what `make test-cross` needs
	@tests/install-packages $(DEPS_BUILD) $(DEPS_CROSS)
deps-fuzz: ## ... what `make fuzz` needs
	@tests/install-packages $(DEPS_BUILD) $(DEPS_FUZZ)

# ---- Use ------------------------------------------------------------------------------------------------------------

.PHONY: run install uninstall clean help
run: deps ## install what is missing, build, and serve on http://127.0.0.1:8080
	@$(MAKE) $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc)) build/terrane
	@exec build/terrane serve

# The paths of the units and pages are those of the usual PREFIX until they are installed.
MAN_PAGES := $(wildcard man/*.[15])
UNITS := $(wildcard config/systemd/*.service config/systemd/*.socket)
SHARE := $(DESTDIR)$(PREFIX)/share
UNIT_DIR := $(DESTDIR)$(PREFIX)/lib/systemd/system
SYSUSERS_DIR := $(DESTDIR)$(PREFIX)/lib/sysusers.d

HEADERS := $(wildcard lib/terrane*.h)
CMAKE_DIR := $(DESTDIR)$(PREFIX)/lib/cmake/terrane
PC_DIR := $(DESTDIR)$(PREFIX)/lib/pkgconfig

# What the program tells of its keys. The manual page has the list where it names the command that writes it.
build/config/terrane.json build/config/schema/terrane.schema.json build/config/keys.mdoc: build/terrane
	@mkdir -p $(@D)
	$(Q)build/terrane config $(if $(filter %.mdoc,$@),--manual,$(if $(filter %.schema.json,$@),--schema,--defaults)) >$@

# Examples: what an operator copies and changes.
EXAMPLES := $(wildcard config/*.json config/prometheus/* config/grafana/* config/worlds/figures/*)
TOLD := terrane.json schema/terrane.schema.json

install: all $(TOLD:%=build/config/%) build/config/keys.mdoc ## install program, library, header, configuration, manual and units under $(DESTDIR)$(PREFIX)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib $(DESTDIR)$(PREFIX)/include $(UNIT_DIR) $(SYSUSERS_DIR) \
	    $(SHARE)/terrane/schema $(SHARE)/terrane/worlds $(SHARE)/man/man1 $(SHARE)/man/man5
	install -m 755 build/terrane $(DESTDIR)$(PREFIX)/bin/terrane
	install -d $(DESTDIR)$(PREFIX)/libexec/terrane
	install build/analyze/main.py build/analyze/experiment $(DESTDIR)$(PREFIX)/libexec/terrane
	install -m 644 $(addprefix build/analyze/,$(filter-out main.py experiment,$(ANALYZE_FILES))) $(DESTDIR)$(PREFIX)/libexec/terrane
	install -m 644 build/libterrane.a $(DESTDIR)$(PREFIX)/lib/libterrane.a
	install -m 644 $(HEADERS) $(DESTDIR)$(PREFIX)/include
	install -D -m 644 lib/terrane-config.cmake $(CMAKE_DIR)/terrane-config.cmake
	sed 's|@VERSION@|$(VERSION)|' lib/terrane-config-version.cmake.in >$(CMAKE_DIR)/terrane-config-version.cmake && chmod 644 $(CMAKE_DIR)/terrane-config-version.cmake
	install -d $(PC_DIR) && sed 's|@PREFIX@|$(PREFIX)|; s|@VERSION@|$(VERSION)|' lib/terrane.pc.in >$(PC_DIR)/libterrane.pc && chmod 644 $(PC_DIR)/libterrane.pc
	for file in $(EXAMPLES:config/%=%); do install -D -m 644 config/$$file $(SHARE)/terrane/$$file || exit 1; done
	install -m 644 $(wildcard config/schema/*.json) $(SHARE)/terrane/schema
	for file in $(TOLD); do install -m 644 build/config/$$file $(SHARE)/terrane/$$file || exit 1; done
	install -m 644 config/worlds/README.md $(wildcard config/worlds/*.json) $(SHARE)/terrane/worlds
	for page in $(MAN_PAGES); do to=$(SHARE)/man/man$${page##*.}/$${page##*/}; \
	    sed -e 's|/usr/local/|$(PREFIX)/|g' -e '/^\.\\" terrane config --manual/r build/config/keys.mdoc' $$page >$$to && chmod 644 $$to || exit 1; done
	for unit in $(UNITS); do to=$(UNIT_DIR)/$${unit##*/}; \
	    sed 's|/usr/local/|$(PREFIX)/|g' $$unit >$$to && chmod 644 $$to || exit 1; done
	install -m 644 config/systemd/terrane.sysusers $(SYSUSERS_DIR)/terrane.conf

uninstall: ## remove what install put there
	rm -f $(DESTDIR)$(PREFIX)/bin/terrane $(ANALYZE_FILES:%=$(DESTDIR)$(PREFIX)/libexec/terrane/%) $(DESTDIR)$(PREFIX)/lib/libterrane.a \
	    $(HEADERS:lib/%=$(DESTDIR)$(PREFIX)/include/%) $(CMAKE_DIR)/terrane-config.cmake $(CMAKE_DIR)/terrane-config-version.cmake $(PC_DIR)/libterrane.pc
	rm -f $(EXAMPLES:config/%=$(SHARE)/terrane/%) $(TOLD:%=$(SHARE)/terrane/%) $(SHARE)/terrane/worlds/README.md \
	    $(patsubst config/%,$(SHARE)/terrane/%,$(wildcard config/schema/*.json config/worlds/*.json))
	rm -f $(foreach page,$(MAN_PAGES),$(SHARE)/man/man$(subst .,,$(suffix $(page)))/$(notdir $(page))) \
	    $(UNITS:config/systemd/%=$(UNIT_DIR)/%) $(SYSUSERS_DIR)/terrane.conf
	rmdir $(CMAKE_DIR) $(SHARE)/terrane/schema $(SHARE)/terrane/worlds/figures $(SHARE)/terrane/worlds $(SHARE)/terrane/prometheus $(SHARE)/terrane/grafana $(SHARE)/terrane \
	    $(DESTDIR)$(PREFIX)/libexec/terrane 2>/dev/null || true

.PHONY: config-table
config-table: build/terrane ## write the table of keys into config/README.md
	@build/terrane config >build/config_table.md
	@sed -i -e '/^| key | unit /r build/config_table.md' -e '/^| key | unit /,/^$$/{/^|/d}' config/README.md

clean: ## remove build/
	rm -rf build

help: ## list targets
	@grep -hE '^[a-z][a-z-]*:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  \1\t/' | expand -t 18
