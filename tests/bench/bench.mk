# terrane beside what it is compared with, side by side in one run: noise, erosion, HTTP. Included by tests/tests.mk.
#
#   make bench                          everything, some twenty minutes; a second such run at the same time spoils both
#   make bench BENCH_FLAGS=--quick      fewer and shorter runs, about two minutes
#   make bench BENCH_FLAGS=--strict     fails when a pass line is missed
#   make bench-noise AGAINST=COMMIT     every row beside the same of another commit, which is built for it; four minutes
#
# What was measured is left in build/bench.

BENCH_FLAGS ?=
BENCH_OBJ := $(OBJ)/tests/bench

# The baselines are what a user's own build would be: gcc -O3, no -march, whatever CC and CFLAGS are for terrane. Droplets
# are built for this machine: the best that plain C has.
BASELINE_CC := gcc -std=c17 -O3 $(WARN)
BASELINE_CXX := g++ -O3 -Wall -Wextra
$(BENCH_OBJ)/plain_droplet.o: BASELINE_CC += -march=native

.PHONY: bench bench-run bench-deps bench-noise bench-erosion bench-regions \
        bench-shared bench-told bench-map bench-export bench-edits bench-luanti bench-http
bench: bench-deps ## measure against plain loops and nginx
	@$(MAKE) bench-run
bench-run: build/terrane
	@$(foreach part,noise erosion carve regions http shared told map export edits luanti cluster wasm walk views,$(MAKE) bench-$(part) &&) true

# Nothing is installed where the commands and headers are there, from whatever package.
bench-deps:
	@found() { PATH="$$PATH:/usr/local/sbin:/usr/sbin:/usr/games" command -v "$$@" >/dev/null; }; \
	found wrk && found nginx && found minetestserver && found g++ && found python3 && \
	pkg-config --exists $(PKGS) && \
	printf '#if __has_include(<libnoise/noise.h>)\n#include <libnoise/noise.h>\n#else\n#include <noise/noise.h>\n#endif\n' | \
	    g++ -xc++ -fsyntax-only - 2>/dev/null || $(MAKE) deps-bench

$(BENCH_OBJ)/plain_%.o: tests/bench/plain_%.c
	@mkdir -p $(@D)
	@echo '  CC    $<'
	$(Q)$(BASELINE_CC) -MMD -MP -c $< -o $@

$(BENCH_OBJ)/libnoise_tile.o: tests/bench/libnoise_tile.cpp
	@mkdir -p $(@D)
	@echo '  CXX   $<'
	$(Q)$(BASELINE_CXX) -MMD -MP -c $< -o $@

NOISE_OBJ := $(addprefix $(BENCH_OBJ)/,bench_noise.o bench_rounds.o \
                 plain_noise.o libnoise_tile.o)

$(BENCH_OBJ)/bench_%.o: tests/bench/bench_%.c
	@mkdir -p $(@D)
	@echo '  CC    $<'
	$(Q)$(CC) $(CPPFLAGS) $(BASE) $(CFLAGS) -c $< -o $@

$(BENCH_OBJ)/bench_noise: $(NOISE_OBJ) $(OBJ)/libterrane.a
	@echo '  LINK  $@'
	$(Q)g++ $(LINK_FLAGS) $^ -lnoise -lm -o $@

$(BENCH_OBJ)/bench_erosion: $(BENCH_OBJ)/plain_droplet.o
$(BENCH_OBJ)/bench_erosion: $(BENCH_OBJ)/bench_erosion.o $(BENCH_OBJ)/bench_rounds.o $(OBJ)/libterrane.a
	@echo '  LINK  $@'
	$(Q)$(CC) $(LINK_FLAGS) $^ -lm -o $@

$(BENCH_OBJ)/bench_contours: $(BENCH_OBJ)/bench_contours.o $(BENCH_OBJ)/bench_rounds.o \
                             $(addprefix $(OBJ)/server/encode/,contours.o isolines.o) $(OBJ)/libterrane.a
	@echo '  LINK  $@'
	$(Q)$(CC) $(LINK_FLAGS) $^ -lm -o $@

-include $(wildcard $(BENCH_OBJ)/*.d)

bench-noise: $(BENCH_OBJ)/bench_noise ## ... noise alone; AGAINST=COMMIT: against what it was then
	@mkdir -p build/bench
	$(if $(AGAINST),+@/usr/bin/python3 -B tests/bench/bench_against.py $(AGAINST) $< $(BENCH_FLAGS), \
	    @$< --json build/bench/noise.json $(BENCH_FLAGS))

bench-erosion: $(BENCH_OBJ)/bench_erosion ## ... erosion and lakes alone
	@mkdir -p build/bench
	@echo
	@$< --json build/bench/erosion.json $(BENCH_FLAGS)

bench-http bench-regions bench-shared bench-told bench-map bench-export bench-edits bench-luanti: bench-%: build/terrane
	@mkdir -p build/bench
	@echo
	@/usr/bin/python3 -B tests/bench/bench_$*.py --terrane $< --json build/bench/$*.json $(BENCH_FLAGS)
bench-http: ## ... the server alone
bench-regions: ## ... eroded tiles of the server alone
bench-map: export BENCH_CONTOURS = $(BENCH_OBJ)/bench_contours
bench-map: $(BENCH_OBJ)/bench_contours ## ... finds, vector tiles, and how many labels a view has
bench-export: ## ... tiles for engines against /region of the same ground
bench-edits: ## ... worlds that people change: writers, tiles with many operations, a log of a million; rasters
bench-luanti: ## ... blocks of a map of Luanti a second, against its own generator v7
bench-shared: ## ... what a hit in the shared tier adds
bench-told: ## ... what `terrane recipe` tells of a tile (rivers, paths and caves, too) against what it takes, by recipe, instruction set and layer

.PHONY: first-views
first-views: build/terrane ## how many first views show no land, and what spawns stand on: 40 seeds of each recipe
	@/usr/bin/python3 -B tests/bench/first_views.py --terrane $< $(FIRST_VIEWS_FLAGS)
